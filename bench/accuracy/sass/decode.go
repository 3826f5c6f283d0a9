package sass

import (
	"fmt"
	"math"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// regOf names an operand's register in records; RZ, PT and immediates are none.
func regOf(o operand) isa.Reg {
	if o.n < 0 {
		return isa.NoReg
	}
	switch o.kind {
	case reg:
		return isa.Row(o.n)
	case ureg:
		return isa.Uniform(o.n)
	case pred:
		return isa.Predicate(o.n)
	}
	return isa.NoReg
}

// guarded puts the guard of a line on an instruction.
func guarded(in *Instr, i warp.Instruction) warp.Instruction {
	switch {
	case !in.guarded || in.guard.kind != pred:
	case in.guard.inv:
		i.GuardNot = regOf(in.guard)
	default:
		i.Guard = regOf(in.guard)
	}
	return i
}

// decode makes a line ready. What the engine has a meaning for is issued as such;
// the others name op and registers and compute here.
func decode(p *Program, index int) step {
	in := &p.Code[index]
	switch in.op {
	case "EXIT":
		return func(m *machine, pc int) (int, error) { return m.exit(in, pc) }
	case "BRA":
		return func(m *machine, pc int) (int, error) { return m.branch(in, pc) }
	case "BAR":
		return func(m *machine, pc int) (int, error) { return m.barrier(in, pc) }
	case "LDS", "STS", "LDG", "STG", "ATOMS":
		return memory(in)
	case "SHFL":
		return shuffle(in)
	}
	if i, ok := encode(in); ok {
		i = guarded(in, i)
		return func(m *machine, pc int) (int, error) { return pc + 1, m.w.Issue(i) }
	}
	if f := typed(in); f != nil {
		return func(m *machine, pc int) (int, error) {
			m.under(in, func() { f(m) })
			return pc + 1, nil
		}
	}
	f, op := function(in), opOf[in.op]
	if f == nil || op == isa.Invalid {
		return func(*machine, int) (int, error) { return 0, fmt.Errorf("unknown instruction") }
	}
	i := guarded(in, registers(in, op))
	return func(m *machine, pc int) (int, error) {
		return pc + 1, m.w.IssueFunc(i, func(to lane.Mask) { f(m, to) })
	}
}

// scalar reports whether an operand is no register: an immediate or RZ.
func (o operand) scalar() bool {
	return o.kind == imm || o.kind == reg && o.n < 0 || o.kind == ureg && o.n < 0
}

// plain reports whether operands are taken as they are.
func plain(args ...operand) bool {
	for _, o := range args {
		if o.neg || o.inv {
			return false
		}
	}
	return true
}

// two makes an instruction of two operands, of which the engine takes an
// immediate as the second only. mirrored is the variant with the operands the
// other way round.
func two(op isa.Op, typ warp.Kind, variant, mirrored uint8, dst, a, b operand) (warp.Instruction, bool) {
	if a.scalar() {
		a, b, variant = b, a, mirrored
	}
	i := warp.Instruction{Op: op, Type: typ, Variant: variant, Dst: regOf(dst), A: regOf(a), B: regOf(b)}
	if b.scalar() {
		i.Imm = immediate(b, typ)
	}
	return i, !a.scalar() && plain(a, b) && i.Dst != isa.NoReg
}

// immediate returns an immediate of a type as the engine takes it.
func immediate(o operand, typ warp.Kind) int64 {
	switch {
	case o.kind != imm:
		return 0
	case typ == warp.Float32:
		return int64(math.Float32bits(float32(o.float())))
	case typ == warp.Float64:
		return int64(math.Float64bits(o.float()))
	case typ == warp.Int32:
		return int64(int32(o.val))
	}
	return int64(o.val)
}

var (
	compares = map[string]uint8{"EQ": 0, "NE": 1, "NEU": 1, "LT": 2, "LE": 3, "GT": 4, "GE": 5}
	// mirror gives the compare with its operands the other way round.
	mirror = [...]uint8{0, 1, 4, 5, 2, 3}
	// tables are the truth tables of LOP3 that are logic on two operands.
	tables  = map[uint32]uint8{0xc0: 0, 0xfc: 1, 0x3c: 2, 0x30: 3}
	reduxes = map[string]warp.ReduxOp{"SUM": warp.ReduxAdd, "MIN": warp.ReduxMin, "MAX": warp.ReduxMax, "XOR": warp.ReduxXor}
)

// encode returns the engine's instruction for a line, if it has one.
func encode(in *Instr) (warp.Instruction, bool) {
	a := in.arg
	none := warp.Instruction{}
	switch in.op {
	case "NOP":
		return warp.Instruction{Op: isa.WarpSync}, true // of a converged warp
	case "BSSY":
		return warp.Instruction{Op: isa.PushSync}, true
	case "BSYNC", "WARPSYNC":
		return warp.Instruction{Op: isa.Reconverge}, true
	case "MEMBAR":
		return warp.Instruction{Op: isa.Fence}, true
	case "ERRBAR", "CGAERRBAR", "CCTL":
		return warp.Instruction{Op: isa.Nop}, true
	case "MOV":
		return warp.Instruction{Op: isa.Mov, Type: warp.Uint32, Dst: regOf(a(0)), A: regOf(a(1)), Imm: immediate(a(1), warp.Uint32)}, plain(a(1))
	case "IADD3":
		if a(1).kind == pred || !plain(in.args...) || in.has("X") {
			return none, false
		}
		i, ok := two(isa.IAdd, warp.Uint32, 0, 0, a(0), a(1), a(2))
		i.C = regOf(a(3))
		return i, ok && a(3).kind != imm
	case "IMAD":
		return multiply(in)
	case "VIADD": // on the multiplier
		i := warp.Instruction{Op: isa.IMul, Type: warp.Uint32, Dst: regOf(a(0)), A: regOf(a(1)), Imm: 1, C: regOf(a(2))}
		return i, !a(1).scalar() && !a(2).scalar() && plain(in.args...)
	case "LOP3":
		v, known := tables[a(4).val]
		if !known || a(0).kind != reg || !a(3).scalar() || a(1).scalar() {
			return none, false
		}
		return two(isa.Logic, warp.Uint32, v, v, a(0), a(1), a(2))
	case "SHF":
		return shift(in)
	case "ISETP", "FSETP", "DSETP":
		return compare(in)
	case "SEL", "FSEL":
		typ := warp.Uint32
		if in.op == "FSEL" {
			typ = warp.Float32
		}
		i := warp.Instruction{Op: isa.Select, Type: typ, Dst: regOf(a(0)), A: regOf(a(1)), B: regOf(a(2)), C: regOf(a(3)), Not: a(3).inv}
		i.Imm = immediate(a(2), typ)
		return i, !a(1).scalar() && plain(a(1), a(2)) && i.C != isa.NoReg
	case "FADD":
		return two(isa.FAdd, warp.Float32, 0, 0, a(0), a(1), a(2))
	case "FMUL":
		return two(isa.FMul, warp.Float32, 0, 0, a(0), a(1), a(2))
	case "DADD":
		return halves(two(isa.DAdd, warp.Float64, 0, 0, a(0), a(1), a(2)))
	case "DMUL":
		return halves(two(isa.DMul, warp.Float64, 0, 0, a(0), a(1), a(2)))
	case "FFMA", "DFMA":
		i, ok := two(isa.FFma, warp.Float32, 0, 0, a(0), a(1), a(2))
		i.C = regOf(a(3))
		if in.op == "DFMA" {
			i.Op, i.Type = isa.DFma, warp.Float64
			i, _ = halves(i, ok)
		}
		return i, ok && i.C != isa.NoReg && plain(a(3))
	case "FMNMX", "VIMNMX":
		op, typ := isa.FMinMax, warp.Float32
		if in.op == "VIMNMX" {
			op, typ = isa.IMinMax, signed(in)
		}
		v := uint8(0)
		if a(3).inv { // !PT
			v = 1
		}
		i, ok := two(op, typ, v, v, a(0), a(1), a(2))
		return i, ok && a(3).n < 0
	case "POPC", "BREV":
		op := isa.Popc
		if in.op == "BREV" {
			op = isa.Brev
		}
		return warp.Instruction{Op: op, Type: warp.Uint32, Dst: regOf(a(0)), A: regOf(a(1))}, plain(a(1))
	case "VOTE":
		return vote(in)
	case "ELECT":
		return warp.Instruction{Op: isa.Elect, Dst: regOf(a(0))}, true
	case "MATCH":
		i := warp.Instruction{Op: isa.MatchAny, Type: warp.Uint32, Dst: regOf(a(0)), A: regOf(a(1))}
		if in.has("ALL") {
			i = warp.Instruction{Op: isa.MatchAll, Type: warp.Uint32, Dst2: regOf(a(0)), Dst: regOf(a(1)), A: regOf(a(2))}
		}
		return i, true
	case "REDUX":
		op, ok := reduxes[in.mods[0]]
		return warp.Instruction{Op: isa.Redux, Type: signed(in), Variant: uint8(op), Dst: regOf(a(0)), A: regOf(a(1))}, ok
	}
	return none, false
}

func signed(in *Instr) warp.Kind {
	if in.has("S32") {
		return warp.Int32
	}
	return warp.Uint32
}

// halves makes an instruction take values of 64 bits from pairs of rows.
func halves(i warp.Instruction, ok bool) (warp.Instruction, bool) {
	i.Halves = true
	return i, ok
}

// multiply is IMAD, which the compiler also moves, adds and shifts with.
func multiply(in *Instr) (warp.Instruction, bool) {
	a := in.arg
	if in.has("WIDE") || in.has("HI") || in.has("X") || !plain(in.args...) {
		return warp.Instruction{}, false
	}
	if a(1).scalar() && a(2).scalar() && !a(3).scalar() { // a move
		return warp.Instruction{Op: isa.IMul, Type: warp.Uint32, Dst: regOf(a(0)), A: regOf(a(3)), Imm: 1}, true
	}
	i, ok := two(isa.IMul, warp.Uint32, 0, 0, a(0), a(1), a(2))
	i.C = regOf(a(3))
	return i, ok && a(3).kind != imm
}

func shift(in *Instr) (warp.Instruction, bool) {
	a := in.arg
	i := warp.Instruction{Op: isa.Shift, Type: warp.Uint32, Dst: regOf(a(0)), A: regOf(a(1)), B: regOf(a(2)), Imm: int64(a(2).val)}
	rest := a(3)
	if in.has("R") {
		i.Variant, i.A, rest = 1, regOf(a(3)), a(1)
		i.Type = warp.Uint32
		if in.has("S32") {
			i.Type = warp.Int32
		}
	}
	return i, rest.scalar() && !in.has("W") && i.A != isa.NoReg && plain(in.args...)
}

func compare(in *Instr) (warp.Instruction, bool) {
	a := in.arg
	v, ok := compares[in.mods[0]]
	last := a(len(in.args) - 1)
	if !ok || a(1).n >= 0 || len(in.args) != 5 || last.kind != pred || last.n >= 0 || last.inv || !in.has("AND") {
		return warp.Instruction{}, false
	}
	switch in.op {
	case "FSETP":
		return two(isa.FCmp, warp.Float32, v, mirror[v], a(0), a(2), a(3))
	case "DSETP":
		return halves(two(isa.DCmp, warp.Float64, v, mirror[v], a(0), a(2), a(3)))
	}
	typ := warp.Int32
	if in.has("U32") {
		typ = warp.Uint32
	}
	return two(isa.ICmp, typ, v, mirror[v], a(0), a(2), a(3))
}

// vote is VOTE: into a register it is a ballot.
func vote(in *Instr) (warp.Instruction, bool) {
	dst, src := in.args[0], in.args[len(in.args)-1]
	if dst.kind == reg {
		return warp.Instruction{Op: isa.Ballot, Dst: regOf(dst), A: regOf(src), Not: src.inv}, src.n >= 0 || !src.inv
	}
	kind := warp.VoteAny
	if in.has("ALL") {
		kind = warp.VoteAll
	}
	return warp.Instruction{Op: isa.Vote, Variant: uint8(kind), Dst: regOf(dst), A: regOf(src), Not: src.inv}, src.n >= 0
}

// memory is an access: addresses are bytes, in the block's shared memory or where
// Env.Out lies.
func memory(in *Instr) step {
	a := in.args
	i := guarded(in, warp.Instruction{Type: warp.Uint32})
	switch {
	case in.has("64"):
		i.Type = warp.Uint64
	case in.has("128"):
		i.Type = warp.Words
	}
	addr := a[0]
	switch in.op {
	case "LDS":
		i.Op, i.Dst, addr = isa.LoadShared, regOf(a[0]), a[1]
	case "LDG":
		i.Op, i.Dst, addr = isa.LoadGlobal, regOf(a[0]), a[1]
	case "STS":
		i.Op, i.B = isa.StoreShared, regOf(a[1])
	case "STG":
		i.Op, i.B = isa.StoreGlobal, regOf(a[1])
	case "ATOMS":
		i.Op, i.Dst, addr, i.B = isa.AtomicShared, regOf(a[0]), a[1], regOf(a[len(a)-1])
		switch in.mods[0] {
		case "EXCH":
			i.Variant = uint8(warp.AtomicExchange)
		case "CAS":
			i.Variant, i.C = warp.AtomicCompareAndSwap, regOf(a[2])
		}
	}
	i.Imm = int64(int32(addr.val))
	global := i.Op == isa.LoadGlobal || i.Op == isa.StoreGlobal
	if addr.base >= 0 {
		i.A = isa.Row(addr.base)
		if global {
			i.A = isa.RowPair(addr.base)
		}
	}
	if addr.ub >= 0 {
		i.C = isa.Uniform(addr.ub)
	}
	return func(m *machine, pc int) (int, error) {
		at := i
		at.Memory = m.shared
		if global {
			at.Memory = m.env.Out
		}
		return pc + 1, m.w.Issue(at)
	}
}
