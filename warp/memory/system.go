package memory

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A tick is a time or a duration in fractions of a cycle.
type tick int64

const (
	fraction = 256 // ticks in a cycle
	ring     = 1024
)

func ticks(cycles float64) tick { return tick(cycles*fraction + 0.5) }

// A System is the memory of a device. It is not safe for concurrent use, but
// for what the Fronts of different multiprocessors do.
type System struct {
	params
	fronts []*Front
	parts  []cache
	slices []tick // when each is free, part by part
	main   []channel
	third  *cache // nil: there is none
	shares []tick // when each part of it is free, by channel
	groups []group
	far    []tick // the ways between parts, by the part that is asked

	sorter  sorter
	replies [ring][]reply // by window
	spare   [][]reply     // empty ones
	later   []reply       // beyond the ring
	counts  Counts
	looked  uint32 // keeps the reads of look
}

// params is the profile made ready.
type params struct {
	out, back   tick // half of the way to the second level each
	first       tick // latency of the first level
	miss        tick // what the memory behind takes longer
	thirdHit    tick // what the third level takes longer than the second
	thirdSector tick
	window      tick
	lineBytes   int
	sectorBytes int
	whole       uint8 // all sectors of a line
	device.FirstTiming
	access, line, pipe               tick
	request, store, atomic, giveBack tick
	mask                             tick // of a request that writes sectors in part
	channelLines                     uint64
	homeLines                        uint64 // lines in a row of one part
	homeMask                         uint64 // see device.SecondTiming
	partCount                        int
	farMiss                          tick // what the memory behind another part takes longer
	sliceLatency, placeLatency       tick
	tagBanks                         []uint64
	groupStore, groupBack            tick
	packet                           tick // sectors that come back together
	posted, queue, queueRows         int
	postedReductions                 int
	postedSlice                      int32
	buffer                           int64
	groupCount                       int
	sliceCount                       int
	sector, farLatency, farSector    tick
	mainRead, mainWrite, mainTurn    tick
	mainBatch                        int32
	mainQueue                        tick // 0: without end
	refresh, refreshEvery            tick
	atomicSector, integer, float     tick
	scattered, dense, returned       tick
}

type group struct{ out, in tick }

type channel struct {
	free    tick
	waiting int32 // sectors to be written
	read    bool  // the last thing it did was to read
}

// A reply is on its way back from the second level.
type reply struct {
	at      tick // leaves the second level
	front   int32
	miss    int32
	sectors int32
}

// New returns the memory of a device for so many multiprocessors, with nothing of a kernel
// in its caches, as Reset by Cold leaves it. A profile without figures for global memory is an error of
// package timing once it is used; here it is one at once.
func New(p *device.Profile, multiprocessors int) (*System, error) {
	if p == nil {
		return nil, &timing.Error{Field: "profile", Op: isa.LoadGlobal, Reason: "nil"}
	}
	if p.Timing.Global == nil {
		return nil, &timing.Error{Field: "timing.global", Op: isa.LoadGlobal, Reason: "missing"}
	}
	if most := max(1, p.Limits.Multiprocessors); multiprocessors < 1 || multiprocessors > most {
		return nil, fmt.Errorf("memory: %d multiprocessors: %s has %d", multiprocessors, p.Name, most)
	}
	s := &System{}
	s.params = newParams(p)
	sec := secondOf(p)
	s.groups = make([]group, s.groupCount)
	s.parts = make([]cache, max(1, sec.Parts))
	for i := range s.parts {
		s.parts[i].init(sec.Bytes/len(s.parts)/s.lineBytes, sec.Ways, s.whole)
		s.parts[i].homeLines, s.parts[i].homeMask = s.homeLines, s.homeMask
	}
	s.slices = make([]tick, len(s.parts)*s.sliceCount)
	s.far = make([]tick, len(s.parts))
	s.main = make([]channel, mainOf(p).Channels)
	if t := thirdOf(p); t.Bytes > 0 {
		s.third = &cache{homeLines: 1}
		s.third.init(t.Bytes/s.lineBytes, t.Ways, s.whole)
		s.shares = make([]tick, len(s.main))
	}
	s.fronts = make([]*Front, multiprocessors)
	for i := range s.fronts {
		group := i * s.groupCount / multiprocessors
		s.fronts[i] = newFront(&s.params, i, group, group*len(s.parts)/s.groupCount)
	}
	s.sorter.init(int(s.window / fraction))
	for range 16 {
		s.spare = append(s.spare, make([]reply, 0, 64))
	}
	s.Reset(Cold, 0, 0)
	return s, nil
}

// Window is for how many cycles multiprocessors cannot feel each other.
func (s *System) Window() timing.Cycle { return timing.Cycle(s.window / fraction) }

// Front returns the part of the memory that one multiprocessor has of its own, nil
// if there is no such multiprocessor.
func (s *System) Front(i int) *Front {
	if i < 0 || i >= len(s.fronts) {
		return nil
	}
	f := s.fronts[i]
	f.makeRoom()
	return f
}

// A State is what the second level holds at the start of a run.
type State uint8

const (
	// Cold: data of others, which has to be written back first.
	Cold State = iota
	// Warm: the memory between two addresses, as much of its end as fits: of an engine,
	// its last arrays.
	Warm
	// Kept: what the run before left. The first run finds it cold.
	Kept
	// Clean: data of others, which need not be written back: where kernels before have
	// only read it.
	Clean
)

// Reset starts a run at cycle 0. First levels are empty; low and high bound the
// addresses for Warm.
func (s *System) Reset(state State, low, high uint64) {
	if s.lineBytes == 0 {
		return // no memory that New made
	}
	lo, hi := low/uint64(s.lineBytes), (high+uint64(s.lineBytes)-1)/uint64(s.lineBytes)
	for i := range s.parts {
		s.parts[i].reset(state, lo, hi, i, len(s.parts))
	}
	if s.third != nil {
		s.third.reset(state, lo, hi, 0, 1)
		clear(s.shares)
	}
	clear(s.slices)
	clear(s.main)
	clear(s.groups)
	clear(s.far)
	for i, list := range s.replies {
		if list != nil {
			s.spare = append(s.spare, list[:0])
			s.replies[i] = nil
		}
	}
	s.later = s.later[:0]
	s.counts = Counts{}
	for _, f := range s.fronts {
		f.reset()
	}
}

// Exchange serves what the multiprocessors have asked for in the window that
// begins at a cycle, which is a multiple of Window, and sends back what reaches
// them in the next one. Each Front has to have been told of the window's end, see
// Front.Close.
func (s *System) Exchange(from timing.Cycle) {
	if s.window == 0 {
		return
	}
	t := tick(from) * fraction
	n := 0
	for _, f := range s.fronts {
		n += len(f.sent)
	}
	if n > 0 {
		s.sorter.begin(n)
		for _, f := range s.fronts {
			for i := range f.sent {
				s.sorter.count(f.sent[i].at - t)
			}
		}
		s.sorter.sum()
		for _, f := range s.fronts {
			for i := range f.sent {
				s.sorter.place(f.sent[i].at-t, int32(f.index), int32(i))
			}
		}
		for order := s.sorter.order; len(order) > 0; {
			some := order[:min(len(order), lookedAt)]
			order = order[len(some):]
			s.look(some)
			for _, r := range some {
				f := s.fronts[r.front]
				s.serve(f, &f.sent[r.index])
			}
		}
		for _, f := range s.fronts {
			f.sent = f.sent[:0]
		}
	}
	s.sendBack(t)
}

// lookedAt is how many requests are looked at before they are served.
const lookedAt = 32

// look reads what serving requests needs of the second level, none of it depending
// on the rest, so that the host fetches it all at once.
func (s *System) look(requests []place) {
	seen := uint32(0)
	for p := range s.parts {
		c := &s.parts[p]
		if c.tags == nil {
			continue
		}
		var sets [lookedAt]int
		for i, r := range requests {
			k := c.place(s.fronts[r.front].sent[r.index].line.Number())
			sets[i] = k
			seen += c.state[k].used + c.tags[k*c.ways]
		}
		for i, r := range requests {
			tag := uint32(s.fronts[r.front].sent[r.index].line.Number()) + 1
			k := sets[i] * c.ways
			for j, t := range c.tags[k : k+c.ways] {
				if t == tag {
					seen += uint32(c.lines[k+j].sectors)
				}
			}
		}
	}
	s.looked = seen
}

// turn is the window before which a reply that leaves the second level at a time
// has to be known to the multiprocessor that waits for it.
func (s *System) turn(at tick) int64 { return int64((at - s.out) / s.window) }

// sendBack lets what arrives in the window behind the one that begins at t go back.
func (s *System) sendBack(t tick) {
	window := int64(t / s.window)
	if len(s.later) > 0 && window%(ring/2) == 0 {
		rest := s.later[:0]
		for _, r := range s.later {
			if w := s.turn(r.at); w-window < ring {
				s.queue(w, r)
			} else {
				rest = append(rest, r)
			}
		}
		s.later = rest
	}
	list := s.replies[window%ring]
	if len(list) == 0 {
		return
	}
	t += s.out
	s.sorter.begin(len(list))
	for i := range list {
		s.sorter.count(list[i].at - t)
	}
	s.sorter.sum()
	for i := range list {
		s.sorter.place(list[i].at-t, 0, int32(i))
	}
	for _, o := range s.sorter.order {
		r := &list[o.index]
		f := s.fronts[r.front]
		g := &s.groups[f.group]
		n := tick(r.sectors)
		at := max(r.at, g.in)
		packets := (n + s.packet - 1) / s.packet * s.packet
		g.in = at + packets*s.groupBack
		at = max(at, f.in)
		f.in = at + n*s.giveBack
		s.counts.ReturnTicks += int64(packets * s.groupBack)
		s.counts.Returned += int64(n)
		f.arrivals = append(f.arrivals, arrival{at + (n-1)*s.giveBack + s.back, r.miss, reading, 0, 0})
	}
	s.spare = append(s.spare, list[:0])
	s.replies[window%ring] = nil
}

// reply queues a reply.
func (s *System) reply(f *Front, r *request, at tick) {
	window := s.turn(at)
	x := reply{at, int32(f.index), r.miss, int32(bits.OnesCount8(r.line.Sectors()))}
	if window-int64(r.at/s.window) >= ring-1 {
		s.later = append(s.later, x)
		return
	}
	s.queue(window, x)
}

// queue puts a reply into its window.
func (s *System) queue(window int64, x reply) {
	list := &s.replies[window%ring]
	if n := len(s.spare); *list == nil && n > 0 {
		*list, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	*list = append(*list, x)
}

// Next returns the first window, from one on, in which there is something to
// send back or to serve: the cycle at which it begins, timing.Never if none.
func (s *System) Next(from timing.Cycle) timing.Cycle {
	if s.window == 0 {
		return timing.Never
	}
	for _, f := range s.fronts {
		if f.head < len(f.queue) || len(f.arrivals) > 0 {
			return from
		}
	}
	w := int64(tick(from) * fraction / s.window)
	for k := range int64(ring) {
		if len(s.replies[(w+k)%ring]) > 0 {
			return timing.Cycle((w + k) * int64(s.window) / fraction)
		}
		if len(s.later) > 0 && (w+k)%(ring/2) == 0 {
			return timing.Cycle((w + k) * int64(s.window) / fraction)
		}
	}
	if len(s.later) > 0 {
		return from
	}
	return timing.Never
}
