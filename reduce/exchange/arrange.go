package exchange

import (
	"fmt"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
)

// Storage returns how many elements of shared memory the arrangements of n items
// a thread need for blocks of so many threads.
func Storage(n int) reduce.Storage {
	return func(_, threads int) int { return n * threads }
}

// BlockedToStriped turns a blocked arrangement of the items of a block, in which
// thread t holds the items t*n to t*n+n-1 as v[0], v[1], ..., into a striped
// one, in which it holds the items t, t+threads, t+2*threads, ...: a store and a
// load an item, and one barrier. s has Storage(len(v)).
func BlockedToStriped[T any](s warp.Mem[T], v ...warp.Reg[T]) {
	exchange("blocked-to-striped", s, v, true, false)
}

// StripedToBlocked is the way back.
func StripedToBlocked[T any](s warp.Mem[T], v ...warp.Reg[T]) {
	exchange("striped-to-blocked", s, v, false, true)
}

func exchange[T any](name string, s warp.Mem[T], v []warp.Reg[T], fromBlocked, toBlocked bool) {
	w := enough(name, s, v)
	id := w.ThreadID()
	m := w.Mark()
	blocked := warp.Alloc[int32](w)
	warp.MulImm(blocked, id, int32(len(v)))
	place := func(isBlocked bool, j int) (warp.Mem[T], warp.Reg[int32]) {
		if isBlocked {
			return s.At(j), blocked
		}
		return s.At(j * w.BlockThreads()), id
	}
	for j := range v {
		to, at := place(fromBlocked, j)
		warp.Store(to, at, v[j])
	}
	w.SyncBlock()
	for j := range v {
		from, at := place(toBlocked, j)
		warp.Load(v[j], from, at)
	}
	w.Release(m)
}

// ScatterToBlocked moves each item to the place in the order of the block's
// items that its rank says; the ranks are a permutation of 0 to n*threads-1. The
// arrangement is blocked afterwards. s has Storage(len(v)).
func ScatterToBlocked[T any](s warp.Mem[T], v []warp.Reg[T], rank []warp.Reg[int32]) {
	scatter("scatter-to-blocked", s, v, rank, true)
}

// ScatterToStriped is ScatterToBlocked into a striped arrangement.
func ScatterToStriped[T any](s warp.Mem[T], v []warp.Reg[T], rank []warp.Reg[int32]) {
	scatter("scatter-to-striped", s, v, rank, false)
}

func scatter[T any](name string, s warp.Mem[T], v []warp.Reg[T], rank []warp.Reg[int32], toBlocked bool) {
	w := enough(name, s, v)
	if len(rank) != len(v) {
		fail(name, reduce.ErrItems, fmt.Sprintf("%d ranks for %d items", len(rank), len(v)), "give each item one")
	}
	for j := range v {
		warp.Store(s, rank[j], v[j])
	}
	w.SyncBlock()
	id := w.ThreadID()
	m := w.Mark()
	at := id
	if toBlocked {
		at = warp.Alloc[int32](w)
		warp.MulImm(at, id, int32(len(v)))
	}
	for j := range v {
		if toBlocked {
			warp.Load(v[j], s.At(j), at)
		} else {
			warp.Load(v[j], s.At(j*w.BlockThreads()), at)
		}
	}
	w.Release(m)
}

// enough ends the kernel if there are no items or too little memory.
func enough[T any](name string, s warp.Mem[T], v []warp.Reg[T]) *warp.Warp {
	if len(v) == 0 {
		fail(name, reduce.ErrItems, "none", "give each thread at least one")
	}
	w := v[0].Warp()
	if n := len(v) * w.BlockThreads(); s.Len() < n {
		fail(name, reduce.ErrStorage, fmt.Sprintf("%d elements, and it needs %d", s.Len(), n), "declare it with reduce.Shared and Storage")
	}
	return w
}
