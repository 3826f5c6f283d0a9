package parts

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// minBanks is the fewest banks of a device for which items are padded.
const minBanks = 16

// AreaLength is what an Area of so many items a thread needs: an element an item of
// the block's warps, and padding.
func AreaLength(items, lanes, threads int) int {
	n := lane.Warps(lanes, threads) * lanes * max(0, items)
	if padded(items) {
		n += n / minBanks
	}
	return n
}

// padded reports whether threads that each access their own run of items would
// meet in few banks.
func padded(items int) bool { return items >= 4 && items&(items-1) == 0 }

// An Area is where the items of a team stand in shared memory: each team at its
// own place, in the order of the items, with an unused element after every row
// of banks if the number of items asks for it.
type Area[T any] struct {
	t     *Roster
	s     warp.Mem[T]
	shift int // log2 of the banks after which an element is left out, 0: none
}

// NewArea makes an area out of a shared array that is AreaLength long.
func NewArea[T any](t *Roster, s warp.Mem[T]) Area[T] {
	t.NeedStorage(s.Len(), AreaLength(t.Items, t.Lanes, t.W.BlockThreads()))
	a := Area[T]{t: t, s: s}
	if banks := t.W.Device().Shared.Count; padded(t.Items) && banks >= minBanks {
		a.shift = bits.Len(uint(banks)) - 1
	}
	return a
}

// Elements makes an area of a team out of any array that has an element an item,
// without padding.
func Elements[T any](t *Roster, m warp.Mem[T]) Area[T] { return Area[T]{t: t, s: m} }

// Slots is the elements that the items of each lane go to, one for each j.
type Slots[T any] struct {
	s    warp.Mem[T]
	at   warp.Reg[int32]
	step int // from item to item
	each func(j int) warp.Reg[int32]
}

// Slot returns the array and the index of item j. The register may be shared by
// all items.
func (x Slots[T]) Slot(j int) (warp.Mem[T], warp.Reg[int32]) {
	if x.each != nil {
		return x.s, x.each(j)
	}
	return x.s.At(j * x.step), x.at
}

// Place turns the number of an item of the team into an index, in place.
func (a *Area[T]) Place(at warp.Reg[int32]) {
	t := a.t
	if !t.IsBlock {
		m := t.W.Mark()
		origin := warp.Alloc[int32](t.W)
		t.origin(origin)
		warp.Add(at, at, origin)
		t.W.Release(m)
	}
	a.pad(at)
}

// Array returns the array that Place's indices are of.
func (a *Area[T]) Array() warp.Mem[T] { return a.s }

func (a *Area[T]) pad(at warp.Reg[int32]) {
	if a.shift == 0 {
		return
	}
	m := a.t.W.Mark()
	skip := warp.Alloc[int32](a.t.W)
	warp.ShrImm(skip, at, int32(a.shift))
	warp.Add(at, at, skip)
	a.t.W.Release(m)
}

// origin sets dst to the number of the first item of the team in the block: the
// item of its first thread.
func (t *Roster) origin(dst warp.Reg[int32]) {
	id := t.W.ThreadID()
	if t.Width == t.Lanes {
		warp.Set(dst, int32(t.W.ID()*t.Lanes*t.Items))
		return
	}
	warp.AndImm(dst, id, int32(-t.Width))
	warp.MulImm(dst, dst, int32(t.Items))
}

// Blocked returns where items number*Items + j stand. It takes registers.
func (a *Area[T]) Blocked() Slots[T] {
	id := a.t.W.ThreadID()
	at := id
	if a.t.Items > 1 {
		at = warp.Alloc[int32](a.t.W)
		Times(at, id, a.t.Items)
	}
	a.pad(at) // leaves a single item alone
	return Slots[T]{s: a.s, at: at, step: 1}
}

// Striped returns where items j*threads + number stand. It takes registers.
func (a *Area[T]) Striped() Slots[T] {
	t := a.t
	n, even := t.Even()
	if t.IsBlock {
		return a.stripes(t.W.ThreadID(), n)
	}
	at := warp.Alloc[int32](t.W)
	if t.Width == t.Lanes {
		warp.AddImm(at, t.W.LaneID(), int32(t.W.ID()*t.Lanes*t.Items))
		return a.stripes(at, n)
	}
	id := t.W.ThreadID()
	m := t.W.Mark()
	number := warp.Alloc[int32](t.W)
	warp.AndImm(number, id, int32(t.Width-1))
	t.origin(at)
	warp.Add(at, at, number)
	t.W.Release(m)
	if even {
		return a.stripes(at, n)
	}
	threads, tmp := warp.Alloc[int32](t.W), warp.Alloc[int32](t.W)
	warp.SetLanes(threads, func(l int) int32 { return int32(t.Threads(l)) })
	return Slots[T]{s: a.s, each: func(j int) warp.Reg[int32] {
		warp.MulImm(tmp, threads, int32(j))
		warp.Add(tmp, tmp, at)
		a.pad(tmp)
		return tmp
	}}
}

// WarpStriped returns where the items of a block stand if those of each warp
// stand together, striped. It takes registers.
func (a *Area[T]) WarpStriped() Slots[T] {
	t := a.t
	at := warp.Alloc[int32](t.W)
	warp.AddImm(at, t.W.LaneID(), int32(t.Base*t.Items))
	return a.stripes(at, t.Active.Count())
}

// stripes returns the elements at, at+step, ...
func (a *Area[T]) stripes(at warp.Reg[int32], step int) Slots[T] {
	w := a.t.W
	switch {
	case a.shift == 0:
		return Slots[T]{s: a.s, at: at, step: step}
	case step%(1<<a.shift) == 0:
		own := warp.Alloc[int32](w)
		warp.ShrImm(own, at, int32(a.shift))
		warp.Add(own, own, at)
		return Slots[T]{s: a.s, at: own, step: step + step>>a.shift}
	}
	tmp := warp.Alloc[int32](w)
	return Slots[T]{s: a.s, each: func(j int) warp.Reg[int32] {
		warp.AddImm(tmp, at, int32(j*step))
		a.pad(tmp)
		return tmp
	}}
}

// Times sets dst to a*n by the cheapest instruction.
func Times(dst, a warp.Reg[int32], n int) {
	if n&(n-1) == 0 {
		warp.ShlImm(dst, a, int32(bits.TrailingZeros(uint(n))))
	} else {
		warp.MulImm(dst, a, int32(n))
	}
}
