package warp

import (
	"fmt"
	"slices"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// An AtomicOp is a read-modify-write of memory that no other access comes
// between.
type AtomicOp uint8

// The operations. Floats have Add, Min, Max and Exchange only, Increment and
// Decrement are for unsigned integers; another one ends the kernel with a fault of
// kind Unsupported.
const (
	AtomicAdd AtomicOp = iota
	AtomicMin
	AtomicMax
	AtomicExchange
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicIncrement // adds 1, and goes from the operand, or above it, to 0
	AtomicDecrement // takes 1, and goes from 0, or above the operand, to the operand
	numAtomicOps
)

// compareAndSwap is none of the operations of Atomic.
const compareAndSwap = numAtomicOps

var atomicNames = [numAtomicOps]string{"add", "min", "max", "exchange", "and", "or", "xor", "increment", "decrement"}

// String returns the operation's name, such as "add".
func (o AtomicOp) String() string {
	if int(o) < len(atomicNames) {
		return atomicNames[o]
	}
	return fmt.Sprintf("atomic(%d)", uint8(o))
}

// Atomic combines v with element idx of an array in every active lane, lane by
// lane in ascending order (devices define no order), and sets dst to what the
// element was before. Across blocks the order is that of the blocks. Faults are
// those of Load and Store.
func Atomic[T Number](op AtomicOp, dst Reg[T], m Mem[T], idx Reg[int32], v Reg[T]) {
	atomic(op, &dst, m, idx, v)
}

// AtomicReduce is Atomic without the old value, which costs less on global memory. All
// instructions that come after it see its effect; Go code that looks at Data may
// not before the run is over, when several processors work at a grid.
func AtomicReduce[T Number](op AtomicOp, m Mem[T], idx Reg[int32], v Reg[T]) {
	atomic(op, nil, m, idx, v)
}

func atomic[T Number](op AtomicOp, dst *Reg[T], m Mem[T], idx Reg[int32], v Reg[T]) {
	w := v.w
	signed := v.kind < Uint8 || v.kind >= Float32
	if v.kind >= Float32 && op >= AtomicAnd || signed && op >= AtomicIncrement || op >= numAtomicOps {
		w.raise(Fault{Kind: Unsupported, Detail: fmt.Sprintf("atomic %s of %s", op, v.kind),
			Advice: "use add, min, max or exchange, integers, or unsigned integers for increment and decrement"})
		panic(abort{})
	}
	rmw(w, op, dst, m, idx, v.cell, w.oneSharedAtomic(op, v.kind), func(l int, e *T) {
		combine(op, e, vals(v)[l])
	})
}

// combine does an operation on one element of memory.
func combine[T Number](op AtomicOp, e *T, v T) {
	switch op {
	case AtomicExchange:
		*e = v
	case AtomicAnd, AtomicOr, AtomicXor:
		*e = bitwise(op, *e, v)
	case AtomicIncrement:
		if *e >= v {
			*e = 0
		} else {
			*e++
		}
	case AtomicDecrement:
		if *e == 0 || *e > v {
			*e = v
		} else {
			*e--
		}
	default:
		x, y := [1]T{*e}, [1]T{v}
		row.Binary(atomicRow[op], x[:], x[:], y[:])
		*e = x[0]
	}
}

var atomicRow = [...]row.BinaryOp{AtomicAdd: row.Add, AtomicMin: row.Min, AtomicMax: row.Max}

// bitwise combines integers of any type: T is one, or atomic has refused.
func bitwise[T Number](op AtomicOp, a, b T) T {
	x, y := uint64(a), uint64(b)
	switch op {
	case AtomicAnd:
		x &= y
	case AtomicOr:
		x |= y
	default:
		x ^= y
	}
	return T(x)
}

// CompareAndSwap puts v into element idx where the element equals want, lane by
// lane in ascending order, and sets dst to what the element was before.
func CompareAndSwap[T Number](dst Reg[T], m Mem[T], idx Reg[int32], want, v Reg[T]) {
	w := v.w
	w.sameWarp(want.w)
	w.defined(want.cell, "value compared with memory")
	rmw(w, compareAndSwap, &dst, m, idx, v.cell, true, func(l int, e *T) {
		if *e == vals(want)[l] {
			*e = vals(v)[l]
		}
	})
}

// oneSharedAtomic reports whether the device does an atomic on shared memory in
// one instruction; otherwise it is a loop of compare and swap, in which warps
// that want one word hold each other up. A type that adds in one instruction is
// taken to do the rest in one, too.
func (w *Warp) oneSharedAtomic(op AtomicOp, k Kind) bool {
	typ := k.String()
	if k == Int64 {
		typ = "u64"
	}
	if op == AtomicExchange || k < Float32 && k != Int64 && k != Uint64 {
		return true
	}
	return slices.Contains(w.run.engine.profile.Rules.AtomicAddShared, typ)
}

// combinedAtomic returns what the device's compiler makes of an atomic on global memory
// if all lanes of a warp want one word, see isa.AtomicSeparate.
func (w *Warp) combinedAtomic(op AtomicOp, k Kind) int {
	typ, how := k.String(), isa.AtomicRedux
	switch {
	case k >= Float32 || op == AtomicExchange || op > AtomicXor:
		return isa.AtomicSeparate
	case op == AtomicAdd:
		how = isa.AtomicSum
	case op >= AtomicAnd:
		typ = "b32"
	}
	switch {
	case k == Int64: // its addition is that of u64
		typ = "u64"
	case op != AtomicAdd && k != Int32 && k != Uint32:
		return isa.AtomicSeparate
	}
	if slices.Contains(w.run.engine.profile.Rules.AtomicCombined, typ+"."+atomicNames[op]) {
		return how
	}
	return isa.AtomicSeparate
}

// rmw runs f on the element of each active lane, and books the access: on shared
// memory one instruction, or a loop. f does op; without dst it may do so later.
func rmw[T Number](w *Warp, op AtomicOp, dst *Reg[T], m Mem[T], idx Reg[int32], v *cell, one bool, f func(l int, e *T)) {
	w.sameWarp(idx.w)
	w.owns(m.shared, m.term)
	at := vals(idx)
	if dst != nil {
		w.sameWarp(dst.w)
		if dst.cell == idx.cell {
			at = w.keep(at) // the cost is that of the old indices
		}
	}
	w.defined(idx.cell, "address")
	w.defined(v, "operand of an atomic")
	deferred := m.shared == nil && dst == nil && deferReduction(w, op, &m, at, v)
	if m.shared == nil && !deferred {
		w.orderBlocks()
	}
	lo, hi := bounds(m)
	var unset lane.Mask
	if w.san != nil {
		unset = w.sanitizeAccess(accessAtomic, viewMem(&m), at, v.p, false)
	}
	if !deferred {
		for l := range w.active.Lanes() {
			k := int(at[l]) + m.offset
			if uint(k) >= uint(len(m.data)) {
				w.outOfBounds("atomic", at, lo, hi)
			}
			old := m.data[k]
			f(l, &m.data[k])
			if dst != nil {
				vals(*dst)[l] = old
			}
		}
	}
	in := isa.Instr{A: idx.id, B: v.id, C: w.place(m.place())}
	if dst != nil {
		in.Dst = dst.id
		w.setDefined(dst.cell)
		if w.san != nil {
			*dst.undef = dst.undef.Or(unset)
		}
	}
	s := addressing(m, at)
	switch {
	case m.shared != nil:
		in.Op, in.Aux = isa.AtomicShared, isa.MemAux(roundBytes(s.bytes), 0)
		turns := conflicts(w.active, at)
		if one {
			turns = max(turns, w.bankTurns(s))
		} else {
			in.Op = isa.AtomicSharedLoop
		}
		w.conflicts += int64(turns - 1)
		in.Count = uint16(turns)
	default:
		in.Op = isa.ReduceGlobal
		if dst != nil {
			in.Op = isa.AtomicGlobal
		}
		in.Aux, in.Count = isa.MemAux(roundBytes(s.bytes), w.combinedAtomic(op, kindOf[T]())), uint16(w.sectors(s.addr, s.bytes, s.bytes, at, false, AtomicAccess))
		if kindOf[T]() >= Float32 && op != AtomicExchange { // which moves bits
			in.Aux |= isa.AuxFloat
		}
	}
	if w.seen != nil {
		w.seen.note(w, &s, 0, s.bytes)
	}
	w.record(in)
}

// bankTurns returns how many turns an atomic on shared memory takes since lanes
// want different words of a bank, at least 1.
func (w *Warp) bankTurns(s accessShape) int {
	if w.consecutive(s.at) {
		return 1
	}
	banks := &w.run.engine.profile.Shared
	var addrs [lane.MaxLanes]uint64
	for l, k := range s.at {
		addrs[l&(lane.MaxLanes-1)] = s.addr + uint64(int64(k)*int64(s.bytes))
	}
	return max(1, 1+w.banks.passes(banks, w.active, &addrs, s.bytes)-w.groupsServed(groupLanes(banks, s.bytes)))
}

// conflicts returns the most lanes of m with one index, at least 1.
func conflicts(m lane.Mask, at []int32) int {
	most := 1
	for left := m; !left.Empty(); {
		same := 0
		first := at[left.First()]
		for l := range left.Lanes() {
			if at[l] == first {
				same++
				left = left.Without(l)
			}
		}
		most = max(most, same)
	}
	return most
}

// LoadVolatile is Load, but sees what all earlier blocks have stored: the load
// of a flag that another block sets.
func LoadVolatile[T any](dst Reg[T], m Mem[T], idx Reg[int32]) {
	if m.shared == nil {
		dst.w.orderBlocks()
	}
	if s := dst.w.san; s != nil {
		s.volatile = true // see sanitizeAccess
	}
	dst.w.level = isa.LevelL2 // past the first one, which may hold old values
	defer func() { dst.w.level = isa.LevelL1 }()
	Load(dst, m, idx)
	if s := dst.w.san; s != nil {
		s.volatile = false // no lane was active
	}
}

// StoreVolatile is Store of what other threads poll with LoadVolatile or atomics,
// as of a flag after a fence; a plain store that they meet is a race.
func StoreVolatile[T any](m Mem[T], idx Reg[int32], v Reg[T]) {
	if s := v.w.san; s != nil {
		s.volatile = true // see sanitizeAccess
	}
	if m.shared != nil {
		v.w.level = isa.LevelL2 // says that it is volatile
		defer func() { v.w.level = isa.LevelL1 }()
	}
	Store(m, idx, v)
	if s := v.w.san; s != nil {
		s.volatile = false
	}
}
