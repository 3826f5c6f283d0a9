package crossbar

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
)

// The formulas as their vendors publish them, one lane at a time, as the
// reference for every width, operand and number of lanes.

// rawReference is the pseudocode of the PTX manual, with k-bit fields and the
// segment field at bit shift instead of its 5 and 8.
func rawReference(m Mode, lane, k, shift int, b, c uint32) (j int, p bool) {
	mask := uint32(1)<<k - 1
	bval := int(b & mask)
	cval := int(c & mask)
	seg := int(c >> shift & mask)
	notSeg := int(^(c >> shift) & mask)
	maxLane := lane&seg | cval&notSeg
	minLane := lane & seg
	switch m {
	case Up:
		j = lane - bval
		p = j >= maxLane
	case Down:
		j = lane + bval
		p = j <= maxLane
	case Xor:
		j = lane ^ bval
		p = j <= maxLane
	case Idx:
		j = minLane | bval&notSeg
		p = j <= maxLane
	}
	if !p {
		j = lane
	}
	return j, p
}

// hipReference is the header's functions; warp is the wavefront size to which
// the permutation reduces the index.
func hipReference(m Mode, self, width, x int32, warp int) (int, bool) {
	var index int32
	own := false
	switch m {
	case Idx:
		index = (x & (width - 1)) + (self & ^(width - 1))
	case Up:
		index = self - x
		if index < (self & ^(width - 1)) {
			index, own = self, true
		}
	case Down:
		index = int32(uint32(self) + uint32(x))
		if int32(uint32(self&(width-1))+uint32(x)) >= width {
			index, own = self, true
		}
	case Xor:
		index = self ^ x
		if index >= (self+width) & ^(width-1) {
			index, own = self, true
		}
	}
	return int(uint32(index)<<2>>2) & (warp - 1), !own
}

func reference(rule Rule, m Mode, lanes, width, l int, x int32) (int, bool) {
	k := bits.TrailingZeros(uint(lanes))
	switch rule {
	case Uncut:
		return hipReference(m, int32(l), int32(width), x, lanes)
	case CutTo7:
		c := uint32((^(width-1)&0x7f)<<7 | width - 1)
		if m == Up {
			c = uint32((^(width - 1) & 0x7f) << 7)
		}
		return rawReference(m, l, 7, 7, uint32(x), c)
	}
	c := uint32((lanes-width)<<8 | lanes - 1)
	if m == Up {
		c = uint32((lanes - width) << 8)
	}
	return rawReference(m, l, k, 8, uint32(x), c)
}

var (
	allModes  = []Mode{Idx, Up, Down, Xor}
	allRules  = []Rule{CutToWarp, Uncut, CutTo7}
	allWidths = []int{1, 2, 4, 8, 16, 32, 64, 128}
)

func operands(lanes int) []int32 {
	var out []int32
	for x := int32(min(-130, -lanes-3)); x <= int32(max(130, 2*lanes+3)); x++ {
		out = append(out, x)
	}
	return append(out, 255, 256, 257, 1<<16, math.MaxInt32, math.MinInt32, math.MaxInt32-40, math.MinInt32+40)
}

// TestPublished compares every rule, mode, number of lanes, width, operand and
// lane with the published formula, and the ways to ask for it with each other.
func TestPublished(t *testing.T) {
	for _, rule := range allRules {
		for _, lanes := range allWidths {
			for _, width := range allWidths {
				if width > lanes {
					continue
				}
				for _, m := range allModes {
					for _, x := range operands(lanes) {
						comparePublished(t, rule, m, lanes, width, x)
					}
				}
			}
		}
	}
}

func comparePublished(t *testing.T, rule Rule, m Mode, lanes, width int, x int32) {
	var uniform, each Route
	uniform.Shuffle(rule, m, lanes, width, x)
	var xs [lane.MaxLanes]int32
	for i := range xs {
		xs[i] = x
	}
	each.ShuffleLanes(rule, m, lanes, width, xs[:lanes])
	for l := range lanes {
		from, in := reference(rule, m, lanes, width, l, x)
		if uniform.Source(l) != from || uniform.InRange().Has(l) != in || each.Source(l) != from || each.InRange().Has(l) != in {
			t.Fatalf("%v %v lanes %d width %d operand %d lane %d: want %d %v, got %d %v with one operand, %d %v with one per lane",
				rule, m, lanes, width, x, l, from, in,
				uniform.Source(l), uniform.InRange().Has(l), each.Source(l), each.InRange().Has(l))
		}
	}
}

// The rules part only beyond the warp.
func TestRulesAgreeInsideTheWarp(t *testing.T) {
	for _, lanes := range allWidths {
		for _, width := range allWidths {
			for x := int32(0); width <= lanes && x < int32(lanes); x++ {
				for _, m := range allModes {
					var want Route
					want.Shuffle(CutToWarp, m, lanes, width, x)
					for _, rule := range []Rule{Uncut, CutTo7} {
						var r Route
						r.Shuffle(rule, m, lanes, width, x)
						for l := range lanes {
							require.Equal(t, want.Source(l), r.Source(l), "%v %v %d/%d by %d lane %d", rule, m, lanes, width, x, l)
						}
						require.Equal(t, want.InRange(), r.InRange())
					}
				}
			}
		}
	}
}

func TestRulesPartBeyondTheWarp(t *testing.T) {
	source := func(rule Rule, m Mode, lanes int, x int32, l int) int {
		var r Route
		r.Shuffle(rule, m, lanes, lanes, x)
		return r.Source(l)
	}
	require.Equal(t, 9, source(CutToWarp, Up, 32, 33, 10))
	require.Equal(t, 10, source(Uncut, Up, 32, 33, 10))
	require.Equal(t, 10, source(CutTo7, Up, 32, 33, 10))
	require.Equal(t, 11, source(CutToWarp, Xor, 32, 33, 10))
	require.Equal(t, 10, source(Uncut, Xor, 32, 33, 10))
	require.Equal(t, 10, source(CutToWarp, Down, 32, 64, 10))
	require.Equal(t, 11, source(CutTo7, Down, 32, 129, 10))
	// A delta of 2^32-1 is -1 in wrapping arithmetic: it passes the test and
	// the permutation wraps it.
	require.Equal(t, 11, source(Uncut, Up, 64, -1, 10))
	require.Equal(t, 0, source(Uncut, Up, 64, -1, 63))
	require.Equal(t, 63, source(Uncut, Xor, 64, -1, 0))
}

// Every segment and clamp, for all modes and operands, on 32 lanes with 5 bits
// and on 128 lanes with 7.
func TestRawPublished(t *testing.T) {
	for _, form := range []struct {
		rule            Rule
		lanes, k, shift int
		step            int
	}{{CutToWarp, 32, 5, 8, 1}, {CutToWarp, 64, 6, 8, 5}, {CutToWarp, 128, 7, 8, 11}, {CutTo7, 128, 7, 7, 11}} {
		for seg := 0; seg < form.lanes; seg += form.step {
			for clamp := 0; clamp < form.lanes; clamp += form.step {
				c := uint32(seg<<form.shift | clamp)
				var b, cc [lane.MaxLanes]uint32
				for l := range b {
					b[l], cc[l] = uint32(l*7+seg+clamp), c
				}
				for _, m := range allModes {
					var r Route
					r.Raw(form.rule, m, form.lanes, b[:form.lanes], cc[:form.lanes])
					for l := range form.lanes {
						from, in := rawReference(m, l, form.k, form.shift, b[l], c)
						if from != r.Source(l) || in != r.InRange().Has(l) {
							t.Fatalf("%v %v b %d c %#x lane %d: want %d %v, got %d %v", form.rule, m, b[l], c, l, from, in, r.Source(l), r.InRange().Has(l))
						}
					}
				}
			}
		}
	}
}

func TestRawOperand(t *testing.T) {
	require.Equal(t, uint32(0x1f), RawOperand(CutToWarp, Down, 32, 32))
	require.Equal(t, uint32(24<<8|0x1f), RawOperand(CutToWarp, Idx, 32, 8))
	require.Equal(t, uint32(24<<8), RawOperand(CutToWarp, Up, 32, 8))
	require.Equal(t, uint32(0x7f), RawOperand(CutTo7, Xor, 128, 128))
	require.Equal(t, uint32(96<<7|31), RawOperand(CutTo7, Xor, 128, 32))
	require.Equal(t, uint32(0), RawOperand(CutTo7, Up, 128, 128))
}

// FuzzShuffle holds every route to the published formula, whatever the width,
// and moves and masks to the sources.
func FuzzShuffle(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(5), 32, int32(3), uint64(0xffff), uint64(1))
	f.Add(uint8(1), uint8(3), uint8(6), 8, int32(-1), ^uint64(0), uint64(0))
	f.Add(uint8(2), uint8(2), uint8(7), 48, int32(99), uint64(5), ^uint64(0))
	f.Fuzz(func(t *testing.T, rule, m, k uint8, width int, x int32, lo, hi uint64) {
		lanes := 1 << (k % 8)
		width = int(int32(width))
		var r Route
		r.Shuffle(Rule(rule%3), Mode(m%4), lanes, width, x)
		for l := range lanes {
			if Validate(lanes, width) == nil {
				from, in := reference(Rule(rule%3), Mode(m%4), lanes, width, l, x)
				require.Equal(t, from, r.Source(l))
				require.Equal(t, in, r.InRange().Has(l))
			}
			require.Less(t, r.Source(l), lanes)
		}
		checkMoves(t, &r, lane.Mask{Lo: lo, Hi: hi})
	})
}
