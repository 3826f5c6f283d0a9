package crossbar

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/lane"
)

// ReadLane returns the lane that a read of one lane into a scalar register
// names: the operand modulo the warp, whether that lane is active or not
// (v_readlane). Lanes must be a power of two.
func ReadLane(lanes int, operand uint32) int { return int(operand) & (lanes - 1) }

// ReadFirstLane returns the lowest active lane, or lane 0 if none is active
// (v_readfirstlane).
func ReadFirstLane(active lane.Mask) int { return max(0, active.First()) }

// Permute fills the route of a forward permutation (ds_permute): lane l sends
// its value to lane address[l]/4, modulo the warp or within its own group of
// reach lanes, as for PermuteBack. Only lanes of active send;
// of several that send to one lane the highest wins. InRange is the lanes that
// receive something; the others get 0, whatever Source says. Lanes beyond the
// end of address send to lane 0.
func (r *Route) Permute(lanes, reach int, address []uint32, active lane.Mask) {
	lanes = r.begin(lanes)
	if reach <= 0 || reach > lanes {
		reach = lanes
	}
	var in [2]uint64
	for l := range lanes {
		r.sources[l&127] = uint8(l)
	}
	for l := range lanes {
		if active.Has(l) {
			r.set(l&^(reach-1)|byteAddressed(address, l, reach), l, true, &in)
		}
	}
	r.inRange = lane.Mask{Lo: in[0], Hi: in[1]}
}

// PermuteBack fills the route of a backward permutation (ds_bpermute): lane l
// reads lane address[l]/4. Only reach lanes can be told apart, and a lane reads
// within its own group of them: reach is the whole warp, or 32 where a warp of
// 64 reads only its own half. A reach of 0, or above the warp, is the warp.
// Every lane is in range; a source that is not active gives 0: see Outside.
func (r *Route) PermuteBack(lanes, reach int, address []uint32) {
	lanes = r.begin(lanes)
	if reach <= 0 || reach > lanes {
		reach = lanes
	}
	var in [2]uint64
	for l := range lanes {
		r.set(l, l&^(reach-1)|byteAddressed(address, l, reach), true, &in)
	}
	r.inRange = lane.Mask{Lo: in[0], Hi: in[1]}
}

func byteAddressed(address []uint32, l, lanes int) int {
	if l >= len(address) {
		return 0
	}
	return int(address[l]>>2) & (lanes - 1)
}

// A PatternError tells which pattern of which instruction is refused, and why.
type PatternError struct {
	Instr   string // "swizzle", "row move"
	Pattern uint16
	Lanes   int
	Reason  string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("crossbar: %s pattern %#x on %d lanes: %s", e.Instr, e.Pattern, e.Lanes, e.Reason)
}

// Swizzle fills the route of a swizzle with a pattern in the instruction
// (ds_swizzle). With bit 15 clear, lane j of every 32 reads
//
//	((j & and) | or) ^ xor
//
// with and, or and xor in bits 4:0, 9:5 and 14:10. With bits 15:14 at 2 every lane of
// four reads the lane of its four that bits 1:0, 3:2, 5:4 or 7:6 name. With bits 15:13
// at 6 lane j of every 32 reads
//
//	(j & mask) | ((j + n) &^ mask)
//
// with the mask in bits 4:0 and n in bits 9:5, or less n if bit 10 is set: a rotation
// of the lanes that differ outside the mask. At 7 it reads the bits of j in reverse,
// shifted right by as many as the mask of bits 4:0 has ones, with the bits of the
// mask as they are: the order of a fast Fourier transform; a mask of 31 moves
// nothing.
//
// Every lane is in range; a source that is not active gives 0: see Outside. A warp
// that is not a multiple of 32 lanes gives a *PatternError.
func (r *Route) Swizzle(lanes int, pattern uint16) error {
	if lanes <= 0 || lanes > lane.MaxLanes || lanes%32 != 0 {
		return &PatternError{"swizzle", pattern, lanes, "works on groups of 32 lanes"}
	}
	r.begin(lanes)
	for l := range lanes {
		r.sources[l&127] = uint8(l&^31 | swizzled(int(pattern), l&31))
	}
	r.inRange = firstN(uint(lanes))
	return nil
}

// swizzled returns the lane of 32 that lane j reads.
func swizzled(p, j int) int {
	mask := p & 31
	switch p >> 13 {
	case 7:
		return int(bits.Reverse8(uint8(j))>>3)>>bits.OnesCount(uint(mask)) | j&mask
	case 6:
		n := p >> 5 & 31
		if p>>10&1 != 0 {
			n = -n
		}
		return j&mask | (j+n)&31&^mask
	case 4, 5:
		return j&^3 | p>>(2*(j&3))&3
	}
	return (j&mask | p>>5&31) ^ (p >> 10 & 31)
}

// PermuteRow fills the route of a permutation within rows of 16 lanes
// (v_permlane16): lane i of every row reads the lane of its row that nibble i
// of selectors names. With across it reads the other row of its pair
// (v_permlanex16). Every lane is in range. A warp that has no whole row pairs
// gives a *PatternError.
func (r *Route) PermuteRow(lanes int, selectors uint64, across bool) error {
	return r.permuteRow(lanes, across, func(l int) int { return int(selectors >> (4 * (l & 15))) })
}

// PermuteRowLanes is PermuteRow with a selector for each lane, of which the low
// four bits count (v_permlane16_var, v_permlanex16_var). Lanes beyond the end of
// selectors read the first lane.
func (r *Route) PermuteRowLanes(lanes int, selectors []uint32, across bool) error {
	return r.permuteRow(lanes, across, func(l int) int {
		if l < len(selectors) {
			return int(selectors[l])
		}
		return 0
	})
}

func (r *Route) permuteRow(lanes int, across bool, selector func(l int) int) error {
	if lanes <= 0 || lanes > lane.MaxLanes || lanes%32 != 0 {
		return &PatternError{"row permute", 0, lanes, "works on pairs of rows of 16 lanes"}
	}
	r.begin(lanes)
	for l := range lanes {
		from := l&^15 | selector(l)&15
		if across {
			from ^= 16
		}
		r.sources[l&127] = uint8(from)
	}
	r.inRange = firstN(uint(lanes))
	return nil
}

// A RowFetch says what a lane gets whose source is not active, from the
// permutations and exchanges of rows.
type RowFetch struct {
	// ZeroFill makes it 0 (bound_ctrl); otherwise the lane keeps its old value.
	ZeroFill bool
	// FetchInactive reads sources that are not active as well.
	FetchInactive bool
}

// Lanes splits the active lanes of a move along r: those that get their
// source's value, and those that get 0. All others keep what they have, which is
// every lane of a nil route.
func (f RowFetch) Lanes(r *Route, active lane.Mask) (moved, zeroed lane.Mask) {
	return RowWrite{Rows: 0xf, Banks: 0xf, ZeroFill: f.ZeroFill, FetchInactive: f.FetchInactive}.Lanes(r, active)
}

// SwapHalves fills the route that exchanges the halves of a warp of 64 lanes
// (v_permlane64); on 32 lanes and less every lane keeps its own value. On 128
// lanes it exchanges the halves of each 64.
func (r *Route) SwapHalves(lanes int) {
	lanes = max(0, min(lanes, lane.MaxLanes))
	d := 0
	if lanes >= 64 {
		d = 32
	}
	width := 1 << bits.Len(uint(max(lanes, 1)-1))
	r.uniform(Xor, lanes, width, d)
}

// ExchangeRows swaps the odd rows of 16 lanes of a with the even rows of b
// (v_permlane16_swap, with a as the destination): lane 16+i of a with lane i of
// b in every 32 lanes. Lanes beyond the shorter of the two stay.
func ExchangeRows[T any](a, b []T) { exchange(a, b, 16) }

// ExchangeHalves swaps the upper half of each 64 lanes of a with the lower half
// of b (v_permlane32_swap, with a as the destination).
func ExchangeHalves[T any](a, b []T) { exchange(a, b, 32) }

func exchange[T any](a, b []T, block int) {
	n := min(len(a), len(b))
	for base := 0; base+2*block <= n; base += 2 * block {
		for i := base; i < base+block; i++ {
			a[i+block], b[i] = b[i], a[i+block]
		}
	}
}
