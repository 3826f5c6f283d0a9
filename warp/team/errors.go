package team

import (
	"errors"
	"strings"
)

// What an Error is about, for errors.Is.
var (
	ErrWidth     = errors.New("width of a group")
	ErrValid     = errors.New("number of valid items")
	ErrActive    = errors.New("active lanes")
	ErrIdentity  = errors.New("operator without identity")
	ErrOrder     = errors.New("operator that does not commute")
	ErrRedux     = errors.New("no such hardware reduction")
	ErrRoute     = errors.New("no such way between lanes")
	ErrAtomic    = errors.New("no such atomic")
	ErrStorage   = errors.New("shared memory of an algorithm")
	ErrShape     = errors.New("shape of a launch")
	ErrAlgorithm = errors.New("algorithm")
	ErrFlags     = errors.New("segment flags")
	ErrItems     = errors.New("items")
	ErrMatch     = errors.New("no match instruction") // the device cannot compare values across a warp
)

// An Error says why a collective cannot be done as asked. It matches one of the
// Err values with errors.Is.
type Error struct {
	Algorithm string // the algorithm's name, empty if none was reached
	Kind      error  // one of the Err values
	Detail    string // what was given, and what there is
	Advice    string // what to do
}

// Error returns the error in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("reduce")
	if e.Algorithm != "" {
		b.WriteString(" " + e.Algorithm)
	}
	if e.Kind != nil {
		b.WriteString(": " + e.Kind.Error())
	}
	b.WriteString(": " + e.Detail)
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap returns the kind of the error.
func (e *Error) Unwrap() error { return e.Kind }

// NoDevice returns the error of an algorithm that is asked whether it fits a nil
// profile: of kind ErrShape, as there is nothing to fit.
func NoDevice(algorithm string) error {
	return &Error{algorithm, ErrShape, "no device: the profile is nil", "get one with device.Lookup"}
}
