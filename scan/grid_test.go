package scan_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// lenient is ordered, but makes nonsense of spans that are no neighbours: a
// reduction joins such in lanes that have no part in its result.
var lenient = reduce.New("join", isa.IAdd, func(a, b span) span {
	switch {
	case a == nothing:
		return b
	case b == nothing:
		return a
	case a.Last+1 != b.First || a.First < 0:
		return span{-1, -1}
	}
	return span{a.First, b.Last}
}).WithIdentity(nothing)

// Joining spans in any other order, or losing one, shows in the result.
func TestGridScansKeepOrder(t *testing.T) {
	names, sizes := []string{"h200", "mi300x", "mtt-s4000", "custom-4"}, []int{0, 1, 100, 1000, 5000}
	if testing.Short() {
		names, sizes = names[:2], []int{0, 1, 1000}
	}
	for _, name := range names {
		e := engine(t, name)
		for _, n := range sizes {
			data := make([]span, n)
			for i := range data {
				data[i] = span{int32(i), int32(i)}
			}
			for _, a := range scan.Algorithms[span]() {
				if a.Scope != reduce.BlockScope {
					continue
				}
				for _, s := range []scan.Shape{
					{Threads: 64, Items: 3},
					{Threads: 100, Items: 1, Exclusive: true},
					{Threads: 32, Items: 4, Method: scan.LookBack},
					{Threads: 64, Items: 2, Method: scan.LookBack, Exclusive: true},
				} {
					got, report, err := scan.Grid(context.Background(), e, data, lenient, a, s)
					require.NoError(t, err, "%s %+v", a.Name, s)
					require.Empty(t, report.Faults)
					require.Len(t, got, n)
					for i, v := range got {
						want := span{0, int32(i)}
						if s.Exclusive {
							want.Last--
						}
						if s.Exclusive && i == 0 {
							want = nothing
						}
						if v != want {
							t.Fatalf("%s on %s, %+v, %d items: item %d is %v, want %v", a.Name, name, s, n, i, v, want)
						}
					}
				}
			}
		}
	}
}
