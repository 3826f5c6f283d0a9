package vote

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/constraints"

	"example.com/warpsim/lane"
)

var widths = []int{1, 2, 3, 16, 31, 32, 33, 63, 64, 65, 127, 128}

func TestWithoutMembers(t *testing.T) {
	none, row := lane.Mask{}, []int32{5, 6}
	require.True(t, All(none, none))
	require.False(t, Any(none, lane.FirstN(128)))
	require.True(t, Uni(none, lane.FirstN(128)))
	require.Equal(t, none, Ballot(none, lane.FirstN(128)))
	require.Equal(t, -1, Elect(none))
	require.Zero(t, MatchAny(nil, none, row))
	m, same := MatchAll(none, row)
	require.Equal(t, none, m)
	require.True(t, same)
	require.Equal(t, int32(0), Add(none, row))
	require.Equal(t, int32(0), Or(none, row))
	require.Equal(t, int32(0), Xor(none, row))
	require.Equal(t, int32(-1), And(none, row))
	require.Equal(t, int32(math.MaxInt32), Min(none, row))
	require.Equal(t, int32(math.MinInt32), Max(none, row))
	require.Equal(t, uint8(255), Min(none, []uint8{}))
	require.Equal(t, uint8(0), Max(none, []uint8{}))
	require.Equal(t, int8(127), Min(none, []int8{}))
	require.Equal(t, int8(-128), Max(none, []int8{}))
	require.Equal(t, int16(math.MaxInt16), Min(none, []int16{}))
	require.Equal(t, int64(math.MaxInt64), Min(none, []int64{}))
	require.Equal(t, int64(math.MinInt64), Max(none, []int64{}))
	require.Equal(t, uint64(math.MaxUint64), Min(none, []uint64{}))
}

// A member that the row does not reach is no member.
func TestShortRows(t *testing.T) {
	members, row := lane.FirstN(128), []uint32{7, 7, 9}
	require.Equal(t, uint32(23), Add(members, row))
	dst := make([]lane.Mask, 2)
	require.Equal(t, 2, MatchAny(dst, members, row))
	require.Equal(t, []lane.Mask{lane.Only(0, 1), lane.Only(0, 1)}, dst)
	m, same := MatchAll(members, row[:2])
	require.True(t, same)
	require.Equal(t, lane.Only(0, 1), m)
	require.Zero(t, Add(lane.Bit(3), row))
}

func TestPredicates(t *testing.T) {
	for _, n := range widths {
		row, bools, want := make([]int64, n), make([]bool, n), lane.Mask{}
		for l := range row {
			if l%3 == 0 { // any bit of it counts
				row[l], bools[l] = []int64{2, -1, 0x100, math.MinInt64}[l%4], true
				want = want.With(l)
			}
		}
		require.Equal(t, want, NonZero(row))
		require.Equal(t, want, True(bools))
	}
	require.Equal(t, lane.FirstN(128), True(all(200)), "lanes beyond 127 do not exist")
}

func all(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

// Ranks of a ballot need all its bits: on 64 lanes a ballot cut to 32 gives
// lanes 32 to 63 one and the same rank.
func TestRankNeedsTheWholeBallot(t *testing.T) {
	ranks := make([]int32, 64)
	Ranks(ranks, lane.FirstN(64))
	for l, r := range ranks {
		require.Equal(t, int32(l), r)
	}
	Ranks(ranks, lane.FirstN(64).And(lane.Bits(0xffffffff)))
	for l, r := range ranks {
		require.Equal(t, int32(min(l, 32)), r)
	}
	Ranks(ranks, lane.Bits(0x5555555555555555).And(lane.Bits(0xffffffff)))
	require.Equal(t, int32(15), ranks[30])
	for _, r := range ranks[32:] {
		require.Equal(t, int32(16), r)
	}
}

// Exited lanes are no members: only lanes 0, 3, 6, … of 32 and 64 vote.
func TestExitedLanes(t *testing.T) {
	for lanes, want := range map[int]string{32: "49249249", 64: "9249249249249249"} {
		var live lane.Mask
		for l := 0; l < lanes; l += 3 {
			live = live.With(l)
		}
		require.True(t, All(live, lane.FirstN(lanes).Without(13)))
		require.False(t, Any(live, lane.Bit(13)))
		require.Equal(t, want, Ballot(live, lane.FirstN(lanes)).Hex(lanes))
	}
}

func TestReductionsWrap(t *testing.T) {
	row := make([]uint32, 32)
	for l := range row {
		row[l] = 0x10000000
	}
	require.Equal(t, uint32(0), Add(lane.FirstN(32), row)) // 2^33 modulo 2^32: 32 * 2^28
	for l := range row {
		row[l] = uint32(l)
	}
	require.Equal(t, uint32(120), Add(lane.FirstN(16), row))
	require.Equal(t, int8(-128), Add(lane.FirstN(2), []int8{127, 1}))
}

// reference is a plain loop over the lanes.
type reference[T constraints.Integer] struct {
	sum, least, most, and, or, xor T
	members                        int
	match                          [lane.MaxLanes]lane.Mask
	distinct                       int
}

func refer[T constraints.Integer](members lane.Mask, row []T) (r reference[T]) {
	seen := map[T]bool{}
	for l, v := range row {
		if !members.Has(l) {
			continue
		}
		if r.members == 0 {
			r.least, r.most, r.and = v, v, v
		}
		r.members++
		r.sum += v
		r.least, r.most = min(r.least, v), max(r.most, v)
		r.and &= v
		r.or |= v
		r.xor ^= v
		seen[v] = true
		for k, o := range row {
			if members.Has(k) && o == v {
				r.match[l] = r.match[l].With(k)
			}
		}
	}
	r.distinct = len(seen)
	return r
}

func check[T constraints.Integer](t *testing.T, members lane.Mask, row []T) {
	t.Helper()
	want := refer(members, row)
	var got reference[T]
	got.members = want.members
	if want.members > 0 {
		got.least, got.most, got.and = Min(members, row), Max(members, row), And(members, row)
	}
	got.sum, got.or, got.xor = Add(members, row), Or(members, row), Xor(members, row)
	got.distinct = MatchAny(got.match[:], members, row)
	require.Equal(t, want, got)
	_, same := MatchAll(members, row)
	require.Equal(t, want.distinct <= 1, same)
	ranks := make([]uint8, len(row))
	Ranks(ranks, members)
	for l, r := range ranks {
		require.Equal(t, members.Rank(l), int(r))
	}
}

func TestAgainstLoops(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range widths {
		for round := range 20 {
			var members lane.Mask
			switch round % 4 {
			case 0:
				members = lane.FirstN(n)
			case 1:
				members = lane.Bit(random.IntN(n))
			default:
				members = lane.Mask{Lo: random.Uint64(), Hi: random.Uint64()}
			}
			limit := []uint64{1, 3, math.MaxUint64}[round%3]
			words := make([]uint64, n)
			for l := range words {
				words[l] = random.Uint64() % limit * 0x123456789abcdef
			}
			check(t, members, words)
			check(t, members, as[int64](words))
			check(t, members, as[uint32](words))
			check(t, members, as[int32](words))
			check(t, members, as[int16](words))
			check(t, members, as[uint8](words))
		}
	}
}

func as[T constraints.Integer](words []uint64) []T {
	out := make([]T, len(words))
	for i, w := range words {
		out[i] = T(w)
	}
	return out
}

func FuzzVote(f *testing.F) {
	f.Add([]byte{1, 2, 3, 1}, uint64(0xd), uint64(0))
	f.Add(make([]byte, 128), ^uint64(0), ^uint64(0))
	f.Fuzz(func(t *testing.T, row []byte, lo, hi uint64) {
		row = row[:min(len(row), lane.MaxLanes)]
		members := lane.Mask{Lo: lo, Hi: hi}
		check(t, members, row)
		p := NonZero(row)
		m := members.And(lane.FirstN(len(row)))
		yes := 0
		for l := range m.Lanes() {
			if row[l] != 0 {
				yes++
			}
		}
		require.Equal(t, yes == m.Count(), All(m, p))
		require.Equal(t, yes > 0, Any(m, p))
		require.Equal(t, yes == 0 || yes == m.Count(), Uni(m, p))
		require.Equal(t, yes, Ballot(m, p).Count())
	})
}

func TestNothingAllocates(t *testing.T) {
	row, dst, ranks := make([]int32, 128), make([]lane.Mask, 128), make([]int32, 128)
	for i := range row {
		row[i] = int32(i % 37)
	}
	members := lane.Mask{Lo: 0x123456789abcdef, Hi: 0xfedcba987654321}
	var total int
	allocs := testing.AllocsPerRun(10, func() {
		p := NonZero(row)
		total += Ballot(members, p).Count() + Elect(members)
		total += MatchAny(dst, members, row)
		_, same := MatchAll(members, row)
		if same || Uni(members, p) {
			total++
		}
		Ranks(ranks, members)
		total += int(Add(members, row) + Min(members, row) + Max(members, row) + And(members, row) + Or(members, row) + Xor(members, row))
	})
	require.Zero(t, allocs)
}
