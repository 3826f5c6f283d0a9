package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/number"
)

// sumRat adds fractions: slow, simple and exact.
func sumRat(values []float64) *big.Rat {
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, new(big.Rat).SetFloat64(v))
	}
	return sum
}

func requireSum(t *testing.T, values []float64, splitAt int) {
	t.Helper()
	var s superaccumulator
	for i, v := range values {
		s.add(v)
		if i == splitAt {
			s.propagate()
		}
	}
	got, _ := s.value().Rat(nil)
	require.Zero(t, sumRat(values).Cmp(got), "%v", values)
}

func TestSuperaccumulator(t *testing.T) {
	const largest, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	for _, values := range [][]float64{
		{0}, {1}, {-1}, {0.1}, {least}, {-least}, {largest}, {-largest},
		{largest, least}, {largest, largest, largest}, {-largest, -largest, least},
		{1, least, -1}, {1e308, 1e308, -1e308, -1e308}, {largest, -largest, 0x1p-1022, -least},
		{0x1p-1022, -least}, {0x1p31, -0x1p-31, 0x1p32, 0x1p-32, 0x1p-33},
		{0x1.fffffffffffffp20, 0x1.fffffffffffffp-20, -0x1.fffffffffffffp19},
	} {
		requireSum(t, values, -1)
		requireSum(t, values, 0)
	}
}

func TestSuperaccumulatorRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		values := make([]float64, 1+rng.IntN(50))
		for i := range values {
			switch v := math.Float64frombits(rng.Uint64()); {
			case math.IsNaN(v) || math.IsInf(v, 0):
				values[i] = 1
			case rng.IntN(4) == 0 && i > 0: // cancellation
				values[i] = -values[rng.IntN(i)]
			case rng.IntN(4) == 0: // denormals
				values[i] = math.Float64frombits(rng.Uint64() &^ (0x7ff << 52))
			default:
				values[i] = v
			}
		}
		requireSum(t, values, rng.IntN(len(values)))
	}
}

func FuzzSuperaccumulator(f *testing.F) {
	f.Add(1.0, 0x1p-1074, -1.0, 5)
	f.Add(math.MaxFloat64, math.MaxFloat64, -0x1p970, 2)
	f.Fuzz(func(t *testing.T, a, b, c float64, n int) {
		for _, v := range []float64{a, b, c} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Skip()
			}
		}
		values := []float64{a, b, c}
		for i := range n & 63 {
			values = append(values, -values[i%len(values)]/3)
		}
		requireSum(t, values, n&7)
	})
}

func TestSuperaccumulatorSpecials(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, inf}, inf}, {[]float64{-inf, math.MaxFloat64}, -inf},
		{[]float64{inf, 1, -inf}, nan}, {[]float64{nan, 1}, nan}, {[]float64{inf, nan}, nan},
	} {
		r := Reduce(number.OpSum, c.values)
		assert.Nil(t, r.Exact)
		assert.Equal(t, math.IsNaN(c.want), math.IsNaN(r.Value))
		if !math.IsNaN(c.want) {
			assert.Equal(t, c.want, r.Value)
		}
	}
	negZero := math.Copysign(0, -1)
	assert.True(t, math.Signbit(Reduce(number.OpSum, []float64{negZero, negZero}).Value), "-0 + -0 is -0")
	assert.False(t, math.Signbit(Reduce(number.OpSum, []float64{negZero, 0}).Value))
	assert.False(t, math.Signbit(Reduce(number.OpSum, []float64{1, -1}).Value))
}

func TestExactIntegers(t *testing.T) {
	r := Reduce(number.OpSum, []int32{math.MaxInt32, 1, 1})
	assert.Equal(t, int32(math.MinInt32+1), r.Value)
	assert.Equal(t, "2147483649, which wraps to -2147483647 in i32 (-type i64 has the range)", r.String())

	u := Reduce(number.OpSum, []uint32{math.MaxUint32, 2})
	assert.Equal(t, "4294967297, which wraps to 1 in u32 (-type i64 has the range)", u.String())

	low := Reduce(number.OpSum, []int64{math.MinInt64, math.MinInt64, -1})
	assert.Equal(t, "-18446744073709551617, which wraps to -1 in i64 (-type f64 has the range)", low.String())

	high := Reduce(number.OpSum, []uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64})
	assert.Equal(t, "55340232221128654845, which wraps to 18446744073709551613 in u64 (-type f64 has the range)", high.String())

	plain := Reduce(number.OpSum, []int64{-5, 3, math.MaxInt64, math.MinInt64})
	assert.Equal(t, "-3", plain.String())
	assert.False(t, plain.Wraps())

	for _, c := range []struct {
		op   number.Operator
		want int32
	}{{number.OpMin, -8}, {number.OpMax, 7}, {number.OpAnd, 0}, {number.OpOr, -1}, {number.OpXor, -8 ^ 7 ^ 6}} {
		assert.Equal(t, c.want, Reduce(c.op, []int32{7, -8, 6}).Value, c.op.String())
	}
	assert.Equal(t, uint64(1<<63), Reduce(number.OpAnd, []uint64{1<<63 | 1, 1<<63 | 2}).Value)
	assert.Equal(t, uint64(math.MaxUint64), Reduce(number.OpMax, []uint64{1, math.MaxUint64, 2}).Value)
}

func TestExactIntegersRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		values := make([]int64, 1+rng.IntN(100))
		want := new(big.Int)
		for i := range values {
			values[i] = int64(rng.Uint64())
			want.Add(want, big.NewInt(values[i]))
		}
		got, accuracy := Reduce(number.OpSum, values).Exact.Int(nil)
		require.Equal(t, big.Exact, accuracy)
		require.Zero(t, want.Cmp(got))
	}
}

func TestExactFloats(t *testing.T) {
	tenths := make([]float64, 10)
	for i := range tenths {
		tenths[i] = 0.1
	}
	// Ten times the float64 next to 0.1 lies between 1 and its successor,
	// nearer to 1; adding up in order gives 0.9999999999999999 instead.
	r := Reduce(number.OpSum, tenths)
	assert.Equal(t, 1.0, r.Value)
	assert.Equal(t, "1.0000000000000000555…, nearest f64 1", r.String())

	assert.Equal(t, "6.5", Reduce(number.OpSum, []float32{1.5, 2, 3}).String())
	assert.Equal(t, "NaN", Reduce(number.OpSum, []float32{float32(math.NaN())}).String())
	assert.Equal(t, "1500000", Reduce(number.OpSum, []float32{1e6, 5e5}).String())

	over := Reduce(number.OpSum, []float32{math.MaxFloat32, math.MaxFloat32})
	assert.True(t, over.Wraps())
	assert.Equal(t, "6.8056469327705771962e+38…, which overflows f32 to +Inf (-type f64 has the range)", over.String())

	assert.NotContains(t, Reduce(number.OpSum, []float64{math.MaxFloat64, math.MaxFloat64}).String(), "-type", "nothing is wider")

	signed := Reduce(number.OpSum, []int64{math.MaxInt64, 1})
	assert.Equal(t, "9223372036854775808, which wraps to -9223372036854775808 in i64 (-type u64 has the range)", signed.String())

	assert.True(t, Reduce(number.OpSum, []float64{1e308, 1e308, -1e308}).Overflows)
	assert.False(t, Reduce(number.OpSum, []float64{1e300, 1e300}).Overflows)

	// Denormal f32: 2^-149 + 2^-149.
	assert.Equal(t, float32(0x1p-148), Reduce(number.OpSum, []float32{0x1p-149, 0x1p-149}).Value)
	// The middle between two f32 goes to the even one, a hair more upwards.
	assert.Equal(t, float32(0x1p24), Reduce(number.OpSum, []float32{0x1p24, 1}).Value)
	assert.Equal(t, float32(0x1p24+2), Reduce(number.OpSum, []float32{0x1p24, 1, 0x1p-149}).Value)
}

func TestExtremesOfFloats(t *testing.T) {
	nan, inf, negZero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct {
		values   []float64
		min, max float64
	}{
		{[]float64{3, 1, 2}, 1, 3},
		{[]float64{nan, 1, nan, 2}, 1, 2},
		{[]float64{nan}, nan, nan},
		{[]float64{inf, -inf, nan}, -inf, inf},
		{[]float64{0, negZero}, negZero, 0},
		{[]float64{negZero, 0}, negZero, 0},
	} {
		low, high := Reduce(number.OpMin, c.values), Reduce(number.OpMax, c.values)
		assert.Equal(t, Format(c.min), Format(low.Value), "%v", c.values)
		assert.Equal(t, Format(c.max), Format(high.Value), "%v", c.values)
	}
}

func TestDeviation(t *testing.T) {
	values := []float32{1, 2, 3, 0.25}
	r := Reduce(number.OpSum, values) // 6.25
	ulp := float32(math.Nextafter32(6.25, 7) - 6.25)
	assert.Equal(t, Deviation{Best: true}, r.Deviation(6.25))
	assert.Equal(t, "exact", r.Deviation(6.25).String())

	d := r.Deviation(6.25 + 2*ulp)
	assert.Equal(t, Number(2), d.ULPs)
	assert.Equal(t, Number(2*ulp), d.Absolute)
	assert.InEpsilon(t, 2*float64(ulp)/6.25, float64(d.Relative), 1e-15)
	assert.False(t, d.Best)
	assert.False(t, d.Wrong, "three roundings may give two ulps")
	assert.Equal(t, "2 ulp, 9.5e-07", d.String())

	assert.True(t, r.Deviation(6.26).Wrong)
	assert.True(t, r.Deviation(float32(math.Inf(1))).Wrong)
	assert.Equal(t, "WRONG", r.Deviation(float32(math.NaN())).String())
}

func TestDeviationOfRoundedSum(t *testing.T) {
	// 2^24+1 is half way between two f32.
	r := Reduce(number.OpSum, []float32{0x1p24, 1})
	assert.Equal(t, Deviation{Absolute: 1, Relative: Number(1 / (0x1p24 + 1)), ULPs: 0.5, Best: true}, r.Deviation(0x1p24))
	assert.Equal(t, "0.5 ulp, 1.0e+00", r.Deviation(0x1p24).String())
}

func TestDeviationOfCancelledSum(t *testing.T) {
	// Exact 2^-149; the units are those of the least denormal.
	r := Reduce(number.OpSum, []float32{1, 0x1p-149, -1})
	d := r.Deviation(0)
	assert.Equal(t, Number(1), d.ULPs)
	assert.Equal(t, Number(1), d.Relative)
	assert.False(t, d.Wrong, "as good as adding up in order is")

	zero := Reduce(number.OpSum, []float32{1, -1})
	d = zero.Deviation(0x1p-24)
	assert.True(t, math.IsInf(float64(d.Relative), 1))
	assert.Equal(t, Number(0x1p125), d.ULPs)
	assert.False(t, d.Wrong)
}

func TestDeviationOfIntegers(t *testing.T) {
	r := Reduce(number.OpSum, []int32{math.MaxInt32, 1})
	assert.Equal(t, Deviation{Best: true}, r.Deviation(math.MinInt32), "wrapping is right")
	d := r.Deviation(math.MinInt32 + 3)
	assert.Equal(t, Number(3), d.Absolute)
	assert.True(t, d.Wrong)
	assert.Equal(t, "WRONG by 3 ulp, 3.0e+00", d.String())

	wide := Reduce(number.OpSum, []int64{math.MaxInt64})
	assert.Equal(t, Number(math.MaxUint64), wide.Deviation(math.MinInt64).Absolute, "no overflow in the difference")
}

func TestDeviationOfSpecials(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	assert.Equal(t, Deviation{Best: true}, Reduce(number.OpSum, []float64{nan}).Deviation(nan))
	assert.Equal(t, Deviation{Best: true}, Reduce(number.OpSum, []float64{inf}).Deviation(inf))
	assert.True(t, Reduce(number.OpSum, []float64{inf}).Deviation(-inf).Wrong)
	assert.True(t, Reduce(number.OpSum, []float64{inf}).Deviation(1).Wrong)

	over := Reduce(number.OpSum, []float64{1e308, 1e308, -1e308}).Deviation(inf)
	assert.False(t, over.Wrong)
	assert.Equal(t, "overflow", over.String())
	// The exact sum itself is out of range: infinity is the best there is.
	assert.Equal(t, Deviation{Best: true}, Reduce(number.OpSum, []float64{1e308, 1e308}).Deviation(inf))

	assert.True(t, Reduce(number.OpMin, []float64{0, math.Copysign(0, -1)}).Deviation(0).Wrong, "+0 is not the minimum of +0 and -0")
}

// Adding up in any order stays within the bound, and the bound is not loose by
// more than the theory is: a sum off by twice the bound is wrong.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		values := make([]float32, 2+rng.IntN(200))
		for i := range values {
			values[i] = float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(20))))
		}
		r := Reduce(number.OpSum, values)
		for range 5 {
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			var sum float32
			for _, v := range values {
				sum += v
			}
			require.False(t, r.Deviation(sum).Wrong)
		}
		exact, _ := r.Exact.Float64()
		require.True(t, r.Deviation(float32(exact+3*r.Bound+1e-3*math.Abs(exact))).Wrong)
	}
}

func TestShortFloat(t *testing.T) {
	for f, want := range map[float64]string{0.5: "0.5", 1.23456: "1.23", 12.345: "12.3", 123.45: "123", 12345.6: "12346", 3.2e7: "3.2e+07", 0.00123: "0.00123"} {
		assert.Equal(t, want, shortFloat(f))
	}
}

func TestFormatFloat(t *testing.T) {
	for f, want := range map[float64]string{1e6: "1000000", 14179365.5: "14179365.5", 1e15: "1e+15", 1e-7: "1e-07", -2.5e9: "-2500000000"} {
		assert.Equal(t, want, formatFloat(f, 64))
	}
}

func BenchmarkExactSumMillion(b *testing.B) {
	floats := make([]float64, 1_000_000)
	singles := make([]float32, len(floats))
	integers := make([]int64, len(floats))
	rng := rand.New(rand.NewPCG(13, 14))
	for i := range floats {
		floats[i] = rng.NormFloat64()
		singles[i] = float32(floats[i])
		integers[i] = int64(rng.Uint64())
	}
	wide := make([]float64, len(floats))
	for i := range wide {
		wide[i] = math.Float64frombits(rng.Uint64() &^ (1 << 62))
	}
	b.Run("f32", func(b *testing.B) {
		for b.Loop() {
			Reduce(number.OpSum, singles)
		}
	})
	b.Run("f64", func(b *testing.B) {
		for b.Loop() {
			Reduce(number.OpSum, floats)
		}
	})
	b.Run("f64 all exponents", func(b *testing.B) {
		for b.Loop() {
			Reduce(number.OpSum, wide)
		}
	})
	b.Run("i64", func(b *testing.B) {
		for b.Loop() {
			Reduce(number.OpSum, integers)
		}
	})
}
