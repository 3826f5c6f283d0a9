package intrinsics

import (
	"strings"
	"unsafe"

	"example.com/warpsim/crossbar"
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
	narrow uint8          // bits of its mask, if they cannot name the warp
	word   uint64         // selectors of a permutation of rows
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
	keyShfl key = 0                                 // the shuffles, by crossbar.Mode
	keyAll  key = key(crossbar.NumModes) - 1 + iota // the votes, in the order of warp.VoteKind
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
	keyAtomicInc
	keyAtomicDec
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
	keyLaneMask
	keyRowMove // the ways between lanes beside shuffles
	keyPermute
	keyPermuteBack
	keySwizzle
	keyReadLane
	keyReadFirstLane
	keyWriteLane
	keyPermuteRow
	keyPermuteRowLanes
	keySwapHalves
	keyExchangeRows
	keyExchangeHalves
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

// keyNames are those from keyAll on.
var keyNames = [numKeys - keyAll]string{
	"All", "Any", "Uni",
	"ReduceAdd", "ReduceMin", "ReduceMax", "ReduceAnd", "ReduceOr", "ReduceXor",
	"AtomicAdd", "AtomicMin", "AtomicMax", "AtomicExch", "AtomicAnd", "AtomicOr", "AtomicXor", "AtomicInc", "AtomicDec", "AtomicCAS",
	"Ballot", "ActiveMask", "MatchAny", "MatchAll", "Elect", "SyncWarp",
	"SyncThreads", "SyncThreadsCount", "SyncThreadsAnd", "SyncThreadsOr", "BarrierSync", "BarrierArrive",
	"ThreadFence", "Load", "Store", "a declaration of shared memory", "Work", "Fail", "a lane mask",
	"RowMove", "Permute", "PermuteBack", "Swizzle", "ReadLane", "ReadFirstLane",
	"WriteLane", "PermuteRow", "PermuteRowLanes", "SwapHalves", "ExchangeRows", "ExchangeHalves",
}

// String returns the name of the function that asks.
func (k key) String() string {
	b := k & keyBase
	if b >= numKeys {
		return "unknown"
	}
	name := "Shfl"
	switch {
	case b >= keyAll:
		name = keyNames[b-keyAll]
	case b > keyShfl:
		mode := crossbar.Mode(b).String()
		name += strings.ToUpper(mode[:1]) + mode[1:]
	}
	if b < keyAtomicAdd || b >= keyBallot && b <= keyElect {
		if k&keyMaskless == 0 && b != keyActiveMask {
			name += "Sync"
		}
	}
	return name
}

// shuffleKey returns the key of a mode.
func shuffleKey(m crossbar.Mode) key { return keyShfl + key(m) }

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
	if !t.awake {
		t.stray()
	}
	if t.lock.Held() {
		t.locked()
	}
	t.awake = false
	t.op, t.key, t.class, t.mask, t.width, t.step = op, k, c, mask, width, s.step
	t.path = pathHash(t.base)
	t.place = t.path
	if t.loops > 0 {
		t.place = t.withTurns(t.path)
	}
	if s.watching {
		t.look(false)
	}
	if s.spin.on {
		t.state = stackHash(t.base) + uint64(t.turns[0])
	}
	s.args[t.lane] = arg
	s.asked++
	if s.explored.on {
		s.alike = false
	}
	if f := s.lead; f == nil {
		s.lead = t
	} else if f.place != t.place || f.key != k || f.mask != mask || f.width != width || f.memory != t.memory || f.turned != t.turned {
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
			t.awake = true
			return
		}
	case !s.back || t.first:
		if t.serveAll() {
			t.awake = true
			return
		}
		s.halt = true
	}
	if !t.yield(struct{}{}) {
		t.unwind()
	}
	for s.locating != locateNothing {
		what := s.locating
		s.locating = locateNothing
		if what == locateCounters {
			t.look(true)
		} else {
			s.depth = framePath(t.base, &s.pcs)
		}
		t.giveBack()
	}
	t.awake = true
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
