package memory

import (
	"math/bits"

	"example.com/warpsim/warp/isa"
)

// serve is one request at the second level.
func (s *System) serve(f *Front, r *request) {
	n := tick(bits.OnesCount8(r.line.Sectors()))
	line := r.line.Number()
	switch r.kind {
	case reading:
		part := f.part
		start := s.slice(part, line, r.at+s.out, n*s.sector)
		ready := s.fetch(part, line, r.line.Sectors(), start, true) + s.distance(f, line)
		s.counts.ReadSectors += int64(n)
		s.reply(f, r, ready)
	case writing:
		arrive := s.groupOut(f, r.at, n+masks(r.line))
		start := s.slice(f.part, line, arrive, n*s.sector)
		start = max(start, s.writeLine(f.part, line, r.line.Sectors(), start))
		s.counts.WriteSectors += int64(n)
		if s.home(line) != f.part {
			s.counts.CrossedWriteSectors += int64(n)
		}
		f.arrivals = append(f.arrivals, arrival{start + s.back + s.beyond(f, line) + s.sliceLatency/2, r.miss, writing, r.weight, 0})
	case reducing, exchanging:
		arrive := s.groupOut(f, r.at, n)
		far := s.beyond(f, line)
		done := s.atomicOp(r, line, n, arrive+far/2) + far - far/2
		s.counts.AtomicSectors += int64(n)
		if far > 0 {
			s.counts.CrossedAtomicSectors += int64(n)
		}
		if r.kind == reducing {
			f.arrivals = append(f.arrivals, arrival{done + s.back + s.sliceLatency/2, r.miss, reducing, r.weight, uint16(s.sliceOf(r.line))})
		} else {
			s.reply(f, r, done+s.returned+s.distance(f, line))
		}
	}
}

// beyond is how much longer the way to the part is that a line belongs to, if that is
// not the multiprocessor's own.
func (s *System) beyond(f *Front, line uint64) tick {
	if s.home(line) == f.part {
		return 0
	}
	return s.farMiss
}

// groupOut takes the port of a group of multiprocessors for what it sends.
func (s *System) groupOut(f *Front, at, n tick) tick {
	g := &s.groups[f.group]
	g.out = max(g.out, at) + n*s.groupStore
	s.counts.SendTicks += int64(n * s.groupStore)
	return g.out + s.out
}

// slice takes the slice of a line.
func (s *System) slice(part int, line uint64, at, n tick) tick {
	t := &s.slices[part*s.sliceCount+spread(line, s.sliceCount)]
	start := max(at, *t)
	*t = start + n
	s.counts.SliceTicks += int64(n)
	return start
}

// fetch returns when sectors of a line are there for a part, and brings them in.
func (s *System) fetch(part int, line uint64, want uint8, start tick, count bool) tick {
	c := &s.parts[part]
	k, i := c.find(line)
	if i >= 0 {
		x := &c.lines[i]
		if missing := want &^ x.sectors; missing == 0 {
			if count {
				s.counts.HitSectors += int64(bits.OnesCount8(want))
			}
			x.claimed = true
			return max(start, x.there(want))
		}
	}
	from := s.elsewhere(part, line, want)
	n := tick(bits.OnesCount8(want))
	if count && s.home(line) != part {
		s.counts.CrossedReadSectors += int64(n)
	}
	var ready tick
	switch {
	case from != nil:
		s.counts.HitSectors += int64(n)
		ready = max(start, from.there(want))
		if from.claimed {
			s.counts.FarSectors += int64(n)
			w := &s.far[part]
			*w = max(*w, start) + n*s.farSector
			ready = max(ready, *w) + s.farLatency
		}
		from.claimed = true
		late := from.late &^ want
		if want&from.late != 0 {
			late = 0
		}
		want = from.sectors &^ late // what is there by then comes along
	default:
		missing := want
		if i >= 0 {
			missing &^= c.lines[i].sectors
		}
		ready = s.behind(line, missing, start)
		if s.home(line) != part {
			ready += s.farMiss
		}
	}
	if i < 0 {
		i, _ = s.allocate(part, k, line, start)
	}
	x := &c.lines[i]
	x.bring(want, ready)
	x.claimed = true
	return ready
}

// elsewhere returns the line in another part that has all the sectors, nil if
// none has.
func (s *System) elsewhere(part int, line uint64, want uint8) *cached {
	for p := range s.parts {
		if p == part {
			continue
		}
		if _, i := s.parts[p].find(line); i >= 0 && want&^s.parts[p].lines[i].sectors == 0 {
			return &s.parts[p].lines[i]
		}
	}
	return nil
}

// allocate makes room for a line in a set of a part, and says when there is some. What
// was there goes to another part, as long as nobody there has it.
func (s *System) allocate(part, k int, line uint64, now tick) (int, tick) {
	c := &s.parts[part]
	i := c.victim(k)
	if old := c.tags[i]; old != 0 {
		x := c.lines[i]
		if len(s.parts) == 1 || old == foreign {
			now = s.writeBack(old, &x, line, now)
		} else {
			now = s.giveAway((part+1)%len(s.parts), old, &x, line, now)
		}
	}
	c.tags[i] = uint32(line) + 1
	c.lines[i] = cached{}
	return i, now
}

// giveAway puts a line that one part gives up into another one.
func (s *System) giveAway(part int, tag uint32, x *cached, by uint64, now tick) tick {
	c := &s.parts[part]
	k, i := c.find(uint64(tag - 1))
	if i >= 0 {
		c.lines[i].dirty |= x.dirty
		return now
	}
	i = c.victim(k)
	if old := c.tags[i]; old != 0 {
		now = s.writeBack(old, &c.lines[i], by, now)
	}
	c.tags[i] = tag
	c.lines[i] = *x
	return now
}

// writeBack writes what is dirty of a line that is given up for another one. Nobody
// knows where foreign lines belong: any channel, by the other one's number. The time is
// that at which it is taken.
func (s *System) writeBack(tag uint32, x *cached, by uint64, now tick) tick {
	if x.dirty == 0 {
		return now
	}
	line := uint64(tag - 1)
	if tag == foreign {
		line = ^by
	}
	if s.third != nil {
		return s.keep(tag, line, x.dirty, now)
	}
	return s.writeMain(line, x.dirty, now)
}

// writeMain writes sectors of a line to the memory, and returns when the channel takes
// them.
func (s *System) writeMain(line uint64, sectors uint8, now tick) tick {
	n := tick(bits.OnesCount8(sectors))
	ch := &s.main[spread(line/s.channelLines, len(s.main))]
	s.counts.MainWriteSectors += int64(n)
	if ch.waiting += int32(n); ch.waiting < s.mainBatch && ch.free > now {
		return s.room(ch, now)
	}
	took := tick(ch.waiting) * s.mainWrite
	if ch.read {
		took += s.mainTurn
	}
	ch.free = max(ch.free, now) + took
	ch.waiting, ch.read = 0, false
	s.counts.MainTicks += int64(took)
	return s.room(ch, now)
}

// room returns when no more than may wait for a channel does.
func (s *System) room(ch *channel, now tick) tick {
	if s.mainQueue == 0 {
		return now
	}
	return max(now, ch.free-s.mainQueue)
}

// writeLine is a store that has come to a part. It returns when there is room for it.
func (s *System) writeLine(part int, line uint64, sectors uint8, now tick) tick {
	c := &s.parts[part]
	k, i := c.find(line)
	if i < 0 {
		for p := range s.parts {
			if p == part {
				continue
			}
			o := &s.parts[p]
			if _, j := o.find(line); j >= 0 { // it moves to where it is written
				sectors |= o.lines[j].dirty
				o.tags[j] = 0
				o.lines[j] = cached{}
			}
		}
		i, now = s.allocate(part, k, line, now)
	}
	x := &c.lines[i]
	x.sectors |= sectors
	x.dirty |= sectors
	x.claimed = true
	return now
}

// atomicOp is an atomic at the part that its line belongs to, and returns when it
// is done.
func (s *System) atomicOp(r *request, line uint64, n, arrive tick) tick {
	part := s.home(line)
	lanes, most := tick(max(1, r.line.Lanes())), tick(max(1, r.line.Most()))
	start := s.slice(part, line, arrive, s.atomicSector*max(n, most))
	c := &s.parts[part]
	ready := s.fetch(part, line, r.line.Sectors(), start, false)
	_, i := c.find(line)
	if i < 0 {
		return ready
	}
	x := &c.lines[i]
	x.dirty |= r.line.Sectors()
	word := s.integer
	if r.float {
		word = s.float
	}
	took := word * most
	if lanes > most || x.word != uint8(r.line.Word()) {
		if lanes >= n*tick(r.words) {
			took = max(took, s.dense*n)
		} else if lanes > most {
			took = max(took, s.scattered*lanes)
		}
	}
	x.word = uint8(r.line.Word())
	x.hold(max(ready, x.ready) + took)
	x.chain += took
	if int64(x.chain) > s.counts.ChainTicks {
		s.counts.ChainTicks, s.counts.ChainLine, s.counts.ChainWord = int64(x.chain), line, r.line.Word()
	}
	return x.ready
}

// masks is how many masks of bytes go with a store to a line.
func masks(l isa.Line) tick { return tick(min(1, l.Partial())) }

func kindOf(op isa.Op) requestKind {
	switch op {
	case isa.LoadGlobal:
		return reading
	case isa.StoreGlobal:
		return writing
	case isa.AtomicGlobal:
		return exchanging
	}
	return reducing
}
