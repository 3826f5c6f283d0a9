package warp

import (
	"math/rand/v2"
	"unsafe"

	"example.com/warpsim/lane"
)

// Stores to global memory become visible to other blocks at some time, in any order,
// unless a fence says so. With Config.Seed they come late: memory itself has what was
// stored last, and a plain load that nothing orders after a store gets what was there
// before it. That is so between the warps of a block as well, until a barrier; a warp
// sees its own stores, and atomics and volatile accesses see and do everything at
// once. What is named a race may be late, and nothing else.

// lateStores are the stores of a run that are late.
type lateStores struct {
	rng   *rand.Rand
	mode  int
	now   int64 // accesses to global memory so far
	words map[uintptr]*lateWord
	// unfenced are those that no fence has come after, by block.
	unfenced map[uint32][]*lateWord
}

// How late stores are, by the seed.
const (
	lateNever = iota
	lateShortly
	lateLong
	lateModes = 4 // one more is lateLong, too
)

const (
	wordBytes    = 4
	maxLateWords = 1 << 16 // more are not late
	// No store is late for more accesses than this: a kernel that waits for it comes
	// to an end, and before a warp that spins is called endless.
	maxLate = 1 << 14
)

// A lateWord is what stood in a word, or in some of its bytes, before a thread's late
// stores to it.
type lateWord struct {
	old           [wordBytes]byte
	bytes         uint8 // of them
	dropped       bool
	block, thread uint32
	time          uint32 // of the watch, when it was stored last
	fenced        uint32 // the time of a fence after it, 0: none
	inBlock       bool   // a fence for the block came after it, or one for all
	until         int64  // when others see it at the latest
}

func newLateStores(seed uint64) *lateStores {
	x := &lateStores{rng: rand.New(rand.NewPCG(seed, 1<<63)), words: map[uintptr]*lateWord{}, unfenced: map[uint32][]*lateWord{}}
	x.mode = x.rng.IntN(lateModes)
	return x
}

// life draws for how many accesses the stores of an instruction are late.
func (x *lateStores) life() int64 {
	switch {
	case x.mode == lateNever:
		return 0
	case x.mode == lateShortly:
		return x.rng.Int64N(64)
	case x.rng.IntN(8) == 0:
		return 0
	}
	return maxLate
}

// word returns what is late of word n, nil if nothing is.
func (x *lateStores) word(n uintptr) *lateWord {
	w := x.words[n]
	if w != nil && w.until <= x.now {
		x.drop(n, w)
		return nil
	}
	return w
}

func (x *lateStores) drop(n uintptr, w *lateWord) {
	w.dropped = true
	delete(x.words, n)
}

// noteLate books an access of the active lanes to global memory before it takes
// effect.
func (s *sanitizer) noteLate(w *Warp, a *access) {
	x := s.late
	x.now++
	if a.kind == accessLoad {
		return
	}
	var life int64
	if a.kind == accessStore && !a.strong {
		life = x.life()
	}
	for l := range w.active.Lanes() {
		k := int(a.at[l]) + a.view.offset
		if uint(k) >= uint(a.view.len) {
			continue
		}
		from := uintptr(a.view.data) + uintptr(k*a.view.size)
		s.storeLate(uint32(w.id)<<s.shift+uint32(l), from, unsafe.Slice((*byte)(unsafe.Add(a.view.data, k*a.view.size)), a.view.size), life)
	}
}

// storeLate makes a store of a thread to the bytes at an address late, or sees to it
// that none is any more if life is 0.
func (s *sanitizer) storeLate(me uint32, from uintptr, old []byte, life int64) {
	x := s.late
	for i := 0; i < len(old); {
		n := (from + uintptr(i)) / wordBytes
		w := x.word(n)
		if w != nil && (life == 0 || w.block != s.id || w.thread != me || w.inBlock) {
			x.drop(n, w) // it is no later than this one
			w = nil
		}
		if w == nil && life > 0 && len(x.words) < maxLateWords {
			w = &lateWord{block: s.id, thread: me, until: x.now + life}
			x.words[n] = w
			x.unfenced[s.id] = append(x.unfenced[s.id], w)
		}
		for ; i < len(old) && (from+uintptr(i))/wordBytes == n; i++ {
			if b := (from + uintptr(i)) % wordBytes; w != nil && w.bytes>>b&1 == 0 {
				w.old[b] = old[i]
				w.bytes |= 1 << b
			}
		}
		if w != nil {
			w.time = s.now
		}
	}
}

// loadLate puts what was there before late stores into the lanes of a load of global
// memory that do not see them yet.
func (s *sanitizer) loadLate(w *Warp, m *memView, at []int32, dst unsafe.Pointer) {
	x := s.late
	if s.fresh || len(x.words) == 0 {
		return
	}
	var stale lane.Mask
	for l := range w.active.Lanes() {
		from := uintptr(m.data) + uintptr((int(at[l])+m.offset)*m.size)
		me := uint32(w.id)<<s.shift + uint32(l)
		for n := from / wordBytes; n*wordBytes < from+uintptr(m.size); n++ {
			e := x.word(n)
			if e == nil || s.sees(me, e) {
				continue
			}
			for b := range uintptr(wordBytes) {
				if i := n*wordBytes + b - from; e.bytes>>b&1 != 0 && i < uintptr(m.size) {
					p := (*byte)(unsafe.Add(dst, uintptr(l*m.size)+i))
					if *p != e.old[b] {
						stale = stale.With(l)
					}
					*p = e.old[b]
				}
			}
		}
	}
	if !stale.Empty() {
		s.explore.note(ScheduleStep{Block: w.block.index, Warp: w.id, Until: "stale", Lanes: stale, Site: w.callSite()})
	}
}

// sees reports whether a late store is ordered before what a thread loads now.
func (s *sanitizer) sees(me uint32, e *lateWord) bool {
	if e.block == s.id {
		return e.inBlock || e.thread>>s.shift == me>>s.shift || s.orderedIn(me, e.thread, e.time)
	}
	// Which thread of this block has had the fence does not matter: rather too much
	// is taken as seen.
	return e.fenced != 0 && s.lastFence >= e.fenced
}

// fenceLate makes the stores that are ordered before a fence of some lanes visible to
// those that come to a fence after it; all says that it is not for the block alone.
func (s *sanitizer) fenceLate(w *Warp, lanes lane.Mask, now uint32, all bool) {
	if all {
		s.lastFence = now
	}
	list := s.late.unfenced[s.id]
	left := list[:0]
	for _, e := range list {
		switch {
		case e.dropped:
			continue
		case s.before(w, lanes, e):
			if e.inBlock = true; all {
				e.fenced = now
				continue
			}
		}
		left = append(left, e)
	}
	clear(list[len(left):])
	s.late.unfenced[s.id] = left
}

// before reports whether a store is ordered before a fence of some lanes.
func (s *sanitizer) before(w *Warp, lanes lane.Mask, e *lateWord) bool {
	if int(e.thread>>s.shift) == w.id && (!s.independent || lanes.Has(int(e.thread)&(1<<s.shift-1))) {
		return true
	}
	for l := range lanes.Lanes() {
		if s.orderedIn(uint32(w.id)<<s.shift+uint32(l), e.thread, e.time) {
			return true
		}
	}
	return false
}
