package row_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
)

type wide struct{ A, B, C uint32 }

func testMoves[T comparable](t *testing.T, value func(r *rand.Rand) T) {
	r := rand.New(rand.NewPCG(7, 9))
	for n := 1; n <= maxLanes; n++ {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = value(r), value(r)
		}
		for _, m := range []lane.Mask{{}, lane.FirstN(128), lane.FirstN(n), lane.Bit(n - 1), lane.Bit(n),
			{Lo: r.Uint64(), Hi: r.Uint64()}, {Lo: r.Uint64()}, {Hi: r.Uint64()}} {
			chosen := func(yes, no []T) []T {
				out := make([]T, n)
				for i := range out {
					out[i] = no[i]
					if m.Has(i) {
						out[i] = yes[i]
					}
				}
				return out
			}
			d := slices.Clone(y)
			row.Blend(d, x, m)
			if !slices.Equal(d, chosen(x, y)) {
				t.Fatalf("Blend of %d lanes by %s: %v", n, m, d)
			}
			d = make([]T, n)
			row.Select(d, x, y, m)
			ontoX, ontoY := slices.Clone(x), slices.Clone(y)
			row.Select(ontoX, ontoX, y, m)
			row.Select(ontoY, x, ontoY, m)
			for _, d := range [][]T{d, ontoX, ontoY} {
				if !slices.Equal(d, chosen(x, y)) {
					t.Fatalf("Select of %d lanes by %s: %v", n, m, d)
				}
			}
		}
		d := make([]T, n)
		row.Fill(d, x[0])
		if !slices.Equal(d, slices.Repeat(x[:1], n)) {
			t.Fatalf("Fill of %d lanes: %v", n, d)
		}
	}
}

func TestMoves(t *testing.T) {
	t.Run("uint8", func(t *testing.T) { testMoves(t, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }) })
	t.Run("bool", func(t *testing.T) { testMoves(t, func(r *rand.Rand) bool { return r.IntN(2) == 0 }) })
	t.Run("float64", func(t *testing.T) { testMoves(t, func(r *rand.Rand) float64 { return r.Float64() }) })
	t.Run("struct", func(t *testing.T) {
		testMoves(t, func(r *rand.Rand) wide { return wide{r.Uint32(), r.Uint32(), r.Uint32()} })
	})
}
