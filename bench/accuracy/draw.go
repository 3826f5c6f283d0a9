package main

import (
	"fmt"
	"os"

	"example.com/warpsim/warp/view"
)

// draw writes a picture of simulated against measured cycles, both logarithmic. Figures
// that are farther off bear their names.
func draw(file, title string, results []result) error {
	near, far := view.Series{Name: "within bounds"}, view.Series{Name: "farther off"}
	for _, r := range results {
		s := &near
		if !r.close() {
			s = &far
			s.Labels = append(s.Labels, fmt.Sprintf("%s, %d threads", r.kernel, r.threads))
		}
		s.X, s.Y = append(s.X, r.hardware), append(s.Y, r.simulated)
	}
	c := view.Chart{
		Title: fmt.Sprintf("%s: simulated against measured cycles, %d figures", title, len(results)),
		X:     "measured cycles", Y: "simulated cycles", LogX: true, LogY: true, Diagonal: true,
		Series: []view.Series{near, far},
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := c.WriteSVG(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
