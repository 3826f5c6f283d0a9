package warp

import (
	"unsafe"

	"example.com/warpsim/lane"
)

// An accessKind is what an instruction does to memory.
type accessKind uint8

const (
	accessLoad accessKind = iota
	accessStore
	accessAtomic
)

var accessNames = [...]string{accessLoad: "load", accessStore: "store", accessAtomic: "atomic"}

// sanitizeAccess books an access of the active lanes, before it takes effect,
// and returns the lanes that read memory which nobody has written. v are the
// values that a store writes. run says that the index rises by one from lane to
// lane of a full warp.
func (w *Warp) sanitizeAccess(kind accessKind, m memView, at []int32, v unsafe.Pointer, run bool) (unset lane.Mask) {
	s := w.san
	strong := s.volatile || kind == accessAtomic
	s.volatile = false // other warps may come in between
	if s.explore != nil {
		s.explore.pause(w)
	}
	s.fresh = strong
	a := access{kind: kind, view: m, at: at, values: v, strong: strong}
	if s.noteCollectives(w); s.late != nil && !m.shared {
		s.noteLate(w, &a)
	}
	if !s.check {
		return lane.Mask{}
	}
	if m.shared {
		a.region, a.since = s.region(&m), s.begun
	} else {
		a.base, a.since = uintptr(m.data), s.start
		a.unit = min(16, m.size&-m.size, int(a.base&-a.base))
		unset = s.unsetAccess(w, &a)
	}
	a.thread = uint32(w.id) << s.shift
	if s.sites {
		a.site = w.siteNumber()
	}
	first := int(at[0]) + m.offset
	run = run && first >= 0 && first+w.lanes <= m.len
	s.noteTree(w, &a, run)
	if run && !a.strong {
		if cells, sites := s.row(&a, first, w.lanes); cells != nil {
			if kind == accessLoad {
				unset = unset.Or(s.loadRow(w, &a, cells, sites))
			} else {
				s.storeRow(w, &a, cells, sites)
			}
			s.report(w, &a, unset)
			return unset
		}
	}
	for l := range w.active.Lanes() {
		k := int(at[l]) + m.offset
		if uint(k) >= uint(m.len) {
			continue // the access itself says so
		}
		if a.strong {
			key := flagKey{uintptr(m.data) + uintptr(k*m.size), -1}
			if m.shared {
				key.block = int(s.id)
			}
			s.publish(w, l, key, kind != accessLoad)
		}
		if s.touchElement(w, &a, l, k) {
			unset = unset.With(l)
		}
	}
	if a.strong && s.viewed {
		s.tick() // what comes after an atomic is not published by it
	}
	s.report(w, &a, unset)
	return unset
}

// An access is one instruction on memory.
type access struct {
	kind    accessKind
	strong  bool // an atomic or volatile: others may wait for it
	trouble bool // something was found
	view    memView
	at      []int32
	values  unsafe.Pointer
	region  *region // of shared memory
	base    uintptr // of global memory
	unit    int     // likewise: what an element is a multiple of and aligned to
	since   uint32  // accesses before this time are ordered
	thread  uint32  // of lane 0, in the block
	site    uint32
}

// unsetAccess books an access to an array that started undefined, and returns the
// lanes that read what nobody has written.
func (s *sanitizer) unsetAccess(w *Warp, a *access) (unset lane.Mask) {
	u := s.unsetOf(a.view.addr)
	if u == nil {
		return
	}
	for l := range w.active.Lanes() {
		k := int(a.at[l]) + a.view.offset
		if uint(k) >= uint(a.view.len) {
			continue
		}
		for i := range u.of(k*a.view.size, a.view.size) {
			if a.kind != accessStore && u.has(i) {
				unset = unset.With(l)
			}
			if a.kind != accessLoad {
				u.set(i)
			}
		}
	}
	return unset
}

// touchElement is touch for all units of element k.
func (s *sanitizer) touchElement(w *Warp, a *access, l, k int) (unset bool) {
	if r := a.region; r != nil {
		n := a.view.size / r.unit
		for u := k * n; u < (k+1)*n; u++ {
			unset = s.touch(w, a, l, &r.cells[u], siteOf(r.sites, u)) || unset
		}
		return unset
	}
	from := a.base + uintptr(k*a.view.size)
	for end := from + uintptr(a.view.size); from < end; {
		p := s.page(from, a.unit)
		u := int(from%pageBytes) / p.unit
		s.touch(w, a, l, &p.cells[u], siteOf(p.sites, u))
		from += uintptr(p.unit)
	}
	return false
}

// loadRow is touch for a load of neighbouring elements by a full warp.
func (s *sanitizer) loadRow(w *Warp, a *access, cells []shadow, sites []shadowSites) (unset lane.Mask) {
	thread := uint16(a.thread)
	shared := a.view.shared
	for i := range cells {
		c := &cells[i]
		if s.past(a, c.written, c.writerBlock) && s.past(a, c.read, c.readerBlock) && (!shared || c.written >= a.since) {
			c.read, c.reader, c.readerBlock, c.read2, c.flags = s.now, thread+uint16(i), s.id, 0, c.flags&^shadowReaders
			if sites != nil {
				sites[i].reader = a.site
			}
			continue
		}
		if s.touch(w, a, i, c, siteOf(sites, i)) {
			unset = unset.With(i)
		}
	}
	return unset
}

// storeRow is touch for a store to neighbouring elements by a full warp.
func (s *sanitizer) storeRow(w *Warp, a *access, cells []shadow, sites []shadowSites) {
	thread := uint16(a.thread)
	for i := range cells {
		c := &cells[i]
		if s.past(a, c.written, c.writerBlock) && s.past(a, c.read, c.readerBlock) && s.past(a, c.read2, c.read2Block) {
			c.written, c.writer, c.writerBlock, c.flags = s.now, thread+uint16(i), s.id, 0
			c.plain, c.other = 0, 0
			if sites != nil {
				sites[i].writer = a.site
			}
			continue
		}
		s.touch(w, a, i, c, siteOf(sites, i))
	}
}

// past reports whether an access of a block at a time is ordered before what all
// threads of this block do now.
func (s *sanitizer) past(a *access, t, block uint32) bool {
	return t < a.since || block == s.id && t < s.floor
}

func siteOf(sites []shadowSites, i int) *shadowSites {
	if sites == nil {
		return nil
	}
	return &sites[i]
}

// touch holds the access of one lane to one unit against those before it, notes
// what it finds, and books it. It reports whether the lane reads shared memory
// that nobody in the block has written.
func (s *sanitizer) touch(w *Warp, a *access, l int, c *shadow, site *shadowSites) (unset bool) {
	me := a.thread + uint32(l)
	// A store is not done ahead of the atomic that led to it.
	waits := a.strong || a.kind == accessStore
	unset = a.kind != accessStore && a.view.shared && c.written < a.since
	recent := !s.past(a, c.written, c.writerBlock)
	if recent {
		b, o := c.writerBlock, uint32(c.writer)
		mine := o == me && b == s.id
		both := a.strong && c.flags&shadowAtomic != 0
		switch {
		case both && s.unordered(a, me, c.plainBlock, uint32(c.plainWriter), c.plain, true):
			s.conflict(w, a, l, c, byPlain, site)
		case both && !mine && !s.ordered(me, b, o, c.written, true):
			c.flags |= shadowAtomics
			if b != s.id {
				c.flags = c.flags&^shadowAtomics | shadowForeign
			}
		case both:
		case !s.ordered(me, b, o, c.written, waits):
			s.conflict(w, a, l, c, byWriter, site)
		case mine && c.written >= s.warps[w.id].floor && (c.flags&shadowAtomics != 0 || c.flags&shadowForeign != 0 && !waits):
			s.conflict(w, a, l, c, byWriter, site)
		case (c.otherBlock == s.id || !waits) && s.unordered(a, me, c.otherBlock, uint32(c.otherWriter), c.other, waits):
			s.conflict(w, a, l, c, byOther, site)
		}
	}
	if a.kind == accessLoad {
		if !a.strong {
			s.noteRead(a, c, me, site)
		}
		return unset
	}
	if !s.past(a, c.read, c.readerBlock) {
		s.againstReads(w, a, l, c, site)
	}
	if !s.past(a, c.read2, c.read2Block) && !s.ordered(me, c.read2Block, uint32(c.reader2), c.read2, true) {
		s.conflict(w, a, l, c, bySecondReader, site)
	}
	flags := uint16(0)
	switch {
	case !a.strong || !recent:
		c.plain, c.other = 0, 0
	case c.flags&shadowAtomic == 0:
		c.plain, c.plainBlock, c.plainWriter, c.other = c.written, c.writerBlock, c.writer, 0
	case c.writerBlock != s.id || uint32(c.writer)>>s.shift != uint32(w.id):
		c.other, c.otherBlock, c.otherWriter = c.written, c.writerBlock, c.writer
	}
	if a.strong {
		flags = shadowAtomic
		if recent {
			flags |= c.flags & (shadowAtomics | shadowForeign)
		}
	}
	c.written, c.writer, c.writerBlock, c.flags, c.read, c.read2 = s.now, uint16(me), s.id, flags, 0, 0
	if site != nil {
		site.writer = a.site
	}
	return unset
}

// unordered reports whether an access of another thread is recent and not ordered
// before what thread me does now.
func (s *sanitizer) unordered(a *access, me, b, o, t uint32, pending bool) bool {
	return !s.past(a, t, b) && !s.ordered(me, b, o, t, pending)
}

// againstReads holds a write against the last reader and the lanes that read
// with it.
func (s *sanitizer) againstReads(w *Warp, a *access, l int, c *shadow, site *shadowSites) {
	me, b, o := a.thread+uint32(l), c.readerBlock, uint32(c.reader)
	switch {
	case !s.ordered(me, b, o, c.read, true):
	case b == s.id && o == me && c.flags&shadowReaders != 0 && c.read >= s.warps[w.id].floor:
		// Other lanes read too. Which ones is not known: a SyncWarp of some
		// lanes that this one took part in, and what it has acquired, counts
		// for all.
		k := &s.warps[w.id]
		if k.partial && c.read < k.lanes[l*w.lanes+l] || k.threads != nil && (k.threads[l].view != nil || k.threads[l].pending != nil) {
			return
		}
	default:
		return
	}
	s.conflict(w, a, l, c, byReader, site)
}

// noteRead books a read of thread me.
func (s *sanitizer) noteRead(a *access, c *shadow, me uint32, site *shadowSites) {
	o := uint32(c.reader)
	switch {
	case s.past(a, c.read, c.readerBlock):
		c.read2 = 0
		c.flags &^= shadowReaders
	case c.readerBlock != s.id || o>>s.shift != me>>s.shift:
		c.read2, c.reader2, c.read2Block = c.read, c.reader, c.readerBlock
		c.flags &^= shadowReaders
		if site != nil {
			site.reader2 = site.reader
		}
	case c.read < s.warps[me>>s.shift].floor:
		c.flags &^= shadowReaders
	case o != me:
		c.flags |= shadowReaders
	}
	c.read, c.reader, c.readerBlock = s.now, uint16(me), s.id
	if site != nil {
		site.reader = a.site
	}
}
