package crossbar

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
)

func TestReadLane(t *testing.T) {
	require.Equal(t, 5, ReadLane(64, 5))
	require.Equal(t, 5, ReadLane(64, 69))
	require.Equal(t, 31, ReadLane(32, 0xffffffff))
	require.Equal(t, 3, ReadFirstLane(lane.Bits(0x18)))
	require.Equal(t, 70, ReadFirstLane(lane.Bit(70)))
	require.Equal(t, 0, ReadFirstLane(lane.Mask{}))
}

// Forward: the highest sender wins, and lanes nobody sends to are not in range.
func TestPermute(t *testing.T) {
	address := make([]uint32, 64)
	for l := range address {
		address[l] = uint32(l / 2 * 4) // two senders for each of lanes 0 to 31
	}
	address[63] = 4*64 + 4*40 + 3 // bits above and below the lane are ignored
	var r Route
	r.Permute(64, 0, address, lane.FirstN(64))
	require.Equal(t, lane.FirstN(32).Or(lane.Bit(40)), r.InRange())
	for l := range 31 {
		require.Equal(t, 2*l+1, r.Source(l))
	}
	require.Equal(t, 62, r.Source(31))
	require.Equal(t, 63, r.Source(40))

	r.Permute(64, 0, address, lane.Bits(0x5)) // lanes 0 and 2 only
	require.Equal(t, lane.Bits(0x3), r.InRange())
	require.Equal(t, 0, r.Source(0))
	require.Equal(t, 2, r.Source(1))
}

func TestPermuteBack(t *testing.T) {
	address := make([]uint32, 64)
	for l := range address {
		address[l] = uint32(63-l)*4 + 64*4*uint32(l) + uint32(l&3)
	}
	var r Route
	r.PermuteBack(64, 64, address)
	for l := range 64 {
		require.Equal(t, 63-l, r.Source(l))
	}
	r.PermuteBack(64, 32, address) // only within its own half
	for l := range 64 {
		require.Equal(t, l&32|31-l&31, r.Source(l))
	}
	require.Equal(t, lane.FirstN(64), r.InRange())
	// A source that is not active is outside.
	r.PermuteBack(64, 0, make([]uint32, 64))
	require.Equal(t, lane.Range(5, 9), r.Outside(lane.Range(5, 9)))
}

func TestSwizzle(t *testing.T) {
	sources := func(lanes int, p uint16) []int32 {
		var r Route
		require.NoError(t, r.Swizzle(lanes, p))
		return moved(t, &r)
	}
	for l, v := range sources(64, 0x1f) { // and 31: own
		require.Equal(t, int32(l), v)
	}
	for l, v := range sources(64, 1<<10|0x1f) { // neighbours swap
		require.Equal(t, int32(l^1), v)
	}
	for l, v := range sources(64, 5<<5) { // everybody reads lane 5 of its 32
		require.Equal(t, int32(l&32|5), v)
	}
	for l, v := range sources(32, 0x1c|2<<5|31<<10) { // ((j & 28) | 2) ^ 31
		require.Equal(t, int32((l&28|2)^31), v)
	}
	for l, v := range sources(64, 0x8000|0b00_01_10_11) { // reverse in every four
		require.Equal(t, int32(l^3), v)
	}
	var r Route
	require.ErrorAs(t, r.Swizzle(16, 0), new(*PatternError))
	require.EqualError(t, r.Swizzle(16, 0x1f), "crossbar: swizzle pattern 0x1f on 16 lanes: works on groups of 32 lanes")
}

// The examples of the instruction set's text, lanes counted from 1.
func TestSwizzleRotatesAndReverses(t *testing.T) {
	for p, want := range map[uint16][]int32{
		0xe000: {0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d, 0x3, 0x13, 0xb, 0x1b, 0x7, 0x17, 0xf, 0x1f,
			0x2, 0x12, 0xa, 0x1a, 0x6, 0x16, 0xe, 0x1e, 0x4, 0x14, 0xc, 0x1c, 0x8, 0x18, 0x10, 0x20},
		0xc000 | 1<<5: {0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10, 0x11,
			0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x1},
		0xc000 | 1<<10 | 1<<5: {0x20, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf,
			0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f},
		0xc000 | 1<<5 | 1: {0x1, 0x4, 0x3, 0x6, 0x5, 0x8, 0x7, 0xa, 0x9, 0xc, 0xb, 0xe, 0xd, 0x10, 0xf, 0x12,
			0x11, 0x14, 0x13, 0x16, 0x15, 0x18, 0x17, 0x1a, 0x19, 0x1c, 0x1b, 0x1e, 0x1d, 0x20, 0x1f, 0x2},
		0xc000 | 1<<10 | 1<<5 | 1: {0x1f, 0x2, 0x1, 0x4, 0x3, 0x6, 0x5, 0x8, 0x7, 0xa, 0x9, 0xc, 0xb, 0xe, 0xd, 0x10,
			0xf, 0x12, 0x11, 0x14, 0x13, 0x16, 0x15, 0x18, 0x17, 0x1a, 0x19, 0x1c, 0x1b, 0x1e, 0x1d, 0x20},
	} {
		var r Route
		require.NoError(t, r.Swizzle(64, p))
		for l := range 64 {
			require.Equal(t, want[l%32]-1+int32(l&32), int32(r.Source(l)), "%#x lane %d", p, l)
		}
	}
	var r Route
	for _, p := range []uint16{0xe01f, 0xf01f, 0xc01f, 0xdfff} {
		require.NoError(t, r.Swizzle(32, p))
		for l := range 32 {
			require.Equal(t, l, r.Source(l), "%#x", p)
		}
	}
	// A mask of ones below sorts the groups of the lanes that agree there.
	require.NoError(t, r.Swizzle(32, 0xe010))
	for l, want := range []int{1, 9, 5, 0xd, 3, 0xb, 7, 0xf, 2, 0xa, 6, 0xe, 4, 0xc, 8, 0x10} {
		require.Equal(t, want-1, r.Source(l))
		require.Equal(t, want-1+16, r.Source(l+16))
	}
}

func TestRowControls(t *testing.T) {
	// want gives the source of a lane, -1 for none.
	for _, c := range []struct {
		control RowControl
		name    string
		want    func(l, lanes int) int
	}{
		{QuadPermute(0, 1, 2, 3), "quad_perm:[0,1,2,3]", func(l, _ int) int { return l }},
		{QuadPermute(2, 2, 0, 3), "quad_perm:[2,2,0,3]", func(l, _ int) int { return l&^3 + []int{2, 2, 0, 3}[l%4] }},
		{RowShiftLeft(1), "row_shl:1", func(l, _ int) int {
			if l%16 == 15 {
				return -1
			}
			return l + 1
		}},
		{RowShiftRight(5), "row_shr:5", func(l, _ int) int {
			if l%16 < 5 {
				return -1
			}
			return l - 5
		}},
		{RowRotateRight(15), "row_ror:15", func(l, _ int) int { return l&^15 + (l+1)%16 }},
		{WaveShiftLeft, "wave_shl:1", func(l, lanes int) int {
			if l == lanes-1 {
				return -1
			}
			return l + 1
		}},
		{WaveRotateLeft, "wave_rol:1", func(l, lanes int) int { return (l + 1) % lanes }},
		{WaveShiftRight, "wave_shr:1", func(l, _ int) int { return l - 1 }},
		{WaveRotateRight, "wave_ror:1", func(l, lanes int) int { return (l + lanes - 1) % lanes }},
		{RowMirror, "row_mirror", func(l, _ int) int { return l/16*16 + 15 - l%16 }},
		{RowHalfMirror, "row_half_mirror", func(l, _ int) int { return l/8*8 + 7 - l%8 }},
		{RowBroadcast15, "row_bcast:15", func(l, _ int) int { return l/16*16 - 1 }},
		{RowBroadcast31, "row_bcast:31", func(l, _ int) int {
			if l < 32 {
				return -1
			}
			return 31
		}},
		{RowShare(9), "row_share:9", func(l, _ int) int { return l/16*16 + 9 }},
		{RowXor(6), "row_xmask:6", func(l, _ int) int { return l ^ 6 }},
	} {
		require.Equal(t, c.name, c.control.String())
		for _, lanes := range []int{32, 64} {
			var r Route
			require.NoError(t, r.RowMove(c.control, lanes))
			for l := range lanes {
				want := c.want(l, lanes)
				require.Equal(t, want >= 0, r.InRange().Has(l), "%v lane %d", c.control, l)
				if want < 0 {
					want = l
				}
				require.Equal(t, want, r.Source(l), "%v lane %d", c.control, l)
			}
		}
	}
}

func TestRowControlsRefused(t *testing.T) {
	var r Route
	for _, c := range []RowControl{RowShiftLeft(0), RowShiftRight(16), RowRotateRight(-1), RowShare(16), RowXor(-1), 0x100, 0x110, 0x120, 0x131, 0x144, 0x170, 0xffff} {
		require.ErrorAs(t, r.RowMove(c, 64), new(*PatternError), "%v", c)
	}
	require.ErrorAs(t, r.RowMove(RowMirror, 128), new(*PatternError))
	assigned := 0
	for c := range RowControl(0x200) {
		if r.RowMove(c, 64) == nil {
			assigned++
			require.NotContains(t, c.String(), "control", "%#x", uint16(c))
		}
	}
	require.Equal(t, 256+3*15+4+4+2*16, assigned)
}

func TestRowWrite(t *testing.T) {
	var r Route
	require.NoError(t, r.RowMove(RowShiftRight(1), 64))
	all := lane.FirstN(64)
	starts := lane.Bits(0x0001000100010001) // first lanes of the rows: no source

	moved, zeroed := RowWrite{Rows: 0xf, Banks: 0xf}.Lanes(&r, all)
	require.Equal(t, all.AndNot(starts), moved)
	require.True(t, zeroed.Empty())

	moved, zeroed = RowWrite{Rows: 0xf, Banks: 0xf, ZeroFill: true}.Lanes(&r, all)
	require.Equal(t, all.AndNot(starts), moved)
	require.Equal(t, starts, zeroed)

	// Row 1 and bank 3 only.
	moved, zeroed = RowWrite{Rows: 0x2, Banks: 0x8, ZeroFill: true}.Lanes(&r, all)
	require.Equal(t, lane.Range(28, 32), moved)
	require.True(t, zeroed.Empty())

	// Lane 4 is off: lane 5 has no active source.
	active := all.Without(4)
	moved, zeroed = RowWrite{Rows: 0xf, Banks: 0xf, ZeroFill: true}.Lanes(&r, active)
	require.Equal(t, active.AndNot(starts).Without(5), moved)
	require.Equal(t, starts.With(5), zeroed)
	moved, zeroed = RowWrite{Rows: 0xf, Banks: 0xf, ZeroFill: true, FetchInactive: true}.Lanes(&r, active)
	require.Equal(t, active.AndNot(starts), moved)
	require.Equal(t, starts, zeroed)
}

func TestPermuteRow(t *testing.T) {
	var r Route
	const reverse = 0x0123456789abcdef // lane 0 reads nibble 0: 15
	require.NoError(t, r.PermuteRow(64, reverse, false))
	for l, v := range moved(t, &r) {
		require.Equal(t, int32(l/16*16+15-l%16), v)
	}
	require.NoError(t, r.PermuteRow(32, reverse, true))
	for l, v := range moved(t, &r) {
		require.Equal(t, int32((l^16)/16*16+15-l%16), v)
	}
	require.ErrorAs(t, r.PermuteRow(16, reverse, false), new(*PatternError))

	selectors := make([]uint32, 60) // the last four lanes read the first of their row
	for l := range selectors {
		selectors[l] = uint32(3*l + 5 + l<<8)
	}
	for _, across := range []int{0, 16} {
		require.NoError(t, r.PermuteRowLanes(64, selectors, across != 0))
		for l, v := range moved(t, &r) {
			want := int32(l/16*16+(3*l+5)%16) ^ int32(across)
			if l >= 60 {
				want = int32(48 ^ across)
			}
			require.Equal(t, want, v)
		}
	}
	require.ErrorAs(t, r.PermuteRowLanes(8, selectors, true), new(*PatternError))

	// Lanes whose source is not active keep what they have, or get 0.
	require.NoError(t, r.PermuteRow(32, reverse, false))
	some := lane.Range(4, 20)
	for f, want := range map[RowFetch][2]lane.Mask{
		{}:                    {lane.Range(4, 12), {}},
		{ZeroFill: true}:      {lane.Range(4, 12), lane.Range(12, 20)},
		{FetchInactive: true}: {some, {}},
	} {
		moved, zeroed := f.Lanes(&r, some)
		require.Equal(t, want, [2]lane.Mask{moved, zeroed}, "%+v", f)
	}
}

func TestSwapHalves(t *testing.T) {
	for _, lanes := range []int{1, 32, 64} {
		var r Route
		r.SwapHalves(lanes)
		for l, v := range moved(t, &r) {
			if lanes == 64 {
				l ^= 32
			}
			require.Equal(t, int32(l), v)
		}
	}
}

func TestExchange(t *testing.T) {
	for _, c := range []struct {
		exchange func(a, b []int)
		block    int
	}{{ExchangeRows[int], 16}, {ExchangeHalves[int], 32}} {
		a, b := make([]int, 64), make([]int, 64)
		for l := range a {
			a[l], b[l] = l, 100+l
		}
		c.exchange(a, b)
		for l := range a {
			if l/c.block%2 == 0 {
				require.Equal(t, l, a[l])
				require.Equal(t, l+c.block, b[l])
			} else {
				require.Equal(t, 100+l-c.block, a[l])
				require.Equal(t, 100+l, b[l])
			}
		}
		c.exchange(a[:5], nil)
	}
}
