package view_test

import (
	"context"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view"
)

// costs are the ways to run one kernel, from nothing recorded to everything.
var costs = []struct {
	name  string
	setUp func(c *warp.Config) *view.Recording
}{
	{"off", func(*warp.Config) *view.Recording { return nil }},
	{"lines", func(c *warp.Config) *view.Recording { c.Sites = true; return nil }},
	{"empty observer", func(c *warp.Config) *view.Recording {
		c.Observer = &warp.Observer{Instr: func(warp.InstrEvent) {}, Issued: func(*timing.Issue) {}}
		return nil
	}},
	{"profile", func(c *warp.Config) *view.Recording { return view.Attach(c, view.Options{Steps: -1, Issues: -1}) }},
	{"profile and times", func(c *warp.Config) *view.Recording { return view.Attach(c, view.Options{Steps: -1, Issues: 1 << 20}) }},
	{"profile and trace", func(c *warp.Config) *view.Recording {
		return view.Attach(c, view.Options{Steps: -1, Issues: -1, Trace: io.Discard})
	}},
	{"everything of every step", func(c *warp.Config) *view.Recording { return view.Attach(c, view.Options{Steps: 1 << 20}) }},
}

func costEngine(t testing.TB, setUp func(c *warp.Config) *view.Recording) (*warp.Engine, warp.Kernel) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	c := warp.Config{Device: p, Workers: 1}
	setUp(&c)
	e, err := warp.New(c)
	require.NoError(t, err)
	return e, func(w *warp.Warp) {
		v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
		warp.Set(v, 1)
		for range 2000 {
			warp.ShflDown(x, v, 1)
			warp.Add(v, v, x)
		}
	}
}

// BenchmarkRecording says what an instruction costs the host by what is recorded.
func BenchmarkRecording(b *testing.B) {
	for _, c := range costs {
		b.Run(c.name, func(b *testing.B) {
			e, k := costEngine(b, c.setUp)
			var n int64
			for b.Loop() {
				r, err := e.Run(context.Background(), block(128), k)
				require.NoError(b, err)
				n += r.Instructions
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instr")
		})
	}
}

// Off, and with an observer that keeps nothing, an instruction allocates nothing: a
// run of thousands allocates as often as a run of a few.
func TestNothingRecordedAllocatesNothing(t *testing.T) {
	for _, c := range costs[:3] {
		e, long := costEngine(t, c.setUp)
		short := func(w *warp.Warp) {
			v := warp.Alloc[float32](w)
			warp.Set(v, 1)
			warp.Add(v, v, v)
		}
		allocs := func(k warp.Kernel) float64 {
			return testing.AllocsPerRun(3, func() {
				if _, err := e.Run(context.Background(), block(128), k); err != nil {
					t.Error(err)
				}
			})
		}
		allocs(long) // warm up
		// A collection in between empties pools, so that the least of three differences counts.
		least := math.Inf(1)
		for range 3 {
			if least = min(least, math.Abs(allocs(long)-allocs(short))); least <= 4 {
				break
			}
		}
		require.LessOrEqual(t, least, 4.0, "%s: 16,000 instructions allocate", c.name)
	}
}
