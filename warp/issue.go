package warp

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// An Instruction is one encoded instruction, for kernels that decode a program
// of their own: an emulator's inner loop is a kernel that calls Issue. It names
// rows and predicates by number and needs no Alloc; hosts that mix it with
// typed registers must keep them apart.
type Instruction struct {
	Op isa.Op
	// Type is that of the operands, for the ops that have several: any integer
	// for those on integers, any number for mov, select and the shuffles.
	Type Kind
	// Variant selects among what an op stands for:
	//
	//	iadd, fadd, dadd      0 A+B, 1 A-B; iadd adds C to that
	//	iminmax, fminmax      0 the smaller, 1 the larger
	//	logic                 0 A and B, 1 or, 2 xor, 3 A and not B, 4 not A
	//	shift                 0 left, 1 right (arithmetic for signed types)
	//	icmp, fcmp, dcmp      0 ==, 1 !=, 2 <, 3 <=, 4 >, 5 >=
	//	vote                  a VoteKind
	//	redux                 a ReduxOp
	//	bar.red               0 how many threads into a row; 1 whether all, 2 whether any into a predicate
	//	atoms                 an AtomicOp, or AtomicCompareAndSwap
	//	branch                an isa.Branch constant, but for BranchDivergent
	Variant uint8
	// Guard and GuardNot name a predicate that must hold, or must not hold, in
	// a lane for it to take part; NoReg: none.
	Guard, GuardNot isa.Reg
	Dst, Dst2       isa.Reg
	A, B, C         isa.Reg
	// Imm stands in for B where B is NoReg, and for A in mov: integers as they
	// are, floats as their bits in the low end.
	Imm int64
	// Width is the segment width of a shuffle, 0 for the warp.
	Width int
	// Not takes the predicate among A to C negated.
	Not bool
	// Halves says that values of 64 bits are in two rows of words, low words
	// first, as hardware has them, so that other instructions can get at the
	// halves. Otherwise rows hold lanes whole, as registers of Alloc do.
	Halves bool
	// Memory is the array that a load, store or atomic goes to; without one, those of
	// global memory go to Config.Space.
	Memory Mem[uint32]
	// More are further operands of an Operation, or of IssueFunc. They are read by an
	// instruction before (nop), as three operands are what one reads.
	More [3]isa.Reg
}

// Issue executes one encoded instruction with the active lanes. An instruction
// that makes no sense is a *Fault of kind BadInstruction and changes nothing;
// faults of sensible instructions are those of the typed functions.
//
// The host's own operations, isa.User0 and those behind it, do what Config.Operations
// says and cost what the profile does ("user.0").
//
// Issue covers moves, arithmetic, compares, selects, bit counts, shuffles, votes,
// ballots and matches, hardware reductions, barriers, branches of the whole warp,
// memory and what only costs time. IssueFunc is for what else a device has.
//
// One operand of arithmetic, a compare or a select may be a uniform register: its
// low bits, as many as the type has, in every lane. The result of a ballot or a
// hardware reduction goes to a uniform register or to a row.
//
// Memory is addressed by bytes, as Mem.Address gives them: A + C + Imm, where A is
// a row (a pair of rows of words for 64-bit addresses of global memory) and C a
// uniform register; either may be absent. Data of more than 4 bytes is in
// consecutive rows from Dst or B on, with a Type of 64 bits, or Words for 16 bytes;
// a store without B stores zeros.
// Atomics are on 32 bits of shared memory; B is the operand, and C the value that
// a compare and swap compares with.
func (w *Warp) Issue(in Instruction) error {
	if w.run != nil && w.run.drive != nil {
		if err := w.checkDriven(&in); err != nil {
			return err
		}
	}
	if in.Op >= isa.User0 && in.Op < isa.NumOps {
		return w.issueOwn(in)
	}
	if err := w.checkIssue(&in); err != nil {
		return err
	}
	w.raw, w.encoded = true, true
	switch {
	case in.Guard != isa.NoReg:
		w.Where(w.predOf(in.Guard), func() { w.execute(&in) })
	case in.GuardNot != isa.NoReg:
		w.WhereNot(w.predOf(in.GuardNot), func() { w.execute(&in) })
	default:
		w.execute(&in)
	}
	return nil
}

// issueOwn executes an instruction of the host's own.
func (w *Warp) issueOwn(in Instruction) error {
	own := w.run.engine.config.Operations[in.Op]
	if err := w.checkIssueFunc(&in, own != nil); err != nil {
		return err
	}
	w.raw, w.encoded = true, true
	switch {
	case in.Guard != isa.NoReg:
		w.Where(w.predOf(in.Guard), func() { w.compute(&in, nil, own) })
	case in.GuardNot != isa.NoReg:
		w.WhereNot(w.predOf(in.GuardNot), func() { w.compute(&in, nil, own) })
	default:
		w.compute(&in, nil, own)
	}
	return nil
}

// zeroLanes returns the active lanes whose count of leading zeros has a value of its own,
// by the device's rule for 0.
func (w *Warp) zeroLanes(zero func(l int) bool) (m lane.Mask) {
	if w.Device().Rules.LeadingZeros == device.ZerosOnes {
		for l := range w.active.Lanes() {
			if zero(l) {
				m = m.With(l)
			}
		}
	}
	return m
}

// execute runs a checked instruction.
func (w *Warp) execute(in *Instruction) {
	if in.Not {
		defer w.unflip(in, w.flip(in))
	}
	switch in.Op {
	case isa.Fence:
		w.Fence()
	case isa.Nop, isa.PushSync, isa.Reconverge:
		w.emit(in.Op, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
	case isa.ReadClock:
		w.Clock()
	case isa.WarpSync:
		w.SyncWarp(w.active)
	case isa.BarSync:
		w.SyncBlock()
	case isa.BarRed:
		switch in.Variant {
		case 0:
			SyncCount(rowOf[int32](w, in.Dst), w.predOf(in.A))
		case 1:
			SyncAnd(w.predOf(in.Dst), w.predOf(in.A))
		default:
			SyncOr(w.predOf(in.Dst), w.predOf(in.A))
		}
	case isa.Exit:
		if in.A == isa.NoReg {
			w.exit(in.A, w.active)
		} else {
			w.Exit(w.predOf(in.A))
		}
	case isa.Branch:
		taken := lane.Mask{}
		if in.Variant == isa.BranchTaken {
			taken = w.active
		}
		w.branch(in.A, taken)
	case isa.Vote:
		Vote(VoteKind(in.Variant), w.predOf(in.Dst), w.predOf(in.A))
	case isa.Ballot:
		w.issueBallot(in)
	case isa.Elect:
		Elect(w.predOf(in.Dst))
	case isa.MatchAny, isa.MatchAll:
		w.issueMatch(in)
	case isa.LoadShared, isa.StoreShared, isa.LoadGlobal, isa.StoreGlobal, isa.AtomicShared:
		w.issueMemory(in)
	case isa.FFma:
		issueFMA(w, in, floatOf32(in.Imm))
	case isa.DFma:
		issueFMA(w, in, floatOf64(in.Imm))
	default:
		switch in.Type {
		case Int8:
			executeInt[int8](w, in)
		case Int16:
			executeInt[int16](w, in)
		case Uint8:
			executeInt[uint8](w, in)
		case Uint16:
			executeInt[uint16](w, in)
		case Int32:
			executeInt[int32](w, in)
		case Uint32:
			executeInt[uint32](w, in)
		case Int64:
			executeInt[int64](w, in)
		case Uint64:
			executeInt[uint64](w, in)
		case Float32:
			executeNumber(w, in, floatOf32(in.Imm))
		case Float64:
			executeNumber(w, in, floatOf64(in.Imm))
		}
	}
}

func executeInt[T Integer](w *Warp, in *Instruction) {
	switch in.Op {
	case isa.Logic, isa.Shift, isa.Popc, isa.Brev, isa.Clz:
	case isa.Redux:
		issueRedux[T](w, in)
		return
	default:
		executeNumber(w, in, T(in.Imm))
		return
	}
	d, a := destination[T](w, in), operand[T](w, in, in.A, 0)
	switch in.Op {
	case isa.Logic:
		if in.Variant == 4 {
			Not(d, a)
			break
		}
		b := operandOr(w, in, in.B, 1, T(in.Imm))
		binary(row.And+row.BinaryOp(in.Variant), d.cell, a.cell, b.cell)
	case isa.Shift:
		b := operandOr(w, in, in.B, 1, T(in.Imm))
		binary(w.shl+row.BinaryOp(in.Variant), d.cell, a.cell, b.cell)
	case isa.Popc:
		Popc(d, a)
	case isa.Brev:
		Brev(d, a)
	case isa.Clz:
		zeros := w.zeroLanes(func(l int) bool { return vals(a)[l] == 0 })
		Clz(d, a)
		for l := range zeros.Lanes() {
			vals(d)[l] = ^T(0)
		}
	}
	w.spread(in, d.cell)
}

func executeNumber[T Number](w *Warp, in *Instruction, imm T) {
	if in.Op.IsShuffle() {
		s := Shuffle{Mode: crossbar.Mode(in.Op - isa.ShflIdx), Operand: int32(in.Imm), Width: in.Width, PerLane: rowOf[int32](w, in.B)}
		if in.Dst2.IsPredicate() {
			s.InRange = w.predOf(in.Dst2)
		}
		d := destination[T](w, in) // once more: it may be the row of the lane operands
		Shfl(d, operand[T](w, in, in.A, 0), s)
		w.spread(in, d.cell)
		return
	}
	var d Reg[T]
	if !in.Dst.IsPredicate() {
		d = destination[T](w, in)
	}
	a := operand[T](w, in, in.A, 0)
	if in.Op == isa.Mov {
		if a.cell == nil {
			Set(d, imm)
		} else {
			Mov(d, a)
		}
		w.spread(in, d.cell)
		return
	}
	b := operandOr(w, in, in.B, 1, imm)
	switch in.Op {
	case isa.IAdd:
		if c := operand[T](w, in, in.C, 2); c.cell != nil {
			addThree(row.Add+row.BinaryOp(in.Variant), d, a, b, c)
			break
		}
		binary(row.Add+row.BinaryOp(in.Variant), d.cell, a.cell, b.cell)
	case isa.FAdd, isa.DAdd:
		binary(row.Add+row.BinaryOp(in.Variant), d.cell, a.cell, b.cell)
	case isa.IMul, isa.FMul, isa.DMul:
		if c := operand[T](w, in, in.C, 2); c.cell != nil {
			MulAdd(d, a, b, c)
		} else {
			Mul(d, a, b)
		}
	case isa.IMinMax, isa.FMinMax:
		binary(row.Min+row.BinaryOp(in.Variant), d.cell, a.cell, b.cell)
	case isa.ICmp, isa.FCmp, isa.DCmp:
		compare(row.CompareOp(in.Variant), w.predOf(in.Dst), a, b)
	case isa.Select:
		Select(d, w.predOf(in.C), a, b)
	}
	w.spread(in, d.cell)
}

// addThree sets d to a op b, plus c.
func addThree[T Number](op row.BinaryOp, d, a, b, c Reg[T]) {
	w := d.w
	t := temp[T](w)
	row.Binary(op, t, vals(a), vals(b))
	row.Binary(row.Add, t, t, vals(c))
	w.written(d.cell, a.undef.Or(*b.undef).Or(*c.undef))
	row.Blend(vals(d), t, w.active)
	w.emitSeq(seqAdd[d.kind], d.id, a.id, b.id, c.id)
}

func issueFMA[T float32 | float64](w *Warp, in *Instruction, imm T) {
	d := destination[T](w, in)
	FMA(d, operand[T](w, in, in.A, 0), operandOr(w, in, in.B, 1, imm), operand[T](w, in, in.C, 2))
	w.spread(in, d.cell)
}
