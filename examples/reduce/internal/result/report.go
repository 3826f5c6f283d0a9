package result

import (
	"encoding/json"
	"fmt"
	"io"

	"example.com/warpsim/examples/reduce/internal/exact"
	"example.com/warpsim/examples/reduce/internal/input"
	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// A report is everything one run of the program found out.
type report struct {
	Data     input.Data
	Op       number.Operator
	Exact    string // exact result, or NaN or an infinity
	Value    string // what the element type makes of it
	Text     string // both in words
	Outcomes []Outcome
}

func NewReport(op number.Operator, d input.Data) report {
	r := report{Data: d, Op: op}
	switch v := d.Values.(type) {
	case []int32:
		describe(&r, exact.Reduce(op, v))
	case []uint32:
		describe(&r, exact.Reduce(op, v))
	case []int64:
		describe(&r, exact.Reduce(op, v))
	case []uint64:
		describe(&r, exact.Reduce(op, v))
	case []float32:
		describe(&r, exact.Reduce(op, v))
	case []float64:
		describe(&r, exact.Reduce(op, v))
	}
	return r
}

func describe[T number.Element](r *report, ref exact.Reference[T]) {
	r.Text = ref.String()
	r.Value = exact.Format(ref.Value)
	r.Exact = r.Value
	if ref.Exact != nil {
		r.Exact = exact.Text(ref.Exact, ref.Kind)
	}
}

// WriteHead writes what is known before the first algorithm has run.
func (r report) WriteHead(w io.Writer) {
	fmt.Fprintf(w, "data: %v\n", r.Data)
	if r.Data.About != "" {
		fmt.Fprintf(w, "      %s\n", r.Data.About)
	}
	if s := r.Data.Specials(); s != "" {
		fmt.Fprintf(w, "      %s\n", s)
	}
	fmt.Fprintf(w, "exact %v: %s\n", r.Op, r.Text)
}

// WriteText writes the outcomes for people.
func (r report) WriteText(w io.Writer) error {
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
func sizes(outcomes []Outcome) string {
	grid, block := 0, 0
	for _, o := range outcomes {
		if !o.Ran() {
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
	return fmt.Sprintf("%s of %s", message.Plural(grid, "block"), message.Plural(block, "thread"))
}

// WriteJSON writes the report as one JSON object.
func (r report) WriteJSON(w io.Writer) error {
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
		Outcomes []Outcome `json:"outcomes"`
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
