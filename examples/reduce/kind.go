package main

import (
	"fmt"
	"math"
	"strings"
)

// A kind is the type of the elements that are reduced.
type kind uint8

const (
	anyKind kind = iota // to be guessed from the data
	i32
	u32
	i64
	u64
	f32
	f64
)

var kindNames = []string{"", "i32", "u32", "i64", "u64", "f32", "f64"}

func (k kind) String() string { return kindNames[k] }

// float reports whether k is f32 or f64.
func (k kind) float() bool { return k >= f32 }

// signed reports whether k has negative values.
func (k kind) signed() bool { return k != u32 && k != u64 }

// bits is the size of an element.
func (k kind) bits() int {
	if k == i32 || k == u32 || k == f32 {
		return 32
	}
	return 64
}

// limits names the range of an integer kind, for messages.
func (k kind) limits() string {
	switch k {
	case i32:
		return fmt.Sprintf("%d to %d", math.MinInt32, math.MaxInt32)
	case u32:
		return fmt.Sprintf("0 to %d", uint32(math.MaxUint32))
	case i64:
		return fmt.Sprintf("%d to %d", int64(math.MinInt64), int64(math.MaxInt64))
	case u64:
		return fmt.Sprintf("0 to %d", uint64(math.MaxUint64))
	case f32:
		return fmt.Sprintf("-%.8g to %.8g", math.MaxFloat32, math.MaxFloat32)
	}
	return fmt.Sprintf("-%.17g to %.17g", math.MaxFloat64, math.MaxFloat64)
}

func parseKind(s string) (kind, error) {
	for k := i32; k <= f64; k++ {
		if kindNames[k] == s {
			return k, nil
		}
	}
	return anyKind, &choiceError{What: "type", Got: s, Have: kindNames[1:]}
}

// An operator is what the numbers are combined with.
type operator uint8

const (
	opSum operator = iota
	opMin
	opMax
	opAnd
	opOr
	opXor
)

var operatorNames = []string{"sum", "min", "max", "and", "or", "xor"}

func (o operator) String() string { return operatorNames[o] }

// bitwise reports whether o takes integers only.
func (o operator) bitwise() bool { return o >= opAnd }

// fits returns an error if o cannot combine elements of kind k.
func (o operator) fits(k kind) error {
	if o.bitwise() && k.float() {
		return fmt.Errorf("%v is defined on bits: it takes an integer type (%s), not %v",
			o, strings.Join(kindNames[i32:f32], ", "), k)
	}
	return nil
}

func parseOperator(s string) (operator, error) {
	for i, name := range operatorNames {
		if name == s {
			return operator(i), nil
		}
	}
	return 0, &choiceError{What: "operator", Got: s, Have: operatorNames}
}

// An element is a Go type of one of the kinds.
type element interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

func kindOf[T element]() kind {
	var zero T
	switch any(zero).(type) {
	case int32:
		return i32
	case uint32:
		return u32
	case int64:
		return i64
	case uint64:
		return u64
	case float32:
		return f32
	}
	return f64
}
