package picture

import (
	"fmt"
	"io"
	"math"

	"example.com/warpsim/warp/view/internal/steps"
	"example.com/warpsim/warp/view/internal/tape"
)

// maxFlowRows bounds the rows of a picture of data flow.
const maxFlowRows = 48

// shows reports whether a step is part of the flow of data: a move between lanes, an
// access to memory, or a result that came from several threads.
func shows(t *tape.Tape, s *tape.Step) bool {
	if s.Addresses != nil || s.Sources != nil {
		return true
	}
	if s.Values == nil || !s.Changed {
		return false
	}
	for l := range s.Origins {
		if s.Active.Has(l) && len(steps.Set(t, s, l)) > 1 {
			return true
		}
	}
	return s.Origins == nil && s.Instr.Op.Computes()
}

// Flow draws where the values of a warp went: its lanes across, its steps down.
// Instructions that move nothing and combine nothing are left out.
func Flow(w io.Writer, t *tape.Tape, x steps.Warp, title string) error {
	lanes := t.Device.Lanes
	cell, size := 26.0, 10.0
	switch {
	case lanes > 64:
		cell, size = 18, 7
	case lanes > 32:
		cell, size = 20, 8
	}
	const left, labels = 330.0, 10.0
	c := &Canvas{}
	c.styled(8, 20, 14, start, `font-weight="bold"`, title)
	c.text(8, 37, 10, start, "a number: the one thread that the value came from; Σn: n threads; 0: a constant; hatched: not active; ?: undefined; arrows: from the lane that is read")
	y := 58.0
	every := max(1, lanes/32)
	for l := 0; l < lanes; l += every {
		c.text(left+(float64(l)+0.5)*cell, y, size, middle, fmt.Sprint(l))
	}
	c.text(left-8, y, size, end, "lane")
	y += 6
	lines := map[string][]string{}
	shown, left0 := 0, 0
	for _, s := range x.Steps {
		if !shows(t, s) {
			continue
		}
		if shown == maxFlowRows {
			left0++
			continue
		}
		shown++
		if s.Sources != nil {
			y += arrows(c, s, left, cell, y, lanes)
		}
		in := s.Instr.Uncoded()
		c.text(8, y+9, labels, start, cut(fmt.Sprintf("%d  %s", s.Index, in), labels, left-16))
		note := t.Sites[s.Site].String()
		if text := steps.Text(lines, t, s); text != "" {
			note += "  " + text
		}
		c.styled(8, y+20, 8, start, `fill="#444"`, cut(note, 8, left-16))
		for l := range lanes {
			flowCell(c, t, s, l, left+float64(l)*cell, y, cell, size)
		}
		y += 27
	}
	if left0 > 0 {
		c.text(left, y+12, 10, start, fmt.Sprintf("and %d steps more", left0))
	}
	return c.write(w, title)
}

// arrows draws what a move reads, in the gap above its row, and returns how high the
// gap is: the higher the farther values go. Where arrows would touch each other, only
// some of them are drawn with a head, and the others as thin lines.
func arrows(c *Canvas, s *tape.Step, left, cell, y float64, lanes int) float64 {
	far := 0
	for l, from := range s.Sources {
		if l < lanes && s.Active.Has(l) {
			far = max(far, int(from)-l, l-int(from))
		}
	}
	gap := min(max(40, 0.12*float64(far)*cell), 150)
	apart := cell * gap / math.Hypot(float64(far)*cell, gap)
	every := max(1, int(math.Ceil(3/apart)))
	note := "reads " + s.Instr.A.String()
	if every > 1 {
		note += fmt.Sprintf(", 1 arrow of %d", every)
	}
	c.styled(left-8, y+gap/2+2, 9, end, `fill="#444"`, note)
	for l, from := range s.Sources {
		if l >= lanes || !s.Active.Has(l) {
			continue
		}
		style := `stroke="#000" stroke-width="0.8" marker-end="url(#a)"`
		switch {
		case int(from) == l:
			style = `stroke="#000" stroke-width="0.5" stroke-dasharray="2 2"`
		case l%every != 0:
			style = `stroke="#bbb" stroke-width="0.3"`
		}
		c.line(left+(float64(from)+0.5)*cell, y+4, left+(float64(l)+0.5)*cell, y+gap-2, style)
	}
	return gap
}

// flowCell draws one lane of one step.
func flowCell(c *Canvas, t *tape.Tape, s *tape.Step, l int, x, y, cell, size float64) {
	title := fmt.Sprintf("lane %d", l)
	switch dst := s.Instr.Uncoded().Dst; {
	case !s.Active.Has(l):
		c.framed(x, y, cell, 20, hatch(0), title+": not active")
		return
	case s.Undef.Has(l):
		c.framed(x, y, cell, 20, "#ddd", title+": undefined")
		c.styled(x+cell/2, y+14, size, middle, `font-weight="bold"`, "?")
		return
	case dst.IsPredicate() || dst.IsUniform():
		fill := "#fff"
		if s.Set.Has(l) {
			fill = "#000"
		}
		c.framed(x, y, cell, 20, fill, title)
		return
	case s.Values == nil:
		mark := "st"
		if a := s.Addresses; a != nil && l < len(a) {
			title += fmt.Sprintf(": address %d", a[l])
		}
		c.framed(x, y, cell, 20, "#fff", title)
		c.text(x+cell/2, y+14, size, middle, mark)
		return
	}
	set := steps.Set(t, s, l)
	value := steps.Value(s, l)
	title += ": " + value
	text := fmt.Sprintf("Σ%d", len(set))
	switch {
	case s.Origins == nil:
		text = value
		if textWidth(text, size) > cell-2 {
			text = "•"
		}
	case len(set) == 0:
		text = "0"
	case len(set) == 1:
		text = fmt.Sprint(set[0])
	}
	if len(set) > 0 {
		title += " from " + steps.List(set)
	}
	if s.Sources != nil {
		title += fmt.Sprintf(", read from lane %d", s.Sources[l])
	}
	fill := "#fff"
	if len(set) > 1 {
		fill = "#eee"
	}
	c.framed(x, y, cell, 20, fill, title)
	if textWidth(text, size) > cell {
		size = cell / (float64(len([]rune(text))) * advance)
	}
	c.text(x+cell/2, y+14, size, middle, text)
}
