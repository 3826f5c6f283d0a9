package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/number"
)

func parseText(text string, k number.Kind) (Data, error) {
	return readText(strings.NewReader(text), "in.txt", newSink(k), k)
}

func TestReadText(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       number.Kind
		want       any
	}{
		{"one", "7", number.I32, []int32{7}},
		{"lines", "1\n2\n3\n", number.I32, []int32{1, 2, 3}},
		{"carriage returns", "1\r\n2\r\n", number.I32, []int32{1, 2}},
		{"commas", "1,2, 3 ,4,\n5", number.I32, []int32{1, 2, 3, 4, 5}},
		{"comma on the next line", "1\n,2", number.I32, []int32{1, 2}},
		{"comments", "# head, 5\n1 # one\n2#two\n#\n3", number.I32, []int32{1, 2, 3}},
		{"tabs and blank lines", "\n\n\t1\t2\n\n", number.I64, []int64{1, 2}},
		{"limits i32", "-2147483648 2147483647", number.I32, []int32{math.MinInt32, math.MaxInt32}},
		{"limits u32", "0 4294967295", number.U32, []uint32{0, math.MaxUint32}},
		{"limits i64", "-9223372036854775808 9223372036854775807", number.I64, []int64{math.MinInt64, math.MaxInt64}},
		{"limits u64", "18446744073709551615", number.U64, []uint64{math.MaxUint64}},
		{"hex", "0xff 0x_80", number.U32, []uint32{255, 128}},
		{"f32", "0.1 1e-45 -Inf", number.F32, []float32{0.1, math.SmallestNonzeroFloat32, float32(math.Inf(-1))}},
		{"f64", "0.1 NaN", number.F64, []float64{0.1, math.NaN()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := parseText(c.text, c.kind)
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(c.want, d.Values, cmpopts.EquateNaNs()))
			assert.Equal(t, c.kind, d.Kind)
			assert.Empty(t, d.Guess)
		})
	}
}

func TestReadTextErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       number.Kind
		reason     error
		message    string
	}{
		{"overflow", "1 2\n 2147483648", number.I32, number.ErrRange,
			`in.txt:2:2: "2147483648" is out of the range of i32 (-2147483648 to 2147483647); use a wider -type, or i32 or i64 for negative numbers`},
		{"negative", "1,-1", number.U32, number.ErrRange,
			`in.txt:1:3: "-1" is out of the range of u32 (0 to 4294967295); use a wider -type, or i32 or i64 for negative numbers`},
		{"overflow 64", "9223372036854775808", number.I64, number.ErrRange,
			`in.txt:1:1: "9223372036854775808" is out of the range of i64 (-9223372036854775808 to 9223372036854775807); use -type f64, which rounds`},
		{"overflow f32", "1\n# \n\n   1e39", number.F32, number.ErrRange,
			`in.txt:4:4: "1e39" is out of the range of f32 (-3.4028235e+38 to 3.4028235e+38); use -type f64`},
		{"overflow f64", "1e309", number.F64, number.ErrRange,
			`in.txt:1:1: "1e309" is out of the range of f64 (-1.7976931348623157e+308 to 1.7976931348623157e+308)`},
		{"overflow of all", "0.5 1e309", number.Any, number.ErrRange,
			`in.txt:1:5: "1e309" is out of the range of every type, f64 too (-1.7976931348623157e+308 to 1.7976931348623157e+308)`},
		{"zero as f32", "0 1e-50", number.F32, number.ErrTiny,
			`in.txt:1:3: "1e-50" is not 0, but f32 would read it as 0 (its smallest is 1.4e-45); use -type f64`},
		{"zero as f64", "1e-400", number.F64, number.ErrTiny,
			`in.txt:1:1: "1e-400" is not 0, but f64 would read it as 0 (its smallest is 4.9e-324); write 0 if that is meant`},
		{"zero as any type", "1e-400 1", number.Any, number.ErrTiny,
			`in.txt:1:1: "1e-400" is not 0, but f64 would read it as 0 (its smallest is 4.9e-324); write 0 if that is meant`},
		{"float for an integer", "1\n2.5\n", number.I32, number.ErrNotInteger,
			`in.txt:2:1: "2.5" is not an integer, as type i32 needs; use -type f32 or f64`},
		{"NaN for an integer", "1\nNaN\n", number.U64, number.ErrNotInteger,
			`in.txt:2:1: "NaN" is not an integer, as type u64 needs; use -type f32 or f64`},
		{"text", "1 2 three", number.I32, number.ErrNotNumber, `in.txt:1:5: "three" is not a number`},
		{"text, guessing", "1 2 three", number.Any, number.ErrNotNumber, `in.txt:1:5: "three" is not a number`},
		{"text after floats", "1.5 x", number.Any, number.ErrNotNumber, `in.txt:1:5: "x" is not a number`},
		{"a header", "time,cycles\n1,2\n", number.Any, number.ErrNotNumber,
			`in.txt:1:1: "time" is not a number; if this is a CSV file with a header, name a column with -column`},
		{"no value", "1,,2", number.I32, number.ErrMissing, `in.txt:1:3: a number is missing here`},
		{"no value on the next line", "1,\n ,2", number.I32, number.ErrMissing, `in.txt:2:2: a number is missing here`},
		{"no value first", ",1", number.I32, number.ErrMissing, `in.txt:1:1: a number is missing here`},
		{"semicolons", "1;2", number.F64, number.ErrNotNumber,
			`in.txt:1:1: "1;2" is not a number; if this is a CSV file with a header, name a column with -column`},
		{"binary", "1 2\n\x01\x02\x00", number.I32, number.ErrNotNumber, `in.txt:2:1: this is binary data, not text`},
		{"no UTF-8", "1 \xc3\x28", number.I32, number.ErrNotNumber, `in.txt:1:3: this is binary data, not text`},
		{"long text", "1 " + strings.Repeat("é", 100), number.I32, number.ErrNotNumber,
			`in.txt:1:3: "` + strings.Repeat("é", 30) + `…" is not a number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseText(c.text, c.kind)
			require.ErrorIs(t, err, c.reason)
			assert.EqualError(t, err, c.message)
		})
	}
}

func TestNothingToRead(t *testing.T) {
	for text, message := range map[string]string{
		"":                 "in.txt: no numbers in it: it is empty",
		" \n\n ":           "in.txt: no numbers in it: it is empty",
		"# one\n# two":     "in.txt: no numbers in it: only comments (2 lines)",
		"  # 1 2 3\n \t\n": "in.txt: no numbers in it: only comments (1 line)",
	} {
		_, err := parseText(text, number.Any)
		var empty *emptyError
		require.ErrorAs(t, err, &empty, text)
		assert.EqualError(t, err, message)
	}
}

func TestReadTextReaderFails(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, text := range []string{"", "12", "12 34 "} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		_, err := readText(r, "in.txt", newSink(number.I32), number.I32)
		require.ErrorIs(t, err, broken, text)
		assert.EqualError(t, err, "in.txt: reading failed: disk on fire")
	}
}

func TestEndlessNumber(t *testing.T) {
	text := "1\n" + strings.Repeat("7", tokenizerBuffer+1)
	_, err := parseText(text, number.F64)
	require.ErrorIs(t, err, errTooLong)
	assert.Contains(t, err.Error(), "in.txt:2:1: this is no list of numbers: 7777")
	// A Number that just fits in the buffer is read, however long it is.
	d, err := parseText("0.5"+strings.Repeat("0", tokenizerBuffer-10), number.F64)
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5}, d.Values)
}

// Numbers, and where errors are, do not depend on how the input is cut into
// reads, nor on where the tokenizer's buffer ends.
func TestReadTextInPieces(t *testing.T) {
	var b strings.Builder
	var want []int32
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Len() < 3*tokenizerBuffer {
		v := int32(rng.Uint32())
		want = append(want, v)
		b.WriteString(strconv.Itoa(int(v)))
		b.WriteString([]string{" ", "\n", ",", " , ", "# c\n", "\r\n"}[rng.IntN(6)])
	}
	lines := strings.Count(b.String(), "\n")
	last := b.Len() - strings.LastIndex(b.String(), "\n") - 1
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
		"halves": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
	} {
		d, err := readText(wrap(strings.NewReader(b.String())), "in.txt", newSink(number.I32), number.I32)
		require.NoError(t, err, name)
		require.Equal(t, want, d.Values, name)

		_, err = readText(wrap(strings.NewReader(b.String()+" oops")), "in.txt", newSink(number.I32), number.I32)
		var number *numberError
		require.ErrorAs(t, err, &number, name)
		assert.Equal(t, position{"in.txt", lines + 1, last + 2}, number.position, name)
	}
}

func TestGuess(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       any
		why        string
	}{
		{"small integers", "1 -2 0x10", []int32{1, -2, 16}, "all are integers"},
		{"edges of i32", "-2147483648 2147483647", []int32{math.MinInt32, math.MaxInt32}, "all are integers"},
		{"above i32", "1 2147483648", []int64{1, 1 << 31}, "integers beyond the range of i32"},
		{"below i32", "-2147483649 1", []int64{-1<<31 - 1, 1}, "integers beyond the range of i32"},
		{"above i64", "1 9223372036854775808 2", []uint64{1, 1 << 63, 2}, "integers beyond the range of i64"},
		{"least i64", "-9223372036854775808", []int64{math.MinInt64}, "integers beyond the range of i32"},
		{"above i64 and negative", "-1 9223372036854775808", []float64{-1, 1 << 63}, "9223372036854775808 and the rest fit no integer type of 64 bits"},
		{"above i64, later negative", "9223372036854775808 -1", []float64{1 << 63, -1}, "-1 and the rest fit no integer type of 64 bits"},
		{"above u64", "3 18446744073709551616", []float64{3, 1 << 64}, "18446744073709551616 and the rest fit no integer type of 64 bits"},
		{"below i64", "-9223372036854775809", []float64{-1 << 63}, "-9223372036854775809 and the rest fit no integer type of 64 bits"},
		{"fractions", "1 2.5 3", []float32{1, 2.5, 3}, "2.5 is not written as an integer"},
		{"exponents", "1e3", []float32{1000}, "1e3 is not written as an integer"},
		{"NaN", "5 NaN", []float32{5, float32(math.NaN())}, "NaN is not written as an integer"},
		{"beyond f32", "0.1 1e39", []float64{0.1, 1e39}, "1e39 is out of the range of f32"},
		{"infinite", "0.5 -Inf", []float32{0.5, float32(math.Inf(-1))}, "0.5 is not written as an integer"},
		{"largest f32", "0.5 3.4028235e38", []float32{0.5, math.MaxFloat32}, "0.5 is not written as an integer"},
		{"large integers, then a fraction", "18446744073709551615 0.5", []float32{1 << 64, 0.5}, "0.5 is not written as an integer"},
		// 2^24+1 is the middle of two f32; a little more rounds up, which
		// rounding first to f64 would hide.
		{"no double rounding", "0.5 16777217.0000000000001 16777217.0", []float32{0.5, 16777218, 16777216}, "0.5 is not written as an integer"},
		{"denormal f32, exact", "0.5 1.401298464324817e-45", []float32{0.5, 0x1p-149}, "0.5 is not written as an integer"},
		{"too small for all bits of f32", "0.5 1e-40", []float64{0.5, 1e-40}, "1e-40 is too small for f32"},
		{"zero as f32", "1e-50 1", []float64{1e-50, 1}, "1e-50 is too small for f32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := parseText(c.text, number.Any)
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(c.want, d.Values, cmpopts.EquateNaNs()))
			assert.Equal(t, c.why, d.Guess)
		})
	}
	d, err := parseText("-0 0.5", number.Any)
	require.NoError(t, err)
	assert.True(t, math.Signbit(float64(d.Values.([]float32)[0])), "the sign of -0 survives")
}

func TestSpecials(t *testing.T) {
	d, err := parseText("NaN nan 1 NaN +Inf -inf inf", number.F32)
	require.NoError(t, err)
	assert.Equal(t, "3 NaN, 2 +Inf, 1 -Inf in the data", d.Specials())
	d, err = parseText("1 2", number.F64)
	require.NoError(t, err)
	assert.Empty(t, d.Specials())
}

// What is read is what a plain split and strconv would read; every mistake
// points at a place inside the input.
func FuzzReadText(f *testing.F) {
	for _, s := range []string{"1 2,3\n# c\n4", "1,,2", "0x_f 1e5", "-0 NaN\tinf", "\x00", "9223372036854775808 -1", "1#2\r\n3", ","} {
		for k := range uint8(7) {
			f.Add(s, k)
		}
	}
	f.Fuzz(func(t *testing.T, text string, k uint8) {
		want := number.Kind(k % 7)
		d, err := parseText(text, want)
		byByte, byByteErr := readText(iotest.OneByteReader(strings.NewReader(text)), "in.txt", newSink(want), want)
		require.Empty(t, cmp.Diff(d, byByte, cmpopts.EquateNaNs()))
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(byByteErr))
		if err != nil {
			var number *numberError
			if errors.As(err, &number) {
				lines := strings.Split(text, "\n")
				require.LessOrEqual(t, number.Line, len(lines))
				require.True(t, strings.HasPrefix(lines[number.Line-1][number.Column-1:], number.Text), err)
			}
			return
		}
		var fields []string
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "#")
			fields = append(fields, strings.FieldsFunc(line, func(r rune) bool {
				return strings.ContainsRune(" \t\r\v\f\n,", r)
			})...)
		}
		require.Len(t, fields, d.Count)
		if want != number.Any {
			require.Equal(t, want, d.Kind)
		}
		if values, ok := d.Values.([]float64); ok {
			for i, field := range fields {
				if v, err := strconv.ParseFloat(field, 64); err == nil {
					require.Equal(t, math.Float64bits(v), math.Float64bits(values[i]), field)
				}
			}
		}
	})
}

func millionIntegers() []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1_000_000 {
		fmt.Fprintln(&b, int32(rng.Uint32()))
	}
	return b.Bytes()
}

func millionFloats() []byte {
	var b bytes.Buffer
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1_000_000 {
		fmt.Fprintln(&b, float32(rng.NormFloat64()*1000))
	}
	return b.Bytes()
}

func BenchmarkReadMillion(b *testing.B) {
	integers, floats := millionIntegers(), millionFloats()
	for _, c := range []struct {
		name string
		text []byte
		kind number.Kind
	}{
		{"i32", integers, number.I32}, {"guess i32", integers, number.Any},
		{"f32", floats, number.F32}, {"f64", floats, number.F64}, {"guess f32", floats, number.Any},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := readText(bytes.NewReader(c.text), "in.txt", newSink(c.kind), c.kind)
				require.NoError(b, err)
			}
		})
	}
	b.Run("csv f32", func(b *testing.B) {
		b.SetBytes(int64(len(floats)))
		b.ReportAllocs()
		for b.Loop() {
			r := io.MultiReader(strings.NewReader("x\n"), bytes.NewReader(floats))
			_, err := readColumn(r, "in.csv", "x", newSink(number.F32), number.F32)
			require.NoError(b, err)
		}
	})
}
