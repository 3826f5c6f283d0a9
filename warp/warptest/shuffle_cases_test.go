package warptest_test

import (
	"math"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// shuffled runs one shuffle of the lane numbers by a full warp.
func shuffled(t *testing.T, name string, s warp.Shuffle) ([]int32, *warp.Report) {
	t.Helper()
	return wide(t, name, profile(t, name).Lanes, func(w *warp.Warp, out warp.Mem[int32]) {
		r := warp.Alloc[int32](w)
		warp.Shfl(r, w.LaneID(), s)
		warp.Store(out, w.ThreadID(), r)
	})
}

// tree runs a reduction of the lane numbers by shuffles over distances.
func tree(t *testing.T, name string, mode crossbar.Mode, width int, distances ...int32) ([]int32, *warp.Report) {
	t.Helper()
	return wide(t, name, profile(t, name).Lanes, func(w *warp.Warp, out warp.Mem[int32]) {
		x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Mov(x, w.LaneID())
		for _, d := range distances {
			warp.Shfl(y, x, warp.Shuffle{Mode: mode, Operand: d, Width: width})
			warp.Add(x, x, y)
		}
		warp.Store(out, w.ThreadID(), x)
	})
}

// An idx shuffle wraps inside its segment.
func TestIdxWrapsInItsSegment(t *testing.T) {
	rotate := func(name string, width int) []int32 {
		out, r := wide(t, name, profile(t, name).Lanes, func(w *warp.Warp, out warp.Mem[int32]) {
			from, v := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.SetLanes(from, func(l int) int32 { return int32(l%width + 4) })
			warp.Shfl(v, w.LaneID(), warp.Shuffle{Mode: crossbar.Idx, PerLane: from, Width: width})
			warp.Store(out, w.ThreadID(), v)
		})
		diagnosed(t, r)
		return out
	}
	for _, name := range profiles {
		n := profile(t, name).Lanes
		require.Equal(t, series(n, 8, 4, 5, 6, 7, 0, 1, 2, 3), rotate(name, 8), name)
		got := rotate(name, 32)
		require.Equal(t, []int32{0, 1, 2, 3}, got[28:32], name)
		if n > 32 {
			require.Equal(t, []int32{32, 33, 34, 35}, got[60:64], name)
		}
	}
}

// Down at the top of the warp keeps the own value and does not wrap.
func TestDownKeepsOwnAtTheTop(t *testing.T) {
	for _, name := range profiles {
		n := profile(t, name).Lanes
		for _, d := range []int32{1, 16} {
			got, r := shuffled(t, name, warp.Shuffle{Mode: crossbar.Down, Operand: d})
			diagnosed(t, r)
			require.Equal(t, by(n, func(l int) int32 {
				if l+int(d) < n {
					return int32(l) + d
				}
				return int32(l)
			}), got, name)
		}
		impulse, _ := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			v := warp.Alloc[int32](w)
			warp.SetLanes(v, func(l int) int32 {
				if l == n-1 {
					return 1
				}
				return 0
			})
			warp.ShflDown(v, v, 1)
			warp.Store(out, w.ThreadID(), v)
		})
		require.Equal(t, []int32{1, 1}, impulse[n-2:], name)
	}
	// The sum at lane 0 would not show it; the last lane does.
	got, _ := tree(t, "amd64", crossbar.Down, 0, 32, 16, 8, 4, 2, 1)
	require.Equal(t, []int32{2016, 4032}, []int32{got[0], got[63]})
}

// The clamp operand of the instruction set differs by mode.
func TestUpKeepsOwnAtTheBottom(t *testing.T) {
	got, r := shuffled(t, "nv", warp.Shuffle{Mode: crossbar.Up, Operand: 1})
	diagnosed(t, r)
	require.Equal(t, by(32, func(l int) int32 { return int32(max(l-1, 0)) }), got)

	raw := func(mode crossbar.Mode, b, c uint32) []int32 {
		out, r := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
			rb, rc, v := warp.Alloc[uint32](w), warp.Alloc[uint32](w), warp.Alloc[int32](w)
			warp.Set(rb, b)
			warp.Set(rc, c)
			warp.Shfl(v, w.LaneID(), warp.Shuffle{Mode: mode, RawB: rb, RawC: rc})
			warp.Store(out, w.ThreadID(), v)
		})
		diagnosed(t, r)
		return out
	}
	own := by(32, func(l int) int32 { return int32(l) })
	for d := uint32(1); d < 32; d++ {
		require.Equal(t, own, raw(crossbar.Up, d, 0x1f), "up by %d with the clamp of down", d)
		require.Equal(t, own, raw(crossbar.Down, d, 0), "down by %d with the clamp of up", d)
	}
	scan := func(clamp uint32) []int32 {
		out, _ := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
			rb, rc := warp.Alloc[uint32](w), warp.Alloc[uint32](w)
			x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(rc, clamp)
			warp.Set(x, 1)
			for d := 1; d < 32; d *= 2 {
				warp.Set(rb, uint32(d))
				warp.Shfl(y, x, warp.Shuffle{Mode: crossbar.Up, RawB: rb, RawC: rc})
				w.Where(when(w, func(l int) bool { return l >= d }), func() { warp.Add(x, x, y) })
			}
			warp.Store(out, w.ThreadID(), x)
		})
		return out
	}
	require.Equal(t, by(32, func(l int) int32 { return int32(l + 1) }), scan(0))
	require.Equal(t, by(32, func(l int) int32 { // 1 2 4 4 8 8 8 8 16 x8 32 x16
		v := int32(1)
		for d := 1; d <= l; d *= 2 {
			v *= 2
		}
		return v
	}), scan(0x1f))
}

// Xor in segments: earlier segments are read, later ones give the own value.
func TestXorReadsEarlierSegmentsOnly(t *testing.T) {
	for _, name := range []string{"nv", "nvp", "amd32", "amd64"} {
		n := profile(t, name).Lanes
		for _, c := range []struct {
			width, mask int
			lint        bool
			pattern     []int32
		}{
			{8, 8, true, []int32{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}},
			{8, 12, true, []int32{0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 0, 1, 2, 3}},
			{16, 24, true, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}},
			{8, 4, false, []int32{4, 5, 6, 7, 0, 1, 2, 3}},
		} {
			got, r := shuffled(t, name, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(c.mask), Width: c.width})
			require.Equal(t, series(n, int32(len(c.pattern)), c.pattern...), got, "%s width %d mask %d", name, c.width, c.mask)
			if c.lint {
				diagnosed(t, r, want{kind: warp.OperandRange, count: 1})
				require.Equal(t, warp.SeverityLint, r.Faults[0].Severity)
			} else {
				diagnosed(t, r)
			}
		}
	}
}

// A reduction for 64 lanes on other warps.
func TestReductionFrom32OnOtherWidths(t *testing.T) {
	for name, expect := range map[string][]int32{
		"nv": same(32, int32(992)), "amd32": same(32, int32(992)), "amd64": same(64, int32(2016)),
		"mu128": append(same(64, int32(2016)), same(64, int32(6112))...),
	} {
		got, r := tree(t, name, crossbar.Xor, 0, 32, 16, 8, 4, 2, 1)
		require.Equal(t, expect, got, name)
		switch name {
		case "nv", "amd32":
			diagnosed(t, r, want{kind: warp.OperandRange})
		case "amd64":
			diagnosed(t, r)
		default: // 128 lanes: the tree stops half-way
			diagnosed(t, r, want{kind: warp.PartialReduction})
		}
	}
	// A block of 256 ones whose code divides warps by 64.
	out, r := wide(t, "nv", 256, func(w *warp.Warp, out warp.Mem[int32]) {
		s := warp.Shared[int32](w, 4)
		x, y, i := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		reduce := func() {
			for d := 32; d > 0; d /= 2 {
				warp.ShflXor(y, x, d)
				warp.Add(x, x, y)
			}
		}
		warp.Set(x, 1)
		reduce()
		warp.Set(i, int32(w.ID()/2))
		w.Where(when(w, func(l int) bool { return (w.ID()*32+l)%64 == 0 }), func() { warp.Store(s, i, x) })
		w.SyncBlock()
		warp.Set(x, 0)
		w.Where(when(w, func(l int) bool { return l < 4 }), func() { warp.Load(x, s, w.LaneID()) })
		if w.ID() == 0 {
			w.Where(when(w, func(l int) bool { return l < 4 }), func() { warp.Store(out, w.LaneID(), x) })
		}
		reduce()
		if w.ID() == 0 {
			w.Where(when(w, func(l int) bool { return l == 0 }), func() { warp.Store(out.At(4), w.LaneID(), x) })
		}
	})
	require.Equal(t, []int32{64, 64, 64, 64, 512}, out[:5])
	only(t, r, warp.OperandRange)
}

// Values of 64 bits keep all their bits.
func TestShuffleKeeps64Bits(t *testing.T) {
	for _, name := range profiles {
		n := profile(t, name).Lanes
		sum, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[float64]) {
			x, y := warp.Alloc[float64](w), warp.Alloc[float64](w)
			warp.Set(x, 0.5)
			for d := n / 2; d > 0; d /= 2 {
				warp.ShflDown(y, x, d)
				warp.Add(x, x, y)
			}
			warp.Store(out, w.ThreadID(), x)
		})
		diagnosed(t, r)
		require.Equal(t, float64(n)/2, sum[0], name) // 16 on 32 lanes, 32 on 64
		for _, v := range []uint64{0x0123456789abcdef, math.Float64bits(math.Copysign(0, -1)), 0x7ff8000012345678, 1<<53 + 1} {
			got, _ := wide(t, name, n, func(w *warp.Warp, out warp.Mem[uint64]) {
				x, f := warp.Alloc[uint64](w), warp.Alloc[float64](w)
				warp.Set(x, v)
				warp.Bitcast(f, x)
				warp.ShflIdx(f, f, 0)
				warp.Bitcast(x, f)
				warp.Store(out, w.ThreadID(), x)
			})
			require.Equal(t, same(n, v), got, name)
		}
	}
}

// A broadcast from the only lane that has a value.
func TestBroadcastAndItsPredicate(t *testing.T) {
	for _, name := range profiles {
		n := profile(t, name).Lanes
		got, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			x := warp.Alloc[int32](w)
			w.If(when(w, func(l int) bool { return l == 0 }), func() { warp.Set(x, 1234) })
			warp.ShflIdx(x, x, 0)
			warp.Store(out, w.ThreadID(), x)
		})
		diagnosed(t, r)
		require.Equal(t, same(n, int32(1234)), got, name)
	}
	inRange := func(mode crossbar.Mode, operand, width int) []int32 {
		got, _ := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
			x, p := warp.Alloc[int32](w), w.Pred()
			warp.Shfl(x, w.LaneID(), warp.Shuffle{Mode: mode, Operand: int32(operand), Width: width, InRange: p})
			one, zero := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(one, 1)
			warp.Set(zero, 0)
			warp.Select(x, p, one, zero)
			warp.Store(out, w.ThreadID(), x)
		})
		return got
	}
	except := func(f func(l int) bool) []int32 {
		return by(32, func(l int) int32 {
			if f(l) {
				return 0
			}
			return 1
		})
	}
	require.Equal(t, except(func(l int) bool { return l == 0 }), inRange(crossbar.Up, 1, 0))
	require.Equal(t, except(func(l int) bool { return l%8 == 0 }), inRange(crossbar.Up, 1, 8))
	require.Equal(t, except(func(l int) bool { return l == 31 }), inRange(crossbar.Down, 1, 0))
	require.Equal(t, except(func(l int) bool { return l/8%2 == 0 }), inRange(crossbar.Xor, 8, 8))
}

// A reduction for 32 lanes on wider warps.
func TestReductionFrom16OnWiderWarps(t *testing.T) {
	sums := func(values ...int32) []int32 {
		var out []int32
		for _, v := range values {
			out = append(out, same(32, v)...)
		}
		return out
	}
	for name, expect := range map[string][]int32{
		"nv": sums(496), "amd64": sums(496, 1520), "mu128": sums(496, 1520, 2544, 3568),
	} {
		got, r := tree(t, name, crossbar.Xor, 0, 16, 8, 4, 2, 1)
		require.Equal(t, expect, got, name)
		down, rd := tree(t, name, crossbar.Down, 0, 16, 8, 4, 2, 1)
		for i := 0; i < len(expect); i += 32 {
			require.Equal(t, expect[i], down[i], name)
		}
		if name == "nv" {
			diagnosed(t, r)
			diagnosed(t, rd)
		} else {
			diagnosed(t, r, want{kind: warp.PartialReduction})
			diagnosed(t, rd, want{kind: warp.PartialReduction})
			require.Contains(t, r.Faults[0].Detail, "cover 32 of")
		}
		// With a width it says that it means groups of 32.
		grouped, r := tree(t, name, crossbar.Xor, 32, 16, 8, 4, 2, 1)
		require.Equal(t, expect, grouped, name)
		diagnosed(t, r)
	}
	// The second stage in a branch, with a mask of all lanes.
	for name, kind := range map[string]warp.FaultKind{"nv": warp.MaskAbsent, "amd64": warp.MaskNotActive} {
		n := profile(t, name).Lanes
		_, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			x := warp.Alloc[int32](w)
			w.If(when(w, func(l int) bool { return l < 8 }), func() {
				warp.Shfl(x, w.LaneID(), warp.Shuffle{Mode: crossbar.Xor, Operand: 4}, lane.FirstN(n))
				warp.Store(out, w.ThreadID(), x)
			})
		})
		diagnosed(t, r, want{kind: kind, lanes: bits(0, 7)})
		require.Equal(t, bits(8, n-1), r.Faults[0].Missing)
	}
}

// A shuffle in a branch reads a lane that is not active.
func TestShuffleInABranchReadsInactive(t *testing.T) {
	odd := func(n int) lane.Mask {
		m := lane.Mask{}
		for l := 1; l < n; l += 2 {
			m = m.With(l)
		}
		return m
	}
	kernel := func(source int) func(w *warp.Warp, out warp.Mem[int32]) {
		return func(w *warp.Warp, out warp.Mem[int32]) {
			x := warp.Alloc[int32](w)
			w.IfElse(when(w, func(l int) bool { return l&1 != 0 }),
				func() { warp.ShflIdx(x, w.LaneID(), source) },
				func() { warp.ShflIdx(x, w.LaneID(), 2) })
			warp.Store(out, w.ThreadID(), x)
		}
	}
	for _, name := range []string{"amd32", "amd64"} {
		n := profile(t, name).Lanes
		got, r := wide(t, name, n, kernel(4))
		require.Equal(t, by(n, func(l int) int32 { return int32(1-l&1) * 2 }), got, name)
		diagnosed(t, r, want{warp.ReadInactive, odd(n), 1})
		got, r = wide(t, name, n, kernel(5))
		require.Equal(t, by(n, func(l int) int32 { return int32(2 + 3*(l&1)) }), got, name)
		diagnosed(t, r)
	}
	for _, name := range []string{"nvp", "nv"} {
		// The value is undefined, and storing it is a fault of its own.
		_, r := wide(t, name, 32, kernel(4))
		diagnosed(t, r, want{warp.ReadInactive, odd(32), 1}, want{warp.UndefinedUse, odd(32), 1})
	}
	// The same by lane.
	got, r, err := perLane(t, "amd64", 64, func(t *intrinsics.Thread) int {
		if t.Lane()&1 != 0 {
			return intrinsics.Shfl(t, t.Lane(), 4)
		}
		return intrinsics.Shfl(t, t.Lane(), 2)
	})
	require.NoError(t, err)
	require.Equal(t, by(64, func(l int) int { return (1 - l&1) * 2 }), got)
	diagnosed(t, r, want{warp.ReadInactive, odd(64), 1})
}

// The order of additions decides the bits of a float sum.
func TestOrderOfAdditionsShowsInBits(t *testing.T) {
	ones := func(set map[int]float32) func(l int) float32 {
		return func(l int) float32 {
			if v, ok := set[l]; ok {
				return v
			}
			return 1
		}
	}
	for _, c := range []struct {
		name                string
		v                   func(l int) float32
		falling, rising, in float32
	}{
		{"p", ones(map[int]float32{0: 1e8, 16: -1e8}), 30, 16, 15},
		{"q", ones(map[int]float32{0: 1e8, 1: -1e8}), 16, 30, 30},
		{"r", ones(map[int]float32{0: 1 << 24}), 16777246, 16777246, 16777216},
		{"s", func(l int) float32 { return float32(float64(float32(0.1)) * float64(l+1)) },
			math.Float32frombits(0x42533334), math.Float32frombits(0x42533334), math.Float32frombits(0x42533333)},
	} {
		for _, mode := range []crossbar.Mode{crossbar.Down, crossbar.Xor} {
			sum := func(distances ...int32) []float32 {
				got, r := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[float32]) {
					x, y := warp.Alloc[float32](w), warp.Alloc[float32](w)
					warp.SetLanes(x, c.v)
					for _, d := range distances {
						warp.Shfl(y, x, warp.Shuffle{Mode: mode, Operand: d})
						warp.Add(x, x, y)
					}
					warp.Store(out, w.ThreadID(), x)
				})
				diagnosed(t, r)
				if mode == crossbar.Xor {
					require.Equal(t, same(32, got[0]), got, "all lanes have the same bits")
				}
				return got
			}
			require.Equal(t, c.falling, sum(16, 8, 4, 2, 1)[0], c.name)
			require.Equal(t, c.rising, sum(1, 2, 4, 8, 16)[0], c.name)
		}
		got, _ := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[float32]) {
			x, y, total := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.SetLanes(x, c.v)
			warp.Set(total, 0)
			for l := range 32 {
				warp.ShflIdx(y, x, l)
				warp.Add(total, total, y)
			}
			warp.Store(out, w.ThreadID(), total)
		})
		require.Equal(t, c.in, got[0], c.name)
	}
}
