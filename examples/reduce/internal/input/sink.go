package input

import (
	"math"

	"example.com/warpsim/examples/reduce/internal/number"
)

// A sink takes the numbers of an input, one text each.
type sink interface {
	// Add returns one of the reasons of number.go if the text will not do.
	add(text []byte) error
	// Data returns what has been read.
	dataset() Data
}

func newSink(k number.Kind) sink {
	switch k {
	case number.I32:
		return &signedSink[int32]{}
	case number.U32:
		return &unsignedSink[uint32]{}
	case number.I64:
		return &signedSink[int64]{}
	case number.U64:
		return &unsignedSink[uint64]{}
	case number.F32:
		return &floatSink[float32]{}
	case number.F64:
		return &floatSink[float64]{}
	}
	return &guessSink{}
}

// notIntegerOrNumber tells a float, where an integer is wanted, from a text
// that is no number at all.
func notIntegerOrNumber(text []byte, err error) error {
	if err != number.ErrNotInteger {
		return err
	}
	if _, notFloat := number.ParseFloat(text, 64); notFloat == number.ErrNotNumber {
		return number.ErrNotNumber
	}
	return number.ErrNotInteger
}

type signedSink[T int32 | int64] struct{ values []T }

func (s *signedSink[T]) add(text []byte) error {
	v, err := number.ParseSigned(text, number.Of[T]().Bits())
	if err != nil {
		return notIntegerOrNumber(text, err)
	}
	s.values = append(s.values, T(v))
	return nil
}

func (s *signedSink[T]) dataset() Data { return NewData(s.values) }

type unsignedSink[T uint32 | uint64] struct{ values []T }

func (s *unsignedSink[T]) add(text []byte) error {
	v, err := number.ParseUnsigned(text, number.Of[T]().Bits())
	if err != nil {
		return notIntegerOrNumber(text, err)
	}
	s.values = append(s.values, T(v))
	return nil
}

func (s *unsignedSink[T]) dataset() Data { return NewData(s.values) }

type floatSink[T float32 | float64] struct{ values []T }

func (s *floatSink[T]) add(text []byte) error {
	v, err := number.ParseFloat(text, number.Of[T]().Bits())
	if err != nil {
		return err
	}
	s.values = append(s.values, T(v))
	return nil
}

func (s *floatSink[T]) dataset() Data { return NewData(s.values) }

// A guessSink decides on a kind by the numbers it sees: the first of i32, i64
// and u64 that holds all of them if all are integers, otherwise f32, or f64 if
// a number lies outside the range of f32, is so small that f32 would have fewer
// than its 24 bits for it, or is an integer that only f64 holds.
type guessSink struct {
	ints     []int64 // while all are integers of 64 bits with sign
	low      int64
	high     int64
	zeros    []int // which of ints were written -0, which is not 0 as a float
	unsigned []uint64

	floating bool
	narrow   []float32 // every number twice, since the text is gone later
	wide     []float64
	needWide bool
	why      string
}

func (g *guessSink) add(text []byte) error {
	if !g.floating {
		m, negative, err := number.ParseInteger(text)
		if err == nil && g.addInteger(m, negative) {
			return nil
		}
		v, ferr := number.ParseFloat(text, 64)
		switch {
		case ferr == number.ErrNotNumber:
			return number.ErrNotNumber
		case err == number.ErrNotInteger:
			g.toFloat()
			g.why = string(text) + " is not written as an integer"
		case ferr == nil:
			g.toFloat()
			g.needWide = true
			g.why = string(text) + " and the rest fit no integer type of 64 bits"
		}
		return g.addFloat(text, v, ferr)
	}
	v, err := number.ParseFloat(text, 64)
	return g.addFloat(text, v, err)
}

// addInteger reports false if no 64-bit type holds the number and those before.
func (g *guessSink) addInteger(magnitude uint64, negative bool) bool {
	n := len(g.ints)
	switch {
	case g.unsigned != nil:
		if negative && magnitude != 0 {
			return false
		}
		g.unsigned = append(g.unsigned, magnitude)
		return true
	case negative && magnitude <= 1<<63:
		if magnitude == 0 {
			g.zeros = append(g.zeros, n)
		}
		g.ints = append(g.ints, -int64(magnitude))
		g.low = min(g.low, g.ints[n])
		return true
	case negative:
		return false
	case magnitude <= math.MaxInt64:
		g.ints = append(g.ints, int64(magnitude))
		g.high = max(g.high, int64(magnitude))
		return true
	case g.low < 0:
		return false
	}
	g.unsigned = make([]uint64, n, 2*n+1)
	for i, v := range g.ints {
		g.unsigned[i] = uint64(v)
	}
	g.ints = nil
	g.unsigned = append(g.unsigned, magnitude)
	return true
}

// toFloat turns the integers so far into floats.
func (g *guessSink) toFloat() {
	g.floating = true
	for _, v := range g.ints {
		g.narrow = append(g.narrow, float32(v))
		g.wide = append(g.wide, float64(v))
	}
	for _, v := range g.unsigned {
		g.narrow = append(g.narrow, float32(v))
		g.wide = append(g.wide, float64(v))
	}
	for _, i := range g.zeros {
		g.wide[i] = math.Copysign(0, -1)
		g.narrow[i] = float32(g.wide[i])
	}
	g.ints, g.unsigned, g.zeros = nil, nil, nil
}

func (g *guessSink) addFloat(text []byte, v float64, err error) error {
	if err != nil {
		return err
	}
	n, exact := narrowFloat(v)
	if !exact {
		// Rounding twice may differ from rounding once.
		r, err := number.ParseFloat(text, 32)
		n = float32(r)
		switch {
		case g.needWide:
		case err == number.ErrRange:
			g.needWide = true
			g.why = string(text) + " is out of the range of f32"
		case err == number.ErrTiny || math.Abs(v-r) > math.Abs(v)*0x1p-24:
			g.needWide = true
			g.why = string(text) + " is too small for f32"
		}
	}
	g.narrow = append(g.narrow, n)
	g.wide = append(g.wide, v)
	return nil
}

// narrowFloat rounds v, itself rounded from a decimal number, to float32. It
// reports whether that is sure to be the float32 nearest to the decimal number
// and in range.
func narrowFloat(v float64) (n float32, sure bool) {
	n = float32(v)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return n, true
	}
	if abs := math.Abs(v); abs < 0x1p-126 || abs >= math.MaxFloat32 {
		return n, false
	}
	// 29 bits are cut off: only at the middle of two float32 does it matter
	// which side of v the decimal number was on.
	return n, math.Float64bits(v)&(1<<29-1) != 1<<28
}

func (g *guessSink) dataset() Data {
	var d Data
	switch {
	case g.floating && g.needWide:
		d = NewData(g.wide)
	case g.floating:
		d = NewData(g.narrow)
	case g.unsigned != nil:
		d = NewData(g.unsigned)
		g.why = "integers beyond the range of i64"
	case g.low >= math.MinInt32 && g.high <= math.MaxInt32:
		narrow := make([]int32, len(g.ints))
		for i, v := range g.ints {
			narrow[i] = int32(v)
		}
		d = NewData(narrow)
		g.why = "all are integers"
	default:
		d = NewData(g.ints)
		g.why = "integers beyond the range of i32"
	}
	d.Guess = g.why
	return d
}
