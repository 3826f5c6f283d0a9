package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// A report is everything one run of the program found out.
type report struct {
	Data     dataset
	Op       operator
	Exact    string // exact result, or NaN or an infinity
	Value    string // what the element type makes of it
	Text     string // both in words
	Outcomes []outcome
}

func newReport(op operator, d dataset) report {
	r := report{Data: d, Op: op}
	switch v := d.Values.(type) {
	case []int32:
		describe(&r, exactly(op, v))
	case []uint32:
		describe(&r, exactly(op, v))
	case []int64:
		describe(&r, exactly(op, v))
	case []uint64:
		describe(&r, exactly(op, v))
	case []float32:
		describe(&r, exactly(op, v))
	case []float64:
		describe(&r, exactly(op, v))
	}
	return r
}

func describe[T element](r *report, ref reference[T]) {
	r.Text = ref.String()
	r.Value = formatElement(ref.Value)
	r.Exact = r.Value
	if ref.Exact != nil {
		r.Exact = exactText(ref.Exact, ref.Kind)
	}
}

// writeHead writes what is known before the first algorithm has run.
func (r report) writeHead(w io.Writer) {
	fmt.Fprintf(w, "data: %v\n", r.Data)
	if r.Data.About != "" {
		fmt.Fprintf(w, "      %s\n", r.Data.About)
	}
	if s := r.Data.specials(); s != "" {
		fmt.Fprintf(w, "      %s\n", s)
	}
	fmt.Fprintf(w, "exact %v: %s\n", r.Op, r.Text)
}

// writeText writes the outcomes for people.
func (r report) writeText(w io.Writer) error {
	devices := devicesOf(r.Outcomes)
	if len(devices) > 1 {
		fmt.Fprintf(w, "on %d devices: %s\n\n", len(devices), sizes(r.Outcomes))
		return writeSideBySide(w, r.Outcomes)
	}
	for _, device := range devices {
		fmt.Fprintf(w, "on %s: %s\n\n", device, sizes(r.Outcomes))
	}
	return writeDevice(w, r.Outcomes)
}

// sizes names the grid if it is the same everywhere.
func sizes(outcomes []outcome) string {
	grid, block := 0, 0
	for _, o := range outcomes {
		if !o.ran() {
			continue
		}
		if grid != 0 && (grid != o.Grid || block != o.Block) {
			return "grids of different sizes"
		}
		grid, block = o.Grid, o.Block
	}
	if grid == 0 {
		return "nothing ran"
	}
	return fmt.Sprintf("%s of %s", plural(grid, "block"), plural(block, "thread"))
}

// writeJSON writes the report as one JSON object.
func (r report) writeJSON(w io.Writer) error {
	type data struct {
		Source string `json:"source"`
		Column string `json:"column,omitempty"`
		Type   string `json:"type"`
		Guess  string `json:"guess,omitempty"`
		Count  int    `json:"count"`
		NaN    int    `json:"nan"`
		PosInf int    `json:"positive_infinity"`
		NegInf int    `json:"negative_infinity"`
	}
	out := struct {
		Data     data      `json:"data"`
		Op       string    `json:"op"`
		Exact    string    `json:"exact"`
		Value    string    `json:"value"`
		Outcomes []outcome `json:"outcomes"`
	}{
		Data: data{
			r.Data.Source, r.Data.Column, r.Data.Kind.String(), r.Data.Guess,
			r.Data.Count, r.Data.NaN, r.Data.PosInf, r.Data.NegInf,
		},
		Op: r.Op.String(), Exact: r.Exact, Value: r.Value, Outcomes: r.Outcomes,
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// writeListJSON writes what can be named on the command line.
func writeListJSON(w io.Writer, devices, algorithms []choice) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Devices    []choice `json:"devices"`
		Algorithms []choice `json:"algorithms"`
	}{devices, algorithms})
}
