package sass

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// patience is how many backward branches a path takes before another that could
// run gets its turn.
const patience = 1024

func mask(m uint32) lane.Mask { return lane.Mask{Lo: uint64(m)} }

// put books the present instruction.
func (m *machine) put(o *op) { m.f.Put(&o.rec, mask(m.exec)) }

// guardDefined raises a fault if the guard decides control by an undefined value.
func (m *machine) guardDefined(o *op) {
	if u := m.predUndef[o.guard] & m.active; u != 0 {
		m.exec = m.active
		m.undefined("predicate decides a branch", u)
	}
}

// goTo lets the lanes of taken go on at pc to, and the others of the path at the
// next instruction, which they run first.
func (m *machine) goTo(taken uint32, to int) {
	rest := m.active &^ taken
	switch {
	case taken == 0:
		m.pc++
	case rest == 0:
		back := to <= m.pc
		m.pc = to
		if back {
			m.spin()
		}
	default:
		m.paths = append(m.paths, path{mask: taken, pc: int32(to)})
		m.active = rest
		m.pc++
	}
}

// spin lets another path run if this one has looped for long.
func (m *machine) spin() {
	if len(m.paths) == 0 {
		return
	}
	if m.spins++; m.spins >= patience {
		m.yield()
	}
}

// yield lets the path that has waited longest run, if one can.
func (m *machine) yield() {
	m.spins = 0
	for i := range m.paths {
		if p := m.paths[i]; p.wait == ready {
			m.paths = append(m.paths[:i], m.paths[i+1:]...)
			m.paths = append(m.paths, path{mask: m.active, pc: int32(m.pc)})
			m.active, m.pc = p.mask, int(p.pc)
			return
		}
	}
}

// park lets the lanes of who wait, and the others of the path go on at the next
// instruction.
func (m *machine) park(who uint32, p path) {
	p.mask = who
	m.paths = append(m.paths, p)
	m.active &^= who
	m.pc++
	m.settle()
}

// settle lets go what waits no longer, and runs another path if the present one
// has no lanes left.
func (m *machine) settle() {
	m.release()
	if m.active != 0 {
		return
	}
	for i := len(m.paths) - 1; i >= 0; i-- {
		if p := m.paths[i]; p.wait == ready {
			m.paths = append(m.paths[:i], m.paths[i+1:]...)
			m.active, m.pc, m.spins = p.mask, int(p.pc), 0
			return
		}
	}
	m.stuck()
}

// stuck is what happens if every path waits: those at a barrier of the block come
// to it without the others; if none does, the warp cannot go on.
func (m *machine) stuck() {
	if len(m.paths) == 0 {
		return
	}
	for i, p := range m.paths {
		if p.wait == atBlockBarrier {
			m.paths = append(m.paths[:i], m.paths[i+1:]...)
			m.active, m.pc = p.mask, int(p.pc)
			return
		}
	}
	detail, all := "", uint32(0)
	for _, p := range m.paths {
		all |= p.mask
		at := m.p.sites[p.pc-1]
		detail += fmt.Sprintf("lanes %s at %s (%s) wait for lanes %s; ", mask(p.mask).Ranges(), at, at.Func, mask(p.need&m.live&^p.mask).Ranges())
	}
	m.pc = int(m.paths[0].pc) - 1
	m.w.Fail(warp.Fault{Kind: warp.Deadlock, Lanes: mask(all), Detail: detail[:len(detail)-2],
		Advice: "every lane that a convergence barrier counts must reach it, leave it with BREAK, or exit"}, nil)
	m.f.Abort()
}

// release makes paths ready whose lanes have all come.
func (m *machine) release() {
	for i := 0; i < len(m.paths); i++ {
		p := m.paths[i]
		if p.wait == ready {
			continue
		}
		here := uint32(0)
		for _, o := range m.paths {
			if o.wait == p.wait && o.bar == p.bar && (p.wait != atBlockBarrier || o.pc == p.pc) {
				here |= o.mask
			}
		}
		if p.need&m.live&^here != 0 {
			continue
		}
		m.merge(p)
		i = -1 // the others may go on, too
	}
}

// merge makes the paths that waited with p ready, as one where they go on at one
// place.
func (m *machine) merge(p path) {
	kept := 0
	var free []path
	for _, o := range m.paths {
		if o.wait != p.wait || o.bar != p.bar || o.mask&p.need == 0 {
			m.paths[kept] = o
			kept++
			continue
		}
		joined := false
		for k := range free {
			if free[k].pc == o.pc {
				free[k].mask |= o.mask
				joined = true
			}
		}
		if !joined {
			free = append(free, path{mask: o.mask, pc: o.pc})
		}
	}
	m.paths = append(m.paths[:kept], free...)
	if p.wait != atBlockBarrier {
		m.f.MeetWarp(mask(p.need & m.live))
	}
}

// runBSSY has every lane wait for the others at the BSYNC to come.
func runBSSY(m *machine, o *op) { m.join(o) }

func runBSSYGuarded(m *machine, o *op) {
	m.guardDefined(o)
	m.join(o)
	m.put(o)
}

func (m *machine) join(o *op) {
	if m.exec == everybody {
		broadcastRow(&m.joined[o.sub], everybody)
	} else {
		for x := m.exec; x != 0; x &= x - 1 {
			m.joined[o.sub][bits.TrailingZeros32(x)&31] = m.exec
		}
	}
}

func runBSYNC(m *machine, o *op) {
	m.guardDefined(o)
	m.put(o)
	who := m.exec
	if who == 0 {
		m.pc++
		return
	}
	if m.met(o) {
		m.pc++
		return
	}
	need := m.joined[o.sub][bits.TrailingZeros32(who)&31]
	m.park(who, path{pc: int32(m.pc + 1), wait: atSync, bar: o.sub, need: need | who})
}

// met reports whether all lanes of the path, and all others that have to, have come to a
// BSYNC.
func (m *machine) met(o *op) bool {
	need := m.joined[o.sub][bits.TrailingZeros32(m.exec)&31]
	return m.exec == m.active && need&m.live&^m.exec == 0
}

// runBREAK takes lanes out of a convergence barrier.
func runBREAK(m *machine, o *op) {
	m.guardDefined(o)
	m.put(o)
	j := &m.joined[o.sub]
	if gone := m.exec & m.holds(o.p); gone != 0 {
		from := j[bits.TrailingZeros32(gone)&31]
		for l := range j {
			if from>>l&1 != 0 {
				j[l] &^= gone
			}
		}
		for i := range m.paths {
			if p := &m.paths[i]; p.wait == atSync && p.bar == o.sub {
				p.need &^= gone
			}
		}
	}
	m.pc++
	m.settle()
}

func runWARPSYNC(m *machine, o *op) {
	m.guardDefined(o)
	m.put(o)
	who := m.exec
	if who == 0 {
		m.pc++
		return
	}
	need := everybody
	if o.flags&flagAll == 0 {
		first := bits.TrailingZeros32(who) & 31
		if o.a.row < firstConstant {
			m.undefined("mask of a warp barrier", m.undef[o.a.row])
		}
		need = m.in(o.a, 0)[first]
	}
	if need&m.live&^who == 0 && who == m.active {
		m.f.MeetWarp(mask(who))
		m.pc++
		return
	}
	m.park(who, path{pc: int32(m.pc + 1), wait: atWarpSync, need: need | who})
}

func runBRA(m *machine, o *op) {
	m.guardDefined(o)
	taken := m.exec & m.holds(o.p)
	if o.p.pred != predTrue {
		m.undefined("predicate decides a branch", m.predUndef[o.p.pred])
	}
	m.jump(o, taken)
}

// jump books a branch and makes it.
func (m *machine) jump(o *op, taken uint32) {
	rec := o.rec
	switch {
	case taken == 0:
		rec.Aux = isa.BranchNotTaken
	case taken == m.active:
		rec.Aux = isa.BranchTaken
	default:
		rec.Aux = isa.BranchDivergent
		if m.lines != nil {
			m.lines[o.index].Divergent++
		}
	}
	m.f.Put(&rec, mask(m.exec))
	m.goTo(taken, int(o.target))
}

// runBRADIV jumps if the lanes of a mask are not all here, and runBRACONV if they are.
func runBRADIV(m *machine, o *op) { m.jumpIf(o, false) }

func runBRACONV(m *machine, o *op) { m.jumpIf(o, true) }

func (m *machine) jumpIf(o *op, here bool) {
	m.guardDefined(o)
	need := m.in(o.a, 0)[bits.TrailingZeros32(m.active)&31]
	taken := uint32(0)
	if (need&m.live&^m.active == 0) == here {
		taken = m.exec
	}
	m.jump(o, taken)
}

// runIndirect is a branch to where a register says.
func runIndirect(m *machine, o *op) {
	m.guardDefined(o)
	for _, r := range o.reads {
		m.undefined("target of a branch", m.undef[r])
	}
	rec := o.rec
	rec.Aux = isa.BranchTaken
	m.f.Put(&rec, mask(m.exec))
	if m.exec == 0 {
		m.pc++
		return
	}
	m.forget()
	rest := m.active &^ m.exec
	from := m.pc
	if rest != 0 {
		m.paths = append(m.paths, path{mask: rest, pc: int32(from + 1)})
	}
	at := m.in(o.a, 0)
	for left := m.exec; left != 0; {
		to := at[bits.TrailingZeros32(left)&31]
		same := uint32(0)
		for x := left; x != 0; x &= x - 1 {
			if l := bits.TrailingZeros32(x) & 31; at[l] == to {
				same |= 1 << l
			}
		}
		index, ok := m.p.at[int(int64(to)+o.imm)]
		if !ok {
			m.w.Fail(warp.Fault{Kind: warp.OutOfBounds, Lanes: mask(same),
				Detail: fmt.Sprintf("a branch to %#x, where no instruction is", int64(to)+o.imm),
				Advice: "a listing has to hold all functions that a kernel calls through a register"}, nil)
			m.f.Abort()
		}
		left &^= same
		if left != 0 {
			m.paths = append(m.paths, path{mask: same, pc: int32(index)})
			continue
		}
		m.active, m.pc = same, index
	}
	if m.pc <= from {
		m.spin()
	}
}

func runEXIT(m *machine, o *op) {
	m.guardDefined(o)
	gone := m.exec & m.holds(o.p)
	rec := o.rec
	if gone == 0 {
		rec.Op = isa.Nop
	}
	m.f.Put(&rec, mask(m.exec))
	m.live &^= gone
	m.active &^= gone
	if gone != 0 && m.live != 0 {
		m.f.Exit(mask(gone))
	}
	m.pc++
	if gone != 0 && (m.active == 0 || len(m.paths) > 0) {
		m.settle()
	}
}

func runYield(m *machine, o *op) {
	m.put(o)
	m.pc++
	m.yield()
}

func runTrap(m *machine, o *op) {
	m.put(o)
	if m.exec != 0 {
		m.w.Fail(warp.Fault{Kind: warp.KernelPanic, Lanes: mask(m.exec), Detail: "the kernel has come to a trap",
			Advice: "look for the assertion or check that led here"}, nil)
		m.f.Abort()
	}
	m.pc++
}

// runBMOV moves a convergence barrier to a register or back.
func runBMOV(m *machine, o *op) {
	if o.flags&flagToBarrier != 0 {
		r := m.in(o.a, 0)
		for x := m.exec; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x) & 31
			m.joined[o.sub][l] = r[l]
		}
		return
	}
	d := &m.file[o.d]
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		d[l] = m.joined[o.sub][l]
		if o.flags&flagClear != 0 {
			m.joined[o.sub][l] = 0
		}
	}
}

// runBAR is a barrier of the block.
func runBAR(m *machine, o *op) {
	m.guardDefined(o)
	if m.exec == 0 {
		rec := isa.Instr{Op: isa.Nop, Guard: o.rec.Guard}
		m.f.Put(&rec, lane.Mask{})
		m.pc++
		return
	}
	if m.exec != m.live && len(m.paths) > 0 {
		for _, p := range m.paths {
			if p.wait == ready {
				who := m.exec
				m.park(who, path{pc: int32(m.pc), wait: atBlockBarrier, need: m.live})
				if m.lines != nil { // it comes here again
					c := &m.lines[o.index]
					c.Issued--
					c.Lanes -= int64(bits.OnesCount32(who))
					c.Guarded -= int64(bits.OnesCount32(who))
				}
				return
			}
		}
	}
	first := bits.TrailingZeros32(m.exec) & 31
	id, threads := int(m.in(o.a, 0)[first]), int(m.in(o.b, 1)[first])
	holds := lane.Mask{}
	if o.flags&flagReduce != 0 {
		m.undefined("predicate of a barrier", m.predUndef[o.p.pred])
		holds = mask(m.holds(o.p))
	}
	rec := o.rec
	r := m.f.BarrierAt(&rec, mask(m.exec), id, threads, holds, o.flags&flagArrive == 0)
	if o.flags&flagReduce != 0 {
		m.barrier = r
	}
	m.pc++
}

// runB2R fetches what a barrier with a reduction has found.
func runB2R(m *machine, o *op) {
	d := m.out(o.d, 0)
	for i := range d {
		d[i] = uint32(m.barrier.Count)
	}
	m.commit(o.d, 0)
	holds := uint32(0)
	if o.sub == 1 && m.barrier.And || o.sub != 1 && m.barrier.Or {
		holds = everybody
	}
	m.setPred(o.pd, holds)
	m.define(o)
}
