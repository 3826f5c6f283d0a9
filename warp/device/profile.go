package device

import (
	"maps"
	"reflect"

	"example.com/warpsim/crossbar"
)

// A Profile describes one device. It is plain data.
//
// A profile is safe for concurrent use as long as nobody changes it. [Lookup] and
// [Custom] return a copy of its own to every caller.
type Profile struct {
	// Format is the number of the format that the file was written in, 0 for
	// [Format]. Files of a higher one are refused.
	Format int `json:"format,omitempty" origin:"none"`
	// Base names the built-in device that the profile derives from: it says
	// only what differs. Empty: it says everything.
	Base string `json:"base,omitempty"`

	// Name is what Lookup finds: lower case letters, digits, '-' and '.'.
	Name string `json:"name"`
	// Aliases are other spellings that Lookup takes for this device.
	Aliases []string `json:"aliases,omitempty"`
	// Title is the name for people, such as "NVIDIA H200".
	Title string `json:"title,omitempty"`
	// Vendor makes the device.
	Vendor string `json:"vendor,omitempty"`
	// Architecture is the vendor's name of the generation.
	Architecture string `json:"architecture,omitempty"`
	// Language is the programming language whose rules Rules gives, such as
	// "CUDA" or "HIP".
	Language string `json:"language,omitempty"`

	// Lanes is the width of a warp: a power of two from 1 to 128.
	Lanes int `json:"lanes"`

	Rules  Rules  `json:"rules"`
	Limits Limits `json:"limits"`
	Memory Memory `json:"memory,omitempty"`
	Shared Banks  `json:"shared,omitempty"`
	Timing Timing `json:"timing,omitempty"`

	sources map[string]Provenance // by path, never changed once loaded
	filled  map[string]bool       // of sources, the values that nobody gave
}

// Format is the number of the format of profiles. Later formats may add fields,
// which then have defaults, so that files of this one stay good.
const Format = 1

// Rules says what a kernel may do on a device and what undefined things come
// to. Each group of rules in a profile has one source.
type Rules struct {
	// Shuffle says how a shuffle reads its operands.
	Shuffle crossbar.Rule `json:"operands.shuffle"`

	// ShiftCounts says what a shift does with a count of the type's width or
	// more.
	ShiftCounts ShiftCounts `json:"shifts.counts,omitempty"`

	// LeadingZeros says what a count of leading zeros gives for 0.
	LeadingZeros LeadingZeros `json:"bits.leadingZeros,omitempty"`

	// Inactive is what a read of a lane that does not take part gives by the
	// language; ChipInactive is what the chip was seen to give, for runs that
	// mimic it.
	Inactive     InactiveRead `json:"reads.inactive"`
	ChipInactive ChipRead     `json:"reads.chipInactive,omitempty"`

	// Participation says who must take part in a collective.
	Participation Participation `json:"masks.participation"`
	// MaskBits is how many bits the language's member-mask type has.
	MaskBits int `json:"masks.bits,omitempty"`
	// MaskScope says which lanes those bits name.
	MaskScope MaskScope `json:"masks.scope,omitempty"`

	// IndependentThreads reports whether the lanes of a warp may run apart
	// from each other after a branch, so that a warp-level race is possible
	// and an active mask is only a snapshot.
	IndependentThreads bool `json:"threads.independent"`

	// BarrierExited says how a block barrier treats threads that have left
	// the kernel.
	BarrierExited BarrierExited `json:"barriers.exited,omitempty"`

	// Redux names the hardware reductions as type.operation, in order:
	// "b32.and", "b32.or", "b32.xor", "i32.add", "i32.max", "i32.min",
	// "u32.add", "u32.max", "u32.min", "f32.max", "f32.min". Empty: none.
	Redux []string `json:"collectives.redux,omitempty"`
	// Match reports whether the language has match_any and match_all.
	Match bool `json:"collectives.match,omitempty"`
	// Elect reports whether there is an instruction that elects a leader.
	Elect bool `json:"collectives.elect,omitempty"`
	// VoteUniform reports whether there is a vote for "all alike". Without, it
	// takes two votes and what combines them.
	VoteUniform bool `json:"collectives.voteUniform,omitempty"`
	// Routes names the ways between lanes that the device has beside
	// shuffles: "dpp", "permlane", "permute", "readlane", "swizzle".
	Routes []string `json:"collectives.routes,omitempty"`

	// RowMoves names the patterns that moves within rows of lanes can follow,
	// where Routes has "dpp": "quad_perm", "row_shl", "row_shr", "row_ror",
	// "row_mirror", "row_half_mirror", "row_bcast", "row_share", "row_xmask",
	// "wave_shl", "wave_shr", "wave_rol", "wave_ror".
	RowMoves []string `json:"collectives.rowMoves,omitempty"`
	// PermLanes names the permutations of rows that the device has, where Routes has
	// "permlane": "permlane16", "permlanex16", "permlane16_var", "permlanex16_var",
	// "permlane64", "permlane16_swap", "permlane32_swap".
	PermLanes []string `json:"collectives.permLanes,omitempty"`
	// PermuteLanes is how far a permutation reaches, where Routes has
	// "permute": groups of so many lanes, or the whole warp if that is no more
	// or this is 0.
	PermuteLanes int `json:"collectives.permuteLanes,omitempty"`

	// AtomicAdd names the types whose atomic addition is one instruction:
	// "i32", "u64", "f32", "f64".
	AtomicAdd []string `json:"atomics.add,omitempty"`
	// AtomicAddShared does the same for shared memory: other types add in a
	// loop of compare and swap.
	AtomicAddShared []string `json:"atomics.addShared,omitempty"`
	// AtomicCombined names the operations that the device's compiler does once for a warp
	// where it knows that all lanes want one word of global memory: "i32.add", "b32.or",
	// "u64.add" and so on. Additions of 32 bits are combined with their result, too.
	AtomicCombined []string `json:"atomics.combined,omitempty"`
}

// Limits is what one launch, block, warp and multiprocessor may have. Sizes
// are in bytes. A multiprocessor is what AMD calls a compute unit.
type Limits struct {
	Multiprocessors int `json:"multiprocessors"`
	// ClockMHz turns cycles into time: the highest clock of the device.
	ClockMHz int `json:"clockMHz"`

	ThreadsPerBlock          int `json:"threadsPerBlock"`
	ThreadsPerMultiprocessor int `json:"threadsPerMultiprocessor,omitempty"`
	WarpsPerMultiprocessor   int `json:"warpsPerMultiprocessor,omitempty"`
	BlocksPerMultiprocessor  int `json:"blocksPerMultiprocessor,omitempty"`

	// SharedPerBlock is the most shared memory a block can get at all, static
	// and dynamic together; SharedStatic the most that it can declare
	// statically.
	SharedPerBlock int `json:"sharedPerBlock"`
	SharedStatic   int `json:"sharedStatic,omitempty"`
	// SharedReserved is what each resident block takes from
	// SharedPerMultiprocessor beside its own.
	SharedReserved          int `json:"sharedReserved,omitempty"`
	SharedPerMultiprocessor int `json:"sharedPerMultiprocessor,omitempty"`

	// SharedUnit is what shared memory is given out in multiples of.
	SharedUnit int `json:"sharedUnit,omitempty"`

	// RegistersPerLane is how many 32-bit registers a thread can use.
	RegistersPerLane int `json:"registersPerLane"`
	// RegistersPerMultiprocessor counts 32-bit registers of single lanes. Each
	// sub-partition has its share of them.
	RegistersPerMultiprocessor int `json:"registersPerMultiprocessor,omitempty"`
	// RegisterUnit is what a warp gets of them in multiples of.
	RegisterUnit int `json:"registerUnit,omitempty"`
	// NamedBarriers counts the block barriers, barrier 0 among them: 1 where
	// the language has no named ones.
	NamedBarriers int `json:"namedBarriers,omitempty"`

	// Grid is the most blocks, Block the most threads in each dimension.
	Grid  Dim `json:"grid,omitempty"`
	Block Dim `json:"block,omitempty"`
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
	Count int `json:"banks,omitempty"`
	Bytes int `json:"bytes,omitempty"`
	// GroupLanes is how many lanes are served together in accesses of up to
	// Bytes a lane.
	GroupLanes int `json:"groupLanes,omitempty"`
	// WideGroups is how many neighbouring groups of an access of more than Bytes a
	// lane are served together, so that a word that lanes of several of them want
	// is read once. 0 counts as 1.
	WideGroups int `json:"wideGroups,omitempty"`
}

// Clone returns a copy that shares nothing with p and may be changed. Its
// numbers keep the sources of p until [Profile.SetSource] gives them another.
func (p *Profile) Clone() *Profile {
	c := new(Profile)
	*c = *p
	deepCopy(reflect.ValueOf(c).Elem())
	c.sources, c.filled = maps.Clone(p.sources), maps.Clone(p.filled)
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
