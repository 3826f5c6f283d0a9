package intrinsics_test

import (
	"runtime"
	"strings"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// maskDevices are those whose rules for masks differ: by mask, by active lanes and in
// lockstep, with 32, 64 and 128 lanes, in groups.
var maskDevices = []string{"h200", "mi300x", "hip32", "pascal", "custom-64", "custom-128", "mtt-s4000"}

type mask = intrinsics.Mask

// withMask is the functions that take a member mask, each at one line.
var withMask = map[string]func(t *thread, m mask){
	"shuffle": func(t *thread, m mask) { intrinsics.ShflXorSync(t, m, int32(1), 0) },
	"vote":    func(t *thread, m mask) { intrinsics.AnySync(t, m, true) },
	"ballot":  func(t *thread, m mask) { intrinsics.BallotSync(t, m, true) },
	"match":   func(t *thread, m mask) { intrinsics.MatchAnySync(t, m, int32(1)) },
	"sync":    func(t *thread, m mask) { intrinsics.SyncWarp(t, m) },
}

// every runs a test for every collective on every device that the masks concern.
func every(t *testing.T, test func(t *testing.T, device string, n int, call func(t *thread, m mask))) {
	for _, d := range maskDevices {
		p := profile(t, d)
		for name, call := range withMask {
			if name == "match" && !p.Rules.Match {
				continue
			}
			t.Run(d+"/"+name, func(t *testing.T) { test(t, d, p.Lanes, call) })
		}
	}
}

// A lane that passes no lanes, or others than itself, is told, with the mask that it
// passed, although all others pass good masks that name it.
func TestOneLanePassesABadMask(t *testing.T) {
	every(t, func(t *testing.T, device string, n int, call func(t *thread, m mask)) {
		for _, bad := range []mask{{}, lane.Bit(0), lane.Bit(n - 1), lane.Range(6, n)} {
			kernel := func(t *thread) int {
				m := t.AllLanes()
				if t.Lane() == 5 {
					m = bad
				}
				call(t, m)
				return 0
			}
			kind := warp.CallerNotInMask
			if bad.Empty() {
				kind = warp.MaskZero
			}
			_, r, err := try(engine(t, device, values), n, kernel)
			var f *warp.Fault
			require.ErrorAs(t, err, &f)
			require.Equal(t, []any{kind, lane.Bit(5), bad}, []any{f.Kind, f.Lanes, f.Mask}, f.Error())
			require.Len(t, r.Faults, 1)

			_, r, err = try(engine(t, device, collecting), n, kernel)
			require.NoError(t, err)
			g := fault(t, r, kind)
			require.Equal(t, []any{lane.Bit(5), bad}, []any{g.Lanes, g.Mask}, g.Error())
			for _, g := range r.Faults { // the others call with a mask that names lane 5
				if g.Kind != kind {
					require.Contains(t, []warp.FaultKind{warp.MaskAbsent, warp.MaskNotActive, warp.MaskMismatch}, g.Kind)
					require.Equal(t, lane.FirstN(n).Without(5), g.Lanes, g.Error())
					require.Equal(t, lane.Bit(5), g.Missing, g.Error())
				}
			}
		}
	})
}

// Lanes that all pass bad masks, each its own.
func TestEveryLanePassesItsNeighbour(t *testing.T) {
	every(t, func(t *testing.T, device string, n int, call func(t *thread, m mask)) {
		neighbour := func(l int) mask { return lane.Bit((l + 1) % n) }
		kernel := func(t *thread) int {
			for range 3 {
				call(t, neighbour(t.Lane()))
			}
			return 0
		}
		_, r, err := try(engine(t, device, collecting), 2*n, kernel)
		require.NoError(t, err)
		told := map[mask]int{}
		for _, f := range r.Faults {
			require.Equal(t, warp.CallerNotInMask, f.Kind, f.Error())
			if f.Warp == 0 && n <= 64 { // with more masks at one line, what follows is counted only
				require.Equal(t, 1, f.Lanes.Count(), f.Error())
				require.Equal(t, neighbour(f.Lanes.First()), f.Mask, f.Error())
			}
			told[f.Mask] += f.Count
		}
		require.Len(t, told, min(n, 64))
		times := 0
		for _, n := range told {
			times += n
		}
		require.Equal(t, 2*3*n, times)
	})
}

// In a branch, and by lanes that their mask's lanes never meet.
func TestBadMaskInABranch(t *testing.T) {
	every(t, func(t *testing.T, device string, n int, call func(t *thread, m mask)) {
		_, r, err := try(engine(t, device, values), n, func(t *thread) int {
			if t.Lane() >= 8 {
				call(t, lane.FirstN(8))
			} else {
				call(t, lane.FirstN(t.WarpSize())) // these wait for the others
			}
			return 0
		})
		require.ErrorIs(t, err, warp.CallerNotInMask, "of all that is wrong here, the mask that is wrong by itself")
		f := r.Faults[0]
		require.Equal(t, []any{lane.Range(8, n), lane.FirstN(8)}, []any{f.Lanes, f.Mask}, f.Error())
	})
}

// Lanes that others pass, and that do not come, are missing; those that pass the mask
// are named.
func TestMissingLanes(t *testing.T) {
	every(t, func(t *testing.T, device string, n int, call func(t *thread, m mask)) {
		_, r, err := try(engine(t, device, values), n, func(t *thread) int {
			if t.Lane() < 6 {
				call(t, t.AllLanes())
			} else {
				intrinsics.SyncWarp(t, lane.Range(6, n))
				intrinsics.AtomicAdd(t, intrinsics.Shared[int32](t, 1), 0, 1)
				intrinsics.SyncThreads(t)
			}
			return 0
		})
		require.Error(t, err)
		f := r.Faults[0]
		require.Contains(t, []warp.FaultKind{warp.Deadlock, warp.MaskNotActive}, f.Kind, f.Error())
		require.Equal(t, []any{lane.FirstN(6), lane.Range(6, n), lane.FirstN(n)}, []any{f.Lanes, f.Missing, f.Mask}, f.Error())
	})
}

// Lanes that nobody launched: AllLanes names those that exist, on every device; a mask
// of the whole warp says of the others that they do not exist.
func TestLanesThatDoNotExist(t *testing.T) {
	every(t, func(t *testing.T, device string, n int, call func(t *thread, m mask)) {
		threads := n + n*3/4
		_, r, err := try(engine(t, device, warp.Config{ValuesOnly: true, Sanitize: true}), threads, func(t *thread) int {
			call(t, t.AllLanes())
			if got := t.AllLanes(); t.WarpID() == 1 && got != lane.FirstN(n*3/4) {
				panic(got)
			}
			return 0
		})
		require.NoError(t, err)
		require.Empty(t, r.Faults)
		_, r, err = try(engine(t, device, values), threads, func(t *thread) int {
			call(t, lane.FirstN(t.WarpSize()))
			return 0
		})
		if profile(t, device).Rules.Participation.String() == "mask" {
			require.NoError(t, err)
			require.Empty(t, r.Faults)
			return
		}
		require.ErrorIs(t, err, warp.MaskNotActive)
		f := r.Faults[0]
		require.Equal(t, []any{1, lane.FirstN(n * 3 / 4), lane.Range(n*3/4, n)}, []any{f.Warp, f.Lanes, f.Missing})
		require.Contains(t, f.Error(), "do not exist")
		require.Contains(t, f.Advice, "AllLanes")
		require.NotContains(t, f.Advice, "w.Live")
	})
}

// Sets of lanes in a type that is too narrow, passed or asked for.
func TestNarrowLaneMasks(t *testing.T) {
	kernels := map[string]func(t *thread){
		"LaneMaskLt[uint32]": func(t *thread) { intrinsics.LaneMaskLt[uint32](t) },
		"LaneMaskGe[int32]":  func(t *thread) { intrinsics.LaneMaskGe[int32](t) },
		"LaneMaskLt[uint64]": func(t *thread) { intrinsics.LaneMaskLt[uint64](t) },
		"LaneMaskLt[Mask]":   func(t *thread) { intrinsics.LaneMaskLt[mask](t) },
		"ballot of uint32":   func(t *thread) { intrinsics.BallotSync(t, full, true) },
		"ballot of uint64":   func(t *thread) { intrinsics.BallotSync(t, ^uint64(0), true) },
		"ballot of Mask":     func(t *thread) { intrinsics.BallotSync(t, t.AllLanes(), true) },
	}
	narrow := map[string][]string{
		"mi300x":     {"LaneMaskLt[uint32]", "LaneMaskGe[int32]", "ballot of uint32"},
		"hip32":      {"ballot of uint32"}, // HIP takes 64 bits for 32 lanes too; 32 bits hold the lanes
		"custom-64":  {"LaneMaskLt[uint32]", "LaneMaskGe[int32]", "ballot of uint32"},
		"custom-128": {"LaneMaskLt[uint32]", "LaneMaskGe[int32]", "ballot of uint32", "LaneMaskLt[uint64]", "ballot of uint64"},
	}
	for _, d := range maskDevices {
		n := profile(t, d).Lanes
		for name, k := range kernels {
			_, r, err := try(engine(t, d, values), n, func(t *thread) int {
				k(t)
				return 0
			})
			wrong := false
			for _, w := range narrow[d] {
				wrong = wrong || w == name
			}
			if !wrong {
				require.NoError(t, err, "%s on %s", name, d)
				require.Empty(t, r.Faults)
				continue
			}
			var f *warp.Fault
			require.ErrorAs(t, err, &f, "%s on %s", name, d)
			require.Equal(t, warp.MaskTooNarrow, f.Kind, f.Error())
			require.Equal(t, lane.FirstN(n), f.Lanes, f.Error())
			require.True(t, strings.HasSuffix(f.Site.File, "masks_test.go"), f.Error())
			require.Contains(t, f.Advice, "a Mask")
			require.Equal(t, n <= 64, strings.Contains(f.Advice, "uint64"), f.Error())
		}
	}
	// In a branch of lanes that the type cannot name.
	_, _, err := try(engine(t, "custom-64", values), 64, func(t *thread) int {
		if t.Lane() >= 32 {
			intrinsics.SyncWarp(t, full)
		}
		intrinsics.SyncThreads(t)
		return 0
	})
	require.ErrorIs(t, err, warp.MaskTooNarrow)
}

// A deadlock behind a mask stands at the mask's line, wherever the barrier is, and
// tells of the lanes that pass it.
func TestDeadlockBlamesTheMask(t *testing.T) {
	line := 0
	here := func() {
		_, _, line, _ = runtime.Caller(1)
	}
	for name, kernel := range map[string]func(t *thread) int{
		"mask first": func(t *thread) int {
			if t.Lane() < 8 {
				here()
				intrinsics.SyncWarp(t, t.AllLanes())
			}
			intrinsics.SyncThreads(t)
			return 0
		},
		"barrier first": func(t *thread) int {
			if t.Lane() >= 8 {
				intrinsics.SyncThreads(t)
				return 0
			}
			here()
			intrinsics.BallotSync(t, t.AllLanes(), true)
			intrinsics.SyncThreads(t)
			return 0
		},
		"a loop too short": func(t *thread) int {
			n := 3
			if t.Lane() >= 8 {
				n = 2
			}
			for range n {
				here()
				intrinsics.ShflXorSync(t, t.AllLanes(), 1, 1)
			}
			intrinsics.SyncThreads(t)
			return 0
		},
		"behind another": func(t *thread) int {
			if t.Lane() < 4 { // waits rightly for those that come to here later
				intrinsics.SyncWarp(t, lane.FirstN(8))
			} else if t.Lane() < 8 {
				here()
				intrinsics.BallotSync(t, lane.Range(4, 16), true)
				intrinsics.SyncWarp(t, lane.FirstN(8))
			}
			intrinsics.SyncThreads(t)
			return 0
		},
	} {
		for _, d := range []string{"h200", "custom-64", "custom-128"} {
			n := profile(t, d).Lanes
			_, r, err := try(engine(t, d, values), 2*n, kernel)
			require.ErrorIs(t, err, warp.Deadlock, "%s on %s", name, d)
			f := r.Faults[0]
			require.Equal(t, line+1, f.Site.Line, "%s on %s: %v", name, d, f.Error())
			require.Equal(t, map[bool]mask{true: lane.Range(4, 8), false: lane.FirstN(8)}[name == "behind another"], f.Lanes, f.Error())
			require.False(t, f.Mask.Empty())
			require.Equal(t, f.Mask.AndNot(f.Lanes), f.Missing, f.Error())
			require.Contains(t, f.Advice, "name in the mask only")
		}
	}
}

// One entry of a report is the lanes and the mask of one warp.
func TestFaultsOfOneLineStayApart(t *testing.T) {
	for _, d := range maskDevices {
		n := profile(t, d).Lanes
		_, r, err := try(engine(t, d, collecting), 2*n, func(t *thread) int {
			m := lane.FirstN(4)
			if t.WarpID() == 1 {
				m = lane.FirstN(2)
			}
			for range 2 {
				intrinsics.SyncWarp(t, m)
			}
			return 0
		})
		require.NoError(t, err)
		require.Len(t, r.Faults, 2, d)
		for w, named := range []int{4, 2} {
			f := r.Faults[w]
			require.Equal(t, []any{warp.CallerNotInMask, w, lane.Range(named, n), lane.FirstN(named), 2}, []any{f.Kind, f.Warp, f.Lanes, f.Mask, f.Count}, d)
		}
	}
}
