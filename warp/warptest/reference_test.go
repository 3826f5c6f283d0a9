package warptest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// The sanitizer is held to a reference that keeps every access and compares all
// pairs, with a vector of clocks for each thread.

const (
	refLanes   = 4
	refWarps   = 3
	refThreads = refLanes * refWarps
	refCells   = 12
)

type refKind int

const (
	refLoad refKind = iota
	refStore
	refAtomic
	refSync   // of some lanes
	refArrive // at a barrier
	refLeave
)

// A refEvent is one instruction of a warp, in the order of execution.
type refEvent struct {
	kind  refKind
	warp  int
	lanes lane.Mask
	at    [refLanes]int32
	id    int // of the barrier
	round int
}

type refClock [refThreads]int

func (c *refClock) join(o *refClock) {
	for i := range c {
		c[i] = max(c[i], o[i])
	}
}

// refRaces reports whether two accesses of the events race.
func refRaces(events []refEvent) bool {
	type access struct {
		thread, time int
		kind         refKind
	}
	var clocks [refThreads]refClock
	for t := range clocks {
		clocks[t][t] = 1
	}
	barriers := map[[2]int]*refClock{} // by barrier and round
	cells := map[int32][]access{}
	for _, e := range events {
		threads := func(f func(t, l int)) {
			for l := range e.lanes.Lanes() {
				f(e.warp*refLanes+l, l)
			}
		}
		switch e.kind {
		case refSync:
			var all refClock
			threads(func(t, _ int) { all.join(&clocks[t]) })
			threads(func(t, _ int) {
				clocks[t] = all
				clocks[t][t]++
			})
		case refArrive:
			b := barriers[[2]int{e.id, e.round}]
			if b == nil {
				b = &refClock{}
				barriers[[2]int{e.id, e.round}] = b
			}
			threads(func(t, _ int) {
				b.join(&clocks[t])
				clocks[t][t]++
			})
		case refLeave:
			threads(func(t, _ int) { clocks[t].join(barriers[[2]int{e.id, e.round}]) })
		default:
			race := false
			threads(func(t, l int) {
				for _, a := range cells[e.at[l]] {
					conflict := a.thread != t && (a.kind != refLoad || e.kind != refLoad) && (a.kind != refAtomic || e.kind != refAtomic)
					race = race || conflict && a.time > clocks[t][a.thread]
				}
				cells[e.at[l]] = append(cells[e.at[l]], access{t, clocks[t][t], e.kind})
			})
			if race {
				return true
			}
		}
	}
	return false
}

// refProgram is a random program: for each round and warp a list of
// instructions; rounds end with a block barrier.
func refProgram(rng *rand.Rand, named bool) [][refWarps][]refEvent {
	rounds := make([][refWarps][]refEvent, 1+rng.IntN(3))
	calm := 2 + rng.IntN(3) // how rare accesses to other threads' elements are
	for r := range rounds {
		pair := rng.IntN(refWarps)
		for w := range refWarps {
			n := rng.IntN(5)
			for range n {
				e := refEvent{warp: w, lanes: lane.FirstN(refLanes)}
				switch k := rng.IntN(9); {
				case k < 3:
					e.kind = refLoad
				case k < 5:
					e.kind = refStore
				case k < 6:
					e.kind = refAtomic
				default:
					e.kind = refSync
				}
				if rng.IntN(2) == 0 {
					e.lanes = lane.Bits(uint64(1 + rng.IntN(1<<refLanes-1)))
				}
				for l := range e.at {
					e.at[l] = int32(rng.IntN(refCells))
					if rng.IntN(4) < calm {
						e.at[l] = int32((w*refLanes + l) % refCells)
					}
				}
				rounds[r][w] = append(rounds[r][w], e)
			}
			if named && w != pair {
				at := rng.IntN(len(rounds[r][w]) + 1)
				list := append([]refEvent(nil), rounds[r][w][:at]...)
				list = append(list, refEvent{kind: refArrive, warp: w, lanes: lane.FirstN(refLanes), id: 1})
				rounds[r][w] = append(list, rounds[r][w][at:]...)
			}
		}
	}
	return rounds
}

// refRun runs a program and returns its events and whether the sanitizer finds a
// race.
func refRun(t *testing.T, program [][refWarps][]refEvent, seed uint64) (events []refEvent, found bool) {
	p, err := device.Lookup(fmt.Sprintf("custom-%d", refLanes))
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, Faults: warp.Collect, Sanitize: true, ValuesOnly: true, Workers: 1, Seed: seed})
	require.NoError(t, err)
	value := int32(0)
	report, err := e.Run(context.Background(), block(refThreads), func(w *warp.Warp) {
		s := warp.Shared[int32](w, refCells)
		v, at := warp.Alloc[int32](w), warp.Alloc[int32](w)
		for n, round := range program {
			for _, in := range round[w.ID()] {
				in.round = n
				note := func() { events = append(events, in) }
				p := w.Pred()
				warp.SetPred(p, in.lanes)
				warp.SetLanes(at, func(l int) int32 { return in.at[l] })
				w.Under(in.lanes, func() {
					switch in.kind {
					case refLoad:
						warp.Load(v, s, at)
						note()
					case refStore:
						warp.SetLanes(v, func(int) int32 { value++; return value })
						warp.Store(s, at, v)
						note()
					case refAtomic:
						warp.SetLanes(v, func(int) int32 { return 1 })
						warp.AtomicReduce(warp.AtomicAdd, s, at, v)
						note()
					case refSync:
						w.SyncWarp(in.lanes)
						note()
					}
				})
				if in.kind == refArrive {
					note()
					w.Barrier(in.id, 2*refLanes)
					events = append(events, refEvent{kind: refLeave, warp: w.ID(), lanes: in.lanes, id: in.id, round: n})
				}
			}
			events = append(events, refEvent{kind: refArrive, warp: w.ID(), lanes: lane.FirstN(refLanes), round: n})
			w.SyncBlock()
			events = append(events, refEvent{kind: refLeave, warp: w.ID(), lanes: lane.FirstN(refLanes), round: n})
		}
	})
	require.NoError(t, err)
	for i := range report.Faults {
		switch f := &report.Faults[i]; f.Kind {
		case warp.SharedRace, warp.BenignRace:
			found = true
		case warp.UninitializedShared, warp.UndefinedUse:
		default:
			require.Fail(t, f.Error())
		}
	}
	return events, found
}

// The sanitizer finds a race if and only if there is one, for random programs.
// What it forgets of many readers and of partial warp barriers may cost it a
// race now and then, but never raises one that is none.
func TestSanitizerAgainstAllPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of programs, one after the other")
	}
	for _, named := range []bool{false, true} {
		races, missed := 0, 0
		for seed := range uint64(3000) {
			rng := rand.New(rand.NewPCG(seed, 7))
			program := refProgram(rng, named)
			events, found := refRun(t, program, seed%3)
			want := refRaces(events)
			if found && !want {
				t.Fatalf("named %v, program %d: a race that is none\n%v", named, seed, events)
			}
			if want {
				races++
				if !found {
					missed++
				}
			}
		}
		t.Logf("named barriers %v: %d programs race, %d are missed", named, races, missed)
		require.Greater(t, races, 1000)
		require.Less(t, races, 2500, "and many do not")
		require.LessOrEqual(t, missed*200, races, "more than one in 200")
	}
}

// FuzzSanitizer looks for programs in which the sanitizer sees a race that is
// none.
func FuzzSanitizer(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, program, schedule uint64, named bool) {
		events, found := refRun(t, refProgram(rand.New(rand.NewPCG(program, 7)), named), schedule)
		if found && !refRaces(events) {
			t.Fatalf("a race that is none\n%v", events)
		}
	})
}
