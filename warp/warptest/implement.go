package warptest

import "fmt"

// A MismatchError is the first thing in which an implementation differs from what it has
// to do.
type MismatchError struct {
	What      string // which operation, on how many lanes, with which operands
	Lane      int    // -1 if it is about no lane
	Want, Got string
}

func (e *MismatchError) Error() string {
	if e.Lane < 0 {
		return fmt.Sprintf("warptest: %s: want %s, got %s", e.What, e.Want, e.Got)
	}
	return fmt.Sprintf("warptest: %s: lane %d: want %s, got %s", e.What, e.Lane, e.Want, e.Got)
}

// differs returns a *MismatchError about no lane, nil if the two are the same.
func differs[T comparable](what string, want, got T) error {
	if want == got {
		return nil
	}
	return &MismatchError{what, -1, fmt.Sprint(want), fmt.Sprint(got)}
}
