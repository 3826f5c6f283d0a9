package picture

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/view/internal/steps"
	"example.com/warpsim/warp/view/internal/tape"
)

// A bankRow is what the lanes of one access want of one bank of shared memory: how many
// different words.
type bankRow struct {
	step  *tape.Step
	words []int
	first []int // a lane that wants each bank, -1: none
	times int   // how many accesses were alike
}

// maxBankRows bounds the rows of a bank map.
const maxBankRows = 40

// Banks draws which banks of shared memory each access wants, and how many different
// words of each: those of one pass of the device, the worst one.
func Banks(w io.Writer, t *tape.Tape, title string) error {
	c := &Canvas{}
	c.styled(8, 20, 14, start, `font-weight="bold"`, title)
	banks := &t.Device.Shared
	rows := bankRows(t)
	if len(rows) == 0 || banks.Count == 0 {
		c.text(8, 44, 11, start, "No access to shared memory was kept.")
		return c.write(w, title)
	}
	cell := 22.0
	if banks.Count > 32 {
		cell = 18
	}
	const left = 330.0
	c.text(8, 37, 10, start, fmt.Sprintf("different words wanted of each bank of %d bytes by lanes that are served together; more than 1 is a conflict", banks.Bytes))
	y := 58.0
	for b := range banks.Count {
		c.text(left+(float64(b)+0.5)*cell, y, 8, middle, fmt.Sprint(b))
	}
	c.text(left-8, y, 8, end, "bank")
	y += 6
	lines := map[string][]string{}
	for i, r := range rows {
		if i == maxBankRows {
			c.text(left, y+12, 10, start, fmt.Sprintf("and %d accesses more", len(rows)-i))
			break
		}
		s := r.step
		c.text(8, y+9, 10, start, cut(fmt.Sprintf("warp %d  %s", s.Warp, s.Instr.Uncoded()), 10, left-60))
		note := t.Sites[s.Site].String() + "  " + steps.Text(lines, t, s)
		c.styled(8, y+20, 8, start, `fill="#444"`, cut(note, 8, left-60))
		if r.times > 1 {
			c.text(left-8, y+9, 9, end, fmt.Sprintf("× %d", r.times))
		}
		if s.Conflicts > 0 {
			c.styled(left-8, y+20, 8, end, `font-weight="bold"`, fmt.Sprintf("+%d passes", s.Conflicts))
		}
		for b, n := range r.words {
			bankCell(c, b, n, r.first[b], left+float64(b)*cell, y, cell)
		}
		y += 27
	}
	return c.write(w, title)
}

func bankCell(c *Canvas, bank, n, lane int, x, y, cell float64) {
	title := fmt.Sprintf("bank %d: %d words", bank, n)
	if lane >= 0 {
		title += fmt.Sprintf(", first wanted by lane %d", lane)
	}
	switch {
	case n == 0:
		c.framed(x, y, cell, 20, "#fff", title)
	case n == 1:
		c.framed(x, y, cell, 20, "#ddd", title)
		c.text(x+cell/2, y+14, 8, middle, "1")
	default:
		c.framed(x, y, cell, 20, "#000", title)
		c.styled(x+cell/2, y+14, 8, middle, `style="fill:#fff" font-weight="bold"`, fmt.Sprint(n))
	}
}

// bankRows returns the accesses to shared memory, those alike in one row.
func bankRows(t *tape.Tape) []bankRow {
	var rows []bankRow
	for i := range t.Steps {
		s := &t.Steps[i]
		switch s.Instr.Op {
		case isa.LoadShared, isa.StoreShared, isa.AtomicShared, isa.AtomicSharedLoop:
		default:
			continue
		}
		if s.Addresses == nil || t.Device.Shared.Count == 0 {
			continue
		}
		r := wanted(t, s)
		k := slices.IndexFunc(rows, func(o bankRow) bool {
			return o.step.Site == s.Site && o.step.Conflicts == s.Conflicts && o.step.Instr.Op == s.Instr.Op && slices.Equal(o.words, r.words)
		})
		if k >= 0 {
			rows[k].times++
			continue
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b bankRow) int { return cmp.Compare(b.step.Conflicts, a.step.Conflicts) })
	return rows
}

// wanted counts the words that an access wants of each bank, group by group of lanes
// that are served together, and keeps the most of any group.
func wanted(t *tape.Tape, s *tape.Step) bankRow {
	banks := &t.Device.Shared
	r := bankRow{step: s, words: make([]int, banks.Count), first: make([]int, banks.Count), times: 1}
	for i := range r.first {
		r.first[i] = -1
	}
	group := max(1, banks.GroupLanes*banks.Bytes/max(s.Bytes, banks.Bytes))
	for from := 0; from < len(s.Addresses); from += group {
		seen := map[uint64]bool{}
		count := make([]int, banks.Count)
		for l := from; l < min(from+group, len(s.Addresses)); l++ {
			if !s.Lanes.Has(l) {
				continue
			}
			for b := uint64(0); b < uint64(max(s.Bytes, 1)); b += uint64(banks.Bytes) {
				word := (s.Addresses[l] + b) / uint64(banks.Bytes)
				bank := int(word % uint64(banks.Count))
				if r.first[bank] < 0 {
					r.first[bank] = l
				}
				if !seen[word] {
					seen[word] = true
					count[bank]++
				}
			}
		}
		for b, n := range count {
			r.words[b] = max(r.words[b], n)
		}
	}
	return r
}
