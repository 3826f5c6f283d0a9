package team

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
)

// Bound takes the register that holds each lane's last readable lane, for Down and
// Across: one constant, where some lanes of the warp may not be read. It stays
// until the caller releases it.
func (t *Roster) Bound() {
	if t.Open || t.Tidy {
		return
	}
	t.last = warp.Alloc[int32](t.W)
	if t.Width == t.Lanes {
		warp.Set(t.last, int32(t.Members.Last()))
		return
	}
	warp.SetLanes(t.last, func(l int) int32 { return int32(t.LastLane(l)) })
}

// Down sets dst to what src holds d lanes above. Lanes that HaveAbove get it from
// a member; what the others get is defined only if what they read is.
func Down[T any](t *Roster, dst, src warp.Reg[T], d int) {
	switch {
	case t.Open && !t.Pow2:
		warp.ShflDown(dst, src, d)
	case t.Open || t.Tidy:
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Down, Operand: int32(d), Width: t.Width})
	default:
		id := t.W.LaneID()
		fromLane(t, dst, src, func(at warp.Reg[int32]) {
			warp.AddImm(at, id, int32(d))
			warp.Min(at, at, t.last)
		})
	}
}

// Across sets dst to what src holds in the lane whose number differs by the bit
// d; see Down. The width is a power of two.
func Across[T any](t *Roster, dst, src warp.Reg[T], d int) {
	if t.Open || t.Tidy {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d), Width: t.Width})
		return
	}
	id := t.W.LaneID()
	fromLane(t, dst, src, func(at warp.Reg[int32]) {
		warp.XorImm(at, id, int32(d))
		warp.Min(at, at, t.last)
	})
}

// Up sets dst to what src holds d lanes below in the group, and inRange, if it is
// not the zero predicate and the width a power of two, to where there is such a
// lane. Lanes with none get a value that is defined if what they read is.
func Up[T any](t *Roster, dst, src warp.Reg[T], d int, inRange warp.Pred) {
	switch {
	case t.Pow2:
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Up, Operand: int32(d), Width: t.Width, InRange: inRange})
	case t.Open:
		warp.ShflUp(dst, src, d)
	default:
		w := t.W
		id := w.LaneID()
		m := w.Mark()
		at, first := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.SetLanes(first, func(l int) int32 { return int32(l / t.Width * t.Width) })
		warp.AddImm(at, id, int32(-d))
		warp.Max(at, at, first)
		warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
		w.Release(m)
	}
}

// From sets dst to what src holds in lane k of each group; the lane must hold an
// item in every group.
func From[T any](t *Roster, dst, src warp.Reg[T], k int) {
	if t.Pow2 {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(k), Width: t.Width})
		return
	}
	fromLane(t, dst, src, func(at warp.Reg[int32]) {
		warp.SetLanes(at, func(l int) int32 {
			if first := l / t.Width * t.Width; first+t.Width <= t.Lanes {
				return int32(first + k)
			}
			return int32(l)
		})
	})
}

// FromLast sets dst to what src holds in the last member of each group.
func FromLast[T any](t *Roster, dst, src warp.Reg[T]) {
	if t.Pow2 && t.Equal {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(t.Count - 1), Width: t.Width})
		return
	}
	fromLane(t, dst, src, func(at warp.Reg[int32]) {
		warp.SetLanes(at, func(l int) int32 { return int32(t.LastLane(l)) })
	})
}

// fromLane shuffles by a lane number that source makes.
func fromLane[T any](t *Roster, dst, src warp.Reg[T], source func(at warp.Reg[int32])) {
	w := t.W
	m := w.Mark()
	at := warp.Alloc[int32](w)
	source(at)
	warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
	w.Release(m)
}
