package exchange

import (
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
)

// full ends the kernel if not all lanes of the warp are active.
func full(w *warp.Warp, name string) {
	if w.Active() != lane.FirstN(w.Width()) {
		fail(name, reduce.ErrActive, "lanes "+w.Active().Ranges(), "call it with all lanes of the warp")
	}
}

func fail(name string, kind error, detail, advice string) {
	panic(&reduce.Error{Algorithm: name, Kind: kind, Detail: detail, Advice: advice})
}

// lanesWith returns the lanes of a warp whose number has the bit d.
func lanesWith(w *warp.Warp, d int) lane.Mask {
	var m lane.Mask
	for l := range w.Width() {
		if l&d != 0 {
			m = m.With(l)
		}
	}
	return m
}

// Broadcast gives all lanes what v holds in lane from: one shuffle.
func Broadcast[T any](v warp.Reg[T], from int) {
	w := v.Warp()
	full(w, "broadcast")
	if from < 0 || from >= w.Width() {
		fail("broadcast", reduce.ErrWidth, fmt.Sprintf("lane %d", from), fmt.Sprintf("use 0 to %d", w.Width()-1))
	}
	warp.ShflIdx(v, v, from)
}

// Rotate sets dst to what src holds k lanes above, around the end of the warp; a
// negative k rotates the other way. It is a shuffle and two instructions.
func Rotate[T any](dst, src warp.Reg[T], k int) {
	w := dst.Warp()
	full(w, "rotate")
	id := w.LaneID()
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.AddImm(at, id, int32(k%w.Width()))
	warp.AndImm(at, at, int32(w.Width()-1))
	warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
	w.Release(m)
}

// Transpose exchanges rows and columns: of n registers in each group of n lanes,
// v[i] of lane j ends up in v[j] of lane i. n is a power of two up to the warp.
// It takes log2(n) steps of n/2 shuffles and as many pairs of selects.
func Transpose[T any](v ...warp.Reg[T]) {
	const name = "transpose"
	n := len(v)
	if n == 0 || n&(n-1) != 0 || n > v[0].Warp().Width() {
		fail(name, reduce.ErrItems, fmt.Sprintf("%d registers", n), "give a power of two, at most one for each lane")
	}
	w := v[0].Warp()
	full(w, name)
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	for d := 1; d < n; d *= 2 {
		warp.SetPred(p, lanesWith(w, d))
		for i := range n {
			if i&d != 0 {
				continue
			}
			warp.Select(x, p, v[i], v[i+d]) // what belongs to the partner
			warp.Shfl(x, x, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d)})
			warp.Select(v[i+d], p, v[i+d], x)
			warp.Select(v[i], p, x, v[i])
		}
	}
	w.Release(m)
}

// MatVec sets y to the product of a square matrix, with as many columns as the
// warp has lanes, and x, one element a lane. The matrix is stored by columns, so
// that neighbouring lanes load neighbouring elements. It takes a load, a shuffle
// and a multiply-add a column; sums run from left to right, each product rounded
// before it is added.
func MatVec[T warp.Number](y, x warp.Reg[T], columns warp.Mem[T]) {
	w := y.Warp()
	const name = "matvec"
	full(w, name)
	n := w.Width()
	if columns.Len() < n*n {
		fail(name, reduce.ErrStorage, fmt.Sprintf("a matrix of %d elements", columns.Len()), fmt.Sprintf("give %d by %d", n, n))
	}
	id := w.LaneID()
	m := w.Mark()
	a, b, sum := warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[T](w)
	var zero T
	warp.Set(sum, zero)
	for k := range n {
		warp.Load(a, columns.At(k*n), id)
		warp.ShflIdx(b, x, k)
		warp.MulAdd(sum, a, b, sum)
	}
	warp.Mov(y, sum)
	w.Release(m)
}
