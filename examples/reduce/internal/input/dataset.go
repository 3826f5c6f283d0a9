package input

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"strings"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// A Data is the numbers to reduce and where they come from.
type Data struct {
	Source string // file name, "standard input" or the embedded set
	Column string // of a CSV file, else ""
	About  string // what the embedded numbers are, else ""
	Kind   number.Kind
	Guess  string // why this kind, if it was guessed
	Values any    // []int32, []uint32, []int64, []uint64, []float32 or []float64
	Count  int
	// Floats that are no ordinary numbers.
	NaN, PosInf, NegInf int
}

func NewData[T number.Element](values []T) Data {
	d := Data{Kind: number.Of[T](), Values: values, Count: len(values)}
	if !d.Kind.Float() {
		return d
	}
	for _, v := range values {
		f := float64(v)
		switch {
		case f != f:
			d.NaN++
		case f > math.MaxFloat64:
			d.PosInf++
		case f < -math.MaxFloat64:
			d.NegInf++
		}
	}
	return d
}

// Specials says how many numbers are NaN or infinite, "" if none is.
func (d Data) Specials() string {
	var parts []string
	for _, s := range []struct {
		n    int
		name string
	}{{d.NaN, "NaN"}, {d.PosInf, "+Inf"}, {d.NegInf, "-Inf"}} {
		if s.n > 0 {
			parts = append(parts, message.Thousands(int64(s.n))+" "+s.name)
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + " in the data"
}

// String describes the data in one line.
func (d Data) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, type %v", message.Plural(d.Count, "number"), d.Kind)
	if d.Guess != "" {
		fmt.Fprintf(&b, " (%s)", message.Shorten(d.Guess))
	}
	b.WriteString(", from ")
	if d.Column != "" {
		fmt.Fprintf(&b, "column %s of ", d.Column)
	}
	b.WriteString(d.Source)
	return b.String()
}

// The embedded data set: what the program reduces if it is given nothing.
//
//go:embed data/h200_latency.csv
var recordedLatencies []byte

const (
	embeddedName   = "the embedded h200_latency.csv"
	embeddedColumn = "cycles"
	embeddedAbout  = "instruction latencies and issue intervals measured on an H200, in cycles"
)

func readEmbedded(column string, k number.Kind) (Data, error) {
	if column == "" {
		column = embeddedColumn
	}
	d, err := readColumn(bytes.NewReader(recordedLatencies), embeddedName, column, newSink(k), k)
	if err != nil {
		return Data{}, err
	}
	d.About = embeddedAbout
	return d, nil
}
