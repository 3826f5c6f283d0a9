package warp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// rounds lets every block go as far as it can, again and again in the same order,
// until all warps are done.
func (g *group) rounds(live []*Warp) error {
	for {
		progress := false
		for _, b := range g.blocks[:g.used] {
			if b.goOn() {
				progress = true
			}
			if g.err != nil {
				return g.err
			}
		}
		if g.running == 0 {
			return nil
		}
		if !progress && slices.ContainsFunc(live, (*Warp).isReady) {
			g.quota += bufferRecords
			continue
		}
		// A warp that fills its buffer may spin on what one of those stores that
		// wait for the group's turn: they go on then, too.
		if g.awaiting > 0 && (g.full || !progress) {
			g.beginTurn()
			g.ready(live, stateAwaitsTurn)
			g.awaiting = 0
			progress = true
		}
		if !progress {
			return g.deadlock(live)
		}
		if err := g.empty(live); err != nil {
			return err
		}
	}
}

// goOn lets the warps of the block run in turn until none can, one has filled its
// buffer, or the block is ahead of others. It reports whether any ran.
func (b *block) goOn() (progress bool) {
	g := b.group
	for !b.ahead() {
		again, full := false, false
		for _, w := range b.warps {
			if w.isReady() {
				again = true
				w.resume()
				if g.err != nil {
					return true
				}
			}
			full = full || w.state == stateFull
		}
		progress = progress || again
		if !again || full {
			break
		}
	}
	return progress
}

// ahead reports whether a warp of the block has run the group's quota of
// instructions, so that records do not pile up until others come to as many. All
// warps of the block must have begun, as warps begin in order.
func (b *block) ahead() bool {
	g := b.group
	return g.begun >= (b.slot+1)*len(b.warps) && slices.ContainsFunc(b.warps, func(w *Warp) bool {
		return w.state != stateDone && w.made() >= g.quota
	})
}

func (w *Warp) isReady() bool { return w.state == stateReady }

// empty takes the records of full buffers, if there are any.
func (g *group) empty(live []*Warp) error {
	if !g.full {
		return nil
	}
	g.full = false
	g.ready(live, stateFull)
	return g.advance(live, false)
}

// ready makes all warps in a state ready.
func (g *group) ready(live []*Warp, from warpState) {
	for _, w := range live {
		if w.state == from {
			w.state = stateReady
		}
	}
}

// errAborted ends a group because an earlier one has failed, whose error is that
// of the run.
var errAborted = errors.New("warp: an earlier block has failed")

// deadlock raises the fault of a group in which every warp waits.
func (g *group) deadlock(live []*Warp) error {
	var who []string
	var first *Warp
	g.locating = true
	for _, w := range live {
		if w.state == stateAtBarrier {
			if w.co != nil {
				w.resume()
			} else {
				w.waitSite = w.callSite()
			}
			if first == nil {
				first = w
			}
			if len(who) < 8 {
				who = append(who, fmt.Sprintf("block %d warp %d at barrier %d (%s)", w.block.index, w.id, w.waitBarrier, w.waitSite))
			} else if len(who) == 8 {
				who = append(who, "...")
			}
		}
	}
	f := Fault{Kind: Deadlock, Severity: SeverityError, Block: first.block.index, Warp: first.id,
		Width: first.lanes, Lanes: first.live, Site: first.waitSite,
		Detail: strings.Join(who, ", "),
		Advice: "every warp that a barrier counts must reach it"}
	g.note(f)
	f.Count = 1
	return &f
}
