package kernels

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// FindFirst sets dst in all active lanes to the number of the first of the n
// elements of src for which match holds, or to -1: a search that ends early. The
// active lanes look at elements side by side, and vote after every rounds of them
// whether to go on: seldom votes let more loads be under way together, and look at
// more in vain once it is found.
//
//	src  8 6 7 5 3 0 9   match odd   dst  2 in all lanes
//
// match sets its predicate in the active lanes and must not change which lanes
// are active.
//
// Contract:
//
//   - Lanes: the first of the warp, any number of them.
//   - Shared memory: none.
//   - Cost: a load and match a round, a vote and a branch every so many rounds; a
//     vote a round and a ballot once something is found.
//   - Errors: team.ErrShape for n below 0 or beyond src, or every below 1;
//     team.ErrActive.
func FindFirst[T any](dst warp.Reg[int32], src warp.Mem[T], n, every int, match func(dst warp.Pred, v warp.Reg[T])) {
	const name = "find-first"
	if n < 0 || n > src.Len() || every < 1 {
		fail(name, team.ErrShape, fmt.Sprintf("%d of %d elements, a vote every %d rounds", n, src.Len(), every), "search the elements that there are, and vote every round or later")
	}
	w := dst.Warp()
	lanes := firstLanes(w, name)
	id := w.LaneID()
	m := w.Mark()
	v, found, any := make([]warp.Reg[T], every), make([]warp.Pred, every), w.Pred()
	for r := range every {
		v[r], found[r] = warp.Alloc[T](w), w.Pred()
	}
	warp.Set(dst, -1)
	for begin := 0; begin < n; begin += every * lanes {
		rounds := min(every, (n-begin+lanes-1)/lanes)
		// All loads first, so that they are under way together.
		here := func(r int) lane.Mask { return lane.FirstN(min(lanes, n-begin-r*lanes)) }
		for r := range rounds {
			only(w, here(r), func() { warp.Load(v[r], src.At(begin+r*lanes), id) })
		}
		for r := range rounds {
			if here(r) != w.Active() {
				warp.SetPred(found[r], lane.Mask{})
			}
			only(w, here(r), func() { match(found[r], v[r]) })
			switch {
			case r == 1:
				warp.PredOr(any, found[0], found[1])
			case r > 1:
				warp.PredOr(any, any, found[r])
			}
		}
		some := any
		if rounds == 1 {
			some = found[0]
		}
		if !w.Any(some) {
			continue
		}
		// The first of the rounds that found something, and its first lane.
		b := w.MaskReg()
		for r := range rounds {
			if r+1 < rounds && !w.Any(found[r]) {
				continue
			}
			warp.Ballot(b, found[r])
			warp.Set(dst, int32(begin+r*lanes+b.Mask().First()))
			cost(isa.Brev, 1, dst) // the first set bit
			cost(isa.Clz, (w.Width()+31)/32, dst)
			break
		}
		break
	}
	w.Release(m)
}

// TaskQueue has the active lanes work on tasks 0 to n-1, each lane on one at a
// time; lanes that are done take the next ones as soon as atLeast of them are
// idle, so that few lanes wait for another's long task. next is a counter in
// memory that begins at 0 and may be shared by all warps of a grid: one lane of a
// warp moves it on for all that are idle, with one atomic.
//
//	next 0, n 6, lanes 4, at least 2   tasks 0 1 2 3; lanes 1 and 3 are done: 0 4 2 5; ...
//
// begin is called with the lanes that have got a task, to set up their state;
// step does a part of the work of all busy lanes and tells in which the task is
// done, in a predicate of its own. Both get the tasks' numbers, and must not
// change which lanes are active.
//
// Contract:
//
//   - Lanes: the first of the warp, any number of them; all of them idle are
//     enough, whatever atLeast says.
//   - Shared memory: none, unless it holds next.
//   - Cost: a ballot, a population count, a vote and two branches a round; as much
//     again, an atomic and a shuffle to take tasks, which is why a lane alone had
//     better wait.
//   - Order: tasks begin in order; which lane gets which is the device's.
//   - Errors: team.ErrShape for n below 0 or atLeast below 1; team.ErrActive.
func TaskQueue(w *warp.Warp, next warp.Mem[int32], n, atLeast int, begin func(task warp.Reg[int32]), step func(task warp.Reg[int32]) warp.Pred) {
	const name = "task-queue"
	if n < 0 || atLeast < 1 {
		fail(name, team.ErrShape, fmt.Sprintf("%d tasks, taken by %d lanes or more", n, atLeast), "give 0 tasks or more, to 1 lane or more")
	}
	lanes := firstLanes(w, name)
	w.LaneID()
	m := w.Mark()
	task, working := warp.Alloc[int32](w), warp.Alloc[int32](w)
	busy, few := w.Pred(), w.Pred()
	b := w.MaskReg()
	warp.SetPred(busy, lane.Mask{})
	enough := max(lanes-atLeast, 0) // so many busy lanes, or fewer, ask for tasks
	for more := true; ; {
		warp.Ballot(b, busy)
		warp.CountMask(working, b)
		warp.LeImm(few, working, int32(enough))
		if w.Any(few) {
			if more {
				more = take(w, next, n, task, busy, begin)
			}
			if !more && !w.Any(busy) {
				break
			}
			if !more {
				enough = 0 // from now on it is only asked whether all are done
			}
		}
		w.If(busy, func() { warp.PredNot(busy, step(task)) })
	}
	w.Release(m)
}

// take gives the lanes that are not busy the next tasks, and makes those busy that
// got one. It reports whether there may be more.
func take(w *warp.Warp, next warp.Mem[int32], n int, task warp.Reg[int32], busy warp.Pred, begin func(task warp.Reg[int32])) bool {
	m := w.Mark()
	b, first, idle, taken := w.MaskReg(), w.Pred(), w.Pred(), w.Pred()
	count, base, zero := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.PredNot(idle, busy)
	warp.Ballot(b, idle)
	warp.CountMask(count, b)
	warp.Set(zero, 0)
	warp.SetPred(first, lane.Bit(0))
	w.Where(first, func() { warp.Atomic(warp.AtomicAdd, base, next, zero, count) })
	warp.ShflIdx(base, base, 0)
	warp.SetPred(taken, lane.Mask{})
	w.Where(idle, func() {
		warp.Rank(task, b)
		warp.Add(task, task, base)
		warp.LtImm(taken, task, int32(n))
	})
	w.If(taken, func() { begin(task) })
	warp.PredOr(busy, busy, taken)
	more := w.All(busy) // a lane that got none says that the queue is dry
	w.Release(m)
	return more
}

// cost books n instructions that read and write r and leave it as it is: what it
// takes to compute r beyond the one that did.
func cost[T any](op isa.Op, n int, r warp.Reg[T]) {
	for range n {
		warp.Map1(r, r, op, func(x T) T { return x })
	}
}
