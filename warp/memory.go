package warp

import (
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// A Mem is an array in global or shared memory. It is a small value; At gives
// the same array seen from a later element, which costs no instruction, as an
// offset in an address costs none.
type Mem[T any] struct {
	data   []T
	addr   uint64 // of data[0], in bytes, within its space
	offset int
	shared *block // nil for global memory
	term   uint64 // of the block when the array was declared; of global memory the engine's number
}

// Global makes a Go slice an array of global memory: kernels read and write the
// slice itself. Each call gives the array an address of its own, aligned to 256
// bytes, so that the order of calls decides the addresses and nothing else. T
// is any type that a register can hold. A kernel of another engine that uses the array
// ends with a fault of kind BadArgument.
func Global[T any](e *Engine, data []T) (Mem[T], error) {
	if err := lane.CheckType[T](); err != nil {
		return Mem[T]{}, err
	}
	if e == nil {
		return Mem[T]{}, &ConfigError{"engine", "nil", "make one with New"}
	}
	var zero T
	size := (uint64(len(data))*uint64(unsafe.Sizeof(zero)) + 255) &^ 255
	e.mu.Lock()
	defer e.mu.Unlock()
	addr := e.nextAddr
	for a := e.arrayAt(addr, size); a != nil; a = e.arrayAt(addr, size) { // of GlobalAt
		addr = (a.address + a.bytes + 255) &^ 255
	}
	e.nextAddr = addr + max(size, 256)
	e.arrays = append(e.arrays, globalArray{addr, size, uint64(unsafe.Sizeof(zero)), reflect.TypeFor[T]().String()})
	return Mem[T]{data: data, addr: addr, term: e.number}, nil
}

// GlobalAt is Global with an address that the host chooses: a multiple of 256, below 2^40.
// Another one, or one where another array lies, is a *ConfigError. Runs with
// memory.Warm find such arrays cold.
func GlobalAt[T any](e *Engine, address uint64, data []T) (Mem[T], error) {
	if err := lane.CheckType[T](); err != nil {
		return Mem[T]{}, err
	}
	if e == nil {
		return Mem[T]{}, &ConfigError{"engine", "nil", "make one with New"}
	}
	var zero T
	bytes := uint64(len(data)) * uint64(unsafe.Sizeof(zero))
	bad := func(reason string) (Mem[T], error) {
		return Mem[T]{}, &ConfigError{"address", fmt.Sprintf("%#x", address), reason}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case address%256 != 0 || address == 0:
		return bad("give a multiple of 256, as any allocation has, that is no null pointer")
	case address >= maxAddress || bytes > maxAddress-address:
		return bad("global memory ends at 2^40")
	case e.arrayAt(address, max(bytes, 1)) != nil:
		return bad("another array lies there")
	}
	e.arrays = append(e.arrays, globalArray{address, max(bytes, 1), uint64(unsafe.Sizeof(zero)), reflect.TypeFor[T]().String()})
	return Mem[T]{data: data, addr: address}, nil
}

// maxAddress is less than what the number of a line holds (isa.MakeLine) on any device.
const maxAddress = uint64(1) << 40

// arrayAt returns an array that lies within so many bytes from an address on, nil if none
// does. e.mu is held.
func (e *Engine) arrayAt(address, bytes uint64) *globalArray {
	for i := range e.arrays {
		if a := &e.arrays[i]; a.address < address+bytes && address < a.address+a.bytes {
			return a
		}
	}
	return nil
}

// maxUndefinedBytes is 4 GiB, and 1 GiB where addresses have 32 bits.
const maxUndefinedBytes = uint64(1) << (32 - 2*(64-bits.UintSize)/32)

// Undefined makes an array of n elements of global memory that no value is promised
// of, as what an allocation on a device returns: it holds zeros, and with
// Config.Sanitize a kernel that reads an element which no kernel has written is a
// fault of kind UninitializedGlobal. It takes up to 4 GiB, on
// processors of 32 bits 1 GiB. Errors are those of Global.
func Undefined[T any](e *Engine, n int) (Mem[T], error) {
	var zero T
	switch size := uint64(unsafe.Sizeof(zero)); {
	case n < 0:
		return Mem[T]{}, &ConfigError{"n", fmt.Sprint(n), "an array has no negative number of elements"}
	case size > 0 && uint64(n) > maxUndefinedBytes/size:
		return Mem[T]{}, &ConfigError{"n", fmt.Sprint(n), fmt.Sprintf("elements of %d bytes are more than %d GiB: make the array smaller", size, maxUndefinedBytes>>30)}
	}
	m, err := Global(e, make([]T, n))
	if err != nil {
		return m, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unset == nil {
		e.unset = map[uint64]*unsetElements{}
	}
	e.unset[m.addr] = newUnset(n, sizeOf(zero))
	return m, nil
}

// Len returns the number of elements of the array, from its offset on.
func (m Mem[T]) Len() int { return len(m.data) - m.offset }

// Data returns the elements of the whole array. For global memory it is the
// slice that was given to Global.
func (m Mem[T]) Data() []T { return m.data }

// At returns the array seen from element k on: element i of it is element i+k
// of m. k may be negative.
func (m Mem[T]) At(k int) Mem[T] {
	m.offset += k
	return m
}

// sharedDecl is one declaration of shared memory, which all warps of a block
// must make alike.
type sharedDecl struct {
	at, bytes int
	typ       reflect.Type
}

// Shared declares an array of n elements in the shared memory of the block. All
// warps of a block must make the same declarations in the same order and get
// the same arrays; the elements start out undefined, but hold zero. Unequal
// declarations, or more bytes than a block of the device has beside the dynamic
// ones of the launch, end the kernel with a fault of kind SharedMemory.
func Shared[T any](w *Warp, n int) Mem[T] {
	var zero T
	bad := func(format string, args ...any) {
		w.raise(Fault{Kind: SharedMemory, Detail: fmt.Sprintf(format, args...),
			Advice: "declare the same arrays in every warp, within the limit of the device"})
		panic(abort{})
	}
	if err := lane.CheckType[T](); err != nil {
		bad("%v", err)
	}
	if n < 0 {
		bad("an array of %d elements", n)
	}
	size, typ := int(unsafe.Sizeof(zero)), reflect.TypeFor[T]()
	at := (w.sharedUsed + 15) &^ 15
	limit := w.run.sharedLimit
	if !w.hasDynamic {
		limit -= w.run.launch.Shared
	}
	if n > limit/max(size, 1) || at+n*size > limit {
		bad("%d elements of %d bytes on top of %d bytes, and a block of %s has %d", n, size, at, w.Device().Name, limit)
	}
	static := w.Device().Limits.SharedStatic
	if w.hasDynamic {
		static += w.run.launch.Shared // part of what is used
	}
	if at+n*size > static {
		bad("%d elements of %d bytes on top of %d bytes, and a kernel of %s can declare %d (limits.sharedStatic); take the rest from DynamicShared, see Launch.Shared",
			n, size, w.sharedUsed, w.Device().Name, w.Device().Limits.SharedStatic)
	}
	b := w.block
	if w.sharedCount == len(b.declared) {
		b.declare(sharedDecl{at, n * size, typ})
	} else if d := b.declared[w.sharedCount]; d != (sharedDecl{at, n * size, typ}) {
		bad("declaration %d is %d bytes of %s here and %d bytes of %s in another warp", w.sharedCount+1, n*size, typ, d.bytes, d.typ)
	}
	w.sharedCount++
	w.sharedUsed = at + n*size
	var data []T
	if n > 0 {
		data = unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.shared)), at)), n)
	}
	return Mem[T]{data: data, addr: uint64(at), shared: b, term: b.term}
}

// declare makes room for a declaration and clears it. The memory is taken at
// full size at once, so that arrays handed out stay where they are.
func (b *block) declare(d sharedDecl) {
	if need := (max(b.group.run.sharedLimit, d.at+d.bytes) + 7) / 8; len(b.shared) < need {
		b.shared = make([]uint64, need)
	}
	clear(b.shared[d.at/8 : (d.at+d.bytes+7)/8])
	b.declared = append(b.declared, d)
}

// Load reads element idx of an array in every active lane, one instruction. An
// index outside the array ends the kernel with a fault of kind OutOfBounds, an
// undefined one is a fault of kind UndefinedUse.
func Load[T any](dst Reg[T], m Mem[T], idx Reg[int32]) {
	w := dst.w
	w.sameWarp(idx.w)
	if w.active.Empty() {
		w.accessNothing(isa.LoadShared, isa.LoadGlobal, dst.id, idx.id, isa.NoReg, addressing(m, nil))
		return
	}
	w.owns(m.shared, m.term)
	w.orderAccess(m.shared)
	d, at := vals(dst), vals(idx)
	if dst.cell == idx.cell {
		at = w.keep(at) // the cost is that of the old indices
	}
	w.defined(idx.cell, "address")
	lo, hi := bounds(m)
	run := w.full && consecutive(at)
	var unset lane.Mask
	if w.san != nil {
		unset = w.sanitizeAccess(accessLoad, viewMem(&m), at, nil, run)
	}
	if k := int(at[0]) + m.offset; run && k >= 0 && k <= len(m.data)-w.lanes {
		copy(d, m.data[k:k+w.lanes])
	} else if w.full {
		data := m.data
		off := m.offset
		for i := range d {
			k := int(at[i]) + off
			if uint(k) >= uint(len(data)) {
				w.outOfBounds("load", at[:], lo, hi)
			}
			d[i] = data[k]
		}
	} else {
		for i := range w.active.Lanes() {
			k := int(at[i]) + m.offset
			if uint(k) >= uint(len(m.data)) {
				w.outOfBounds("load", at, lo, hi)
			}
			d[i] = m.data[k]
		}
	}
	w.setDefined(dst.cell)
	if w.san != nil {
		*dst.undef = dst.undef.Or(unset)
		if w.san.late != nil && m.shared == nil {
			v := viewMem(&m)
			w.san.loadLate(w, &v, at, unsafe.Pointer(unsafe.SliceData(d)))
		}
	}
	shape := addressing(m, at)
	shape.run = run || !w.full && w.consecutive(at)
	w.access(isa.LoadShared, isa.LoadGlobal, dst.id, idx.id, isa.NoReg, shape)
}

// Store writes v to element idx of an array in every active lane, one
// instruction. Where several lanes name one element, the highest lane wins:
// which one does is undefined on devices. Faults are those of Load; storing an
// undefined value is one of kind UndefinedUse.
func Store[T any](m Mem[T], idx Reg[int32], v Reg[T]) {
	w := v.w
	w.sameWarp(idx.w)
	if w.active.Empty() {
		w.accessNothing(isa.StoreShared, isa.StoreGlobal, isa.NoReg, idx.id, v.id, addressing(m, nil))
		return
	}
	w.owns(m.shared, m.term)
	w.orderAccess(m.shared)
	s, at := vals(v), vals(idx)
	w.defined(idx.cell, "address")
	w.defined(v.cell, "value stored to memory")
	lo, hi := bounds(m)
	run := w.full && consecutive(at)
	if w.san != nil {
		w.sanitizeAccess(accessStore, viewMem(&m), at, v.p, run)
	}
	if w.group.ahead && m.shared == nil {
		keepOld(w, &m, at, run)
	}
	if k := int(at[0]) + m.offset; run && k >= 0 && k <= len(m.data)-w.lanes {
		copy(m.data[k:k+w.lanes], s)
	} else if w.full {
		data := m.data
		off := m.offset
		for i := range s {
			k := int(at[i]) + off
			if uint(k) >= uint(len(data)) {
				w.outOfBounds("store", at, lo, hi)
			}
			data[k] = s[i]
		}
	} else {
		for i := range w.active.Lanes() {
			k := int(at[i]) + m.offset
			if uint(k) >= uint(len(m.data)) {
				w.outOfBounds("store", at, lo, hi)
			}
			m.data[k] = s[i]
		}
	}
	shape := addressing(m, at)
	shape.run = run || !w.full && w.consecutive(at)
	w.access(isa.StoreShared, isa.StoreGlobal, isa.NoReg, idx.id, v.id, shape)
}

// bounds returns the indices that are inside the array, as lo <= i < hi.
func bounds[T any](m Mem[T]) (lo, hi int) { return -m.offset, len(m.data) - m.offset }

// outOfBounds ends the kernel, naming the active lanes outside lo to hi-1.
func (w *Warp) outOfBounds(what string, at []int32, lo, hi int) {
	var lanes lane.Mask
	first := 0
	for l := range w.active.Lanes() {
		if i := int(at[l]); i < lo || i >= hi {
			if lanes.Empty() {
				first = i
			}
			lanes = lanes.With(l)
		}
	}
	w.raise(Fault{Kind: OutOfBounds, Lanes: lanes,
		Detail: fmt.Sprintf("%s of element %d of an array with elements %d to %d", what, first, lo, hi-1),
		Advice: "guard the access with If or Where, or launch as many threads as there are elements"})
	panic(abort{})
}

// owns ends the kernel if shared memory belongs to another block, or to one of an
// earlier run, or global memory, of which the block is nil, to another engine. The zero
// Mem is nobody's, and has no elements.
func (w *Warp) owns(b *block, term uint64) {
	switch {
	case b == nil && (term == w.engine || term == 0), b != nil && b == w.block && b.term == term:
		return
	case b == nil:
		w.raise(Fault{Kind: BadArgument, Lanes: w.active, Detail: "an array of global memory of another engine",
			Advice: "make the array with Global for the engine that runs the kernel"})
	default:
		w.raise(Fault{Kind: SharedMemory, Detail: "shared memory of another block, or of an earlier run",
			Advice: "declare shared memory in the kernel that uses it"})
	}
	panic(abort{})
}

// keep copies indices to where nothing writes until the next instruction.
func (w *Warp) keep(at []int32) []int32 {
	k := temp[int32](w)
	copy(k, at)
	return k
}

// defined raises a fault if a register is undefined in an active lane.
func (w *Warp) defined(c *cell, what string) {
	if u := c.undef.And(w.active); !u.Empty() && !w.repeated(UndefinedUse, u, lane.Mask{}, lane.Mask{}) {
		w.raise(Fault{Kind: UndefinedUse, Lanes: u, Detail: "undefined " + what,
			Advice: "give the register a value in these lanes first; lanes outside a mask and lanes that do not exist have none"})
	}
}

// setDefined makes the active lanes of a register defined.
func (w *Warp) setDefined(c *cell) {
	w.writable(c)
	if w.full {
		*c.undef = lane.Mask{}
	} else {
		*c.undef = c.undef.AndNot(w.active)
	}
}

func (w *Warp) sameWarp(o *Warp) {
	if w != o {
		w.wrongWarp()
	}
}

// wrongWarp ends the kernel. It is apart because a Fault takes a good part of a
// small stack, for every function that it becomes part of.
func (w *Warp) wrongWarp() {
	w.raise(Fault{Kind: WrongWarp, Detail: "an operand belongs to another warp or an earlier run, was released, or was never allocated",
		Advice: "allocate registers in the kernel that uses them"})
	panic(abort{})
}

// An accessShape is what the cost of a memory access depends on.
type accessShape struct {
	addr  uint64 // of index 0
	bytes int    // of an element
	at    []int32
	space *block  // nil: global memory
	place isa.Reg // which array, see isa.Place
	run   bool    // the index rises by one from active lane to active lane
}

func addressing[T any](m Mem[T], at []int32) accessShape {
	var zero T
	size := int(unsafe.Sizeof(zero))
	return accessShape{m.addr + uint64(int64(m.offset)*int64(size)), size, at, m.shared, m.place(), false}
}

// place names the array and its offset in a record.
func (m *Mem[T]) place() isa.Reg {
	if m.shared != nil {
		return isa.Place(m.addr>>4, m.offset)
	}
	return isa.Place(m.addr>>8, m.offset)
}

// place is what stands in C of the record of an access: the uniform register in an
// encoded address, or the place.
func (w *Warp) place(place isa.Reg) isa.Reg {
	if w.memoryBase != isa.NoReg || w.encoded {
		return w.memoryBase
	}
	return place
}

// access appends the record of a load or store. Elements of more than 16 bytes
// take several instructions of up to 16.
func (w *Warp) access(shared, global isa.Op, dst, addr, val isa.Reg, s accessShape) {
	for done := 0; done < s.bytes; done += 16 {
		n := min(16, s.bytes-done)
		if w.seen != nil {
			w.seen.note(w, &s, done, n)
		}
		in := isa.Instr{Dst: rowsOn(dst, done/4), A: addr, B: rowsOn(val, done/4), C: w.place(s.place)}
		if s.space != nil {
			in.Op, in.Aux = shared, isa.MemAux(roundBytes(n), w.level)
			in.Count = uint16(w.bankPasses(s.addr+uint64(done), s.bytes, n, s.at, s.run))
		} else {
			in.Op = global
			kind := LoadAccess
			if dst == isa.NoReg {
				kind = StoreAccess
			}
			sectors := w.sectors(s.addr+uint64(done), s.bytes, n, s.at, s.run, kind)
			in.Aux, in.Count = isa.MemAux(roundBytes(n), w.level), uint16(sectors)
		}
		w.record(in)
	}
}

// accessNothing is access when no lane is active: the instructions are issued all
// the same.
func (w *Warp) accessNothing(shared, global isa.Op, dst, addr, val isa.Reg, s accessShape) {
	op, level := global, isa.LevelL1
	if s.space != nil {
		op = shared
	}
	for done := 0; done < s.bytes; done += 16 {
		w.record(isa.Instr{Op: op, Dst: rowsOn(dst, done/4), A: addr, B: rowsOn(val, done/4), C: w.place(s.place), Aux: isa.MemAux(roundBytes(min(16, s.bytes-done)), level)})
	}
}

// rowsOn returns the register n rows after r, r itself for none.
func rowsOn(r isa.Reg, n int) isa.Reg {
	if r == isa.NoReg || n == 0 {
		return r
	}
	return isa.Row(r.Index() - 1 + n)
}

// roundBytes returns the access size that moves n bytes, 1 to 16.
func roundBytes(n int) int {
	r := 1
	for r < n {
		r *= 2
	}
	return r
}

// DynamicShared returns the dynamic shared memory of the block, as many whole
// elements as the launch gave it bytes for. Every call in a block gives the same
// memory, whatever the type. Like Shared, the first call of each warp must stand
// in the same order among its declarations.
func DynamicShared[T any](w *Warp) Mem[T] {
	var zero T
	if err := lane.CheckType[T](); err != nil {
		w.raise(Fault{Kind: SharedMemory, Detail: err.Error(), cause: err, Advice: "use a type without pointers"})
		panic(abort{})
	}
	if !w.hasDynamic {
		w.hasDynamic = true
		w.dynamic = Shared[byte](w, w.run.launch.Shared)
	}
	n := len(w.dynamic.data) / int(unsafe.Sizeof(zero))
	var data []T
	if n > 0 {
		data = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(w.dynamic.data))), n)
	}
	return Mem[T]{data: data, addr: w.dynamic.addr, shared: w.block, term: w.block.term}
}

// Address returns the byte address of element 0 within its space, and whether
// that is the shared memory of a block.
func (m Mem[T]) Address() (addr uint64, shared bool) {
	var zero T
	return m.addr + uint64(int64(m.offset)*int64(unsafe.Sizeof(zero))), m.shared != nil
}
