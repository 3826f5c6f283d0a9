package order

import "example.com/warpsim/warp/isa"

// farApart is how many stores are looked at one by one.
const farApart = 32

// access keeps accesses to memory in order that have to be.
func (s *Scheduler) access(i int32) {
	v := &s.values
	in := &v.nodes[i].rec
	switch in.Op {
	case isa.LoadShared, isa.LoadGlobal:
		v.link(v.barrier, i, 1)
		v.after(i, v.stores)
		s.keepVolatile(i, in)
		v.loads = append(v.loads, i)
	case isa.StoreShared, isa.StoreGlobal, isa.AtomicShared, isa.AtomicSharedLoop, isa.AtomicGlobal, isa.ReduceGlobal:
		v.link(v.barrier, i, 1)
		v.after(i, v.loads)
		v.after(i, v.stores)
		s.keepVolatile(i, in)
		if v.stores = append(v.stores, i); len(v.stores) > farApart {
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
	for _, list := range [...][]int32{v.loads, v.stores} {
		for _, k := range list {
			v.link(k, i, 1)
		}
	}
	v.loads, v.stores, v.barrier = v.loads[:0], v.stores[:0], i
}

// after lets an access go behind those of a list that may meet it.
func (v *values) after(i int32, list []int32) {
	for _, k := range list {
		if v.meet(k, i) {
			v.link(k, i, 1)
		}
	}
}

// meet reports whether two accesses may go to one place.
func (v *values) meet(a, b int32) bool {
	x, y := &v.nodes[a].rec, &v.nodes[b].rec
	if global(x.Op) != global(y.Op) {
		return false
	}
	if !x.C.IsPlace() || !y.C.IsPlace() {
		return true
	}
	array, offset, known := x.C.Place()
	array2, offset2, known2 := y.C.Place()
	if array != array2 {
		return false
	}
	return !known || !known2 || offset == offset2 || x.MemBytes() != y.MemBytes() || v.nodes[a].address != v.nodes[b].address
}

func global(op isa.Op) bool {
	return op == isa.LoadGlobal || op == isa.StoreGlobal || op == isa.AtomicGlobal || op == isa.ReduceGlobal
}
