package lane_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/lane"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A set is the plain model of a mask: the lanes in ascending order.
type set map[int]bool

func setOf(m lane.Mask) set {
	s := set{}
	for l := range lane.MaxLanes {
		word, bit := m.Lo, l
		if l >= 64 {
			word, bit = m.Hi, l-64
		}
		if word>>bit&1 == 1 {
			s[l] = true
		}
	}
	return s
}

func (s set) sorted() []int {
	var out []int
	for l := range lane.MaxLanes {
		if s[l] {
			out = append(out, l)
		}
	}
	return out
}

// maskOf writes a set as the words of a mask.
func maskOf(s set) (m lane.Mask) {
	for l := range s {
		if l < 64 {
			m.Lo |= 1 << l
		} else {
			m.Hi |= 1 << (l - 64)
		}
	}
	return m
}

func where(keep func(l int) bool) set {
	s := set{}
	for l := range lane.MaxLanes {
		if keep(l) {
			s[l] = true
		}
	}
	return s
}

// masks are the shapes that matter: empty, full, single lanes at the word
// boundaries, halves, and random ones of several densities.
func masks() []lane.Mask {
	out := []lane.Mask{{}, {Lo: ^uint64(0), Hi: ^uint64(0)}, {Lo: ^uint64(0)}, {Hi: ^uint64(0)},
		{Lo: 0x5555555555555555, Hi: 0x5555555555555555}}
	for _, l := range []int{0, 1, 31, 32, 62, 63, 64, 65, 126, 127} {
		out = append(out, lane.Bit(l))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		out = append(out,
			lane.Mask{Lo: r.Uint64(), Hi: r.Uint64()},
			lane.Mask{Lo: r.Uint64() & r.Uint64() & r.Uint64(), Hi: r.Uint64() & r.Uint64() & r.Uint64()},
			lane.Mask{Lo: r.Uint64() | r.Uint64() | r.Uint64(), Hi: r.Uint64() | r.Uint64() | r.Uint64()})
	}
	return out
}

func sameSet(t testing.TB, what string, want set, got lane.Mask) {
	t.Helper()
	if maskOf(want) != got {
		t.Errorf("%s: %s", what, cmp.Diff(want.sorted(), setOf(got).sorted()))
	}
}

// checkAlgebra holds every operation on two masks against sets of numbers.
func checkAlgebra(t testing.TB, a, b lane.Mask) {
	t.Helper()
	x, y := setOf(a), setOf(b)
	sameSet(t, "And", where(func(l int) bool { return x[l] && y[l] }), a.And(b))
	sameSet(t, "Or", where(func(l int) bool { return x[l] || y[l] }), a.Or(b))
	sameSet(t, "Xor", where(func(l int) bool { return x[l] != y[l] }), a.Xor(b))
	sameSet(t, "AndNot", where(func(l int) bool { return x[l] && !y[l] }), a.AndNot(b))
	contains, overlaps := true, false
	for l := range y {
		contains = contains && x[l]
		overlaps = overlaps || x[l]
	}
	if a.Contains(b) != contains {
		t.Errorf("%s.Contains(%s) = %v", a, b, !contains)
	}
	if a.Overlaps(b) != overlaps {
		t.Errorf("%s.Overlaps(%s) = %v", a, b, !overlaps)
	}
}

// checkMask holds every operation on one mask against a set of numbers.
func checkMask(t testing.TB, m lane.Mask) {
	t.Helper()
	s := setOf(m)
	lanes := s.sorted()
	first, last := -1, -1
	if len(lanes) > 0 {
		first, last = lanes[0], lanes[len(lanes)-1]
	}
	if m.Count() != len(lanes) || m.Empty() != (len(lanes) == 0) || m.First() != first || m.Last() != last {
		t.Errorf("%s: Count %d, Empty %v, First %d, Last %d of %v", m, m.Count(), m.Empty(), m.First(), m.Last(), lanes)
	}
	if got := slices.Collect(m.Lanes()); !slices.Equal(got, lanes) {
		t.Errorf("%s: Lanes %v, want %v", m, got, lanes)
	}
	if lane.Only(lanes...) != m {
		t.Errorf("%s: Only(%v) = %s", m, lanes, lane.Only(lanes...))
	}
	for l := -2; l < lane.MaxLanes+2; l++ {
		if m.Has(l) != s[l] {
			t.Errorf("%s: Has(%d) = %v", m, l, m.Has(l))
		}
		rank := 0
		for _, k := range lanes {
			if k < l {
				rank++
			}
		}
		if m.Rank(l) != rank {
			t.Errorf("%s: Rank(%d) = %d, want %d", m, l, m.Rank(l), rank)
		}
		sameSet(t, "With", where(func(k int) bool { return s[k] || k == l }), m.With(l))
		sameSet(t, "Without", where(func(k int) bool { return s[k] && k != l }), m.Without(l))
	}
	for n := -1; n <= len(lanes)+1; n++ {
		want := -1
		if n >= 0 && n < len(lanes) {
			want = lanes[n]
		}
		if m.Nth(n) != want {
			t.Errorf("%s: Nth(%d) = %d, want %d", m, n, m.Nth(n), want)
		}
	}
	for _, n := range []int{-3, 0, 1, 31, 32, 63, 64, 65, 127, 128, 500} {
		sameSet(t, "Not", where(func(l int) bool { return l < n && !s[l] }), m.Not(n))
	}
}

func TestMaskAgainstSets(t *testing.T) {
	all := masks()
	for i, m := range all {
		checkMask(t, m)
		for _, o := range []lane.Mask{all[(i*7+3)%len(all)], m, m.Not(128), {}, lane.FirstN(128)} {
			checkAlgebra(t, m, o)
		}
		if t.Failed() {
			return
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint64(0), uint64(0))
	f.Add(^uint64(0), uint64(1), uint64(1)<<63, ^uint64(0))
	f.Add(uint64(0xffff0000), uint64(0), uint64(0x0000ffff), uint64(7))
	f.Fuzz(func(t *testing.T, alo, ahi, blo, bhi uint64) {
		a, b := lane.Mask{Lo: alo, Hi: ahi}, lane.Mask{Lo: blo, Hi: bhi}
		checkMask(t, a)
		checkAlgebra(t, a, b)
		checkHex(t, a)
	})
}

// FirstN, Range, Below, Above and Bit at every number around both words.
func TestMaskConstructors(t *testing.T) {
	for n := -2; n <= lane.MaxLanes+2; n++ {
		sameSet(t, "FirstN", where(func(l int) bool { return l < n }), lane.FirstN(n))
		sameSet(t, "Below", where(func(l int) bool { return l < n }), lane.Below(n))
		sameSet(t, "Bit", where(func(l int) bool { return l == n }), lane.Bit(n))
		for _, width := range []int{1, 32, 64, 128} {
			sameSet(t, "Above", where(func(l int) bool { return l > n && l < width }), lane.Above(n, width))
		}
		for hi := -2; hi <= lane.MaxLanes+2; hi += 3 {
			sameSet(t, "Range", where(func(l int) bool { return l >= n && l < hi }), lane.Range(n, hi))
		}
	}
	assert.Equal(t, lane.Mask{Lo: 0xdeadbeef}, lane.Bits(0xdeadbeef))
	sameSet(t, "Only", set{3: true, 64: true}, lane.Only(-1, 3, 64, 128, 3))
}

func TestLanesStopsEarly(t *testing.T) {
	for _, stop := range []int{0, 3, 63, 64, 100} {
		var seen []int
		for l := range lane.FirstN(128).Lanes() {
			seen = append(seen, l)
			if l == stop {
				break
			}
		}
		require.Len(t, seen, stop+1)
	}
}

// number returns the mask as a number.
func number(m lane.Mask) *big.Int {
	n := new(big.Int).Lsh(new(big.Int).SetUint64(m.Hi), 64)
	return n.Or(n, new(big.Int).SetUint64(m.Lo))
}
