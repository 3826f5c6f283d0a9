package warp

import (
	endian "encoding/binary"
	"fmt"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/space"
)

// AtomicCompareAndSwap is the Variant of an encoded atomic that puts B where
// memory equals C. Typed kernels call CompareAndSwap.
const AtomicCompareAndSwap = uint8(numAtomicOps)

// issueMemory runs an encoded access: the typed one, with indices worked out from
// addresses and the record of the encoded registers.
func (w *Warp) issueMemory(in *Instruction) {
	defer func() { w.memoryBase = isa.NoReg }()
	if in.C.IsUniform() {
		w.memoryBase = in.C
	}
	switch {
	case in.Memory.data == nil && !sharedOp(in.Op) && w.Front().Space() != nil:
		w.accessSpace(in, w.Front().Space())
	case in.Op == isa.AtomicShared:
		switch in.Type {
		case Int32:
			atomicAt[int32](w, in)
		case Uint32:
			atomicAt[uint32](w, in)
		default:
			atomicAt[float32](w, in)
		}
	case wordsOf(in.Type) == 1:
		accessAt[uint32](w, in)
	case wordsOf(in.Type) == 2:
		accessAt[[2]uint32](w, in)
	default:
		accessAt[[4]uint32](w, in)
	}
}

// accessAt is a load or store of elements of type T, whose words are in as many
// rows.
func accessAt[T any](w *Warp, in *Instruction) {
	m, idx := elements[T](w, in)
	data, load := in.B, false
	if in.Op == isa.LoadShared || in.Op == isa.LoadGlobal {
		data, load = in.Dst, true
	}
	n, v := wordsOf(in.Type), rowOf[T](w, data)
	if n == 1 && data != isa.NoReg {
		if load {
			Load(v, m, idx)
		} else {
			Store(m, idx, v)
		}
		return
	}
	c := cellFor[T](w, data, 3)
	v = Reg[T]{cell: &c.cell}
	words := unsafe.Slice((*uint32)(c.p), n*w.lanes)
	if data == isa.NoReg {
		clear(words)
	} else {
		for i := range n {
			for l, x := range w.words(rowsOn(data, i)) {
				words[l*n+i] = x
			}
			c.mask = c.mask.Or(*w.cells[data.Index()-1+i].undef)
		}
	}
	if !load {
		Store(m, idx, v)
		return
	}
	c.mask = lane.Mask{}
	Load(v, m, idx)
	for i := range n {
		row := w.words(rowsOn(data, i))
		for l := range w.active.Lanes() {
			row[l] = words[l*n+i]
		}
		w.written(&w.cells[data.Index()-1+i], c.mask)
	}
}

func atomicAt[T Number](w *Warp, in *Instruction) {
	m, idx := elements[T](w, in)
	v := rowOf[T](w, in.B)
	switch {
	case in.Variant == AtomicCompareAndSwap && in.Dst == isa.NoReg:
		dst := Reg[T]{cell: &cellFor[T](w, isa.NoReg, 3).cell}
		CompareAndSwap(dst, m, idx, rowOf[T](w, in.C), v)
	case in.Variant == AtomicCompareAndSwap:
		CompareAndSwap(rowOf[T](w, in.Dst), m, idx, rowOf[T](w, in.C), v)
	case in.Dst == isa.NoReg:
		AtomicReduce(AtomicOp(in.Variant), m, idx, v)
	default:
		Atomic(AtomicOp(in.Variant), rowOf[T](w, in.Dst), m, idx, v)
	}
}

// elements returns the array that an access goes to as one of elements of type T,
// and the index of each lane's address in it.
func elements[T any](w *Warp, in *Instruction) (Mem[T], Reg[int32]) {
	size := sizeOf(*new(T))
	words := in.Memory.data
	m := Mem[T]{addr: in.Memory.addr, shared: in.Memory.shared, term: in.Memory.term}
	if n := len(words) * 4 / size; n > 0 {
		m.data = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
	}
	c := cellFor[int32](w, in.A, 0)
	idx := Reg[int32]{cell: &c.cell}
	address := c.addresses()
	c.mask = w.addresses(in, address)
	var odd lane.Mask
	for l := range vals(idx) {
		at := int64(address[l] - m.addr)
		if at%int64(size) != 0 {
			odd = odd.With(l)
		}
		if at /= int64(size); at != int64(int32(at)) {
			at = -1 // outside of any array
		}
		vals(idx)[l] = int32(at)
	}
	w.aligned(odd.AndNot(c.mask), size)
	return m, idx
}

// addresses is room for an address a lane, behind what the cell itself holds of words.
func (c *operandCell) addresses() *[lane.MaxLanes]uint64 {
	return (*[lane.MaxLanes]uint64)(c.data[lane.MaxLanes:])
}

// addresses works out the address of each lane, and in which it is undefined.
func (w *Warp) addresses(in *Instruction, address *[lane.MaxLanes]uint64) (undef lane.Mask) {
	base := in.Imm
	if in.C.IsUniform() {
		base += int64(w.uniform[w.maskOf(in.C).id].Lo)
	}
	low, high := w.words(in.A), []uint32(nil)
	if in.A != isa.NoReg {
		undef = *w.cells[in.A.Index()-1].undef
	}
	if in.A.IsPair() {
		high = w.words(rowsOn(in.A, 1))
		undef = undef.Or(*w.cells[in.A.Index()].undef)
	}
	for l := range w.lanes {
		at := base
		if low != nil {
			at += int64(low[l])
		}
		if high != nil {
			at += int64(high[l]) << 32
		} else if sharedOp(in.Op) {
			at = int64(uint32(at)) // 32-bit addresses wrap
		}
		address[l&(lane.MaxLanes-1)] = uint64(at)
	}
	return undef
}

// aligned ends the kernel if some of the active lanes have an odd address.
func (w *Warp) aligned(odd lane.Mask, size int) {
	if odd = odd.And(w.active); !odd.Empty() {
		w.raise(Fault{Kind: OutOfBounds, Lanes: odd, Detail: fmt.Sprintf("an address that is no multiple of %d", size),
			Advice: "align addresses to what is accessed"})
		panic(abort{})
	}
}

// accessSpace is a load or store of the host's memory, one lane after the other.
func (w *Warp) accessSpace(in *Instruction, s space.Space) {
	words, load := wordsOf(in.Type), in.Op == isa.LoadGlobal
	a := Access{Kind: StoreAccess, Lanes: w.active, Bytes: 4 * words, At: cellFor[int32](w, in.A, 0).addresses()}
	undef := w.addresses(in, a.At)
	if u := undef.And(w.active); !u.Empty() {
		w.raise(Fault{Kind: UndefinedUse, Lanes: u, Detail: "undefined address of an access",
			Advice: "give the register a value in these lanes first"})
	}
	var odd, bad lane.Mask
	for l := range w.active.Lanes() {
		if a.At[l]%uint64(a.Bytes) != 0 {
			odd = odd.With(l)
		}
	}
	w.aligned(odd.AndNot(undef), a.Bytes)
	w.orderAccess(nil)
	var data [16]byte
	for l := range w.active.AndNot(undef).Lanes() {
		if load {
			if !s.Load(a.At[l], data[:a.Bytes]) {
				bad = bad.With(l)
			}
			for i := range words {
				w.words(rowsOn(in.Dst, i))[l] = endian.LittleEndian.Uint32(data[4*i:])
			}
			continue
		}
		for i := 0; i < words && in.B != isa.NoReg; i++ {
			endian.LittleEndian.PutUint32(data[4*i:], w.words(rowsOn(in.B, i))[l])
		}
		if !s.Store(a.At[l], data[:a.Bytes]) {
			bad = bad.With(l)
		}
	}
	if !bad.Empty() {
		w.Front().OutOfBounds(in.Op.String(), bad, a.At[bad.First()], a.Bytes, "no array, and Config.Space has nothing there")
	}
	if load {
		a.Kind = LoadAccess
		for i := range words {
			w.written(&w.cells[in.Dst.Index()-1+i], undef)
		}
	}
	n := w.Front().Sectors(&a)
	w.record(isa.Instr{Op: in.Op, Dst: in.Dst, A: in.A, B: in.B, C: w.memoryBase, Aux: isa.MemAux(a.Bytes, w.level), Count: uint16(n)})
}
