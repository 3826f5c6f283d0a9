package warp

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

func compare[T Number](op row.CompareOp, dst Pred, a, b Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	m, done := row.VectorCompare(row.Elem(a.kind), op, a.p, b.p, w.lanes)
	if !done {
		m = row.Compare(op, vals(a), vals(b))
	}
	w.setPred(dst, m, a.cell, b.cell)
	w.emitPure(seqCmp[a.kind], pure(int(op), a.kind), dst.reg(), a.id, b.id)
}

// setPred writes the active lanes of a predicate.
func (w *Warp) setPred(p Pred, m lane.Mask, a, b *cell) {
	u := a.undef.Or(*b.undef)
	w.preds[p.id] = w.preds[p.id].AndNot(w.active).Or(m.And(w.active))
	w.predUndef[p.id] = w.predUndef[p.id].AndNot(w.active).Or(u.And(w.active))
}

// Eq sets dst to a == b; -0 equals +0, a NaN nothing.
func Eq[T Number](dst Pred, a, b Reg[T]) { compare(row.Eq, dst, a, b) }

// Ne sets dst to a != b; it holds for a NaN.
func Ne[T Number](dst Pred, a, b Reg[T]) { compare(row.Ne, dst, a, b) }

// Lt sets dst to a < b.
func Lt[T Number](dst Pred, a, b Reg[T]) { compare(row.Lt, dst, a, b) }

// Le sets dst to a <= b.
func Le[T Number](dst Pred, a, b Reg[T]) { compare(row.Le, dst, a, b) }

// Gt sets dst to a > b.
func Gt[T Number](dst Pred, a, b Reg[T]) { compare(row.Gt, dst, a, b) }

// Ge sets dst to a >= b.
func Ge[T Number](dst Pred, a, b Reg[T]) { compare(row.Ge, dst, a, b) }

// EqImm sets dst to a == c.
func EqImm[T Number](dst Pred, a Reg[T], c T) {
	compare(row.Eq, dst, a, Reg[T]{cell: constant(dst.w, a.kind, c)})
}

// NeImm sets dst to a != c.
func NeImm[T Number](dst Pred, a Reg[T], c T) {
	compare(row.Ne, dst, a, Reg[T]{cell: constant(dst.w, a.kind, c)})
}

// LtImm sets dst to a < c.
func LtImm[T Number](dst Pred, a Reg[T], c T) {
	compare(row.Lt, dst, a, Reg[T]{cell: constant(dst.w, a.kind, c)})
}

// LeImm sets dst to a <= c.
func LeImm[T Number](dst Pred, a Reg[T], c T) {
	compare(row.Le, dst, a, Reg[T]{cell: constant(dst.w, a.kind, c)})
}

// GtImm sets dst to a > c.
func GtImm[T Number](dst Pred, a Reg[T], c T) {
	compare(row.Gt, dst, a, Reg[T]{cell: constant(dst.w, a.kind, c)})
}

// GeImm sets dst to a >= c.
func GeImm[T Number](dst Pred, a Reg[T], c T) {
	compare(row.Ge, dst, a, Reg[T]{cell: constant(dst.w, a.kind, c)})
}

// PredAnd sets dst to a and b.
func PredAnd(dst, a, b Pred) { predLogic(251, dst, a, b, a.Mask().And(b.Mask())) }

// PredOr sets dst to a or b.
func PredOr(dst, a, b Pred) { predLogic(252, dst, a, b, a.Mask().Or(b.Mask())) }

// PredXor sets dst to whether one of a and b holds, and not both.
func PredXor(dst, a, b Pred) { predLogic(253, dst, a, b, a.Mask().Xor(b.Mask())) }

// PredNot sets dst to not a. Hardware mostly negates a predicate for free where
// it is used; this is the instruction for where it cannot.
func PredNot(dst, a Pred) { predLogic(254, dst, a, a, a.Mask().Not(a.w.lanes)) }

// predLogic has op for the number of the operation in records, beside those of pure.
func predLogic(op uint8, dst, a, b Pred, m lane.Mask) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	u := w.predUndef[a.id].Or(w.predUndef[b.id])
	w.preds[dst.id] = w.preds[dst.id].AndNot(w.active).Or(m.And(w.active))
	w.predUndef[dst.id] = w.predUndef[dst.id].AndNot(w.active).Or(u.And(w.active))
	w.put(firstWord(isa.Logic, dst.reg())|uint64(op)<<24, secondWord(a.reg(), b.reg(), isa.NoReg))
}

// SetPred puts m into the active lanes of a predicate, as a compare of lane
// numbers with constants would: one instruction.
func SetPred(dst Pred, m lane.Mask) {
	w := dst.w
	w.preds[dst.id] = w.preds[dst.id].AndNot(w.active).Or(m.And(w.active))
	w.predUndef[dst.id] = w.predUndef[dst.id].AndNot(w.active)
	w.emit(isa.ICmp, dst.reg(), isa.NoReg, isa.NoReg, isa.NoReg)
}
