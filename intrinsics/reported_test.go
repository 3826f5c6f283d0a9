package intrinsics_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// The tests of this file restate mistakes that people reported in warp-level
// code. The values are those of the reports, or
// follow from the languages' formulas.

// An idx shuffle wraps inside its segment.
func TestIdxWrapsInItsSegment(t *testing.T) {
	for _, d := range []string{"h200", "hip32", "mi300x", "mtt-s4000"} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		rotate := func(w int) []int {
			return run(t, e, n, func(t *thread) int {
				return intrinsics.ShflSync(t, t.AllLanes(), t.Lane(), t.Lane()%w+4, w)
			})
		}
		require.Equal(t, repeat(n, 8, 4, 5, 6, 7, 0, 1, 2, 3), rotate(8), d)
		got := rotate(32)
		require.Equal(t, []int{0, 1, 2, 3}, got[28:32], d)
		if n > 32 {
			require.Equal(t, []int{32, 33, 34, 35}, got[60:64], d)
		}
	}
}

// A down shuffle clamps at the top of the warp.
func TestDownKeepsOwnAtTheTop(t *testing.T) {
	for _, d := range []string{"h200", "hip32", "mi300x", "mtt-s4000"} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		down := func(v func(l int) int, delta int) []int {
			return run(t, e, n, func(t *thread) int {
				return intrinsics.ShflDownSync(t, t.AllLanes(), v(t.Lane()), delta)
			})
		}
		own := func(l int) int { return l }
		require.Equal(t, append(by(n-1, func(l int) int { return l + 1 }), n-1), down(own, 1), d)
		require.Equal(t, by(n, func(l int) int {
			if l < n-16 {
				return l + 16
			}
			return l
		}), down(own, 16), d)
		impulse := down(func(l int) int { return map[bool]int{true: 1}[l == n-1] }, 1)
		require.Equal(t, []int{0, 1, 1}, impulse[n-3:], d)
	}
}

// An up shuffle keeps the own value at the bottom, and the guarded scan counts.
func TestUpKeepsOwnAtTheBottom(t *testing.T) {
	e := engine(t, "h200", values)
	require.Equal(t, append([]int{0}, by(31, func(l int) int { return l })...), run(t, e, 32, func(t *thread) int {
		return intrinsics.ShflUpSync(t, full, t.Lane(), 1)
	}))
	require.Equal(t, by(32, func(l int) int { return l + 1 }), run(t, e, 32, func(t *thread) int {
		v := 1
		for d := 1; d < 32; d *= 2 {
			if x := intrinsics.ShflUpSync(t, full, v, d); t.Lane() >= d {
				v += x
			}
		}
		return v
	}))
}

// An xor shuffle reads earlier segments, never later ones.
func TestXorReadsEarlierSegmentsOnly(t *testing.T) {
	for _, d := range []string{"h200", "hip32", "mi300x"} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		xor := func(m, w int) []int {
			return run(t, e, n, func(t *thread) int { return intrinsics.ShflXorSync(t, t.AllLanes(), t.Lane(), m, w) })
		}
		require.Equal(t, repeat(n, 16, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7), xor(8, 8), d)
		require.Equal(t, repeat(n, 16, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 0, 1, 2, 3), xor(12, 8), d)
		require.Equal(t, append(by(16, func(l int) int { return l }), 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7), xor(24, 16)[:32], d)
		require.Equal(t, repeat(n, 8, 4, 5, 6, 7, 0, 1, 2, 3), xor(4, 8), d)
	}
}

// A reduction that starts at 32 doubles on 32 lanes, and covers half of 128.
func TestReductionFrom32OnOtherWidths(t *testing.T) {
	sum := func(t *thread) int {
		x := t.Lane()
		for _, off := range []int{32, 16, 8, 4, 2, 1} {
			x += intrinsics.ShflXorSync(t, t.AllLanes(), x, off)
		}
		return x
	}
	for d, want := range map[string][]int{
		"h200": same(32, 992), "hip32": same(32, 992), "mi300x": same(64, 2016),
		"mtt-s4000": append(same(64, 2016), same(64, 6112)...),
	} {
		e := engine(t, d, values)
		got, r, err := try(e, e.Device().Lanes, sum)
		require.NoError(t, err)
		require.Equal(t, want, got, d)
		if len(want) == 32 {
			only(t, r, warp.OperandRange)
		} else {
			only(t, r)
		}
	}
	// A block sum that divides its warps by 64: 256 ones come to 512.
	e := engine(t, "h200", values)
	got := run(t, e, 256, func(t *thread) float32 {
		s := intrinsics.Shared[float32](t, 4)
		reduce := func(x float32) float32 {
			for _, off := range []int{32, 16, 8, 4, 2, 1} {
				x += intrinsics.ShflXorSync(t, full, x, off)
			}
			return x
		}
		x := reduce(1)
		if t.ThreadRank()%64 == 0 {
			s.Store(t, t.ThreadRank()/64, x)
		}
		intrinsics.SyncThreads(t)
		x = 0
		if t.ThreadRank() < 4 {
			x = s.Load(t, t.ThreadRank())
		}
		return reduce(x)
	})
	require.Equal(t, float32(512), got[0])
}

// Values of 64 bits keep all their bits.
func TestShuffleKeeps64Bits(t *testing.T) {
	for d, want := range map[string]float64{"h200": 16, "mi300x": 32, "mtt-s4000": 64} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, want, run(t, e, n, func(t *thread) float64 {
			x := 0.5
			for off := n / 2; off > 0; off /= 2 {
				x += intrinsics.ShflDownSync(t, t.AllLanes(), x, off)
			}
			return x
		})[0], d)
		for _, bits := range []uint64{0x0123456789ABCDEF, 1 << 63, 0x7FF8000000001234, 1<<53 + 1} {
			require.Equal(t, same(n, bits), run(t, e, n, func(t *thread) uint64 {
				x := uint64(t.Lane())
				if x == 0 {
					x = bits
				}
				return math.Float64bits(intrinsics.ShflSync(t, t.AllLanes(), math.Float64frombits(x), 0))
			}), "%s %x", d, bits)
		}
		require.Equal(t, same(n, int64(1<<53+1)), run(t, e, n, func(t *thread) int64 {
			return intrinsics.ShflSync(t, t.AllLanes(), int64(1<<53+1)+int64(t.Lane()), 0)
		}))
	}
}

// A broadcast, and the second result of the instruction.
func TestBroadcastAndItsPredicate(t *testing.T) {
	for _, d := range []string{"h200", "hip32", "mi300x", "mtt-s4000"} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		got, r, err := try(e, n, func(t *thread) int {
			var x int
			if t.Lane() == 0 {
				x = 1234
			}
			return intrinsics.ShflSync(t, t.AllLanes(), x, 0)
		})
		require.NoError(t, err)
		only(t, r)
		require.Equal(t, same(n, 1234), got, d)
	}
	e := engine(t, "h200", values)
	missed := func(mode crossbar.Mode, operand int, width ...int) lane.Mask {
		var m lane.Mask
		for l, ok := range run(t, e, 32, func(t *thread) bool {
			_, ok := intrinsics.ShflPredSync(t, mode, full, t.Lane(), operand, width...)
			return ok
		}) {
			if !ok {
				m = m.With(l)
			}
		}
		return m
	}
	require.Equal(t, lane.Only(0), missed(crossbar.Up, 1))
	require.Equal(t, lane.Only(0, 8, 16, 24), missed(crossbar.Up, 1, 8))
	require.Equal(t, lane.Only(31), missed(crossbar.Down, 1))
	require.Equal(t, lanes(0, 7).Or(lanes(16, 23)), missed(crossbar.Xor, 8, 8))
}

// Reductions that start at 16 cover 32 lanes of a wider warp.
func TestReductionFrom16OnWiderWarps(t *testing.T) {
	for d, want := range map[string][]int{"h200": {496}, "mi300x": {496, 1520}, "mtt-s4000": {496, 1520, 2544, 3568}} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		for _, width := range [][]int{nil, {32}} {
			xor := run(t, e, n, func(t *thread) int {
				x := t.Lane()
				for off := 16; off > 0; off /= 2 {
					x += intrinsics.ShflXorSync(t, t.AllLanes(), x, off, width...)
				}
				return x
			})
			down := run(t, e, n, func(t *thread) int {
				x := t.Lane()
				for off := 16; off > 0; off /= 2 {
					x += intrinsics.ShflDownSync(t, t.AllLanes(), x, off, 32)
				}
				return x
			})
			require.Equal(t, by(n, func(l int) int { return want[l/32] }), xor, d)
			for i, w := range want {
				require.Equal(t, w, down[i*32], d)
			}
		}
	}
	// The second stage in a branch, with a full mask, while the others go to
	// another collective.
	second := func(t *thread) int {
		if t.Lane() < 16 {
			return intrinsics.ShflXorSync(t, t.AllLanes(), t.Lane(), 8)
		}
		intrinsics.SyncWarp(t, t.AllLanes())
		return 0
	}
	_, _, err := try(engine(t, "h200", values), 32, second)
	require.ErrorIs(t, err, warp.MaskAbsent)
	_, _, err = try(engine(t, "mi300x", values), 64, second)
	require.ErrorIs(t, err, warp.MaskNotActive)
}

// A ballot that is kept in 32 bits loses the upper lanes of a wave.
func TestBallotCutTo32Bits(t *testing.T) {
	rank := func(t *thread, in bool) (good, bad int) {
		b := intrinsics.BallotSync(t, ^uint64(0), in)
		lt := intrinsics.LaneMaskLt[uint64](t)
		return intrinsics.Popc(t, b&lt), intrinsics.Popc(t, uint32(b)&uint32(lt))
	}
	e := engine(t, "mi300x", values)
	good, bad := make([]int, 64), make([]int, 64)
	run(t, e, 64, func(t *thread) int {
		good[t.Lane()], bad[t.Lane()] = rank(t, true)
		return 0
	})
	require.Equal(t, by(64, func(l int) int { return l }), good)
	require.Equal(t, by(64, func(l int) int { return min(l, 32) }), bad)
	run(t, e, 64, func(t *thread) int {
		good[t.Lane()], bad[t.Lane()] = rank(t, t.Lane()%2 == 0)
		return 0
	})
	for i := range 32 {
		require.Equal(t, i, good[2*i])
		require.Equal(t, min(i, 16), bad[2*i])
	}
	e = engine(t, "h200", values)
	require.Equal(t, by(32, func(l int) int { return l }), run(t, e, 32, func(t *thread) int {
		return intrinsics.Popc(t, intrinsics.BallotSync(t, full, true)&intrinsics.LaneMaskLt[uint32](t))
	}))
}

// The type and the width of a mask.
func TestMaskTypeAndWidth(t *testing.T) {
	kernel := func(t *thread) int { return intrinsics.ShflDownSync(t, uint64(0xffffffff), t.Lane(), 16) }
	want := by(32, func(l int) int {
		if l < 16 {
			return l + 16
		}
		return l
	})
	// The upper half of a 64-bit mask is dropped on 32 lanes.
	require.Equal(t, want, run(t, engine(t, "hip32", values), 32, kernel))
	require.Equal(t, want, run(t, engine(t, "hip32", values), 32, func(t *thread) int {
		return intrinsics.ShflDownSync(t, ^uint64(0), t.Lane(), 16)
	}))
	require.Equal(t, want, run(t, engine(t, "h200", values), 32, kernel))
	_, r, err := try(engine(t, "mi300x", collecting), 64, kernel)
	require.NoError(t, err)
	require.Equal(t, lanes(32, 63), fault(t, r, warp.CallerNotInMask).Lanes)
	// A mask of 32 bits is none of HIP's.
	for _, d := range []string{"hip32", "mi300x"} {
		e := engine(t, d, values)
		_, _, err := try(e, e.Device().Lanes, func(t *thread) int { return intrinsics.ShflDownSync(t, full, t.Lane(), 16) })
		require.ErrorIs(t, err, warp.MaskTooNarrow, d)
	}
	// On 128 lanes, MUSA's mask of 32 bits names the caller's own group.
	require.Equal(t, by(128, func(l int) int { return l&^31 + want[l%32] }),
		run(t, engine(t, "mtt-s4000", values), 128, kernel))
}

// A shuffle in the arms of a branch reads lanes of the other arm.
func TestShuffleInABranchReadsInactive(t *testing.T) {
	arms := func(odd int) func(t *thread) int {
		return func(t *thread) int {
			if t.Lane()%2 == 1 {
				return intrinsics.Shfl(t, t.Lane(), odd)
			}
			return intrinsics.Shfl(t, t.Lane(), 2)
		}
	}
	for _, d := range []string{"mi300x", "hip32"} {
		e := engine(t, d, collecting)
		n := e.Device().Lanes
		var odd lane.Mask
		for l := 1; l < n; l += 2 {
			odd = odd.With(l)
		}
		got, r, err := try(e, n, arms(4))
		require.NoError(t, err)
		require.Equal(t, repeat(n, 0, 2, 0), got, d)
		require.Equal(t, odd, fault(t, r, warp.ReadInactive).Lanes, d)
		got, r, err = try(e, n, arms(5))
		require.NoError(t, err)
		require.Equal(t, repeat(n, 0, 2, 5), got, d)
		only(t, r)
	}
	_, r, err := try(engine(t, "pascal", collecting), 32, arms(4))
	require.NoError(t, err)
	only(t, r, warp.ReadInactive, warp.UndefinedUse)
}

// A mask that does not name all its callers.
func TestCallerNotInItsMask(t *testing.T) {
	for d, n := range map[string]int{"h200": 32, "mi300x": 64, "mtt-s4000": 128} {
		e := engine(t, d, collecting)
		half := lanes(0, 15)
		got, r, err := try(e, n, func(t *thread) int { return intrinsics.ShflSync(t, half, t.Lane()+7, 0) })
		require.NoError(t, err)
		require.Equal(t, same(16, 7), got[:16], d)
		require.Equal(t, lanes(16, n-1), fault(t, r, warp.CallerNotInMask).Lanes, d)
		_, _, err = try(engine(t, d, values), n, func(t *thread) int { return intrinsics.ShflSync(t, half, t.Lane(), 0) })
		require.ErrorIs(t, err, warp.CallerNotInMask, d)
		// Guarded, it is right.
		got, r, err = try(e, n, func(t *thread) int {
			if t.Lane() >= 16 {
				return -1
			}
			x := intrinsics.ShflSync(t, half, t.Lane(), 0)
			return x + int(intrinsics.BallotSync(t, half, t.Lane()%2 == 0).Lo)
		})
		require.NoError(t, err)
		only(t, r)
		require.Equal(t, append(same(16, 0x5555), same(n-16, -1)...), got, d)
	}
}

// A full mask at two call sites.
func TestFullMaskAtTwoCallSites(t *testing.T) {
	shuffle := func(t *thread) int {
		if t.Lane() < 16 {
			return intrinsics.ShflXorSync(t, t.AllLanes(), t.Lane(), 16)
		} else {
			return intrinsics.ShflXorSync(t, t.AllLanes(), t.Lane(), 16)
		}
	}
	all := func(t *thread) bool {
		if a := t.Lane() >= 16; t.Lane() < 16 {
			return intrinsics.AllSync(t, t.AllLanes(), a)
		} else {
			return intrinsics.AllSync(t, t.AllLanes(), a)
		}
	}
	e := engine(t, "h200", values)
	require.Equal(t, by(32, func(l int) int { return l ^ 16 }), run(t, e, 32, shuffle))
	require.Equal(t, same(32, false), run(t, e, 32, all))
	for _, d := range []string{"mi300x", "hip32", "pascal"} {
		n := profile(t, d).Lanes
		_, _, err := try(engine(t, d, values), n, shuffle)
		require.ErrorIs(t, err, warp.MaskNotActive, d)
		_, _, err = try(engine(t, d, values), n, all)
		require.ErrorIs(t, err, warp.MaskNotActive, d)
	}
	// With HIP's check compiled out.
	got, _, err := try(engine(t, "mi300x", collecting), 64, shuffle)
	require.NoError(t, err)
	require.Equal(t, append(same(32, 0), by(32, func(l int) int { return (l + 32) ^ 16 })...), got)
	got, _, err = try(engine(t, "hip32", collecting), 32, shuffle)
	require.NoError(t, err)
	require.Equal(t, same(32, 0), got)
	votes, _, err := try(engine(t, "mi300x", collecting), 64, all)
	require.NoError(t, err)
	require.Equal(t, same(64, false), votes)
	require.Equal(t, append(same(16, false), same(48, true)...), run(t, engine(t, "mi300x", values), 64, func(t *thread) bool {
		if a := t.Lane() >= 16; t.Lane() < 16 {
			return intrinsics.All(t, a)
		} else {
			return intrinsics.All(t, a)
		}
	}))
}

// The active mask as the member mask: right where the warp is converged.
func TestActiveMaskAsMemberMask(t *testing.T) {
	for d, want := range map[string]int{"h200": 496, "mi300x": 2016, "mtt-s4000": 8128} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, want, run(t, e, n, func(t *thread) int {
			m := intrinsics.ActiveMask(t)
			x := t.Lane()
			for off := n / 2; off > 0; off /= 2 {
				x += intrinsics.ShflDownSync(t, m, x, off)
			}
			return x
		})[0], d)
	}
}

// A trailing partial warp.
func TestTrailingPartialWarp(t *testing.T) {
	sum := func(e *warp.Engine, n, warps int, fixed bool) (int, *warp.Report) {
		total := 0
		_, r, err := try(e, n, func(t *thread) int {
			live := min(n-t.WarpID()*32, 32)
			mask := full
			if fixed {
				mask = uint32(uint64(1)<<live - 1)
			}
			x := 1
			for off := 16; off > 0; off /= 2 {
				y := intrinsics.ShflXorSync(t, mask, x, off)
				if !fixed || t.Lane()^off < live {
					x += y
				}
			}
			if t.Lane() == 0 && t.WarpID() < warps {
				total += x
			}
			return x
		})
		require.NoError(t, err)
		return total, r
	}
	e := engine(t, "h200", collecting)
	for n, floor := range map[int]int{129: 128, 159: 128, 180: 160, 192: 192} {
		got, _ := sum(e, n, n/32, false)
		require.Equal(t, floor, got, "%d threads, warps rounded down", n)
		_, r := sum(e, n, (n+31)/32, false)
		fixed, _ := sum(e, n, (n+31)/32, true)
		require.Equal(t, n, fixed)
		if n%32 != 0 {
			f := fault(t, r, warp.ReadInactive)
			require.Equal(t, n/32, f.Warp)
		}
	}
	// A tail of 16 lanes in segments of 16 is right.
	got, r, err := try(e, 16, func(t *thread) int {
		x := 1
		for off := 8; off > 0; off /= 2 {
			x += intrinsics.ShflDownSync(t, uint32(0xffff), x, off, 16)
		}
		return x
	})
	require.NoError(t, err)
	only(t, r)
	require.Equal(t, 16, got[0])
	// In segments of 32, lane 0 is right and others read lanes that are not
	// there.
	got, r, err = try(e, 16, func(t *thread) int {
		x := 1
		for off := 8; off > 0; off /= 2 {
			x += intrinsics.ShflDownSync(t, uint32(0xffff), x, off)
		}
		return x
	})
	require.NoError(t, err)
	require.Equal(t, 16, got[0])
	f := fault(t, r, warp.ReadInactive)
	require.Equal(t, 4, f.Count, "one at each step")
	// One lane alone, with a mask of itself.
	_, r, err = try(e, 32, func(t *thread) int {
		x := 1
		if t.Lane() == 0 {
			for off := 16; off > 0; off /= 2 {
				x += intrinsics.ShflDownSync(t, uint32(1), x, off)
			}
		}
		return x
	})
	require.NoError(t, err)
	require.Equal(t, 5, fault(t, r, warp.ReadInactive).Count)
	// AMD gives 0 for lanes that are not there: the sum is right by luck.
	for n, want := range map[int]int{180: 52} {
		got, _, err := try(engine(t, "mi300x", collecting), n, func(t *thread) int {
			x := 1
			for off := 32; off > 0; off /= 2 {
				x += intrinsics.ShflXor(t, x, off)
			}
			return x
		})
		require.NoError(t, err)
		require.Equal(t, want, got[128])
	}
}

// Widths that are no powers of two.
func TestWidthNoPowerOfTwo(t *testing.T) {
	for _, c := range []struct {
		device string
		width  int
		kind   warp.FaultKind
	}{
		{"h200", 48, warp.WidthAboveWarp}, {"h200", 7, warp.WidthNotPowerOfTwo}, {"h200", 3, warp.WidthNotPowerOfTwo},
		{"h200", 0, warp.WidthNotPowerOfTwo}, {"h200", 64, warp.WidthAboveWarp}, {"hip32", 64, warp.WidthAboveWarp},
		{"mi300x", 48, warp.WidthNotPowerOfTwo}, {"mi300x", 128, warp.WidthAboveWarp},
	} {
		e := engine(t, c.device, values)
		_, _, err := try(e, e.Device().Lanes, func(t *thread) int {
			return intrinsics.ShflXorSync(t, t.AllLanes(), t.Lane(), 1, c.width)
		})
		require.ErrorIs(t, err, c.kind, "%s %d", c.device, c.width)
	}
}

// A mask that names lanes which have exited, or which wait elsewhere.
func TestMaskNamesExitedOrParkedLanes(t *testing.T) {
	kernel := func(leave bool) func(t *thread) int {
		return func(t *thread) int {
			x := t.ThreadRank()
			if t.ThreadRank() < 196 {
				x = intrinsics.ShflXorSync(t, full, x, 1)
			} else if leave {
				return -1
			}
			if !leave {
				intrinsics.SyncThreads(t)
			}
			return x
		}
	}
	e := engine(t, "h200", values)
	got, r, err := try(e, 200, kernel(true))
	require.NoError(t, err)
	only(t, r)
	require.Equal(t, []int{193, 192, 195, 194, -1, -1, -1, -1}, got[192:])
	_, _, err = try(e, 200, kernel(false))
	require.ErrorIs(t, err, warp.Deadlock)
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, 6, f.Warp)
	require.Contains(t, f.Detail, "lanes 0-3) at ShflXorSync (reported_test.go:")
	require.Contains(t, f.Detail, "with mask 0xffffffff wait for lanes 4-7")
	require.Contains(t, f.Detail, "lanes 4-7) at SyncThreads (reported_test.go:")
	// The same with 384 threads, 360 of them with data.
	_, _, err = try(e, 384, func(t *thread) int {
		x := 0
		if t.ThreadRank() < 360 {
			x = intrinsics.ShflXorSync(t, full, 1, 1)
		}
		intrinsics.SyncThreads(t)
		return x
	})
	require.ErrorAs(t, err, &f)
	require.Equal(t, warp.Deadlock, f.Kind)
	require.Equal(t, 11, f.Warp)
	// One warp, half of it, with the full mask and with its own.
	half := func(mask uint32, width ...int) ([]int, *warp.Report, error) {
		return try(engine(t, "h200", collecting), 32, func(t *thread) int {
			x := t.Lane()
			if t.Lane() < 16 {
				for _, d := range []int{1, 2, 4, 8} {
					x += intrinsics.ShflDownSync(t, mask, x, d, width...)
				}
			}
			intrinsics.SyncThreads(t)
			return x
		})
	}
	_, _, err = half(full)
	require.ErrorIs(t, err, warp.Deadlock)
	got, r, err = half(0xffff)
	require.NoError(t, err)
	require.Equal(t, 120, got[0])
	only(t, r, warp.ReadInactive, warp.UndefinedUse)
	got, r, err = half(0xffff, 16)
	require.NoError(t, err)
	require.Equal(t, 120, got[0])
	only(t, r)
}

// Lanes that have exited do not vote.
func TestExitedLanesDoNotVote(t *testing.T) {
	kernel := func(t *thread) string {
		if t.Lane()%3 != 0 {
			return ""
		}
		m := t.AllLanes()
		return fmt.Sprint(intrinsics.AllSync(t, m, t.Lane() != 13), intrinsics.AnySync(t, m, t.Lane() == 13),
			intrinsics.BallotSync(t, m, true))
	}
	got, r, err := try(engine(t, "h200", values), 32, kernel)
	require.NoError(t, err)
	only(t, r)
	require.Equal(t, "true false 0x49249249", got[0])
	_, _, err = try(engine(t, "mi300x", values), 64, kernel)
	require.ErrorIs(t, err, warp.MaskNotActive)
	require.Equal(t, "true false 0x9249249249249249", run(t, engine(t, "mi300x", values), 64, func(t *thread) string {
		if t.Lane()%3 != 0 {
			return ""
		}
		return fmt.Sprint(intrinsics.All(t, t.Lane() != 13), intrinsics.Any(t, t.Lane() == 13), intrinsics.Ballot(t, true))
	})[0])
}

// What hardware reductions take.
func TestWhatHardwareReductionsTake(t *testing.T) {
	e := engine(t, "h200", values)
	_, _, err := try(e, 32, func(t *thread) uint64 {
		return intrinsics.ReduceAddSync(t, full, map[bool]uint64{true: 1 << 40}[t.Lane() == 0])
	})
	require.ErrorIs(t, err, warp.Unsupported)
	require.Equal(t, same(32, uint32(0)), run(t, e, 32, func(t *thread) uint32 {
		return intrinsics.ReduceAddSync(t, full, uint32(0x10000000))
	}))
	require.Equal(t, same(16, int32(120)), run(t, e, 32, func(t *thread) int32 {
		if t.Lane() >= 16 {
			return 0
		}
		return intrinsics.ReduceAddSync(t, uint32(0xffff), int32(t.Lane()))
	})[:16])
	// The sum of 64 bits by shuffles.
	require.Equal(t, uint64(1<<40), run(t, e, 32, func(t *thread) uint64 {
		x := map[bool]uint64{true: 1 << 40}[t.Lane() == 0]
		for d := 16; d > 0; d /= 2 {
			x += intrinsics.ShflDownSync(t, full, x, d)
		}
		return x
	})[0])
}

// A barrier in a branch, and where it belongs.
func TestBarrierInABranch(t *testing.T) {
	inBranch := func(t *thread) int32 {
		s := intrinsics.Shared[int32](t, 64)
		i := t.ThreadRank()
		s.Store(t, i, int32(i))
		if i%2 == 0 {
			a := s.Load(t, i)
			intrinsics.SyncThreads(t)
			s.Store(t, i^1, a)
		}
		return 0
	}
	// Devices that wait for all threads of the block never see the others.
	_, _, err := try(engine(t, "mi300x", values), 64, inBranch)
	require.ErrorIs(t, err, warp.BarrierDivergent)
	// Hoisted, each odd element becomes its even neighbour.
	require.Equal(t, by(32, func(l int) int32 { return int32(l &^ 1) }), run(t, engine(t, "h200", values), 32, func(t *thread) int32 {
		s := intrinsics.Shared[int32](t, 32)
		i := t.ThreadRank()
		s.Store(t, i, int32(i))
		a := s.Load(t, i)
		intrinsics.SyncThreads(t)
		if i%2 == 0 {
			s.Store(t, i^1, a)
		}
		intrinsics.SyncThreads(t)
		return s.Load(t, i)
	}))
}

// Barriers that count, and barriers at two sites.
func TestBarriersThatCountAndAtTwoSites(t *testing.T) {
	e := engine(t, "h200", values)
	for n, count := range map[int]int{64: 22, 100: 34} {
		require.Equal(t, same(n, fmt.Sprint(count, false, true)), run(t, e, n, func(t *thread) string {
			p := t.ThreadRank()%3 == 0
			return fmt.Sprint(intrinsics.SyncThreadsCount(t, p), intrinsics.SyncThreadsAnd(t, p), intrinsics.SyncThreadsOr(t, p))
		}))
		require.Equal(t, same(n, fmt.Sprint(0, false, n, true, true)), run(t, e, n, func(t *thread) string {
			return fmt.Sprint(intrinsics.SyncThreadsCount(t, false), intrinsics.SyncThreadsOr(t, false),
				intrinsics.SyncThreadsCount(t, true), intrinsics.SyncThreadsOr(t, true), intrinsics.SyncThreadsAnd(t, true))
		}), "lanes that do not exist change nothing")
	}
	_, _, err := try(e, 64, func(t *thread) int {
		if t.ThreadRank() == 0 {
			return intrinsics.SyncThreadsCount(t, true)
		} else {
			return intrinsics.SyncThreadsCount(t, true)
		}
	})
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, warp.BarrierDivergent, f.Kind)
	require.Regexp(t, `reported_test.go:\d+, others at that of reported_test.go:\d+`, f.Detail)
	// A loop with a continue, and one call site.
	require.Equal(t, same(64, 3), run(t, e, 64, func(t *thread) int {
		n := 0
		for i := 0; ; i++ {
			if !intrinsics.SyncThreadsOr(t, i < 3 && t.ThreadRank() == 63) {
				return n
			}
			n++
			if t.ThreadRank()%2 == 0 {
				continue
			}
		}
	}))
}

// A tree in the last warp without syncwarp: right in lockstep, which is the
// schedule of this library unless another is asked for.
func TestTreeThatReliesOnLockstep(t *testing.T) {
	for _, d := range []string{"h200", "pascal", "mi300x"} {
		e := engine(t, d, values)
		require.Equal(t, int32(2016), run(t, e, 64, func(t *thread) int32 {
			s := intrinsics.Shared[int32](t, 96)
			i := t.ThreadRank()
			s.Store(t, i, int32(i))
			intrinsics.SyncThreads(t)
			if i < 32 {
				for st := 32; st > 0; st /= 2 {
					s.Store(t, i, s.Load(t, i)+s.Load(t, i+st))
				}
			}
			return s.Load(t, 0)
		})[0], d)
		// Guarded, with a barrier between the steps, on any schedule.
		require.Equal(t, int32(2016), run(t, e, 64, func(t *thread) int32 {
			s := intrinsics.Shared[int32](t, 64)
			i := t.ThreadRank()
			s.Store(t, i, int32(i))
			intrinsics.SyncThreads(t)
			for st := 32; st > 0; st /= 2 {
				if i < st {
					s.Store(t, i, s.Load(t, i)+s.Load(t, i+st))
				}
				intrinsics.SyncThreads(t)
			}
			return s.Load(t, 0)
		})[0], d)
	}
}

// A barrier orders shared memory, whatever branches come before it.
func TestBarrierOrdersSharedMemory(t *testing.T) {
	for _, d := range []string{"h200", "mi300x", "mtt-s4000"} {
		e := engine(t, d, values)
		require.Equal(t, "-999 -999 -999", run(t, e, 3, func(t *thread) string {
			s := intrinsics.Shared[int32](t, 3)
			s.Store(t, t.ThreadRank(), -999)
			intrinsics.SyncThreads(t)
			if t.ThreadRank() != 0 {
				return ""
			}
			return fmt.Sprint(s.Load(t, 0), s.Load(t, 1), s.Load(t, 2))
		})[0])
		p, err := intrinsics.Global(e, make([]int32, 2))
		require.NoError(t, err)
		work := 0
		run(t, e, 20, func(t *thread) int {
			if t.ThreadRank() < 14 {
				work++
			}
			if t.ThreadRank() == 1 {
				p.Store(t, 0, 112211)
			}
			intrinsics.SyncThreads(t)
			if t.ThreadRank() == 17 {
				p.Store(t, 1, p.Load(t, 0))
			}
			return 0
		})
		require.Equal(t, []int32{112211, 112211}, p.Data())
		require.Equal(t, 14, work)
	}
}

// Ways of bank conflicts by stride, 32 banks of 4 bytes.
func TestBankConflictsByStride(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	for stride, ways := range map[int]int64{0: 1, 1: 1, 2: 2, 3: 1, 4: 4, 8: 8, 16: 16, 17: 1, 31: 1, 32: 32, 33: 1, 64: 32, 65: 1} {
		_, r, err := try(e, 32, func(t *thread) float32 {
			return intrinsics.Shared[float32](t, 32*65).Load(t, t.Lane()*stride)
		})
		require.NoError(t, err)
		require.Equal(t, ways-1, r.ConflictPasses, "stride %d", stride)
	}
}

// The order of additions shows in the bits of a float sum.
func TestOrderOfAdditionsShowsInBits(t *testing.T) {
	e := engine(t, "h200", values)
	others := func(special map[int]float32) func(l int) float32 {
		return func(l int) float32 {
			if v, ok := special[l]; ok {
				return v
			}
			return 1
		}
	}
	falling, rising := []int{16, 8, 4, 2, 1}, []int{1, 2, 4, 8, 16}
	for name, c := range map[string]struct {
		v                     func(l int) float32
		falling, rising, line float32
	}{
		"p": {others(map[int]float32{0: 1e8, 16: -1e8}), 30, 16, 15},
		"q": {others(map[int]float32{0: 1e8, 1: -1e8}), 16, 30, 30},
		"r": {others(map[int]float32{0: 1 << 24}), 16777246, 16777246, 16777216},
		"s": {func(l int) float32 { return float32(float64(float32(0.1)) * float64(l+1)) }, math.Float32frombits(0x42533334),
			math.Float32frombits(0x42533334), math.Float32frombits(0x42533333)},
	} {
		sum := func(steps []int, down bool) []float32 {
			return run(t, e, 32, func(t *thread) float32 {
				x := c.v(t.Lane())
				for _, d := range steps {
					if down {
						x += intrinsics.ShflDownSync(t, full, x, d)
					} else {
						x += intrinsics.ShflXorSync(t, full, x, d)
					}
				}
				return x
			})
		}
		require.Equal(t, c.falling, sum(falling, true)[0], name)
		require.Equal(t, same(32, c.falling), sum(falling, false), name)
		require.Equal(t, c.rising, sum(rising, true)[0], name)
		require.Equal(t, same(32, c.rising), sum(rising, false), name)
		var line float32
		for l := range 32 {
			line += c.v(l)
		}
		require.Equal(t, c.line, line, name)
	}
}

// Operands, barriers and sizes beyond 32 bits are not cut to others: both fronts
// hold them to what a register holds.
func TestOperandsBeyond32Bits(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int has 32 bits here")
	}
	beyond := int(int64(1) << 32 & math.MaxInt) // 1<<32, in a form that compiles everywhere
	for _, d := range []string{"h200", "mi300x", "custom-128"} {
		e := engine(t, d, warp.Config{Faults: warp.Collect})
		for _, delta := range []int{beyond + 1, -beyond + 1, beyond, beyond << 30} {
			n := e.Device().Lanes
			wide, lanes := make([]int32, n), make([]int32, n)
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(n)}, func(w *warp.Warp) {
				r := warp.Alloc[int32](w)
				warp.ShflDown(r, w.LaneID(), delta)
				copy(wide, r.Lanes())
			})
			require.NoError(t, err)
			_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), func(th *thread) {
				lanes[th.Lane()] = intrinsics.ShflDown(th, int32(th.Lane()), delta)
			})
			require.NoError(t, err)
			require.Equal(t, wide, lanes, "%s, %d", d, delta)
		}
		_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(e.Device().Lanes), func(th *thread) {
			intrinsics.BarrierSync(th, beyond, 0)
		})
		require.ErrorIs(t, err, warp.BarrierMismatch, d)
	}
}

// A value with a pointer in it is refused, of 8 bytes as of others, and so is a type
// that looks like it.
func TestNoPointersInShuffles(t *testing.T) {
	for _, d := range []string{"h200", "mi300x", "custom-128"} {
		e := engine(t, d, warp.Config{})
		x := 1
		for name, kernel := range map[string]func(th *thread){
			"pointer": func(th *thread) { intrinsics.ShflXor(th, &x, 1) },
			"string":  func(th *thread) { intrinsics.ShflXor(th, "x", 1) },
			"struct":  func(th *thread) { intrinsics.ShflXor(th, struct{ p *int }{&x}, 1) },
			"map":     func(th *thread) { intrinsics.ShflXor(th, map[int]int{}, 1) },
			"func":    func(th *thread) { intrinsics.ShflXor(th, func() {}, 1) },
		} {
			_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(e.Device().Lanes), kernel)
			require.ErrorIs(t, err, warp.RegisterFile, "%s on %s", name, d)
		}
	}
}

// Match of floats: by bits but in HIP, by value there, where a NaN does not end.
func TestMatchOfFloats(t *testing.T) {
	negative := math.Copysign(0, -1)
	for d, hip := range map[string]bool{"h200": false, "mi300x": true} {
		e := engine(t, d, warp.Config{})
		n := e.Device().Lanes
		launch := func(kernel func(th *thread)) error {
			_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), kernel)
			return err
		}
		require.NoError(t, launch(func(th *thread) {
			v := []float64{0, negative}[th.Lane()%2]
			odd := lane.Bits(0x5555555555555555 << (th.Lane() % 2)).And(lane.FirstN(n))
			want := odd
			if hip {
				want = lane.FirstN(n)
			}
			require.Equal(t, want, intrinsics.MatchAny(th, v), d)
			require.Equal(t, want, intrinsics.MatchAny(th, float32(v)), d)
			_, all := intrinsics.MatchAll(th, v)
			require.Equal(t, hip, all)
		}), d)
		err := launch(func(th *thread) { intrinsics.MatchAny(th, math.NaN()) })
		if hip {
			require.ErrorIs(t, err, warp.Deadlock)
			require.ErrorContains(t, err, "NaN")
		} else {
			require.NoError(t, err)
		}
	}
}
