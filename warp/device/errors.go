package device

import (
	"fmt"
	"strings"

	"example.com/warpsim/lane"
)

// A ProfileError says what is wrong with a device profile, and where.
type ProfileError struct {
	// File is the name that the profile was read under.
	File string
	// Line and Column count from 1, in bytes; 0: the whole profile.
	Line, Column int
	// Path is the field, such as "limits.threadsPerBlock"; empty for malformed
	// JSON.
	Path string
	// What is wrong, and Fix what to do about it.
	What, Fix string
	// Err is the cause, if another package found it.
	Err error
}

// Error returns one line with everything that the error knows.
func (e *ProfileError) Error() string {
	var b strings.Builder
	b.WriteString("device profile")
	if e.File != "" {
		b.WriteString(" " + e.File)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Path != "" {
		b.WriteString(": " + e.Path)
	}
	b.WriteString(": " + e.What)
	if e.Fix != "" {
		b.WriteString("; " + e.Fix)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *ProfileError) Unwrap() error { return e.Err }

// An UnknownDeviceError says that no device has a name.
type UnknownDeviceError struct {
	Name string
	// Near are the known names most like it, best first; Known are all.
	Near, Known []string
}

// Error returns one line with the near names, or all names if none is near.
func (e *UnknownDeviceError) Error() string {
	if len(e.Near) > 0 {
		return fmt.Sprintf("unknown device %q; did you mean %s?", e.Name, strings.Join(e.Near, " or "))
	}
	return fmt.Sprintf("unknown device %q; known are %s and custom-N for N lanes", e.Name, strings.Join(e.Known, ", "))
}

// A WidthError says that a warp cannot have a number of lanes.
type WidthError struct{ Lanes int }

// Error returns one line with the reason.
func (e *WidthError) Error() string {
	switch {
	case e.Lanes < 1:
		return fmt.Sprintf("a warp of %d lanes: it needs at least one lane; use a power of two from 1 to %d", e.Lanes, lane.MaxLanes)
	case e.Lanes > lane.MaxLanes:
		return fmt.Sprintf("a warp of %d lanes: a lane mask holds %d; use a power of two from 1 to %d", e.Lanes, lane.MaxLanes, lane.MaxLanes)
	}
	return fmt.Sprintf("a warp of %d lanes: shuffle segments and butterflies need a power of two; use %d or %d",
		e.Lanes, floorPow2(e.Lanes), 2*floorPow2(e.Lanes))
}

func floorPow2(n int) int {
	p := 1
	for p*2 <= n {
		p *= 2
	}
	return p
}
