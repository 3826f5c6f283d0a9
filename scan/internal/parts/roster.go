// Package parts is what collectives of several items a thread are built from:
// which items of a [team.Team] are there, where they stand in shared memory, and
// who holds the same.
package parts

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A Roster is a team as one warp of it sees it, with what is known of the items of
// each thread.
type Roster struct{ team.Roster }

// Bind makes the roster of a team whose threads hold so many items each.
func Bind(who team.Team, w *warp.Warp, name string, items int) Roster {
	return Roster{who.Bind(w, name, items)}
}

// Same holds the number of further registers against the number of items.
func (t *Roster) Same(what string, n int) {
	if n != t.Items {
		t.Fail(team.ErrItems, fmt.Sprintf("%d registers of %s for %d items", n, what, t.Items), "give as many of each")
	}
}

// Threads returns how many threads the team of lane l has.
func (t *Roster) Threads(l int) int {
	if t.IsBlock {
		return t.Width
	}
	first := l - l%t.Width
	return t.Active.And(lane.Range(first, first+t.Width)).Count()
}

// Even reports whether all teams of the warp have the same number of threads,
// and how many.
func (t *Roster) Even() (int, bool) {
	if t.IsBlock || t.Width < 1 {
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
	for l := range t.Active.Lanes() {
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
		return t.Active
	}
	return t.Where(func(number, _, valid int) bool { return number*t.Items+j < valid })
}

// Striped returns the lanes whose item j is there if items are striped: item
// j*threads + number.
func (t *Roster) Striped(j int) lane.Mask {
	if t.All() {
		return t.Active
	}
	return t.Where(func(number, threads, valid int) bool { return j*threads+number < valid })
}

// WarpStriped returns the lanes of a block whose item j is there if the items
// of each warp stand together, striped.
func (t *Roster) WarpStriped(j int) lane.Mask {
	if t.All() {
		return t.Active
	}
	first, live := t.Base*t.Items, t.Active.Count()
	return t.Where(func(number, _, valid int) bool { return first+j*live+number-t.Base < valid })
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
	if t.IsBlock {
		t.W.SyncBlock()
	} else {
		t.W.SyncWarp(t.W.Active())
	}
}

// NumberReg returns a register with the place of each lane in its team. It must
// not be written. Call it before taking a mark, so that it stays.
func (t *Roster) NumberReg() warp.Reg[int32] {
	switch {
	case t.IsBlock:
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

// Given reports whether r is a register, and not the zero one.
func Given[T any](r warp.Reg[T]) bool { return any(r) != any(warp.Reg[T]{}) }
