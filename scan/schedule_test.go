package scan_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// Whatever the order of warps and blocks, the result is the same, and no two
// accesses race.
func TestAnySchedule(t *testing.T) {
	for seed := range uint64(3) {
		e := configured(t, "h200", warp.Config{ValuesOnly: true, Sanitize: true, Seed: seed})
		for _, prefix := range []bool{false, true} {
			checkBlock(t, e, wish{exclusive: true, aggregate: true, prefix: prefix}, 150)
			checkBlock(t, e, wish{exclusive: true, valid: 99, initial: !prefix, prefix: prefix}, 150)
		}
		p := e.Device().Clone()
		p.Limits.Multiprocessors = 2 // so that blocks share one
		small, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true, Seed: seed})
		require.NoError(t, err)
		data := make([]span, 2500)
		for i := range data {
			data[i] = span{int32(i), int32(i)}
		}
		for _, a := range scan.Algorithms[span]() {
			if a.Scope != reduce.BlockScope {
				continue
			}
			for _, method := range []scan.Method{scan.ThreePhase, scan.LookBack} {
				got, report, err := scan.Grid(context.Background(), small, data, lenient, a, scan.Shape{Threads: 64, Items: 2, Method: method})
				require.NoError(t, err)
				require.Empty(t, report.Faults, a.Name)
				for i, v := range got {
					if v != (span{0, int32(i)}) {
						t.Fatalf("%s %s seed %d: item %d is %v", a.Name, method, seed, i, v)
					}
				}
			}
		}
	}
}
