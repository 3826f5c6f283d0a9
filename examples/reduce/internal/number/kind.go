package number

import (
	"fmt"
	"math"
	"strings"

	"example.com/warpsim/examples/reduce/internal/message"
)

// A Kind is the type of the elements that are reduced.
type Kind uint8

const (
	Any Kind = iota // to be guessed from the data
	I32
	U32
	I64
	U64
	F32
	F64
)

var kindNames = []string{"", "i32", "u32", "i64", "u64", "f32", "f64"}

func (k Kind) String() string { return kindNames[k] }

// Float reports whether k is f32 or f64.
func (k Kind) Float() bool { return k >= F32 }

// Signed reports whether k has negative values.
func (k Kind) Signed() bool { return k != U32 && k != U64 }

// Bits is the size of an element.
func (k Kind) Bits() int {
	if k == I32 || k == U32 || k == F32 {
		return 32
	}
	return 64
}

// Limits names the range of an integer kind, for messages.
func (k Kind) Limits() string {
	switch k {
	case I32:
		return fmt.Sprintf("%d to %d", math.MinInt32, math.MaxInt32)
	case U32:
		return fmt.Sprintf("0 to %d", uint32(math.MaxUint32))
	case I64:
		return fmt.Sprintf("%d to %d", int64(math.MinInt64), int64(math.MaxInt64))
	case U64:
		return fmt.Sprintf("0 to %d", uint64(math.MaxUint64))
	case F32:
		return fmt.Sprintf("-%.8g to %.8g", math.MaxFloat32, math.MaxFloat32)
	}
	return fmt.Sprintf("-%.17g to %.17g", math.MaxFloat64, math.MaxFloat64)
}

// Smallest is the smallest positive number of a float kind.
func (k Kind) Smallest() float64 {
	if k == F32 {
		return math.SmallestNonzeroFloat32
	}
	return math.SmallestNonzeroFloat64
}

func ParseKind(s string) (Kind, error) {
	for k := I32; k <= F64; k++ {
		if kindNames[k] == s {
			return k, nil
		}
	}
	return Any, &message.ChoiceError{What: "type", Got: s, Have: kindNames[1:]}
}

// An Operator is what the numbers are combined with.
type Operator uint8

const (
	OpSum Operator = iota
	OpMin
	OpMax
	OpAnd
	OpOr
	OpXor
)

var operatorNames = []string{"sum", "min", "max", "and", "or", "xor"}

func (o Operator) String() string { return operatorNames[o] }

// bitwise reports whether o takes integers only.
func (o Operator) bitwise() bool { return o >= OpAnd }

// Fits returns an error if o cannot combine elements of kind k.
func (o Operator) Fits(k Kind) error {
	if o.bitwise() && k.Float() {
		return fmt.Errorf("%v is defined on bits: it takes an integer type (%s), not %v",
			o, strings.Join(kindNames[I32:F32], ", "), k)
	}
	return nil
}

func ParseOperator(s string) (Operator, error) {
	for i, name := range operatorNames {
		if name == s {
			return Operator(i), nil
		}
	}
	return 0, &message.ChoiceError{What: "operator", Got: s, Have: operatorNames}
}

// An Element is a Go type of one of the kinds.
type Element interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

func Of[T Element]() Kind {
	var zero T
	switch any(zero).(type) {
	case int32:
		return I32
	case uint32:
		return U32
	case int64:
		return I64
	case uint64:
		return U64
	case float32:
		return F32
	}
	return F64
}
