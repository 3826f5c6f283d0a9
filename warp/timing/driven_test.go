package timing_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// programs is how many random programs TestStartsMidway runs: -programs 5000 is the long
// form.
var programs = flag.Int("programs", 100, "random programs of several blocks")

// A late block begins at a cycle.
type lateBlock struct {
	at   timing.Cycle
	recs [][]isa.Instr
}

// A driver says how far the next call goes, and advances the machine.
type driver func(m *timing.Multiprocessor, now, limit timing.Cycle) (timing.Status, error)

// driveLate plays blocks that begin at cycles of their own, fed in pieces.
func driveLate(t *testing.T, m *timing.Multiprocessor, blocks []lateBlock, piece func(left int) int, advance driver) outcome {
	t.Helper()
	at := map[[2]int]int{}
	feed := func(b, w int) {
		recs := blocks[b].recs[w]
		n := piece(len(recs) - at[[2]int{b, w}])
		from := at[[2]int{b, w}]
		m.Feed(b, w, recs[from:from+n], nil, nil)
		if at[[2]int{b, w}] = from + n; from+n == len(recs) {
			m.End(b, w)
		}
	}
	var out outcome
	for started, ended := 0, 0; ; {
		for started < len(blocks) && blocks[started].at <= m.Now() {
			b, err := m.StartBlock(len(blocks[started].recs))
			require.NoError(t, err)
			require.Equal(t, started, b)
			start, _ := m.Block(b)
			require.Equal(t, blocks[b].at, start, "a block begins when it is started")
			started++
			for w := range blocks[b].recs {
				feed(b, w)
			}
		}
		limit := timing.Never
		if started < len(blocks) {
			limit = blocks[started].at
		}
		st, err := advance(m, m.Now(), limit)
		require.NoError(t, err)
		switch st.State {
		case timing.Starved:
			feed(st.Block, st.Warp)
		case timing.BlockEnded:
			if ended++; ended == len(blocks) {
				for i := range blocks {
					_, end := m.Block(i)
					out.Ends, out.Blocks = append(out.Ends, end), append(out.Blocks, m.BlockCycles(i))
				}
				out.Totals = *m.Totals()
				return out
			}
		}
	}
}

func toTheLimit(m *timing.Multiprocessor, now, limit timing.Cycle) (timing.Status, error) {
	return m.Run(limit)
}

func cycleByCycle(m *timing.Multiprocessor, now, limit timing.Cycle) (timing.Status, error) {
	return m.Tick()
}

func eventByEvent(m *timing.Multiprocessor, now, limit timing.Cycle) (timing.Status, error) {
	if next := m.NextEvent(); next < limit {
		return m.Run(next + 1)
	}
	return m.Run(limit)
}

// Ticks, hops from event to event, runs and random cuts come to the same, with blocks that
// begin midway and on an idle machine.
func TestStartsMidway(t *testing.T) {
	for seed := range uint64(*programs) {
		r := rand.New(rand.NewPCG(seed, 12))
		var blocks []lateBlock
		at := timing.Cycle(0)
		for range 2 + r.IntN(3) {
			if r.IntN(3) > 0 {
				at += timing.Cycle(r.IntN(600))
			}
			recs := randomBlock(r, 1+r.IntN(10))
			if r.IntN(4) == 0 {
				recs = loop(r, 1+r.IntN(6), 1+r.IntN(20))
			}
			blocks = append(blocks, lateBlock{at, recs})
		}
		c := timing.Config{Scheduler: timing.Scheduler(seed % 2)}
		m := machine(t, c)
		want := driveLate(t, m, blocks, whole, toTheLimit)
		for name, advance := range map[string]driver{
			"cycle by cycle": cycleByCycle, "event by event": eventByEvent,
			"random cuts": func(m *timing.Multiprocessor, now, limit timing.Cycle) (timing.Status, error) {
				if r.IntN(3) == 0 {
					return m.Tick()
				}
				return m.Run(min(limit, now+timing.Cycle(r.IntN(90))))
			},
		} {
			m.Reset()
			require.Empty(t, cmp.Diff(want, driveLate(t, m, blocks, whole, advance), counters), "%s, seed %d", name, seed)
		}
		m.Reset()
		pieces := func(left int) int { return min(left, 1+r.IntN(9)) }
		require.Empty(t, cmp.Diff(want, driveLate(t, m, blocks, pieces, eventByEvent), counters), "in pieces, seed %d", seed)
	}
}
