package input

import (
	"fmt"
	"strconv"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// A position is where a number stands in the input; line and column (in bytes)
// count from 1.
type position struct {
	Source       string
	Line, Column int
}

func (p position) String() string {
	return fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
}

// A numberError says which text is no number of the wanted kind, and where.
// It matches the reason with errors.Is.
type numberError struct {
	position
	Text   string
	Kind   number.Kind // number.Any if every kind would have done
	Reason error
	Hint   string
}

func (e *numberError) Error() string {
	var what string
	text := strconv.Quote(message.Shorten(e.Text))
	switch {
	case e.Reason == number.ErrMissing:
		what = "a number is missing here"
	case e.Reason == number.ErrRange && e.Kind == number.Any:
		what = fmt.Sprintf("%s is out of the range of every type, f64 too (%s)", text, number.F64.Limits())
	case e.Reason == number.ErrRange:
		what = fmt.Sprintf("%s is out of the range of %v (%s)", text, e.Kind, e.Kind.Limits())
	case e.Reason == number.ErrTiny:
		k := e.Kind
		if k == number.Any {
			k = number.F64
		}
		what = fmt.Sprintf("%s is not 0, but %v would read it as 0 (its smallest is %.2g)", text, k, k.Smallest())
	case e.Reason == number.ErrNotInteger:
		what = fmt.Sprintf("%s is not an integer, as type %v needs", text, e.Kind)
	default:
		what = fmt.Sprintf("%s is not a number", text)
	}
	if e.Hint != "" {
		what += "; " + e.Hint
	}
	return e.position.String() + ": " + what
}

func (e *numberError) Unwrap() error { return e.Reason }

// An inputError says that the input as a whole cannot be read.
type inputError struct {
	Source string
	What   string
	Hint   string
	Err    error // the cause, may be nil
}

func (e *inputError) Error() string {
	s := e.Source + ": " + e.What
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *inputError) Unwrap() error { return e.Err }

// An emptyError says that an input holds no number.
type emptyError struct {
	Source   string
	Comments int  // comment lines seen
	Header   bool // it is a CSV file with a header
}

func (e *emptyError) Error() string {
	why := "it is empty"
	switch {
	case e.Header:
		why = "a header and no rows"
	case e.Comments > 0:
		why = fmt.Sprintf("only comments (%s)", message.Plural(e.Comments, "line"))
	}
	return fmt.Sprintf("%s: no numbers in it: %s", e.Source, why)
}

// A rowError says that a row of a CSV file has another number of fields than
// its header.
type rowError struct {
	Source      string
	Line        int
	Got, Header int
}

func (e *rowError) Error() string {
	return fmt.Sprintf("%s:%d: the row has %s, the header has %d", e.Source, e.Line, message.Plural(e.Got, "field"), e.Header)
}
