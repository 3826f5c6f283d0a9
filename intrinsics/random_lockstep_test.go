package intrinsics_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// signal is how a block of statements ends.
type signal uint8

const (
	goOn signal = iota
	brokeOff
	nextTurn
	gone
)

// A lockstep runs a program with sets of lanes: both arms of a branch one after
// the other, a loop until no lane is left in it.
type lockstep struct {
	x            []uint32
	broken, next lane.Mask // lanes that left the innermost loop, or its turn
	exited       lane.Mask
	collectives  int64 // instructions
}

func (m *lockstep) off() lane.Mask { return m.broken.Or(m.next).Or(m.exited) }

func (m *lockstep) run(block []statement, active lane.Mask) {
	for i := range block {
		s := &block[i]
		active = active.AndNot(m.off())
		if active.Empty() {
			return
		}
		cond := func() lane.Mask { return where(active, func(l int) bool { return s.cond(l, m.x[l], true) }) }
		switch s.do {
		case doMix:
			for l := range active.Lanes() {
				m.x[l] = hash(m.x[l], s.seed)
			}
		case doIf:
			yes := cond()
			m.run(s.body, yes)
			m.run(s.other, active.AndNot(yes))
		case doLoop:
			broken, next := m.broken, m.next
			m.broken, m.next = lane.Mask{}, lane.Mask{}
			trips := map[int]int{}
			for l := range active.Lanes() {
				trips[l] = int(hash(s.seed, m.x[l]) % 4)
			}
			for n := range 4 {
				m.next = lane.Mask{}
				m.run(s.body, where(active.AndNot(m.off()), func(l int) bool { return trips[l] > n }))
			}
			m.broken, m.next = broken, next
		case doExit:
			m.exited = m.exited.Or(cond())
		case doBreak:
			m.broken = m.broken.Or(cond())
		case doContinue:
			m.next = m.next.Or(cond())
		case doCollective:
			members := active
			old := append([]uint32(nil), m.x...)
			m.collectives++
			if s.op >= opIdx {
				m.collectives++ // the program asks for the active lanes as well
			}
			mixed := meet(s, members, func(l int) uint32 { return old[l] })
			for l := range members.Lanes() {
				m.x[l] = hash(m.x[l], mixed[l])
			}
		}
	}
}

// A stepper runs a program in a simulated thread. Each statement is a turn of a
// loop, so that the threads keep to the order of the statements.
type stepper struct {
	t *thread
	x uint32
}

func (w *stepper) run(block []statement) signal {
	for i := range w.t.Loop() {
		if i == len(block) {
			break
		}
		s := &block[i]
		var end signal
		switch s.do {
		case doMix:
			w.x = hash(w.x, s.seed)
		case doIf:
			if s.cond(w.t.Lane(), w.x, true) {
				end = w.run(s.body)
			} else {
				end = w.run(s.other)
			}
		case doLoop:
			trips := int(hash(s.seed, w.x) % 4)
			for n := range w.t.Loop() {
				if n == trips {
					break
				}
				if end = w.run(s.body); end == brokeOff || end == gone {
					break
				}
			}
			if end != gone {
				end = goOn
			}
		case doExit, doBreak, doContinue:
			if s.cond(w.t.Lane(), w.x, true) {
				end = map[action]signal{doExit: gone, doBreak: brokeOff, doContinue: nextTurn}[s.do]
			}
		case doCollective:
			w.x = hash(w.x, w.collect(s))
		}
		if end != goOn {
			return end
		}
	}
	return goOn
}

func (w *stepper) collect(s *statement) uint32 {
	t, p := w.t, w.x&1 == 1
	switch s.op {
	case opBallot:
		return fold(intrinsics.Ballot(t, p))
	case opAny:
		return bit(intrinsics.Any(t, p))
	case opAll:
		return bit(intrinsics.All(t, p))
	case opMatch:
		return fold(intrinsics.MatchAny(t, w.x&3))
	}
	members := intrinsics.ActiveMask(t)
	var r uint32
	switch d := s.operand % s.width; s.op {
	case opIdx:
		r = intrinsics.Shfl(t, w.x, s.source(t.Lane(), members))
	case opUp:
		r = intrinsics.ShflUp(t, w.x, d, s.width)
	case opDown:
		r = intrinsics.ShflDown(t, w.x, d, s.width)
	default:
		r = intrinsics.ShflXor(t, w.x, d, s.width)
	}
	if !members.Has(s.source(t.Lane(), members)) {
		return 0
	}
	return r
}

func againstLockstep(t testing.TB, seed uint64) {
	block := generate(rand.New(rand.NewPCG(seed, 2)), top, false, true)
	device := []string{"pascal", "mi300x", "h200", "hip32", "custom-128"}[seed%5]
	e := engine(t, device, warp.Config{ValuesOnly: true, Faults: warp.Mimic}) // drops what lanes outside give
	n := e.Device().Lanes
	ref := lockstep{x: by(n, func(l int) uint32 { return hash(uint32(l), 7) })}
	ref.run(block, lane.FirstN(n))
	got := make([]uint32, n)
	r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), func(t *thread) {
		w := stepper{t, hash(uint32(t.Lane()), 7)}
		w.run(block)
		got[t.Lane()] = w.x
	})
	require.NoError(t, err)
	require.Equal(t, ref.x, got, "seed %d on %s", seed, device)
	require.Equal(t, ref.collectives, r.Instructions, "seed %d on %s", seed, device)
}

// TestRandomLockstep holds collectives without masks to structured reconvergence,
// in programs over Loop with silent turns: values, and how many instructions they
// are.
func TestRandomLockstep(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 150
	}
	for i := range n {
		againstLockstep(t, uint64(i))
	}
}

func FuzzLockstep(f *testing.F) {
	for i := range uint64(10) {
		f.Add(i)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { againstLockstep(t, seed) })
}
