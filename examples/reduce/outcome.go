package main

import (
	"context"
	"slices"
)

// A job is one reduction to be simulated.
type job struct {
	Device    string
	Algorithm string
	Op        operator
	Data      dataset
	Block     int     // threads a block
	Grid      int     // blocks, 0: as many as the engine finds best
	Combine   combine // how the results of blocks become one
	Warm      bool    // the numbers are in the second-level cache already
	// Progress may be nil; the engine says how many of its steps are done.
	Progress func(done, total int64)
}

// An outcome is what one algorithm did on one device.
type outcome struct {
	Device    string `json:"device"`
	Algorithm string `json:"algorithm"`
	Grid      int    `json:"grid"`  // blocks that ran
	Block     int    `json:"block"` // threads in each

	Result        string    `json:"result"`
	Error         deviation `json:"error"`
	Instructions  int64     `json:"instructions"` // of warps
	Cycles        int64     `json:"cycles"`
	Stalls        []share   `json:"stalls"` // what the cycles went into
	BankConflicts int64     `json:"bank_conflicts"`
	Note          string    `json:"note,omitempty"`
	// Evidence says how the numbers of the device are known that the figures
	// rest on: measured, published, estimated.
	Evidence string `json:"evidence,omitempty"`
	Winner   bool   `json:"winner"`

	// Skipped says why the algorithm does not fit the device, the type or the
	// operator; Failed, why it stopped. Either leaves the figures empty.
	Skipped string `json:"skipped,omitempty"`
	Failed  string `json:"failed,omitempty"`
}

// ran reports whether there are figures.
func (o outcome) ran() bool { return o.Skipped == "" && o.Failed == "" }

// competes reports whether the outcome may win: wrong results and sums that
// overflowed on the way do not.
func (o outcome) competes() bool { return o.ran() && !o.Error.Wrong && !o.Error.overflowed() }

// A share is a part of the cycles and its cause.
type share struct {
	Reason   string  `json:"reason"`
	Fraction float64 `json:"fraction"` // of all cycles, 0 to 1
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
	Reduce(ctx context.Context, j job) (outcome, error)
}

// markWinners marks on each device the outcome with the fewest cycles, among
// equals the one with fewer instructions, then the earlier.
func markWinners(outcomes []outcome) {
	best := map[string]int{}
	for i, o := range outcomes {
		outcomes[i].Winner = false
		if !o.competes() {
			continue
		}
		w, found := best[o.Device]
		if !found || faster(o, outcomes[w]) {
			best[o.Device] = i
		}
	}
	for _, i := range best {
		outcomes[i].Winner = true
	}
}

func faster(a, b outcome) bool {
	if a.Cycles != b.Cycles {
		return a.Cycles < b.Cycles
	}
	return a.Instructions < b.Instructions
}

// winner returns the winner of a device and the next best, if there is one.
func winner(outcomes []outcome, device string) (first, second *outcome) {
	for i := range outcomes {
		o := &outcomes[i]
		if o.Device != device || !o.competes() {
			continue
		}
		switch {
		case o.Winner:
			first = o
		case second == nil || faster(*o, *second):
			second = o
		}
	}
	return first, second
}

// devicesOf returns the devices in the order they first appear.
func devicesOf(outcomes []outcome) []string {
	return distinct(outcomes, func(o outcome) string { return o.Device })
}

func algorithmsOf(outcomes []outcome) []string {
	return distinct(outcomes, func(o outcome) string { return o.Algorithm })
}

func distinct(outcomes []outcome, name func(outcome) string) []string {
	var names []string
	for _, o := range outcomes {
		if n := name(o); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
