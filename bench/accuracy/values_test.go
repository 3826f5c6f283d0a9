package main

import (
	"math"
	"math/bits"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type number interface {
	int32 | uint32 | float32 | float64
}

// The kernels as testdata/programs/kernels.cu has them: one application to the
// values of all threads of a block.

// lanewise replaces every value by f of its number and the values before.
func lanewise[T number](v []T, f func(t int, old []T) T) {
	old := append([]T(nil), v...)
	for t := range v {
		v[t] = f(t, old)
	}
}

func down[T number](width int) func(v []T) {
	return func(v []T) {
		for o := width / 2; o > 0; o /= 2 {
			lanewise(v, func(t int, x []T) T {
				if t%width+o < width {
					return x[t] + x[t+o]
				}
				return x[t] + x[t]
			})
		}
	}
}

func butterfly[T number](v []T) {
	for o := 16; o > 0; o /= 2 {
		lanewise(v, func(t int, x []T) T { return x[t] + x[t^o] })
	}
}

func scanUp[T number](v []T) {
	for d := 1; d < 32; d *= 2 {
		lanewise(v, func(t int, x []T) T {
			if t%32 >= d {
				return x[t] + x[t-d]
			}
			return x[t]
		})
	}
}

func fill(v []float32, x float32) {
	for t := range v {
		v[t] = x
	}
}

// halve adds the upper half of n values to the lower, down to below.
func halve(s []float32, n, below int) {
	for o := n / 2; o >= below; o /= 2 {
		for t := range o {
			s[t] += s[t+o]
		}
	}
}

// warpResults takes the value of a lane of each warp, padded to a warp.
func warpResults(v []float32, lane int) []float32 {
	s := make([]float32, 32)
	for w := range len(v) / 32 {
		s[w] = v[32*w+lane]
	}
	return s
}

func smemWarp(v []float32) {
	for w := 0; w < len(v); w += 32 {
		halve(v[w:w+32], 32, 1)
		fill(v[w:w+32], v[w])
	}
}

func smemTree(v []float32) {
	halve(v, len(v), 1)
	fill(v, v[0])
}

func mailbox(v []float32) {
	lanewise(v, func(t int, x []float32) float32 { return x[t] + x[t&^31+7] })
}

func hybrid(v []float32) {
	down[float32](32)(v)
	s := warpResults(v, 0)
	down[float32](32)(s)
	fill(v, s[0])
}

func treeThenXor(v []float32) {
	halve(v, len(v), 32)
	butterfly(v[:32])
	fill(v, v[0])
}

func scanHybrid(v []float32) {
	scanUp(v)
	s := warpResults(v, 31)
	scanUp(s)
	lanewise(v, func(t int, x []float32) float32 {
		if t >= 32 {
			return x[t] + s[t/32-1]
		}
		return x[t]
	})
}

func walshHadamard(v []float32) {
	for o := 1; o < 32; o *= 2 {
		lanewise(v, func(t int, x []float32) float32 {
			if t&o == 0 {
				return x[t] + x[t^o]
			}
			return x[t^o] - x[t]
		})
	}
}

func redux(v []int32) {
	lanewise(v, func(t int, x []int32) (sum int32) {
		for _, y := range x[t&^31 : t&^31+32] {
			sum += y
		}
		return sum
	})
}

func ballotRank(v []uint32) {
	lanewise(v, func(t int, x []uint32) uint32 {
		var b uint32
		for l, y := range x[t&^31 : t&^31+32] {
			b |= y & 1 << l
		}
		return x[t]*3 + uint32(bits.OnesCount32(b&(1<<(t%32)-1)))
	})
}

func voteEarlyExit(v []int32) {
	lanewise(v, func(t int, x []int32) int32 {
		for _, y := range x[t&^31 : t&^31+32] {
			if y < -1000000000 {
				return x[t] + 3
			}
		}
		return x[t] + 5
	})
}

// references have the type of a kernel in that of their argument.
var references = map[string]any{
	"warp_reduce_down_f32": down[float32](32), "warp_reduce_xor_f32": butterfly[float32],
	"warp_reduce_down_s32": down[int32](32), "warp_reduce_xor_s32": butterfly[int32],
	"warp_reduce_down_f64": down[float64](32), "warp_reduce_redux_s32": redux,
	"warp_reduce_down_width16_f32": down[float32](16),
	"warp_scan_up_f32":             scanUp[float32], "warp_scan_up_s32": scanUp[int32],
	"warp_reduce_smem_syncwarp_f32": smemWarp, "block_reduce_smem_tree_f32": smemTree,
	"mailbox_smem_syncthreads_f32": mailbox, "mailbox_smem_syncwarp_f32": mailbox, "mailbox_shfl_idx_f32": mailbox,
	"block_reduce_hybrid_f32": hybrid, "block_reduce_tree_then_xor_f32": treeThenXor, "block_scan_hybrid_f32": scanHybrid,
	"warp_butterfly_wht_f32": walshHadamard, "ballot_rank_u32": ballotRank, "vote_early_exit_s32": voteEarlyExit,
}

// applied returns the bits of the values of all threads after n applications.
func applied[T number](f func([]T), threads, n int, toBits func(T) uint64) []uint64 {
	v := make([]T, threads)
	for t := range v {
		v[t] = 1 + T(t)
	}
	for range n {
		f(v)
	}
	out := make([]uint64, threads)
	for t, x := range v {
		out[t] = toBits(x)
	}
	return out
}

// TestValuesOfTheKernels holds what the wide kernels compute, three times as many
// applications as they are long, against plain Go.
func TestValuesOfTheKernels(t *testing.T) { checkValues(t, kernelSet) }

// checkValues holds what the kernels of a set compute against their references. Those
// that approximate have a bound, all others are equal to the bit.
func checkValues(t *testing.T, from source) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	s, err := load(from)
	require.NoError(t, err)
	b, err := newBench(p, timing.LooseRoundRobin)
	require.NoError(t, err)
	for _, r := range s.rows {
		c, err := s.code(r)
		if references[r.kernel] == nil && err != nil { // a row without a listing
			continue
		}
		require.NoError(t, err)
		for i, n := range []int{c.few.repeat, c.many.repeat} {
			l := c.launch(i, r.threads)
			_, err := b.run(l, nil)
			require.NoError(t, err)
			var want []uint64
			wide := false
			switch f := references[r.kernel].(type) {
			case func([]float32):
				want = applied(f, r.threads, 3*n, func(x float32) uint64 {
					if x != x {
						return 0x7fffffff // the one that the chip makes
					}
					return uint64(math.Float32bits(x))
				})
			case func([]float64):
				wide = true
				want = applied(f, r.threads, 3*n, math.Float64bits)
			case func([]int32):
				want = applied(f, r.threads, 3*n, func(x int32) uint64 { return uint64(uint32(x)) })
			case func([]uint32):
				want = applied(f, r.threads, 3*n, func(x uint32) uint64 { return uint64(x) })
			}
			require.NotNil(t, want, "no reference of %s", r.kernel)
			assert.Equal(t, wide, l.program.argumentType() == warp.Float64, r.kernel)
			assert.Equal(t, strings.Contains(r.kernel, "f32"), l.program.argumentType() == warp.Float32, r.kernel)
			for thread := range want {
				got := result64(b.out.Data(), thread, wide)
				if bound := approximate[r.kernel]; bound > 0 {
					x, y := float64(math.Float32frombits(uint32(got))), float64(math.Float32frombits(uint32(want[thread])))
					if math.Abs(x-y) <= bound*math.Abs(y) {
						continue
					}
				}
				if got != want[thread] {
					t.Errorf("%s of %s, %d threads, %d times: thread %d has %#x, want %#x", r.kernel, from.code, r.threads, 3*n, thread, got, want[thread])
					break
				}
			}
		}
	}
}

// TestEveryListingRuns runs those that no row is about too.
func TestEveryListingRuns(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	b, err := newBench(p, timing.LooseRoundRobin)
	require.NoError(t, err)
	for _, from := range []source{kernelSet, latencySet, furtherSet} {
		s, err := load(from)
		require.NoError(t, err)
		for _, repeats := range s.programs {
			for _, p := range repeats {
				c := code{few: p, many: p}
				if strings.HasPrefix(p.name, "loop/") {
					c.turns[0] = 4
				}
				_, err := b.run(c.launch(0, 64), nil)
				assert.NoError(t, err)
			}
		}
	}
}
