package sass

import (
	"fmt"
	"strings"
)

// An Error is what is wrong with one place of a listing.
type Error struct {
	Function string // "" before the first
	Address  int    // of the instruction, -1 if it is none
	Line     int    // of the text, from 1; 0 if it is none
	Text     string // the instruction or line
	Reason   string // what is wrong, and what to do
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("sass: ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Function != "" {
		b.WriteString(e.Function + ": ")
	}
	if e.Address >= 0 {
		fmt.Fprintf(&b, "%#04x ", e.Address)
	}
	if e.Text != "" {
		fmt.Fprintf(&b, "%q: ", e.Text)
	}
	return b.String() + e.Reason
}

// Errors are all the errors of a listing or a function.
type Errors []*Error

// shown is how many errors are written out.
const shown = 20

func (e Errors) Error() string {
	var b strings.Builder
	for i, x := range e {
		if i == shown {
			fmt.Fprintf(&b, "\nand %d more", len(e)-shown)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(x.Error())
	}
	return b.String()
}

// Unwrap returns the errors one by one.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, x := range e {
		out[i] = x
	}
	return out
}

// orNil returns the errors as an error, nil if there are none.
func (e Errors) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// An ArgumentError is an argument of a launch that does not fit.
type ArgumentError struct {
	What   string // such as "argument 3"
	Value  string
	Reason string // why it cannot be, and what to do
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("sass: %s = %s: %s", e.What, e.Value, e.Reason)
}
