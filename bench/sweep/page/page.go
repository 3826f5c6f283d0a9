// Package page draws the plots of a sweep into one HTML page that needs nothing else.
package page

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Page is what is drawn.
type Page struct {
	Title          string
	Points, Failed int64
	Winners        []*Winners
	Lines          []*Lines
	Tornados       []*Tornado
	Heats          []*Heat
}

// mostPlots is how many plots of a sort a page has.
const mostPlots = 60

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%[1]s</title>
<style>
body{font:14px sans-serif;margin:2em;color:#222;background:#fff}
figure{display:inline-block;margin:0 1.5em 1.5em 0;vertical-align:top}
figcaption{font-weight:bold;margin-bottom:.3em}
svg{background:#fafafa;border:1px solid #ddd}
svg text{font:11px sans-serif;fill:#333}
table{border-collapse:collapse}td,th{padding:2px 6px;border:1px solid #fff;text-align:right}th{text-align:left;font-weight:normal}
</style></head><body><h1>%[1]s</h1>
<p>%[2]d points, %[3]d of them with errors. Cycles are means over seeds, repetitions and, where a plot does not name them, the other numbers.</p>
`, esc(p.Title), p.Points, p.Failed)
	section(&b, "Fewest cycles by device and size", "", p.Winners)
	section(&b, "Cycles against size", "Both scales are logarithmic.", p.Lines)
	section(&b, "What each number moves", "Cycles at the largest size, from the least value of a number to its greatest; the thin line is the range over all its values.", p.Tornados)
	section(&b, "Two numbers at a time", "Cycles at the largest size; darker is more.", p.Heats)
	b.WriteString("</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

type figure interface {
	title() string
	draw(*strings.Builder)
}

func section[T figure](b *strings.Builder, title, about string, list []T) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "<h2>%s</h2>\n<p>%s", esc(title), esc(about))
	if len(list) > mostPlots {
		fmt.Fprintf(b, " The first %d of %d plots; the tables have them all.", mostPlots, len(list))
	}
	b.WriteString("</p>\n")
	for _, f := range list[:min(len(list), mostPlots)] {
		fmt.Fprintf(b, "<figure><figcaption>%s</figcaption>\n", esc(f.title()))
		f.draw(b)
		b.WriteString("</figure>\n")
	}
}

func esc(s string) string { return html.EscapeString(s) }

func num(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// color returns the color of the i-th of n things that are told apart.
func color(i, n int) string {
	return fmt.Sprintf("hsl(%d,65%%,%d%%)", i*360/max(n, 1), 35+15*(i%2))
}

// A Series is one line.
type Series struct {
	Name   string
	Points [][2]float64
}

// Lines are lines over two logarithmic scales.
type Lines struct {
	Title, X, Y string
	Series      []Series
}

func (l *Lines) title() string { return l.Title }

const (
	plotWidth, plotHeight = 420, 260
	left, bottom, top     = 60, 34, 10
)

// A scale is a logarithmic axis.
type scale struct{ low, high, from, to float64 }

func newScale(values []float64, from, to float64) scale {
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	if high == 0 {
		low, high = 1, 10
	}
	if high < low*1.1 {
		low, high = low/1.5, high*1.5
	}
	return scale{math.Log(low), math.Log(high), from, to}
}

func (s scale) at(v float64) float64 {
	return s.from + (s.to-s.from)*(math.Log(max(v, 1e-300))-s.low)/(s.high-s.low)
}

// ticks returns round values inside the scale: at most eight.
func (s scale) ticks() []float64 {
	for _, base := range []float64{2, 4, 10, 16, 100, 256, 1000, 4096, 65536} {
		var list []float64
		for e := math.Ceil(s.low/math.Log(base) - 1e-9); e <= s.high/math.Log(base)+1e-9; e++ {
			list = append(list, math.Pow(base, e))
		}
		if len(list) <= 8 {
			return list
		}
	}
	return nil
}

func (l *Lines) draw(b *strings.Builder) {
	var xs, ys []float64
	for _, s := range l.Series {
		for _, p := range s.Points {
			xs, ys = append(xs, p[0]), append(ys, p[1])
		}
	}
	x, y := newScale(xs, left, plotWidth-10), newScale(ys, plotHeight-bottom, top)
	height := plotHeight + 14*((len(l.Series)+1)/2) + 6
	fmt.Fprintf(b, `<svg width="%d" height="%d">`, plotWidth, height)
	for _, t := range x.ticks() {
		fmt.Fprintf(b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			x.at(t), x.at(t), top, plotHeight-bottom, x.at(t), plotHeight-bottom+13, num(t))
	}
	for _, t := range y.ticks() {
		fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			left, plotWidth-10, y.at(t), y.at(t), left-4, y.at(t)+4, num(t))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text><text x="12" y="%d" transform="rotate(-90 12 %d)" text-anchor="middle">%s</text>`,
		(left+plotWidth)/2, plotHeight-6, esc(l.X), plotHeight/2, plotHeight/2, esc(l.Y))
	for i, s := range l.Series {
		c := color(i, len(l.Series))
		var path []string
		for _, p := range s.Points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x.at(p[0]), y.at(p[1])))
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, strings.Join(path, " "), c)
		for _, p := range s.Points {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"><title>%s at %s: %s</title></circle>`, x.at(p[0]), y.at(p[1]), c, esc(s.Name), num(p[0]), num(p[1]))
		}
		lx, ly := 10+(i%2)*(plotWidth/2), plotHeight+10+14*(i/2)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="9" height="9" fill="%s"/><text x="%d" y="%d">%s</text>`, lx, ly-8, c, lx+13, ly, esc(s.Name))
	}
	b.WriteString("</svg>")
}

// Winners is a table of which kernel takes the fewest cycles on each device at each
// size.
type Winners struct {
	Title   string
	devices []string
	sizes   []float64
	cells   map[winnerAt]*winner
}

type winnerAt struct {
	device string
	size   float64
}

type winner struct {
	kernel string
	cycles float64
	next   float64 // 0: nothing else ran
}

// Add tells what a kernel takes.
func (w *Winners) Add(device string, size float64, kernel string, cycles float64) {
	if w.cells == nil {
		w.cells = make(map[winnerAt]*winner)
	}
	if !slices.Contains(w.devices, device) {
		w.devices = append(w.devices, device)
	}
	if i, there := slices.BinarySearch(w.sizes, size); !there {
		w.sizes = slices.Insert(w.sizes, i, size)
	}
	at := winnerAt{device, size}
	switch c := w.cells[at]; {
	case c == nil:
		w.cells[at] = &winner{kernel, cycles, 0}
	case cycles < c.cycles:
		*c = winner{kernel, cycles, c.cycles}
	case c.next == 0 || cycles < c.next:
		c.next = cycles
	}
}

func (w *Winners) title() string { return w.Title }

func (w *Winners) draw(b *strings.Builder) {
	var kernels []string
	for _, c := range w.cells {
		if !slices.Contains(kernels, c.kernel) {
			kernels = append(kernels, c.kernel)
		}
	}
	slices.Sort(kernels)
	b.WriteString("<table><tr><th></th>")
	for _, s := range w.sizes {
		fmt.Fprintf(b, "<td>%s</td>", num(s))
	}
	b.WriteString("</tr>\n")
	for _, d := range w.devices {
		fmt.Fprintf(b, "<tr><th>%s</th>", esc(d))
		for _, s := range w.sizes {
			c := w.cells[winnerAt{d, s}]
			if c == nil {
				b.WriteString("<td></td>")
				continue
			}
			note := "nothing else ran"
			if c.next > 0 {
				note = fmt.Sprintf("the next takes %.3f times as many", c.next/c.cycles)
			}
			fmt.Fprintf(b, `<td style="background:hsl(%d,60%%,80%%)" title="%s: %s cycles; %s">%s</td>`,
				slices.Index(kernels, c.kernel)*360/len(kernels), esc(c.kernel), num(c.cycles), note, esc(last(c.kernel)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>")
}

// last returns what stands behind the last slash.
func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// A Bar is what one number moves.
type Bar struct {
	Name          string
	Low, High     float64 // its values
	AtLow, AtHigh float64 // what comes of them
	Least, Most   float64 // over all values
}

// A Tornado has a bar for each number, the longest on top.
type Tornado struct {
	Title, Unit string
	Bars        []Bar
}

func (t *Tornado) title() string { return t.Title }

func (t *Tornado) draw(b *strings.Builder) {
	bars := slices.Clone(t.Bars)
	slices.SortStableFunc(bars, func(a, b Bar) int { return cmp.Compare(b.Most-b.Least, a.Most-a.Least) })
	low, high := math.Inf(1), 0.0
	for _, x := range bars {
		low, high = min(low, x.Least), max(high, x.Most)
	}
	if high == low {
		high++
	}
	const width, from, to = 620, 230, 550
	at := func(v float64) float64 { return from + (to-from)*(v-low)/(high-low) }
	fmt.Fprintf(b, `<svg width="%d" height="%d">`, width, 26*len(bars)+30)
	for i, x := range bars {
		y := 8 + 26*i
		a, c := at(x.AtLow), at(x.AtHigh)
		fill := "#c0563b" // more of it, more cycles
		if x.AtHigh < x.AtLow {
			fill = "#3b7dc0"
		}
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s: %s to %s</text><line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#555"/>`,
			from-8, y+13, esc(x.Name), num(x.Low), num(x.High), at(x.Least), at(x.Most), y+9, y+9)
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="18" fill="%s"><title>%s = %s: %s %s; %s: %s</title></rect>`,
			min(a, c), y, max(math.Abs(a-c), 1), fill, esc(x.Name), num(x.Low), num(x.AtLow), esc(t.Unit), num(x.High), num(x.AtHigh))
		fmt.Fprintf(b, `<text x="%.1f" y="%d">%+.1f %%</text>`, max(a, c)+4, y+13, 100*(x.AtHigh/max(x.AtLow, 1)-1))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s %s</text></svg>`,
		from, 26*len(bars)+22, num(low), to, 26*len(bars)+22, num(high), esc(t.Unit))
}

// A Heat is a table of cells that are darker the more they have.
type Heat struct {
	Title, X, Y   string
	Columns, Rows []float64
	At            func(x, y float64) (float64, bool)
}

func (h *Heat) title() string { return h.Title }

func (h *Heat) draw(b *strings.Builder) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, y := range h.Rows {
		for _, x := range h.Columns {
			if v, ok := h.At(x, y); ok {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	fmt.Fprintf(b, "<table><tr><th>%s \\ %s</th>", esc(h.Y), esc(h.X))
	for _, x := range h.Columns {
		fmt.Fprintf(b, "<td>%s</td>", num(x))
	}
	b.WriteString("</tr>\n")
	for _, y := range h.Rows {
		fmt.Fprintf(b, "<tr><th>%s</th>", num(y))
		for _, x := range h.Columns {
			v, ok := h.At(x, y)
			if !ok {
				b.WriteString("<td></td>")
				continue
			}
			share := 0.0
			if high > low {
				share = (v - low) / (high - low)
			}
			fmt.Fprintf(b, `<td style="background:hsl(20,80%%,%.0f%%)">%s</td>`, 95-45*share, num(math.Round(v*10)/10))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>")
}
