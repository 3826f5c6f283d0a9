package warp

import (
	"fmt"
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// A lintState is what the sanitizer remembers of a warp for what is legal but
// rarely meant.
type lintState struct {
	snapshot      lane.Mask // the active lanes, as a kernel has read them
	snapshotReg   uint8     // that holds them, plus one
	snapshotTaken bool      // the kernel has them as a value

	tree  crossbar.Mode // of the shuffles that may be a reduction
	first int32         // its first distance, 0: none
	last  int32
	steps int
	since int64 // instructions of the warp up to the last of them
}

// noteSnapshot remembers that a register holds the active lanes.
func (s *sanitizer) noteSnapshot(w *Warp, reg uint8) {
	s.warps[w.id].lint.snapshotReg = reg + 1
	s.warps[w.id].lint.snapshotTaken = false
}

// takeSnapshot remembers that the kernel has got the value of a mask register.
func (s *sanitizer) takeSnapshot(w *Warp, reg uint8) {
	if l := &s.warps[w.id].lint; l.snapshotReg == reg+1 {
		l.snapshot, l.snapshotTaken = w.uniform[reg], true
	}
}

// checkMembers lints a member mask that is what the kernel read as the active
// lanes. Another mask ends the search: the kernel knows better.
func (s *sanitizer) checkMembers(w *Warp, mask lane.Mask) {
	l := &s.warps[w.id].lint
	if !l.snapshotTaken || !s.check {
		return
	}
	if mask != l.snapshot {
		l.snapshotTaken = false
		return
	}
	if s.independent {
		w.raise(Fault{Kind: ActiveMaskAsMask, Lanes: w.active, Mask: mask,
			Detail: "the mask is a snapshot of the lanes that happened to be converged; others may come a moment later",
			Advice: "pass the lanes that the branch condition holds in, from a ballot before the branch"})
	}
}

// checkTree lints a tree of shuffles over the whole warp that starts too low to
// reach all of it.
func (s *sanitizer) checkTree(w *Warp, mode crossbar.Mode, d int32, width int) {
	l := &s.warps[w.id].lint
	if mode != crossbar.Down && mode != crossbar.Xor || width != w.lanes || !w.full || !s.check {
		l.first = 0
		return
	}
	since := l.since
	l.since = w.total + int64(w.n)
	for i := max(0, since-w.total); i < int64(w.n) && l.first != 0; i++ {
		if in := &w.buf[i]; in.Guard != 0 || in.Active != uint8(w.active.Count()) {
			l.first = 0 // some lanes do otherwise: the kernel cares for its groups
		}
	}
	switch {
	case l.first != 0 && mode == l.tree && d == l.last:
		return // another word, or another value
	case l.first != 0 && mode == l.tree && 2*d == l.last:
		l.last = d
		l.steps++
	default:
		l.tree, l.first, l.last, l.steps = mode, d, d, 1
		return
	}
	if d == 1 && l.steps >= 3 && int(2*l.first) < w.lanes {
		w.raise(Fault{Kind: PartialReduction, Lanes: w.active,
			Detail: fmt.Sprintf("the distances %d to 1 cover %d of %d lanes", l.first, 2*l.first, w.lanes),
			Advice: fmt.Sprintf("start at half of the warp, or give the shuffles a width of %d if groups are meant", 2*l.first)})
	}
}

// checkShift lints a shift by a register.
func (s *sanitizer) checkShift(w *Warp, b *cell) {
	var bad lane.Mask
	size := int(kindBytes[b.kind])
	first := int64(0)
	for l := range w.active.AndNot(*b.undef).Lanes() {
		var n int64
		switch p := unsafe.Add(b.p, l*size); b.kind {
		case Int8:
			n = int64(*(*int8)(p))
		case Int16:
			n = int64(*(*int16)(p))
		case Int32:
			n = int64(*(*int32)(p))
		case Uint8:
			n = int64(*(*uint8)(p))
		case Uint16:
			n = int64(*(*uint16)(p))
		case Uint32:
			n = int64(*(*uint32)(p))
		default:
			n = *(*int64)(p)
		}
		if n < 0 || n >= int64(8*size) {
			if bad.Empty() {
				first = n
			}
			bad = bad.With(l)
		}
	}
	if !bad.Empty() {
		s.shiftRange(w, bad, first, 8*size)
	}
}

var kindBytes = [numKinds]uint8{1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 4}

// checkShiftBy lints a shift by a constant.
func (s *sanitizer) checkShiftBy(w *Warp, n int64, k Kind) {
	if size := 8 * int(kindBytes[k]); n < 0 || n >= int64(size) {
		s.shiftRange(w, w.active, n, size)
	}
}

func (s *sanitizer) shiftRange(w *Warp, lanes lane.Mask, n int64, size int) {
	if !s.check {
		return
	}
	w.raise(Fault{Kind: ShiftRange, Lanes: lanes,
		Detail: fmt.Sprintf("a shift by %d of a value of %d bits; some devices give 0, some shift by the low bits of the count", n, size),
		Advice: "use a type with a bit for every lane, or do not shift in these lanes"})
}

// MaskBits sets dst, in each active lane, to the lanes of m as bits: bit i stands
// for lane i. Lanes from the width of T up are dropped, and if m has any, that is
// a fault of kind BallotTruncated.
func MaskBits[T Integer](dst Reg[T], m MaskReg) {
	w := dst.w
	w.sameWarp(m.w)
	var zero T
	x := w.uniform[m.id]
	if dropped := x.And(lane.Range(8*sizeOf(zero), w.lanes)); !dropped.Empty() && 8*sizeOf(zero) < w.lanes {
		w.raise(Fault{Kind: BallotTruncated, Lanes: dropped, Mask: x,
			Detail: fmt.Sprintf("%d bits of a set of lanes 0x%s", 8*sizeOf(zero), x.Hex(w.lanes)),
			Advice: "use a type with a bit for every lane of the warp, or Rank and CountMask on the mask register"})
	}
	d := vals(dst)
	for l := range w.active.Lanes() {
		d[l] = T(x.Lo)
	}
	w.setDefined(dst.cell)
	w.emit(isa.UniformToReg, dst.id, m.reg(), isa.NoReg, isa.NoReg)
}

// checkExited lints a barrier that lanes of the warp have not come to because
// they have exited, where the device does not wait for them. Nothing tells lanes
// that left early, which is common, from lanes that a branch led past the
// barrier to the end of the kernel, which is a mistake.
func (s *sanitizer) checkExited(w *Warp, id int) {
	if gone := w.run.liveLanes(w.id).AndNot(w.live); s.check && !gone.Empty() {
		w.raise(Fault{Kind: BarrierDivergent, Severity: SeverityLint, Lanes: gone,
			Detail: fmt.Sprintf("barrier %d; these lanes have exited, which this device allows and others do not", id),
			Advice: "let all threads reach the barrier before any leaves"})
	}
}

// checkEnded is checkExited for whole warps.
func (s *sanitizer) checkEnded(w *Warp, n int) {
	if s.check {
		w.raise(Fault{Kind: BarrierDivergent, Severity: SeverityLint, Lanes: w.active,
			Detail: fmt.Sprintf("%d of the %d warps of the block have ended, which this device allows and others do not", n, w.run.warps),
			Advice: "let all threads reach the barrier before any leaves"})
	}
}
