package linear

import (
	"fmt"

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
