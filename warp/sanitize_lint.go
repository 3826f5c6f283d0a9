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

	tree    crossbar.Mode // of the shuffles that may be a reduction
	first   int32         // its first distance, 0: none
	last    int32
	steps   int
	growing bool    // it starts twice as high as the one before it ended: a sort merges so
	since   int64   // instructions of the warp up to the last of them
	suspect suspect // what the tree is, unless what follows says otherwise
}

// A suspect is a tree of shuffles that seems to cover a part of the warp.
type suspect struct {
	first, last int32 // its distances, 0: nothing is suspected
	lanes       lane.Mask
	site        Site
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
	if s.independent && !w.repeated(ActiveMaskAsMask, w.active, lane.Mask{}, mask) {
		w.raise(Fault{Kind: ActiveMaskAsMask, Lanes: w.active, Mask: mask,
			Detail: "the mask is a snapshot of the lanes that happened to be converged; others may come a moment later",
			Advice: "pass the lanes that the branch condition holds in, from a ballot before the branch"})
	}
}

// checkTree lints a tree of shuffles over the whole warp that does not reach all of
// it: it starts below half of the warp, or ends before distance 1. Whether it has
// ended the next shuffle tells, or the end of the kernel. Trees that each start
// twice as high as the one before are a bitonic sort and all right.
func (s *sanitizer) checkTree(w *Warp, mode crossbar.Mode, d int32, width int) {
	l := &s.warps[w.id].lint
	if mode != crossbar.Down && mode != crossbar.Xor || width != w.lanes || !w.full || !s.check {
		s.endTree(w)
		return
	}
	since := l.since
	l.since = w.total + int64(w.n)
	for i := max(0, since-w.total); i < int64(w.n) && l.first != 0; i++ {
		if in := &w.buf[i]; in.Guard != 0 || in.Active != uint8(w.active.Count()) {
			l.first, l.suspect.first = 0, 0 // some lanes do otherwise: the kernel cares for its groups
		}
	}
	switch {
	case l.first != 0 && mode == l.tree && d == l.last:
		return // another word, or another value
	case l.first != 0 && mode == l.tree && 2*d == l.last:
		l.last, l.suspect.first = d, 0
		l.steps++
	default:
		growing := l.first != 0 && mode == l.tree && d == 2*l.first && l.last == 1
		if growing {
			l.suspect.first = 0
		}
		s.endTree(w)
		l.tree, l.first, l.last, l.steps, l.growing = mode, d, d, 1, growing
		return
	}
	switch {
	case l.growing || l.steps < 3:
	case d == 1 && int(2*l.first) < w.lanes, d == 2 && int(2*l.first) == w.lanes:
		l.suspect = suspect{l.first, d, w.active, w.warmSite()}
	}
}

// endTree raises what is suspected of a tree that has ended.
func (s *sanitizer) endTree(w *Warp) {
	l := &s.warps[w.id].lint
	t := &l.suspect
	l.first = 0
	if t.first == 0 {
		return
	}
	f := Fault{Kind: PartialReduction, Lanes: t.lanes, Site: t.site,
		Detail: fmt.Sprintf("the distances %d to %d cover %d of %d lanes", t.first, t.last, 2*t.first/t.last, w.lanes),
		Advice: fmt.Sprintf("start at half of the warp, or give the shuffles a width of %d if groups are meant", 2*t.first)}
	if t.last > 1 {
		f.Advice = "go on to distance 1"
	}
	t.first = 0
	w.raise(f)
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
	if !s.check || w.repeated(ShiftRange, lanes, lane.Mask{}, lane.Mask{}) {
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
		w.raise(Fault{Kind: BallotTruncated, Lanes: w.active, Missing: dropped,
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

// checkPlace faults a warp that comes to the block's barrier at another place in the
// source than the first one did.
func (s *sanitizer) checkPlace(w *Warp) {
	bar, here := &s.block.bars[0], w.warmSite()
	if bar.arrived == 0 {
		bar.firstAt, bar.first = here, w
		return
	}
	if bar.first == nil || bar.firstAt == here || w.repeated(BarrierDivergent, w.active, lane.Mask{}, lane.Mask{}) {
		return
	}
	if _, known := w.group.faults.find(faultKey{BarrierDivergent, SeverityError, bar.firstAt}, lane.Mask{}); known {
		return // the other warp's lanes were not together already
	}
	w.raise(Fault{Kind: BarrierDivergent, Lanes: w.active, Site: here,
		Detail: fmt.Sprintf("barrier 0; warp %d waits at the barrier of %s, this warp comes to that of %s", bar.first.id, bar.firstAt, here),
		Advice: "let all warps of the block come to one barrier, behind the branch; Barrier is for warps at several places"})
}

// checkExited lints a barrier that lanes of the warp have not come to because
// they have exited, where the device does not wait for them.
func (s *sanitizer) checkExited(w *Warp, id int) {
	gone := w.run.liveLanes(w.id).AndNot(w.live)
	if s.check && !gone.Empty() && !w.repeatedAs(SeverityLint, BarrierDivergent, w.active, gone, lane.Mask{}) {
		w.raise(Fault{Kind: BarrierDivergent, Severity: SeverityLint, Lanes: w.active, Missing: gone,
			Detail: fmt.Sprintf("barrier %d; lanes %s have exited, which this device allows and others do not", id, gone.Ranges()),
			Advice: "let all threads reach the barrier before any leaves"})
	}
}

// checkEnded is checkExited for whole warps, and an error if a branch has led one past
// the barrier: by what its front says, or if it has done nothing at all.
func (s *sanitizer) checkEnded(w *Warp, bar *barrier) {
	n := bar.resultEnded
	if !s.check {
		return
	}
	f := Fault{Kind: BarrierDivergent, Severity: SeverityLint, Lanes: w.active,
		Detail: fmt.Sprintf("%d of the %d warps of the block have ended, which this device allows and others do not", n, w.run.warps),
		Advice: "let all threads reach the barrier before any leaves"}
	for _, o := range s.block.warps {
		if o.state != stateDone || o.endedAt >= bar.resultAt {
			continue // it may have come to the barrier
		}
		past, known := false, false
		if w.judge != nil && o.left != nil {
			past, known = w.judge(o.left)
		}
		if past || !known && o.total+int64(o.n) == 0 {
			f.Severity = SeverityError
			f.Detail = fmt.Sprintf("%d of the %d warps of the block have ended, and warp %d went past the barrier to the end of the kernel", n, w.run.warps, o.id)
			f.Advice = "move the barrier out of the branch"
			break
		}
	}
	w.raise(f)
}
