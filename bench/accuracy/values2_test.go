package main

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// The kernels as testdata/programs/kernels2.cu has them.

func bitonic(v []int32) {
	for k := 2; k <= 32; k *= 2 {
		for j := k / 2; j > 0; j /= 2 {
			lanewise(v, func(t int, x []int32) int32 {
				if (t&k&31 == 0) == (t&j == 0) {
					return min(x[t], x[t^j])
				}
				return max(x[t], x[t^j])
			})
		}
	}
	lanewise(v, func(t int, x []int32) int32 { return x[t] + int32(t%32*7&5) })
}

func argmax(v []float32) {
	at := make([]int32, len(v))
	for t := range at {
		at[t] = int32(t % 32)
	}
	for o := 16; o > 0; o /= 2 {
		values, places := append([]float32(nil), v...), append([]int32(nil), at...)
		for t := range v {
			if from := t + o; t%32+o < 32 && values[from] > values[t] {
				v[t], at[t] = values[from], places[from]
			}
		}
	}
	for t := range v {
		v[t] += float32(at[t])
	}
}

// sumAndSquares is in the order of the compiler, which makes a product and a sum one
// operation with one rounding.
func sumAndSquares(v []float32) {
	q := append([]float32(nil), v...)
	for t := range q {
		q[t] *= q[t]
	}
	butterfly(v)
	butterfly(q)
	for t := range v {
		v[t] -= q[t]
	}
}

func softmax(v []float32) {
	for w := 0; w < len(v); w += 32 {
		x := v[w : w+32]
		most, sum := math.Inf(-1), 0.0
		for _, y := range x {
			most = max(most, float64(y))
		}
		for _, y := range x {
			sum += math.Exp2(float64(y) - most)
		}
		for i, y := range x {
			x[i] = float32(math.Exp2(float64(y)-most) / sum)
		}
	}
}

func matchLeader(v []uint32) {
	lanewise(v, func(t int, x []uint32) uint32 {
		var m uint32
		for l, y := range x[t&^31 : t&^31+32] {
			if y&3 == x[t]&3 {
				m |= 1 << l
			}
		}
		n := x[t] + uint32(bits.OnesCount32(m))
		if bits.TrailingZeros32(m) == t%32 {
			n++
		}
		return n
	})
}

func matvec(v []float32) {
	lanewise(v, func(t int, x []float32) (a float32) {
		for i, y := range x[t&^31 : t&^31+32] {
			a = fused(y, float32(0.03)*float32(i+1), a)
		}
		return a
	})
}

// fused returns x*y + z, rounded once: the product is exact in doubles, and the sum is
// rounded to odd there.
func fused(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	back := s - p
	if rest := (p - (s - back)) + (c - back); rest != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), rest))
	}
	return float32(s)
}

// transpose adds to each lane what column of it is in the rows of 8 others.
func transpose(pitch int) func(v []float32) {
	return func(v []float32) {
		for w := 0; w < len(v); w += 32 {
			x := v[w : w+32]
			s := make([]float32, 32*33+8) // what no lane writes stays 0
			for l, y := range x {
				for i := range 8 {
					s[l*pitch+i] = y + float32(i)
				}
			}
			for l := range x {
				for i := range 8 {
					x[l] += s[i*pitch+l]
				}
			}
		}
	}
}

func blockMax(v []float32) {
	most := v[0]
	for _, x := range v {
		most = max(most, x)
	}
	for t := range v {
		v[t] = most + float32(t)
	}
}

func interleaved(v []float32) {
	for o := 1; o < len(v); o *= 2 {
		for i := 0; i < len(v); i += 2 * o {
			v[i] += v[i+o]
		}
	}
	for t := len(v) - 1; t >= 0; t-- {
		v[t] = v[0] + float32(t)
	}
}

func butterfly64(v []float64) {
	for o := 16; o > 0; o /= 2 {
		lanewise(v, func(t int, x []float64) float64 { return x[t] + x[t^o] })
	}
}

func scanUp64(v []float64) {
	for d := 1; d < 32; d *= 2 {
		lanewise(v, func(t int, x []float64) float64 {
			if t%32 >= d {
				return x[t] + x[t-d]
			}
			return x[t]
		})
	}
}

func segmented(v []float32) {
	for w := 0; w < len(v); w += 32 {
		x := v[w : w+32]
		last := make([]int, 32)
		for l := range last {
			for last[l] = l; last[l] < 31 && (last[l]+1)%5 != 0 && !(x[last[l]+1] > 1e30); last[l]++ {
			}
		}
		for o := 1; o < 32; o *= 2 {
			lanewise(x, func(l int, x []float32) float32 {
				if l+o <= last[l] {
					return x[l] + x[l+o]
				}
				return x[l]
			})
		}
	}
}

func four(v []float32) {
	a, b, c, d := append([]float32(nil), v...), make([]float32, len(v)), make([]float32, len(v)), make([]float32, len(v))
	for t, x := range v {
		b[t], c[t], d[t] = x+1, x*2, x-3
	}
	for _, x := range [][]float32{a, b, c, d} {
		butterfly(x)
	}
	for t := range v {
		v[t] = fused(a[t], b[t], -(c[t] * d[t]))
	}
}

func init() {
	for name, f := range map[string]any{
		"bitonic_sort32_s32": bitonic, "warp_argmax_f32": argmax, "warp_sum_and_sumsq_f32": sumAndSquares,
		"warp_softmax_f32": softmax, "match_leader_count_u32": matchLeader, "matvec_shfl_broadcast_f32": matvec,
		"transpose_conflict_f32": transpose(32), "transpose_padded_f32": transpose(33),
		"block_max_hybrid_f32": blockMax, "block_tree_interleaved_conflicts_f32": interleaved,
		"warp_reduce_xor_f64": butterfly64, "warp_scan_up_f64": scanUp64,
		"segmented_reduce_head_flags_f32": segmented, "four_independent_reduces_f32": four,
	} {
		references[name] = f
	}
}

// approximate has by how much, relatively, kernels may be off that use approximations,
// or whose roundings are the compiler's choice.
var approximate = map[string]float64{"warp_softmax_f32": 1e-5}

func TestValuesOfTheSecondSet(t *testing.T) { checkValues(t, secondSet) }

// The second set compiled for other architectures computes the same.
func TestValuesOfOtherArchitectures(t *testing.T) {
	for _, arch := range []int{75, 80, 100, 120} {
		checkValues(t, source{fmt.Sprintf("archs/kernels2.sm_%d.sass.gz", arch), secondRows})
	}
}
