package team

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// A Count says how many items there are: the zero Count is all that there can be.
type Count struct {
	n     int
	given bool
}

// All is the count of all items, the zero Count.
func All() Count { return Count{} }

// First is the count of the first n items. 0 is none.
func First(n int) Count { return Count{n, true} }

// Of returns the number of items, given how many there can be.
func (c Count) Of(all int) int {
	if c.given {
		return c.n
	}
	return all
}

// String returns "all" or the number.
func (c Count) String() string {
	if c.given {
		return fmt.Sprint(c.n)
	}
	return "all"
}

// check returns an *Error of kind ErrValid if there cannot be so many items.
func (c Count) check(name string, all int) error {
	if n := c.Of(all); n < 0 || n > all {
		return &Error{name, ErrValid, fmt.Sprintf("%d of %d", n, all), fmt.Sprintf("use 0 to %d, or all", all)}
	}
	return nil
}

// A Team says which threads work together, and how many items they hold. The
// zero Team is the block with all its items.
type Team struct {
	lanes bool // of a warp
	width int  // of a group, 0: the warp
	valid Count
}

// Block is the threads of a block, which all have to come.
func Block() Team { return Team{} }

// Warp is the lanes of a warp, those that are active; they must be its first.
func Warp() Team { return Team{lanes: true} }

// Groups is each group of width neighbouring lanes by itself; the active lanes of
// each must be its first. 0 stands for the whole warp.
func Groups(width int) Team { return Team{lanes: true, width: width} }

// First returns the team with the first n items only: of the block, or of each
// group. 0 is none.
func (t Team) First(n int) Team { return t.Holding(First(n)) }

// Holding returns the team with as many items as the count says.
func (t Team) Holding(c Count) Team {
	t.valid = c
	return t
}

// Check holds a team with one item a thread against a warp of so many lanes or a
// block of so many threads.
func (t Team) Check(name string, lanes, threads int) error {
	if !t.lanes {
		return t.valid.check(name, threads)
	}
	width := t.width
	if width == 0 {
		width = lanes
	}
	if width < 0 || width > lanes {
		return &Error{name, ErrWidth, fmt.Sprintf("%d, and a warp has %d lanes", t.width, lanes),
			fmt.Sprintf("use 1 to %d, or 0 for the whole warp", lanes)}
	}
	return t.valid.check(name, width)
}

// Bind makes the roster of a team whose threads hold so many items each. Groups
// must be a power of two of lanes wide.
func (t Team) Bind(w *warp.Warp, name string, items int) Roster {
	r := Roster{W: w, Name: name, Items: items, Lanes: w.Width(), Base: w.ID() * w.Width(), Active: w.Active()}
	if t.lanes {
		if r.Width = t.width; r.Width == 0 {
			r.Width = r.Lanes
		}
		if r.Width > r.Lanes || !pow2(r.Width) {
			r.Fail(ErrWidth, fmt.Sprintf("%d, and a warp has %d lanes", t.width, r.Lanes),
				fmt.Sprintf("use 1, 2, 4, ... %d, or 0 for the whole warp", r.Lanes))
		}
		for first := 0; first < r.Lanes; first += r.Width {
			r.needFirst(r.Active.And(lane.Range(first, first+r.Width)), first)
		}
	} else {
		r.IsBlock, r.Width = true, w.BlockThreads()
		if r.Active != w.Live() {
			r.Fail(ErrActive, "lanes "+r.Active.Ranges()+" of a warp with lanes "+w.Live().Ranges(),
				"call it outside of branches, with all threads of the block")
		}
	}
	if items < 1 {
		r.Fail(ErrItems, "no register with items", "give each thread one item or more")
	}
	if err := t.valid.check(name, r.Width*items); err != nil {
		panic(err)
	}
	r.Valid = t.valid.Of(r.Width * items)
	if items == 1 && r.IsBlock {
		r.Here = min(max(r.Valid-r.Base, 0), r.Lanes)
		r.Members = lane.FirstN(r.Here)
	}
	return r
}

// BindLanes makes the roster of groups of any width whose lanes hold one item
// each. The active lanes with an item must be the first of their group; lanes
// beyond the last whole group hold none.
func (t Team) BindLanes(w *warp.Warp, name string) Roster {
	if err := t.Check(name, w.Width(), w.BlockThreads()); err != nil {
		panic(err)
	}
	lanes, active := w.Width(), w.Active()
	r := Roster{W: w, Name: name, Items: 1, Lanes: lanes, Base: w.ID() * lanes, Width: t.width, Active: active, Equal: true}
	if r.Width == 0 {
		r.Width = lanes
	}
	r.Valid = t.valid.Of(r.Width)
	r.Pow2, r.Open = pow2(r.Width), active == lane.FirstN(lanes)
	if r.Open && r.Valid == r.Width && r.Pow2 {
		r.Members, r.Count, r.Tidy = active, r.Width, true
		return r
	}
	r.Tidy = r.Pow2
	for first := 0; first+r.Width <= lanes; first += r.Width {
		in := active.And(lane.Range(first, first+r.Width))
		items := in.And(lane.Range(first, first+r.Valid))
		r.needFirst(items, first)
		n := items.Count()
		if n == 0 && r.Valid > 0 && !in.Empty() {
			r.needFirst(in, first)
		}
		r.Equal = r.Equal && (n == 0 || r.Count == 0 || n == r.Count)
		r.Members = r.Members.Or(items)
		r.Count = max(r.Count, n)
		r.Tidy = r.Tidy && (n == r.Width || n == 0)
	}
	return r
}

// needFirst ends the kernel if lanes are not the first of the group that begins
// there.
func (t *Roster) needFirst(in lane.Mask, first int) {
	if in != lane.Range(first, first+in.Count()) {
		t.Fail(ErrActive, fmt.Sprintf("lanes %s of the group at lane %d", in.Ranges(), first),
			"let the first lanes of each group be active")
	}
}
