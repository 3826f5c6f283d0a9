package intrinsics

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// SyncWarp waits for the lanes that mask names and that have not exited, and
// orders the accesses to memory before it and after it among them.
func SyncWarp[M MaskType](t *Thread, mask M) {
	t.ask(syncWarp{}, keySyncWarp, masked, lanesOf(t, mask), 0, 0)
}

type syncWarp struct{}

func (syncWarp) issue(s *scheduler, lead *Thread) {
	if s.maskless {
		s.members = s.w.Active()
	}
	s.w.SyncWarp(s.members)
}

// WaveBarrier is SyncWarp for the lanes that are converged, as HIP has it.
func WaveBarrier(t *Thread) {
	t.ask(syncWarp{}, keySyncWarp|keyMaskless, converged, lane.Mask{}, 0, 0)
}

// SyncThreads waits for all threads of the block that have not exited and orders
// the accesses to memory before it and after it. Lanes of one warp that are at
// different calls of it, and threads that never come, are faults, under Config.Sanitize
// also warps of one block that are at different calls, and so are threads
// that a branch leads past it, also if nothing comes behind it but the end of the
// kernel: languages allow a barrier in a branch only if all threads of the block
// take it. Threads that have returned before it are a lint where the device does not
// wait for them (rules.barriers.exited of its profile), as NVIDIA says since Volta, and
// a fault elsewhere. The two are told apart by the return that a thread may have taken since its last call,
// in the machine code of the kernel (amd64 and arm64); where both are possible, it is
// taken as one before the barrier.
func SyncThreads(t *Thread) {
	t.ask(syncThreads{}, keySync, barrier, lane.Mask{}, 0, 0)
}

type syncThreads struct{}

func (syncThreads) issue(s *scheduler, lead *Thread) {
	s.oneBarrier(lead)
	s.w.SyncBlock()
}

// SyncThreadsCount is SyncThreads, and returns in how many threads of the block
// p holds.
func SyncThreadsCount(t *Thread, p bool) int {
	t.vote(p)
	t.ask(syncCount{}, keySyncCount, barrier, lane.Mask{}, 0, 0)
	return int(*cell[int32](t))
}

type syncCount struct{}

func (syncCount) issue(s *scheduler, lead *Thread) {
	s.oneBarrier(lead)
	s.in.Define(s.votes, s.w.Active())
	r := result[int32](s)
	warp.SyncCount(r, s.in)
	deliver(s, r)
}

// SyncThreadsAnd is SyncThreads, and reports whether p holds in all threads of
// the block that have not exited.
func SyncThreadsAnd(t *Thread, p bool) bool {
	t.vote(p)
	t.ask(syncBool{}, keySyncAnd, barrier, lane.Mask{}, 0, 0)
	return t.s.yes.Has(t.lane)
}

// SyncThreadsOr is SyncThreads, and reports whether p holds in some thread of
// the block.
func SyncThreadsOr(t *Thread, p bool) bool {
	t.vote(p)
	t.ask(syncBool{}, keySyncOr, barrier, lane.Mask{}, 0, 0)
	return t.s.yes.Has(t.lane)
}

type syncBool struct{}

func (syncBool) issue(s *scheduler, lead *Thread) {
	s.oneBarrier(lead)
	s.in.Define(s.votes, s.w.Active())
	if lead.key == keySyncAnd {
		warp.SyncAnd(s.pr, s.in)
	} else {
		warp.SyncOr(s.pr, s.in)
	}
	s.yes = s.pr.Mask()
}

// BarrierSync waits at the block's barrier id until as many threads as named
// have arrived, by BarrierSync or BarrierArrive; whole warps count. 0 threads
// stands for all of the block. Barrier 0 is that of SyncThreads. Ids that the
// device does not have and numbers that disagree are faults.
func BarrierSync(t *Thread, id, threads int) {
	t.ask(namedBarrier{}, keyBarrier, barrier, lane.Mask{}, operand32(id), threads)
}

// BarrierArrive counts the thread at a barrier like BarrierSync, and goes on.
func BarrierArrive(t *Thread, id, threads int) {
	t.ask(namedBarrier{}, keyArrive, barrier, lane.Mask{}, operand32(id), threads)
}

type namedBarrier struct{}

func (namedBarrier) issue(s *scheduler, lead *Thread) {
	s.oneBarrier(lead)
	if id := int(s.args[lead.lane]); lead.key == keyBarrier {
		s.w.Barrier(id, lead.width)
	} else {
		s.w.Arrive(id, lead.width)
	}
}

// oneBarrier faults lanes of a warp that are at a barrier in different places,
// or name different barriers.
func (s *scheduler) oneBarrier(lead *Thread) {
	s.notePassed(lead)
	if s.alike && lead.key < keyBarrier {
		return
	}
	for l := range s.w.Active().Lanes() {
		t := &s.threads[l]
		f := warp.Fault{Kind: warp.BarrierDivergent, Lanes: s.w.Active(),
			Advice: "let all lanes reach the barrier at one call"}
		switch {
		case s.args[l] != s.args[lead.lane] || t.width != lead.width:
			f.Kind = warp.BarrierMismatch
			f.Detail = "lanes of one warp name different barriers or numbers of threads"
			f.Advice = "let all lanes of a warp name the same"
		case t.path != lead.path:
			if s.w.Front().Repeated(f.Kind, f.Lanes, lane.Mask{}, lane.Mask{}) {
				return
			}
			f.Detail = "some lanes are at the barrier of " + s.placeOf(lead).site().String() +
				", others at that of " + s.placeOf(t).site().String()
		default:
			continue
		}
		s.w.Fail(f, nil)
		return
	}
}

// notePassed tells the engine which of the lanes that have left the kernel went
// past the barrier of lead, and which left early.
func (s *scheduler) notePassed(lead *Thread) {
	left := s.all.AndNot(s.w.Active())
	if left.Empty() {
		return
	}
	p := s.flowOf(s.placeOf(lead))
	var past, idle lane.Mask
	for l := range left.Lanes() {
		t := &s.threads[l]
		last, known := s.lastOf(t)
		if !known {
			continue
		}
		before, behind := p.leftFrom(last)
		switch {
		case behind && !before, last != nil && s.before(lead, t):
			past = past.With(l)
		case last == nil && !before:
			idle = idle.With(l)
		}
	}
	s.w.Front().Passed(past, idle)
}

// ThreadFence orders the thread's accesses to memory before it and after it for
// all threads of the device.
func ThreadFence(t *Thread) { t.ask(fence{}, keyFence, free, lane.Mask{}, fenceAll, 0) }

// ThreadFenceBlock is ThreadFence for the threads of the block: it does not order
// what other blocks see, and does not wait for what the warp has stored.
func ThreadFenceBlock(t *Thread) { t.ask(fence{}, keyFence, free, lane.Mask{}, fenceBlock, 0) }

// ThreadFenceSystem is ThreadFence for the host and other devices as well.
func ThreadFenceSystem(t *Thread) { t.ask(fence{}, keyFence, free, lane.Mask{}, fenceAll, 0) }

// For whom a fence orders.
const (
	fenceAll = iota
	fenceBlock
)

type fence struct{}

func (fence) issue(s *scheduler, lead *Thread) {
	if s.args[lead.lane] == fenceBlock {
		s.w.FenceBlock()
	} else {
		s.w.Fence()
	}
}
