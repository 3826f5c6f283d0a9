package intrinsics_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// The per-lane functions give the value and book as many instructions
// as warp.Math names, less those that do not compute.
func TestFunctionsAreBooked(t *testing.T) {
	steps := 0
	for _, name := range []string{"exp", "quotient"} {
		m, ok := warp.MathOf(name, 32)
		require.True(t, ok)
		for op := range m.Ops() {
			if op.Computes() {
				steps++
			}
		}
	}
	const others = 1 + 2 // FMA, and the two stores
	p := profile(t, "h200")
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	exps, err := intrinsics.Global(e, make([]float32, 32))
	require.NoError(t, err)
	quotients, err := intrinsics.Global(e, make([]int32, 32))
	require.NoError(t, err)
	report, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *intrinsics.Thread) {
		x := intrinsics.FMA(t, float32(t.Lane()), 0.25, -4)
		exps.Store(t, t.Lane(), intrinsics.Exp(t, x))
		quotients.Store(t, t.Lane(), intrinsics.Quo(t, -1000, int32(t.Lane())))
	})
	require.NoError(t, err)
	for l := range 32 {
		want := math.Exp(float64(l)/4 - 4)
		assert.InEpsilon(t, want, exps.Data()[l], 1e-6)
		if l > 0 {
			assert.Equal(t, int32(-1000/l), quotients.Data()[l])
		}
	}
	assert.Equal(t, int32(-1), quotients.Data()[0], "by zero, all bits are set")
	assert.EqualValues(t, steps+others, report.Instructions)
}
