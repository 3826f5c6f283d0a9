package warp

import (
	"fmt"
	"math"
	"unsafe"

	"example.com/warpsim/crossbar"
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
	//	iadd, fadd, dadd      0 A+B, 1 A-B
	//	iminmax, fminmax      0 the smaller, 1 the larger
	//	logic                 0 A and B, 1 or, 2 xor, 3 A and not B, 4 not A
	//	shift                 0 left, 1 right (arithmetic for signed types)
	//	icmp, fcmp, dcmp      0 ==, 1 !=, 2 <, 3 <=, 4 >, 5 >=
	//	vote                  a VoteKind
	//	redux                 a ReduxOp
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
}

// Issue executes one encoded instruction with the active lanes. An instruction
// that makes no sense is a *Fault of kind BadInstruction and changes nothing;
// faults of sensible instructions are those of the typed functions.
//
// Issue covers moves, arithmetic, compares, selects, bit counts, shuffles, votes,
// ballots into a mask register, hardware reductions, barriers and what only
// costs time. Memory needs arrays, which records cannot name: use Load and
// Store.
func (w *Warp) Issue(in Instruction) error {
	if err := w.checkIssue(&in); err != nil {
		return err
	}
	w.raw = true
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

// An operandShape says which registers an op needs: r a row, i a row or the
// immediate, o a row or nothing, p a predicate, m a mask register, 0 nothing.
type operandShape struct{ dst, a, b, c byte }

var shapes = map[isa.Op]operandShape{
	isa.Nop: {}, isa.WarpSync: {}, isa.Fence: {}, isa.BarSync: {}, isa.ReadClock: {},
	isa.Mov:  {'r', 'i', 0, 0},
	isa.IAdd: {'r', 'r', 'i', 0}, isa.IMul: {'r', 'r', 'i', 'o'}, isa.IMinMax: {'r', 'r', 'i', 0},
	isa.Logic: {'r', 'r', 'i', 0}, isa.Shift: {'r', 'r', 'i', 0},
	isa.ICmp: {'p', 'r', 'i', 0}, isa.FCmp: {'p', 'r', 'i', 0}, isa.DCmp: {'p', 'r', 'i', 0},
	isa.Select: {'r', 'r', 'i', 'p'},
	isa.FAdd:   {'r', 'r', 'i', 0}, isa.FMul: {'r', 'r', 'i', 0}, isa.FMinMax: {'r', 'r', 'i', 0},
	isa.DAdd: {'r', 'r', 'i', 0}, isa.DMul: {'r', 'r', 'i', 0},
	isa.Popc: {'r', 'r', 0, 0}, isa.Brev: {'r', 'r', 0, 0}, isa.Clz: {'r', 'r', 0, 0},
	isa.ShflIdx: {'r', 'r', 'i', 0}, isa.ShflUp: {'r', 'r', 'i', 0}, isa.ShflDown: {'r', 'r', 'i', 0}, isa.ShflXor: {'r', 'r', 'i', 0},
	isa.Vote: {'p', 'p', 0, 0}, isa.Ballot: {'m', 'p', 0, 0}, isa.Redux: {'r', 'r', 0, 0},
	isa.BarRed: {'r', 'p', 0, 0}, isa.Exit: {0, 'p', 0, 0},
}

func (w *Warp) checkIssue(in *Instruction) error {
	bad := func(format string, args ...any) error {
		return &Fault{Kind: BadInstruction, Severity: SeverityError, Block: w.block.index, Warp: w.id,
			Width: w.lanes, Lanes: w.active, Site: w.callSite(), Count: 1,
			Detail: in.Op.String() + ": " + fmt.Sprintf(format, args...), Advice: "check the decoder"}
	}
	shape, known := shapes[in.Op]
	if !known {
		return bad("cannot be issued by itself")
	}
	types := typesOf(in.Op)
	switch {
	case types == anyKind:
	case types.single():
		in.Type = types.first
	case in.Type < types.first || in.Type > types.last:
		return bad("type %s", in.Type)
	}
	wide := types != anyKind && (in.Type == Int64 || in.Type == Uint64 || in.Type == Float64)
	switch {
	case in.Guard != isa.NoReg && in.GuardNot != isa.NoReg:
		return bad("Guard and GuardNot exclude each other")
	case in.Dst2 != isa.NoReg && !(isShuffle(in.Op) && in.Dst2.IsPredicate()):
		return bad("Dst2 is %s; it can only be the predicate of a shuffle", in.Dst2)
	}
	for _, o := range []struct {
		name string
		want byte
		reg  isa.Reg
	}{{"Dst", shape.dst, in.Dst}, {"A", shape.a, in.A}, {"B", shape.b, in.B}, {"C", shape.c, in.C},
		{"Guard", 'q', in.Guard}, {"GuardNot", 'q', in.GuardNot}} {
		if o.reg == isa.NoReg {
			if o.want == 'r' || o.want == 'p' || o.want == 'm' {
				return bad("%s is missing", o.name)
			}
			continue
		}
		switch o.want {
		case 0:
			return bad("%s must be absent, not %s", o.name, o.reg)
		case 'p', 'q':
			if !o.reg.IsPredicate() {
				return bad("%s must be a predicate, not %s", o.name, o.reg)
			}
		case 'm':
			if !o.reg.IsUniform() {
				return bad("%s must be a uniform register, not %s", o.name, o.reg)
			}
		default:
			row := o.reg.Index() - 1
			rows := 1
			if wide && !(o.name == "B" && isShuffle(in.Op)) {
				rows = 2
			}
			switch {
			case o.reg.IsPredicate() || o.reg.IsUniform():
				return bad("%s must be a row, not %s", o.name, o.reg)
			case row < 0 || row+rows > w.file.Rows():
				return bad("%s is %s, and the file has %d rows", o.name, o.reg, w.file.Rows())
			case rows == 2 && row%2 != 0:
				return bad("%s is %s; 64-bit values start at an even row", o.name, o.reg)
			}
		}
	}
	if in.Variant > variants(in) {
		return bad("variant %d", in.Variant)
	}
	return nil
}

func isShuffle(op isa.Op) bool { return op >= isa.ShflIdx && op <= isa.ShflXor }

// A kindRange is the kinds of operands that an op takes.
type kindRange struct{ first, last Kind }

// anyKind is for ops whose operands have no kind.
var anyKind = kindRange{0, numKinds}

func (k kindRange) single() bool { return k.first == k.last }

// typesOf returns the kinds of an op.
func typesOf(op isa.Op) kindRange {
	switch op {
	case isa.FAdd, isa.FMul, isa.FMinMax, isa.FCmp:
		return kindRange{Float32, Float32}
	case isa.DAdd, isa.DMul, isa.DCmp:
		return kindRange{Float64, Float64}
	case isa.Mov, isa.Select, isa.ShflIdx, isa.ShflUp, isa.ShflDown, isa.ShflXor:
		return kindRange{Int8, Float64}
	case isa.IAdd, isa.IMul, isa.IMinMax, isa.ICmp, isa.Logic, isa.Shift, isa.Popc, isa.Brev, isa.Clz, isa.Redux:
		return kindRange{Int8, Uint64}
	}
	return anyKind
}

// variants returns the highest variant of an op.
func variants(in *Instruction) uint8 {
	switch in.Op {
	case isa.IAdd, isa.FAdd, isa.DAdd, isa.IMinMax, isa.FMinMax, isa.Shift:
		return 1
	case isa.Logic:
		return 4
	case isa.ICmp, isa.FCmp, isa.DCmp:
		return uint8(row.Ge)
	case isa.Vote:
		return uint8(VoteUni)
	case isa.Redux:
		return uint8(ReduxXor)
	}
	return 0
}

func (w *Warp) predOf(r isa.Reg) Pred { return Pred{w, uint8(r.Index() - isa.Predicate(0).Index())} }

// rowOf returns the register at a row, none if r names no row.
func rowOf[T any](w *Warp, r isa.Reg) Reg[T] {
	if r == isa.NoReg || r.IsPredicate() || r.IsUniform() {
		return Reg[T]{}
	}
	return Reg[T]{cell: cellOf[T](w, r.Index()-1)}
}

// execute runs a checked instruction.
func (w *Warp) execute(in *Instruction) {
	switch in.Op {
	case isa.Nop, isa.Fence:
		w.emit(in.Op, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
	case isa.ReadClock:
		w.Clock()
	case isa.WarpSync:
		w.SyncWarp(w.active)
	case isa.BarSync:
		w.SyncBlock()
	case isa.BarRed:
		SyncCount(rowOf[int32](w, in.Dst), w.predOf(in.A))
	case isa.Exit:
		w.Exit(w.predOf(in.A))
	case isa.Vote:
		Vote(VoteKind(in.Variant), w.predOf(in.Dst), w.predOf(in.A))
	case isa.Ballot:
		Ballot(MaskReg{w, uint8(in.Dst.Index() - isa.Uniform(0).Index())}, w.predOf(in.A))
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
	d, a, b := rowOf[T](w, in.Dst), rowOf[T](w, in.A), rowOf[T](w, in.B)
	imm := T(in.Imm)
	if b.cell == nil {
		b = constant(w, imm)
	}
	switch in.Op {
	case isa.Logic:
		if in.Variant == 4 {
			Not(d, a)
			return
		}
		binary(row.And+row.BinaryOp(in.Variant), &seqLogic, d.cell, a.cell, b.cell)
	case isa.Shift:
		binary(row.Shl+row.BinaryOp(in.Variant), &seqShift, d.cell, a.cell, b.cell)
	case isa.Popc:
		Popc(d, a)
	case isa.Brev:
		Brev(d, a)
	case isa.Clz:
		Clz(d, a)
	case isa.Redux:
		Redux(ReduxOp(in.Variant), d, a)
	default:
		executeNumber(w, in, imm)
	}
}

func executeNumber[T Number](w *Warp, in *Instruction, imm T) {
	var b Reg[T]
	d, a := rowOf[T](w, in.Dst), rowOf[T](w, in.A)
	if !isShuffle(in.Op) {
		b = rowOf[T](w, in.B)
		if b.cell == nil && in.Op != isa.Mov {
			b = constant(w, imm)
		}
	}
	switch in.Op {
	case isa.Mov:
		if a.cell == nil {
			Set(d, imm)
		} else {
			Mov(d, a)
		}
	case isa.IAdd, isa.FAdd, isa.DAdd:
		binary(row.Add+row.BinaryOp(in.Variant), &seqAdd, d.cell, a.cell, b.cell)
	case isa.IMul, isa.FMul, isa.DMul:
		if c := rowOf[T](w, in.C); c.cell != nil {
			MulAdd(d, a, b, c)
		} else {
			Mul(d, a, b)
		}
	case isa.IMinMax, isa.FMinMax:
		binary(row.Min+row.BinaryOp(in.Variant), &seqMin, d.cell, a.cell, b.cell)
	case isa.ICmp, isa.FCmp, isa.DCmp:
		compare(row.CompareOp(in.Variant), w.predOf(in.Dst), a, b)
	case isa.Select:
		Select(d, w.predOf(in.C), a, b)
	case isa.ShflIdx, isa.ShflUp, isa.ShflDown, isa.ShflXor:
		s := Shuffle{Mode: crossbar.Mode(in.Op - isa.ShflIdx), Operand: int32(in.Imm), Width: in.Width, PerLane: rowOf[int32](w, in.B)}
		if in.Dst2.IsPredicate() {
			s.InRange = w.predOf(in.Dst2)
		}
		Shfl(rowOf[T](w, in.Dst), a, s) // once more: it may be the row of the lane operands
	}
}

// constant makes a register of a value, at no cost and outside of the register
// file: it is the immediate of the instruction that reads it.
func constant[T Number](w *Warp, v T) Reg[T] {
	c := &w.immediate
	*c = cell{w: w, p: unsafe.Pointer(&w.scratch2), undef: &w.immediateUndef, kind: kindOf[T]()}
	immediate(w, c.kind, v)
	return Reg[T]{cell: c}
}

func floatOf32(bits int64) float32 { return math.Float32frombits(uint32(bits)) }
func floatOf64(bits int64) float64 { return math.Float64frombits(uint64(bits)) }
