package view

import (
	"fmt"
	"io"

	"example.com/warpsim/warp/view/internal/picture"
	"example.com/warpsim/warp/view/internal/steps"
)

// A Picture is a way to draw a run.
type Picture uint8

// The pictures.
const (
	// Flow has lanes across and steps down: how many threads what each lane holds
	// came from, arrows for moves between lanes, marks for lanes that are undefined or
	// not active. It shows the first warp of the first block that Options.Blocks
	// names; see [Recording.WriteFlow] for others.
	Flow Picture = iota
	// Timeline has cycles across and warps and pipes down: when a multiprocessor
	// issued what, what its warps waited for, and when its pipes were taken.
	Timeline
	// Banks has the banks of shared memory across and accesses down: how many
	// different words lanes wanted of each.
	Banks
	numPictures
)

var pictureNames = [numPictures]string{"flow", "timeline", "banks"}

// String returns the picture's name, such as "flow".
func (p Picture) String() string {
	if p < numPictures {
		return pictureNames[p]
	}
	return fmt.Sprintf("picture(%d)", uint8(p))
}

// Pictures returns all pictures.
func Pictures() []Picture { return []Picture{Flow, Timeline, Banks} }

// WritePicture writes a picture as SVG. What there is nothing of, a sentence says.
func (r *Recording) WritePicture(w io.Writer, p Picture) error {
	switch p {
	case Timeline:
		return written(w, func() error { return picture.Timeline(w, r.kept(), r.title()+": timeline") })
	case Banks:
		return written(w, func() error { return picture.Banks(w, r.kept(), r.title()+": banks of shared memory") })
	}
	return r.WriteFlow(w, 0)
}

// WriteFlow writes the Flow of one of the warps whose steps were kept, counted from 0;
// one that there is not has no rows.
func (r *Recording) WriteFlow(w io.Writer, n int) error {
	warps := steps.Warps(r.kept())
	x := steps.Warp{}
	if n >= 0 && n < len(warps) {
		x = warps[n]
	}
	title := fmt.Sprintf("%s: block %d warp %d", r.title(), x.Block, x.Warp)
	return written(w, func() error { return picture.Flow(w, r.kept(), x, title) })
}

// title heads pictures.
func (r *Recording) title() string {
	if r != nil && r.options.Title != "" {
		return r.options.Title
	}
	launches := r.kept().Launches
	if len(launches) == 0 {
		return "a run that did not begin"
	}
	p := launches[0].Report
	return fmt.Sprintf("%s, %s blocks of %s threads", p.Device, p.Launch.Blocks, p.Launch.Threads)
}
