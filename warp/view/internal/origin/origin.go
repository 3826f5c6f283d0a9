// Package origin follows values through a block: for every lane of every register,
// and every word of memory, from which threads of the block what it holds came.
//
// A value comes into a thread where that thread loads it from memory that no kernel
// has stored to, or reads its own number. A constant comes from nobody. What an
// instruction makes of its operands comes from wherever they come from; a move
// between lanes takes the set of the lane that it reads; memory keeps what was
// stored.
package origin

import (
	"math/bits"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// MaxThreads bounds the threads of a block that are told apart.
const MaxThreads = 2048

// A Set is threads of a block.
type Set [MaxThreads / 64]uint64

// Threads returns the threads of the set in ascending order.
func (s *Set) Threads() []int {
	var all []int
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			all = append(all, i*64+bits.TrailingZeros64(w))
		}
	}
	return all
}

// An ID names a Set of a Tracker. 0 is the empty set.
type ID int32

// A Tracker follows the values of one block. Make one with New.
type Tracker struct {
	sets []Set
	ids  map[Set]ID
	sums map[[2]ID]ID // unions that have been worked out
	own  [MaxThreads]ID

	rows   map[key][]ID
	shared map[uint64]ID // by word
	global map[uint64]ID
	out    []ID
	zero   []ID
}

type key struct {
	warp int
	reg  int
}

// New returns a Tracker of a block whose values are not known.
func New() *Tracker {
	return &Tracker{
		sets: make([]Set, 1), ids: map[Set]ID{{}: 0}, sums: map[[2]ID]ID{},
		rows: map[key][]ID{}, shared: map[uint64]ID{}, global: map[uint64]ID{},
	}
}

// Threads returns the threads of a set, in ascending order.
func (t *Tracker) Threads(id ID) []int { return t.sets[id].Threads() }

func (t *Tracker) intern(s Set) ID {
	id, known := t.ids[s]
	if !known {
		id = ID(len(t.sets))
		t.sets = append(t.sets, s)
		t.ids[s] = id
	}
	return id
}

// thread is the set of one thread.
func (t *Tracker) thread(n int) ID {
	if n >= MaxThreads {
		return 0
	}
	if t.own[n] == 0 {
		var s Set
		s[n/64] = 1 << (n % 64)
		t.own[n] = t.intern(s)
	}
	return t.own[n]
}

func (t *Tracker) union(a, b ID) ID {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a > b:
		a, b = b, a
	}
	id, known := t.sums[[2]ID{a, b}]
	if !known {
		s := t.sets[a]
		for i, w := range &t.sets[b] {
			s[i] |= w
		}
		id = t.intern(s)
		t.sums[[2]ID{a, b}] = id
	}
	return id
}

// of returns the sets of a register's lanes.
func (t *Tracker) of(warp int, r isa.Reg) []ID {
	if s := t.rows[key{warp, r.Index()}]; r != isa.NoReg && s != nil {
		return s
	}
	return t.zero
}

// Follow takes the next instruction of the block and returns the sets of the lanes
// of its first result, nil if it has none. The slice is valid until the next call.
func (t *Tracker) Follow(ev *warp.InstrEvent) []ID {
	lanes := ev.Warp.Width()
	if len(t.zero) < lanes {
		t.zero, t.out = make([]ID, lanes), make([]ID, lanes)
	}
	in, w := ev.Instr.Uncoded(), ev.Warp.ID()
	first := w * lanes
	if ev.Access != nil {
		return t.access(ev, &in, first)
	}
	a, b, c := t.of(w, in.A), t.of(w, in.B), t.of(w, in.C)
	out := t.out[:lanes]
	switch op := in.Op; {
	case op == isa.PermLane && in.Dst2 != isa.NoReg: // which of the two registers a lane takes is not in the record
		for l := range out {
			from := int(ev.Sources[l]) % lanes
			out[l] = t.union(t.union(a[l], b[l]), t.union(a[from], b[from]))
		}
	case ev.Sources != nil:
		own := b
		if op != isa.RowMove {
			own = t.zero // an operand, or an address
		}
		for l := range out {
			out[l] = t.union(a[int(ev.Sources[l])%lanes], own[l])
		}
	case !ev.Warp.Front().Traceable() && op >= isa.ShflIdx:
		clear(out)
	case op == isa.ReadSpecial || op == isa.LoadConst:
		for l := range out {
			out[l] = 0
			if op == isa.ReadSpecial {
				out[l] = t.thread(first + l)
			}
		}
	case op == isa.Redux || op == isa.Ballot || op == isa.Vote || op == isa.MatchAny || op == isa.MatchAll || op == isa.BarRed:
		all := ID(0)
		for l := range ev.Active.Lanes() {
			all = t.union(all, a[l])
		}
		for l := range out {
			out[l] = all
		}
	case op == isa.Select && in.C.IsPredicate():
		yes := ev.Warp.Front().Set(in.C)
		for l := range out {
			out[l] = b[l]
			if yes.Has(l) {
				out[l] = a[l]
			}
		}
	default:
		for l := range out {
			out[l] = t.union(t.union(a[l], b[l]), c[l])
		}
	}
	if !in.Dst2.IsPredicate() {
		t.write(ev, w, in.Dst2, out)
	}
	return t.write(ev, w, in.Dst, out)
}

// write puts the sets of the active lanes into a register, and its pair.
func (t *Tracker) write(ev *warp.InstrEvent, w int, r isa.Reg, out []ID) []ID {
	if r == isa.NoReg {
		return nil
	}
	k := key{w, r.Index()}
	s := t.rows[k]
	if s == nil {
		s = make([]ID, len(out))
		t.rows[k] = s
	}
	if r.IsUniform() {
		copy(s, out)
		return s
	}
	for l := range ev.Active.Lanes() {
		s[l] = out[l]
	}
	if r.IsPair() {
		k.reg++
		high := t.rows[k]
		if high == nil {
			high = make([]ID, len(out))
			t.rows[k] = high
		}
		copy(high, s)
	}
	return s
}

// access is a load, a store or an atomic.
func (t *Tracker) access(ev *warp.InstrEvent, in *isa.Instr, first int) []ID {
	memory := t.global
	switch in.Op {
	case isa.LoadShared, isa.StoreShared, isa.AtomicShared, isa.AtomicSharedLoop:
		memory = t.shared
	}
	w, a := ev.Warp.ID(), ev.Access
	words := max(1, a.Bytes/4)
	var result []ID
	for i := range words {
		dst, val := behind(in.Dst, i), t.of(w, behind(in.B, i))
		if in.B == isa.NoReg {
			val = t.zero
		}
		out := t.out[:ev.Warp.Width()]
		copy(out, t.of(w, dst))
		for l := range a.Lanes.Lanes() {
			at := a.At[l]/4 + uint64(i)
			old, known := memory[at]
			switch {
			case a.Kind == warp.StoreAccess:
				memory[at] = val[l]
				continue
			case !known:
				if old = 0; a.Kind == warp.LoadAccess {
					old = t.thread(first + l)
				}
			}
			out[l] = old
			if a.Kind == warp.AtomicAccess {
				memory[at] = t.union(old, val[l])
			}
		}
		if in.Dst != isa.NoReg {
			if s := t.write(ev, w, dst, out); i == 0 {
				result = s
			}
		}
	}
	return result
}

// behind returns the row n rows after r.
func behind(r isa.Reg, n int) isa.Reg {
	if r == isa.NoReg || n == 0 {
		return r
	}
	return isa.Row(r.Index() - 1 + n)
}
