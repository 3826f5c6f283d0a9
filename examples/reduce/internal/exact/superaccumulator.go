package exact

import (
	"math"
	"math/big"
)

// A superaccumulator adds floats without rounding: a fixed-point number that
// covers all float64, in words of 32 bits kept in 64 so that carries can wait.
// The order of additions does not matter. The zero value is an empty sum.
type superaccumulator struct {
	// The sum is Σ word[i]·2^(32i-1074), with unpropagated carries.
	word    [66]int64
	pending int // additions since carries were propagated

	nan, posInf, negInf bool
	notNegZero          bool // something other than -0 was added
	any                 bool
}

// Each addition changes a word by less than 2^32, and propagated words are
// less than 2^32, so that 2^30 additions are far from an overflow.
const carryEvery = 1 << 30

func (s *superaccumulator) add(x float64) {
	s.any = true
	b := math.Float64bits(x)
	mantissa := b & (1<<52 - 1)
	exponent := uint(b >> 52 & 0x7ff)
	switch exponent {
	case 0x7ff:
		switch {
		case mantissa != 0:
			s.nan = true
		case x > 0:
			s.posInf = true
		default:
			s.negInf = true
		}
		return
	case 0: // denormal: the exponent of the least normal one, without its leading bit
		exponent = 1
	default:
		mantissa |= 1 << 52
	}
	if b != 1<<63 {
		s.notNegZero = true
	}
	at, shift := (exponent-1)/32, (exponent-1)%32
	low := int64(mantissa << shift & 0xffffffff)
	middle := int64(mantissa >> (32 - shift) & 0xffffffff)
	high := int64(mantissa >> (64 - shift))
	w := s.word[at : at+3 : at+3]
	if x < 0 {
		w[0] -= low
		w[1] -= middle
		w[2] -= high
	} else {
		w[0] += low
		w[1] += middle
		w[2] += high
	}
	if s.pending++; s.pending == carryEvery {
		s.propagate()
	}
}

// propagate carries, after which all words but the last are in [0, 2^32).
func (s *superaccumulator) propagate() {
	for i := range len(s.word) - 1 {
		s.word[i+1] += s.word[i] >> 32
		s.word[i] &= 0xffffffff
	}
	s.pending = 0
}

// special returns the sum if it is no finite number: NaN or an infinity by the
// rules of IEEE 754.
func (s *superaccumulator) special() (float64, bool) {
	switch {
	case s.nan, s.posInf && s.negInf:
		return math.NaN(), true
	case s.posInf:
		return math.Inf(1), true
	case s.negInf:
		return math.Inf(-1), true
	}
	return 0, false
}

// value returns the finite part of the sum, exactly. It is -0 if nothing but
// -0 was added.
func (s *superaccumulator) value() *big.Float {
	s.propagate()
	sum := new(big.Int)
	for i := len(s.word) - 1; i >= 0; i-- {
		sum.Lsh(sum, 32)
		sum.Add(sum, big.NewInt(s.word[i]))
	}
	f := new(big.Float).SetPrec(max(64, uint(sum.BitLen()))).SetInt(sum)
	if sum.Sign() == 0 && s.any && !s.notNegZero {
		return f.Neg(f)
	}
	return f.SetMantExp(f, -1074)
}
