package warp

import (
	"fmt"
	"strings"
)

// Error returns the fault in one line: where, who, what, and what to do.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: block %d warp %d", f.Site, f.Kind.Error(), f.Block, f.Warp)
	if !f.Lanes.Empty() {
		fmt.Fprintf(&b, " lanes %s (0x%s)", f.Lanes.Ranges(), f.Lanes.Hex(f.Width))
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	if f.Advice != "" {
		b.WriteString("; " + f.Advice)
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, " (%d times)", f.Count)
	}
	return b.String()
}

// Explain returns the fault in several lines for people: what and where, who, what
// happened, the rule, and what to do. The last line has no newline.
func (f *Fault) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)", f.Site, f.Kind.Error(), f.Severity)
	fmt.Fprintf(&b, "\n  who:   block %d warp %d", f.Block, f.Warp)
	if !f.Lanes.Empty() {
		fmt.Fprintf(&b, " lanes %s (0x%s)", f.Lanes.Ranges(), f.Lanes.Hex(f.Width))
	}
	if !f.Mask.Empty() {
		fmt.Fprintf(&b, ", mask 0x%s", f.Mask.Hex(f.Width))
	}
	if !f.Missing.Empty() {
		fmt.Fprintf(&b, ", without lanes %s (0x%s)", f.Missing.Ranges(), f.Missing.Hex(f.Width))
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, ", %d times", f.Count)
	}
	for _, line := range []struct{ head, text string }{
		{"what:  ", f.Detail}, {"rule:  ", f.Kind.Rule()}, {"to do: ", f.Advice},
	} {
		if line.text != "" {
			fmt.Fprintf(&b, "\n  %s%s", line.head, line.text)
		}
	}
	return b.String()
}
