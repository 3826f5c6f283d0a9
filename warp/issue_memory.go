package warp

import (
	"fmt"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
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
	base := in.Imm
	if in.C.IsUniform() {
		base += int64(w.uniform[w.maskOf(in.C).id].Lo)
	}
	low, high := w.words(in.A), []uint32(nil)
	if in.A != isa.NoReg {
		c.mask = *w.cells[in.A.Index()-1].undef
	}
	if in.A.IsPair() {
		high = w.words(rowsOn(in.A, 1))
		c.mask = c.mask.Or(*w.cells[in.A.Index()].undef)
	}
	var odd lane.Mask
	for l := range vals(idx) {
		at := base
		if low != nil {
			at += int64(low[l])
		}
		if high != nil {
			at += int64(high[l]) << 32
		} else if m.shared != nil {
			at = int64(uint32(at)) // 32-bit addresses wrap
		}
		at -= int64(m.addr)
		if at%int64(size) != 0 {
			odd = odd.With(l)
		}
		if at /= int64(size); at != int64(int32(at)) {
			at = -1 // outside of any array
		}
		vals(idx)[l] = int32(at)
	}
	if odd = odd.And(w.active).AndNot(c.mask); !odd.Empty() {
		w.raise(Fault{Kind: OutOfBounds, Lanes: odd, Detail: fmt.Sprintf("an address that is no multiple of %d", size),
			Advice: "align addresses to what is accessed"})
		panic(abort{})
	}
	return m, idx
}
