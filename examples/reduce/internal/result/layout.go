package result

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/table"
)

// writeDevice writes the table of one device, the fewest cycles first and what
// cannot win last.
func writeDevice(w io.Writer, outcomes []Outcome) error {
	var ran []Outcome
	for _, o := range outcomes {
		if o.Ran() {
			ran = append(ran, o)
		}
	}
	slices.SortStableFunc(ran, func(a, b Outcome) int {
		switch {
		case !a.competes() && b.competes():
			return 1
		case a.competes() && !b.competes():
			return -1
		}
		return cmp.Or(cmp.Compare(a.Cycles, b.Cycles), cmp.Compare(a.Instructions, b.Instructions))
	})
	if len(ran) > 0 {
		best, _ := winner(outcomes, ran[0].Device)
		t := table.Table{Right: []bool{false, false, true, true, true, true, true, true, true, false}}
		t.Add("", "algorithm", "result", "error", "instr.", "cycles", "us", "to best", "conflicts", "cycles went into")
		for _, o := range ran {
			mark := ""
			if o.Winner {
				mark = "*"
			}
			t.Add(mark, o.Algorithm, o.Result, o.Error.Brief(), message.Thousands(o.Instructions), message.Thousands(o.Cycles),
				timeText(o), ratio(o, best), message.Thousands(o.BankConflicts), stallText(o.Stalls, 2))
		}
		if err := t.Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return writeRemarks(w, outcomes)
}

// timeText is how many microseconds the cycles take, "" if the device has no clock.
func timeText(o Outcome) string {
	if o.Microseconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", o.Microseconds)
}

// ratio says how many times the cycles of the best an outcome took.
func ratio(o Outcome, best *Outcome) string {
	if best == nil || best.Cycles == 0 || !o.competes() {
		return ""
	}
	return fmt.Sprintf("%.2fx", float64(o.Cycles)/float64(best.Cycles))
}

// stallText names the largest shares, at most so many, of those above half a
// percent.
func stallText(stalls []Share, most int) string {
	sorted := slices.Clone(stalls)
	slices.SortStableFunc(sorted, func(a, b Share) int { return cmp.Compare(b.Fraction, a.Fraction) })
	var parts []string
	for _, s := range sorted {
		if len(parts) == most || s.Fraction < 0.005 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %.0f%%", s.Reason, 100*s.Fraction))
	}
	return strings.Join(parts, ", ")
}

// A figure is one of the tables of writeSideBySide.
type figure struct {
	title string
	cell  func(Outcome) string
	// usual is a cell that needs no showing: rows of nothing else are left out.
	usual string
}

var figures = []figure{
	{"cycles (* fewest on the device)", func(o Outcome) string {
		if o.Winner {
			return "*" + message.Thousands(o.Cycles)
		}
		return message.Thousands(o.Cycles)
	}, ""},
	{"time in us", timeText, ""},
	{"most cycles went into", func(o Outcome) string { return stallText(o.Stalls, 1) }, ""},
	{"instructions", func(o Outcome) string { return message.Thousands(o.Instructions) }, ""},
	{"bank conflicts", func(o Outcome) string { return message.Thousands(o.BankConflicts) }, "0"},
	{"error", func(o Outcome) string { return o.Error.Brief() }, "exact"},
}

// writeSideBySide writes a table of each figure with a column for each device.
func writeSideBySide(w io.Writer, outcomes []Outcome) error {
	devices := devicesOf(outcomes)
	cells := map[[2]string]Outcome{}
	for _, o := range outcomes {
		cells[[2]string{o.Algorithm, o.Device}] = o
	}
	for _, f := range figures {
		t := table.Table{Right: []bool{false}}
		for range devices {
			t.Right = append(t.Right, true)
		}
		t.Add(append([]string{f.title}, devices...)...)
		hidden := false
		for _, algorithm := range algorithmsOf(outcomes) {
			row, shown, ran := []string{"  " + algorithm}, false, false
			for _, device := range devices {
				o, there := cells[[2]string{algorithm, device}]
				cell := "-"
				switch {
				case !there || o.Skipped != "":
				case o.Failed != "":
					cell = "failed"
				default:
					cell, ran = f.cell(o), true
				}
				shown = shown || cell != "-" && cell != f.usual
				row = append(row, cell)
			}
			if shown || ran && f.usual == "" {
				t.Add(row...)
				continue
			}
			hidden = hidden || ran
		}
		switch {
		case len(t.Rows) == 1 && hidden:
			fmt.Fprintf(w, "%s: %s everywhere\n\n", f.title, f.usual)
			continue
		case len(t.Rows) == 1:
			continue
		}
		if err := t.Write(w); err != nil {
			return err
		}
		if hidden {
			fmt.Fprintf(w, "  the others: %s\n", f.usual)
		}
		fmt.Fprintln(w)
	}
	return writeRemarks(w, outcomes)
}
