package team

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// A Roster is a team at work as one of its warps sees it: who holds which items.
// What it tells of lanes is known before the kernel runs, so it costs nothing.
type Roster struct {
	W     *warp.Warp
	Name  string // of the function, for errors
	Items int    // of a thread
	Width int    // threads of a full team
	Lanes int    // of a warp
	Base  int    // the warp's first thread
	Valid int    // items of a full team

	// Of a block with one item a thread: how many of them are in this warp.
	Here int

	// Of teams with one item a thread.
	Members lane.Mask // lanes that hold an item

	// Of groups with one item a lane, see BindLanes.
	Count int  // most items of a group
	Pow2  bool // the width is a power of two
	Open  bool // all lanes of the warp are active, and may be read
	Tidy  bool // Pow2, and every group is full or without a lane: no lane needs to be kept apart
	Equal bool // all groups with an item have Count of them

	block  bool
	active lane.Mask       // lanes of this warp that take part
	last   warp.Reg[int32] // see Bound
}

// Same holds the number of further registers against the number of items.
func (t *Roster) Same(what string, n int) {
	if n != t.Items {
		t.Fail(ErrItems, fmt.Sprintf("%d registers of %s for %d items", n, what, t.Items), "give as many of each")
	}
}

// NeedStorage holds a shared array of have elements against what is needed.
func (t *Roster) NeedStorage(have, need int) {
	if have < need {
		t.Fail(ErrStorage, fmt.Sprintf("%d elements, and it needs %d", have, need), "declare it with the New...Storage of the algorithm")
	}
}

// Fail ends the kernel.
func (t *Roster) Fail(kind error, detail, advice string) {
	panic(&Error{Algorithm: t.Name, Kind: kind, Detail: detail, Advice: advice})
}

// Number returns the place of lane l in its team.
func (t *Roster) Number(l int) int {
	if t.block {
		return t.Base + l
	}
	return l % t.Width
}

// Threads returns how many threads the team of lane l has.
func (t *Roster) Threads(l int) int {
	if t.block {
		return t.Width
	}
	first := l - l%t.Width
	return t.active.And(lane.Range(first, first+t.Width)).Count()
}

// Even reports whether all teams of the warp have the same number of threads,
// and how many.
func (t *Roster) Even() (int, bool) {
	if t.block || t.Width < 1 {
		return t.Width, true
	}
	n := t.Threads(0)
	for first := t.Width; first < t.Lanes; first += t.Width {
		if m := t.Threads(first); m != n && m != 0 {
			return n, false
		}
	}
	return n, true
}

// ValidOf returns how many items the team of lane l holds.
func (t *Roster) ValidOf(l int) int { return min(t.Valid, t.Threads(l)*t.Items) }

// All reports whether every thread holds all of its items.
func (t *Roster) All() bool { return t.Valid == t.Width*t.Items }

// Where returns the active lanes for which right holds, given the lane's place
// in its team and the team's threads and items.
func (t *Roster) Where(right func(number, threads, valid int) bool) lane.Mask {
	var m lane.Mask
	for l := range t.active.Lanes() {
		if right(t.Number(l), t.Threads(l), t.ValidOf(l)) {
			m = m.With(l)
		}
	}
	return m
}

// Blocked returns the lanes whose item j is there if items are blocked: item
// number*Items + j.
func (t *Roster) Blocked(j int) lane.Mask {
	if t.All() {
		return t.active
	}
	return t.Where(func(number, _, valid int) bool { return number*t.Items+j < valid })
}

// Striped returns the lanes whose item j is there if items are striped: item
// j*threads + number.
func (t *Roster) Striped(j int) lane.Mask {
	if t.All() {
		return t.active
	}
	return t.Where(func(number, threads, valid int) bool { return j*threads+number < valid })
}

// WarpStriped returns the lanes of a block whose item j is there if the items
// of each warp stand together, striped.
func (t *Roster) WarpStriped(j int) lane.Mask {
	if t.All() {
		return t.active
	}
	first, live := t.Base*t.Items, t.active.Count()
	return t.Where(func(number, _, valid int) bool { return first+j*live+number-t.Base < valid })
}

// Only runs body with the lanes of m active, as predicated instructions after a
// compare; if these are all active lanes, as they are.
func (t *Roster) Only(m lane.Mask, body func()) {
	if m == t.W.Active() {
		body()
		return
	}
	mark := t.W.Mark()
	p := t.W.Pred()
	warp.SetPred(p, m)
	t.W.Where(p, body)
	t.W.Release(mark)
}

// IfAny is Only, or nothing if m is empty: code that a warp without work does not
// come to.
func (t *Roster) IfAny(m lane.Mask, body func()) {
	if !m.Empty() {
		t.Only(m, body)
	}
}

// Last returns the lanes whose item j is the last of a blocked tile.
func (t *Roster) Last(j int) lane.Mask {
	return t.Where(func(number, _, valid int) bool { return number*t.Items+j == valid-1 })
}

// Sync lets the threads of the team wait for each other.
func (t *Roster) Sync() {
	if t.block {
		t.W.SyncBlock()
	} else {
		t.W.SyncWarp(t.W.Active())
	}
}

// IsBlock reports whether the team is a block.
func (t *Roster) IsBlock() bool { return t.block }

// NumberReg returns a register with the place of each lane in its team. It must
// not be written. Call it before taking a mark, so that it stays.
func (t *Roster) NumberReg() warp.Reg[int32] {
	switch {
	case t.block:
		return t.W.ThreadID()
	case t.Width == t.Lanes:
		return t.W.LaneID()
	}
	id := t.W.LaneID()
	r := warp.Alloc[int32](t.W)
	warp.AndImm(r, id, int32(t.Width-1))
	return r
}

// A Place tells where in a striped tile the items of each lane stand.
type Place struct {
	number, threads warp.Reg[int32] // threads is zero where all teams have as many
	each            int
}

// StripedPlace takes the registers of a Place.
func (t *Roster) StripedPlace() Place {
	p := Place{number: t.NumberReg()}
	n, even := t.Even()
	if p.each = n; !even {
		p.threads = warp.Alloc[int32](t.W)
		warp.SetLanes(p.threads, func(l int) int32 { return int32(t.Threads(l)) })
	}
	return p
}

// Of sets dst to the number of each lane's item j in its tile.
func (p Place) Of(dst warp.Reg[int32], j int) {
	if !Given(p.threads) {
		warp.AddImm(dst, p.number, int32(j*p.each))
		return
	}
	warp.MulImm(dst, p.threads, int32(j))
	warp.Add(dst, dst, p.number)
}
