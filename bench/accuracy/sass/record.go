package sass

import (
	"fmt"
	"math/bits"
	"strings"

	"example.com/warpsim/warp/isa"
)

func contains(s, sub string) bool { return strings.Contains(s, sub) }

var opOf = map[string]isa.Op{
	"MOV": isa.Mov, "IADD3": isa.IAdd, "LEA": isa.IAdd, "IMAD": isa.IMul, "VIADD": isa.IMul, "HFMA2": isa.HFma,
	"LOP3": isa.Logic, "PLOP3": isa.Logic, "P2R": isa.Logic, "SHF": isa.Shift, "ISETP": isa.ICmp, "SEL": isa.Select, "FSEL": isa.Select,
	"FADD": isa.FAdd, "FMUL": isa.FMul, "FFMA": isa.FFma, "FMNMX": isa.FMinMax, "FSETP": isa.FCmp,
	"DADD": isa.DAdd, "DMUL": isa.DMul, "DFMA": isa.DFma, "DSETP": isa.DCmp,
	"POPC": isa.Popc, "BREV": isa.Brev, "FLO": isa.Clz, "MUFU": isa.Special,
	"I2F": isa.Convert, "F2I": isa.Convert, "I2FP": isa.Convert,
	"REDUX": isa.Redux, "LDS": isa.LoadShared, "STS": isa.StoreShared, "ATOMS": isa.AtomicShared,
	"LDG": isa.LoadGlobal, "STG": isa.StoreGlobal, "LDC": isa.LoadConst, "ULDC": isa.UniformMov,
	"VIMNMX": isa.IMinMax, "PRMT": isa.Logic, "ELECT": isa.Elect, "MEMBAR": isa.Fence, "ERRBAR": isa.Nop, "CGAERRBAR": isa.Nop, "CCTL": isa.Nop,
	"UISETP": isa.UniformALU, "UIADD3": isa.UniformALU, "R2P": isa.Logic,
	"NOP": isa.WarpSync, "BSSY": isa.PushSync, "BSYNC": isa.Reconverge, "WARPSYNC": isa.Reconverge,
	"BRA": isa.Branch, "EXIT": isa.Exit,
	"S2R": isa.ReadSpecial, "S2UR": isa.ReadSpecialUniform, "CS2R": isa.ReadClock,
	"UMOV": isa.UniformMov, "ULEA": isa.UniformALU, "USHF": isa.UniformALU,
}

func (m *machine) reg(o operand) isa.Reg {
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

// op returns the class of an instruction.
func (in *Instr) class() (isa.Op, error) {
	switch in.op {
	case "SHFL":
		return map[string]isa.Op{"IDX": isa.ShflIdx, "UP": isa.ShflUp, "DOWN": isa.ShflDown, "BFLY": isa.ShflXor}[in.mods[0]], nil
	case "VOTE":
		if in.args[0].kind == reg {
			return isa.Ballot, nil
		}
		return isa.Vote, nil
	case "MATCH":
		if in.has("ALL") {
			return isa.MatchAll, nil
		}
		return isa.MatchAny, nil
	case "BAR":
		if in.has("RED") {
			return isa.BarRed, nil
		}
		return isa.BarSync, nil
	}
	op, ok := opOf[in.op]
	if !ok {
		return isa.Invalid, fmt.Errorf("unknown instruction")
	}
	return op, nil
}

// record returns what the timing model sees of an instruction.
func (m *machine) record(in *Instr, active uint32) (isa.Instr, error) {
	op, err := in.class()
	if err != nil {
		return isa.Instr{}, err
	}
	r := isa.Instr{Op: op, Active: uint8(bits.OnesCount32(active))}
	if in.guarded && in.guard.n >= 0 {
		r.Guard = uint8(in.guard.n + 1)
	}
	switch op {
	case isa.StoreShared, isa.StoreGlobal, isa.LoadShared, isa.AtomicShared, isa.LoadGlobal:
		m.memory(in, active, &r)
		return r, nil
	case isa.ShflIdx, isa.ShflUp, isa.ShflDown, isa.ShflXor:
		r.Dst2, r.Dst = m.reg(in.args[0]), m.reg(in.args[1])
		r.A, r.B, r.C = m.reg(in.args[2]), m.reg(in.args[3]), m.reg(in.args[4])
		r.Count = 1
		return r, nil
	case isa.MatchAny, isa.MatchAll:
		src := in.args[len(in.args)-1]
		r.Dst, r.A = m.reg(in.args[len(in.args)-2]), m.reg(src)
		r.Count = uint16(m.distinct(src, active))
		return r, nil
	case isa.BarSync, isa.BarRed:
		r.Aux = uint8(in.args[0].val)
		if op == isa.BarRed {
			r.A = m.reg(in.args[1])
		}
		return r, nil
	case isa.Vote, isa.Ballot:
		r.Dst, r.A = m.reg(in.args[0]), m.reg(in.args[len(in.args)-1])
		return r, nil
	case isa.Branch:
		if in.has("DIV") {
			r.A = m.reg(in.args[0])
		}
		return r, nil
	case isa.WarpSync, isa.PushSync, isa.Reconverge, isa.Exit:
		return r, nil
	}
	m.general(in, &r)
	return r, nil
}

// general fills in destinations and sources in the order they are written.
func (m *machine) general(in *Instr, r *isa.Instr) {
	args := in.args
	dsts := 1
	switch in.op {
	case "ISETP", "FSETP", "DSETP", "PLOP3":
		dsts = 2
	case "LOP3", "IADD3":
		for dsts < len(args) && args[dsts-1].kind == pred {
			dsts++
		}
	}
	put := func(slots []*isa.Reg, o operand) {
		x := m.reg(o)
		for _, s := range slots {
			if x == isa.NoReg || *s == x {
				return
			}
			if *s == isa.NoReg {
				*s = x
				return
			}
		}
	}
	to, from := []*isa.Reg{&r.Dst, &r.Dst2}, []*isa.Reg{&r.A, &r.B, &r.C}
	for i, o := range args {
		if i < dsts {
			put(to, o)
		} else if o.kind != address {
			put(from, o)
		}
	}
	double := strings.HasPrefix(in.op, "D")
	wide := in.op == "IMAD" && in.has("WIDE")
	pair := func(s *isa.Reg) {
		if *s != isa.NoReg && !s.IsPredicate() && !s.IsUniform() {
			*s = isa.RowPair(s.Index() - 1)
		}
	}
	if double || wide || in.op == "LDC" && in.has("64") || in.op == "CS2R" || in.op == "I2F" && in.has("F64") {
		pair(&r.Dst)
	}
	if double {
		pair(&r.A)
		pair(&r.B)
		pair(&r.C)
	}
	if wide {
		pair(&r.C)
	}
	if in.op == "P2R" { // all predicates of the mask
		for i := range 7 {
			if args[len(args)-1].val>>i&1 != 0 {
				put(from, operand{kind: pred, n: i})
			}
		}
	}
}

func (m *machine) memory(in *Instr, active uint32, r *isa.Instr) {
	bytes := 4
	switch {
	case in.has("64"):
		bytes = 8
	case in.has("128"):
		bytes = 16
	}
	args := in.args
	addr, data := args[0], args[len(args)-1]
	switch r.Op {
	case isa.LoadShared, isa.LoadGlobal:
		r.Dst, addr = m.reg(args[0]), args[1]
	case isa.AtomicShared:
		r.Dst, addr = m.reg(args[0]), args[1]
		r.B = m.reg(data)
	default:
		r.B = m.reg(data)
	}
	if addr.base >= 0 {
		r.A = isa.Row(addr.base)
	}
	if addr.ub >= 0 {
		r.C = isa.Uniform(addr.ub)
	}
	if r.Op == isa.LoadGlobal || r.Op == isa.StoreGlobal {
		if r.A != isa.NoReg {
			r.A = isa.RowPair(addr.base)
		}
		r.Aux, r.Count = isa.MemAux(bytes, isa.LevelL2), uint16(bytes)
		return
	}
	r.Aux = isa.MemAux(bytes, 0)
	r.Count = uint16(m.passes(addr, active, bytes, r.Op == isa.AtomicShared))
}

// passes returns how many times shared memory has to be read for an access:
// 32 banks of 4 bytes, as many lanes at once as 128 bytes serve, lanes of one
// word together (unless it is an atomic).
func (m *machine) passes(a operand, active uint32, bytes int, atomic bool) int {
	words := bytes / 4
	group := lanes / words
	total := 0
	for g := 0; g < lanes; g += group {
		var banks [32]map[uint32]bool
		worst := 1
		turns := map[uint32]int{}
		for l := g; l < g+group; l++ {
			if active>>l&1 == 0 {
				continue
			}
			w := a.val
			if a.base >= 0 {
				w += m.regs[a.base][l]
			}
			if a.ub >= 0 {
				w += m.uregs[a.ub]
			}
			w /= 4
			for k := range words {
				b := (w + uint32(k)) % 32
				if banks[b] == nil {
					banks[b] = map[uint32]bool{}
				}
				banks[b][w+uint32(k)] = true
				worst = max(worst, len(banks[b]))
			}
			if atomic {
				turns[w]++
				worst = max(worst, turns[w])
			}
		}
		total += worst
	}
	return total
}
