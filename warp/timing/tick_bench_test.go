package timing_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// waiting is a block whose warps wait for long: each for a load from far away.
func waiting(t testing.TB, warps int) *timing.Multiprocessor {
	m := machine(t, timing.Config{Memory: answers(func(a *timing.Access) timing.Cycle { return 1 << 40 })})
	b, err := m.StartBlock(warps)
	require.NoError(t, err)
	load := isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: r1, A: isa.RowPair(2), Aux: isa.MemAux(4, isa.LevelL2), Count: 1}
	for w := range warps {
		m.Feed(b, w, []isa.Instr{load, op(isa.FAdd, r2, r1)}, nil, []isa.Line{isa.MakeLine(uint64(w), 1, 0, 0, 0).End()})
		m.End(b, w)
	}
	for m.NextEvent() < 1<<39 {
		_, err := m.Tick()
		require.NoError(t, err)
	}
	return m
}

// answers is a memory that answers at once.
type answers func(a *timing.Access) timing.Cycle

func (f answers) Access(a *timing.Access) timing.Cycle { return f(a) }

// BenchmarkTick is the cost of one cycle: of a machine whose warps all wait, of one
// that issues in every sub-partition, and what simulating the same instructions takes
// in one call of Run.
func BenchmarkTick(b *testing.B) {
	for _, warps := range []int{0, 1, 64} {
		b.Run(fmt.Sprintf("idle/warps=%d", warps), func(b *testing.B) {
			m := machine(b, timing.Config{})
			if warps > 0 {
				m = waiting(b, warps)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Tick(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	// Some instructions in a cycle, and one in each sub-partition.
	full := []isa.Instr{op(isa.FFma, r1, r2, r3), op(isa.FAdd, r3, r2), op(isa.FMul, isa.Row(7), r2), op(isa.FFma, isa.Row(8), r3)}
	for _, c := range []struct {
		name  string
		warps int
		step  []isa.Instr
	}{{"some", 4, mixes[2].step}, {"some", 16, mixes[2].step}, {"some", 64, mixes[2].step}, {"full", 64, full}} {
		warps := c.warps
		for _, ticks := range []bool{true, false} {
			name := fmt.Sprintf("busy/%s/warps=%d", c.name, warps)
			if !ticks {
				name = fmt.Sprintf("run/%s/warps=%d", c.name, warps)
			}
			b.Run(name, func(b *testing.B) {
				m := machine(b, timing.Config{})
				runs := variants(straight, c.step, 1<<10)
				cycles := timing.Cycle(0)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					m.Reset()
					recs := runs[i%len(runs)]
					blk, err := m.StartBlock(warps)
					if err != nil {
						b.Fatal(err)
					}
					for w := range warps {
						m.Feed(blk, w, recs, nil, nil)
						m.End(blk, w)
					}
					for {
						advance := m.Tick
						if !ticks {
							advance = toTheEnd(m)
						}
						st, err := advance()
						if err != nil {
							b.Fatal(err)
						}
						if st.State == timing.Done {
							break
						}
					}
					cycles += m.Now()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(cycles), "ns/cycle")
				b.ReportMetric(float64(m.Totals().Instructions)/float64(m.Now()), "instr/cycle")
			})
		}
	}
}

// BenchmarkObserver is what an observer of issues costs an instruction, beside the
// same run without one.
func BenchmarkObserver(b *testing.B) {
	for _, observed := range []bool{false, true} {
		b.Run(fmt.Sprintf("observed=%t", observed), func(b *testing.B) {
			n := int64(0)
			c := timing.Config{}
			if observed {
				c.Observer = func(i *timing.Issue) { n += int64(i.Warp) }
			}
			m := machine(b, c)
			runs := variants(straight, mixes[2].step, 1<<12)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Reset()
				play(b, m, 8, runs[i%len(runs)])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(8*len(runs[0])), "ns/instr")
		})
	}
}
