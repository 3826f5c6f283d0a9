package intrinsics

// Threads that leave a kernel before a barrier are not counted there on most devices;
// threads that a branch leads past a barrier, and then to the end of the kernel, have
// not left before it: such a barrier is undefined everywhere. Both end without having
// come to the barrier. They are told apart by the return that they may have taken
// since they asked for something last: one that stands before the barrier in the
// source, or one behind it, as the end of the kernel's function does.

// A leaving is where the threads of a warp that has ended asked last, each place
// once; nil for those that never did.
type leaving []*place

// leaving returns that of the scheduler's warp.
func (s *scheduler) leaving() (places leaving) {
	had := map[*place]bool{}
	for l := range s.all.Lanes() {
		p, known := s.lastOf(&s.threads[l])
		if !known {
			return nil
		}
		if !had[p] {
			had[p] = true
			places = append(places, p)
		}
	}
	return places
}

// lastOf returns where a thread asked last, nil if it never did, and whether that is
// known.
func (s *scheduler) lastOf(t *Thread) (p *place, known bool) {
	if t.path == 0 {
		return nil, true
	}
	if p = s.places[t.path]; p == nil {
		return nil, false
	}
	return s.flowOf(p), true
}

// judgeLeft is what the engine asks about a warp that has ended, at a barrier of the
// current thread: whether some of its threads have gone past the barrier.
func (s *scheduler) judgeLeft(how any) (past, known bool) {
	places, _ := how.(leaving)
	if len(places) == 0 || s.current == nil {
		return false, false
	}
	p := s.flowOf(s.placeOf(s.current))
	known = true
	for _, last := range places {
		before, behind := p.leftFrom(last)
		past = past || behind && !before
		known = known && before != behind
	}
	return past, past || known
}

// leftFrom reports where a thread that asked last at a place, nil: nowhere, may have
// left the kernel without coming to a barrier at p: before it or behind it in the
// source. Neither is known if the code is not understood.
func (p *place) leftFrom(last *place) (before, behind bool) {
	for i := range p.frames {
		f := &p.frames[i]
		if f.fn == nil {
			break
		}
		from := int32(-1)
		if last != nil {
			if i >= len(last.frames) || last.frames[i].fn != f.fn {
				break
			}
			from = last.frames[i].node
		}
		b, a := f.fn.Leaves(from, f.node)
		before, behind = before || b, behind || a
		if from >= 0 && from != f.node || !f.fn.OnlyCall(f.node) {
			return before, behind
		}
		// The function does nothing but call the one that goes on: the kernel is that.
	}
	return before, behind
}
