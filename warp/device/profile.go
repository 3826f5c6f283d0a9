package device

import (
	"maps"
	"reflect"
)

// A Profile describes one device. It is plain data.
//
// Profiles that [Lookup] and [Custom] return are shared: treat them as
// read-only and change a [Profile.Clone]. A profile is safe for concurrent use
// as long as nobody changes it.
type Profile struct {
	// Name is what Lookup finds: lower case letters, digits, '-' and '.'.
	Name string `json:"name"`
	// Aliases are other spellings that Lookup takes for this device.
	Aliases []string `json:"aliases,omitempty"`
	// Title is the name for people, such as "NVIDIA H200".
	Title string `json:"title"`
	// Vendor makes the device.
	Vendor string `json:"vendor"`
	// Architecture is the vendor's name of the generation.
	Architecture string `json:"architecture"`
	// Language is the programming language whose rules Rules gives, such as
	// "CUDA" or "HIP".
	Language string `json:"language"`

	// Lanes is the width of a warp: a power of two from 1 to 128.
	Lanes int `json:"lanes"`

	Rules  Rules  `json:"rules"`
	Limits Limits `json:"limits"`
	Memory Memory `json:"memory"`
	Shared Banks  `json:"shared"`
	Timing Timing `json:"timing"`

	sources map[string]Provenance // by path, never changed once loaded
}

// Rules says what a kernel may do on a device and what undefined things come
// to. Each group of rules in a profile has one source.
type Rules struct {
	// Shuffle says how a shuffle reads its operands.
	Shuffle ShuffleRule `json:"operands.shuffle"`

	// Inactive is what a read of a lane that does not take part gives by the
	// language; ChipInactive is what the chip was seen to give, for runs that
	// mimic it.
	Inactive     InactiveRead `json:"reads.inactive"`
	ChipInactive ChipRead     `json:"reads.chipInactive"`

	// Participation says who must take part in a collective.
	Participation Participation `json:"masks.participation"`
	// MaskBits is how many bits the language's member-mask type has.
	MaskBits int `json:"masks.bits"`
	// MaskScope says which lanes those bits name.
	MaskScope MaskScope `json:"masks.scope"`

	// IndependentThreads reports whether the lanes of a warp may run apart
	// from each other after a branch, so that a warp-level race is possible
	// and an active mask is only a snapshot.
	IndependentThreads bool `json:"threads.independent"`

	// BarrierExited says how a block barrier treats threads that have left
	// the kernel.
	BarrierExited BarrierExited `json:"barriers.exited"`

	// Redux names the hardware reductions as type.operation, in order:
	// "b32.and", "b32.or", "b32.xor", "i32.add", "i32.max", "i32.min",
	// "u32.add", "u32.max", "u32.min", "f32.max", "f32.min". Empty: none.
	Redux []string `json:"collectives.redux"`
	// Match reports whether the language has match_any and match_all.
	Match bool `json:"collectives.match"`
	// Elect reports whether there is an instruction that elects a leader.
	Elect bool `json:"collectives.elect"`
	// VoteUniform reports whether there is a vote for "all alike".
	VoteUniform bool `json:"collectives.voteUniform"`
	// Routes names the ways between lanes that the device has beside
	// shuffles: "dpp", "permlane", "permute", "readlane", "swizzle".
	Routes []string `json:"collectives.routes"`

	// AtomicAdd names the types whose atomic addition is one instruction:
	// "i32", "u64", "f32", "f64".
	AtomicAdd []string `json:"atomics.add"`
	// AtomicAddShared does the same for shared memory: other types add in a
	// loop of compare and swap.
	AtomicAddShared []string `json:"atomics.addShared"`
}

// HasRedux reports whether the device reduces in hardware with a type and an
// operation, named as in Rules.Redux.
func (r *Rules) HasRedux(name string) bool { return has(r.Redux, name) }

// HasRoute reports whether Routes has name.
func (r *Rules) HasRoute(name string) bool { return has(r.Routes, name) }

// HasAtomicAddShared reports whether AtomicAddShared has the type.
func (r *Rules) HasAtomicAddShared(typ string) bool { return has(r.AtomicAddShared, typ) }

// HasAtomicAdd reports whether AtomicAdd has the type.
func (r *Rules) HasAtomicAdd(typ string) bool { return has(r.AtomicAdd, typ) }

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Limits is what one launch, block, warp and multiprocessor may have. Sizes
// are in bytes. A multiprocessor is what AMD calls a compute unit.
type Limits struct {
	Multiprocessors int `json:"multiprocessors"`
	// ClockMHz turns cycles into time: the highest clock of the device.
	ClockMHz int `json:"clockMHz"`

	ThreadsPerBlock          int `json:"threadsPerBlock"`
	ThreadsPerMultiprocessor int `json:"threadsPerMultiprocessor"`
	WarpsPerMultiprocessor   int `json:"warpsPerMultiprocessor"`
	BlocksPerMultiprocessor  int `json:"blocksPerMultiprocessor"`

	// SharedPerBlock is the most shared memory a block can get at all, static
	// and dynamic together; SharedStatic the most that it can declare
	// statically.
	SharedPerBlock int `json:"sharedPerBlock"`
	SharedStatic   int `json:"sharedStatic"`
	// SharedReserved is what each resident block takes from
	// SharedPerMultiprocessor beside its own.
	SharedReserved          int `json:"sharedReserved"`
	SharedPerMultiprocessor int `json:"sharedPerMultiprocessor"`

	// RegistersPerLane is how many 32-bit registers a thread can use.
	RegistersPerLane int `json:"registersPerLane"`
	// RegistersPerMultiprocessor counts 32-bit registers of single lanes.
	RegistersPerMultiprocessor int `json:"registersPerMultiprocessor"`
	// Predicates and UniformRegisters are what one warp can use.
	Predicates       int `json:"predicates"`
	UniformRegisters int `json:"uniformRegisters"`
	// NamedBarriers counts the block barriers, barrier 0 among them: 1 where
	// the language has no named ones.
	NamedBarriers int `json:"namedBarriers"`

	// Grid is the most blocks, Block the most threads in each dimension.
	Grid  Dim3 `json:"grid"`
	Block Dim3 `json:"block"`
}

// Banks is how shared memory is split into banks.
//
// The lanes of a warp are served in groups of neighbours. The passes of an
// access are, added over the groups, the most different words of one bank that
// a group asks for; lanes that read the same word share it. Accesses wider than
// a bank go in groups that much smaller: with 32 lanes a group and banks of 4
// bytes, 16 lanes for 8 bytes and 8 for 16.
type Banks struct {
	// Count is the number of banks and Bytes the width of one: word a of
	// Bytes bytes lies in bank a mod Count.
	Count int `json:"banks"`
	Bytes int `json:"bytes"`
	// GroupLanes is how many lanes are served together in accesses of up to
	// Bytes a lane.
	GroupLanes int `json:"groupLanes"`
}

// A Dim3 is a size in three dimensions.
type Dim3 struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// Clone returns a copy that shares nothing with p and may be changed. Its
// numbers keep the sources of p until [Profile.SetSource] gives them another.
func (p *Profile) Clone() *Profile {
	c := new(Profile)
	*c = *p
	deepCopy(reflect.ValueOf(&c.Aliases).Elem())
	deepCopy(reflect.ValueOf(&c.Rules).Elem())
	deepCopy(reflect.ValueOf(&c.Limits).Elem())
	deepCopy(reflect.ValueOf(&c.Timing).Elem())
	c.sources = maps.Clone(p.sources)
	return c
}

// deepCopy replaces every slice, map and pointer below v by a copy.
func deepCopy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				deepCopy(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			deepCopy(v.Index(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		s := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(s, v)
		v.Set(s)
		for i := range s.Len() {
			deepCopy(s.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		m := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(it.Value())
			deepCopy(e)
			m.SetMapIndex(it.Key(), e)
		}
		v.Set(m)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		e := reflect.New(v.Type().Elem())
		e.Elem().Set(v.Elem())
		deepCopy(e.Elem())
		v.Set(e)
	}
}
