package crossbar

import (
	"errors"
	"fmt"

	"example.com/warpsim/lane"
)

// Reasons a number of lanes or a width is refused; match them with errors.Is.
var (
	ErrLanes          = errors.New("number of lanes is not a power of two from 1 to 128")
	ErrWidthZero      = errors.New("width is zero or negative")
	ErrWidthPower     = errors.New("width is not a power of two")
	ErrWidthAboveWarp = errors.New("width is above the warp")
)

// A WidthError tells why a shuffle of a given width is not defined on a warp.
// It unwraps to one of the Err values of this package.
type WidthError struct {
	Lanes, Width int
	Reason       error
}

func (e *WidthError) Error() string {
	if errors.Is(e.Reason, ErrLanes) {
		return fmt.Sprintf("crossbar: warp of %d lanes: %v", e.Lanes, e.Reason)
	}
	return fmt.Sprintf("crossbar: shuffle width %d on %d lanes: %v; use a power of two from 1 to %d",
		e.Width, e.Lanes, e.Reason, e.Lanes)
}

// Unwrap returns the reason.
func (e *WidthError) Unwrap() error { return e.Reason }

// Validate returns nil if a shuffle of the given width is defined on a warp of
// the given number of lanes: both are powers of two and 1 <= width <= lanes <=
// 128. Otherwise it returns a *WidthError.
func Validate(lanes, width int) error {
	switch {
	case lanes < 1 || lanes > lane.MaxLanes || lanes&(lanes-1) != 0:
		return &WidthError{lanes, width, ErrLanes}
	case width <= 0:
		return &WidthError{lanes, width, ErrWidthZero}
	case width&(width-1) != 0:
		return &WidthError{lanes, width, ErrWidthPower}
	case width > lanes:
		return &WidthError{lanes, width, ErrWidthAboveWarp}
	}
	return nil
}
