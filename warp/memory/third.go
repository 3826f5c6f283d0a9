package memory

import "math/bits"

// behind returns when sectors of a line come from behind the second level.
func (s *System) behind(line uint64, want uint8, start tick) tick {
	if s.third == nil {
		return s.readMain(line, want, start) + s.miss
	}
	start = s.share(line, want, start)
	c := s.third
	k, i := c.find(line)
	missing := want
	if i >= 0 {
		missing &^= c.lines[i].sectors
	}
	s.counts.ThirdSectors += int64(bits.OnesCount8(want &^ missing))
	if missing == 0 {
		return max(start, c.lines[i].ready) + s.thirdHit
	}
	ready := s.readMain(line, missing, start) + s.miss
	if i < 0 {
		i, _ = s.replace(k, line, start)
	}
	x := &c.lines[i]
	x.sectors |= missing
	x.ready = max(x.ready, ready-s.thirdHit)
	return ready
}

// keep is what the second level gives up, in the third, where it stays until it has to
// make room. Nobody asks for foreign lines again. It returns when there is room.
func (s *System) keep(tag uint32, line uint64, dirty uint8, now tick) tick {
	line = uint64(uint32(line))
	now = s.share(line, dirty, now)
	c := s.third
	k, i := c.find(line)
	if i < 0 || tag == foreign {
		i, now = s.replace(k, line, now)
		c.tags[i] = tag
	}
	x := &c.lines[i]
	x.sectors |= dirty
	x.dirty |= dirty
	return now
}

// replace makes room for a line in a set of the third level, and says when there is some.
// What was written to the line that was there goes to the memory.
func (s *System) replace(k int, line uint64, now tick) (int, tick) {
	c := s.third
	i := c.victim(k)
	if old := c.tags[i]; old != 0 && c.lines[i].dirty != 0 {
		at := uint64(old - 1)
		if old == foreign {
			at = ^line
		}
		now = s.writeMain(at, c.lines[i].dirty, now)
	}
	c.tags[i] = uint32(line) + 1
	c.lines[i] = cached{}
	return i, now
}

// share takes the part of the third level that a line belongs to for some sectors, and
// returns when it begins.
func (s *System) share(line uint64, sectors uint8, at tick) tick {
	t := &s.shares[spread(line/s.channelLines, len(s.shares))]
	at = max(at, *t)
	*t = at + tick(bits.OnesCount8(sectors))*s.thirdSector
	return at
}

// readMain returns when the memory begins to read sectors of a line.
func (s *System) readMain(line uint64, sectors uint8, start tick) tick {
	n := tick(bits.OnesCount8(sectors))
	ch := &s.main[spread(line/s.channelLines, len(s.main))]
	ch.free = max(ch.free, start) + n*s.mainRead
	ch.read = true
	s.counts.MainReadSectors += int64(n)
	s.counts.MainTicks += int64(n * s.mainRead)
	return s.refreshed(line, ch.free-n*s.mainRead)
}
