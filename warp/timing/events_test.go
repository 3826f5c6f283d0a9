package timing_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// of returns the kinds of event that an instruction comes to, in their order; answered
// says that the time of an access is told of.
func kindsOf(in isa.Instr) (kinds []timing.EventKind) {
	switch in.Op {
	case isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal:
		return []timing.EventKind{timing.Completed}
	case isa.BarSync, isa.BarRed:
		return []timing.EventKind{timing.Arrived, timing.Released}
	case isa.BarArrive:
		return []timing.EventKind{timing.Arrived}
	case isa.Reconverge:
		return []timing.EventKind{timing.Reconverged}
	case isa.Branch:
		if in.Aux == isa.BranchDivergent {
			return []timing.EventKind{timing.Diverged}
		}
	}
	return nil
}

// Observers are told of everything that the program means, once, at cycles that agree
// with when instructions are issued; and that changes nothing.
func TestEvents(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 21))
		blocks := [][][]isa.Instr{randomBlock(r, 1+r.IntN(9))}
		plain := newHost(t, seed, 1, timing.Config{})
		want, _ := plain.play(blocks, ticks)

		type place struct {
			warp  int
			index int64
		}
		events := map[place][]timing.Event{}
		issued := map[place]timing.Cycle{}
		watched := newHost(t, seed, 1, timing.Config{
			Observer: func(i *timing.Issue) { issued[place{i.Warp, i.Index}] = i.Cycle },
			Events: func(e *timing.Event) {
				require.Zero(t, e.Block)
				events[place{e.Warp, e.Index}] = append(events[place{e.Warp, e.Index}], *e)
			},
		})
		got, _ := watched.play(blocks, ticks)
		require.Empty(t, cmp.Diff(want, got, counters), "seed %d", seed)
		for w, recs := range blocks[0] {
			for i, in := range recs {
				at := place{w, int64(i)}
				var kinds []timing.EventKind
				for _, e := range events[at] {
					kinds = append(kinds, e.Kind)
					require.GreaterOrEqual(t, e.Cycle, issued[at], "%v", e)
					switch e.Kind {
					case timing.Arrived, timing.Diverged, timing.Reconverged:
						require.Equal(t, issued[at], e.Cycle)
						require.Equal(t, in, e.Instr)
					case timing.Completed:
						require.Equal(t, in.Op, e.Instr.Op)
					case timing.Released:
						require.Equal(t, in.Aux, e.Instr.Aux, "the barrier")
						for j := i + 1; j < len(recs); j++ {
							// None that touches memory or control comes before.
							if recs[j].Op == isa.BarSync || recs[j].Op == isa.BarRed || recs[j].Op == isa.LoadShared {
								require.GreaterOrEqual(t, issued[place{w, int64(j)}], e.Cycle)
							}
						}
					}
				}
				slices.Sort(kinds)
				wanted := kindsOf(in)
				require.Equal(t, wanted, kinds, "seed %d, warp %d, instruction %d, %v", seed, w, i, in)
			}
		}
		// From event to event, and with a snapshot midway, the same is told.
		again := map[place][]timing.Event{}
		hopped := newHost(t, seed, 1, timing.Config{Events: func(e *timing.Event) {
			again[place{e.Warp, e.Index}] = append(again[place{e.Warp, e.Index}], *e)
		}})
		hopped.play(blocks, hops)
		require.Equal(t, events, again)
	}
}

// Without a memory of the host's accesses are complete when their readers can be issued.
func TestEventsWithoutMemory(t *testing.T) {
	var at []timing.Cycle
	var reader timing.Cycle
	m := machine(t, timing.Config{
		Events:   func(e *timing.Event) { at = append(at, e.Cycle) },
		Observer: func(i *timing.Issue) { reader = i.Cycle },
	})
	load := isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: r1, A: isa.RowPair(2), Aux: isa.MemAux(4, isa.LevelL2), Count: 1}
	run(t, m, []isa.Instr{load, op(isa.FAdd, r2, r1)})
	require.Equal(t, []timing.Cycle{reader}, at)
	require.Equal(t, "completed", timing.Completed.String())
	require.Equal(t, "event(9)", timing.EventKind(9).String())
}

func TestEventsDoNotAllocate(t *testing.T) {
	n := 0
	m := machine(t, timing.Config{Events: func(*timing.Event) { n++ }})
	recs := repeat(append([]isa.Instr{{Op: isa.Branch, Aux: isa.BranchDivergent}, {Op: isa.Reconverge}}, mixes[1].step...), 400)
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() {
		m.Reset()
		play(t, m, 4, recs)
	}), 0.0)
	require.Positive(t, n)
}
