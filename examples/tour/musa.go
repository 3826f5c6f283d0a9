package main

import (
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp/warptest"
)

// musa runs what the MUSA page shows where warps have 32 lanes (S5000) and where they
// have 128 (S4000). Its sum shuffles by 16, 8, 4, 2 and 1, and its masks name 32 lanes:
// on 128 lanes that is the sum of 32 lanes, four times, and the page's block sum adds up
// no more than the first 32 of the last 128.
func musa(g *guide) error {
	for _, name := range []string{"mtt-s5000", "mtt-s4000"} {
		at, err := g.on(name)
		if err != nil {
			return err
		}
		if err := at.sample("as on the page", func(t *intrinsics.Thread, v float32) float32 {
			for _, offset := range []int{16, 8, 4, 2, 1} {
				v += intrinsics.ShflXorSync(t, intrinsics.FullMask, v, offset)
			}
			return v
		}); err != nil {
			return err
		}
		if err := at.sample("from half a warp on", func(t *intrinsics.Thread, v float32) float32 {
			for offset := t.WarpSize() / 2; offset > 0; offset /= 2 {
				v += intrinsics.ShflXorSync(t, t.AllLanes(), v, offset)
			}
			return v
		}); err != nil {
			return err
		}
	}
	return nil
}

// sample is the page's reduceSumKernel on one block of 256 threads, with the sum of a
// warp that it is given.
func (g *guide) sample(name string, warpReduceSum func(t *intrinsics.Thread, v float32) float32) error {
	const threads = 256
	e, err := g.engine()
	if err != nil {
		return err
	}
	input := make([]float32, threads)
	for i := range input {
		input[i] = 1
	}
	in, err := intrinsics.Global(e, input)
	if err != nil {
		return err
	}
	output, err := intrinsics.Global(e, make([]float32, 1))
	if err != nil {
		return err
	}
	r, err := g.launchOn(e, threads, func(t *intrinsics.Thread) {
		shared := intrinsics.Shared[float32](t, threads)
		tid := t.ThreadIdx().X
		shared.Store(t, tid, in.Load(t, tid))
		intrinsics.SyncThreads(t)
		for s := threads / 2; s >= t.WarpSize(); s /= 2 {
			if tid < s {
				shared.Store(t, tid, shared.Load(t, tid)+shared.Load(t, tid+s))
			}
			intrinsics.SyncThreads(t)
		}
		partial := shared.Load(t, tid)
		if tid < t.WarpSize() {
			reduced := warpReduceSum(t, partial)
			if tid == 0 {
				intrinsics.AtomicAdd(t, output, 0, reduced)
			}
		}
	})
	if err != nil {
		return err
	}
	g.printf("%s, %d lanes, %s: the sum of 256 ones is %v; the checks find: %s\n",
		g.device.Name, g.device.Lanes, name, output.Data()[0], found(warptest.Text(r, 0)))
	return nil
}

func found(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}
