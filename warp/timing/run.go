package timing

// ending is a block whose warps have all ended and whose last result arrives at
// a cycle to come.
type ending struct {
	at    Cycle
	block int
}

// Run goes on until a block ends, all blocks have ended, the next event is at
// the limit or beyond it, or a warp needs records. It skips cycles in which
// nothing happens. Time goes on to the limit on a multiprocessor without blocks too,
// which is Done; only without a limit (Never) it stays where it is then. After an error, which is an *Error or a *DeadlockError, only
// Reset helps.
func (m *Multiprocessor) Run(limit Cycle) (Status, error) {
	if m.err != nil {
		return m.status(Limit), m.err
	}
	if len(m.subs) == 0 {
		return m.status(Done), nil // New has not made it
	}
	end := Never
	if limit < Never-m.base {
		end = limit + m.base
	}
	if end <= m.quiet && end < Never {
		m.now = max(m.now, end)
		return m.rest(), nil
	}
	m.quiet = 0
	bound := end
	if len(m.ending) > 0 {
		bound = min(bound, m.ending[m.firstEnding()].at)
	}
	if m.memory != nil && end < Never && end-m.now > worthLooking {
		m.lookAhead(end)
	}
	s := m.earliest()
	t := s.next
	for ; ; t = s.next {
		if t >= bound {
			if len(m.ending) > 0 {
				if e := m.firstEnding(); m.ending[e].at < end {
					return m.close(e), nil
				}
			} else if t >= Never && (m.live == 0 || !m.waits() || end == Never) {
				return m.idle(end)
			}
			break
		}
		m.now = t
		w := s.warps[s.pick]
		if w.odd {
			if w.state == starved {
				st := m.status(Starved)
				st.Block, st.Warp = int(w.block), int(w.index)
				return st, nil
			}
			if t >= w.shadow { // others came first
				w.odd = false
				m.head(w)
				m.choose(s)
				s = m.earliest()
				continue
			}
		}
		if m.due--; m.anchored(w) && m.checkpoint(w, bound) {
			s = m.earliest()
			continue
		}
		turn := m.turn
		if m.turn = s.index + 1; m.turn == len(m.subs) {
			m.turn = 0
		}
		next := m.issue(s, w, t)
		for next < m.second && next < bound && !m.stop && !w.odd && len(s.heads) == 1 && !m.anchored(w) {
			m.due--
			m.now = next
			next = m.issue(s, w, next)
		}
		if m.stop {
			if m.stop = false; m.err != nil {
				return m.status(Limit), m.err
			}
			if m.now >= m.horizon && w.prev < m.now {
				m.turn = turn // it has not been issued
				return m.status(Limit), nil
			}
			if m.horizon < Never && m.flights.open > 0 {
				end = min(end, m.horizon)
				bound = min(bound, end)
			}
			if len(m.ending) > 0 {
				bound = min(end, m.ending[m.firstEnding()].at)
			}
		}
		s = m.earliest()
	}
	m.now = max(m.now, end)
	m.quiet = t
	if len(m.ending) > 0 {
		m.quiet = min(t, m.ending[m.firstEnding()].at)
	}
	return m.status(Limit), nil
}

// rest is the status while nothing happens.
func (m *Multiprocessor) rest() Status {
	if m.live == 0 {
		return m.status(Done)
	}
	return m.status(Limit)
}

// Tick simulates the one cycle that Now names and moves on to the next, or
// comes back as Run does, and then has to be called again. Ticking through
// every cycle gives the same figures as Run.
func (m *Multiprocessor) Tick() (Status, error) {
	if m.now < m.quiet {
		m.now++
		return m.rest(), nil
	}
	return m.Run(m.Now() + 1)
}

// NextEvent returns the first cycle, from Now on, in which something happens if
// no block is started before, Never if nothing does.
func (m *Multiprocessor) NextEvent() Cycle {
	if len(m.subs) == 0 {
		return Never
	}
	if m.now < m.quiet {
		if m.quiet >= Never {
			return Never
		}
		return m.quiet - m.base
	}
	t := m.earliest().next
	if len(m.ending) > 0 {
		t = min(t, m.ending[m.firstEnding()].at)
	}
	if t >= Never {
		return Never
	}
	return t - m.base
}

// earliest returns the sub-partition that has the next event, and notes when the
// others have theirs. Of several it is the first from m.turn on, and around.
func (m *Multiprocessor) earliest() *sub {
	s := &m.subs[m.turn]
	if s.stale {
		m.choose(s)
	}
	second := Never
	for i := m.turn + 1; i < len(m.subs); i++ {
		x := &m.subs[i]
		if x.stale {
			m.choose(x)
		}
		if x.next < s.next {
			s, second = x, s.next
		} else {
			second = min(second, x.next)
		}
	}
	for i := range m.subs[:m.turn] {
		x := &m.subs[i]
		if x.stale {
			m.choose(x)
		}
		if x.next < s.next {
			s, second = x, s.next
		} else {
			second = min(second, x.next)
		}
	}
	m.second = second
	return s
}

func (m *Multiprocessor) status(s State) Status { return Status{State: s, Now: m.Now()} }

func (m *Multiprocessor) firstEnding() int {
	first := 0
	for i, e := range m.ending {
		if e.at < m.ending[first].at {
			first = i
		}
	}
	return first
}

// waits reports whether something waits for the host: an access for its answer, a pipe
// to be resumed, or a warp that is held.
func (m *Multiprocessor) waits() bool { return m.flights.open > 0 || m.refused || m.held > 0 }

// idle is where a run up to end stands when no warp can ever issue.
func (m *Multiprocessor) idle(end Cycle) (Status, error) {
	if m.live == 0 {
		if end < Never {
			m.now, m.quiet = max(m.now, end), Never
		}
		return m.status(Done), nil
	}
	if m.waits() {
		return m.status(Waiting), nil
	}
	e := &DeadlockError{Cycle: m.Now()}
	for i := range m.blocks {
		b := &m.blocks[i]
		if !b.resident {
			continue
		}
		for _, w := range b.warps {
			if w.state != waiting {
				continue
			}
			bar := &b.barriers[w.barrier]
			e.Waiting = append(e.Waiting, WaitingWarp{
				Block: i, Warp: int(w.index), Barrier: int(w.barrier),
				Arrived: bar.arrived, Expected: bar.want(b), Since: w.since - m.base,
			})
		}
	}
	m.err = e
	return m.status(Limit), e
}

// finish ends a warp after its last record.
func (m *Multiprocessor) finish(w *warp) {
	exit := w.at
	w.state = ended
	m.stop = true
	w.put(Never, absent)
	b := &m.blocks[w.block]
	b.running--
	m.active--
	b.lastExit = max(b.lastExit, exit)
	w.drain = max(w.drain, w.settled)
	b.end = max(b.end, exit, w.drain)
	if b.running > 0 {
		for i := range b.barriers {
			m.complete(b, &b.barriers[i])
		}
		return
	}
	if b.flying == 0 {
		m.leaveBlock(int(w.block))
	}
}

// close ends a block.
func (m *Multiprocessor) close(e int) Status {
	id := m.ending[e].block
	m.ending[e] = m.ending[len(m.ending)-1]
	m.ending = m.ending[:len(m.ending)-1]
	b := &m.blocks[id]
	m.now = max(m.now, b.end)
	b.resident = false
	m.live--
	m.recall.lose()
	free := max(b.end, b.through)
	for _, w := range b.warps {
		exit := w.at
		done := max(exit, w.drain, min(w.left, free))
		w.cycles[Drained] += done - exit
		w.cycles[Finished] += free - done
		b.cycles.add(&w.cycles)
		w.vacate()
	}
	m.totals.Cycles.by.add(&b.cycles)
	st := m.status(BlockEnded)
	st.Block = id
	return st
}

// choose finds the warp that a sub-partition issues from next, and when: the one
// that can go first, and of several the one that issued last if it could go on at
// once and the scheduler stays with such warps, else the one that has been ready
// longest.
func (m *Multiprocessor) choose(s *sub) {
	s.stale = false
	floor := max(s.floor, m.now)
	heads := s.heads
	if len(heads) == 1 {
		s.next, s.pick = s.can(&heads[0], floor), 0
		return
	}
	if m.greedy {
		m.chooseGreedy(s, floor)
		return
	}
	if s.coded {
		m.chooseCoded(s, floor)
		return
	}
	next, since, pick := Never, Never, 0
	// late is from when on a warp that becomes ready cannot be the one: once one is found
	// that goes at once, only those count that have been ready longer.
	late := Never
	if i := s.last; m.stays && uint(i) < uint(len(heads)) && heads[i].ready <= s.floor {
		next, since, pick = s.can(&heads[i], floor), unknown-1, i
		if late = next; next == floor {
			late = since
		}
	}
	from := min(s.last+1, len(heads))
	for i := from; i < len(heads); i++ {
		h := &heads[i]
		if h.ready >= late {
			continue
		}
		if t := s.can(h, floor); t < next || t == next && h.ready < since {
			next, since, pick = t, h.ready, i
			if late = t; t == floor {
				late = since
			}
		}
	}
	for i := range heads[:from] {
		h := &heads[i]
		if h.ready >= late {
			continue
		}
		if t := s.can(h, floor); t < next || t == next && h.ready < since {
			next, since, pick = t, h.ready, i
			if late = t; t == floor {
				late = since
			}
		}
	}
	s.next, s.pick = next, pick
}

func (m *Multiprocessor) chooseGreedy(s *sub, floor Cycle) {
	next, pick := Never, 0
	for i := range s.heads {
		h := &s.heads[i]
		t := s.can(h, floor)
		if t < next || t == next && t < Never && (h.ready == unknown || s.heads[pick].ready != unknown && m.prefer(s, i, pick)) {
			next, pick = t, i
		}
	}
	s.next, s.pick = next, pick
}

// prefer reports whether the greedy scheduler takes local warp i before j.
func (m *Multiprocessor) prefer(s *sub, i, j int) bool {
	if i == s.last || j == s.last {
		return i == s.last
	}
	a, b := s.warps[i], s.warps[j]
	if a.block != b.block {
		return a.block < b.block
	}
	return a.index < b.index
}

// advance goes to the next record of the warp.
func (m *Multiprocessor) advance(w *warp) {
	if w.next++; w.next < len(w.recs) {
		m.head(w)
		return
	}
	m.recall.lose()
	switch {
	case len(w.more) > 0:
		w.before += int64(len(w.recs))
		w.recs, w.next, w.sites, w.lines = w.more[0].recs, 0, w.more[0].sites, w.more[0].lines
		copy(w.more, w.more[1:])
		w.more[len(w.more)-1] = stream{}
		w.more = w.more[:len(w.more)-1]
		m.head(w)
	case w.last:
		m.leave(w)
	default:
		w.before += int64(len(w.recs))
		w.recs, w.next, w.sites, w.lines = nil, 0, nil, nil
		w.state, w.odd = starved, true
		w.put(unknown, idle)
	}
}

// leave is a warp without further records: it ends, or does so once the barrier
// or the fence that it has reached lets it.
func (m *Multiprocessor) leave(w *warp) {
	w.before += int64(len(w.recs))
	w.recs, w.next, w.sites, w.lines = nil, 0, nil, nil
	if w.pending {
		w.state = waiting
		w.put(Never, absent)
		return
	}
	if w.fenced {
		w.await()
		return
	}
	if w.release > w.at {
		w.cycles[Barrier] += w.release - w.at
		w.at = w.release
	}
	m.finish(w)
}
