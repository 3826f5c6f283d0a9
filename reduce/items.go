package reduce

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Items sets dst to the reduction of several registers of each lane, from left
// to right: what a thread does with several items before it meets the others.
// dst may be the first of them. No items are an error of kind team.ErrItems.
func Items[T any](dst warp.Reg[T], op Op[T], items ...warp.Reg[T]) {
	if len(items) == 0 {
		fail("items", team.ErrItems, "none", "give each thread at least one")
	}
	if len(items) == 1 {
		warp.Mov(dst, items[0])
		return
	}
	op.Apply(dst, items[0], items[1])
	for _, x := range items[2:] {
		op.Apply(dst, dst, x)
	}
}

// Batch reduces several registers at once, each over all lanes of the warp. It
// leaves the result of v[i] in the lanes from i*W/n to (i+1)*W/n-1 of v[0], of a
// warp of W lanes and n registers; the other registers end up with nothing of
// use. n is a power of two up to W, all lanes must be active, and the operator
// must commute.
//
// In each step a lane sends away half of its registers and combines the others
// with what it gets, so that n reductions take n-1+log2(W/n) shuffles instead
// of n*log2(W): 31 instead of 160 for 32 on 32 lanes. The order of additions
// is that of ShuffleXor.
func Batch[T any](op Op[T], v ...warp.Reg[T]) {
	const name = "batch"
	must(op.needOrder(name, "shuffle-interleaved for each"))
	if len(v) == 0 {
		fail(name, team.ErrItems, "no registers", "give a power of two of them")
	}
	w := v[0].Warp()
	lanes := w.Width()
	if bits.OnesCount(uint(len(v))) != 1 || len(v) > lanes {
		fail(name, team.ErrItems, fmt.Sprintf("%d registers", len(v)), fmt.Sprintf("give a power of two up to %d", lanes))
	}
	if w.Active() != lane.FirstN(lanes) {
		fail(name, team.ErrActive, "lanes "+w.Active().Ranges(), "call it with all lanes of the warp")
	}
	id := w.LaneID()
	m := w.Mark()
	x, p, rest := warp.Alloc[T](w), w.Pred(), warp.Alloc[int32](w)
	d := lanes / 2
	for n := len(v) / 2; n > 0; n /= 2 {
		warp.AndImm(rest, id, int32(d))
		warp.NeImm(p, rest, 0)
		for i := range n {
			warp.Select(x, p, v[i], v[i+n])    // what the partner keeps
			warp.Select(v[i], p, v[i+n], v[i]) // what this lane keeps
			warp.Shfl(x, x, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d)})
			op.Apply(v[i], v[i], x)
		}
		d /= 2
	}
	for ; d > 0; d /= 2 {
		warp.Shfl(x, v[0], warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d)})
		op.Apply(v[0], v[0], x)
	}
	w.Release(m)
}
