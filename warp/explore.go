package warp

import (
	"fmt"
	"math/rand/v2"

	"example.com/warpsim/lane"
)

// maxSteps bounds the steps of a schedule that a report keeps.
const maxSteps = 4096

// A ScheduleStep is a piece of a warp's run in a schedule that Config.Seed has
// chosen.
type ScheduleStep struct {
	Block, Warp int
	Accesses    int // instructions on memory that it ran, fences too
	// Until is what stopped it: "access", "barrier", "end" or "buffer"; or
	// "lanes" for a step inside a warp, in which Lanes did what stands at Site
	// while the others wait; or "stale" for a load of global memory at Site that gave
	// Lanes what was there before a store that nothing orders before it.
	Until string
	Lanes lane.Mask
	Site  Site // where it stopped; unknown at the end
}

// An explorer decides between the legal schedules of a group's warps: which
// ready warp goes on, and after how many accesses to memory it has to wait. The
// order of what a warp does itself never changes; when others see its stores to
// global memory is decided in late.go.
type explorer struct {
	rng   *rand.Rand
	fuel  int // accesses until the warp pauses
	done  int // accesses of the present step
	steps []ScheduleStep
}

// beginExplore makes the group's explorer fit for group i of a run.
func (g *group) beginExplore() {
	seed := g.run.engine.config.Seed
	if seed == 0 {
		return
	}
	g.explorer = &explorer{rng: rand.New(rand.NewPCG(seed, uint64(g.index)))}
}

// pause stops the warp before an access to memory, or a fence, if its time is up.
func (x *explorer) pause(w *Warp) {
	if x.fuel > 0 || w.co == nil {
		x.fuel--
		x.done++
		return
	}
	w.waitSite = w.callSite()
	w.suspend(eventPause)
	x.done++
}

// roundsExplored is rounds with an explorer's choices.
func (g *group) roundsExplored(live []*Warp) error {
	x := g.explorer
	ready := make([]*Warp, 0, len(live))
	for {
		ready = ready[:0]
		for _, w := range live {
			if w.state == stateReady {
				ready = append(ready, w)
			}
		}
		switch {
		case g.running == 0:
			return nil
		case len(ready) == 0:
			return g.deadlock(live)
		}
		w := ready[x.rng.IntN(len(ready))]
		x.fuel, x.done = x.draw(), 0
		step := ScheduleStep{Block: w.block.index, Warp: w.id}
		switch w.resume() {
		case eventDone:
			step.Until = "end"
		case eventFull:
			step.Until = "buffer"
		case eventPause:
			step.Until, step.Site = "access", w.waitSite
		default:
			step.Until = "barrier"
		}
		step.Accesses = x.done
		x.note(step)
		if g.err != nil {
			return g.err
		}
		if err := g.empty(live); err != nil {
			return err
		}
	}
}

// note adds a step to the schedule.
func (x *explorer) note(step ScheduleStep) {
	if len(x.steps) < maxSteps {
		x.steps = append(x.steps, step)
	}
}

// draw returns for how many accesses a warp may go on: often a few, sometimes
// as far as it can.
func (x *explorer) draw() int {
	if x.rng.IntN(4) == 0 {
		return 1 << 30
	}
	return x.rng.IntN(6)
}

// String returns the step in words, such as "block 0 warp 1: 3 accesses,
// stops before the access at tree.go:31".
func (s ScheduleStep) String() string {
	text := fmt.Sprintf("block %d warp %d: %d accesses, ", s.Block, s.Warp, s.Accesses)
	switch s.Until {
	case "end":
		return text + "ends"
	case "access":
		return text + "stops before the access at " + s.Site.String()
	case "lanes":
		return fmt.Sprintf("block %d warp %d: lanes %s at %s", s.Block, s.Warp, s.Lanes.Ranges(), s.Site)
	case "stale":
		return fmt.Sprintf("block %d warp %d: lanes %s load at %s what was there before a store that no fence has made visible", s.Block, s.Warp, s.Lanes.Ranges(), s.Site)
	case "buffer":
		return text + "pauses, its record buffer is full"
	}
	return text + "waits at a barrier"
}
