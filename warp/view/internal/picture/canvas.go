// Package picture draws runs as SVG: in black, white and hatching, with text as text.
package picture

import (
	"fmt"
	"io"
	"strings"
)

// A Canvas is an SVG image under construction.
type Canvas struct {
	b             strings.Builder
	width, height float64
}

// advance is the width of a character over the size of the font, which is a
// monospaced one.
const advance = 0.602

// textWidth returns how wide a text is.
func textWidth(s string, size float64) float64 { return float64(len([]rune(s))) * size * advance }

// cut shortens a text to a width.
func cut(s string, size, width float64) string {
	r := []rune(s)
	n := int(width / (size * advance))
	if len(r) <= n {
		return s
	}
	if n < 2 {
		return ""
	}
	return string(r[:n-1]) + "…"
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

type align string

const (
	start  align = "start"
	middle align = "middle"
	end    align = "end"
)

func (c *Canvas) reach(x, y float64) {
	c.width, c.height = max(c.width, x), max(c.height, y)
}

// text writes a text whose baseline is at y. It never leaves the image.
func (c *Canvas) text(x, y, size float64, a align, s string) {
	c.styled(x, y, size, a, "", s)
}

func (c *Canvas) styled(x, y, size float64, a align, style, s string) {
	if s == "" {
		return
	}
	w := textWidth(s, size)
	switch a {
	case start:
		c.reach(x+w, y+size*0.3)
	case middle:
		c.reach(x+w/2, y+size*0.3)
	default:
		c.reach(x, y+size*0.3)
	}
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" font-size="%.1f"`, x, y, size)
	if a != start {
		fmt.Fprintf(&c.b, ` text-anchor="%s"`, a)
	}
	if style != "" {
		fmt.Fprintf(&c.b, " %s", style)
	}
	fmt.Fprintf(&c.b, ">%s</text>\n", escaper.Replace(s))
}

// rect draws a rectangle with a fill and a title, which may be "".
func (c *Canvas) rect(x, y, w, h float64, fill, title string) {
	c.reach(x+w, y+h)
	fmt.Fprintf(&c.b, `<rect x="%.2f" y="%.1f" width="%.2f" height="%.1f" fill="%s"`, x, y, w, h, fill)
	if title == "" {
		c.b.WriteString("/>\n")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></rect>\n", escaper.Replace(title))
}

// framed is rect with a frame.
func (c *Canvas) framed(x, y, w, h float64, fill, title string) {
	c.reach(x+w, y+h)
	fmt.Fprintf(&c.b, `<rect class="f" x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"`, x, y, w, h, fill)
	if title == "" {
		c.b.WriteString("/>\n")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></rect>\n", escaper.Replace(title))
}

func (c *Canvas) line(x1, y1, x2, y2 float64, style string) {
	c.reach(max(x1, x2), max(y1, y2))
	fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`+"\n", x1, y1, x2, y2, style)
}

// patterns tell fills apart without colour.
const patterns = `<defs>
<pattern id="h0" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="4" fill="#fff"/><line x1="0" y1="0" x2="0" y2="4" stroke="#000" stroke-width="1"/></pattern>
<pattern id="h1" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="4" height="4" fill="#fff"/><line x1="0" y1="0" x2="0" y2="4" stroke="#000" stroke-width="2"/></pattern>
<pattern id="h2" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#fff"/><circle cx="2" cy="2" r="1" fill="#000"/></pattern>
<pattern id="h3" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#fff"/><line x1="0" y1="2" x2="4" y2="2" stroke="#000" stroke-width="1"/></pattern>
<pattern id="h4" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#fff"/><line x1="2" y1="0" x2="2" y2="4" stroke="#000" stroke-width="1"/></pattern>
<pattern id="h5" width="5" height="5" patternUnits="userSpaceOnUse"><rect width="5" height="5" fill="#fff"/><path d="M0 2.5H5M2.5 0V5" stroke="#000" stroke-width="0.8"/></pattern>
<pattern id="h6" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="#000"/><circle cx="2" cy="2" r="1" fill="#fff"/></pattern>
<pattern id="h7" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#fff"/><path d="M0 3H6M3 0V6" stroke="#000" stroke-width="1"/></pattern>
<marker id="a" viewBox="0 0 6 6" refX="5.4" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L6 3L0 6z" fill="#000"/></marker>
</defs>
`

// hatch returns the fill of pattern i.
func hatch(i int) string { return fmt.Sprintf("url(#h%d)", i&7) }

// write writes the image with a margin around what was drawn.
func (c *Canvas) write(w io.Writer, title string) error {
	width, height := c.width+16, c.height+16
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace" role="img">
<title>%s</title>
<style>text{fill:#000}.f{stroke:#000;stroke-width:.6}</style>
%s<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, width, height, width, height, escaper.Replace(title), patterns, c.b.String())
	return err
}
