package main

import (
	"fmt"
	"strings"

	"example.com/warpsim/lane"
)

// What the recordings hold for lanes that did not take part, and for lanes that
// read one: the lane number is the value less 1000, such a read gave 0, and a
// lane that did not take part kept -1000.
const (
	readAbsent = -1000
	notInMask  = -2000
)

const (
	columnOp      = "op"
	columnWidth   = "width"
	columnArg     = "arg"
	columnSources = "source_lane_of_lane_0_to_31"
)

func (r *record) shuffle() shuffle {
	return shuffle{
		mode:     r.mode(columnOp),
		width:    int(int32(r.number(columnWidth))),
		operands: []int32{0},
		members:  lane.FirstN(lanes),
		old:      notInMask,
	}
}

func checkShuffle(l layer, r *record) ([]result, error) {
	q := r.shuffle()
	q.operands[0] = int32(r.number(columnArg))
	return runShuffle(l, r, q)
}

func checkShufflePerLane(l layer, r *record) ([]result, error) {
	q := r.shuffle()
	q.operands = r.numbers("arg_of_lane_0_to_31")
	return runShuffle(l, r, q)
}

// runShuffle checks a shuffle in which nothing is undefined.
func runShuffle(l layer, r *record, q shuffle) ([]result, error) {
	want := spaced(r.numbers(columnSources), "%d")
	if r.err != nil {
		return nil, nil
	}
	var results []result
	for _, q.mimic = range []bool{false, true} {
		a, err := l.shuffle(q)
		if err != nil {
			return nil, err
		}
		results = append(results, result{columnSources + by(q.mimic), want, a.text()})
	}
	return results, nil
}

// checkShuffleMasked wants the reads of absent lanes undefined, and the chip's
// value for them when it is mimicked.
func checkShuffleMasked(l layer, r *record) ([]result, error) {
	q := r.shuffle()
	q.operands[0] = int32(r.number(columnArg))
	q.members = r.mask("mask")
	recorded := r.numbers(columnSources)
	if r.err != nil {
		return nil, nil
	}
	want := answer{values: recorded}
	for i, v := range recorded {
		if v == readAbsent {
			want.undefined = want.undefined.With(i)
		}
	}
	strict, err := l.shuffle(q)
	if err != nil {
		return nil, err
	}
	q.mimic = true
	chip, err := l.shuffle(q)
	if err != nil {
		return nil, err
	}
	return []result{
		{columnSources, want.text(), strict.text()},
		{columnSources + by(true), spaced(recorded, "%d"), spaced(chip.values, "%d")},
	}, nil
}

// checkShuffleBadWidth wants the width refused, and the chip's values when it
// is mimicked.
func checkShuffleBadWidth(l layer, r *record) ([]result, error) {
	q := r.shuffle()
	q.operands[0] = int32(r.number(columnArg))
	want := spaced(r.numbers(columnSources), "%d")
	if r.err != nil {
		return nil, nil
	}
	refused := "refused"
	if _, err := l.shuffle(q); err == nil {
		refused = fmt.Sprintf("width %d taken", q.width)
	}
	q.mimic = true
	chip, err := l.shuffle(q)
	if err != nil {
		return nil, err
	}
	return []result{
		{"width", "refused", refused},
		{columnSources + by(true), want, spaced(chip.values, "%d")},
	}, nil
}

func checkShuffleRaw(l layer, r *record) ([]result, error) {
	mode, b, c := r.mode("mode"), r.numbers("b_of_lane_0_to_31"), r.numbers("c_of_lane_0_to_31")
	want, predicate := r.numbers("d_of_lane_0_to_31"), r.mask("predicate_mask")
	if r.err != nil {
		return nil, nil
	}
	a, p, err := l.raw(mode, b, c)
	if err != nil {
		return nil, err
	}
	return []result{
		{"d_of_lane_0_to_31", spaced(want, "%d"), a.text()},
		{"predicate_mask", predicate.Hex(lanes), p.Hex(lanes)},
	}, nil
}

func by(mimic bool) string {
	if mimic {
		return " (mimicking the chip)"
	}
	return ""
}

// text writes the values of all lanes, undefined ones as "?".
func (a answer) text() string {
	var b strings.Builder
	for l, v := range a.values {
		if l > 0 {
			b.WriteByte(' ')
		}
		if a.undefined.Has(l) {
			b.WriteByte('?')
		} else {
			fmt.Fprint(&b, v)
		}
	}
	return b.String()
}
