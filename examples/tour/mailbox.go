package main

import (
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// mailbox hands lane 7's value to all: through shared memory, with a store, a barrier and
// a load, or by one shuffle.
func mailbox(g *guide) error {
	const from = 7
	old, err := g.launch(0, func(t *intrinsics.Thread) {
		box := intrinsics.Shared[float32](t, t.WarpSize())
		box.Store(t, t.Lane(), float32(t.Lane()))
		intrinsics.SyncThreads(t)
		if v := box.Load(t, from); v != from {
			panic("the mailbox is wrong")
		}
	})
	if err != nil {
		return err
	}
	now, err := g.launch(0, func(t *intrinsics.Thread) {
		if v := intrinsics.ShflSync(t, t.AllLanes(), float32(t.Lane()), from); v != from {
			panic("the shuffle is wrong")
		}
	})
	if err != nil {
		return err
	}
	parts(g, "mailbox", old)
	parts(g, "shuffle", now)
	return nil
}

// parts prints what each part of a run cost.
func parts(g *guide, name string, r *warp.Report) {
	g.printf("%s: %d instructions, %d cycles\n", name, r.Instructions, r.Cycles)
	for _, o := range r.Ops() {
		g.printf("    %-10v %d times, held its warp up for %d cycles\n", o.Op, o.Instructions, o.Cycles)
	}
}

// halves adds up two groups of 16 lanes at once: with a width, no shuffle down leaves its
// group, and the same instructions serve all groups.
func halves(g *guide) error {
	const width = 16
	groups := make([]int32, g.device.Lanes/width)
	_, err := g.launch(0, func(t *intrinsics.Thread) {
		v := int32(t.Lane())
		for offset := width / 2; offset > 0; offset /= 2 {
			v += intrinsics.ShflDownSync(t, t.AllLanes(), v, offset, width)
		}
		if t.Lane()%width == 0 {
			groups[t.Lane()/width] = v
		}
	})
	if err != nil {
		return err
	}
	row(g, "sums of 16", groups)
	return nil
}
