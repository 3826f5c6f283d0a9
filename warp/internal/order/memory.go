package order

import "example.com/warpsim/warp/isa"

// farApart is how many stores are looked at one by one.
const farApart = 32

// An access is what is known of an instruction that goes to memory.
type access struct {
	address int64 // what its address register holds
	node    int32
	place   isa.Reg
	global  bool
	bytes   uint8
}

// access keeps accesses to memory in order that have to be.
func (s *Scheduler) access(i int32, in *isa.Instr, address int64) {
	v := &s.values
	switch in.Op {
	case isa.LoadShared, isa.LoadGlobal:
		a := access{address, i, in.C, in.Op == isa.LoadGlobal, uint8(in.MemBytes())}
		v.link(v.barrier, i, 1)
		v.after(&a, v.stores)
		s.keepVolatile(i, in)
		v.loads = append(v.loads, a)
	case isa.StoreShared, isa.StoreGlobal, isa.AtomicShared, isa.AtomicSharedLoop, isa.AtomicGlobal, isa.ReduceGlobal:
		a := access{address, i, in.C, in.Op >= isa.LoadGlobal && in.Op <= isa.ReduceGlobal, uint8(in.MemBytes())}
		v.link(v.barrier, i, 1)
		v.after(&a, v.loads)
		v.after(&a, v.stores)
		s.keepVolatile(i, in)
		if v.stores = append(v.stores, a); len(v.stores) > farApart {
			v.apart(i)
		}
	case isa.WarpSync:
		v.apart(i)
	}
}

// keepVolatile keeps volatile accesses and atomics in order.
func (s *Scheduler) keepVolatile(i int32, in *isa.Instr) {
	if in.MemLevel() > isa.LevelL1 || in.Op == isa.AtomicShared || in.Op == isa.AtomicSharedLoop {
		s.link(s.volatile, i, 1)
		s.volatile = i
	}
}

// apart lets all accesses before an instruction go before it, and all others behind.
func (v *values) apart(i int32) {
	v.link(v.barrier, i, 1)
	for _, list := range [...][]access{v.loads, v.stores} {
		for k := range list {
			v.link(list[k].node, i, 1)
		}
	}
	v.loads, v.stores, v.barrier = v.loads[:0], v.stores[:0], i
}

// after lets an access go behind those of a list that may meet it.
func (v *values) after(a *access, list []access) {
	for k := range list {
		if meet(&list[k], a) {
			v.link(list[k].node, a.node, 1)
		}
	}
}

// meet reports whether two accesses may go to one place.
func meet(x, y *access) bool {
	if x.global != y.global {
		return false
	}
	if !x.place.IsPlace() || !y.place.IsPlace() {
		return true
	}
	if x.place == y.place {
		return true
	}
	array, offset, known := x.place.Place()
	array2, offset2, known2 := y.place.Place()
	if array != array2 {
		return x.global
	}
	return !known || !known2 || offset == offset2 || x.bytes != y.bytes || x.address != y.address
}
