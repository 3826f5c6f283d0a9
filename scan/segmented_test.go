package scan_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// Segments of every kind of tile: an operator that does not commute sees the
// lanes of one segment in order and no other.
func TestSegmentsStayInsideTheirGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, name := range devices {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for range 150 {
			width, live := 1+r.IntN(lanes), 1+r.IntN(lanes)
			valid := r.IntN(width + 1)
			flags := lane.Mask{Lo: r.Uint64(), Hi: r.Uint64()}.And(lane.FirstN(lanes))
			initial := r.IntN(2) == 0
			item := func(l int) bool {
				return l >= 0 && l < live && l/width*width+width <= lanes && l%width < valid
			}
			starts := func(l int) bool { return l%width == 0 || flags.Has(l) }
			run(t, e, live, func(w *warp.Warp) {
				v, before, sum := warp.Alloc[span](w), warp.Alloc[span](w), warp.Alloc[span](w)
				p, have := w.Pred(), w.Pred()
				var items lane.Mask
				for l := range lanes {
					v.Lanes()[l] = poisoned
					if item(l) {
						items = items.With(l)
					}
				}
				warp.SetPred(have, items)
				w.Where(have, func() {
					warp.SetLanes(v, func(l int) span { return span{int32(l), int32(l)} })
					warp.SetPred(p, flags)
				})
				s := scan.Spec[span]{Width: width, Valid: team.First(valid), Exclusive: before, Aggregate: sum}
				if initial {
					s.Initial = warp.Alloc[span](w)
					warp.Set(s.Initial, span{-100, -100})
				}
				scan.HeadSegmented(v, ordered.WithIdentity(nothing), p, s)
				for l := range live {
					if !item(l) {
						continue
					}
					first, last := l, l
					for !starts(first) {
						first--
					}
					for item(last+1) && !starts(last+1) {
						last++
					}
					begin, front := int32(first), nothing
					if initial {
						begin, front = -100, span{-100, -100}
					}
					if l > first {
						front = span{begin, int32(l - 1)}
					}
					where := func() string { return name }
					if !hold(t, "inclusive", v, l, span{begin, int32(l)}, where) ||
						!hold(t, "exclusive", before, l, front, where) ||
						!hold(t, "aggregate", sum, l, span{int32(first), int32(last)}, where) {
						return
					}
				}
			})
		}
	}
}

func TestGridSegmented(t *testing.T) {
	e := engine(t, "mi300x")
	a, err := scan.Lookup[scan.Flagged[int64]]("hybrid")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(9, 9))
	data, heads, want := make([]int64, 3000), make([]bool, 3000), make([]int64, 3000)
	sum := int64(0)
	for i := range data {
		data[i], heads[i] = r.Int64(), r.IntN(200) == 0
		if heads[i] {
			sum = 0
		}
		sum += data[i]
		want[i] = sum
	}
	for _, method := range []scan.Method{scan.ThreePhase, scan.LookBack} {
		s := scan.Shape{Threads: 128, Items: 2, Method: method}
		got, _, err := scan.GridSegmented(context.Background(), e, data, heads, reduce.Sum[int64](), a, s)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, report, err := scan.GridSegmented(context.Background(), e, data, heads[1:], reduce.Sum[int64](), a, scan.Shape{})
	require.ErrorIs(t, err, team.ErrFlags)
	require.NotNil(t, report)
	_, _, err = scan.GridSegmented(context.Background(), e, data, heads, reduce.Sum[int64](), a, scan.Shape{Exclusive: true})
	require.ErrorIs(t, err, team.ErrShape)
}

// Blocks that share a multiprocessor look back at blocks that still run.
func TestLookBackAmongResidentBlocks(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	small := p.Clone()
	small.Limits.Multiprocessors = 2
	for _, workers := range []int{1, 4} {
		e, err := warp.New(warp.Config{Device: small, ValuesOnly: true, Workers: workers, Sanitize: true})
		require.NoError(t, err)
		data := make([]span, 20000)
		for i := range data {
			data[i] = span{int32(i), int32(i)}
		}
		for _, name := range []string{"hybrid", "raking", "blelloch"} {
			a, err := scan.Lookup[span](name)
			require.NoError(t, err)
			got, report, err := scan.Grid(context.Background(), e, data, lenient, a, scan.Shape{Threads: 64, Items: 2, Method: scan.LookBack})
			require.NoError(t, err)
			require.Empty(t, report.Faults)
			require.Greater(t, report.Resident, 1)
			for i, v := range got {
				require.Equal(t, span{0, int32(i)}, v)
			}
		}
	}
}
