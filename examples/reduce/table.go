package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A table is rows of cells, written in columns as wide as their widest cell.
type table struct {
	right []bool // columns that are aligned to the right
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) error {
	var width []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i < len(t.right) && t.right[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// writeDevice writes the table of one device and its winner.
func writeDevice(w io.Writer, outcomes []outcome) error {
	t := table{right: []bool{false, false, true, false, true, true, true, false}}
	t.add("", "algorithm", "result", "error", "instructions", "cycles", "conflicts", "cycles went into")
	for _, o := range outcomes {
		if !o.ran() {
			continue
		}
		mark := ""
		if o.Winner {
			mark = "*"
		}
		t.add(mark, o.Algorithm, o.Result, o.Error.String(), thousands(o.Instructions),
			thousands(o.Cycles), thousands(o.BankConflicts), stallText(o.Stalls))
	}
	if len(t.rows) > 1 {
		if err := t.write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, o := range outcomes {
		writeRemarks(w, o.Algorithm, o)
	}
	for _, device := range devicesOf(outcomes) {
		fmt.Fprintln(w, winnerText(outcomes, device))
	}
	return nil
}

func writeRemarks(w io.Writer, name string, o outcome) {
	switch {
	case o.Failed != "":
		fmt.Fprintf(w, "%s failed: %s\n", name, o.Failed)
	case o.Skipped != "":
		fmt.Fprintf(w, "%s left out: %s\n", name, o.Skipped)
	case o.Note != "":
		fmt.Fprintf(w, "%s: %s\n", name, o.Note)
	}
}

func winnerText(outcomes []outcome, device string) string {
	first, second := winner(outcomes, device)
	switch {
	case first == nil:
		return "no winner: no algorithm gave a right result"
	case second == nil:
		return fmt.Sprintf("winner: %s (the only one to compare)", first.Algorithm)
	case first.Cycles == second.Cycles:
		return fmt.Sprintf("winner: %s, as many cycles as %s, %s against %s instructions",
			first.Algorithm, second.Algorithm, thousands(first.Instructions), thousands(second.Instructions))
	}
	return fmt.Sprintf("winner: %s, %.2f times as fast as %s, the next", first.Algorithm,
		float64(second.Cycles)/float64(first.Cycles), second.Algorithm)
}

// stallText names the three largest shares, of those above half a percent.
func stallText(stalls []share) string {
	const most = 3
	sorted := slices.Clone(stalls)
	slices.SortStableFunc(sorted, func(a, b share) int { return cmp.Compare(b.Fraction, a.Fraction) })
	var parts []string
	for _, s := range sorted {
		if len(parts) == most || s.Fraction < 0.005 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %.0f%%", s.Reason, 100*s.Fraction))
	}
	return strings.Join(parts, ", ")
}

// writeSideBySide writes a table of cycles and one of errors with a column for
// each device.
func writeSideBySide(w io.Writer, outcomes []outcome) error {
	devices := devicesOf(outcomes)
	cells := map[[2]string]outcome{}
	for _, o := range outcomes {
		cells[[2]string{o.Algorithm, o.Device}] = o
	}
	for _, part := range []struct {
		title string
		cell  func(outcome) string
	}{
		{"cycles (* fewest on the device)", func(o outcome) string {
			if o.Winner {
				return "*" + thousands(o.Cycles)
			}
			return thousands(o.Cycles)
		}},
		{"instructions", func(o outcome) string { return thousands(o.Instructions) }},
		{"bank conflicts", func(o outcome) string { return thousands(o.BankConflicts) }},
		{"most cycles went into", func(o outcome) string {
			first, _, _ := strings.Cut(stallText(o.Stalls), ",")
			return first
		}},
		{"error", func(o outcome) string {
			short, _, _ := strings.Cut(o.Error.String(), ",")
			return short
		}},
	} {
		t := table{right: []bool{false}}
		t.add(append([]string{part.title}, devices...)...)
		for _, algorithm := range algorithmsOf(outcomes) {
			row := []string{"  " + algorithm}
			for _, device := range devices {
				o, there := cells[[2]string{algorithm, device}]
				switch {
				case !there || o.Skipped != "":
					row = append(row, "-")
				case o.Failed != "":
					row = append(row, "failed")
				default:
					row = append(row, part.cell(o))
				}
			}
			t.add(row...)
		}
		for range devices {
			t.right = append(t.right, true)
		}
		if err := t.write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, o := range outcomes {
		if o.Skipped == "" {
			writeRemarks(w, o.Algorithm+" on "+o.Device, o)
		}
	}
	for _, why := range skippedReasons(outcomes) {
		fmt.Fprintln(w, why)
	}
	for _, device := range devices {
		fmt.Fprintf(w, "%s: %s\n", device, winnerText(outcomes, device))
	}
	return nil
}

// skippedReasons says each reason once, with the devices it applies to.
func skippedReasons(outcomes []outcome) []string {
	type key struct{ algorithm, reason string }
	var keys []key
	devices := map[key][]string{}
	for _, o := range outcomes {
		if o.Skipped == "" {
			continue
		}
		k := key{o.Algorithm, o.Skipped}
		if devices[k] == nil {
			keys = append(keys, k)
		}
		devices[k] = append(devices[k], o.Device)
	}
	var lines []string
	for _, k := range keys {
		lines = append(lines, fmt.Sprintf("%s left out on %s: %s", k.algorithm, strings.Join(devices[k], ", "), k.reason))
	}
	return lines
}
