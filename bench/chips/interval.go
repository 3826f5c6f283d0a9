package main

import (
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// interval measures how often one warp issues instructions that do not wait for
// each other.
func interval(f *figure, of string) (float64, error) {
	if rest, ok := strings.CutPrefix(of, "ds_"); ok {
		switch rest {
		case "read_b32":
			return sharedInterval[uint32](f, false)
		case "read_b64":
			return sharedInterval[[2]uint32](f, false)
		case "read_b128":
			return sharedInterval[[4]uint32](f, false)
		case "write_b32":
			return sharedInterval[uint32](f, true)
		case "write_b64":
			return sharedInterval[[2]uint32](f, true)
		case "write_b128":
			return sharedInterval[[4]uint32](f, true)
		}
		return 0, errNoKernel
	}
	body, ok := map[string]func(w *warp.Warp, r warp.Reg[float32], i warp.Reg[int32], p warp.Pred){
		"v_add_f32":     func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { warp.Add(r, r, r) },
		"v_mul_f32":     func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { warp.Mul(r, r, r) },
		"v_fma_f32":     func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { warp.FMA(r, r, r, r) },
		"v_fmac_f32":    func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { warp.FMA(r, r, r, r) },
		"v_max3_f32":    func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { warp.Max(r, r, r) },
		"v_exp_f32":     func(w *warp.Warp, _ warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { w.Work(isa.Special, 1) },
		"v_rcp_f32":     func(w *warp.Warp, _ warp.Reg[float32], _ warp.Reg[int32], _ warp.Pred) { w.Work(isa.Special, 1) },
		"v_cmp_gt_f32":  func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], p warp.Pred) { warp.Gt(p, r, r) },
		"v_cndmask_b32": func(_ *warp.Warp, r warp.Reg[float32], _ warp.Reg[int32], p warp.Pred) { warp.Select(r, p, r, r) },
		"v_add_u32":     func(_ *warp.Warp, _ warp.Reg[float32], i warp.Reg[int32], _ warp.Pred) { warp.Add(i, i, i) },
	}[of]
	if !ok {
		return 0, errNoKernel
	}
	const apart = 8
	t := trial{profile: f.profile, order: warp.AsWritten, launch: oneBlock(f.profile.Lanes), few: 8, many: 24}
	cycles, err := t.slope(func(*warp.Engine) (func(int) warp.Kernel, error) {
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				var r [apart]warp.Reg[float32]
				var i [apart]warp.Reg[int32]
				p := w.Pred()
				for k := range apart {
					r[k], i[k] = warp.Alloc[float32](w), warp.Alloc[int32](w)
				}
				for range times {
					for k := range apart {
						body(w, r[k], i[k], p)
					}
				}
			}
		}, nil
	})
	return cycles / apart, err
}

// sharedInterval is that of shared loads or stores of neighbouring elements.
func sharedInterval[T any](f *figure, store bool) (float64, error) {
	const apart = 8
	t := trial{profile: f.profile, order: warp.AsWritten, launch: oneBlock(f.profile.Lanes), few: 8, many: 24}
	cycles, err := t.slope(func(*warp.Engine) (func(int) warp.Kernel, error) {
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				s := warp.Shared[T](w, w.Width())
				var r [apart]warp.Reg[T]
				for k := range r {
					r[k] = warp.Alloc[T](w)
				}
				for range times {
					for k := range r {
						if store {
							warp.Store(s, w.ThreadID(), r[k])
						} else {
							warp.Load(r[k], s, w.ThreadID())
						}
					}
				}
				for k := range r {
					warp.Mov(r[k], r[k])
				}
			}
		}, nil
	})
	return cycles / apart, err
}
