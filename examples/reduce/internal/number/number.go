// Package number reads numbers from text, and names the types and the operators
// that the program reduces them with.
package number

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// Why a text is not a number of the wanted kind.
var (
	ErrNotNumber  = errors.New("not a number")
	ErrNotInteger = errors.New("not an integer")
	ErrRange      = errors.New("out of range")
	ErrTiny       = errors.New("not 0, but rounds to 0")
	ErrMissing    = errors.New("missing value")
)

// ParseInteger reads an optional sign and a decimal, 0x, 0o or 0b number, with
// underscores where Go allows them. Unlike in Go, leading zeros do not make a
// number octal: data files pad with them. A magnitude of more than 64 bits
// gives ErrRange, everything else that is no integer ErrNotInteger.
func ParseInteger(b []byte) (magnitude uint64, negative bool, err error) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	base := uint64(10)
	digit := false // the last byte was a digit, or a base prefix
	if len(b) >= 2 && b[0] == '0' {
		switch b[1] | 0x20 {
		case 'x':
			base = 16
		case 'o':
			base = 8
		case 'b':
			base = 2
		}
		if base != 10 {
			b = b[2:]
			digit = len(b) > 0 && b[0] == '_'
		}
	}
	if len(b) == 0 {
		return 0, false, ErrNotInteger
	}
	tooLarge := false
	for _, c := range b {
		d := uint64(digitValue(c))
		if d >= base {
			if c != '_' || !digit {
				return 0, false, ErrNotInteger
			}
			digit = false
			continue
		}
		digit = true
		if magnitude > math.MaxUint64/16-1 {
			hi, lo := bits.Mul64(magnitude, base)
			sum, carry := bits.Add64(lo, d, 0)
			if hi != 0 || carry != 0 {
				tooLarge = true
			}
			magnitude = sum
			continue
		}
		magnitude = magnitude*base + d
	}
	switch {
	case !digit:
		return 0, false, ErrNotInteger
	case tooLarge:
		return 0, false, ErrRange
	}
	return magnitude, negative, nil
}

// digitValue is the value of a digit of any base to 16, 255 for other bytes.
func digitValue(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c-'a' <= 5:
		return c - 'a' + 10
	case c-'A' <= 5:
		return c - 'A' + 10
	}
	return 255
}

// ParseSigned reads an integer that fits the given number of bits.
func ParseSigned(b []byte, size int) (int64, error) {
	m, negative, err := ParseInteger(b)
	limit := uint64(1) << (size - 1)
	switch {
	case err != nil:
		return 0, err
	case negative && m <= limit:
		return -int64(m), nil
	case !negative && m < limit:
		return int64(m), nil
	}
	return 0, ErrRange
}

// ParseUnsigned reads an integer that fits the given number of bits; -0 is 0.
func ParseUnsigned(b []byte, size int) (uint64, error) {
	m, negative, err := ParseInteger(b)
	switch {
	case err != nil:
		return 0, err
	case negative && m != 0, m>>(size-1)>>1 != 0:
		return 0, ErrRange
	}
	return m, nil
}

// ParseFloat reads what strconv.ParseFloat reads, signed NaN, and integers in
// the notations of ParseInteger; it rounds to the nearest float of the given
// size. A finite number beyond that size's largest gives ErrRange, one other than
// 0 that is so small that it would be read as 0 gives ErrTiny: no result with it
// could be called exact.
func ParseFloat(b []byte, size int) (float64, error) {
	// The conversion stays on the stack for tokens of up to 32 bytes.
	v, err := strconv.ParseFloat(string(b), size)
	switch {
	case err == nil && v == 0 && !writtenAsZero(b):
		return 0, ErrTiny
	case err == nil:
		return v, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, ErrRange
	case len(b) == 4 && (b[0] == '-' || b[0] == '+') && string(lower(b[1:])) == "nan":
		return math.NaN(), nil
	}
	m, negative, err := ParseInteger(b)
	if err != nil {
		return 0, ErrNotNumber
	}
	v = float64(m)
	if size == 32 {
		v = float64(float32(m))
	}
	if negative {
		v = -v
	}
	return v, nil
}

// writtenAsZero reports whether all digits of a float are 0, those of the exponent
// apart.
func writtenAsZero(b []byte) bool {
	exponent := byte('e')
	for _, c := range b {
		switch c |= 0x20; {
		case c == 'x':
			exponent = 'p' // what stood before is the 0 of 0x
		case c == exponent:
			return true
		case digitValue(c) != 255 && c != '0':
			return false
		}
	}
	return true
}

func lower(b []byte) []byte {
	l := make([]byte, len(b))
	for i, c := range b {
		l[i] = c | 0x20
	}
	return l
}
