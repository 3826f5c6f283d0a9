package input

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/number"
)

func TestReadColumn(t *testing.T) {
	for _, c := range []struct {
		name, text, column string
		want               any
	}{
		{"plain", "a,b\n1,2\n3,4\n", "b", []int32{2, 4}},
		{"no final newline", "a,b\n1,2", "a", []int32{1}},
		{"comments and blank lines", "# about\n\na,b\n# more\n1,2\n", "a", []int32{1}},
		{"spaces", "a , b\n 1 , 2 \n", "b", []int32{2}},
		{"quotes", "\"a,1\",b\n\"7\",x\n", "a,1", []int32{7}},
		{"lines end in CR LF", "a,b\r\n1,2\r\n", "b", []int32{2}},
		{"tabs", "a\tb\n1\t2\n", "b", []int32{2}},
		{"semicolons", "# c, d\na;b\n1;2\n", "b", []int32{2}},
		{"one column", "a\n1\n2\n", "a", []int32{1, 2}},
		{"others are no numbers", "name,v\nx,0.5\ny,1e3\n", "v", []float32{0.5, 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := readColumn(strings.NewReader(c.text), "in.csv", c.column, newSink(number.Any), number.Any)
			require.NoError(t, err)
			assert.Equal(t, c.want, d.Values)
			assert.Equal(t, c.column, d.Column)
			assert.Equal(t, "in.csv", d.Source)
		})
	}
}

func TestReadColumnErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, column string
		kind               number.Kind
		message            string
	}{
		{"no such column", "kernel,cycles,x\n1,2,3\n", "cycle", number.Any,
			`in.csv: no column "cycle"; did you mean cycles? (there are kernel, cycles, x)`},
		{"case", "Cycles,n\n1,2\n", "cycles", number.Any, `in.csv: no column "cycles"; did you mean Cycles? (there are Cycles, n)`},
		{"nothing near", "a b,c\n1,2\n", "weight", number.Any, `in.csv: no column "weight" (there are "a b", c)`},
		{"twice", "x,y,x\n1,2,3\n", "x", number.Any, `in.csv: columns 1 and 3 are both called "x"; rename one of them`},
		{"ragged, short", "a,b\n1,2\n3\n", "b", number.Any, "in.csv:3: the row has 1 field, the header has 2"},
		{"ragged, long", "a,b\n# c\n1,2,3\n", "b", number.Any, "in.csv:3: the row has 3 fields, the header has 2"},
		{"empty cell", "a,b\n1,\n", "b", number.Any, "in.csv:2:3: a number is missing here"},
		{"no number", "a,b\n1,2\n5, x1\n", "b", number.Any, `in.csv:3:4: "x1" is not a number`},
		{"overflow", "a,b\n1,-1\n", "b", number.U64, `in.csv:2:3: "-1" is out of the range of u64 (0 to 18446744073709551615); use -type f64, which rounds`},
		{"quote", "a,b\n1,\"2\n", "b", number.Any, `in.csv:2:6: not well-formed CSV: extraneous or missing " in quoted-field`},
		{"quote inside", "a,b\n1,2\"3\n", "b", number.Any, `in.csv:2:4: not well-formed CSV: bare " in non-quoted-field`},
		{"header only", "a,b\n", "b", number.Any, "in.csv: no numbers in it: a header and no rows"},
		{"empty", "", "b", number.Any, "in.csv: no numbers in it: it is empty"},
		{"binary", "a,b\n1,\x02\n", "b", number.Any, "in.csv:2:3: this is binary data, not text"},
		{"binary header", "\x7fELF,\x01\n", "b", number.Any, "in.csv: this is binary data, not a CSV file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readColumn(strings.NewReader(c.text), "in.csv", c.column, newSink(c.kind), c.kind)
			assert.EqualError(t, err, c.message)
		})
	}
	broken := errors.New("unplugged")
	r := io.MultiReader(strings.NewReader("a\n1\n"), iotest.ErrReader(broken))
	_, err := readColumn(r, "in.csv", "a", newSink(number.I32), number.I32)
	require.ErrorIs(t, err, broken)
}

func TestRowErrorIsTyped(t *testing.T) {
	_, err := readColumn(strings.NewReader("a,b\n1\n"), "in.csv", "a", newSink(number.I32), number.I32)
	var row *rowError
	require.ErrorAs(t, err, &row)
	assert.Equal(t, rowError{Source: "in.csv", Line: 2, Got: 1, Header: 2}, *row)
}
