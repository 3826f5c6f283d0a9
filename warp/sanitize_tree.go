package warp

import (
	"fmt"
	"slices"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// Reductions by a tree in shared memory, step by step s[i] += s[i+d], are lost in part
// if they stop before the last step: of the partial results only the first is used. The
// sanitizer knows a tree by what its threads do to an array: a thread combines element b
// into element a if it has just read b, and a is its own or has just been read, too; no
// element that has been combined into another one is used any more. Anything else makes
// the array none that is reduced so. At the end of the block each element that has not
// been combined into another one is used, if a thread has read it since, or if the one
// that has combined it, and may still have it in a register, has stored anything or taken
// part in a collective. A tree ends early if only one of the elements that its next step
// would have combined is used.

// A treeWatch is what the sanitizer knows of an array in shared memory as a tree.
type treeWatch struct {
	size     int // bytes of an element, 0: not used in this block
	disproof bool
	cells    []treeCell
	farthest int32 // distance that an element has been combined over twice or more
	site     Site  // of the last of those steps
	roots    []int32
}

// begin forgets what was before a block.
func (t *treeWatch) begin() {
	clear(t.cells)
	t.size, t.disproof, t.farthest = 0, false, 0
}

// A treeCell is an element of a tree.
type treeCell struct {
	distance int32 // of the last step that has combined another element into this one
	owner    uint16
	steps    uint8 // that it stands for, of those that lead to it the most
	flags    treeFlags
}

type treeFlags uint8

const (
	treeWritten treeFlags = 1 << iota
	treeRead              // since the last write
	treeSpent             // combined into another element
	treeFalls             // the distance has halved with each step so far
	treeRises             // it has doubled
	treeBack              // the last step's other element came before this one
	treeUsed              // see treeWatch.find
)

// A warpTree is what a warp does with trees.
type warpTree struct {
	idle  lane.Mask   // lanes that have only read since they combined elements
	own   []int32     // by lane that is idle: where it has the result
	addr  uint64      // in which array
	calls int64       // meetings up to the last step
	loads [2]treeLoad // the latest first
}

// A treeLoad is a load whose values lanes may combine.
type treeLoad struct {
	addr  uint64    // of the array
	lanes lane.Mask // that have not stored to it since
	at    []int32   // elements by lane, before base is added
	base  int32
}

// begin forgets what was before a block.
func (t *warpTree) begin() {
	t.idle, t.calls = lane.Mask{}, 0
	t.loads[0].lanes, t.loads[1].lanes = lane.Mask{}, lane.Mask{}
}

// noteTree books an access for the trees that it may be a step of. run says that its
// elements follow each other, and are all in the array.
func (s *sanitizer) noteTree(w *Warp, a *access, run bool) {
	t := &s.warps[w.id].tree
	if a.kind != accessLoad {
		t.idle = t.idle.AndNot(w.active) // what they combined may go on
	}
	r := a.region
	switch {
	case r == nil || r.tree.disproof:
	case a.kind == accessAtomic || r.tree.size != a.view.size && !r.tree.start(r.bytes, a.view.size):
		r.tree.disproof = true
	case a.kind == accessLoad:
		t.loads[0], t.loads[1] = t.loads[1], t.loads[0]
		l := &t.loads[0]
		l.addr, l.lanes, l.base, l.at = r.addr, w.active, int32(a.view.offset), append(l.at[:0], a.at[:w.lanes]...)
		r.tree.load(l, run)
		if r.addr == t.addr && !t.idle.And(w.active).Empty() {
			t.goOn(l, r.tree.cells)
		}
	default:
		s.treeStore(w, a, t, r, run)
	}
}

// treeStore books a store.
func (s *sanitizer) treeStore(w *Warp, a *access, t *warpTree, r *region, run bool) {
	base := int32(a.view.offset)
	var of [2]*treeLoad
	n := 0
	maybe := false // lanes have loaded other elements than they store to
	for i := range t.loads {
		if l := &t.loads[i]; l.addr == r.addr && !l.lanes.And(w.active).Empty() {
			of[n] = l
			n++
			maybe = maybe || l.base != base || !slices.Equal(l.at, a.at[:w.lanes])
		}
	}
	tree, again := &r.tree, false
	if maybe && len(t.own) < w.lanes {
		t.own = make([]int32, w.lanes)
	}
	switch me := uint16(a.thread); {
	case maybe:
		for l := range w.active.Lanes() {
			k := a.at[l] + base
			if uint(k) >= uint(len(tree.cells)) {
				continue
			}
			c, me := &tree.cells[k], me+uint16(l)
			from := partner(of[:n], l, k, c.flags&treeWritten != 0 && c.owner == me)
			if uint(from) >= uint(len(tree.cells)) {
				*c = treeCell{owner: me, flags: treeWritten}
				continue
			}
			if t.addr != r.addr {
				t.addr, t.idle = r.addr, lane.Mask{}
			}
			t.idle = t.idle.With(l)
			t.own[l] = k
			again = tree.combine(k, from, me) || again
		}
	case run:
		row := tree.cells[a.at[0]+base:][:w.lanes]
		for l := range row {
			row[l] = treeCell{owner: me + uint16(l), flags: treeWritten}
		}
	default:
		for l := range w.active.Lanes() {
			if k := a.at[l] + base; uint(k) < uint(len(tree.cells)) {
				tree.cells[k] = treeCell{owner: me + uint16(l), flags: treeWritten}
			}
		}
	}
	for _, l := range of[:n] {
		l.lanes = l.lanes.AndNot(w.active)
	}
	if again {
		tree.site = w.warmSite()
		if n := w.meetings(); n != t.calls {
			t.calls, t.idle = n, t.idle.And(w.active)
		}
	}
}

// goOn lets lanes be idle no more that read what the next step of their tree would
// combine with their result: it may go on in a register.
func (t *warpTree) goOn(load *treeLoad, cells []treeCell) {
	for l := range t.idle.And(load.lanes).Lanes() {
		c, d := &cells[t.own[l]], load.at[l]+load.base-t.own[l]
		if c.flags&treeBack != 0 {
			d = -d
		}
		if c.flags&treeFalls != 0 && d > 0 && d < c.distance || c.flags&treeRises != 0 && d >= 2*c.distance {
			t.idle = t.idle.Without(l)
		}
	}
}

// partner returns the element that a lane's store to element k combines with it, by what
// it has loaded, -1 if none; own says that it may have the element in a register.
func partner(loads []*treeLoad, l int, k int32, own bool) int32 {
	var at [2]int32
	n := 0
	for _, o := range loads {
		if o.lanes.Has(l) {
			at[n] = o.at[l] + o.base
			n++
		}
	}
	switch {
	case n == 2 && at[0] == k && at[1] != k:
		return at[1]
	case n == 2 && at[1] == k && at[0] != k, n == 1 && own && at[0] != k:
		return at[0]
	}
	return -1
}

// start takes up an array of elements of a size, and reports whether it had none so far.
func (t *treeWatch) start(bytes, size int) bool {
	if t.size != 0 {
		return false
	}
	n := bytes / size
	if cap(t.cells) < n {
		t.cells = make([]treeCell, n)
	}
	t.cells, t.size = t.cells[:n], size
	return true
}

// load books what lanes have read.
func (t *treeWatch) load(l *treeLoad, run bool) {
	if run {
		row := t.cells[l.at[0]+l.base:][:len(l.at)]
		for i := range row {
			row[i].flags |= treeRead
		}
		return
	}
	for i := range l.lanes.Lanes() {
		if k := l.at[i] + l.base; uint(k) < uint(len(t.cells)) {
			t.cells[k].flags |= treeRead
		}
	}
}

// combine books that a thread has combined one element into element k, and reports
// whether that was not the first one.
func (t *treeWatch) combine(k, from int32, me uint16) bool {
	c, o := &t.cells[k], &t.cells[from]
	if (c.flags|o.flags)&treeSpent != 0 {
		t.disproof = true
		return false
	}
	o.flags |= treeSpent
	d := max(from-k, k-from)
	flags := treeWritten | treeFalls | treeRises
	if from < k {
		flags |= treeBack
	}
	if c.steps > 0 {
		if d > (c.distance+1)/2 {
			flags &^= treeFalls
		}
		if d < 2*c.distance {
			flags &^= treeRises
		}
		flags &= c.flags | treeWritten | treeBack
		t.farthest = max(t.farthest, d)
	}
	again := c.steps > 0
	*c = treeCell{distance: d, owner: me, steps: min(max(c.steps, o.steps), 254) + 1, flags: flags}
	return again
}

// meetings returns how many instructions the warp has issued that tell other lanes or
// warps of a register's value without memory.
func (w *Warp) meetings() int64 { return w.collectives() + w.counts[isa.BarRed] }

// endTrees raises what trees in shared memory have left out, at the end of the block.
func (s *sanitizer) endTrees() {
	for i := range s.shared {
		r := &s.shared[i]
		t := &r.tree
		if r.begun != s.begun || t.disproof || t.farthest == 0 {
			continue
		}
		if k, left := t.find(s); left >= 0 {
			s.raiseTree(t, k, left)
		}
	}
}

// find returns an element of a tree that is used, and one that its next step would have
// combined with it and that is lost; -1 for both if there is none.
func (t *treeWatch) find(s *sanitizer) (used, left int32) {
	t.roots = t.roots[:0]
	open := 0
	for k := range t.cells {
		c := &t.cells[k]
		if c.flags&(treeWritten|treeSpent) != treeWritten {
			continue
		}
		if open++; c.steps < 2 {
			continue
		}
		if o := s.block.warps[c.owner>>s.shift]; c.flags&treeRead != 0 || !s.idle(o, int(c.owner)&(o.lanes-1)) {
			c.flags |= treeUsed
		}
		t.roots = append(t.roots, int32(k))
	}
	for i, k := range t.roots {
		if c := &t.cells[k]; c.flags&treeUsed != 0 {
			if left := t.lostBy(i, open); left >= 0 {
				return k, left
			}
		}
	}
	return -1, -1
}

// idle reports whether a lane has stored nothing and told no other since it combined.
func (s *sanitizer) idle(w *Warp, l int) bool {
	t := &s.warps[w.id].tree
	return t.idle.Has(l) && w.meetings() == t.calls
}

// lostBy returns a root that the next step of root i's tree would have combined with it,
// if that and all others of its kind are not used, or -1. open is how many elements have
// not been combined into others.
func (t *treeWatch) lostBy(i, open int) int32 {
	k := t.roots[i]
	c := &t.cells[k]
	left := int32(-1)
	// Distances that fall: the roots of one tree are closer than its last distance.
	for _, dir := range [...]int{-1, 1} {
		for j := i + dir; j >= 0 && j < len(t.roots); j += dir {
			o := &t.cells[t.roots[j]]
			d := max(k-t.roots[j], t.roots[j]-k)
			if d >= t.farthest {
				break
			}
			if d >= max(c.distance, o.distance) || c.flags&o.flags&treeFalls == 0 {
				continue
			}
			if o.flags&treeUsed != 0 {
				return -1
			}
			left = t.roots[j]
		}
	}
	if left >= 0 || open != 2 || len(t.roots) != 2 {
		return left
	}
	// Distances that rise: the tree has taken in all but two elements.
	o := &t.cells[t.roots[1-i]]
	if d := t.roots[1-i] - k; c.flags&o.flags&treeRises != 0 && o.flags&treeUsed == 0 && d == 2*c.distance && c.distance == o.distance {
		return t.roots[1-i]
	}
	return -1
}

// raiseTree raises that element k of a tree is used and element left is lost.
func (s *sanitizer) raiseTree(t *treeWatch, k, left int32) {
	owner := uint32(t.cells[left].owner)
	w := s.block.warps[owner>>s.shift]
	f := Fault{Kind: PartialReduction, Severity: faultKinds[PartialReduction].severity, Site: t.site,
		Block: s.block.index, Warp: w.id, Width: w.lanes, Lanes: lane.Bit(int(owner) & (w.lanes - 1)),
		Detail: fmt.Sprintf("a tree in shared memory ends at distance %d: of its partial results element %d is used, and element %d is not", t.cells[k].distance, k, left),
		Advice: "go on until one element is left, or use all partial results"}
	s.block.group.note(f)
}
