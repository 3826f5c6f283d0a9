package kernels

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// rowsAtOnce is how many rows MatVec sums up together.
const rowsAtOnce = 8

// MatVec multiplies a matrix of rows*cols elements, row after row in a, by the
// vector x, and writes the product to y: y[i] is the sum of a[i*cols+j]*x[j].
//
//	a   1 2     x  5     y  17
//	    3 4        6        39
//
// The warps of the block take batches of up to 8 rows in turns. Lanes side by side
// read elements side by side. Each lane adds up the products of its
// columns, from left to right, for all rows of the batch. Then the lanes halve
// the rows: in a step of distance d each keeps one half of the rows it has and
// adds what its partner has of them, so that 8 rows take 7 shuffles instead of 24
// until each lane has one row, and one a step from there on. Of the sum of a row
// lanes l and l+w/2 come together first, then those w/4 apart, and so on; floats
// round after every multiplication and addition.
//
// Contract:
//
//   - Lanes: all of each warp, so blocks have a multiple of the warp's threads.
//   - Shared memory: none.
//   - Cost: a load and a multiplication and addition for each row and each w
//     columns, for w lanes; 7 shuffles and log2(w)-3 more for 8 rows.
//   - Errors: team.ErrShape for fewer than one row or column, or more elements
//     than there are; team.ErrActive.
func MatVec[T warp.Number](w *warp.Warp, y, a, x warp.Mem[T], rows, cols int) {
	const name = "matrix-vector"
	if rows < 1 || cols < 1 || rows > y.Len() || cols > x.Len() || rows > a.Len()/cols {
		fail(name, team.ErrShape, fmt.Sprintf("%d rows and %d columns, of arrays with %d, %d and %d elements", rows, cols, y.Len(), a.Len(), x.Len()),
			"give rows elements of y, cols of x, and rows*cols of a")
	}
	lanes := w.Width()
	wholeGroups(w, name, lanes)
	batch := min(rowsAtOnce, lanes)
	id := w.LaneID()
	m := w.Mark()
	sums := make([]warp.Reg[T], batch)
	elements := make([]warp.Reg[T], batch)
	for k := range sums {
		sums[k], elements[k] = warp.Alloc[T](w), warp.Alloc[T](w)
	}
	xs, at := warp.Alloc[T](w), warp.Alloc[int32](w)
	for first := w.ID() * batch; first < rows; first += w.BlockWarps() * batch {
		n := min(batch, rows-first)
		for _, s := range sums {
			warp.Set(s, 0)
		}
		for col := 0; col < cols; col += lanes {
			only(w, lane.FirstN(min(lanes, cols-col)), func() {
				warp.Load(xs, x.At(col), id)
				for k := range n { // all loads first, so that they are under way together
					warp.Load(elements[k], a.At((first+k)*cols+col), id)
				}
				for k := range n {
					warp.MulAdd(sums[k], elements[k], xs, sums[k])
				}
			})
		}
		each := halve(w, sums) // lanes with one row
		holders := lane.Mask{}
		for k := range n {
			holders = holders.With(k * each)
		}
		warp.ShrImm(at, id, int32(bits.TrailingZeros(uint(each))))
		only(w, holders, func() { warp.Store(y.At(first), at, sums[0]) })
	}
	w.Release(m)
}

// halve leaves the sum over all lanes of sums[k] in sums[0] of the lanes from
// k*each on, and returns each.
func halve[T warp.Number](w *warp.Warp, sums []warp.Reg[T]) (each int) {
	lanes := w.Width()
	m := w.Mark()
	x, upper := warp.Alloc[T](w), w.Pred()
	n := len(sums)
	for d := lanes / 2; d > 0; d /= 2 {
		if n == 1 {
			warp.ShflXor(x, sums[0], d)
			warp.Add(sums[0], sums[0], x)
			continue
		}
		n /= 2
		warp.SetPred(upper, lanesWith(w, d))
		for k := range n {
			low, high := sums[k], sums[k+n]
			warp.Select(x, upper, low, high) // what the partner keeps
			warp.Select(low, upper, high, low)
			warp.ShflXor(x, x, d)
			warp.Add(low, low, x)
		}
	}
	w.Release(m)
	return lanes / len(sums)
}

// only runs body as predicated instructions of the lanes of m, or as it is if
// these are all.
func only(w *warp.Warp, m lane.Mask, body func()) {
	if m == w.Active() {
		body()
		return
	}
	mark := w.Mark()
	p := w.Pred()
	warp.SetPred(p, m)
	w.Where(p, body)
	w.Release(mark)
}
