// Package team says how threads hold a tile of items: the threads of a block, or
// groups of neighbouring lanes of a warp, with several items a thread.
package team

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
)

// A Team is the threads that hold one tile: a block, or each group of a warp.
// What it tells of lanes is known before the kernel runs, so it costs nothing.
type Team struct {
	W     *warp.Warp
	Name  string // of the function, for errors
	Items int    // of a thread
	Width int    // threads of a full team

	block  bool
	lanes  int
	base   int       // thread number of lane 0 in the block
	valid  int       // items of a full team
	active lane.Mask // lanes of this warp that take part
}

// Block makes the block the team. items is how many items a thread holds, valid
// how many of all are there: 0 for all. An argument that cannot be ends the
// kernel with a *reduce.Error.
func Block(w *warp.Warp, name string, items, valid int) Team {
	t := Team{W: w, Name: name, Items: items, Width: w.BlockThreads(), block: true,
		lanes: w.Width(), base: w.ID() * w.Width(), valid: valid, active: w.Active()}
	if active := w.Active(); active != w.Live() {
		t.Fail(reduce.ErrActive, "lanes "+active.Ranges()+" of a warp with lanes "+w.Live().Ranges(),
			"call it outside of branches, with all threads of the block")
	}
	t.check()
	return t
}

// Groups makes each group of width neighbouring lanes a team: a power of two, 0
// for the whole warp. The active lanes must be the first ones of their group; a
// group with fewer active lanes is a smaller team.
func Groups(w *warp.Warp, name string, width, items, valid int) Team {
	t := Team{W: w, Name: name, Items: items, Width: width, lanes: w.Width(), valid: valid, active: w.Active()}
	if width == 0 {
		t.Width = t.lanes
	}
	if t.Width < 1 || t.Width > t.lanes || t.Width&(t.Width-1) != 0 {
		t.Fail(reduce.ErrWidth, fmt.Sprintf("%d, and a warp has %d lanes", width, t.lanes),
			fmt.Sprintf("use 1, 2, 4, ... %d, or 0 for the whole warp", t.lanes))
	}
	for first := 0; first < t.lanes; first += t.Width {
		in := t.active.And(lane.Range(first, first+t.Width))
		if in != lane.Range(first, first+in.Count()) {
			t.Fail(reduce.ErrActive, fmt.Sprintf("lanes %s of the group at lane %d", in.Ranges(), first),
				"let the first lanes of each group be active")
		}
	}
	t.check()
	return t
}

func (t *Team) check() {
	switch all := t.Width * t.Items; {
	case t.Items < 1:
		t.Fail(reduce.ErrItems, "no register with items", "give each thread one item or more")
	case t.valid < 0 || t.valid > all:
		t.Fail(reduce.ErrValid, fmt.Sprintf("%d of %d", t.valid, all), fmt.Sprintf("use 1 to %d, or 0 for all", all))
	case t.valid == 0:
		t.valid = all
	}
}

// Same holds the number of further registers against the number of items.
func (t *Team) Same(what string, n int) {
	if n != t.Items {
		t.Fail(reduce.ErrItems, fmt.Sprintf("%d registers of %s for %d items", n, what, t.Items), "give as many of each")
	}
}

// NeedStorage holds a shared array of have elements against what is needed.
func (t *Team) NeedStorage(have, need int) {
	if have < need {
		t.Fail(reduce.ErrStorage, fmt.Sprintf("%d elements, and it needs %d", have, need), "declare it with reduce.Shared, or make it longer")
	}
}

// Fail ends the kernel.
func (t *Team) Fail(kind error, detail, advice string) {
	panic(&reduce.Error{Algorithm: t.Name, Kind: kind, Detail: detail, Advice: advice})
}

// Number returns the place of lane l in its team.
func (t *Team) Number(l int) int {
	if t.block {
		return t.base + l
	}
	return l % t.Width
}

// Threads returns how many threads the team of lane l has.
func (t *Team) Threads(l int) int {
	if t.block {
		return t.Width
	}
	first := l - l%t.Width
	return t.active.And(lane.Range(first, first+t.Width)).Count()
}

// Even reports whether all teams of the warp have the same number of threads,
// and how many.
func (t *Team) Even() (int, bool) {
	if t.block {
		return t.Width, true
	}
	n := t.Threads(0)
	for first := t.Width; first < t.lanes; first += t.Width {
		if m := t.Threads(first); m != n && m != 0 {
			return n, false
		}
	}
	return n, true
}

// Valid returns how many items the team of lane l holds.
func (t *Team) Valid(l int) int { return min(t.valid, t.Threads(l)*t.Items) }

// All reports whether every thread holds all of its items.
func (t *Team) All() bool { return t.valid == t.Width*t.Items }

// Where returns the active lanes for which right holds, given the lane's place
// in its team and the team's threads and items.
func (t *Team) Where(right func(number, threads, valid int) bool) lane.Mask {
	var m lane.Mask
	for l := range t.active.Lanes() {
		if right(t.Number(l), t.Threads(l), t.Valid(l)) {
			m = m.With(l)
		}
	}
	return m
}

// Blocked returns the lanes whose item j is there if items are blocked: item
// number*Items + j.
func (t *Team) Blocked(j int) lane.Mask {
	if t.All() {
		return t.active
	}
	return t.Where(func(number, _, valid int) bool { return number*t.Items+j < valid })
}

// Striped returns the lanes whose item j is there if items are striped: item
// j*threads + number.
func (t *Team) Striped(j int) lane.Mask {
	if t.All() {
		return t.active
	}
	return t.Where(func(number, threads, valid int) bool { return j*threads+number < valid })
}

// WarpStriped returns the lanes of a block whose item j is there if the items
// of each warp stand together, striped.
func (t *Team) WarpStriped(j int) lane.Mask {
	if t.All() {
		return t.active
	}
	first, live := t.base*t.Items, t.active.Count()
	return t.Where(func(number, _, valid int) bool { return first+j*live+number-t.base < valid })
}

// Only runs body with the lanes of m active, as predicated instructions after a
// compare; if these are all active lanes, as they are.
func (t *Team) Only(m lane.Mask, body func()) {
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
func (t *Team) IfAny(m lane.Mask, body func()) {
	if !m.Empty() {
		t.Only(m, body)
	}
}

// Last returns the lanes whose item j is the last of a blocked tile.
func (t *Team) Last(j int) lane.Mask {
	return t.Where(func(number, _, valid int) bool { return number*t.Items+j == valid-1 })
}

// Sync lets the threads of the team wait for each other.
func (t *Team) Sync() {
	if t.block {
		t.W.SyncBlock()
	} else {
		t.W.SyncWarp(t.W.Active())
	}
}

// IsBlock reports whether the team is a block.
func (t *Team) IsBlock() bool { return t.block }

// NumberReg returns a register with the place of each lane in its team. It must
// not be written. Call it before taking a mark, so that it stays.
func (t *Team) NumberReg() warp.Reg[int32] {
	switch {
	case t.block:
		return t.W.ThreadID()
	case t.Width == t.lanes:
		return t.W.LaneID()
	}
	id := t.W.LaneID()
	r := warp.Alloc[int32](t.W)
	warp.AndImm(r, id, int32(t.Width-1))
	return r
}

// Given reports whether r is a register, and not the zero one.
func Given[T any](r warp.Reg[T]) bool { return any(r) != any(warp.Reg[T]{}) }
