package crossbar

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
)

// Mistakes that people have reported in shuffle code, on 32, 64 and 128 lanes,
// under the rule of each kind of device. The values are those of the reports or
// plain arithmetic.

var devices = []struct {
	rule  Rule
	lanes int
}{{CutToWarp, 32}, {Uncut, 32}, {Uncut, 64}, {CutToWarp, 64}, {CutTo7, 128}, {CutToWarp, 128}}

func onDevices(t *testing.T, f func(t *testing.T, rule Rule, lanes int)) {
	for _, d := range devices {
		t.Run(fmt.Sprintf("%v/%d", d.rule, d.lanes), func(t *testing.T) { f(t, d.rule, d.lanes) })
	}
}

func shuffled(t *testing.T, rule Rule, m Mode, lanes, width int, x int32) []int32 {
	t.Helper()
	require.NoError(t, Validate(lanes, width))
	var r Route
	r.Shuffle(rule, m, lanes, width, x)
	return moved(t, &r)
}

// Idx wraps inside its segment: a rotation within segments stays in them.
func TestIdxWrapsInItsSegment(t *testing.T) {
	onDevices(t, func(t *testing.T, rule Rule, lanes int) {
		for _, width := range []int{8, 32} {
			xs := make([]int32, lanes)
			for l := range xs {
				xs[l] = int32(l%width) + 4
			}
			var r Route
			r.ShuffleLanes(rule, Idx, lanes, width, xs)
			got := moved(t, &r)
			if width == 8 {
				require.Equal(t, []int32{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11}, got[:16])
				for l := 8; l < lanes; l++ {
					require.Equal(t, got[l-8]+8, got[l], "lane %d", l)
				}
				continue
			}
			for base := 0; base < lanes; base += 32 {
				b := int32(base)
				require.Equal(t, []int32{b, b + 1, b + 2, b + 3}, got[base+28:base+32])
			}
		}
	})
}

// Down keeps the own value at the top, it does not wrap to lane 0.
func TestDownClamps(t *testing.T) {
	onDevices(t, func(t *testing.T, rule Rule, lanes int) {
		last := int32(lanes - 1)
		a := shuffled(t, rule, Down, lanes, lanes, 1)
		require.Equal(t, []int32{last - 2, last - 1, last, last}, a[lanes-4:])
		for l, v := range shuffled(t, rule, Down, lanes, lanes, 16) {
			want := l + 16
			if l >= lanes-16 {
				want = l
			}
			require.Equal(t, int32(want), v, "lane %d", l)
		}
		// The sum in lane 0 does not show the difference, the last lane does.
		sums := ramp(lanes)
		for d := lanes / 2; d > 0; d /= 2 {
			var r Route
			r.Shuffle(rule, Down, lanes, lanes, int32(d))
			other := make([]int32, lanes)
			Move(other, sums, &r, lane.FirstN(lanes))
			for l := range sums {
				sums[l] += other[l]
			}
		}
		require.Equal(t, int32(lanes*(lanes-1)/2), sums[0])
		require.Equal(t, int32((lanes-1)*lanes), sums[lanes-1]) // doubled in every step
	})
}

// The clamp of up is 0, that of down the last lane of the warp.
func TestClampDependsOnMode(t *testing.T) {
	for _, lanes := range []int{32, 64, 128} {
		all := lane.FirstN(lanes)
		scan := func(c uint32) []int32 {
			v := make([]int32, lanes)
			for l := range v {
				v[l] = 1
			}
			for d := 1; d < lanes; d *= 2 {
				var r Route
				r.Raw(CutToWarp, Up, lanes, each(lanes, uint32(d)), each(lanes, c))
				other := make([]int32, lanes)
				Move(other, v, &r, all)
				for l := d; l < lanes; l++ {
					v[l] += other[l]
				}
			}
			return v
		}
		right, wrong := scan(0), scan(uint32(lanes-1))
		for l := range right {
			require.Equal(t, int32(l+1), right[l])
			highest := int32(1) // every step whose guard lets the lane in doubles it
			for d := 1; d <= l; d *= 2 {
				highest *= 2
			}
			require.Equal(t, highest, wrong[l])
		}
		var r Route
		r.Raw(CutToWarp, Down, lanes, each(lanes, 3), each(lanes, 0))
		require.Equal(t, ramp(lanes), moved(t, &r), "down with clamp 0")
		r.Raw(CutToWarp, Up, lanes, each(lanes, 1), each(lanes, uint32(lanes-1)))
		require.Equal(t, ramp(lanes), moved(t, &r), "up with the clamp of down")
		r.Raw(CutToWarp, Up, lanes, each(lanes, 1), each(lanes, 0))
		require.Equal(t, append([]int32{0}, ramp(lanes-1)...), moved(t, &r))
	}
}

func each(n int, x uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// Xor reads earlier segments, and never later ones.
func TestXorAcrossSegments(t *testing.T) {
	for _, c := range []struct {
		width int
		mask  int32
		want  []int32 // of lanes 0 to 31; later lanes repeat it, 32 higher
	}{
		{8, 8, []int32{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 16, 17, 18, 19, 20, 21, 22, 23}},
		{8, 12, []int32{0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 20, 21, 22, 23, 16, 17, 18, 19}},
		{16, 24, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}},
		{8, 4, []int32{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 20, 21, 22, 23, 16, 17, 18, 19, 28, 29, 30, 31, 24, 25, 26, 27}},
	} {
		onDevices(t, func(t *testing.T, rule Rule, lanes int) {
			for l, v := range shuffled(t, rule, Xor, lanes, c.width, c.mask) {
				require.Equal(t, c.want[l%32]+int32(l/32*32), v, "width %d mask %d lane %d", c.width, c.mask, l)
			}
		})
	}
}

// A reduction that starts at 32 counts everything twice on 32 lanes, and leaves
// half of 128 lanes out.
func TestReductionFrom32(t *testing.T) {
	onDevices(t, func(t *testing.T, rule Rule, lanes int) {
		x := ramp(lanes)
		for d := int32(32); d > 0; d /= 2 {
			var r Route
			r.Shuffle(rule, Xor, lanes, lanes, d)
			other := make([]int32, lanes)
			Move(other, x, &r, lane.FirstN(lanes))
			for l := range x {
				x[l] += other[l]
			}
		}
		want := map[int][2]int32{32: {992, 992}, 64: {2016, 2016}, 128: {2016, 6112}}[lanes]
		for l, v := range x {
			require.Equal(t, want[l/64], v, "lane %d", l)
		}
	})
}

// The predicate of up, down and xor.
func TestPredicate(t *testing.T) {
	for _, lanes := range []int{32, 64, 128} {
		var r Route
		r.Shuffle(CutToWarp, Up, lanes, lanes, 1)
		require.Equal(t, lane.Range(1, lanes), r.InRange())
		r.Shuffle(CutToWarp, Down, lanes, lanes, 1)
		require.Equal(t, lane.FirstN(lanes-1), r.InRange())
		r.Shuffle(CutToWarp, Xor, lanes, 8, 8)
		require.Equal(t, lane.Mask{Lo: 0xff00ff00ff00ff00, Hi: 0xff00ff00ff00ff00}.And(lane.FirstN(lanes)), r.InRange())
		r.Shuffle(CutToWarp, Idx, lanes, 8, 99)
		require.Equal(t, lane.FirstN(lanes), r.InRange())
	}
}

func TestWidths(t *testing.T) {
	for _, c := range []struct {
		lanes, width int
		want         string
		text         string
	}{
		{32, 48, "not a power of two", "crossbar: shuffle width 48 on 32 lanes: width is not a power of two; use a power of two from 1 to 32"},
		{64, 48, "not a power of two", ""},
		{128, 7, "not a power of two", ""},
		{32, 3, "not a power of two", ""},
		{32, 0, "zero or negative", "crossbar: shuffle width 0 on 32 lanes: width is zero or negative; use a power of two from 1 to 32"},
		{32, -8, "zero or negative", ""},
		{32, 64, "above the warp", "crossbar: shuffle width 64 on 32 lanes: width is above the warp; use a power of two from 1 to 32"},
		{64, 128, "above the warp", ""},
		{128, 256, "above the warp", ""},
		{48, 16, "number of lanes", "crossbar: warp of 48 lanes: number of lanes is not a power of two from 1 to 128"},
		{256, 16, "number of lanes", ""},
		{0, 1, "number of lanes", ""},
		{-1, 1, "number of lanes", ""},
	} {
		err := Validate(c.lanes, c.width)
		var w *WidthError
		require.ErrorAs(t, err, &w, "%d on %d", c.width, c.lanes)
		require.Equal(t, []int{c.lanes, c.width}, []int{w.Lanes, w.Width})
		require.Contains(t, w.Reason, c.want)
		if c.text != "" {
			require.EqualError(t, err, c.text)
		}
	}
	for _, lanes := range allWidths {
		for _, width := range allWidths {
			require.Equal(t, width <= lanes, Validate(lanes, width) == nil)
		}
	}
}
