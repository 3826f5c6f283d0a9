package main

import "example.com/warpsim/intrinsics"

// votes moves conditions instead of values: are all lanes of one mind, does any go on,
// which are they, and how many come before me.
func votes(g *guide) error {
	n := g.device.Lanes
	kept, done := []int32{}, make([]int32, n)
	var uniform bool
	rounds := 0
	_, err := g.launch(0, func(t *intrinsics.Thread) {
		l := t.Lane()
		// A branch that all lanes take needs no divergence.
		if all := intrinsics.AllSync(t, t.AllLanes(), l < 1000); l == 0 {
			uniform = all
		}
		// Leave the loop once no lane needs another turn; those that are done wait.
		left := l % 5
		for intrinsics.AnySync(t, t.AllLanes(), left > 0) {
			if left > 0 {
				left--
			}
			if l == 0 {
				rounds++
			}
		}
		// Compaction: the lanes before me that keep theirs say where mine goes.
		out := intrinsics.Shared[int32](t, t.WarpSize())
		keep := l%3 == 0
		hit := intrinsics.Ballot(t, keep)
		before := hit.And(intrinsics.LaneMaskLt[intrinsics.Mask](t)).Count()
		if keep {
			out.Store(t, before, int32(l))
		}
		intrinsics.SyncWarp(t, t.AllLanes())
		if l < hit.Count() {
			v := out.Load(t, l)
			kept = append(kept, v)
		}
		// A queue: lanes without work take the next tasks, in the order of their lanes.
		next, tasks := 0, 2*n
		work := 0
		for {
			idle := intrinsics.Ballot(t, work == 0)
			if next >= tasks && idle.Count() == n {
				break
			}
			if work == 0 {
				if task := next + idle.And(intrinsics.LaneMaskLt[intrinsics.Mask](t)).Count(); task < tasks {
					work = 1 + task%3
				}
			}
			next += idle.Count()
			if work > 0 {
				if work--; work == 0 {
					done[l]++
				}
			}
		}
	})
	if err != nil {
		return err
	}
	total := int32(0)
	for _, d := range done {
		total += d
	}
	g.printf("all lanes take the branch: %v; %d turns until the last lane was done\n", uniform, rounds)
	row(g, "compacted", kept)
	g.printf("the queue's %d tasks are done: %d\n", 2*n, total)
	return nil
}
