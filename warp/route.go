package warp

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// The ways between lanes that some devices have beside shuffles. Each takes one
// instruction for each 32-bit word of a value. A device without it, see
// device.Rules.Routes, ends the kernel with a fault of kind Unsupported.

// RowMove sets dst to what src holds in the lanes that a row control names: a
// move whose operand comes from another lane of its row (DPP). to says which
// lanes are written, and what becomes of one whose source is not there or not
// active; all others keep dst. Nothing of this is a fault, as the instruction
// set defines it. dst may be src.
//
// A control that names no pattern ends the kernel with a fault of kind
// BadInstruction, which unwraps to a [*crossbar.PatternError].
func RowMove[T any](dst, src Reg[T], c crossbar.RowControl, to crossbar.RowWrite) {
	w := dst.w
	moved, zeroed := rowRoute(dst, src, c, to)
	undef := w.route.MoveMask(*src.undef).And(moved)
	crossbar.Move(vals(dst), vals(src), &w.route, moved)
	clearLanes(vals(dst), zeroed)
	w.writable(dst.cell)
	*dst.undef = dst.undef.AndNot(moved.Or(zeroed)).Or(undef)
	words(w, isa.RowMove, dst, src, isa.NoReg)
}

// RowApply sets dst to f(x, own), where x is what RowMove would give: an
// operation that reads its first operand from another lane as it goes. Lanes
// that RowMove would leave alone keep dst; f is called for the others only, in
// ascending order. dst may be any of the operands.
func RowApply[T any](dst, src, own Reg[T], c crossbar.RowControl, to crossbar.RowWrite, f func(x, own T) T) {
	w := dst.w
	w.sameWarp(own.w)
	moved, zeroed := rowRoute(dst, src, c, to)
	written := moved.Or(zeroed)
	undef := w.route.MoveMask(*src.undef).And(moved).Or(own.undef.And(written))
	m := w.file.Mark()
	x, y, d := vals(Alloc[T](w)), vals(own), vals(dst)
	crossbar.Move(x, vals(src), &w.route, moved)
	clearLanes(x, zeroed)
	for l := range written.Lanes() {
		d[l] = f(x[l], y[l])
	}
	w.file.Release(m)
	w.writable(dst.cell)
	*dst.undef = dst.undef.AndNot(written).Or(undef)
	for i := range int(dst.rows) {
		w.emit(isa.RowMove, dst.word(i), src.word(i), own.word(i), isa.NoReg)
	}
}

// rowRoute fills the warp's route with that of a row control and returns the
// lanes that get a value along it, and those that get 0.
func rowRoute[T any](dst, src Reg[T], c crossbar.RowControl, to crossbar.RowWrite) (moved, zeroed lane.Mask) {
	w := dst.w
	w.sameWarp(src.w)
	w.needRoute("dpp", "moves within rows of lanes (DPP)")
	w.needRowMove(c)
	w.goodPattern(w.route.RowMove(c, w.lanes))
	return to.Lanes(&w.route, w.active)
}

// Permute sends the value of each active lane to the lane that its address
// names, in bytes: 4 times the lane, modulo the warp (ds_permute). Of several
// that send to one lane the highest wins; a lane that nobody sends to gets 0, one
// that is not active keeps dst.
func Permute[T any](dst, src Reg[T], address Reg[int32]) {
	w := dst.w
	w.needAddress(src.w, address)
	w.route.Permute(w.lanes, w.Device().Rules.PermuteLanes, bitsOf(address), w.active)
	received := w.route.InRange().And(w.active)
	undef := w.route.MoveMask(*src.undef).And(received)
	crossbar.Move(vals(dst), vals(src), &w.route, received)
	clearLanes(vals(dst), w.active.AndNot(received))
	w.writable(dst.cell)
	*dst.undef = dst.undef.AndNot(w.active).Or(undef)
	words(w, isa.Permute, dst, src, address.id)
}

// PermuteBack sets dst to what src holds in the lane that each lane's address
// names, in bytes: 4 times the lane, modulo the warp (ds_bpermute). Reading a
// lane that is not active is what it is for ShflIdx.
func PermuteBack[T any](dst, src Reg[T], address Reg[int32]) {
	w := dst.w
	w.needAddress(src.w, address)
	w.route.PermuteBack(w.lanes, w.Device().Rules.PermuteLanes, bitsOf(address))
	followRoute(dst, src, w.active, false)
	words(w, isa.Permute, dst, src, address.id)
}

// Swizzle sets dst to what src holds in the lanes that a pattern names within
// groups of 32, see [crossbar.Route.Swizzle] (ds_swizzle). It goes the way of
// PermuteBack, without addresses. A pattern that is refused there, and a warp of
// fewer than 32 lanes, end the kernel with a fault of kind BadInstruction.
func Swizzle[T any](dst, src Reg[T], pattern uint16) {
	w := dst.w
	w.sameWarp(src.w)
	w.needRoute("swizzle", "swizzles")
	w.goodPattern(w.route.Swizzle(w.lanes, pattern))
	followRoute(dst, src, w.active, false)
	words(w, isa.Permute, dst, src, isa.NoReg)
}

// ReadLane sets dst, in all active lanes, to what src holds in one lane, whether
// that is active or not (v_readlane): a scalar, which the instructions that
// follow may use as an operand. A lane beyond the warp counts modulo the warp,
// and is a fault of kind OperandRange.
func ReadLane[T any](dst, src Reg[T], from int) {
	w := dst.w
	w.needRoute("readlane", "reads of one lane")
	w.laneInWarp(from)
	readLane(dst, src, crossbar.ReadLane(w.lanes, uint32(from)))
}

// ReadFirstLane is ReadLane of the lowest active lane (v_readfirstlane).
func ReadFirstLane[T any](dst, src Reg[T]) {
	dst.w.needRoute("readlane", "reads of one lane")
	readLane(dst, src, crossbar.ReadFirstLane(dst.w.active))
}

func readLane[T any](dst, src Reg[T], from int) {
	w := dst.w
	w.sameWarp(src.w)
	if w.seen != nil {
		w.route.Shuffle(w.shuffleRule, crossbar.Idx, w.lanes, w.lanes, int32(from))
	}
	d, v := vals(dst), vals(src)[from]
	for l := range w.active.Lanes() {
		d[l] = v
	}
	var undef lane.Mask
	if src.undef.Has(from) {
		undef = w.active
	}
	w.writable(dst.cell)
	*dst.undef = dst.undef.AndNot(w.active).Or(undef)
	words(w, isa.ReadLane, dst, src, isa.NoReg)
}

// needRowMove ends the kernel on a device whose moves within rows know other
// patterns only.
func (w *Warp) needRowMove(c crossbar.RowControl) {
	if moves := &w.run.engine.rowMoves; int(c) < len(moves)*64 && moves[c>>6]>>(c&63)&1 != 0 {
		return
	}
	if w.route.RowMove(c, w.lanes) != nil {
		return // no pattern at all: the caller says so
	}
	p := w.run.engine.profile
	w.raise(Fault{Kind: Unsupported, Detail: fmt.Sprintf("%s has no %v", p.Name, c),
		Advice: "use one of " + strings.Join(p.Rules.RowMoves, ", ") + ", or a shuffle"})
	panic(abort{})
}

// A rowMoveSet has bit c for row control c.
type rowMoveSet [6]uint64

// rowMovesOf returns the controls that a device has.
func rowMovesOf(r *device.Rules) (set rowMoveSet) {
	if !slices.Contains(r.Routes, "dpp") {
		return set
	}
	for c := range crossbar.RowControl(len(set) * 64) {
		if slices.Contains(r.RowMoves, c.Kind()) {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return set
}

// needRoute ends the kernel on a device without a way between lanes.
func (w *Warp) needRoute(name, what string) {
	if p := w.run.engine.profile; !slices.Contains(p.Rules.Routes, name) {
		w.raise(Fault{Kind: Unsupported, Detail: p.Name + " has no " + what, Advice: "use a shuffle"})
		panic(abort{})
	}
}

// goodPattern ends the kernel with an error of package crossbar.
func (w *Warp) goodPattern(err error) {
	if err != nil {
		w.raise(Fault{Kind: BadInstruction, Detail: err.Error(), cause: err, Advice: "use a pattern of package crossbar"})
		panic(abort{})
	}
}

// needAddress checks what permutations share.
func (w *Warp) needAddress(src *Warp, address Reg[int32]) {
	w.sameWarp(src)
	w.sameWarp(address.w)
	w.needRoute("permute", "permutations by address")
	w.defined(address.cell, "address of a permutation")
}

// bitsOf returns the lanes of an address register as the bits that they are.
func bitsOf(r Reg[int32]) []uint32 {
	v := vals(r)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// clearLanes sets the lanes of m to the zero value.
func clearLanes[T any](v []T, m lane.Mask) {
	var zero T
	for l := range m.Lanes() {
		v[l] = zero
	}
}
