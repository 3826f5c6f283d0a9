package warp

import (
	"fmt"
	"slices"
	"strings"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// The permutations of rows of 16 lanes, and the exchanges of rows and halves, are
// those of AMD's vector unit: generations differ in which they have, see
// device.Rules.PermLanes. One that a device lacks ends the kernel with a fault of
// kind Unsupported that names it and what there is instead.

// PermuteRow sets lane i of every row of 16 lanes of dst to what src holds in the
// lane of that row that nibble i of selectors names (v_permlane16), or of the other
// row of its pair with across (v_permlanex16). What a lane gets whose source is not
// active f says; nothing of this is a fault. dst may be src.
func PermuteRow[T any](dst, src Reg[T], selectors uint64, across bool, f crossbar.RowFetch) {
	w := dst.w
	w.sameWarp(src.w)
	w.needPermLane(rowPermutation(across, ""))
	w.goodPattern(w.route.PermuteRow(w.lanes, selectors, across))
	permuteRow(dst, src, f, isa.NoReg)
}

// PermuteRowLanes is PermuteRow with a selector in each lane, of which the low four
// bits count (v_permlane16_var, v_permlanex16_var).
func PermuteRowLanes[T any](dst, src Reg[T], selectors Reg[int32], across bool, f crossbar.RowFetch) {
	w := dst.w
	w.sameWarp(src.w)
	w.sameWarp(selectors.w)
	w.needPermLane(rowPermutation(across, "_var"))
	w.defined(selectors.cell, "selector of a permutation")
	w.goodPattern(w.route.PermuteRowLanes(w.lanes, bitsOf(selectors), across))
	permuteRow(dst, src, f, selectors.id)
}

// rowPermutation names a permutation as profiles do.
func rowPermutation(across bool, form string) string {
	if across {
		return "permlanex16" + form
	}
	return "permlane16" + form
}

func permuteRow[T any](dst, src Reg[T], f crossbar.RowFetch, selectors isa.Reg) {
	w := dst.w
	w.writable(dst.cell)
	moved, zeroed := f.Lanes(&w.route, w.active)
	undef := w.route.MoveMask(*src.undef).And(moved)
	crossbar.Move(vals(dst), vals(src), &w.route, moved)
	clearLanes(vals(dst), zeroed)
	*dst.undef = dst.undef.AndNot(moved.Or(zeroed)).Or(undef)
	words(w, isa.PermLane, dst, src, selectors)
}

// SwapHalves sets dst to what src holds in the same lane of the other half of a warp
// of 64, active or not (v_permlane64). On a warp of 32 it does nothing, in one
// instruction. dst may be src.
func SwapHalves[T any](dst, src Reg[T]) {
	w := dst.w
	w.sameWarp(src.w)
	w.needPermLane("permlane64")
	w.writable(dst.cell)
	w.route.SwapHalves(w.lanes)
	if w.lanes > 32 {
		undef := w.route.MoveMask(*src.undef).And(w.active)
		crossbar.Move(vals(dst), vals(src), &w.route, w.active)
		*dst.undef = dst.undef.AndNot(w.active).Or(undef)
	}
	words(w, isa.PermLane, dst, src, isa.NoReg)
}

// ExchangeRows swaps the odd rows of 16 lanes of a with the even rows of b: lane 16+i
// of a with lane i of b in every 32 lanes (v_permlane16_swap, a being the
// destination). A lane that is not active keeps what it has; what an active one gets
// whose partner is not, f says. a and b must be two registers: one given twice is
// swapped with itself, a fault of kind BadArgument.
func ExchangeRows[T any](a, b Reg[T], f crossbar.RowFetch) {
	w := a.w
	w.needPermLane("permlane16_swap")
	w.goodPattern(w.route.PermuteRow(w.lanes, 0xfedcba9876543210, true))
	exchange(a, b, 16, f)
}

// ExchangeHalves swaps the upper half of a with the lower half of b: lane 32+i of a
// with lane i of b (v_permlane32_swap, a being the destination). It is for warps of
// 64 lanes, and otherwise as ExchangeRows.
func ExchangeHalves[T any](a, b Reg[T], f crossbar.RowFetch) {
	w := a.w
	w.needPermLane("permlane32_swap")
	if w.lanes < 64 {
		w.goodPattern(&crossbar.PatternError{Instr: "exchange of halves", Lanes: w.lanes, Reason: "works on 64 lanes"})
	}
	w.route.SwapHalves(w.lanes)
	exchange(a, b, 32, f)
}

// exchange swaps the lanes of a that have the bit block in their number with those of
// b that have not, along the warp's route.
func exchange[T any](a, b Reg[T], block int, f crossbar.RowFetch) {
	w := a.w
	w.sameWarp(b.w)
	w.writable(a.cell)
	w.writable(b.cell)
	if a.cell == b.cell {
		w.raise(Fault{Kind: BadArgument, Lanes: w.active, Detail: "an exchange between a register and itself",
			Advice: "copy it first, and pass the two"})
		panic(abort{})
	}
	var upper lane.Mask
	for l := range w.lanes {
		if l&block != 0 {
			upper = upper.With(l)
		}
	}
	moved, zeroed := f.Lanes(&w.route, w.active)
	m := w.file.Mark()
	old := Alloc[T](w)
	copy(vals(old), vals(a))
	undef := *a.undef
	half := func(dst, src Reg[T], from, lanes lane.Mask) {
		got, none := moved.And(lanes), zeroed.And(lanes)
		crossbar.Move(vals(dst), vals(src), &w.route, got)
		clearLanes(vals(dst), none)
		*dst.undef = dst.undef.AndNot(got.Or(none)).Or(w.route.MoveMask(from).And(got))
	}
	half(a, b, *b.undef, upper)
	half(b, old, undef, w.all.AndNot(upper))
	w.file.Release(m)
	for i := range int(a.rows) {
		w.record(isa.Instr{Op: isa.PermLane, Dst: a.word(i), Dst2: b.word(i), A: a.word(i), B: b.word(i)})
	}
}

// WriteLane sets one lane of dst to a value that is the same for the warp, whether
// that lane is active or not, and leaves all others (v_writelane). A lane beyond the
// warp counts modulo the warp, and is a fault of kind OperandRange.
func WriteLane[T any](dst Reg[T], to int, value T) {
	w := dst.w
	w.needRoute("readlane", "writes of one lane")
	w.laneInWarp(to)
	to = crossbar.ReadLane(w.lanes, uint32(to))
	w.writable(dst.cell)
	vals(dst)[to] = value
	*dst.undef = dst.undef.Without(to)
	if w.seen != nil {
		w.route.Shuffle(crossbar.CutToWarp, crossbar.Xor, w.lanes, w.lanes, 0)
	}
	words(w, isa.WriteLane, dst, dst, isa.NoReg)
}

// laneInWarp faults a lane number that the warp does not have.
func (w *Warp) laneInWarp(l int) {
	if uint(l) < uint(w.lanes) || w.repeated(OperandRange, w.active, lane.Mask{}, lane.Mask{}) {
		return
	}
	w.raise(Fault{Kind: OperandRange, Lanes: w.active, Detail: fmt.Sprintf("lane %d of a warp of %d", l, w.lanes),
		Advice: fmt.Sprintf("keep it from 0 to %d", w.lanes-1)})
}

// needPermLane ends the kernel on a device without a permutation of rows.
func (w *Warp) needPermLane(name string) {
	p := w.run.engine.profile
	has := slices.Contains(p.Rules.Routes, "permlane")
	if has && slices.Contains(p.Rules.PermLanes, name) {
		return
	}
	advice := "use a shuffle"
	if has {
		advice = "use one of " + strings.Join(p.Rules.PermLanes, ", ") + ", or a shuffle"
	}
	w.raise(Fault{Kind: Unsupported, Detail: p.Name + " has no " + name, Advice: advice})
	panic(abort{})
}
