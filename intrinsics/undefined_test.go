package intrinsics_test

import (
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// An undefined value that a Go variable gets is used: Strict does not let a branch
// on it pass. Where the device says what the value is there is no such fault.
func TestUndefinedInGo(t *testing.T) {
	kernel := func(t *thread) int {
		if t.Lane() < 16 {
			if x := intrinsics.ShflDownSync(t, 0xffff, t.Lane()+1, 8); x > 8 {
				return 1
			}
		}
		return 0
	}
	for _, d := range []string{"h200", "pascal"} {
		_, _, err := try(engine(t, d, values), 32, kernel)
		require.ErrorIs(t, err, warp.UndefinedUse, d)
		_, r, err := try(engine(t, d, collecting), 32, kernel)
		require.NoError(t, err)
		only(t, r, warp.ReadInactive, warp.UndefinedUse)
		require.Equal(t, lane.Range(8, 16), fault(t, r, warp.UndefinedUse).Lanes, d)
		_, r, err = try(engine(t, d, warp.Config{ValuesOnly: true, Faults: warp.Mimic}), 32, kernel)
		require.NoError(t, err)
		only(t, r, warp.ReadInactive)
	}
	_, _, err := try(engine(t, "hip32", values), 32, func(t *thread) int {
		if t.Lane() < 16 {
			return intrinsics.ShflDown(t, t.Lane(), 8)
		}
		return 0
	})
	require.NoError(t, err)
}

// So is one that a Go variable gets from memory that nobody has written.
func TestUndefinedMemoryInGo(t *testing.T) {
	for _, d := range []string{"h200", "pascal", "mi300x", "mtt-s4000"} {
		for _, load := range []func(a *intrinsics.Array[int32], t *thread) int32{
			func(a *intrinsics.Array[int32], t *thread) int32 { return a.Load(t, t.Lane()) },
			func(a *intrinsics.Array[int32], t *thread) int32 { return a.LoadVolatile(t, t.Lane()) },
			func(a *intrinsics.Array[int32], t *thread) int32 { return intrinsics.AtomicAdd(t, a, t.Lane(), 1) },
		} {
			for _, shared := range []bool{true, false} {
				run := func(c warp.Config) (*warp.Report, error) {
					c.ValuesOnly, c.Sanitize = true, true
					e := engine(t, d, c)
					global, err := intrinsics.Undefined[int32](e, 16)
					require.NoError(t, err)
					_, r, err := try(e, 16, func(t *thread) int {
						a := global
						if s := intrinsics.Shared[int32](t, 16); shared {
							a = s
						}
						if load(a, t) == 0 {
							return 1
						}
						return 0
					})
					return r, err
				}
				kind := warp.UninitializedGlobal
				if shared {
					kind = warp.UninitializedShared
				}
				_, err := run(warp.Config{})
				require.ErrorIs(t, err, kind, d)
				require.ErrorIs(t, err, warp.UndefinedUse, d)
				r, err := run(warp.Config{Faults: warp.Collect})
				require.NoError(t, err)
				only(t, r, kind)
			}
		}
	}
}
