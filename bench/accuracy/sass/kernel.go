package sass

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// SharedBytes is the dynamic shared memory that a launch needs: the chip keeps
// the first kilobyte for itself, behind which the programs find theirs.
const SharedBytes = 1024 + 40960

// Layout of the array that programs write to, in words: the two clock readings of
// each warp and the result of each thread, of up to 8 bytes.
const (
	firstClocks = 0
	lastClocks  = firstClocks + 2*32
	results     = lastClocks + 2*32

	// OutWords is its length.
	OutWords = results + 2*1024
)

// An Env is what a program sees of its launch.
type Env struct {
	// Args are the words of its arguments behind the pointers, at c[0x0][0x228].
	Args [2]uint32
	// Out is what it writes to, OutWords of global memory. Clock readings are
	// stored as zeros: values do not depend on time.
	Out warp.Mem[uint32]
	// Trace, which may be nil, is told of each instruction before it is issued, by
	// its index in Program.Code.
	Trace func(warp, index int)
}

// Result returns the value that a thread left, in the low bits; wide says that it
// has 64.
func Result(out []uint32, thread int, wide bool) uint64 {
	if wide {
		return uint64(out[results+2*thread+1])<<32 | uint64(out[results+2*thread])
	}
	return uint64(out[results+thread])
}

const (
	lanes    = 32
	maxSteps = 1 << 20
)

// A machine is one warp that runs a program.
type machine struct {
	w      *warp.Warp
	p      *Program
	env    *Env
	regs   []warp.Reg[uint32]
	uregs  []warp.MaskReg
	preds  []warp.Pred
	upreds [8]bool
	pc     int // index of the present instruction
	shared warp.Mem[uint32]
	params [0x240 / 4]uint32
}

// A step is an instruction made ready: run issues it and returns the index of the
// next.
type step func(m *machine, pc int) (next int, err error)

// Kernel returns the program as a kernel for blocks of warps of 32 lanes.
func (p *Program) Kernel(env Env) warp.Kernel {
	if p.steps == nil {
		p.steps = make([]step, len(p.Code))
		for i := range p.Code {
			p.steps[i] = decode(p, i)
		}
	}
	return func(w *warp.Warp) {
		m := newMachine(p, &env, w)
		if err := m.run(); err != nil {
			w.Cancel(fmt.Errorf("sass: %s: %w", p.Name, err))
		}
	}
}

func newMachine(p *Program, env *Env, w *warp.Warp) *machine {
	m := &machine{w: w, p: p, env: env, shared: warp.DynamicShared[uint32](w)}
	for range p.rows {
		m.regs = append(m.regs, warp.Alloc[uint32](w))
	}
	for range 63 {
		m.uregs = append(m.uregs, w.MaskReg())
	}
	for range 7 {
		m.preds = append(m.preds, w.Pred())
	}
	out, _ := env.Out.Address()
	pointer := func(offset int, words uint64) {
		m.params[offset/4], m.params[offset/4+1] = uint32(out+4*words), uint32((out+4*words)>>32)
	}
	m.params[0] = uint32(w.BlockThreads())
	pointer(0x210, firstClocks)
	pointer(0x218, lastClocks)
	pointer(0x220, results)
	m.params[0x228/4], m.params[0x22c/4] = env.Args[0], env.Args[1]
	return m
}

func (m *machine) run() error {
	m.w.SetLocator(m.site)
	for range maxSteps {
		if m.pc >= len(m.p.Code) {
			return fmt.Errorf("ran past the end")
		}
		if m.env.Trace != nil {
			m.env.Trace(m.w.ID(), m.pc)
		}
		next, err := m.p.steps[m.pc](m, m.pc)
		if err != nil {
			return fmt.Errorf("%#04x %s: %w", m.p.Code[m.pc].PC, m.p.Code[m.pc].Text, err)
		}
		m.pc = next
	}
	return fmt.Errorf("does not end")
}

// site is the present line of the listing, for faults: its address stands for
// the number of the line.
func (m *machine) site() warp.Site {
	in := &m.p.Code[m.pc]
	return warp.Site{File: m.p.Name, Line: in.PC, Func: in.Text}
}

// taking returns the active lanes that an instruction is for.
func (m *machine) taking(in *Instr) lane.Mask {
	active := m.w.Active()
	if !in.guarded {
		return active
	}
	return active.And(m.mask(in.guard))
}

// under runs f with the lanes that an instruction is for.
func (m *machine) under(in *Instr, f func()) {
	switch {
	case !in.guarded || in.guard.n < 0:
		f()
	case in.guard.inv:
		m.w.WhereNot(m.preds[in.guard.n], f)
	default:
		m.w.Where(m.preds[in.guard.n], f)
	}
}

// branch is BRA: all lanes go the same way.
func (m *machine) branch(in *Instr, pc int) (int, error) {
	issued := guarded(in, warp.Instruction{Op: isa.Branch, Variant: isa.BranchTaken})
	taken := m.taking(in)
	if in.has("DIV") {
		// Jumps if the lanes have parted, which they never have here.
		issued.A, issued.Variant, taken = regOf(in.args[0]), isa.BranchNotTaken, lane.Mask{}
	}
	if err := m.w.Issue(issued); err != nil {
		return 0, err
	}
	if taken.Empty() {
		return pc + 1, nil
	}
	if taken != m.w.Active() {
		return 0, fmt.Errorf("the lanes part: %s jump", taken.Ranges())
	}
	to, ok := m.p.at[int(in.args[len(in.args)-1].val)]
	if !ok {
		return 0, fmt.Errorf("no instruction at the target")
	}
	return to, nil
}

// barrier is BAR. One that no lane comes to is an empty slot.
func (m *machine) barrier(in *Instr, pc int) (int, error) {
	if m.taking(in).Empty() {
		return pc + 1, m.w.Issue(guarded(in, warp.Instruction{Op: isa.Nop}))
	}
	id := int(in.args[0].val)
	if in.has("RED") {
		return m.barrierReduce(in, pc)
	}
	threads := 0
	if len(in.args) > 1 {
		threads = int(m.value(in.args[1], m.w.Active().First()))
	}
	m.under(in, func() {
		switch {
		case in.has("ARV"):
			m.w.Arrive(id, threads)
		case id == 0:
			m.w.SyncBlock()
		default:
			m.w.Barrier(id, threads)
		}
	})
	return pc + 1, nil
}

// barrierReduce is BAR.RED together with the B2R that fetches its result.
func (m *machine) barrierReduce(in *Instr, pc int) (int, error) {
	if pc+1 >= len(m.p.Code) || m.p.Code[pc+1].op != "B2R" {
		return 0, fmt.Errorf("no B2R follows")
	}
	b2r := &m.p.Code[pc+1]
	i := guarded(in, warp.Instruction{Op: isa.BarRed, Dst: regOf(b2r.args[0]), A: regOf(in.args[1]), Not: in.args[1].inv})
	switch {
	case in.has("AND"):
		i.Variant, i.Dst = 1, regOf(b2r.args[1])
	case in.has("OR"):
		i.Variant, i.Dst = 2, regOf(b2r.args[1])
	}
	return pc + 2, m.w.Issue(i)
}

// exit is EXIT. One that no lane comes to is an empty slot.
func (m *machine) exit(in *Instr, pc int) (int, error) {
	op := isa.Exit
	if m.taking(in).Empty() {
		op = isa.Nop
	}
	return pc + 1, m.w.Issue(guarded(in, warp.Instruction{Op: op}))
}
