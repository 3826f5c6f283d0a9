package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/half"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// Floats of 16 bits and pairs of them are values like others, on all widths.
func TestHalvesPerLane(t *testing.T) {
	for _, d := range wide {
		e := engine(t, d, warp.Config{})
		n := e.Device().Lanes
		in, err := intrinsics.Global(e, by(n, func(i int) half.Float16 { return half.Of[half.Float16](float64(i % 4)) }))
		require.NoError(t, err)
		out, err := intrinsics.Global(e, make([]half.Pair[half.Float16], n))
		require.NoError(t, err)
		_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), func(t *thread) {
			x := in.Load(t, t.Lane())
			v := half.Pair[half.Float16]{Low: x, High: x.Mul(x)}
			for d := n / 2; d > 0; d /= 2 {
				v = v.Add(intrinsics.ShflXor(t, v, d))
				t.Work(isa.HFma, 1)
			}
			out.Store(t, t.Lane(), v)
		})
		require.NoError(t, err)
		want := half.Pair[half.Float16]{Low: half.Of[half.Float16](float64(n / 4 * 6)), High: half.Of[half.Float16](float64(n / 4 * 14))}
		for _, v := range out.Data() {
			require.Equal(t, want, v, d)
		}
	}
}
