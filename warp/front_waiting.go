package warp

import (
	"fmt"
	"strings"

	"example.com/warpsim/lane"
)

// OthersWaiting says where the other warps of the block wait, such as "warps 0-5
// wait at barrier 0 (sum.go:31)", "" if none does. It is for the text of a
// deadlock that a front has found among the lanes of this warp, and must only be
// called when the run is about to end: the warps that wait cannot go on after.
func (f Front) OthersWaiting() string {
	w := f.w
	type place struct {
		barrier int
		site    Site
	}
	var order []place
	who := map[place]lane.Mask{}
	count := map[place]int{}
	w.group.locating = true
	for _, o := range w.block.warps {
		if o == w || o.state != stateAtBarrier || o.co == nil {
			continue
		}
		o.resume()
		p := place{o.waitBarrier, o.waitSite}
		if count[p] == 0 {
			order = append(order, p)
		}
		count[p]++
		if o.id < lane.MaxLanes {
			who[p] = who[p].With(o.id)
		}
	}
	var parts []string
	for _, p := range order {
		name := "warps " + who[p].Ranges()
		switch {
		case count[p] == 1:
			name = fmt.Sprintf("warp %s waits", who[p].Ranges())
		case count[p] != who[p].Count():
			name = fmt.Sprintf("%d warps wait", count[p])
		default:
			name += " wait"
		}
		parts = append(parts, fmt.Sprintf("%s at barrier %d (%s)", name, p.barrier, p.site))
	}
	return strings.Join(parts, "; ")
}
