package lane

import (
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// MaxLanes is the widest warp this library models.
const MaxLanes = 128

// A Mask is a set of lanes of one warp: bit i of Lo stands for lane i, bit i of
// Hi for lane 64+i. The zero Mask is the empty set. Masks compare with ==.
type Mask struct {
	Lo, Hi uint64
}

// Bits returns the mask whose lanes 0 to 63 are the bits of m, the form in
// which devices of up to 64 lanes write a member mask.
func Bits(m uint64) Mask { return Mask{Lo: m} }

// FirstN returns the mask of lanes 0 to n-1. A negative n counts as 0, and an
// n above MaxLanes as MaxLanes.
func FirstN(n int) Mask {
	switch {
	case n <= 0:
		return Mask{}
	case n < 64:
		return Mask{Lo: 1<<uint(n) - 1}
	case n < 128:
		return Mask{Lo: ^uint64(0), Hi: 1<<uint(n-64) - 1}
	}
	return Mask{^uint64(0), ^uint64(0)}
}

// Range returns the mask of lanes lo to hi-1; it is empty if hi <= lo.
func Range(lo, hi int) Mask { return FirstN(hi).AndNot(FirstN(lo)) }

// Only returns the mask that holds the given lanes. Numbers outside 0 to 127
// name no lane and are passed over.
func Only(lanes ...int) Mask {
	var m Mask
	for _, l := range lanes {
		m = m.With(l)
	}
	return m
}

// Below returns the lanes below l: the PTX register lanemask_lt of lane l.
func Below(l int) Mask { return FirstN(l) }

// Above returns the lanes of an n-lane warp above l: lanemask_gt of lane l.
func Above(l, n int) Mask { return Range(l+1, n) }

// Has reports whether lane l is in the mask. It is false outside 0 to 127.
func (m Mask) Has(l int) bool {
	if uint(l) < 64 {
		return m.Lo>>uint(l)&1 != 0
	}
	return uint(l) < 128 && m.Hi>>uint(l-64)&1 != 0
}

// With returns m and lane l. Numbers outside 0 to 127 change nothing.
func (m Mask) With(l int) Mask {
	if uint(l) < 64 {
		m.Lo |= 1 << uint(l)
	} else if uint(l) < 128 {
		m.Hi |= 1 << uint(l-64)
	}
	return m
}

// Without returns m less lane l.
func (m Mask) Without(l int) Mask { return m.AndNot(Bit(l)) }

// Bit returns the mask of the single lane l, lanemask_eq of that lane.
func Bit(l int) Mask { return Mask{}.With(l) }

// And returns the intersection of m and o.
func (m Mask) And(o Mask) Mask { return Mask{m.Lo & o.Lo, m.Hi & o.Hi} }

// Or returns the union of m and o.
func (m Mask) Or(o Mask) Mask { return Mask{m.Lo | o.Lo, m.Hi | o.Hi} }

// Xor returns the lanes that are in exactly one of m and o.
func (m Mask) Xor(o Mask) Mask { return Mask{m.Lo ^ o.Lo, m.Hi ^ o.Hi} }

// AndNot returns the lanes of m that are not in o.
func (m Mask) AndNot(o Mask) Mask { return Mask{m.Lo &^ o.Lo, m.Hi &^ o.Hi} }

// Not returns the lanes of an n-lane warp that are not in m.
func (m Mask) Not(n int) Mask { return FirstN(n).AndNot(m) }

// Empty reports whether m holds no lane.
func (m Mask) Empty() bool { return m.Lo|m.Hi == 0 }

// Contains reports whether every lane of o is in m.
func (m Mask) Contains(o Mask) bool { return o.Lo&^m.Lo|o.Hi&^m.Hi == 0 }

// Overlaps reports whether m and o share a lane.
func (m Mask) Overlaps(o Mask) bool { return m.Lo&o.Lo|m.Hi&o.Hi != 0 }

// Count returns the number of lanes in m.
func (m Mask) Count() int { return bits.OnesCount64(m.Lo) + bits.OnesCount64(m.Hi) }

// First returns the lowest lane of m, or -1 if m is empty.
func (m Mask) First() int {
	if m.Lo != 0 {
		return bits.TrailingZeros64(m.Lo)
	}
	if m.Hi != 0 {
		return 64 + bits.TrailingZeros64(m.Hi)
	}
	return -1
}

// Last returns the highest lane of m, or -1 if m is empty.
func (m Mask) Last() int {
	if m.Hi != 0 {
		return 127 - bits.LeadingZeros64(m.Hi)
	}
	return 63 - bits.LeadingZeros64(m.Lo)
}

// Rank returns how many lanes of m lie below lane l: the position of l in a
// compaction of the lanes that m names.
func (m Mask) Rank(l int) int { return m.And(Below(l)).Count() }

// Nth returns the lane of m that has exactly n lanes of m below it, or -1 if m
// holds n lanes or fewer, or n is negative.
func (m Mask) Nth(n int) int {
	if n < 0 {
		return -1
	}
	for l := range m.Lanes() {
		if n == 0 {
			return l
		}
		n--
	}
	return -1
}

// Lanes iterates over the lanes of m in ascending order.
func (m Mask) Lanes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for w := m.Lo; w != 0; w &= w - 1 {
			if !yield(bits.TrailingZeros64(w)) {
				return
			}
		}
		for w := m.Hi; w != 0; w &= w - 1 {
			if !yield(64 + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// Hex returns m in hexadecimal with one digit for every four lanes of an
// n-lane warp, at least one: "0000ffff" for the lower half of 32 lanes. Lanes
// beyond n that m holds all the same make the text longer, never disappear.
func (m Mask) Hex(n int) string {
	digits := (max(n, m.Last()+1, 1) + 3) / 4
	if digits <= 16 {
		return fmt.Sprintf("%0*x", digits, m.Lo)
	}
	return fmt.Sprintf("%0*x%016x", digits-16, m.Hi, m.Lo)
}

// String returns m in hexadecimal with "0x" before it, as short as it goes.
func (m Mask) String() string { return "0x" + m.Hex(1) }

// Ranges returns the lanes of m as people write them: "0-15,20". The empty mask
// gives "none".
func (m Mask) Ranges() string {
	if m.Empty() {
		return "none"
	}
	var b strings.Builder
	for l := 0; l < MaxLanes; l++ {
		if !m.Has(l) {
			continue
		}
		end := l
		for m.Has(end + 1) {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(l))
		if end > l {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(end))
		}
		l = end
	}
	return b.String()
}

// A MaskError tells why a text is not a mask.
type MaskError struct {
	Text   string // the text as given
	Lanes  int    // the width of the warp it was read for
	Reason string
}

func (e *MaskError) Error() string {
	return fmt.Sprintf("lane: mask %q for %d lanes: %s", e.Text, e.Lanes, e.Reason)
}

// ParseMask reads a hexadecimal mask, with or without "0x" and with "_" between
// digits, for a warp of n lanes. A text that is no hexadecimal number, or that
// names a lane the warp does not have, is a *MaskError.
func ParseMask(text string, n int) (Mask, error) {
	digits := text
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		digits = text[2:]
	}
	digits = strings.ReplaceAll(digits, "_", "")
	fail := func(reason string) (Mask, error) { return Mask{}, &MaskError{text, n, reason} }
	if digits == "" {
		return fail("no hexadecimal digit")
	}
	if strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return fail("not a hexadecimal number")
	}
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > 32 {
		return fail("names lanes beyond 127")
	}
	var m Mask
	for _, part := range []struct {
		text string
		word *uint64
	}{{digits[:max(0, len(digits)-16)], &m.Hi}, {digits[max(0, len(digits)-16):], &m.Lo}} {
		if part.text == "" {
			continue
		}
		v, err := strconv.ParseUint(part.text, 16, 64)
		if err != nil {
			return fail("not a hexadecimal number")
		}
		*part.word = v
	}
	if extra := m.AndNot(FirstN(n)); !extra.Empty() {
		return fail("names lane " + extra.Ranges() + ", which the warp does not have")
	}
	return m, nil
}
