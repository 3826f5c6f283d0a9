package picture

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// A Chart is points over two axes.
type Chart struct {
	Title, X, Y string // Y and X name the axes, with units
	LogX, LogY  bool
	Diagonal    bool // draw the line on which X and Y are equal
	Series      []Series
}

// A Series is points of one name.
type Series struct {
	Name   string
	X, Y   []float64
	Joined bool     // by a line
	Labels []string // beside the points; nil: none
}

const (
	chartWidth, chartHeight = 720.0, 420.0
	chartLeft, chartTop     = 90.0, 40.0
)

// dashes and markers tell series apart.
var dashes = []string{"", "6 3", "2 2", "8 3 2 3", "1 3", "12 4"}

// scale maps values to the image.
type scale struct {
	low, high float64
	log       bool
}

func (s scale) at(v float64) float64 {
	if s.log {
		return (math.Log(v) - math.Log(s.low)) / (math.Log(s.high) - math.Log(s.low))
	}
	return (v - s.low) / (s.high - s.low)
}

// ticks returns round values within the scale.
func (s scale) ticks() []float64 {
	var all []float64
	if s.log {
		wide := math.Log10(s.high/s.low) > 2.5
		for p := math.Pow(10, math.Floor(math.Log10(s.low))); p <= s.high; p *= 10 {
			for _, m := range []float64{1, 2, 5} {
				if v := m * p; v >= s.low*0.999 && v <= s.high*1.001 && (m == 1 || !wide) {
					all = append(all, v)
				}
			}
		}
		return all
	}
	step := roundStep((s.high - s.low) / 8)
	for v := math.Ceil(s.low/step) * step; v <= s.high+step/1e6; v += step {
		all = append(all, v)
	}
	return all
}

func roundStep(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x {
			return m * p
		}
	}
	return 10 * p
}

// usable reports whether a point can be drawn.
func (ch *Chart) usable(x, y float64) bool {
	finite := !math.IsNaN(x) && !math.IsInf(x, 0) && !math.IsNaN(y) && !math.IsInf(y, 0)
	return finite && (!ch.LogX || x > 0) && (!ch.LogY || y > 0)
}

// scales returns those that hold all points.
func (ch *Chart) scales() (x, y scale, some bool) {
	x, y = scale{math.Inf(1), math.Inf(-1), ch.LogX}, scale{math.Inf(1), math.Inf(-1), ch.LogY}
	for _, s := range ch.Series {
		for i := range min(len(s.X), len(s.Y)) {
			if ch.usable(s.X[i], s.Y[i]) {
				x.low, x.high = min(x.low, s.X[i]), max(x.high, s.X[i])
				y.low, y.high = min(y.low, s.Y[i]), max(y.high, s.Y[i])
				some = true
			}
		}
	}
	if ch.Diagonal {
		x.low, x.high = min(x.low, y.low), max(x.high, y.high)
		y.low, y.high = x.low, x.high
	}
	return widen(x), widen(y), some
}

func widen(s scale) scale {
	switch {
	case s.log:
		s.low, s.high = s.low/1.15, s.high*1.15
	default:
		if s.low > 0 {
			s.low = 0
		}
		if s.high <= s.low {
			s.high = s.low + 1
		}
		s.high += (s.high - s.low) * 0.05
	}
	return s
}

// number writes a value of an axis.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e9:
		return strconv.FormatFloat(v/1e9, 'g', 4, 64) + "G"
	case a >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + "M"
	case a >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Write draws the chart, with its names beside it.
func (ch *Chart) Write(w io.Writer) error {
	c := &Canvas{}
	c.styled(8, 20, 14, start, `font-weight="bold"`, ch.Title)
	xs, ys, some := ch.scales()
	if !some {
		c.text(8, 44, 11, start, "There is no point to draw.")
		return c.write(w, ch.Title)
	}
	px := func(v float64) float64 { return chartLeft + xs.at(v)*chartWidth }
	py := func(v float64) float64 { return chartTop + (1-ys.at(v))*chartHeight }
	bottom := chartTop + chartHeight
	for _, v := range xs.ticks() {
		c.line(px(v), chartTop, px(v), bottom, `stroke="#ddd" stroke-width="0.6"`)
		c.text(px(v), bottom+16, 10, middle, number(v))
	}
	for _, v := range ys.ticks() {
		c.line(chartLeft, py(v), chartLeft+chartWidth, py(v), `stroke="#ddd" stroke-width="0.6"`)
		c.text(chartLeft-6, py(v)+3, 10, end, number(v))
	}
	c.line(chartLeft, bottom, chartLeft+chartWidth, bottom, `stroke="#000"`)
	c.line(chartLeft, chartTop, chartLeft, bottom, `stroke="#000"`)
	c.text(chartLeft+chartWidth/2, bottom+36, 11, middle, ch.X)
	c.styled(18, chartTop+chartHeight/2, 11, middle, fmt.Sprintf(`transform="rotate(-90 18 %.0f)"`, chartTop+chartHeight/2), ch.Y)
	if ch.Diagonal {
		c.line(px(xs.low), py(xs.low), px(xs.high), py(xs.high), `stroke="#000" stroke-width="0.8" stroke-dasharray="4 3"`)
	}
	y := chartTop + 10
	for k := range ch.Series {
		ch.draw(c, k, px, py)
		x := chartLeft + chartWidth + 24
		if ch.Series[k].Joined {
			c.line(x-10, y-4, x+14, y-4, lineStyle(k))
		}
		mark(c, k, x+2, y-4)
		c.text(x+20, y, 11, start, ch.Series[k].Name)
		y += 18
	}
	return c.write(w, ch.Title)
}

func lineStyle(k int) string {
	return fmt.Sprintf(`stroke="#000" stroke-width="%.1f" stroke-dasharray="%s"`, 1+0.6*float64(k/len(dashes)%2), dashes[k%len(dashes)])
}

func (ch *Chart) draw(c *Canvas, k int, px, py func(float64) float64) {
	s := &ch.Series[k]
	last := -1
	for i := range min(len(s.X), len(s.Y)) {
		if !ch.usable(s.X[i], s.Y[i]) {
			last = -1
			continue
		}
		if s.Joined && last >= 0 {
			c.line(px(s.X[last]), py(s.Y[last]), px(s.X[i]), py(s.Y[i]), lineStyle(k))
		}
		last = i
	}
	var taken [][4]float64
	for i := range min(len(s.X), len(s.Y)) {
		if !ch.usable(s.X[i], s.Y[i]) {
			continue
		}
		x, y := px(s.X[i]), py(s.Y[i])
		if !s.Joined || len(s.X) < 40 {
			mark(c, k, x, y)
		}
		if i < len(s.Labels) && s.Labels[i] != "" {
			taken = label(c, s.Labels[i], x, y, taken)
		}
	}
}

// label writes the name of a point where no other one stands, or leaves it out.
func label(c *Canvas, name string, x, y float64, taken [][4]float64) [][4]float64 {
	w := textWidth(name, 9)
	for _, at := range [][2]float64{{x + 7, y + 3}, {x - 7 - w, y + 3}, {x - w/2, y - 8}, {x - w/2, y + 15}} {
		box := [4]float64{at[0], at[1] - 9, at[0] + w, at[1] + 2}
		free := box[0] > chartLeft && box[2] < chartLeft+chartWidth && box[1] > chartTop && box[3] < chartTop+chartHeight
		for _, o := range taken {
			free = free && (box[0] > o[2] || box[2] < o[0] || box[1] > o[3] || box[3] < o[1])
		}
		if free {
			c.text(at[0], at[1], 9, start, name)
			return append(taken, box)
		}
	}
	return taken
}

// mark draws the marker of series k.
func mark(c *Canvas, k int, x, y float64) {
	c.reach(x+4, y+4)
	fill := "#000"
	if k/4%2 == 1 {
		fill = "#fff"
	}
	switch k % 4 {
	case 0:
		fmt.Fprintf(&c.b, `<circle cx="%.1f" cy="%.1f" r="3.2" fill="%s" stroke="#000"/>`+"\n", x, y, fill)
	case 1:
		fmt.Fprintf(&c.b, `<rect x="%.1f" y="%.1f" width="6.4" height="6.4" fill="%s" stroke="#000"/>`+"\n", x-3.2, y-3.2, fill)
	case 2:
		fmt.Fprintf(&c.b, `<path d="M%.1f %.1fl4 7h-8z" fill="%s" stroke="#000"/>`+"\n", x, y-4, fill)
	default:
		fmt.Fprintf(&c.b, `<path d="M%.1f %.1fl7 7m0 -7l-7 7" fill="none" stroke="#000" stroke-width="1.6"/>`+"\n", x-3.5, y-3.5)
	}
}
