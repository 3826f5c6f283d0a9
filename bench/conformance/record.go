package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
)

// lanes is the width of the warp that was recorded.
const lanes = 32

// A record reads the cells of a row by the names of their columns. The first
// cell that cannot be read is kept in err; everything read after it is empty.
type record struct {
	table *table
	row   *row
	err   error
}

func (r *record) fail(column, reason string) {
	if r.err == nil {
		r.err = &malformedError{r.table.file, r.row.line, fmt.Sprintf("column %s: %s", column, reason)}
	}
}

func (r *record) text(column string) string {
	i := slices.Index(r.table.columns, column)
	if i < 0 {
		r.fail(column, "missing")
		return ""
	}
	return r.row.cells[i]
}

// number reads a decimal number that fits 32 bits, signed or not.
func (r *record) number(column string) int64 { return r.parse(column, r.text(column)) }

func (r *record) parse(column, text string) int64 {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < -1<<31 || v > 1<<32-1 {
		r.fail(column, fmt.Sprintf("%q is not a 32-bit number", text))
		return 0
	}
	return v
}

// numbers reads a decimal number for every lane.
func (r *record) numbers(column string) []int32 {
	out := make([]int32, lanes)
	for l, f := range r.perLane(column) {
		out[l] = int32(r.parse(column, f))
	}
	return out
}

// hexes reads a hexadecimal number of up to the given bits for every lane.
func (r *record) hexes(column string, bits int) []uint64 {
	out := make([]uint64, lanes)
	for l, f := range r.perLane(column) {
		v, err := strconv.ParseUint(f, 16, bits)
		if err != nil {
			r.fail(column, fmt.Sprintf("%q is not a hexadecimal number of %d bits", f, bits))
		}
		out[l] = v
	}
	return out
}

func (r *record) perLane(column string) []string {
	fields := strings.Fields(r.text(column))
	if len(fields) != lanes {
		r.fail(column, fmt.Sprintf("%d values for %d lanes", len(fields), lanes))
		return nil
	}
	return fields
}

func (r *record) mask(column string) lane.Mask {
	m, err := lane.ParseMask(r.text(column), lanes)
	if err != nil {
		r.fail(column, err.Error())
	}
	return m
}

func (r *record) mode(column string) crossbar.Mode {
	m, ok := crossbar.ParseMode(r.text(column))
	if !ok {
		r.fail(column, fmt.Sprintf("%q is no shuffle", r.text(column)))
	}
	return m
}

// spaced writes the values of all lanes as the recordings do.
func spaced[T any](values []T, format string) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, format, v)
	}
	return b.String()
}
