package intrinsics_test

import (
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// active returns the lanes that are converged at a call, over and over.
var lockstepDevices = []string{"pascal", "mi300x", "h200"}

func masks(t *testing.T, device string, kernel func(t *thread) []lane.Mask) [][]lane.Mask {
	e := engine(t, device, values)
	return run(t, e, e.Device().Lanes, kernel)
}

// Lanes part at a branch and meet after it.
func TestConvergeBranch(t *testing.T) {
	for _, d := range lockstepDevices {
		n := profile(t, d).Lanes
		all, low := lane.FirstN(n), lanes(0, 9)
		for l, got := range masks(t, d, func(t *thread) (m []lane.Mask) {
			m = append(m, intrinsics.ActiveMask(t))
			if t.Lane() < 10 {
				m = append(m, intrinsics.ActiveMask(t))
			} else {
				m = append(m, intrinsics.ActiveMask(t))
				if t.Lane() == 20 {
					m = append(m, intrinsics.ActiveMask(t))
				}
			}
			return append(m, intrinsics.ActiveMask(t))
		}) {
			want := []lane.Mask{all, low, all}
			if l >= 10 {
				want[1] = all.AndNot(low)
			}
			if l == 20 {
				want = []lane.Mask{all, all.AndNot(low), lane.Bit(20), all}
			}
			require.Equal(t, want, got, "%s lane %d", d, l)
		}
	}
}

// Lanes that have left a loop wait behind it for the others.
func TestConvergeLoop(t *testing.T) {
	for _, d := range lockstepDevices {
		n := profile(t, d).Lanes
		for l, got := range masks(t, d, func(t *thread) (m []lane.Mask) {
			for i := 0; i <= t.Lane()%3; i++ {
				m = append(m, intrinsics.ActiveMask(t))
				if i == 1 && t.Lane() == 5 {
					break
				}
			}
			return append(m, intrinsics.ActiveMask(t))
		}) {
			var want []lane.Mask
			for i := 0; i <= l%3 && (i < 2 || l != 5); i++ {
				want = append(want, where(lane.FirstN(n), func(k int) bool { return i <= k%3 && (i < 2 || k != 5) }))
			}
			require.Equal(t, append(want, lane.FirstN(n)), got, "%s lane %d", d, l)
		}
	}
}

// One call in a function counts as another when the function is called from
// elsewhere.
func TestConvergeCalls(t *testing.T) {
	for _, d := range lockstepDevices {
		n := profile(t, d).Lanes
		for l, got := range masks(t, d, func(t *thread) (m []lane.Mask) {
			if t.Lane()%2 == 0 {
				m = append(m, converged(t))
			} else {
				m = append(m, converged(t))
			}
			return append(m, converged(t))
		}) {
			half := where(lane.FirstN(n), func(k int) bool { return k%2 == l%2 })
			require.Equal(t, []lane.Mask{half, lane.FirstN(n)}, got, "%s lane %d", d, l)
		}
	}
}

//go:noinline
func converged(t *thread) lane.Mask { return intrinsics.ActiveMask(t) }

// Turns of a loop that pass no intrinsic are seen if the loop tells of them.
func TestConvergeTurns(t *testing.T) {
	for _, d := range lockstepDevices {
		all := lane.FirstN(profile(t, d).Lanes)
		odd := where(all, func(l int) bool { return l%2 == 1 })
		plain := masks(t, d, func(t *thread) (m []lane.Mask) {
			for i := range 2 {
				if i == 0 && t.Lane()%2 == 0 {
					continue
				}
				m = append(m, intrinsics.ActiveMask(t))
			}
			return m
		})
		require.Equal(t, []lane.Mask{all}, plain[0], "%s: the first turn of the others is its second", d)
		require.Equal(t, []lane.Mask{all, odd}, plain[1], d)
		told := masks(t, d, func(t *thread) (m []lane.Mask) {
			for i := range t.Loop() {
				if i == 2 {
					break
				}
				if i == 0 && t.Lane()%2 == 0 {
					continue
				}
				m = append(m, intrinsics.ActiveMask(t))
			}
			return m
		})
		require.Equal(t, []lane.Mask{all}, told[0], d)
		require.Equal(t, []lane.Mask{odd, all}, told[1], d)
	}
}

// On HIP, masks may cut the converged lanes into parts, and a shuffle reads any
// lane that is there.
func TestPartsOfLockstep(t *testing.T) {
	e := engine(t, "mi300x", values)
	parity := func(t *thread) uint64 { return 0x5555555555555555 << (t.Lane() & 1) }
	got, r, err := try(e, 64, func(t *thread) int32 { return intrinsics.ShflXorSync(t, parity(t), int32(t.Lane()), 1) })
	require.NoError(t, err)
	only(t, r)
	require.Equal(t, by(64, func(l int) int32 { return int32(l ^ 1) }), got, "lanes outside the mask give what they have")
	require.EqualValues(t, 1, r.Instructions)
	ballots := run(t, e, 64, func(t *thread) uint64 { return intrinsics.BallotSync(t, parity(t), t.Lane() < 4) })
	require.Equal(t, repeat(64, 0, 5, 10), by(64, func(l int) int { return int(ballots[l]) }))
	_, _, err = try(e, 64, func(t *thread) int {
		return intrinsics.ShflXorSync(t, parity(t)|1, t.Lane(), 1)
	})
	require.ErrorIs(t, err, warp.MaskNotActive, "mask of the even lanes with lane 0 once more")
}

// MUSA's masks of 32 bits on 128 lanes name the caller's own group.
func TestGroupMasks(t *testing.T) {
	e := engine(t, "mtt-s4000", values)
	got, r, err := try(e, 128, func(t *thread) int32 { return intrinsics.ShflDownSync(t, full, int32(t.Lane()), 1) })
	require.NoError(t, err)
	only(t, r)
	require.Equal(t, by(128, func(l int) int32 { return int32(min(l+1, l|31)) }), got)
	require.EqualValues(t, 1, r.Instructions, "the warp is converged")
	// One group alone does not wait for the others.
	got, r, err = try(e, 128, func(t *thread) int32 {
		if t.Lane()/32 != 2 {
			return 0
		}
		return intrinsics.ShflSync(t, full, int32(t.Lane()), 3)
	})
	require.NoError(t, err)
	only(t, r)
	require.EqualValues(t, 67, got[95])
	// Votes give the bits of the group, or of the warp to those that ask so.
	require.Equal(t, by(128, func(l int) uint32 { return 1 << (l / 32) }), run(t, e, 128, func(t *thread) uint32 {
		return intrinsics.BallotSync(t, full, t.Lane()%33 == 0)
	}))
	require.Equal(t, same(128, lane.Only(0, 33, 66, 99)), run(t, e, 128, func(t *thread) lane.Mask {
		return intrinsics.BallotSync(t, t.AllLanes(), t.Lane()%33 == 0)
	}))
	require.Equal(t, uint32(0x00ffffff), run(t, e, 128, func(t *thread) uint32 { return intrinsics.LaneMaskLt[uint32](t) })[3*32+24])
	// A mask of 32 bits that the language does not have is refused.
	_, _, err = try(engine(t, "custom-64", values), 64, func(t *thread) int { return intrinsics.ShflSync(t, full, 0, 0) })
	require.ErrorIs(t, err, warp.MaskTooNarrow)
}

// Lanes that pass masks which name each other wrongly.
func TestMismatchedMasks(t *testing.T) {
	kernel := func(t *thread) uint32 {
		mask := full
		if t.Lane() >= 16 {
			mask = 0xffff0001
		}
		return intrinsics.BallotSync(t, mask, true)
	}
	_, _, err := try(engine(t, "h200", values), 32, kernel)
	require.ErrorIs(t, err, warp.MaskMismatch)
	got, r, err := try(engine(t, "h200", collecting), 32, kernel)
	require.NoError(t, err)
	only(t, r, warp.MaskMismatch)
	require.Equal(t, uint32(0xffff), got[0], "goes on with those that came")
}

// On devices whose threads are independent, a lane that spins does not keep
// others from what it waits for.
func TestFairness(t *testing.T) {
	e := engine(t, "h200", values)
	locked := func(t *thread, lock *intrinsics.Array[int32]) {
		for intrinsics.AtomicCAS(t, lock, 0, 0, 1) != 0 {
		}
		intrinsics.AtomicAdd(t, lock, 1, 1)
		intrinsics.AtomicExch(t, lock, 0, 0)
	}
	lock, err := intrinsics.Global(e, make([]int32, 2))
	require.NoError(t, err)
	run(t, e, 4, func(t *thread) int { locked(t, lock); return 0 })
	require.Equal(t, []int32{0, 4}, lock.Data())
}
