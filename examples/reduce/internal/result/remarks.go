package result

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/warpsim/examples/reduce/internal/message"
)

// pageWidth is where remarks are wrapped.
const pageWidth = 100

// writeRemarks writes what there is to say below the tables: failures, what was
// left out, notes, and the winner of each device with what its figures rest on.
func writeRemarks(w io.Writer, outcomes []Outcome) error {
	devices := devicesOf(outcomes)
	var lines []string
	for _, o := range outcomes {
		if o.Failed != "" {
			lines = append(lines, fmt.Sprintf("%s failed: %s", where(o.Algorithm, []string{o.Device}, nil, len(devices)), o.Failed))
		}
	}
	for _, g := range groupRemarks(outcomes, func(o Outcome) string { return o.Skipped }) {
		lines = append(lines, fmt.Sprintf("left out: %s: %s", where(g.algorithms, g.devices, devices, len(devices)), g.text))
	}
	for _, g := range groupRemarks(outcomes, func(o Outcome) string { return o.Note }) {
		lines = append(lines, fmt.Sprintf("%s: %s", where(g.algorithms, g.devices, devices, len(devices)), g.text))
	}
	for _, device := range devices {
		name := ""
		if len(devices) > 1 {
			name = device + ": "
		}
		lines = append(lines, name+winnerText(outcomes, device))
		if first, _ := winner(outcomes, device); first != nil && first.Evidence != "" {
			lines = append(lines, fmt.Sprintf("  its cycles rest on %s", first.Evidence))
		}
	}
	for _, line := range lines {
		if _, err := io.WriteString(w, wrap(line, pageWidth)); err != nil {
			return err
		}
	}
	return nil
}

// where names algorithms, and their devices if there are several in all.
func where(algorithms string, devices, all []string, count int) string {
	switch {
	case count == 1:
		return algorithms
	case slices.Equal(devices, all):
		return algorithms + " on all devices"
	}
	return algorithms + " on " + strings.Join(devices, ", ")
}

// A remark is a text that several outcomes share.
type remark struct {
	text, algorithms string
	devices          []string
}

// groupRemarks returns each text once, with the algorithms that have it on the
// same devices.
func groupRemarks(outcomes []Outcome, text func(Outcome) string) []remark {
	var found []remark // one an algorithm and text
	for _, o := range outcomes {
		if text(o) == "" {
			continue
		}
		i := slices.IndexFunc(found, func(r remark) bool { return r.text == text(o) && r.algorithms == o.Algorithm })
		if i < 0 {
			found = append(found, remark{text: text(o), algorithms: o.Algorithm, devices: []string{o.Device}})
			continue
		}
		found[i].devices = append(found[i].devices, o.Device)
	}
	var merged []remark
	for _, r := range found {
		i := slices.IndexFunc(merged, func(m remark) bool { return m.text == r.text && slices.Equal(m.devices, r.devices) })
		if i < 0 {
			merged = append(merged, r)
			continue
		}
		merged[i].algorithms += ", " + r.algorithms
	}
	return merged
}

func winnerText(outcomes []Outcome, device string) string {
	first, second := winner(outcomes, device)
	switch {
	case first == nil:
		return "no winner: no algorithm gave a right result"
	case second == nil:
		return fmt.Sprintf("winner: %s (the only one to compare)", first.Algorithm)
	case first.Cycles == second.Cycles && first.Instructions == second.Instructions:
		return fmt.Sprintf("winner: %s, level with %s", first.Algorithm, second.Algorithm)
	case first.Cycles == second.Cycles:
		return fmt.Sprintf("winner: %s, as many cycles as %s, %s against %s instructions",
			first.Algorithm, second.Algorithm, message.Thousands(first.Instructions), message.Thousands(second.Instructions))
	}
	return fmt.Sprintf("winner: %s, %.2f times as fast as %s, the next", first.Algorithm,
		float64(second.Cycles)/float64(first.Cycles), second.Algorithm)
}

// wrap breaks a line at spaces so that no line is wider, if words allow;
// continuation lines are indented by two spaces. It ends in a newline.
func wrap(line string, width int) string {
	const indent = "  "
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(line, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String() + "\n"
}
