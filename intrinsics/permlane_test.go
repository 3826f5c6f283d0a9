package intrinsics_test

import (
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPermutationsOfRowsPerLane(t *testing.T) {
	for _, lanes := range []string{"custom-32", "custom-64"} {
		e := engine(t, lanes, values)
		n := e.Device().Lanes
		type results struct {
			row, across, own, swapped, kept, zero int64
			a, b, written                         int64
			wide                                  [3]int32
			first, second                         [3]int32
		}
		const reverse = 0x0123456789abcdef
		got := run(t, e, n, func(t *thread) (r results) {
			l := t.Lane()
			v := int64(l)<<40 + 7
			r.row = intrinsics.PermuteRow(t, -1, v, reverse, false, crossbar.RowFetch{})
			r.across = intrinsics.PermuteRow(t, -1, v, reverse, true, crossbar.RowFetch{})
			r.own = intrinsics.PermuteRowLanes(t, -1, v, l+3, false, crossbar.RowFetch{})
			r.swapped = intrinsics.SwapHalves(t, v)
			if l%16 < 4 {
				r.kept = intrinsics.PermuteRow(t, -1, v, reverse, false, crossbar.RowFetch{})
				r.zero = intrinsics.PermuteRow(t, -1, v, reverse, false, crossbar.RowFetch{ZeroFill: true})
			}
			r.a, r.b = intrinsics.ExchangeRows(t, v, -v, crossbar.RowFetch{})
			r.written = intrinsics.WriteLane(t, v, 5, -3)
			r.wide = intrinsics.PermuteRow(t, [3]int32{}, [3]int32{int32(l), 5, -int32(l)}, reverse, false, crossbar.RowFetch{})
			r.first, r.second = intrinsics.ExchangeRows(t, [3]int32{int32(l), 1}, [3]int32{int32(l), 2}, crossbar.RowFetch{})
			return r
		})
		for l, r := range got {
			value := func(l int) int64 { return int64(l)<<40 + 7 }
			back := l/16*16 + 15 - l%16
			want := results{row: value(back), across: value(back ^ 16), own: value(l/16*16 + (l+3)%16), swapped: value(l),
				a: value(l), b: -value(l), written: value(l), wide: [3]int32{int32(back), 5, -int32(back)},
				first: [3]int32{int32(l), 1}, second: [3]int32{int32(l), 2}}
			if n == 64 {
				want.swapped = value(l ^ 32)
			}
			if l%16 < 4 {
				want.kept = -1
			}
			if l&16 != 0 {
				want.a, want.first = -value(l-16), [3]int32{int32(l - 16), 2}
			} else {
				want.b, want.second = value(l+16), [3]int32{int32(l + 16), 1}
			}
			if l == 5 {
				want.written = -3
			}
			require.Equal(t, want, r, "%s lane %d", lanes, l)
		}
	}
}

// A transposition of two registers by exchanges, as kernels for CDNA 4 do it: eight
// columns of eight values a lane pair up without shared memory.
func TestExchangesOfHalves(t *testing.T) {
	e := engine(t, "mi355x", warp.Config{})
	got, r, err := try(e, 64, func(t *thread) [2]int32 {
		a, b := int32(t.Lane()), int32(100+t.Lane())
		a, b = intrinsics.ExchangeHalves(t, a, b, crossbar.RowFetch{})
		a, b = intrinsics.ExchangeRows(t, a, b, crossbar.RowFetch{})
		return [2]int32{a, b}
	})
	require.NoError(t, err)
	for l, v := range got {
		// After the halves: a is 0..31 and 100..131, b is 32..63 and 132..163.
		half := func(lane, reg int) int32 { return int32(100*(lane/32) + lane%32 + 32*reg) }
		want := [2]int32{half(l, 0), half(l, 1)}
		if l/16%2 == 1 {
			want[0] = half(l-16, 1)
		} else {
			want[1] = half(l+16, 0)
		}
		require.Equal(t, want, v, "lane %d", l)
	}
	assert.EqualValues(t, 2, r.Count(isa.PermLane))
}

func TestPermutationsOfRowsPerLaneRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		kernel func(t *thread) int
		detail string
	}{
		"selectors": {func(t *thread) int {
			return intrinsics.PermuteRow(t, 0, 1, uint64(t.Lane()), false, crossbar.RowFetch{})
		}, "pass different selectors"},
		"flags": {func(t *thread) int {
			return intrinsics.PermuteRow(t, 0, 1, 0, false, crossbar.RowFetch{ZeroFill: t.Lane() > 3})
		}, "pass different flags"},
		"lane":  {func(t *thread) int { return intrinsics.WriteLane(t, 0, t.Lane(), 1) }, "pass different lanes"},
		"value": {func(t *thread) int { return intrinsics.WriteLane(t, 0, 1, t.Lane()) }, "pass different values"},
	} {
		_, _, err := try(engine(t, "custom-64", values), 64, c.kernel)
		assert.ErrorIs(t, err, warp.Unsupported, name)
		assert.ErrorContains(t, err, c.detail, name)
	}
	for device, what := range map[string]string{"mi300x": "mi300x has no permlane16", "rx6900xt-wave64": "rx6900xt-wave64 has no permlane64; "} {
		_, _, err := try(engine(t, device, values), 64, func(t *thread) int {
			if device == "mi300x" {
				return intrinsics.PermuteRow(t, 0, 1, 0, false, crossbar.RowFetch{})
			}
			return intrinsics.SwapHalves(t, 1)
		})
		assert.ErrorIs(t, err, warp.Unsupported)
		assert.ErrorContains(t, err, what)
	}
	_, _, err := try(engine(t, "custom-64", values), 64, func(t *thread) int {
		a, _ := intrinsics.ExchangeRows(t, [5]uint64{}, [5]uint64{}, crossbar.RowFetch{})
		return int(a[0])
	})
	var wide *lane.TypeError
	assert.ErrorAs(t, err, &wide)
}
