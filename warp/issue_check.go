package warp

import (
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// shapes says for each op which registers Dst, A, B and C must be: r a row, i a row
// or the immediate, o a row or nothing, R, I and O the same or a uniform register;
// p a predicate, q a predicate or nothing, U a uniform register or nothing, m a
// uniform register or a row; - nothing. Ops without a shape cannot be issued.
var shapes = [isa.NumOps]string{
	isa.Nop: "----", isa.WarpSync: "----", isa.Fence: "----", isa.BarSync: "----", isa.ReadClock: "----",
	isa.PushSync: "----", isa.Reconverge: "----", isa.Branch: "-U--", isa.Exit: "-q--",
	isa.Mov: "rI--", isa.Select: "rRIp",
	isa.IAdd: "rRIO", isa.IMul: "rRIO", isa.IMinMax: "rRI-", isa.Logic: "rRI-", isa.Shift: "rRI-", isa.ICmp: "pRI-",
	isa.FAdd: "rRI-", isa.FMul: "rRI-", isa.FFma: "rRIR", isa.FMinMax: "rRI-", isa.FCmp: "pRI-",
	isa.DAdd: "rRI-", isa.DMul: "rRI-", isa.DFma: "rRIR", isa.DCmp: "pRI-",
	isa.Popc: "rR--", isa.Brev: "rR--", isa.Clz: "rR--",
	isa.Vote: "pp--", isa.Ballot: "mq--", isa.Redux: "mr--", isa.Elect: "p---", isa.MatchAny: "rr--", isa.MatchAll: "rr--",
	isa.BarRed:     "rp--",
	isa.LoadShared: "ro-U", isa.StoreShared: "-ooU", isa.AtomicShared: "oorU",
	isa.LoadGlobal: "ro-U", isa.StoreGlobal: "-ooU",
}

// shapeOf returns the shape of an instruction, which may depend on its variant.
func shapeOf(in *Instruction) string {
	switch {
	case in.Op >= isa.NumOps:
		return ""
	case in.Op.IsShuffle():
		return "rri-"
	case in.Op == isa.BarRed && in.Variant > 0:
		return "pp--"
	case in.Op == isa.AtomicShared && in.Variant == AtomicCompareAndSwap:
		return "oorr"
	}
	return shapes[in.Op]
}

func (w *Warp) checkIssue(in *Instruction) error {
	bad := func(format string, args ...any) error { return w.badInstruction(in, format, args...) }
	shape := shapeOf(in)
	if shape == "" {
		return bad("cannot be issued by itself")
	}
	types := typesOf(in.Op)
	switch {
	case types == anyKind:
	case types.single():
		in.Type = types.first
	case in.Type < types.first || in.Type > types.last || wordsOnly(in.Op) && wordsOf(in.Type) == 0:
		return bad("type %s", in.Type)
	}
	switch {
	case in.Dst2 != isa.NoReg && !((in.Op.IsShuffle() || in.Op == isa.MatchAll) && in.Dst2.IsPredicate()):
		return bad("Dst2 is %s; it can only be the predicate of a shuffle or a match of all", in.Dst2)
	case in.More != [3]isa.Reg{}:
		return bad("More is for operations of the host's own")
	case in.Variant > variants(in):
		return bad("variant %d", in.Variant)
	case in.Not && !in.A.IsPredicate() && !in.C.IsPredicate():
		return bad("Not without a predicate")
	case isMemory(in.Op) && (in.Memory.shared != nil) != sharedOp(in.Op):
		return bad("Memory is an array of another space")
	}
	uniform := isa.NoReg
	for i, r := range [...]isa.Reg{in.Dst, in.A, in.B, in.C} {
		want, name := shape[i], operandNames[i]
		if r == isa.NoReg {
			switch want {
			case 'r', 'R', 'p', 'm':
				return bad("%s is missing", name)
			}
			continue
		}
		switch want {
		case '-':
			return bad("%s must be absent, not %s", name, r)
		case 'p', 'q':
			if !r.IsPredicate() {
				return bad("%s must be a predicate, not %s", name, r)
			}
			continue
		case 'U':
			if !r.IsUniform() {
				return bad("%s must be a uniform register, not %s", name, r)
			}
			continue
		case 'm':
			if r.IsUniform() {
				continue
			}
		case 'R', 'I', 'O':
			if !r.IsUniform() {
				break
			}
			if uniform != isa.NoReg && uniform != r {
				return bad("%s is %s, and %s is an operand already; an instruction has room for one uniform register", name, r, uniform)
			}
			uniform = r
			continue
		}
		row, rows := r.Index()-1, rowsFor(in, i)
		switch {
		case r.IsPredicate() || r.IsUniform():
			return bad("%s must be a row, not %s", name, r)
		case row < 0 || row+rows > w.rows:
			return bad("%s is %s, and a thread has %d registers", name, r, w.rows)
		case rows == 2 && !isMemory(in.Op) && row%2 != 0:
			return bad("%s is %s; 64-bit values start at an even row", name, r)
		}
	}
	return w.checkGuard(in)
}

// Operands by place.
const (
	operandDst = iota
	operandA
	operandB
)

var operandNames = [...]string{"Dst", "A", "B", "C"}

// checkGuard holds the guard of any encoded instruction to what it can be.
func (w *Warp) checkGuard(in *Instruction) error {
	switch {
	case in.Guard != isa.NoReg && in.GuardNot != isa.NoReg:
		return w.badInstruction(in, "Guard and GuardNot exclude each other")
	case in.Guard != isa.NoReg && !in.Guard.IsPredicate():
		return w.badInstruction(in, "Guard must be a predicate, not %s", in.Guard)
	case in.GuardNot != isa.NoReg && !in.GuardNot.IsPredicate():
		return w.badInstruction(in, "GuardNot must be a predicate, not %s", in.GuardNot)
	}
	return nil
}

// rowsFor returns how many rows an operand takes.
func rowsFor(in *Instruction, operand int) int {
	switch {
	case isMemory(in.Op) && operand == operandA:
		if in.A.IsPair() {
			return 2
		}
		return 1
	case isMemory(in.Op):
		return wordsOf(in.Type)
	case typesOf(in.Op) == anyKind, operand == operandB && in.Op.IsShuffle():
		return 1
	case in.Type == Int64 || in.Type == Uint64 || in.Type == Float64:
		return 2
	}
	return 1
}

// wordsOf returns how many whole words memory moves for a value of the type, 0
// if it has less than one.
func wordsOf(k Kind) int {
	switch k {
	case Int32, Uint32, Float32:
		return 1
	case Int64, Uint64, Float64:
		return 2
	case Words:
		return 4
	}
	return 0
}

// wordsOnly reports whether an op has no form for types below 32 bits.
func wordsOnly(op isa.Op) bool { return isMemory(op) || op == isa.MatchAny || op == isa.MatchAll }

func isMemory(op isa.Op) bool {
	switch op {
	case isa.LoadShared, isa.StoreShared, isa.AtomicShared, isa.LoadGlobal, isa.StoreGlobal:
		return true
	}
	return false
}

func sharedOp(op isa.Op) bool { return op != isa.LoadGlobal && op != isa.StoreGlobal }

// A kindRange is the kinds of operands that an op takes.
type kindRange struct{ first, last Kind }

// anyKind is for ops whose operands have no kind.
var anyKind = kindRange{0, numKinds}

func (k kindRange) single() bool { return k.first == k.last }

// typesOf returns the kinds of an op.
func typesOf(op isa.Op) kindRange {
	if op.IsShuffle() {
		return kindRange{Int8, Float64}
	}
	switch op {
	case isa.FAdd, isa.FMul, isa.FFma, isa.FMinMax, isa.FCmp:
		return kindRange{Float32, Float32}
	case isa.DAdd, isa.DMul, isa.DFma, isa.DCmp:
		return kindRange{Float64, Float64}
	case isa.Mov, isa.Select:
		return kindRange{Int8, Float64}
	case isa.IAdd, isa.IMul, isa.IMinMax, isa.ICmp, isa.Logic, isa.Shift, isa.Popc, isa.Brev, isa.Clz, isa.Redux:
		return kindRange{Int8, Uint64}
	case isa.LoadShared, isa.StoreShared, isa.LoadGlobal, isa.StoreGlobal:
		return kindRange{Int32, Words}
	case isa.AtomicShared:
		return kindRange{Int32, Float32}
	case isa.MatchAny, isa.MatchAll:
		return kindRange{Int32, Uint32}
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
	case isa.BarRed:
		return 2
	case isa.AtomicShared:
		return AtomicCompareAndSwap
	case isa.Branch:
		return isa.BranchTaken
	}
	return 0
}
