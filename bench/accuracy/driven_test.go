package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// drivenKernels is how many rows of each set TestKernelsHoweverDriven takes: with
// -driven 0 it takes all.
var drivenKernels = flag.Int("driven", 4, "rows of each set whose runs are driven in several ways, 0: all")

// recordingBench returns a bench that keeps what each warp issued.
func recordingBench(t *testing.T, p *device.Profile, scheduler timing.Scheduler, keep func(e *warp.RecordsEvent)) *bench {
	b := &bench{}
	e, err := warp.New(warp.Config{Device: p, Scheduler: scheduler, Memory: memory.Warm,
		Observer: &warp.Observer{Issued: func(i *timing.Issue) { b.issued(i) }, Records: keep}})
	require.NoError(t, err)
	b.engine = e
	b.out, err = warp.Global(e, make([]uint32, outWords))
	require.NoError(t, err)
	return b
}

// What the listings issue takes the same cycles in one call of Run, cycle by cycle, from
// event to event, and cut at random, with a second block that begins midway.
func TestKernelsHoweverDriven(t *testing.T) {
	if testing.Short() {
		t.Skip("plays kernels cycle by cycle")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	table, err := timing.Compile(&p.Timing, p.Lanes)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 1))
	played := 0
	for _, from := range []source{kernelSet, latencySet, furtherSet, codedSet, secondSet} {
		s, err := load(from)
		require.NoError(t, err)
		var warps [][]grid.Chunk
		b := recordingBench(t, p, s.scheduler, func(e *warp.RecordsEvent) {
			for len(warps) <= e.Warp {
				warps = append(warps, nil)
			}
			c := e.Chunk
			c.Recs, c.Lines, c.Sites = slices.Clone(c.Recs), nil, nil
			warps[e.Warp] = append(warps[e.Warp], c)
		})
		rows := s.rows
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if n := *drivenKernels; n > 0 {
			rows = rows[:min(n, len(rows))]
		}
		for _, row := range rows {
			if isChase(row) {
				continue
			}
			c, err := s.code(row)
			require.NoError(t, err)
			warps = warps[:0]
			_, err = b.run(c.launch(0, row.threads), nil)
			require.NoError(t, err)
			m, err := timing.New(table, timing.Config{Scheduler: s.scheduler})
			require.NoError(t, err)
			late := timing.Cycle(r.IntN(3000))
			play := func(advance func(limit timing.Cycle) (timing.Status, error)) string {
				m.Reset()
				start := func() {
					b, err := m.StartBlock(len(warps))
					require.NoError(t, err)
					for w, chunks := range warps {
						for _, c := range chunks {
							m.Feed(b, w, c.Recs, nil, nil)
						}
						m.End(b, w)
					}
				}
				start()
				for blocks, ended := 1, 0; ended < 2; {
					limit := timing.Never
					if blocks == 1 {
						if limit = late; m.Now() == late {
							start()
							blocks++
							continue
						}
					}
					st, err := advance(limit)
					require.NoError(t, err)
					if st.State == timing.BlockEnded {
						ended++
					}
				}
				out := fmt.Sprint(*m.Totals())
				for i := range 2 {
					start, end := m.Block(i)
					out += fmt.Sprint(start, end, m.BlockCycles(i))
				}
				return out
			}
			want := play(m.Run)
			for name, advance := range map[string]func(timing.Cycle) (timing.Status, error){
				"cycle by cycle": func(timing.Cycle) (timing.Status, error) { return m.Tick() },
				"event by event": func(limit timing.Cycle) (timing.Status, error) {
					return m.Run(min(limit, min(m.NextEvent(), timing.Never-1)+1))
				},
				"random cuts": func(limit timing.Cycle) (timing.Status, error) {
					return m.Run(min(limit, m.Now()+timing.Cycle(r.IntN(2000))))
				},
			} {
				require.Equal(t, want, play(advance), "%s, %d threads, %s", row.kernel, row.threads, name)
			}
			played++
		}
	}
	require.Positive(t, played)
	t.Logf("%d rows", played)
}
