package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// A report prints what the checks find and counts it up.
type report struct {
	out, err         io.Writer
	rows, mismatches int
	failed           bool // something other than a mismatch went wrong
	files            []checked
}

// A checked file is what -json says of it.
type checked struct {
	Name       string `json:"name"`
	State      string `json:"state"` // checked, or why not
	Rows       int    `json:"rows"`
	Mismatches int    `json:"mismatches"`
	Malformed  int    `json:"malformed"`
	First      string `json:"firstMismatch,omitempty"`
}

// file checks one file and prints its line.
func (r *report) file(l layer, files fs.FS, file string, skip bool) {
	name := baseName(file)
	line := func(text string) { fmt.Fprintf(r.out, "%-22s %s\n", name, text) }
	leave := func(state, text string) {
		line(text)
		r.files = append(r.files, checked{Name: name, State: state})
	}
	if skip {
		leave("skipped", "skipped")
		return
	}
	if slices.Contains(kernels, name) && l.machine() == nil {
		leave("not asked", "not asked: a kernel, which needs the engine")
		return
	}
	c := lookup(name)
	if c == nil || file == name {
		leave("unknown", "unknown")
		r.fail("%s: no check for this file; -skip %s passes over it", file, name)
		return
	}
	f, err := files.Open(file)
	if err != nil {
		leave("unreadable", "unreadable")
		r.fail("%v", err)
		return
	}
	defer f.Close()
	t, err := readTable(file, f)
	if err == nil {
		err = t.require(c.columns)
	}
	if t == nil || errors.Is(err, errColumns) {
		leave("unreadable", "unreadable")
		r.fail("%v", err)
		return
	}
	o := check(c, l, t)
	if err != nil { // what was read of a damaged file is checked all the same
		o.malformed = append(o.malformed, err)
	}
	r.rows += o.rows
	r.mismatches += o.mismatches
	text := fmt.Sprintf("rows=%-6d mismatches=%d", o.rows, o.mismatches)
	if len(o.malformed) > 0 {
		text += fmt.Sprintf(" malformed=%d", len(o.malformed))
	}
	if s := l.remark(name); s != "" {
		text += " (" + s + ")"
	}
	line(text)
	r.files = append(r.files, checked{name, "checked", o.rows, o.mismatches, len(o.malformed), o.first})
	if o.rows == 0 && len(o.malformed) == 0 {
		r.fail("%s: no rows", file)
	}
	if o.mismatches > 0 {
		fmt.Fprint(r.out, o.first)
	}
	if n := len(o.malformed); n > 0 {
		r.fail("%v", o.malformed[0])
		if n > 1 {
			r.fail("%s: %d more like this", file, n-1)
		}
	}
}

func (r *report) fail(format string, args ...any) {
	r.failed = true
	fmt.Fprintf(r.err, "conformance: "+format+"\n", args...)
}

// An outcome is what the check of one file found.
type outcome struct {
	rows, mismatches int
	malformed        []error
	first            string // the first mismatch in full
}

// check runs a checker over all rows of a table. A row that cannot be read is
// no row.
func check(c *checker, l layer, t *table) outcome {
	var o outcome
	for i := range t.rows {
		rec := &record{table: t, row: &t.rows[i]}
		results, err := c.run(l, rec)
		if rec.err != nil {
			err = rec.err
			o.malformed = append(o.malformed, err)
			continue
		}
		o.rows++
		if err != nil {
			results = append(results, result{"error", "none", err.Error()})
		}
		if text := mismatch(rec, results); text != "" {
			o.mismatches++
			if o.first == "" {
				o.first = text
			}
		}
	}
	return o
}

// mismatch describes the row and every result that is not as recorded; it is
// empty if all are.
func mismatch(rec *record, results []result) string {
	var b strings.Builder
	for _, res := range results {
		if res.want == res.got {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "  first mismatch: %s:%d\n", rec.table.file, rec.row.line)
			for i, name := range rec.table.columns {
				fmt.Fprintf(&b, "    %s = %s\n", name, rec.row.cells[i])
			}
		}
		fmt.Fprintf(&b, "    want %s: %s\n     got %s: %s\n", res.what, res.want, res.what, res.got)
	}
	return b.String()
}
