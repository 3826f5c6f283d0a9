package view

import (
	"io"

	"example.com/warpsim/warp/view/internal/page"
)

// WritePage writes one HTML file that shows the recording, and others side by side with
// it: two algorithms, or two devices. It loads nothing from anywhere. It has a slider
// over the steps with every lane as a cell and arrows for what lanes read, the value,
// source lane, threads, mask and source line of the lane that is pointed at, a timeline
// that zooms, the annotated source, what most cycles went into, and faults with their
// steps. It works by keyboard and on small screens.
func (r *Recording) WritePage(w io.Writer, others ...*Recording) error {
	var runs []page.Run
	for _, x := range append([]*Recording{r}, others...) {
		if x != nil {
			runs = append(runs, page.Run{Tape: x.kept(), Report: x.Report(), Title: x.title()})
		}
	}
	return written(w, func() error { return page.Write(w, runs) })
}
