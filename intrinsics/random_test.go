package intrinsics_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// Random structured programs, run by the simulated threads and by two plain
// references: one runs every lane by itself and lets lanes meet at the
// collectives by their masks; the other runs sets of lanes through the program
// in source order, which is what structured reconvergence means.

type action uint8

const (
	doMix action = iota
	doIf
	doLoop
	doExit
	doCollective
	doTwoSites // a collective in both arms of a branch, with one mask
	doBarrier  // only where all threads come
	doBreak
	doContinue
	numActions
)

type collective uint8

const (
	opBallot collective = iota
	opAny
	opAll
	opMatch
	opIdx
	opUp
	opDown
	opXor
	numCollectives
)

// A statement is one node of a program.
type statement struct {
	do      action
	seed    uint32 // of conditions, trips and constants
	op      collective
	operand int
	width   int
	groups  uint32 // the active lanes are cut into as many masks
	body    []statement
	other   []statement
}

// cond is the condition of a statement in a lane. It depends on the lane only,
// or on the lane's value as well if data is set.
func (s *statement) cond(l int, x uint32, data bool) bool {
	h := hash(s.seed, uint32(l))
	if data {
		h = hash(h, x)
	}
	return h%3 == 0
}

func (s *statement) trips(l int) int { return int(hash(s.seed, uint32(l)) % 4) }

func hash(a, b uint32) uint32 {
	h := a*0x9E3779B1 ^ b*0x85EBCA77
	h ^= h >> 15
	h *= 0xC2B2AE3D
	return h ^ h>>13
}

// where returns the lanes of m in which f holds.
func where(m lane.Mask, f func(l int) bool) (r lane.Mask) {
	for l := range m.Lanes() {
		if f(l) {
			r = r.With(l)
		}
	}
	return r
}

// generate makes a block of statements.
func generate(r *rand.Rand, depth int, inLoop, maskless bool) []statement {
	var block []statement
	for range 1 + r.IntN(4) {
		s := statement{seed: r.Uint32(), op: collective(r.IntN(int(numCollectives))), operand: r.IntN(64), width: 8 << r.IntN(3), groups: 1 + r.Uint32N(3)}
		switch n := r.IntN(20); {
		case n < 3:
			s.do = doMix
		case n < 6 && depth > 0:
			s.do = doIf
			s.body, s.other = generate(r, depth-1, inLoop, maskless), generate(r, depth-1, inLoop, maskless)
		case n < 9 && depth > 0:
			s.do = doLoop
			s.body = generate(r, depth-1, true, maskless)
		case n < 10:
			s.do = doExit
		case n < 12 && inLoop && maskless:
			s.do = doBreak + action(r.IntN(2))
		case n < 13 && !maskless:
			s.do = doTwoSites
		case n < 14 && depth == top && !maskless:
			s.do = doBarrier
		default:
			s.do = doCollective
		}
		block = append(block, s)
	}
	return block
}

const top = 3 // depth of nesting

// survivors returns the lanes of m that have not exited after a block, by its
// conditions on lanes.
func survivors(block []statement, m lane.Mask) lane.Mask {
	for i := range block {
		s := &block[i]
		switch s.do {
		case doIf:
			yes := where(m, func(l int) bool { return s.cond(l, 0, false) })
			m = survivors(s.body, yes).Or(survivors(s.other, m.AndNot(yes)))
		case doLoop:
			for i := range 4 {
				in := where(m, func(l int) bool { return s.trips(l) > i })
				m = m.AndNot(in).Or(survivors(s.body, in))
			}
		case doExit:
			m = where(m, func(l int) bool { return !s.cond(l, 0, false) })
		}
	}
	return m
}

// meet computes a collective among members, each with its value: what each lane
// mixes into its own.
func meet(s *statement, members lane.Mask, x func(l int) uint32) map[int]uint32 {
	votes := where(members, func(l int) bool { return x(l)&1 == 1 })
	out := map[int]uint32{}
	for l := range members.Lanes() {
		switch s.op {
		case opBallot:
			out[l] = fold(votes)
		case opAny:
			out[l] = bit(!votes.Empty())
		case opAll:
			out[l] = bit(votes == members)
		case opMatch:
			out[l] = fold(where(members, func(k int) bool { return x(k)&3 == x(l)&3 }))
		default:
			if from := s.source(l, members); members.Has(from) {
				out[l] = x(from)
			}
		}
	}
	return out
}

// source returns the lane that a shuffle reads.
func (s *statement) source(l int, members lane.Mask) int {
	first, d := l&^(s.width-1), s.operand%s.width
	switch s.op {
	case opIdx:
		return members.Nth(int(hash(s.seed, uint32(l))) & 0x7fffffff % members.Count())
	case opUp:
		if l-d < first {
			return l
		}
		return l - d
	case opDown:
		if l+d >= first+s.width {
			return l
		}
		return l + d
	}
	return l ^ d
}

func fold(m lane.Mask) uint32 {
	v := m.Lo ^ m.Hi*3
	return uint32(v) ^ uint32(v>>32)
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// A walker runs a program for one lane. Its functions meet the other lanes.
type walker struct {
	lane    int
	all     lane.Mask
	x       uint32
	collect func(s *statement, members, mask lane.Mask, second bool, x uint32) uint32
	barrier func(p bool) uint32
}

// run runs a block with the lanes active that the lane's conditions say, and
// reports whether the lane is still there.
func (w *walker) run(block []statement, active lane.Mask, depth int) bool {
	for i := range block {
		s := &block[i]
		switch s.do {
		case doMix:
			w.x = hash(w.x, s.seed)
		case doIf:
			yes := where(active, func(l int) bool { return s.cond(l, 0, false) })
			if yes.Has(w.lane) {
				if !w.run(s.body, yes, depth-1) {
					return false
				}
			} else if !w.run(s.other, active.AndNot(yes), depth-1) {
				return false
			}
			active = survivors(block[i:i+1], active)
		case doLoop:
			for n := range 4 {
				in := where(active, func(l int) bool { return s.trips(l) > n })
				if in.Has(w.lane) && !w.run(s.body, in, depth-1) {
					return false
				}
				active = active.AndNot(in).Or(survivors(s.body, in))
			}
		case doExit:
			active = survivors(block[i:i+1], active)
			if !active.Has(w.lane) {
				return false
			}
		case doCollective, doTwoSites:
			group := func(l int) uint32 { return hash(s.seed, uint32(l)) % s.groups }
			if s.do == doTwoSites {
				group = func(int) uint32 { return 0 }
			}
			members := where(active, func(l int) bool { return group(l) == group(w.lane) })
			mask := members
			if depth == top && s.seed&1 == 0 {
				mask = mask.Or(w.all.AndNot(active)) // lanes that have exited may be named
			}
			second := s.do == doTwoSites && s.cond(w.lane, 0, false)
			w.x = hash(w.x, w.collect(s, members, mask, second, w.x))
		case doBarrier:
			w.x = hash(w.x, w.barrier(w.x&1 == 1))
		}
	}
	return true
}

// A rendezvous is where the lanes of one warp meet in the reference.
type rendezvous struct {
	mu      sync.Mutex
	live    lane.Mask
	waiting map[lane.Mask]*meeting
}

type meeting struct {
	s       *statement
	members lane.Mask
	x       [lane.MaxLanes]uint32
	result  map[int]uint32
	done    chan struct{}
}

func (r *rendezvous) collect(l int, s *statement, mask lane.Mask, x uint32) uint32 {
	r.mu.Lock()
	m := r.waiting[mask]
	if m == nil {
		m = &meeting{s: s, done: make(chan struct{})}
		r.waiting[mask] = m
	}
	m.members = m.members.With(l)
	m.x[l] = x
	r.check(mask, m)
	r.mu.Unlock()
	<-m.done
	return m.result[l]
}

// check lets a meeting go on if all have come.
func (r *rendezvous) check(mask lane.Mask, m *meeting) {
	if m.members.Contains(mask.And(r.live)) {
		m.result = meet(m.s, m.members, func(l int) uint32 { return m.x[l] })
		delete(r.waiting, mask)
		close(m.done)
	}
}

func (r *rendezvous) exit(l int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live = r.live.Without(l)
	for mask, m := range r.waiting {
		r.check(mask, m)
	}
}

// A fence is the block barrier of the reference.
type fence struct {
	mu               sync.Mutex
	live, here, held int
	done             chan struct{}
	result           *uint32
}

func (f *fence) wait(p bool) uint32 {
	f.mu.Lock()
	if f.done == nil {
		f.done, f.result, f.held = make(chan struct{}), new(uint32), 0
	}
	f.here++
	f.held += int(bit(p))
	done, result := f.done, f.result
	f.check()
	f.mu.Unlock()
	<-done
	return *result
}

func (f *fence) check() {
	if f.done != nil && f.here == f.live {
		*f.result = uint32(f.held)
		close(f.done)
		f.done, f.here = nil, 0
	}
}

func (f *fence) exit() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live--
	f.check()
}

// byRendezvous runs a program lane by lane.
func byRendezvous(block []statement, width, warps int) []uint32 {
	out := make([]uint32, width*warps)
	all := lane.FirstN(width)
	f := &fence{live: width * warps}
	var wg sync.WaitGroup
	for i := range warps {
		r := &rendezvous{live: all, waiting: map[lane.Mask]*meeting{}}
		for l := range width {
			wg.Go(func() {
				w := walker{lane: l, all: all, x: hash(uint32(l), uint32(i)), barrier: f.wait}
				w.collect = func(s *statement, members, mask lane.Mask, _ bool, x uint32) uint32 {
					return r.collect(l, s, mask, x)
				}
				w.run(block, all, top)
				out[i*width+l] = w.x
				r.exit(l)
				f.exit()
			})
		}
	}
	wg.Wait()
	return out
}

// byThreads runs a program in simulated threads.
func byThreads(t testing.TB, e *warp.Engine, block []statement, warps int) []uint32 {
	width := e.Device().Lanes
	out := make([]uint32, width*warps)
	_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(width*warps), func(th *thread) {
		w := walker{lane: th.Lane(), all: th.AllLanes(), x: hash(uint32(th.Lane()), uint32(th.WarpID()))}
		w.collect = func(s *statement, members, mask lane.Mask, second bool, x uint32) uint32 {
			if second {
				return collect(th, s, members, mask, x)
			}
			return collect(th, s, members, mask, x)
		}
		w.barrier = func(p bool) uint32 { return uint32(intrinsics.SyncThreadsCount(th, p)) }
		w.run(block, w.all, top)
		out[th.ThreadRank()] = w.x
	})
	require.NoError(t, err)
	return out
}

// collect is the collective of a statement.
func collect(t *thread, s *statement, members, mask lane.Mask, x uint32) uint32 {
	p := x&1 == 1
	switch s.op {
	case opBallot:
		return fold(intrinsics.BallotSync(t, mask, p))
	case opAny:
		return bit(intrinsics.AnySync(t, mask, p))
	case opAll:
		return bit(intrinsics.AllSync(t, mask, p))
	case opMatch:
		return fold(intrinsics.MatchAnySync(t, mask, x&3))
	}
	var r uint32
	switch d := s.operand % s.width; s.op {
	case opIdx:
		r = intrinsics.ShflSync(t, mask, x, s.source(t.Lane(), members))
	case opUp:
		r = intrinsics.ShflUpSync(t, mask, x, d, s.width)
	case opDown:
		r = intrinsics.ShflDownSync(t, mask, x, d, s.width)
	default:
		r = intrinsics.ShflXorSync(t, mask, x, d, s.width)
	}
	if !members.Has(s.source(t.Lane(), members)) {
		return 0 // undefined
	}
	return r
}

// TestRandomMasks holds collectives with member masks to the reference.
func TestRandomMasks(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 150
	}
	for i := range n {
		againstRendezvous(t, uint64(i))
	}
}

func againstRendezvous(t testing.TB, seed uint64) {
	block := generate(rand.New(rand.NewPCG(seed, 1)), top, false, false)
	device := []string{"h200", "h200", "custom-64", "custom-128"}[seed%4]
	warps := 1 + int(seed/4%2)
	e := engine(t, device, warp.Config{ValuesOnly: true, Faults: warp.Mimic}) // drops what lanes outside give
	require.Equal(t, byRendezvous(block, e.Device().Lanes, warps), byThreads(t, e, block, warps), "seed %d on %s", seed, device)
}

func FuzzMasks(f *testing.F) {
	for i := range uint64(8) {
		f.Add(i)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { againstRendezvous(t, seed) })
}
