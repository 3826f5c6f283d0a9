package main

import "example.com/warpsim/warp"

// shuffles measures a shuffle of each of so many warps of a block, each waiting for
// the one before.
func shuffles(f *figure, shuffle func(dst, src warp.Reg[int32])) (float64, error) {
	return perStep(f, func(w *warp.Warp) func() {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		return func() { shuffle(v, v) }
	})
}

// barriers measures a barrier of a block, or of each warp.
func barriers(f *figure, ofWarp bool) (float64, error) {
	return perStep(f, func(w *warp.Warp) func() {
		if ofWarp {
			return func() { w.SyncWarp(w.Active()) }
		}
		return w.SyncBlock
	})
}

// perStep returns the cycles that a multiprocessor takes for one step of each of the
// warps that the condition names.
func perStep(f *figure, prepare func(w *warp.Warp) func()) (float64, error) {
	warps, ok := f.numberBefore(" warps")
	if !ok {
		return 0, errNoKernel
	}
	t := trial{profile: f.profile, launch: oneBlock(warps * f.profile.Lanes), few: 32, many: 96}
	return t.slope(func(*warp.Engine) (func(int) warp.Kernel, error) {
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				step := prepare(w)
				for range times {
					step()
				}
			}
		}, nil
	})
}
