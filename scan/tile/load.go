package tile

import (
	"fmt"

	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// A Method is how a tile gets from memory into registers and back.
type Method uint8

// The methods. Memory holds the tile in the order of its items; what differs is
// which thread accesses which element, and how many accesses that makes.
const (
	// Direct has each thread access its own run of elements: blocked. Threads
	// side by side are len(items) elements apart, so that one instruction
	// touches that many times as many sectors.
	Direct Method = iota
	// Striped has threads side by side access elements side by side: striped.
	Striped
	// WarpStriped is Striped inside each warp: warp-striped. For a group of
	// lanes it is Striped.
	WarpStriped
	// Transposed accesses memory striped, and registers blocked, by an
	// exchange through shared memory. Store leaves the items as they were.
	Transposed
	// WarpTransposed is Transposed inside each warp, with warp barriers only.
	// For a group of lanes it is Transposed.
	WarpTransposed
	numMethods
)

var methodNames = [numMethods]string{"direct", "striped", "warp-striped", "transposed", "warp-transposed"}

// String returns the method's name, such as "warp-transposed".
func (m Method) String() string {
	if m < numMethods {
		return methodNames[m]
	}
	return fmt.Sprintf("method(%d)", uint8(m))
}

// NewMethodStorage declares the shared memory that a method needs for so many
// items a thread: that of NewStorage if it exchanges, none otherwise.
func NewMethodStorage[T any](w *warp.Warp, m Method, items int) warp.Mem[T] {
	if m == Transposed || m == WarpTransposed {
		return NewStorage[T](w, items)
	}
	return warp.Mem[T]{}
}

// parts returns in which arrangement a method accesses memory, and in which the
// registers are.
func (m Method) parts(t *parts.Roster) (memory, registers arrangement) {
	switch m {
	case Direct:
		return blocked, blocked
	case Striped:
		return striped, striped
	case Transposed:
		return striped, blocked
	}
	memory = warpStriped
	if !t.IsBlock {
		memory = striped
	}
	switch m {
	case WarpStriped:
		return memory, memory
	case WarpTransposed:
		return memory, blocked
	}
	t.Fail(team.ErrAlgorithm, m.String(), "use one of the constants of type Method")
	return
}

// Load fills the tile of a block with elements 0 to valid-1 of src.
//
//	src 0 1 2 3 4 5 6 7, Direct    thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
//	src 0 1 2 3 4 5 6 7, Striped   thread 0: 0 4   thread 1: 1 5   thread 2: 2 6   thread 3: 3 7
//
// src.At(k) loads a later tile.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first elements. Other items keep what their registers held: set
//     them before for a default.
//   - Shared memory: NewMethodStorage for len(items); s may be the zero Mem where that is
//     none.
//   - Cost: a load an item; where the method exchanges, what that costs.
//   - Undefined: src shorter than valid, a fault of kind warp.OutOfBounds.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive, and ErrAlgorithm
//     for an unknown method.
func Load[T any](who team.Team, by Method, items []warp.Reg[T], src warp.Mem[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "load "+by.String(), len(items))
	load(&t, by, items, src, s)
}

// Store writes the tile of a block to elements 0 to valid-1 of dst. See Load.
func Store[T any](who team.Team, by Method, dst warp.Mem[T], items []warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "store "+by.String(), len(items))
	store(&t, by, dst, items, s)
}

func load[T any](t *parts.Roster, by Method, items []warp.Reg[T], src, s warp.Mem[T]) {
	memory, registers := by.parts(t)
	w := t.W
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	outside := parts.Elements(t, src)
	from := slots(&outside, memory)
	loaded := items
	if memory != registers {
		// Elsewhere, so that items which are not there keep what they hold.
		loaded = make([]warp.Reg[T], len(items))
		for j := range loaded {
			loaded[j] = warp.Alloc[T](w)
		}
	}
	for j, v := range loaded {
		t.IfAny(have(t, memory, j), func() {
			src, at := from.Slot(j)
			warp.Load(v, src, at)
		})
	}
	if memory != registers {
		exchange(t, loaded, items, s, memory, registers)
	}
	w.Release(m)
}

func store[T any](t *parts.Roster, by Method, dst warp.Mem[T], items []warp.Reg[T], s warp.Mem[T]) {
	memory, registers := by.parts(t)
	w := t.W
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	if memory != registers {
		moved := make([]warp.Reg[T], len(items))
		for j := range moved {
			moved[j] = warp.Alloc[T](w)
		}
		exchange(t, items, moved, s, registers, memory)
		items = moved
	}
	outside := parts.Elements(t, dst)
	to := slots(&outside, memory)
	for j, v := range items {
		t.IfAny(have(t, memory, j), func() {
			dst, at := to.Slot(j)
			warp.Store(dst, at, v)
		})
	}
	w.Release(m)
}

// LoadVectors is Load by Direct with accesses of whole vectors of 2 or 4
// elements: fewer instructions for the same bytes. src holds vectors, the number
// of items is a multiple of their length.
//
//	src (0 1) (2 3) (4 5) (6 7)   thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the tile is always full, as there is no access to part of a vector.
//   - Shared memory: none.
//   - Cost: a load for each 16 bytes of a vector, and a move an element, as parts
//     of a vector's register have no names here; devices need no moves.
//   - Undefined: src shorter than the tile, a fault of kind warp.OutOfBounds.
//   - Errors: team.ErrItems, ErrActive.
func LoadVectors[T any, V [2]T | [4]T](items []warp.Reg[T], src warp.Mem[V]) {
	w := warpOf(items)
	n := vectorLength[T, V](w, "load-vectors", len(items))
	id := w.ThreadID()
	m := w.Mark()
	v, at := warp.Alloc[V](w), warp.Alloc[int32](w)
	parts.Times(at, id, len(items)/n)
	for k := 0; k < len(items); k += n {
		warp.Load(v, src.At(k/n), at)
		for e := range n {
			warp.Map1(items[k+e], v, isa.Mov, func(v V) T { return v[e] })
		}
	}
	w.Release(m)
}

// StoreVectors is Store by Direct with accesses of whole vectors; see
// LoadVectors.
func StoreVectors[T any, V [2]T | [4]T](dst warp.Mem[V], items []warp.Reg[T]) {
	w := warpOf(items)
	n := vectorLength[T, V](w, "store-vectors", len(items))
	id := w.ThreadID()
	m := w.Mark()
	v, at := warp.Alloc[V](w), warp.Alloc[int32](w)
	parts.Times(at, id, len(items)/n)
	for k := 0; k < len(items); k += n {
		var zero V
		v.Define(w.Active()) // the moves fill all of it
		for l := range w.Active().Lanes() {
			v.Lanes()[l] = zero
		}
		for e := range n {
			warp.Map2(v, v, items[k+e], isa.Mov, func(v V, x T) V { v[e] = x; return v })
		}
		warp.Store(dst.At(k/n), at, v)
	}
	w.Release(m)
}

func vectorLength[T any, V [2]T | [4]T](w *warp.Warp, name string, items int) int {
	var v V
	t := parts.Bind(team.Block(), w, name, items)
	if items%len(v) != 0 {
		t.Fail(team.ErrItems, fmt.Sprintf("%d items in vectors of %d", items, len(v)), "use a multiple, or Load by Direct")
	}
	return len(v)
}
