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

	IsBlock bool
	Active  lane.Mask // lanes of this warp that take part
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
	if t.IsBlock {
		return t.Base + l
	}
	return l % t.Width
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
