package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// In the order of a compiler one lane does an integer atomic for all where the word is
// one for the whole warp by the way its index was made, with what stands around it in the
// listing of bench/accuracy/testdata/combine.sass.gz: not where data makes it so, not where
// lanes have parted, not if one thread is alone, and not in the order as written. What it
// computes is the same, and what is added is no instruction of the kernel.
func TestAtomicsOnOneWordAreCombined(t *testing.T) {
	constant := func(w *warp.Warp, k int32) warp.Reg[int32] {
		r := warp.Alloc[int32](w)
		warp.Set(r, k)
		return r
	}
	odd := func(w *warp.Warp) warp.Pred {
		p, r := w.Pred(), warp.Alloc[int32](w)
		warp.AndImm(r, w.LaneID(), 1)
		warp.EqImm(p, r, 1)
		return p
	}
	const numbers = 31 * 32 / 2
	for name, c := range map[string]struct {
		lanes, written int // that do atomics, in either order
		redux, shuffle int
		want           int32 // in word 3
		kernel         func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32])
	}{
		"one each": {1, 32, 0, 0, 32, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			warp.AtomicReduce(warp.AtomicAdd, words, constant(w, 3), constant(w, 1))
		}},
		"a number each": {1, 32, 1, 0, numbers, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			warp.AtomicReduce(warp.AtomicAdd, words, constant(w, 3), v)
		}},
		"half of the lanes": {1, 16, 0, 0, 32, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k, n := constant(w, 3), constant(w, 2)
			w.Where(odd(w), func() { warp.AtomicReduce(warp.AtomicAdd, words, k, n) })
		}},
		"no lane": {0, 0, 0, 0, 0, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k, p := constant(w, 3), w.Pred()
			warp.EqImm(p, v, 99)
			w.Where(p, func() { warp.AtomicReduce(warp.AtomicAdd, words, k, v) })
		}},
		"an index worked out": {1, 32, 0, 0, 32, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k := constant(w, 1)
			warp.AddImm(k, k, 2)
			warp.AtomicReduce(warp.AtomicAdd, words, k, constant(w, 1))
		}},
		"with a result": {1 + 32, 32 + 32, 0, 1, 4, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			at, k, n := warp.Alloc[int32](w), constant(w, 0), constant(w, 1)
			warp.Atomic(warp.AtomicAdd, at, words, k, n) // 0 to 31
			warp.AtomicReduce(warp.AtomicAdd, words.At(1), at, constant(w, 4))
		}},
		"numbers with a result": {1 + 1, 32 + 1, 0, 1, 6, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			at, k, last := warp.Alloc[int32](w), constant(w, 0), w.Pred()
			warp.Atomic(warp.AtomicAdd, at, words, k, v) // 0, 0, 1, 3, 6, and so on
			warp.EqImm(last, v, 4)
			w.Where(last, func() { warp.AtomicReduce(warp.AtomicAdd, words.At(-3), at, at) }) // 6 to word 3
		}},
		"numbers of half of the lanes with a result": {16, 16, 0, 0, 16 * 16, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			at, k := warp.Alloc[int32](w), constant(w, 3)
			w.If(odd(w), func() { warp.Atomic(warp.AtomicAdd, at, words, k, v) })
		}},
		"an index that was loaded": {1, 32, 0, 0, 32, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k := warp.Alloc[int32](w)
			warp.Load(k, x, constant(w, 3))
			warp.AtomicReduce(warp.AtomicAdd, words, k, constant(w, 1))
		}},
		"an index that is one by its data": {32, 32, 0, 0, 32, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k := warp.Alloc[int32](w)
			warp.ShrImm(k, v, 5)
			warp.AtomicReduce(warp.AtomicAdd, words.At(3), k, constant(w, 1))
		}},
		"a constant of some lanes": {32, 32, 0, 0, 16, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k := constant(w, 3)
			w.If(odd(w), func() { warp.Set(k, 5) })
			warp.AtomicReduce(warp.AtomicAdd, words, k, constant(w, 1))
		}},
		"a maximum": {1, 32, 1, 0, 31, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			warp.AtomicReduce(warp.AtomicMax, words, constant(w, 3), v)
		}},
		"a maximum with a result": {32, 32, 0, 0, 31, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			warp.Atomic(warp.AtomicMax, v, words, constant(w, 3), v)
		}},
		"an exchange": {32, 32, 0, 0, 31, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			warp.AtomicReduce(warp.AtomicExchange, words, constant(w, 3), v)
		}},
		"the first lane": {1, 1, 0, 0, 5, func(w *warp.Warp, words, x warp.Mem[int32], v warp.Reg[int32]) {
			k, n, p, l := constant(w, 3), constant(w, 5), w.Pred(), warp.Alloc[int32](w)
			warp.AndImm(l, w.ThreadID(), 31)
			warp.EqImm(p, l, 0)
			w.If(p, func() { warp.AtomicReduce(warp.AtomicAdd, words, k, n) })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []warp.Order{warp.AsCompiled, warp.AsWritten} {
				lanes, redux, shuffle := 0, 0, 0
				e := engine(t, "h200", warp.Config{Order: o, Observer: &warp.Observer{Issued: func(i *timing.Issue) {
					switch i.Instr.Op {
					case isa.AtomicGlobal, isa.ReduceGlobal:
						lanes += int(i.Instr.Active)
					case isa.Redux:
						redux++
					case isa.ShflIdx:
						shuffle++
					}
				}}})
				data, x := make([]int32, 64), make([]int32, 32)
				for k := range x {
					x[k] = int32(k)
				}
				words, from := global(t, e, data), global(t, e, x)
				r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
					v := warp.Alloc[int32](w)
					warp.Load(v, from, w.LaneID())
					c.kernel(w, words, from, v)
				})
				require.NoError(t, err)
				require.Equal(t, c.want, data[3], o)
				if o == warp.AsCompiled {
					require.Equal(t, []int{c.lanes, c.redux, c.shuffle}, []int{lanes, redux, shuffle})
				} else {
					require.Equal(t, []int{c.written, 0, 0}, []int{lanes, redux, shuffle})
				}
				ops := int64(0)
				for _, x := range r.Ops() {
					ops += x.Instructions
				}
				require.Equal(t, r.Instructions, ops, o)
			}
		})
	}
}

// Floats are not combined, as their sum would depend on it; numbers of 64 bits are if all
// lanes add the same; and one thread of a block, as its number is compared, adds as it is.
func TestAtomicsThatAreAsTheyAre(t *testing.T) {
	type issued struct{ lanes, ballots int }
	for name, c := range map[string]struct {
		want issued
		run  func(e *warp.Engine) warp.Kernel
	}{
		"floats": {issued{32, 0}, func(e *warp.Engine) warp.Kernel {
			m := global(t, e, make([]float32, 1))
			return func(w *warp.Warp) { addSame(w, m, 1) }
		}},
		"64 bits": {issued{1, 1}, func(e *warp.Engine) warp.Kernel {
			m := global(t, e, make([]uint64, 1))
			return func(w *warp.Warp) { addSame(w, m, 1) }
		}},
		"one thread": {issued{1, 0}, func(e *warp.Engine) warp.Kernel {
			m := global(t, e, make([]int32, 1))
			return func(w *warp.Warp) {
				p := w.Pred()
				warp.EqImm(p, w.ThreadID(), 0)
				w.If(p, func() { addSame(w, m, 1) })
			}
		}},
	} {
		got := issued{}
		e := engine(t, "h200", warp.Config{Order: warp.AsCompiled, Observer: &warp.Observer{Issued: func(i *timing.Issue) {
			switch i.Instr.Op {
			case isa.ReduceGlobal:
				got.lanes += int(i.Instr.Active)
			case isa.Ballot:
				got.ballots++
			}
		}}})
		_, err := e.Run(context.Background(), one(32), c.run(e))
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
	}
}

func addSame[T warp.Number](w *warp.Warp, m warp.Mem[T], n T) {
	k, v := warp.Alloc[int32](w), warp.Alloc[T](w)
	warp.Set(k, 0)
	warp.Set(v, n)
	warp.AtomicReduce(warp.AtomicAdd, m, k, v)
}
