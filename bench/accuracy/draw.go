package main

import (
	"fmt"
	"math"
	"os"
	"strings"
)

// draw writes a picture of simulated against measured cycles, both logarithmic.
func draw(file, title string, results []result) error {
	const size, margin = 720.0, 60.0
	lo, hi := math.Inf(1), 0.0
	for _, r := range results {
		lo = min(lo, r.hardware, r.simulated)
		hi = max(hi, r.hardware, r.simulated)
	}
	if !(lo > 0) {
		return fmt.Errorf("no figures above zero to draw")
	}
	lo, hi = lo/1.2, hi*1.2
	at := func(v float64) float64 { return (size - 2*margin) * math.Log(v/lo) / math.Log(hi/lo) }
	x := func(v float64) float64 { return margin + at(v) }
	y := func(v float64) float64 { return size - margin - at(v) }

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n", size, size)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="white"/>`+"\n", size, size)
	fmt.Fprintf(&b, `<text x="%g" y="30" font-size="16">%s: simulated against measured cycles, %d figures</text>`+"\n", margin, title, len(results))
	for d := 1.0; d <= hi; d *= 10 {
		for _, k := range []float64{1, 2, 5} {
			v := d * k
			if v < lo || v > hi {
				continue
			}
			fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1fM%.1f %.1fH%.1f" stroke="#ddd" fill="none"/>`+"\n", x(v), y(lo), y(hi), x(lo), y(v), x(hi))
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%g</text><text x="%.1f" y="%.1f" text-anchor="end">%g</text>`+"\n", x(v), size-margin+18, v, margin-6, y(v)+4, v)
		}
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">measured</text><text transform="translate(16 %g) rotate(-90)" text-anchor="middle">simulated</text>`+"\n", size/2, size-16, size/2)
	for _, f := range []float64{1, 1.05, 1 / 1.05} {
		dash := ""
		if f != 1 {
			dash = ` stroke-dasharray="4 4"`
		}
		fmt.Fprintf(&b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#888"%s/>`+"\n", x(lo*1.06), y(lo*1.06*f), x(hi/1.06), y(hi/1.06*f), dash)
	}
	for _, r := range results {
		c := "#1664a5"
		if !r.close() {
			c = "#c22"
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s" fill-opacity="0.6"><title>%s, %d threads: %.2f, simulated %.2f</title></circle>`+"\n",
			x(r.hardware), y(r.simulated), c, r.kernel, r.threads, r.hardware, r.simulated)
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(file, []byte(b.String()), 0o666)
}
