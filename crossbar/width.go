package crossbar

import (
	"fmt"

	"example.com/warpsim/lane"
)

// A WidthError tells why a shuffle of a given width is not defined on a warp.
type WidthError struct {
	Lanes, Width int
	Reason       string
}

func (e *WidthError) Error() string {
	if !goodLanes(e.Lanes) {
		return fmt.Sprintf("crossbar: warp of %d lanes: %s", e.Lanes, e.Reason)
	}
	return fmt.Sprintf("crossbar: shuffle width %d on %d lanes: %s; use a power of two from 1 to %d",
		e.Width, e.Lanes, e.Reason, e.Lanes)
}

func goodLanes(n int) bool { return n >= 1 && n <= lane.MaxLanes && n&(n-1) == 0 }

// Validate returns nil if a shuffle of the given width is defined on a warp of
// the given number of lanes: both are powers of two and 1 <= width <= lanes <=
// 128. Otherwise it returns a *WidthError.
func Validate(lanes, width int) error {
	switch {
	case !goodLanes(lanes):
		return &WidthError{lanes, width, "number of lanes is not a power of two from 1 to 128"}
	case width <= 0:
		return &WidthError{lanes, width, "width is zero or negative"}
	case width&(width-1) != 0:
		return &WidthError{lanes, width, "width is not a power of two"}
	case width > lanes:
		return &WidthError{lanes, width, "width is above the warp"}
	}
	return nil
}
