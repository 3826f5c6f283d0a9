package intrinsics

import (
	"unsafe"

	"example.com/warpsim/lane"
)

// A request is what a thread asks of its warp.
type request struct {
	op     operation
	key    key
	class  class
	mask   lane.Mask      // member mask, in lanes of the warp
	path   uint64         // hash of the call path
	place  uint64         // the same with the turns of the loops around it
	width  int            // segment width of a shuffle, threads of a named barrier
	ptr    unsafe.Pointer // an array
	memory uint64         // that of the array
	step   int64          // when it was asked
	narrow bool           // its mask is of a type that cannot name the warp
}

// A class says whom a request waits for.
type class uint8

const (
	// free: nobody. The lanes that ask at the same place are one instruction.
	free class = iota
	// masked: the lanes that the mask names and that have not exited, wherever
	// they ask. On devices whose rules are not ByMask it acts as converged.
	masked
	// converged: nobody, but lanes that come before it in source order go
	// first; those that are then at the same place are one instruction.
	converged
	// barrier: all lanes of the warp that have not exited.
	barrier
)

// A key tells requests apart: only those with equal keys become one
// instruction.
type key uint32

const (
	keyShfl key = iota // the shuffles, in the order of crossbar.Mode
	keyShflUp
	keyShflDown
	keyShflXor
	keyAll // the votes, in the order of warp.VoteKind
	keyAny
	keyUni
	keyReduceAdd // the reductions, in the order of warp.ReduxOp
	keyReduceMin
	keyReduceMax
	keyReduceAnd
	keyReduceOr
	keyReduceXor
	keyAtomicAdd // the atomics, in the order of warp.AtomicOp
	keyAtomicMin
	keyAtomicMax
	keyAtomicExch
	keyAtomicAnd
	keyAtomicOr
	keyAtomicXor
	keyAtomicCAS
	keyBallot
	keyActiveMask
	keyMatchAny
	keyMatchAll
	keyElect
	keySyncWarp
	keySync
	keySyncCount
	keySyncAnd
	keySyncOr
	keyBarrier
	keyArrive
	keyFence
	keyLoad
	keyStore
	keyShared
	keyWork
	keyRaise
	numKeys

	keyBase key = 0xff
	// Marks: a form without a member mask, a shuffle that tells whether it
	// found a source, a load that sees other blocks' stores, an atomic
	// without a result.
	keyMaskless key = 1 << 8
	keyInRange  key = 1 << 9
	keyVolatile key = 1 << 10
	keyNoResult key = 1 << 11
	keySize         = 16 // the size of the value stands above
)

var keyNames = [numKeys]string{
	"Shfl", "ShflUp", "ShflDown", "ShflXor", "All", "Any", "Uni",
	"ReduceAdd", "ReduceMin", "ReduceMax", "ReduceAnd", "ReduceOr", "ReduceXor",
	"AtomicAdd", "AtomicMin", "AtomicMax", "AtomicExch", "AtomicAnd", "AtomicOr", "AtomicXor", "AtomicCAS",
	"Ballot", "ActiveMask", "MatchAny", "MatchAll", "Elect", "SyncWarp",
	"SyncThreads", "SyncThreadsCount", "SyncThreadsAnd", "SyncThreadsOr", "BarrierSync", "BarrierArrive",
	"ThreadFence", "Load", "Store", "a declaration of shared memory", "Work", "Fail",
}

// String returns the name of the function that asks.
func (k key) String() string {
	b := k & keyBase
	if b >= numKeys {
		return "unknown"
	}
	name := keyNames[b]
	if b < keyAtomicAdd || b >= keyBallot && b <= keyElect {
		if k&keyMaskless == 0 && b != keyActiveMask {
			name += "Sync"
		}
	}
	return name
}

// sized returns k for values of size bytes.
func (k key) sized(size uintptr) key { return k | key(size)<<keySize }

// An operation turns the requests of a group of lanes into one instruction.
// Operations have no state, so that asking allocates nothing.
type operation interface {
	issue(s *scheduler, lead *Thread)
}

// ask hands a request to the warp and returns when it is served. arg is the
// operand that may differ from lane to lane.
//
//go:noinline
func (t *Thread) ask(op operation, k key, c class, mask lane.Mask, arg int32, width int) {
	s := t.s
	t.op, t.key, t.class, t.mask, t.width, t.step = op, k, c, mask, width, s.step
	t.path = pathHash(t.base)
	t.place = t.path
	if t.loops > 0 {
		t.place = t.withTurns(t.path)
	}
	s.args[t.lane] = arg
	s.asked++
	if s.explored.on {
		s.alike = false
	}
	if f := s.lead; f == nil {
		s.lead = t
	} else if f.place != t.place || f.key != k || f.mask != mask || f.width != width || f.memory != t.memory {
		s.alike = false
	}
	// What follows is handOver: a return less after each switch to another
	// coroutine, which processors predict wrongly.
	step := s.step
	switch {
	case s.halt:
	case !s.back && t.above != nil:
		t.above.next()
		if s.step != step {
			return
		}
	case !s.back || t.first:
		if t.serveAll() {
			return
		}
		s.halt = true
	}
	if !t.yield(struct{}{}) {
		t.unwind()
	}
	for s.locating {
		s.locating = false
		s.depth = framePath(t.base, &s.pcs)
		t.giveBack()
	}
}

// askOf is ask about an array.
func (t *Thread) askOf(op operation, k key, arg int32, array unsafe.Pointer, id uint64) {
	t.ptr, t.memory = array, id
	t.ask(op, k, free, lane.Mask{}, arg, 0)
	t.memory = 0
}

// vote notes the predicate that goes with the next request.
func (t *Thread) vote(p bool) {
	if p {
		t.s.votes = t.s.votes.With(t.lane)
	} else {
		t.s.votes = t.s.votes.Without(t.lane)
	}
}
