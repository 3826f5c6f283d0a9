package reduce_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// The orders of additions that the documents promise, written down a second
// time as plain recursion.

// falling adds item i and i+w/2 first, w the items rounded up to a power of two.
func falling(x []float32) float32 {
	x = append([]float32(nil), x...)
	w := 1
	for w < len(x) {
		w *= 2
	}
	for w /= 2; w > 0; w /= 2 {
		for i := 0; i < w && i+w < len(x); i++ {
			x[i] += x[i+w]
		}
		x = x[:min(w, len(x))]
	}
	return x[0]
}

// rising adds neighbours first.
func rising(x []float32) float32 {
	if len(x) == 1 {
		return x[0]
	}
	var half []float32
	for i := 0; i < len(x); i += 2 {
		s := x[i]
		if i+1 < len(x) {
			s += x[i+1]
		}
		half = append(half, s)
	}
	return rising(half)
}

func left(x []float32) float32 {
	s := x[0]
	for _, v := range x[1:] {
		s += v
	}
	return s
}

// parts cuts x into pieces of n and adds up each.
func parts(x []float32, n int, sum func([]float32) float32) []float32 {
	var out []float32
	for ; len(x) > n; x = x[n:] {
		out = append(out, sum(x[:n]))
	}
	return append(out, sum(x))
}

func TestOrderOfAdditions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var hillisSteele func(x []float32) float32 // the sum of a row, as its last lane gets it
	hillisSteele = func(x []float32) float32 {
		if len(x) == 1 {
			return x[0]
		}
		d := 1
		for 2*d < len(x) {
			d *= 2
		}
		return hillisSteele(x[:len(x)-d]) + hillisSteele(x[len(x)-d:])
	}
	promised := map[string]func(x []float32, lanes, threads int) float32{
		"shuffle-down":            func(x []float32, _, _ int) float32 { return falling(x) },
		"shuffle-interleaved":     func(x []float32, _, _ int) float32 { return rising(x) },
		"shuffle-xor":             func(x []float32, _, _ int) float32 { return falling(x) },
		"shuffle-xor-interleaved": func(x []float32, _, _ int) float32 { return rising(x) },
		"row-moves": func(x []float32, _, _ int) float32 {
			rows := parts(x, 16, hillisSteele)
			if len(rows) > 2 {
				rows = append([]float32{rows[0] + rows[1]}, left(rows[2:]))
			}
			return left(rows)
		},
		"shared-tree":        func(x []float32, _, _ int) float32 { return falling(x) },
		"shared-interleaved": func(x []float32, _, _ int) float32 { return rising(x) },
		"sequential":         func(x []float32, _, _ int) float32 { return left(x) },
		"hybrid":             func(x []float32, l, _ int) float32 { return falling(parts(x, l, falling)) },
		"hybrid-interleaved": func(x []float32, l, _ int) float32 { return rising(parts(x, l, rising)) },
		"warp-reductions":    func(x []float32, l, _ int) float32 { return left(parts(x, l, rising)) },
		"block-tree":         func(x []float32, _, _ int) float32 { return falling(x) },
		"block-unrolled":     func(x []float32, _, _ int) float32 { return falling(x) },
		"block-interleaved":  func(x []float32, _, _ int) float32 { return rising(x) },
		"tree-then-shuffle":  func(x []float32, _, _ int) float32 { return falling(x) },
		"block-sequential":   func(x []float32, _, _ int) float32 { return left(x) },
		"raking": func(x []float32, l, threads int) float32 {
			return rising(parts(x, (threads+l-1)/l, left))
		},
		"raking-commutative": func(x []float32, l, threads int) float32 {
			if len(x) < threads || threads%l > 0 || threads == l {
				return rising(parts(x, (threads+l-1)/l, left))
			}
			lanes := append([]float32(nil), x[:l]...)
			for i := range lanes {
				n := threads/l - 1
				lanes[i] = rising(append([]float32{x[i]}, x[l+i*n:l+(i+1)*n]...))
			}
			return rising(lanes)
		},
	}
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for _, a := range reduce.Algorithms[float32]() {
			if strings.Contains(a.Name, "redux") || a.Name == "atomics" {
				continue // integers only; an order that no one promises
			}
			order, ok := promised[a.Name]
			require.True(t, ok, a.Name)
			for _, threads := range []int{lanes, 2 * lanes, 100, 4 * lanes} {
				for _, valid := range []int{threads, threads - threads/3} {
					if a.Scope == reduce.WarpScope && threads != lanes || a.Fits(e.Device(), reduce.Sum[float32](), reduce.Tile{}, threads) != nil {
						continue
					}
					in := make([]float32, threads)
					for i := range in {
						in[i] = float32(r.NormFloat64()) * float32(int(1)<<r.IntN(20))
					}
					got := collective(t, e, a, reduce.Sum[float32](), in, reduce.Tile{Valid: team.First(valid)})
					if want := order(in[:valid], lanes, threads); got[0] != want {
						t.Errorf("%s on %s, %d of %d: %v, want %v", a.Name, name, valid, threads, got[0], want)
					}
				}
			}
		}
	}
}
