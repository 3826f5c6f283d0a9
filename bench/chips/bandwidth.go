package main

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
)

// bandwidth measures bytes a second of the whole device.
func bandwidth(f *figure, of string) (float64, error) {
	switch of {
	case "l1_read":
		return firstLevelBandwidth(f)
	case "l2_read", "l2", "l2_read_shared":
		return secondLevelBandwidth(f)
	case "l2_write":
		return sweep(f, memory.Warm, 1024, 2, writes)
	case "infinity_cache_read":
		return thirdLevelBandwidth(f)
	case "dram_read":
		return sweep(f, memory.Kept, 1024, 2, reads)
	case "dram_write":
		return sweep(f, memory.Kept, 1024, 2, writes)
	case "dram_copy":
		return sweep(f, memory.Kept, 1024, 2, copies)
	}
	threads, ok := f.number("2 blocks of ", " threads")
	if !ok {
		if threads, ok = f.number("2 blocks of ", ""); !ok {
			return 0, errNoKernel
		}
	}
	switch of {
	case "dram_stream_read":
		return sweep(f, memory.Kept, threads, 2, reads)
	case "dram_stream_init":
		return sweep(f, memory.Kept, threads, 2, writes)
	case "dram_stream_scale":
		return sweep(f, memory.Kept, threads, 2, copies)
	case "dram_stream_triad":
		return sweep(f, memory.Kept, threads, 2, triads)
	}
	return 0, errNoKernel
}

// A stream is what a thread does with its element of arrays of doubles, and how
// many of them it goes through.
type stream struct {
	name   string
	arrays int
	body   func(w *warp.Warp, a [3]warp.Mem[float64], i warp.Reg[int32], v, u warp.Reg[float64])
}

var (
	reads = stream{"reads", 1, func(w *warp.Warp, a [3]warp.Mem[float64], i warp.Reg[int32], v, u warp.Reg[float64]) {
		p := w.Pred()
		warp.Load(v, a[1], i)
		warp.EqImm(p, v, 123.33)
		w.Where(p, func() { warp.Store(a[0], i, v) })
	}}
	writes = stream{"writes", 1, func(w *warp.Warp, a [3]warp.Mem[float64], i warp.Reg[int32], v, u warp.Reg[float64]) {
		warp.Set(v, 0.23)
		warp.Store(a[0], i, v)
	}}
	copies = stream{"copies", 2, func(w *warp.Warp, a [3]warp.Mem[float64], i warp.Reg[int32], v, u warp.Reg[float64]) {
		warp.Load(v, a[1], i)
		warp.MulImm(v, v, 1.2)
		warp.Store(a[0], i, v)
	}}
	triads = stream{"triads", 3, func(w *warp.Warp, a [3]warp.Mem[float64], i warp.Reg[int32], v, u warp.Reg[float64]) {
		warp.Load(v, a[1], i)
		warp.Load(u, a[2], i)
		warp.FMAImm(u, v, u, 1)
		warp.Store(a[0], i, u)
	}}
)

// A sweepKey says what a sweep does: several figures of one chip, by others, are of the
// same.
type sweepKey struct {
	state             memory.State
	threads, resident int
	stream            string
}

// sweep goes once through arrays with one element a thread and so many blocks of a
// multiprocessor at a time.
func sweep(f *figure, m memory.State, threads, resident int, s stream) (float64, error) {
	key := sweepKey{m, threads, resident, s.name}
	if gb, ok := f.swept[key]; ok {
		return f.inUnit(gb), nil
	}
	p, err := shortOfThird(f.profile)
	if err != nil {
		return 0, err
	}
	wave := p.Limits.Multiprocessors * resident
	t := trial{profile: p, memory: m, resident: resident, few: max(4, 2048/threads), many: max(8, 4096/threads),
		launch: func(waves int) warp.Launch {
			return warp.Launch{Blocks: warp.X(wave * waves), Threads: warp.X(threads)}
		}}
	if m == memory.Warm { // what fits the second level
		t.few, t.many = 1, 2
	} else if p.Timing.Global.Second != nil { // a long run of the same kernel
		bytes := p.Timing.Global.Second.Bytes
		if p.Timing.Global.Third != nil {
			bytes += p.Timing.Global.Third.Bytes
		}
		t.before = 1 + bytes/(8*s.arrays*wave*threads)
	}
	size := func(waves int) int { return wave * threads * waves }
	cycles, err := t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		var some, others [3]warp.Mem[float64]
		for i := range some {
			var err error
			if some[i], err = warp.Global(e, make([]float64, size(t.many))); err != nil {
				return nil, err
			}
			if others[i], err = warp.Global(e, make([]float64, size(t.before))); err != nil {
				return nil, err
			}
		}
		return func(waves int) warp.Kernel {
			a, n := some, size(waves)
			if waves < 0 {
				a, n = others, size(-waves)
			}
			return func(w *warp.Warp) {
				i, in := w.GlobalID(), w.Pred()
				v, u := warp.Alloc[float64](w), warp.Alloc[float64](w)
				warp.LtImm(in, i, int32(n))
				w.Where(in, func() { s.body(w, a, i, v, u) })
			}
		}, nil
	})
	bytes := float64(s.arrays * 8 * wave * threads)
	if err != nil {
		return 0, err
	}
	f.swept[key] = perSecond(p, bytes/cycles)
	return f.inUnit(f.swept[key]), nil
}

// shortOfThird returns the profile with a third level of 4 MB, if it has one: streams
// that are longer than it pass it at one speed, and need not be as long as the chip's.
func shortOfThird(p *device.Profile) (*device.Profile, error) {
	if p.Timing.Global.Third == nil {
		return p, nil
	}
	return device.With(p, `{"timing": {"global": {"third": {"bytes": 4194304, "status": "estimated", "source": "short, for short streams"}}}}`)
}

// thirdLevelBandwidth has full multiprocessors read again what does not fit the second
// level, but the third.
func thirdLevelBandwidth(f *figure) (float64, error) {
	p := f.profile
	if p.Timing.Global.Third == nil {
		return 0, errNoKernel
	}
	const threads, resident, few, many = 1024, 1, 4, 12
	wave := p.Limits.Multiprocessors * threads
	run := 1 + 2*p.Timing.Global.Second.Bytes/(8*wave*few) // how often few goes on to other data
	data := make([]float64, wave*run*many)
	t := trial{profile: p, memory: memory.Kept, resident: resident, few: few, many: many, before: many, launch: blocks(p.Limits.Multiprocessors, threads)}
	cycles, err := t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		a, err := warp.Global(e, data)
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				v := [8]warp.Reg[float64]{}
				for k := range v {
					v[k] = warp.Alloc[float64](w)
				}
				for n := range run * max(times, -times) {
					warp.Load(v[n%8], a.At(n*wave), w.GlobalID())
					if n%8 == 7 {
						for k := range v {
							warp.Mov(v[k], v[k])
						}
					}
				}
			}
		}, err
	})
	return f.inUnit(perSecond(p, float64(8*wave*run)/cycles)), err
}

// firstLevelBandwidth has one block of 256 threads of each multiprocessor read 8 KB
// again and again: floats on devices of NVIDIA, four of them at once elsewhere, as
// the program that was measured.
func firstLevelBandwidth(f *figure) (float64, error) {
	var cycles float64
	var err error
	bytes := 4
	if f.profile.Vendor == "NVIDIA" {
		cycles, err = rereads[float32](f, 2048/256)
	} else {
		bytes = 16
		cycles, err = rereads[[4]float32](f, 512/256)
	}
	return f.inUnit(perSecond(f.profile, float64(bytes*256*f.profile.Limits.Multiprocessors)/cycles)), err
}

// rereads returns the cycles of one load of each thread of a block of 256 that goes
// through so many elements a thread again and again.
func rereads[T any](f *figure, each int) (float64, error) {
	const unrolled = 32
	data := make([]T, 256*each)
	t := trial{profile: f.profile, memory: memory.Warm, launch: oneBlock(256), few: 4, many: 12}
	cycles, err := t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		a, err := warp.Global(e, data)
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				to := make([]warp.Reg[T], unrolled)
				for i := range to {
					to[i] = warp.Alloc[T](w)
				}
				for range times {
					for i := range to {
						warp.Load(to[i], a.At(i%each*256), w.ThreadID())
					}
					for i := range to {
						warp.Mov(to[i], to[i]) // it is added to a sum
					}
				}
			}
		}, err
	})
	return cycles / unrolled, err
}

// secondLevelBandwidth has full multiprocessors read a part of the second level,
// each block beginning elsewhere, so that the first level does not help.
func secondLevelBandwidth(f *figure) (float64, error) {
	p := f.profile
	const threads = 1024
	resident := max(1, min(p.Limits.ThreadsPerMultiprocessor/threads, 2))
	grid := p.Limits.Multiprocessors * resident
	const run = 23 // blocks that do not share what they read
	const few, many = 8, 24
	data := make([]float64, run*threads*many)
	t := trial{profile: p, memory: memory.Warm, resident: resident, few: few, many: many, launch: blocks(grid, threads)}
	cycles, err := t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		a, err := warp.Global(e, data)
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				i, v := warp.Alloc[int32](w), [8]warp.Reg[float64]{}
				for k := range v {
					v[k] = warp.Alloc[float64](w)
				}
				for n := range times {
					warp.AddImm(i, w.ThreadID(), int32(threads*(run*n+w.BlockIndex()%run)))
					warp.Load(v[n%8], a, i)
					if n%8 == 7 {
						for k := range v {
							warp.Mov(v[k], v[k])
						}
					}
				}
			}
		}, err
	})
	return f.inUnit(perSecond(p, float64(grid*threads*8)/cycles)), err
}

// firstLevelLoad returns the cycles of a load of a full multiprocessor, for each 32
// lanes.
func firstLevelLoad(f *figure) (float64, error) {
	at := func(l int) int { return l }
	if k, ok := f.number("block rows of ", " lanes"); ok {
		at = func(l int) int { return l/k*4098 + l%k }
	} else if k, ok := f.number("lanes ", " elements apart"); ok {
		at = func(l int) int { return l * k }
	}
	if f.condition[:5] == "float" {
		return patternLoads[float32](f, at)
	}
	return patternLoads[float64](f, at)
}

func patternLoads[T any](f *figure, at func(int) int) (float64, error) {
	p := f.profile
	warps := min(p.Limits.ThreadsPerBlock/p.Lanes, 32)
	most := 0
	for l := range p.Lanes {
		most = max(most, at(l))
	}
	data := make([]T, most+1)
	t := trial{profile: p, memory: memory.Warm, launch: oneBlock(warps * p.Lanes), few: 4, many: 12}
	cycles, err := t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		a, err := warp.Global(e, data)
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				idx := warp.Alloc[int32](w)
				warp.SetLanes(idx, func(l int) int32 { return int32(at(l)) })
				var to [4]warp.Reg[T]
				for i := range to {
					to[i] = warp.Alloc[T](w)
				}
				for range times {
					for i := range to {
						warp.Load(to[i], a, idx)
					}
					for i := range to {
						warp.Mov(to[i], to[i])
					}
				}
			}
		}, err
	})
	return cycles / float64(4*warps) / float64(p.Lanes) * 32, err
}
