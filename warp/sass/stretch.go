package sass

import "example.com/warpsim/warp/isa"

// stretchLimit is how many ops a stretch has at most.
const stretchLimit = 64

// stretches finds out where the ops that follow each other and only compute end: such a
// stretch is run, and booked, in one. In its midst may be what most warps pass: accesses
// whose guard holds in no lane, points where all lanes are that meet there, and shuffles
// of all lanes.
func (p *Program) stretches() {
	p.steps = make([]step, len(p.ops))
	p.recs = make([]isa.Instr, len(p.ops))
	end := len(p.ops)
	for i := len(p.ops) - 1; i >= 0; i-- {
		o := &p.ops[i]
		p.steps[i], p.recs[i] = o.step(p), o.rec
		switch {
		case o.passed():
			p.steps[i].kernel = kernelPassed
		case vectors && p.steps[i].kernel == kernelShuffle:
		case !o.computes():
			end = i
		case end-i > 1 || p.steps[i].kernel != kernelNone:
			o.stretch = uint8(min(end-i, stretchLimit))
		}
	}
}

// passed reports whether an op does nothing if its guard holds in no lane, or nothing if
// all lanes have come.
func (o *op) passed() bool {
	run := entryOf(o.run)
	switch run {
	case entryOf(runLoad), entryOf(runStore), entryOf(runAtomic), entryOf(runBSYNC):
		return (run == entryOf(runBSYNC)) == (o.guard == predTrue && !o.guardNot)
	}
	return false
}

// computes reports whether an op does nothing but compute: it raises no faults, and no
// other thread notices it.
func (o *op) computes() bool {
	if o.class != plain {
		return false
	}
	run := entryOf(o.run)
	return run != entryOf(runLoadConstant) && run != entryOf(runFence)
}

// runStretch runs n ops that only compute, or reports that they have to be run one by
// one: where somebody looks at each record, and where the buffer of records gets full.
func (m *machine) runStretch(n int) bool {
	if !m.f.Fits(n) {
		return false
	}
	ops, steps := m.p.ops[m.pc:][:n], m.p.steps[m.pc:][:n]
	for k := 0; k < n; k++ {
		if vectors {
			if k += runSteps(m, &steps[k], n-k, &m.execs[k]); k == n {
				break
			}
		}
		o := &ops[k]
		m.exec = m.guarded(o)
		if o.class != plain && m.exec != 0 && !(o.class == controls && m.met(o)) {
			n = k
			break
		}
		m.execs[k] = m.exec
		if o.class == plain {
			m.compute(o)
		}
	}
	m.f.PutEach(m.p.recs[m.pc:][:n], m.execs[:n])
	m.pc += n
	return true
}
