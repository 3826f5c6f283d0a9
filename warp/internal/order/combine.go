package order

import "example.com/warpsim/warp/isa"

// The registers of what a compiler combines an atomic with: between those of kernels, and
// of others that they do not have, and the engine's own.
const (
	laneRow = addressRow - baseRows - 2*(iota+1)
	sumRow  // and the next
	oldRow
	lowerRow

	leaderPredicate = isa.MaxPredicates - 10
	lanesUniform    = isa.MaxUniform - 10
	leaderUniform   = lanesUniform + 1
	sumUniform      = lanesUniform + 2
)

// A combination is how a compiler does an atomic once for the warp.
type combination uint8

const (
	separate  combination = iota // it does not
	byCount                      // all lanes add the same: their number tells
	byRedux                      // the leader does it with what all have together
	byRank                       // as byCount, and lanes get what those below them make of the old value
	byScan                       // likewise of what lanes add, by a scan over a whole warp
	wholeOnly                    // likewise if the warp was whole, which it is not
)

// combination returns how a compiler combines an atomic on global memory, which it does
// if it knows that all lanes want one word, and that there are more lanes than one:
// 32-bit additions with and without their result, other 32-bit operations and 64-bit
// additions of one number without (listings of such kernels, by the compiler of an H200).
func (k *Known) combination(in *isa.Instr) combination {
	how := in.Aux >> 5 & 3
	if in.Op != isa.AtomicGlobal && in.Op != isa.ReduceGlobal || how <= isa.AtomicSeparate ||
		in.Active == 0 || in.A == isa.NoReg || !k.same(in.A) || k.alone(in) {
		return separate
	}
	alike := k.same(in.B)
	switch wide := in.MemBytes() > 4; {
	case in.Op == isa.ReduceGlobal && how == isa.AtomicSum && alike:
		return byCount
	case wide, in.Op == isa.AtomicGlobal && how != isa.AtomicSum:
		return separate
	case in.Op == isa.ReduceGlobal:
		return byRedux
	case alike:
		return byRank
	case in.Active == k.lanes:
		return byScan
	}
	return wholeOnly
}

// combine puts what stands for an atomic that is combined.
func (s *Scheduler) combine(in *isa.Instr, c combination, place int) {
	add := func(op isa.Op, dst, a, b isa.Reg) {
		s.put(isa.Instr{Op: op, Dst: dst, A: a, B: b, Active: in.Active, Aux: isa.AuxAdded}, place)
	}
	all, leader, sum := isa.Uniform(lanesUniform), isa.Uniform(leaderUniform), isa.Uniform(sumUniform)
	lane, total, old, lower := isa.Row(laneRow), isa.Row(sumRow), isa.Row(oldRow), isa.Row(lowerRow)
	first := isa.Predicate(leaderPredicate)
	among := isa.NoReg // which lanes take part
	if in.Guard != 0 {
		among = isa.Predicate(int(in.Guard) - 1)
	}
	one := *in // the atomic of one lane
	one.B, one.Active, one.Guard, one.Aux = total, 1, leaderPredicate+1, isa.MemAux(in.MemBytes(), isa.LevelL2)
	if in.Op == isa.AtomicGlobal {
		one.Dst = old
	}

	add(isa.Ballot, all, among, isa.NoReg)
	switch c {
	case wholeOnly:
		add(isa.ICmp, first, all, isa.NoReg)
		one.B, one.Active, one.Guard, one.Dst = in.B, in.Active, in.Guard, in.Dst
		s.put(one, place)
		return
	case byScan:
		add(isa.ICmp, first, all, isa.NoReg)
		add(isa.ReadSpecial, lane, isa.NoReg, isa.NoReg)
		from := in.B
		for n := 1; n < int(in.Active); n *= 2 {
			add(isa.ShflUp, lower, from, isa.NoReg)
			add(isa.IAdd, total, from, lower)
			from = total
		}
		add(isa.ICmp, first, lane, isa.NoReg)
	default:
		add(isa.ReadSpecial, lane, isa.NoReg, isa.NoReg)
		add(isa.UniformALU, leader, all, isa.NoReg)
		if c == byRedux {
			add(isa.Redux, sum, in.B, isa.NoReg)
			add(isa.UniformToReg, total, sum, isa.NoReg)
		} else {
			if in.MemBytes() > 4 {
				total = isa.RowPair(sumRow)
			}
			add(isa.UniformALU, sum, all, isa.NoReg)
			add(isa.IMul, total, in.B, sum)
		}
		add(isa.ICmp, first, lane, leader)
	}
	s.put(one, place)

	switch c {
	case byRank:
		add(isa.ReadSpecial, lower, isa.NoReg, isa.NoReg)
		add(isa.Logic, lower, lower, all)
		add(isa.Popc, lower, lower, isa.NoReg)
	case byScan:
		add(isa.ShflUp, lower, total, isa.NoReg)
	default:
		return
	}
	add(isa.ShflIdx, old, old, isa.NoReg)
	s.put(isa.Instr{Op: isa.IAdd, Dst: in.Dst, A: old, B: lower, Active: in.Active, Guard: in.Guard, Aux: isa.AuxAdded}, place)
}
