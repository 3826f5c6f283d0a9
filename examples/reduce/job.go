package main

import (
	"context"
	"encoding/json"
	"io"

	"example.com/warpsim/examples/reduce/internal/input"
	"example.com/warpsim/examples/reduce/internal/number"
	"example.com/warpsim/examples/reduce/internal/result"
)

// A job is one reduction to be simulated.
type job struct {
	Device    string
	Algorithm string
	Op        number.Operator
	Data      input.Data
	Block     int     // threads a block
	Grid      int     // blocks, 0: as many as the engine finds best
	Combine   combine // how the results of blocks become one
	Warm      bool    // the numbers are in the second-level cache already
	Seed      uint64  // draws the schedule, 0: the engine's own
	// Progress may be nil; the engine says how many of its steps are done.
	Progress func(done, total int64)
}

// A choice is a device or an algorithm that can be named on the command line.
type choice struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// A target is a device that was looked up.
type target struct {
	Name     string // its name in Devices, or custom-N
	MaxBlock int    // most threads of a block
}

// An engine simulates reductions.
type engine interface {
	Devices() []choice
	// Lookup finds a device by its name or another usual spelling; an unknown
	// one is an error with near names.
	Lookup(device string) (target, error)
	Algorithms() []choice
	// Reduce runs a job. What does not fit comes back as an outcome with
	// Skipped, a fault of the simulated run with Failed; an error ends the
	// program.
	Reduce(ctx context.Context, j job) (result.Outcome, error)
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
