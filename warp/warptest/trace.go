package warptest

import (
	"example.com/warpsim/warp"
)

// A trace is what each thread of a run computed: the source line and the result
// of each of its instructions.
type trace struct {
	threads map[thread][]step
	steps   int
	place   func(number uint32) warp.Site // of the report
}

// A thread is a thread's number in the grid, told apart by block, since the
// devices' blocks have the same threads.
type thread struct{ block, id int }

type step struct {
	site  uint32
	value uint64
}

func newTrace() *trace { return &trace{threads: map[thread][]step{}} }

// note is told of every instruction.
func (t *trace) note(ev warp.InstrEvent) {
	lo := ev.Warp.Front().Words(ev.Instr.Dst)
	if lo == nil || t.steps >= maxTrace {
		return
	}
	var hi []uint32
	if ev.Instr.Dst.IsPair() {
		hi = ev.Warp.Front().Words(ev.Instr.Dst + 1)
	}
	first := ev.Warp.ID() * ev.Warp.Width()
	for l := range ev.Active.Lanes() {
		s := step{ev.Site, uint64(lo[l])}
		if hi != nil {
			s.value |= uint64(hi[l]) << 32
		}
		k := thread{ev.Warp.BlockIndex(), first + l}
		t.threads[k] = append(t.threads[k], s)
		t.steps++
	}
}

// parts returns the line of the first instruction whose result differs from that
// of another run, the first over all threads: the line in this run, or in the
// other if a thread ends early.
func (t *trace) parts(o *trace) warp.Site {
	best, at := -1, warp.Site{}
	var who thread
	for k, a := range t.threads {
		b := o.threads[k]
		n := min(len(a), len(b))
		i := 0
		for i < n && a[i].value == b[i].value && t.site(a[i]) == o.site(b[i]) {
			i++
		}
		if i == len(a) && i == len(b) {
			continue
		}
		if best >= 0 && (i > best || i == best && !(k.block < who.block || k.block == who.block && k.id < who.id)) {
			continue
		}
		best, who = i, k
		switch {
		case i < len(a):
			at = t.site(a[i])
		default:
			at = o.site(b[i])
		}
	}
	return at
}

func (t *trace) site(s step) warp.Site {
	if t.place == nil {
		return warp.Site{}
	}
	return t.place(s.site)
}
