package warptest_test

import (
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/warptest"

	"github.com/stretchr/testify/require"
)

// slow is a memory of latencies that depend on the lines, some at once and some later,
// that refuses when too much is under way; with a mistake that a test may plant.
type slow struct {
	calls   int
	now     timing.Cycle
	events  []slowEvent
	flying  []int // by multiprocessor
	waiting []bool
	full    int
	mistake string
	kept    []slowAccess
}

type slowEvent struct {
	at timing.Cycle
	mp int
	id timing.AccessID
}

type slowAccess struct {
	lines []isa.Line
	event int
}

func newSlow(n int, mistake string) *slow {
	return &slow{flying: make([]int, n), waiting: make([]bool, n), full: 5, mistake: mistake}
}

type slowPort struct {
	*slow
	mp int
}

func (s *slow) Port(mp int) timing.MemoryPort { return slowPort{s, mp} }

func latency(lines []isa.Line) timing.Cycle {
	n := uint64(0)
	for _, l := range lines {
		n += l.Number()*37 + uint64(l.Sectors())
	}
	return timing.Cycle(20 + n%400)
}

func (p slowPort) Access(a *timing.Access) timing.Cycle {
	s := p.slow
	if s.flying[p.mp] >= s.full {
		switch {
		case a.ID.Index%2 == 0:
			a.Accepted = a.At + 7
		default:
			a.Accepted = timing.Never
			s.waiting[p.mp] = true
		}
		if s.mistake == "takes what it refuses" {
			s.events = append(s.events, slowEvent{a.At + 50, p.mp, a.ID})
		}
		return timing.Refused
	}
	n := latency(a.Lines)
	at := a.At + n
	switch {
	case s.mistake == "answers before it is asked":
		return a.At - 1
	case s.mistake == "never takes the tenth" && a.ID.Index == 10:
		return timing.Refused
	case s.mistake == "answers far too late" && a.ID.Index == 10:
		return a.At + 1<<30
	case s.mistake == "takes as long as there were calls":
		return a.At + timing.Cycle(s.calls)
	case s.mistake == "is not the same twice":
		return a.At + timing.Cycle(rand.IntN(1000))
	case s.mistake == "believes the token" && a.Token > 0:
		a.ID.Index = int64(a.Token)
	case s.mistake == "answers at once and later":
		s.events = append(s.events, slowEvent{at, p.mp, a.ID})
		return at
	case s.mistake == "loses stores" && a.Op == isa.StoreGlobal:
		return timing.Later
	case n%3 == 0:
		return at
	}
	s.flying[p.mp]++
	s.events = append(s.events, slowEvent{at, p.mp, a.ID})
	switch s.mistake {
	case "keeps the lines":
		s.kept = append(s.kept, slowAccess{a.Lines, len(s.events) - 1})
	case "answers twice":
		if a.ID.Index == 3 {
			s.events = append(s.events, slowEvent{at + 300, p.mp, a.ID})
		}
	case "answers another multiprocessor":
		s.events[len(s.events)-1].mp = (p.mp + 1) % len(s.flying)
	case "counts instructions from 1":
		s.events[len(s.events)-1].id.Index++
	case "answers a cycle before it was asked":
		s.events[len(s.events)-1].at = a.At
	}
	return timing.Later
}

func (s *slow) Advance(to timing.Cycle, complete func(int, timing.Completion), resume func(int, timing.Cycle)) timing.Cycle {
	s.calls++
	for _, k := range s.kept {
		e := &s.events[k.event]
		e.at = max(s.now, e.at) + latency(k.lines)%3
	}
	s.kept = nil
	next := timing.Never
	rest := s.events[:0]
	for _, e := range s.events {
		if e.at >= to {
			rest = append(rest, e)
			next = min(next, e.at)
			continue
		}
		if s.mistake == "answers a cycle before it was asked" {
			e.at--
		}
		if s.mistake == "answers in the past" {
			e.at -= 10
		}
		complete(e.mp, timing.Completion{ID: e.id, At: e.at})
		s.flying[e.mp]--
		if s.waiting[e.mp] && s.mistake != "forgets to resume" {
			s.waiting[e.mp] = false
			resume(e.mp, e.at)
		}
	}
	s.events = rest
	s.now = to
	if s.mistake == "knows of nothing to do" {
		return timing.Never
	}
	if s.mistake == "returns the past" {
		return to - 1
	}
	return next
}

func TestMemoryOfImplementers(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many mistakes")
	}
	require.NoError(t, warptest.TestMemory(func(n int) warptest.Memory { return newSlow(n, "") }))
	require.Error(t, warptest.TestMemory(nil))
	require.Error(t, warptest.TestMemory(func(int) warptest.Memory { return nil }))
	for _, mistake := range []string{
		"takes what it refuses", "answers before it is asked", "never takes the tenth", "answers far too late",
		"takes as long as there were calls", "is not the same twice", "believes the token", "answers at once and later",
		"loses stores", "keeps the lines", "answers twice", "answers another multiprocessor",
		"counts instructions from 1", "answers a cycle before it was asked", "answers in the past", "forgets to resume",
		"knows of nothing to do", "returns the past",
	} {
		err := warptest.TestMemory(func(n int) warptest.Memory { return newSlow(n, mistake) })
		require.Error(t, err, mistake)
	}
}
