package exact

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"example.com/warpsim/examples/reduce/internal/number"
)

// A Deviation is how far a result is from the exact one. For integers it is
// measured from the wrapped value.
type Deviation struct {
	Absolute Number `json:"absolute"`
	Relative Number `json:"relative"` // to the exact result; +Inf if that is 0
	// ULPs is the absolute error in units of the last place of the element
	// type at the exact result: a correctly rounded sum has at most 0.5. For
	// integers the unit is 1.
	ULPs Number `json:"ulps"`
	// Best reports that no element is nearer to the exact result.
	Best bool `json:"best"`
	// Wrong reports an error that rounding does not explain.
	Wrong bool `json:"wrong"`
}

// Deviation compares a result with r. NaN against NaN has no error; any other
// pair with a NaN or an infinity on one side only is off by +Inf.
func (r Reference[T]) Deviation(got T) Deviation {
	if r.Exact == nil || toBig(got) == nil {
		if got == r.Value || got != got && r.Value != r.Value {
			return Deviation{Best: true}
		}
		inf := Number(math.Inf(1))
		// Partial sums may overflow where the whole does not.
		return Deviation{Absolute: inf, Relative: inf, ULPs: inf, Wrong: r.Exact == nil || !r.Overflows}
	}
	want := r.Exact
	if !r.Kind.Float() {
		want = toBig(r.Value)
	}
	diff := exactDifference(toBig(got), want)
	absolute, _ := diff.Float64()
	d := Deviation{Absolute: Number(absolute), Best: got == r.Value, ULPs: Number(absolute)}
	if r.Op != number.OpSum && r.Kind.Float() {
		d.Best = d.Best && math.Signbit(float64(got)) == math.Signbit(float64(r.Value))
	}
	d.Relative = Number(quotient(diff, want))
	if r.Kind.Float() {
		d.ULPs = Number(quotient(diff, unitInLastPlace(want, r.Kind)))
	}
	d.Wrong = !d.Best && (absolute > r.Bound || r.Bound == 0)
	return d
}

// Overflowed reports that partial sums became infinite where the whole is not.
func (d Deviation) Overflowed() bool { return math.IsInf(float64(d.ULPs), 0) && !d.Wrong }

// exactDifference is |a-b| without rounding.
func exactDifference(a, b *big.Float) *big.Float {
	if a.Sign() == 0 || b.Sign() == 0 {
		d := new(big.Float).SetPrec(max(a.Prec(), b.Prec()))
		return d.Abs(d.Sub(a, b))
	}
	topA, topB := a.MantExp(nil), b.MantExp(nil)
	top := max(topA, topB)
	bottom := min(topA-int(a.MinPrec()), topB-int(b.MinPrec()))
	d := new(big.Float).SetPrec(uint(top - bottom + 1))
	return d.Abs(d.Sub(a, b))
}

// quotient is |a/b|: 0 for a zero a, +Inf for a zero b.
func quotient(a, b *big.Float) float64 {
	switch {
	case a.Sign() == 0:
		return 0
	case b.Sign() == 0:
		return math.Inf(1)
	}
	q, _ := new(big.Float).SetPrec(64).Quo(a, b).Float64()
	return math.Abs(q)
}

// unitInLastPlace is the distance of the floats of kind k around x, which may
// lie beyond the largest.
func unitInLastPlace(x *big.Float, k number.Kind) *big.Float {
	precision, least := 53, -1074
	if k == number.F32 {
		precision, least = 24, -149
	}
	exponent := least
	if x.Sign() != 0 {
		exponent = max(least, x.MantExp(nil)-precision)
	}
	return new(big.Float).SetMantExp(big.NewFloat(1), exponent)
}

// String is the entry of the table.
func (d Deviation) String() string {
	switch {
	case d.ULPs == 0 && !d.Wrong:
		return "exact"
	case d.Overflowed():
		return "overflow"
	case math.IsInf(float64(d.ULPs), 0):
		return "WRONG"
	}
	s := fmt.Sprintf("%s ulp, %.1e", shortFloat(float64(d.ULPs)), float64(d.Absolute))
	if d.Wrong {
		s = "WRONG by " + s
	}
	return s
}

// Brief is String without the absolute error.
func (d Deviation) Brief() string {
	s, _, _ := strings.Cut(d.String(), ",")
	return s
}

func shortFloat(f float64) string {
	if f >= 1e6 {
		return fmt.Sprintf("%.1e", f)
	}
	return strconv.FormatFloat(f, 'g', 3+max(0, int(math.Log10(max(f, 1)))-2), 64)
}

func formatFloat(v float64, size int) string {
	s := strconv.FormatFloat(v, 'g', -1, size)
	// 'g' takes exponents from 1e6 or so on; up to 15 digits read better in full.
	if strings.Contains(s, "e+") && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, size)
	}
	return s
}

// A Number is a float64 that JSON can carry: NaN and infinities as strings.
type Number float64

// MarshalJSON writes a number, or "NaN", "+Inf" or "-Inf".
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte(strconv.Quote(strconv.FormatFloat(f, 'g', -1, 64))), nil
	}
	return []byte(strconv.FormatFloat(f, 'g', -1, 64)), nil
}
