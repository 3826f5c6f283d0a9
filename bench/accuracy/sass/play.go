package sass

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/warp/isa"
)

// An Env is what a kernel sees of its launch.
type Env struct {
	Threads int    // of the block
	Seed    uint32 // bits of the argument at c[0x0][0x228]
	Turns   uint32 // argument at c[0x0][0x22c]
}

const (
	lanes    = 32
	maxSteps = 1 << 20
)

type machine struct {
	p     *Program
	env   Env
	warp  int
	regs  [256][lanes]uint32
	uregs [64]uint32
	preds [8]uint32
	emit  func(isa.Instr, int)
}

// Play runs one warp of a block and calls emit with each record and the index
// of its instruction in p.Code. Branches on which lanes disagree are an error.
func (p *Program) Play(env Env, warp int, emit func(rec isa.Instr, index int)) error {
	m := &machine{p: p, env: env, warp: warp, emit: emit}
	pc := 0
	for range maxSteps {
		if pc >= len(p.Code) {
			return fmt.Errorf("sass: %s: ran past the end", p.Name)
		}
		next, done, err := m.step(pc)
		if err != nil {
			return fmt.Errorf("sass: %s: %#04x %s: %w", p.Name, p.Code[pc].PC, p.Code[pc].Text, err)
		}
		if done {
			return nil
		}
		pc = next
	}
	return fmt.Errorf("sass: %s: does not end", p.Name)
}

func (m *machine) lane(o operand, l int) uint32 {
	var v uint32
	switch o.kind {
	case reg:
		if o.n >= 0 {
			v = m.regs[o.n][l]
		}
	case ureg:
		if o.n >= 0 {
			v = m.uregs[o.n]
		}
	case imm:
		v = o.val
	case constant:
		v = m.param(o.val)
	}
	if o.inv {
		v = ^v
	}
	if o.neg {
		v = -v
	}
	return v
}

func (m *machine) param(offset uint32) uint32 {
	switch offset {
	case 0:
		return uint32(m.env.Threads)
	case 0x228:
		return m.env.Seed
	case 0x22c:
		return m.env.Turns
	}
	return 0
}

func (m *machine) mask(o operand) uint32 {
	v := ^uint32(0)
	if o.n >= 0 {
		v = m.preds[o.n]
	}
	if o.inv {
		v = ^v
	}
	return v
}

func (m *machine) set(o operand, active uint32, f func(l int) uint32) {
	if o.kind == ureg && o.n >= 0 {
		m.uregs[o.n] = f(0)
		return
	}
	if o.kind != reg || o.n < 0 {
		return
	}
	var out [lanes]uint32
	for l := range lanes {
		if active>>l&1 != 0 {
			out[l] = f(l)
		}
	}
	for l := range lanes {
		if active>>l&1 != 0 {
			m.regs[o.n][l] = out[l]
		}
	}
}

func (m *machine) setPred(o operand, active uint32, f func(l int) bool) {
	if o.kind != pred || o.n < 0 {
		return
	}
	var v uint32
	for l := range lanes {
		if f(l) {
			v |= 1 << l
		}
	}
	m.preds[o.n] = m.preds[o.n]&^active | v&active
}

func (m *machine) arg(in *Instr, i int) operand {
	if i < len(in.args) {
		return in.args[i]
	}
	return operand{kind: other, base: -1, ub: -1}
}

// step executes the instruction at index pc and returns the next.
func (m *machine) step(pc int) (next int, done bool, err error) {
	in := &m.p.Code[pc]
	active := ^uint32(0)
	if in.guarded {
		active = m.mask(in.guard)
	}
	next = pc + 1
	rec, err := m.record(in, active)
	if err != nil {
		return 0, false, err
	}
	if active == 0 && (in.op == "EXIT" || in.op == "BAR") {
		rec = isa.Instr{Op: isa.Nop, Guard: rec.Guard}
		m.emit(rec, pc)
		return next, false, nil
	}
	switch in.op {
	case "EXIT":
		if active != ^uint32(0) {
			return 0, false, fmt.Errorf("the lanes part: %#x leave", active)
		}
		m.emit(rec, pc)
		return 0, true, nil
	case "BRA":
		taken := active
		if in.has("DIV") {
			taken = 0 // all lanes are together here
		}
		switch taken {
		case 0:
			rec.Aux = isa.BranchNotTaken
		case ^uint32(0):
			rec.Aux = isa.BranchTaken
			to, ok := m.p.at[int(in.args[len(in.args)-1].val)]
			if !ok {
				return 0, false, fmt.Errorf("no instruction at the target")
			}
			next = to
		default:
			return 0, false, fmt.Errorf("the lanes part: %#x jump", taken)
		}
	case "BAR":
		if in.has("RED") {
			// B2R fetches the result: one record for both.
			b2r := &m.p.Code[pc+1]
			if b2r.op != "B2R" {
				return 0, false, fmt.Errorf("no B2R follows")
			}
			rec.Dst = m.reg(b2r.args[0])
			if len(b2r.args) > 1 {
				rec.Dst = m.reg(b2r.args[1])
				m.setPred(b2r.args[1], active, func(int) bool { return true })
			} else {
				m.set(b2r.args[0], active, func(int) uint32 { return uint32(m.env.Threads) })
			}
			next++
		}
	default:
		if err := m.compute(in, active); err != nil {
			return 0, false, err
		}
	}
	m.emit(rec, pc)
	return next, false, nil
}

// compute does the arithmetic of one instruction.
func (m *machine) compute(in *Instr, active uint32) error {
	a := func(i int) operand { return m.arg(in, i) }
	val := func(i, l int) uint32 { return m.lane(a(i), l) }
	switch in.op {
	case "MOV", "UMOV":
		m.set(a(0), active, func(l int) uint32 { return val(1, l) })
	case "ULDC", "LDC":
		m.set(a(0), active, func(l int) uint32 { return val(1, l) })
	case "IMAD":
		if in.has("WIDE") || in.has("HI") || in.has("X") {
			m.set(a(0), active, func(int) uint32 { return 0 })
			break
		}
		if in.has("SHL") || in.has("MOV") || in.has("IADD") || in.has("U32") || len(in.mods) == 0 {
			m.set(a(0), active, func(l int) uint32 { return val(1, l)*val(2, l) + val(3, l) })
		}
	case "VIADD":
		m.set(a(0), active, func(l int) uint32 { return val(1, l) + val(2, l) })
	case "IADD3", "UIADD3":
		if a(1).kind == pred {
			break // carries belong to 64-bit addresses
		}
		m.set(a(0), active, func(l int) uint32 { return val(1, l) + val(2, l) + val(3, l) })
	case "LEA", "ULEA":
		m.set(a(0), active, func(l int) uint32 { return val(1, l)<<(val(3, l)&31) + val(2, l) })
	case "SHF", "USHF":
		m.set(a(0), active, func(l int) uint32 { return m.shift(in, l) })
	case "LOP3":
		m.logic(in, active)
	case "ISETP":
		m.compare(in, active)
	case "PLOP3", "FSETP", "DSETP":
		// Only "is the seed zero" and constants come this way.
		m.setPred(a(0), active, func(int) bool { return m.env.Seed != 0 })
	case "SEL":
		m.set(a(0), active, func(l int) uint32 {
			if m.mask(a(3))>>l&1 != 0 {
				return val(1, l)
			}
			return val(2, l)
		})
	case "S2R", "S2UR":
		m.set(a(0), active, func(l int) uint32 { return m.special(in, l) })
	case "P2R":
		m.set(a(0), active, func(l int) uint32 {
			var v uint32
			for i := range 7 {
				v |= m.preds[i] >> l & 1 << i
			}
			return v & val(3, l)
		})
	case "POPC":
		m.set(a(0), active, func(l int) uint32 { return uint32(bits.OnesCount32(val(1, l))) })
	case "BREV":
		m.set(a(0), active, func(l int) uint32 { return bits.Reverse32(val(1, l)) })
	case "FLO":
		m.set(a(0), active, func(l int) uint32 { return uint32(bits.Len32(val(1, l))) - 1 })
	case "VOTE":
		m.vote(in, active)
	case "MATCH":
		m.match(in, active)
	case "SHFL":
		m.shuffle(in, active)
	case "REDUX":
		m.set(a(0), active, func(int) uint32 { return 0 })
	case "LDS", "ATOMS", "LDG", "MUFU", "FADD", "FMUL", "FFMA", "FMNMX", "FSEL", "DADD", "DMUL", "DFMA", "HFMA2", "I2F", "I2FP", "F2I", "CS2R":
		m.set(a(0), active, func(int) uint32 { return 0 })
	case "VIMNMX":
		m.set(a(0), active, func(l int) uint32 { return max(val(1, l), val(2, l)) })
	case "PRMT":
		m.set(a(0), active, func(l int) uint32 { return val(1, l) })
	case "ELECT":
		m.setPred(a(0), active, func(l int) bool { return l == bits.TrailingZeros32(active) })
	case "UISETP", "R2P", "MEMBAR", "ERRBAR", "CGAERRBAR", "CCTL":
	case "STS", "STG", "NOP", "BSSY", "BSYNC", "WARPSYNC":
	default:
		return fmt.Errorf("unknown instruction")
	}
	return nil
}

func (m *machine) special(in *Instr, l int) uint32 {
	switch name := in.Text; {
	case contains(name, "TID.X"):
		return uint32(m.warp*lanes + l)
	case contains(name, "LANEID"):
		return uint32(l)
	}
	return 0
}

func (m *machine) shift(in *Instr, l int) uint32 {
	lo, n, hi := m.lane(m.arg(in, 1), l), m.lane(m.arg(in, 2), l)&31, m.lane(m.arg(in, 3), l)
	switch {
	case in.has("L") && in.has("W"): // funnel
		return uint32((uint64(hi)<<32 | uint64(lo)) << n >> 32)
	case in.has("L"):
		return lo << n
	case in.has("S32"):
		return uint32(int32(hi) >> n)
	}
	return hi >> n
}

func (m *machine) logic(in *Instr, active uint32) {
	// LOP3 [P,] R, a, b, c, table, !PT
	i := 0
	p := operand{}
	if m.arg(in, 0).kind == pred {
		p, i = m.arg(in, 0), 1
	}
	table := m.arg(in, i+4).val
	f := func(l int) uint32 {
		x, y, z := m.lane(m.arg(in, i+1), l), m.lane(m.arg(in, i+2), l), m.lane(m.arg(in, i+3), l)
		var v uint32
		for b := range 8 {
			if table>>b&1 == 0 {
				continue
			}
			v |= pick(x, b&4 != 0) & pick(y, b&2 != 0) & pick(z, b&1 != 0)
		}
		return v
	}
	m.setPred(p, active, func(l int) bool { return f(l) != 0 })
	m.set(m.arg(in, i), active, f)
}

func pick(x uint32, one bool) uint32 {
	if one {
		return x
	}
	return ^x
}

func (m *machine) compare(in *Instr, active uint32) {
	unsigned := in.has("U32")
	with := m.mask(m.arg(in, len(in.args)-1))
	if in.has("EX") {
		with = m.mask(m.arg(in, 4))
	}
	m.setPred(m.arg(in, 0), active, func(l int) bool {
		x, y := m.lane(m.arg(in, 2), l), m.lane(m.arg(in, 3), l)
		less := int32(x) < int32(y)
		if unsigned {
			less = x < y
		}
		var r bool
		switch in.mods[0] {
		case "NE":
			r = x != y
		case "EQ":
			r = x == y
		case "LT":
			r = less
		case "GE":
			r = !less
		case "LE":
			r = less || x == y
		case "GT":
			r = !less && x != y
		}
		w := with>>l&1 != 0
		if in.has("OR") {
			return r || w
		}
		return r && w
	})
}

func (m *machine) vote(in *Instr, active uint32) {
	args := in.args
	src := m.mask(args[len(args)-1]) & active
	r := src != 0
	if in.has("ALL") {
		r = src == active
	}
	if args[0].kind == reg { // ballot
		m.set(args[0], active, func(int) uint32 { return src })
		return
	}
	m.setPred(args[0], active, func(int) bool { return r })
}

func (m *machine) match(in *Instr, active uint32) {
	src := in.args[len(in.args)-1]
	dst := in.args[len(in.args)-2]
	all := in.has("ALL")
	m.set(dst, active, func(l int) uint32 {
		var v uint32
		for k := range lanes {
			if active>>k&1 != 0 && m.lane(src, k) == m.lane(src, l) {
				v |= 1 << k
			}
		}
		if all && v != active {
			return 0
		}
		return v
	})
}

func (m *machine) distinct(o operand, active uint32) int {
	n := 0
	for l := range lanes {
		first := active>>l&1 != 0
		for k := 0; k < l && first; k++ {
			first = active>>k&1 == 0 || m.lane(o, k) != m.lane(o, l)
		}
		if first {
			n++
		}
	}
	return n
}

func (m *machine) shuffle(in *Instr, active uint32) {
	mode := in.mods[0]
	b, c := m.arg(in, 3), m.arg(in, 4)
	var ok uint32
	src := func(l int) int {
		d, cv := int(m.lane(b, l)&31), m.lane(c, l)
		seg, clamp := int(cv>>8&31), int(cv&31)
		lo := l & seg
		hi := lo | clamp&^seg
		j, in := l, false
		switch mode {
		case "UP":
			j, in = l-d, l-d >= hi
		case "DOWN":
			j, in = l+d, l+d <= hi
		case "BFLY":
			j, in = l^d, l^d <= hi
		case "IDX":
			j, in = lo|d&^seg, lo|d&^seg <= hi
		}
		if !in {
			return l
		}
		ok |= 1 << l
		return j
	}
	value := m.arg(in, 2)
	m.set(m.arg(in, 1), active, func(l int) uint32 { return m.lane(value, src(l)) })
	for l := range lanes {
		src(l)
	}
	m.setPred(m.arg(in, 0), active, func(l int) bool { return ok>>l&1 != 0 })
}
