// Package steps writes tables of what every lane of a warp holds after every
// instruction, and which threads it came from.
package steps

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/view/internal/tape"
)

// A Warp is the steps of one warp.
type Warp struct {
	Launch, Block, Warp int
	Steps               []*tape.Step
}

// Warps returns the warps of a tape, in order.
func Warps(t *tape.Tape) []Warp {
	var all []Warp
	at := map[[3]int]int{}
	for i := range t.Steps {
		s := &t.Steps[i]
		k := [3]int{s.Launch, s.Block, s.Warp}
		n, known := at[k]
		if !known {
			n = len(all)
			at[k] = n
			all = append(all, Warp{Launch: s.Launch, Block: s.Block, Warp: s.Warp})
		}
		all[n].Steps = append(all[n].Steps, s)
	}
	slices.SortFunc(all, func(a, b Warp) int { return cmp.Or(a.Launch-b.Launch, a.Block-b.Block, a.Warp-b.Warp) })
	return all
}

// Set returns the threads that lane l's result of a step came from.
func Set(t *tape.Tape, s *tape.Step, l int) []int {
	if l >= len(s.Origins) {
		return nil
	}
	return t.Tracker(s.Launch, s.Block).Threads(s.Origins[l])
}

// Write writes the table. It leaves out instructions that change no register and
// writes lanes alike once; with all it has a line for every lane that an instruction
// changed, with its value.
func Write(w io.Writer, t *tape.Tape, all bool) error {
	var b strings.Builder
	lines := map[string][]string{}
	for _, x := range Warps(t) {
		fmt.Fprintf(&b, "block %d warp %d", x.Block, x.Warp)
		if len(t.Launches) > 1 {
			fmt.Fprintf(&b, " of launch %d", x.Launch)
		}
		lanes := t.Device.Lanes
		fmt.Fprintf(&b, ", %d lanes (l: the lane, t: the thread of the block)\n", lanes)
		skipped := 0
		for _, s := range x.Steps {
			if !s.Changed && s.Addresses == nil {
				skipped++
				continue
			}
			if skipped > 0 {
				fmt.Fprintf(&b, "       (%d that change no register)\n", skipped)
				skipped = 0
			}
			writeStep(&b, t, s, lanes, all, lines)
		}
		if skipped > 0 {
			fmt.Fprintf(&b, "       (%d that change no register)\n", skipped)
		}
		b.WriteString("\n")
	}
	if t.LostSteps > 0 {
		fmt.Fprintf(&b, "%d steps more were not kept\n", t.LostSteps)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeStep(b *strings.Builder, t *tape.Tape, s *tape.Step, lanes int, all bool, lines map[string][]string) {
	head := fmt.Sprintf("%5d  %s", s.Index, s.Instr)
	fmt.Fprintf(b, "%-40s  %s", head, t.Sites[s.Site])
	if text := Text(lines, t, s); text != "" {
		fmt.Fprintf(b, "  %s", text)
	}
	b.WriteString("\n")
	if off := s.Undef.And(s.Active); !off.Empty() && s.Values != nil {
		fmt.Fprintf(b, "       lanes %s: undefined\n", off.Ranges())
	}
	if s.Active.Count() < lanes {
		fmt.Fprintf(b, "       active: %s\n", cmp.Or(s.Active.Ranges(), "none"))
	}
	if s.Values == nil {
		writeSet(b, s)
		return
	}
	base := s.Warp * lanes
	if s.Origins == nil {
		writeValues(b, s, lanes, all)
		return
	}
	set := func(l int) ([]int, bool) {
		if !s.Active.Has(l) || s.Undef.Has(l) {
			return nil, false
		}
		return Set(t, s, l), true
	}
	if all {
		for l := range lanes {
			if x, ok := set(l); ok {
				fmt.Fprintf(b, "       lane %3d: %s = %s\n", l, write(x, base+l, absolute, true), Value(s, l))
			}
		}
		return
	}
	for _, g := range fold(lanes, base, set) {
		name := fmt.Sprintf("lanes %d-%d", g.first, g.last)
		if g.first == g.last {
			name = fmt.Sprintf("lane %d", g.first)
		}
		fmt.Fprintf(b, "       %-14s %-24s = %s\n", name, g.text, valuesOf(s, g.first, g.last))
	}
}

func writeSet(b *strings.Builder, s *tape.Step) {
	dst := s.Instr.Uncoded().Dst
	switch {
	case dst.IsPredicate():
		fmt.Fprintf(b, "       holds in lanes %s\n", cmp.Or(s.Set.Ranges(), "none"))
	case dst.IsUniform():
		fmt.Fprintf(b, "       = lanes %s (0x%x)\n", cmp.Or(s.Set.Ranges(), "none"), s.Set.Lo)
	case s.Addresses != nil && s.Bytes > 0:
		fmt.Fprintf(b, "       lanes %s, %d bytes each\n", cmp.Or(s.Lanes.Ranges(), "none"), s.Bytes)
	}
}

func writeValues(b *strings.Builder, s *tape.Step, lanes int, all bool) {
	for l := 0; l < lanes; {
		last := min(l+7, lanes-1)
		fmt.Fprintf(b, "       lanes %3d-%3d:", l, last)
		for k := l; k <= last; k++ {
			switch {
			case !s.Active.Has(k):
				fmt.Fprintf(b, " %10s", "-")
			case s.Undef.Has(k):
				fmt.Fprintf(b, " %10s", "?")
			default:
				fmt.Fprintf(b, " %10s", Value(s, k))
			}
		}
		b.WriteString("\n")
		if l = last + 1; !all && same(s, l, lanes) {
			fmt.Fprintf(b, "       lanes %3d-%3d: as lane %d\n", l, lanes-1, last)
			return
		}
	}
}

// same reports whether all lanes from l on hold what the one before does.
func same(s *tape.Step, l, lanes int) bool {
	if l >= lanes {
		return false
	}
	for k := l; k < lanes; k++ {
		if s.Values[k] != s.Values[l-1] || s.Active.Has(k) != s.Active.Has(l-1) || s.Undef.Has(k) != s.Undef.Has(l-1) {
			return false
		}
	}
	return true
}

// valuesOf returns what lanes first to last hold, in short.
func valuesOf(s *tape.Step, first, last int) string {
	all := Value(s, first)
	for l := first + 1; l <= last; l++ {
		if s.Values[l] != s.Values[first] {
			break
		}
		if l == last {
			return all
		}
	}
	for l := first + 1; l <= last; l++ {
		if last-first > 5 && l == first+3 {
			all += " ..."
			l = last
		}
		all += " " + Value(s, l)
	}
	return all
}

// Text returns the source line of a step as it stands in its file, "" if that cannot
// be read. lines keeps files that have been read.
func Text(lines map[string][]string, t *tape.Tape, s *tape.Step) string {
	site := t.Sites[s.Site]
	text, read := lines[site.File]
	if !read {
		if data, err := os.ReadFile(site.File); err == nil {
			text = strings.Split(string(data), "\n")
		}
		lines[site.File] = text
	}
	if site.Line < 1 || site.Line > len(text) {
		return ""
	}
	return strings.TrimSpace(text[site.Line-1])
}

// Moves reports whether a step is a move between lanes.
func Moves(op isa.Op) bool { return op >= isa.ShflIdx && op <= isa.WriteLane }
