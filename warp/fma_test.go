package warp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A fused sum is the exact one, rounded once.
func TestFMARoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	draw := func() float32 {
		for {
			if f := math.Float32frombits(r.Uint32()); f == f && !math.IsInf(float64(f), 0) {
				return f
			}
		}
	}
	exact := func(x, y, z float32) float32 {
		p := new(big.Float).SetPrec(2000).SetFloat64(float64(x))
		p.Mul(p, new(big.Float).SetFloat64(float64(y)))
		f, _ := p.Add(p, new(big.Float).SetFloat64(float64(z))).Float32()
		return f
	}
	check := func(x, y, z float32) {
		got, want := fma(x, y, z), exact(x, y, z)
		require.Equal(t, want, got, "%x*%x + %x", x, y, z)
	}
	for range 200_000 {
		x, y, z := draw(), draw(), draw()
		check(x, y, z)
		// Sums near a tie of single precision, where rounding twice goes wrong.
		if p := x * y; !math.IsInf(float64(p), 0) {
			if far := p * (1 << 24); !math.IsInf(float64(far), 0) {
				check(x, y, far)
				check(x, y, -far)
			}
			check(x, y, -p)
		}
	}
	// 1 + 2^-24 + 2^-60 is above the tie, but not once rounded to a double.
	check(1+1.0/(1<<12), 1.0/(1<<12), 1)
	require.True(t, math.IsNaN(float64(fma(float32(math.Inf(1)), 0, 1))))
	require.Equal(t, float32(math.Inf(1)), fma(float32(math.MaxFloat32), 2, 0))
	require.Equal(t, math.FMA(0.1, 10, -1), fma(0.1, 10.0, -1))
}
