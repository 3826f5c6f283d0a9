// Package result is what the runs gave: outcomes, winners, and the report of
// them as tables or JSON.
package result

import (
	"slices"

	"example.com/warpsim/examples/reduce/internal/exact"
)

// An Outcome is what one algorithm did on one device.
type Outcome struct {
	Device    string `json:"device"`
	Algorithm string `json:"algorithm"`
	Grid      int    `json:"grid"`  // blocks that ran
	Block     int    `json:"block"` // threads in each

	Result        string          `json:"result"`
	Error         exact.Deviation `json:"error"`
	Instructions  int64           `json:"instructions"` // of warps
	Cycles        int64           `json:"cycles"`
	Microseconds  float64         `json:"microseconds"` // by the device's clock, 0 if it has none
	Stalls        []Share         `json:"stalls"`       // what the cycles went into
	BankConflicts int64           `json:"bank_conflicts"`
	Note          string          `json:"note,omitempty"`
	// Evidence says how the numbers of the device are known that the figures
	// rest on: measured, published, estimated.
	Evidence string `json:"evidence,omitempty"`
	Winner   bool   `json:"winner"`

	// Skipped says why the algorithm does not fit the device, the type or the
	// operator; Failed, why it stopped. Either leaves the figures empty.
	Skipped string `json:"skipped,omitempty"`
	Failed  string `json:"failed,omitempty"`
}

// Ran reports whether there are figures.
func (o Outcome) Ran() bool { return o.Skipped == "" && o.Failed == "" }

// competes reports whether the outcome may win: wrong results and sums that
// overflowed on the way do not.
func (o Outcome) competes() bool { return o.Ran() && !o.Error.Wrong && !o.Error.Overflowed() }

// A Share is a part of the cycles and its cause.
type Share struct {
	Reason   string  `json:"reason"`
	Fraction float64 `json:"fraction"` // of all cycles, 0 to 1
}

// MarkWinners marks on each device the outcome with the fewest cycles, among
// equals the one with fewer instructions, then the earlier.
func MarkWinners(outcomes []Outcome) {
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

func faster(a, b Outcome) bool {
	if a.Cycles != b.Cycles {
		return a.Cycles < b.Cycles
	}
	return a.Instructions < b.Instructions
}

// winner returns the winner of a device and the next best, if there is one.
func winner(outcomes []Outcome, device string) (first, second *Outcome) {
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
func devicesOf(outcomes []Outcome) []string {
	return distinct(outcomes, func(o Outcome) string { return o.Device })
}

func algorithmsOf(outcomes []Outcome) []string {
	return distinct(outcomes, func(o Outcome) string { return o.Algorithm })
}

func distinct(outcomes []Outcome, name func(Outcome) string) []string {
	var names []string
	for _, o := range outcomes {
		if n := name(o); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
