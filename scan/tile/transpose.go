package tile

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Transpose transposes a square tile by shuffles, without shared memory: each
// group of as many lanes as there are registers swaps register j of lane i with
// register i of lane j. It turns a blocked arrangement of a group into the
// striped one and back.
//
//	in   lane 0: a b   lane 1: c d
//	out  lane 0: a c   lane 1: b d
//
// In the step of distance d, lanes that differ in that bit swap the registers
// whose numbers do.
//
// Contract:
//
//   - Threads: whole groups of n lanes for n registers, a power of two up to the
//     warp; groups without an active lane do not count.
//   - Shared memory: none.
//   - Cost: log2(n) steps of n/2 shuffles and 3n/2 selects.
//   - Errors: team.ErrItems for another number of registers, team.ErrActive
//     for a group with some lanes only.
func Transpose[T any](items []warp.Reg[T]) {
	w := warpOf(items)
	n := len(items)
	fail := func(kind error, detail, advice string) {
		panic(&team.Error{Algorithm: "transpose", Kind: kind, Detail: detail, Advice: advice})
	}
	if n > w.Width() || n&(n-1) != 0 {
		fail(team.ErrItems, fmt.Sprintf("%d registers in a warp of %d lanes", n, w.Width()), "use a power of two up to the warp, or BlockedToStriped with a team of groups")
	}
	for first := 0; first < w.Width(); first += n {
		group := lane.Range(first, first+n)
		if in := w.Active().And(group); in != group && !in.Empty() {
			fail(team.ErrActive, "lanes "+in.Ranges()+" of the group "+group.Ranges(), "let whole groups take part, or use GroupBlockedToStriped")
		}
	}
	id := w.LaneID()
	m := w.Mark()
	x, bit, upper := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < n; d *= 2 {
		warp.AndImm(bit, id, int32(d))
		warp.NeImm(upper, bit, 0)
		for j := range n {
			if j&d != 0 {
				continue
			}
			low, high := items[j], items[j+d]
			warp.Select(x, upper, low, high) // what the partner wants
			warp.ShflXor(x, x, d)
			warp.Select(low, upper, x, low)
			warp.Select(high, upper, high, x)
		}
	}
	w.Release(m)
}
