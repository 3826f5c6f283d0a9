package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slope returns the cycles of one application of a body on the H200, as the
// recorded figures were taken: between 2 and 8 applications in a row.
func slope(t *testing.T, threads int, body func(w *warp.Warp) (once func())) float64 {
	t.Helper()
	e := engine(t, "h200", warp.Config{})
	cycles := func(n int) float64 {
		r, err := e.Run(context.Background(), one(threads), func(w *warp.Warp) {
			once := body(w)
			for range n {
				once()
			}
		})
		require.NoError(t, err)
		return float64(r.Cycles)
	}
	return (cycles(8) - cycles(2)) / 6
}

func tree[T warp.Number](mode crossbar.Mode, width int) func(w *warp.Warp) func() {
	return func(w *warp.Warp) func() {
		v, x := warp.Alloc[T](w), warp.Alloc[T](w)
		warp.Set(v, 1)
		return func() {
			for d := width / 2; d > 0; d /= 2 {
				warp.Shfl(x, v, warp.Shuffle{Mode: mode, Operand: int32(d), Width: width})
				warp.Add(v, v, x)
			}
		}
	}
}

// mailbox sends a value through shared memory, ordered by warp barriers.
func mailbox(w *warp.Warp) func() {
	s := warp.Shared[float32](w, w.BlockThreads())
	v, x, from := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[int32](w)
	warp.Set(v, 1)
	warp.Set(from, int32(w.ID()*w.Width()+7))
	id := w.ThreadID()
	return func() {
		warp.Store(s, id, v)
		w.SyncWarp(w.Active())
		warp.Load(x, s, from)
		warp.Add(v, v, x)
		w.SyncWarp(w.Active())
	}
}

// Wide kernels of single warps take the very cycles that were recorded on the
// chip (kernels.csv of bench/accuracy).
func TestCyclesOfTheChip(t *testing.T) {
	redux := func(w *warp.Warp) func() {
		v := warp.Alloc[int32](w)
		warp.Set(v, 1)
		return func() { warp.Redux(warp.ReduxAdd, v, v) }
	}
	scan := func(w *warp.Warp) func() {
		v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
		warp.Set(v, 1)
		var in []warp.Pred
		for d := 1; d < w.Width(); d *= 2 {
			in = append(in, w.Pred())
			warp.GeImm(in[len(in)-1], w.LaneID(), int32(d))
		}
		return func() {
			for i := range in {
				warp.ShflUp(x, v, 1<<i)
				w.Where(in[i], func() { warp.Add(v, v, x) })
			}
		}
	}
	idx := func(w *warp.Warp) func() {
		v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
		warp.Set(v, 1)
		return func() {
			warp.ShflIdx(x, v, 7)
			warp.Add(v, v, x)
		}
	}
	for _, c := range []struct {
		name    string
		threads int
		want    float64
		body    func(w *warp.Warp) func()
	}{
		{"warp_reduce_down_f32", 32, 145, tree[float32](crossbar.Down, 32)},
		{"warp_reduce_down_f32", 256, 145, tree[float32](crossbar.Down, 32)},
		{"warp_reduce_xor_f32", 32, 145, tree[float32](crossbar.Xor, 32)},
		{"warp_reduce_xor_f32", 1024, 160, tree[float32](crossbar.Xor, 32)},
		{"warp_reduce_down_s32", 32, 145, tree[int32](crossbar.Down, 32)},
		{"warp_reduce_xor_s32", 32, 145, tree[int32](crossbar.Xor, 32)},
		{"warp_reduce_down_f64", 32, 175, tree[float64](crossbar.Down, 32)},
		{"warp_reduce_down_f64", 1024, 320, tree[float64](crossbar.Down, 32)},
		{"warp_reduce_down_width16_f32", 32, 116, tree[float32](crossbar.Down, 16)},
		{"warp_scan_up_f32", 32, 145, scan}, // recorded 145.33 with a move every other time
		{"warp_reduce_redux_s32", 32, 44, redux},
		{"mailbox_shfl_idx_f32", 32, 29, idx},
		{"mailbox_shfl_idx_f32", 256, 29, idx},
		{"mailbox_smem_syncwarp_f32", 32, 33, mailbox},
	} {
		assert.Equal(t, c.want, slope(t, c.threads, c.body), "%s, %d threads", c.name, c.threads)
	}
}

// Lanes that want different words of one bank take turns at atomics as lanes that
// want one word do: cycles recorded on the chip (atoms_way and atoms_bank in
// further.csv of bench/accuracy).
func TestAtomicsTakeTurnsAtBanks(t *testing.T) {
	for _, c := range []struct {
		name  string
		index func(l int) int32
		want  float64
	}{
		{"way1", func(l int) int32 { return int32(l) }, 26},
		{"way4", func(l int) int32 { return int32(l / 4) }, 32},
		{"bank2", func(l int) int32 { return int32(l/2 + l%2*32) }, 28},
		{"bank4", func(l int) int32 { return int32(l/4 + l%4*32) }, 32},
		{"bank32", func(l int) int32 { return int32(l * 32) }, 88},
	} {
		assert.Equal(t, c.want, slope(t, 32, func(w *warp.Warp) func() {
			s := warp.Shared[uint32](w, 1024)
			at, x := warp.Alloc[int32](w), warp.Alloc[uint32](w)
			warp.SetLanes(at, c.index)
			warp.Set(x, 1)
			return func() { warp.Atomic(warp.AtomicAdd, x, s, at, x) }
		}), c.name)
	}
}
