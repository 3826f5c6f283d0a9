// Package result keeps what a sweep has run, so that it can be taken up again, and
// writes its tables as CSV, JSON Lines and Parquet.
package result

import "fmt"

// A Row is one point and what became of it.
type Row struct {
	Point        int64     `json:"point"`
	Device       string    `json:"device"`
	Kernel       string    `json:"kernel"`
	Type         string    `json:"type"`
	Size         int64     `json:"size"`
	Seed         int64     `json:"seed"`
	Repetition   int64     `json:"repetition"`
	Values       []float64 `json:"values,omitempty"` // of the sweep's numbers
	Varied       int       `json:"varied"`
	Lanes        int64     `json:"lanes,omitempty"`
	Cycles       int64     `json:"cycles"`
	Instructions int64     `json:"instructions"`
	Conflicts    int64     `json:"conflicts"`
	Cost         float64   `json:"cost"`
	Result       string    `json:"result,omitempty"`
	Evidence     string    `json:"evidence,omitempty"`
	// Error is why the point has no figures; empty if it has.
	Error string `json:"error,omitempty"`
}

// An Error says what is wrong with the output, and where.
type Error struct {
	Path string
	What string
	Fix  string
	Err  error // the cause, if another package found it
}

// Error returns one line with everything that the error knows.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s; %s", e.Path, e.What, e.Fix) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrote says that a file could not be written.
func wrote(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: path, What: "cannot be written: " + cause(err), Err: err,
		Fix: "nothing that was done is lost: make room or mend it, then go on with -resume"}
}

// RowColumns are the columns of rows in a sweep with these numbers.
func RowColumns(numbers []string) []Column {
	columns := []Column{{"point", Whole}, {"device", Text}, {"kernel", Text}, {"type", Text}, {"size", Whole}, {"seed", Whole}, {"repetition", Whole}}
	for _, n := range numbers {
		columns = append(columns, Column{n, Real})
	}
	return append(columns, Column{"lanes", Whole}, Column{"cycles", Whole}, Column{"instructions", Whole}, Column{"conflicts", Whole},
		Column{"cost", Real}, Column{"result", Text}, Column{"evidence", Text}, Column{"error", Text})
}

// Cells returns the row in the order of [RowColumns]; what it does not have is nil.
func (r *Row) Cells() []any {
	cells := []any{r.Point, r.Device, r.Kernel, r.Type, r.Size, r.Seed, r.Repetition}
	for _, v := range r.Values {
		cells = append(cells, v)
	}
	if r.Error != "" {
		return append(cells, nil, nil, nil, nil, nil, nil, nil, r.Error)
	}
	return append(cells, r.Lanes, r.Cycles, r.Instructions, r.Conflicts, r.Cost, r.Result, r.Evidence, nil)
}
