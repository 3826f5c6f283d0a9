package number

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseInteger(t *testing.T) {
	for _, c := range []struct {
		text      string
		magnitude uint64
		negative  bool
		err       error
	}{
		{text: "0"},
		{text: "-0", negative: true},
		{text: "+7", magnitude: 7},
		{text: "-12", magnitude: 12, negative: true},
		{text: "0042", magnitude: 42}, // decimal, where Go would say octal
		{text: "08", magnitude: 8},
		{text: "0x1F", magnitude: 31},
		{text: "0Xff_ff", magnitude: 65535},
		{text: "0x_1", magnitude: 1},
		{text: "0o17", magnitude: 15},
		{text: "0b1_01", magnitude: 5},
		{text: "1_000_000", magnitude: 1e6},
		{text: "18446744073709551615", magnitude: math.MaxUint64},
		{text: "0xffffffffffffffff", magnitude: math.MaxUint64},
		{text: "18446744073709551616", err: ErrRange},
		{text: "99999999999999999999999999", err: ErrRange},
		{text: "0x10000000000000000", err: ErrRange},
		{text: "1152921504606846976", magnitude: 1 << 60},
		{text: "", err: ErrNotInteger},
		{text: "-", err: ErrNotInteger},
		{text: "0x", err: ErrNotInteger},
		{text: "0x_", err: ErrNotInteger},
		{text: "_1", err: ErrNotInteger},
		{text: "1_", err: ErrNotInteger},
		{text: "1__0", err: ErrNotInteger},
		{text: "--1", err: ErrNotInteger},
		{text: "1.0", err: ErrNotInteger},
		{text: "1e3", err: ErrNotInteger},
		{text: "0b2", err: ErrNotInteger},
		{text: "0o8", err: ErrNotInteger},
		{text: "12a", err: ErrNotInteger},
		{text: "99999999999999999999x", err: ErrNotInteger},
		{text: "−5", err: ErrNotInteger}, // a minus sign, no hyphen
	} {
		m, negative, err := ParseInteger([]byte(c.text))
		assert.Equal(t, c.err, err, c.text)
		if c.err == nil {
			assert.Equal(t, c.magnitude, m, c.text)
			assert.Equal(t, c.negative, negative, c.text)
		}
	}
}

func TestParseIntegerLimits(t *testing.T) {
	for _, size := range []int{32, 64} {
		one := big.NewInt(1)
		high := new(big.Int).Lsh(one, uint(size-1)) // 2^31, 2^63
		low := new(big.Int).Neg(high)
		top := new(big.Int).Lsh(one, uint(size))

		_, err := ParseSigned([]byte(high.String()), size)
		assert.Equal(t, ErrRange, err)
		v, err := ParseSigned([]byte(new(big.Int).Sub(high, one).String()), size)
		assert.NoError(t, err)
		assert.Equal(t, int64(1)<<(size-1)-1, v)
		v, err = ParseSigned([]byte(low.String()), size)
		assert.NoError(t, err)
		assert.Equal(t, int64(math.MinInt64)>>(64-size), v)
		_, err = ParseSigned([]byte(new(big.Int).Sub(low, one).String()), size)
		assert.Equal(t, ErrRange, err)

		_, err = ParseUnsigned([]byte(top.String()), size)
		assert.Equal(t, ErrRange, err)
		u, err := ParseUnsigned([]byte(new(big.Int).Sub(top, one).String()), size)
		assert.NoError(t, err)
		assert.Equal(t, uint64(math.MaxUint64)>>(64-size), u)
		_, err = ParseUnsigned([]byte("-1"), size)
		assert.Equal(t, ErrRange, err)
		u, err = ParseUnsigned([]byte("-0"), size)
		assert.NoError(t, err)
		assert.Zero(t, u)
	}
}

func TestParseFloat(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want float64
		err  error
	}{
		{text: "0.1", size: 64, want: 0.1},
		{text: "0.1", size: 32, want: float64(float32(0.1))},
		{text: "0x10", size: 32, want: 16},
		{text: "0x1p-3", size: 32, want: 0.125},
		{text: "1_000.5", size: 64, want: 1000.5},
		{text: "-007", size: 64, want: -7},
		{text: "16777217", size: 32, want: 16777216}, // tie to even
		{text: "0x1000001", size: 32, want: 16777216},
		{text: "inf", size: 32, want: math.Inf(1)},
		{text: "-Infinity", size: 64, want: math.Inf(-1)},
		{text: "NaN", size: 64, want: math.NaN()},
		{text: "-nan", size: 32, want: math.NaN()}, // as C prints it
		{text: "3.4028235e38", size: 32, want: math.MaxFloat32},
		{text: "3.4028236e38", size: 32, err: ErrRange},
		{text: "1e39", size: 64, want: 1e39},
		{text: "-1e309", size: 64, err: ErrRange},
		{text: "1e-50", size: 32, err: ErrTiny},
		{text: "1e-50", size: 64, want: 1e-50},
		{text: "-1e-400", size: 64, err: ErrTiny},
		{text: "1e-400", size: 64, err: ErrTiny},
		{text: "0x1p-2000", size: 64, err: ErrTiny},
		{text: "0x0.0ep-2000", size: 64, err: ErrTiny},
		{text: "0x0p-2000", size: 64, want: 0},
		{text: "-0e-400", size: 64, want: math.Copysign(0, -1)},
		{text: "0.00e7", size: 64, want: 0},
		{text: "1e-45", size: 32, want: math.SmallestNonzeroFloat32},
		{text: "1,5", size: 64, err: ErrNotNumber},
		{text: "abc", size: 64, err: ErrNotNumber},
		{text: "1.2.3", size: 32, err: ErrNotNumber},
		{text: "e5", size: 32, err: ErrNotNumber},
		{text: "0xg", size: 32, err: ErrNotNumber},
	} {
		v, err := ParseFloat([]byte(c.text), c.size)
		assert.Equal(t, c.err, err, c.text)
		if c.err == nil && math.IsNaN(c.want) {
			assert.True(t, math.IsNaN(v), c.text)
		} else if c.err == nil {
			assert.Equal(t, c.want, v, c.text)
		}
	}
	v, err := ParseFloat([]byte("-0"), 32)
	require.NoError(t, err)
	assert.True(t, math.Signbit(v))
}

func TestNumbersCostNoAllocation(t *testing.T) {
	integer, float := []byte("-1234567"), []byte("-1234.5678e-3")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = ParseSigned(integer, 32)
		_, _ = ParseFloat(float, 32)
		_, _ = ParseFloat(float, 64)
	}))
}

// Integers mean what they mean to strconv, but for leading zeros.
func FuzzParseInteger(f *testing.F) {
	for _, s := range []string{"0", "-0x_f", "1_2", "18446744073709551616", "0b", "+0o7_7", "9223372036854775808", "-9223372036854775808"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		bare := strings.TrimLeft(s, "+-")
		if len(bare) > 1 && bare[0] == '0' && (bare[1] == '_' || bare[1] >= '0' && bare[1] <= '9') {
			t.Skip("octal to strconv")
		}
		want, wantErr := strconv.ParseInt(s, 0, 64)
		got, err := ParseSigned([]byte(s), 64)
		require.Equal(t, wantErr == nil, err == nil, "%q", s)
		if err == nil {
			require.Equal(t, want, got)
		}
		wantUnsigned, wantErr := strconv.ParseUint(s, 0, 32)
		gotUnsigned, err := ParseUnsigned([]byte(s), 32)
		if wantErr == nil { // strconv takes no sign here
			require.NoError(t, err)
			require.Equal(t, wantUnsigned, gotUnsigned)
		}
	})
}
