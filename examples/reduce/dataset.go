package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"strings"
)

// A dataset is the numbers to reduce and where they come from.
type dataset struct {
	Source string // file name, "standard input" or the embedded set
	Column string // of a CSV file, else ""
	About  string // what the embedded numbers are, else ""
	Kind   kind
	Guess  string // why this kind, if it was guessed
	Values any    // []int32, []uint32, []int64, []uint64, []float32 or []float64
	Count  int
	// Floats that are no ordinary numbers.
	NaN, PosInf, NegInf int
}

func newDataset[T element](values []T) dataset {
	d := dataset{Kind: kindOf[T](), Values: values, Count: len(values)}
	if !d.Kind.float() {
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

// specials says how many numbers are NaN or infinite, "" if none is.
func (d dataset) specials() string {
	var parts []string
	for _, s := range []struct {
		n    int
		name string
	}{{d.NaN, "NaN"}, {d.PosInf, "+Inf"}, {d.NegInf, "-Inf"}} {
		if s.n > 0 {
			parts = append(parts, thousands(int64(s.n))+" "+s.name)
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + " in the data"
}

// String describes the data in one line.
func (d dataset) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, type %v", plural(d.Count, "number"), d.Kind)
	if d.Guess != "" {
		fmt.Fprintf(&b, " (%s)", shorten(d.Guess))
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

func readEmbedded(column string, k kind) (dataset, error) {
	if column == "" {
		column = embeddedColumn
	}
	d, err := readColumn(bytes.NewReader(recordedLatencies), embeddedName, column, newSink(k), k)
	if err != nil {
		return dataset{}, err
	}
	d.About = embeddedAbout
	return d, nil
}
