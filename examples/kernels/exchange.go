package kernels

import (
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Broadcast sets dst in all active lanes of each group of width lanes to what v
// holds in lane from of the group.
//
//	v    lane 0: a   lane 1: b   lane 2: c   lane 3: d     from 1, groups of 2
//	dst  lane 0: b   lane 1: b   lane 2: d   lane 3: d
//
// dst may be v.
//
// Contract:
//
//   - Lanes: any, if lane from of each group with an active one is. Width is a
//     power of two, 0 the whole warp.
//   - Shared memory: none.
//   - Cost: one shuffle a 32-bit word.
//   - Errors: team.ErrWidth; team.ErrShape for a lane that the group does not
//     have; team.ErrActive.
func Broadcast[T any](dst, v warp.Reg[T], from, width int) {
	w := v.Warp()
	width = groupWidth(w, "broadcast", width)
	if from < 0 || from >= width {
		fail("broadcast", team.ErrShape, fmt.Sprintf("lane %d of groups of %d", from, width), "name a lane of the group")
	}
	for first := 0; first < w.Width(); first += width {
		if in := w.Active().And(lane.Range(first, first+width)); !in.Empty() && !in.Has(first+from) {
			fail("broadcast", team.ErrActive, fmt.Sprintf("lanes %s, without lane %d", in.Ranges(), first+from), "broadcast from a lane that is active")
		}
	}
	if width == w.Width() {
		warp.ShflIdx(dst, v, from)
		return
	}
	warp.Shfl(dst, v, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(from), Width: width})
}

// Rotate sets dst in each lane to what v holds distance lanes above, going round
// at the last active lane.
//
//	v    lane 0: a   lane 1: b   lane 2: c   lane 3: d     distance 1
//	dst  lane 0: b   lane 1: c   lane 2: d   lane 3: a
//
// dst may be v, and the distance any, also below 0.
//
// Contract:
//
//   - Lanes: the first of the warp, any number of them.
//   - Shared memory: none.
//   - Cost: one shuffle a 32-bit word, an addition and a mask, or a compare and a
//     predicated subtraction where the number of lanes is no power of two.
//   - Errors: team.ErrActive.
func Rotate[T any](dst, v warp.Reg[T], distance int) {
	w := v.Warp()
	n := firstLanes(w, "rotate")
	d := ((distance % n) + n) % n
	id := w.LaneID()
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.AddImm(at, id, int32(d))
	if n&(n-1) == 0 {
		warp.AndImm(at, at, int32(n-1))
	} else {
		over := w.Pred()
		warp.GeImm(over, at, int32(n))
		w.Where(over, func() { warp.AddImm(at, at, int32(-n)) })
	}
	warp.Shfl(dst, v, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
	w.Release(m)
}

// MailboxShuffle sets dst in each lane to what v holds in the lane that from
// names, by one shuffle a 32-bit word.
//
//	v     lane 0: a   lane 1: b   lane 2: c   lane 3: d
//	from  lane 0: 3   lane 1: 3   lane 2: 0   lane 3: 1
//	dst   lane 0: d   lane 1: d   lane 2: a   lane 3: b
//
// dst may be v.
//
// Contract:
//
//   - Lanes: any.
//   - Shared memory: none.
//   - Cost: one shuffle a 32-bit word.
//   - Undefined: what comes from a lane that is not active; the engine warns.
//   - Errors: none.
func MailboxShuffle[T any](dst, v warp.Reg[T], from warp.Reg[int32]) {
	warp.Shfl(dst, v, warp.Shuffle{Mode: crossbar.Idx, PerLane: from})
}

// NewMailboxStorage declares the shared memory of MailboxShared and MailboxBlock: an
// element a lane of the block's warps.
func NewMailboxStorage[T any](w *warp.Warp) warp.Mem[T] { return reduce.NewWarpStorage[T](w) }

// MailboxShared is MailboxShuffle through shared memory.
//
// Contract:
//
//   - Lanes: any.
//   - Shared memory: NewMailboxStorage; a warp barrier between two uses.
//   - Cost: a store, a warp barrier and a load.
//   - Undefined: what comes from a lane that is not active, and has not stored.
//   - Errors: team.ErrStorage.
func MailboxShared[T any](dst, v warp.Reg[T], from warp.Reg[int32], s warp.Mem[T]) {
	w := v.Warp()
	needStorage("mailbox-shared", s.Len(), w.BlockWarps()*w.Width())
	box := s.At(w.ID() * w.Width())
	warp.Store(box, w.LaneID(), v)
	w.SyncWarp(w.Active())
	warp.Load(dst, box, from)
}

// MailboxBlock is MailboxShared between all threads of a block: from names
// threads.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Shared memory: NewMailboxStorage; a block barrier between two uses.
//   - Cost: a store, a block barrier and a load.
//   - Errors: team.ErrStorage.
func MailboxBlock[T any](dst, v warp.Reg[T], from warp.Reg[int32], s warp.Mem[T]) {
	w := v.Warp()
	needStorage("mailbox-block", s.Len(), w.BlockThreads())
	warp.Store(s, w.ThreadID(), v)
	w.SyncBlock()
	warp.Load(dst, s, from)
}

// groupWidth returns the lanes of a group.
func groupWidth(w *warp.Warp, name string, width int) int {
	if width == 0 {
		return w.Width()
	}
	if width < 0 || width > w.Width() || width&(width-1) != 0 {
		fail(name, team.ErrWidth, fmt.Sprintf("%d, and a warp has %d lanes", width, w.Width()),
			fmt.Sprintf("use 1, 2, 4, ... %d, or 0 for the whole warp", w.Width()))
	}
	return width
}

// wholeGroups ends the kernel if a group has some of its lanes active only.
func wholeGroups(w *warp.Warp, name string, width int) {
	for first := 0; first < w.Width(); first += width {
		group := lane.Range(first, first+width)
		if in := w.Active().And(group); in != group && !in.Empty() {
			fail(name, team.ErrActive, "lanes "+in.Ranges()+" of the group "+group.Ranges(), "let whole groups take part")
		}
	}
}

// firstLanes returns how many lanes are active, and ends the kernel if they are
// not the first ones.
func firstLanes(w *warp.Warp, name string) int {
	n := w.Active().Count()
	if w.Active() != lane.FirstN(n) || n == 0 {
		fail(name, team.ErrActive, "lanes "+w.Active().Ranges(), "let the first lanes of the warp be active")
	}
	return n
}

func needStorage(name string, have, need int) {
	if have < need {
		fail(name, team.ErrStorage, fmt.Sprintf("%d elements, and it needs %d", have, need), "declare it with NewMailboxStorage, or make it longer")
	}
}

func fail(name string, kind error, detail, advice string) {
	panic(&team.Error{Algorithm: name, Kind: kind, Detail: detail, Advice: advice})
}
