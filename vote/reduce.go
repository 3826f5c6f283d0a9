package vote

import (
	"math/bits"

	"golang.org/x/exp/constraints"

	"example.com/warpsim/lane"
)

// Add returns the sum of the members' values, wrapping as the type does; 0
// without members.
func Add[T constraints.Integer](members lane.Mask, row []T) (sum T) {
	var buf [lane.MaxLanes]T
	for _, v := range pick(&buf, members, row) {
		sum += v
	}
	return sum
}

// Min returns the least of the members' values; the greatest value of the type
// without members.
func Min[T constraints.Integer](members lane.Mask, row []T) T {
	var buf [lane.MaxLanes]T
	values := pick(&buf, members, row)
	if len(values) == 0 {
		return greatest[T]()
	}
	m := values[0]
	for _, v := range values {
		m = min(m, v)
	}
	return m
}

// Max returns the greatest of the members' values; the least value of the type
// without members.
func Max[T constraints.Integer](members lane.Mask, row []T) T {
	var buf [lane.MaxLanes]T
	values := pick(&buf, members, row)
	if len(values) == 0 {
		return ^greatest[T]()
	}
	m := values[0]
	for _, v := range values {
		m = max(m, v)
	}
	return m
}

// And returns the bits that are set in all members' values; all bits without
// members.
func And[T constraints.Integer](members lane.Mask, row []T) T {
	var buf [lane.MaxLanes]T
	m := ^T(0)
	for _, v := range pick(&buf, members, row) {
		m &= v
	}
	return m
}

// Or returns the bits that are set in some member's value; 0 without members.
func Or[T constraints.Integer](members lane.Mask, row []T) (m T) {
	var buf [lane.MaxLanes]T
	for _, v := range pick(&buf, members, row) {
		m |= v
	}
	return m
}

// Xor returns the bits that are set in an odd number of the members' values; 0
// without members.
func Xor[T constraints.Integer](members lane.Mask, row []T) (m T) {
	var buf [lane.MaxLanes]T
	for _, v := range pick(&buf, members, row) {
		m ^= v
	}
	return m
}

// pick returns the members' values, packed in buf unless the row holds them so.
func pick[T constraints.Integer](buf *[lane.MaxLanes]T, members lane.Mask, row []T) []T {
	members = clip(members, len(row))
	if n := members.Count(); members.Last() == n-1 {
		return row[:n]
	}
	n := 0
	for w := members.Lo; w != 0; w &= w - 1 {
		buf[n&127] = row[bits.TrailingZeros64(w)]
		n++
	}
	for w := members.Hi; w != 0; w &= w - 1 {
		buf[n&127] = row[64+bits.TrailingZeros64(w)]
		n++
	}
	return buf[:n]
}

// greatest returns the greatest value of the type; its complement is the least.
func greatest[T constraints.Integer]() T {
	if all := ^T(0); all > 0 {
		return all
	}
	for width := 8; ; width *= 2 {
		if m := T(uint64(1)<<(width-1) - 1); width == 64 || m<<1 < 0 {
			return m
		}
	}
}
