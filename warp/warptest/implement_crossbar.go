package warptest

import (
	"fmt"
	"math"
	"math/bits"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
)

// A Crossbar is an implementation of shuffles that TestCrossbar is to check.
type Crossbar interface {
	// Shuffle returns which lane each lane reads, its own where it finds none in range,
	// and the lanes that found one. operands has one for each lane; width is a power of
	// two up to the number of lanes.
	Shuffle(rule crossbar.Rule, mode crossbar.Mode, width int, operands []int32) (sources []int, inRange lane.Mask)
}

// TestCrossbar holds an implementation against the published formulas, which the rows that
// an H200 returned hold too, on 1 to 128 lanes: every rule, mode and width, with operands in range, at its edges and far beyond, the same
// in all lanes and of their own. It returns a *MismatchError for the first that differs.
// make returns a Crossbar of so many lanes; a nil make, and a nil Crossbar, are errors.
func TestCrossbar(make func(lanes int) Crossbar) error {
	if make == nil {
		return fmt.Errorf("warptest: TestCrossbar: nil: give a function that makes a crossbar")
	}
	for lanes := 1; lanes <= lane.MaxLanes; lanes *= 2 {
		x := make(lanes)
		if x == nil {
			return fmt.Errorf("warptest: TestCrossbar: no crossbar of %d lanes", lanes)
		}
		for _, rule := range []crossbar.Rule{crossbar.CutToWarp, crossbar.Uncut, crossbar.CutTo7} {
			for width := 1; width <= lanes; width *= 2 {
				for mode := range crossbar.NumModes {
					if err := checkShuffles(x, rule, mode, lanes, width); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func checkShuffles(x Crossbar, rule crossbar.Rule, mode crossbar.Mode, lanes, width int) error {
	operands := make([]int32, lanes)
	edges := []int32{-1, -int32(lanes), 255, 256, 1 << 16, math.MaxInt32, math.MinInt32, math.MaxInt32 - 40, math.MinInt32 + 40}
	for d := range int32(2*lanes + 3) {
		edges = append(edges, d)
	}
	given := make([]int32, lanes)
	for turn := range 2 * len(edges) {
		for l := range operands {
			operands[l] = edges[turn/2]
			if turn%2 == 1 { // one for each
				operands[l] = edges[(turn*7+l*5)%len(edges)]
			}
		}
		copy(given, operands)
		sources, in := x.Shuffle(rule, mode, width, given)
		what := func() string { return fmt.Sprintf("%s %s of %d lanes in segments of %d", rule, mode, lanes, width) }
		if len(sources) != lanes {
			return &MismatchError{what(), 0, fmt.Sprintf("%d sources", lanes), fmt.Sprintf("%d", len(sources))}
		}
		for l, d := range operands {
			from, ok := published(rule, mode, lanes, width, l, d)
			with := func() string { return fmt.Sprintf("%s with operand %d", what(), d) }
			if sources[l] != from {
				return &MismatchError{with(), l, fmt.Sprintf("source %d", from), fmt.Sprint(sources[l])}
			}
			if in.Has(l) != ok {
				return &MismatchError{with(), l, fmt.Sprintf("in range: %t", ok), fmt.Sprint(in.Has(l))}
			}
		}
		if extra := in.AndNot(lane.FirstN(lanes)); !extra.Empty() {
			return &MismatchError{what(), extra.First(), "no such lane", "in range"}
		}
	}
	return nil
}

// published is what lane l reads: the pseudocode of the PTX manual, with fields as wide as
// the warp needs or of 7 bits, and the functions of HIP's header.
func published(rule crossbar.Rule, mode crossbar.Mode, lanes, width, l int, x int32) (from int, ok bool) {
	if rule == crossbar.Uncut {
		self, w := int32(l), int32(width)
		segment := self &^ (w - 1)
		index := x&(w-1) + segment
		ok = true
		switch mode {
		case crossbar.Up:
			index = self - x
			ok = index >= segment
		case crossbar.Down:
			index = self + x
			ok = self&(w-1)+x < w
		case crossbar.Xor:
			index = self ^ x
			ok = index < (self+w)&^(w-1)
		}
		if !ok {
			index = self
		}
		return int(index) & (lanes - 1), ok
	}
	k := bits.TrailingZeros(uint(lanes))
	if rule == crossbar.CutTo7 {
		k = 7
	}
	field := 1<<k - 1
	b, seg := int(x)&field, ^(width-1)&field
	most := l&seg | (width-1)&^seg
	switch mode {
	case crossbar.Up:
		from = l - b
		ok = from >= l&seg
	case crossbar.Down:
		from = l + b
		ok = from <= most
	case crossbar.Xor:
		from = l ^ b
		ok = from <= most
	default:
		from, ok = l&seg|b&^seg, true
	}
	if !ok {
		from = l
	}
	return from, ok
}
