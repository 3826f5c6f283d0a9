package main

import "example.com/warpsim/intrinsics"

// blockSum adds up a block: each warp by shuffles, then the first warp the sums of the
// warps, which meet in shared memory. Shuffles do not leave a warp; between warps there
// has to be memory, and a barrier.
func blockSum(g *guide) error {
	const threads = 256
	var result int32
	r, err := g.launch(threads, func(t *intrinsics.Thread) {
		warps := threads / t.WarpSize()
		sums := intrinsics.Shared[int32](t, warps)
		v := sumDown(t, int32(t.ThreadIdx().X))
		if t.Lane() == 0 {
			sums.Store(t, t.WarpID(), v)
		}
		intrinsics.SyncThreads(t)
		if t.WarpID() == 0 {
			v = 0
			if t.Lane() < warps {
				v = sums.Load(t, t.Lane())
			}
			v = sumDown(t, v)
			if t.Lane() == 0 {
				result = v
			}
		}
	})
	if err != nil {
		return err
	}
	g.printf("%d threads: %d, in %d instructions and %d cycles\n", threads, result, r.Instructions, r.Cycles)
	return nil
}

// inclusive gives every lane the sum of itself and all below, by shuffles up. A lane with
// too few lanes below gets its own value, which it must not add.
func inclusive(g *guide) error {
	out := make([]int32, g.device.Lanes)
	_, err := g.launch(0, func(t *intrinsics.Thread) {
		v := int32(t.Lane() + 1)
		for delta := 1; delta < t.WarpSize(); delta *= 2 {
			below := intrinsics.ShflUpSync(t, t.AllLanes(), v, delta)
			if t.Lane() >= delta {
				v += below
			}
		}
		out[t.Lane()] = v
	})
	if err != nil {
		return err
	}
	row(g, "scan", out)
	return nil
}
