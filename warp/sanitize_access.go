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
// and returns the lanes that read shared memory which nobody has written. v are
// the values that a store writes. run says that the index rises by one from lane
// to lane of a full warp.
func (w *Warp) sanitizeAccess(kind accessKind, m memView, at []int32, v unsafe.Pointer, run bool) (unset lane.Mask) {
	s := w.san
	if s.explore != nil {
		s.explore.pause(w)
	}
	if !s.check {
		return lane.Mask{}
	}
	a := access{kind: kind, view: m, at: at, values: v, volatile: s.volatile}
	s.noteCollectives(w)
	r := s.region(&m)
	a.units = m.size / r.unit
	a.thread = uint32(w.id) << s.shift
	if s.sites {
		a.site = w.siteNumber()
	}
	first := int(at[0]) + m.offset
	if run && a.units == 1 && kind != accessAtomic && !a.volatile && first >= 0 && first+w.lanes <= m.len {
		if cells, sites := s.window(r, first, w.lanes); cells != nil {
			if kind == accessLoad {
				unset = s.loadRow(w, &a, cells, sites)
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
		if kind == accessAtomic || a.volatile {
			s.publish(w, flagKey{m.addr, m.shared, k}, true, kind == accessAtomic)
		}
		fresh := false
		for u := k * a.units; u < (k+1)*a.units; u++ {
			c, site := s.shadowAt(r, u)
			fresh = s.touch(w, &a, l, c, site) || fresh
		}
		if fresh {
			unset = unset.With(l)
		}
	}
	s.report(w, &a, unset)
	return unset
}

// An access is one instruction on memory.
type access struct {
	kind     accessKind
	volatile bool
	view     memView
	at       []int32
	values   unsafe.Pointer
	units    int    // of an element
	thread   uint32 // of lane 0, in the block
	site     uint32
	trouble  bool // something was found
}

// loadRow is touch for a load of neighbouring units by a full warp.
func (s *sanitizer) loadRow(w *Warp, a *access, cells []shadow, sites []shadowSites) (unset lane.Mask) {
	floor, start, now := s.floor, s.start, s.now
	if !a.view.shared {
		start = 0
	}
	thread := uint16(a.thread)
	for i := range cells {
		c := &cells[i]
		if c.written < floor && c.read < floor && c.written >= start {
			c.read, c.reader, c.read2, c.flags = now, thread+uint16(i), 0, c.flags&^shadowReaders
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

// storeRow is touch for a store to neighbouring units by a full warp.
func (s *sanitizer) storeRow(w *Warp, a *access, cells []shadow, sites []shadowSites) {
	floor, now := s.floor, s.now
	thread := uint16(a.thread)
	for i := range cells {
		c := &cells[i]
		if c.written < floor && c.read < floor {
			c.written, c.writer, c.flags = now, thread+uint16(i), 0
			if sites != nil {
				sites[i].writer = a.site
			}
			continue
		}
		s.touch(w, a, i, c, siteOf(sites, i))
	}
}

func siteOf(sites []shadowSites, i int) *shadowSites {
	if sites == nil {
		return nil
	}
	return &sites[i]
}

// touch holds the access of one lane to one unit against those before it, notes
// what it finds, and books it. It reports whether the lane reads what nobody in
// the block has written.
func (s *sanitizer) touch(w *Warp, a *access, l int, c *shadow, site *shadowSites) (unset bool) {
	me := a.thread + uint32(l)
	writes := a.kind != accessLoad
	atomic := a.kind == accessAtomic || a.volatile
	unset = a.kind != accessStore && a.view.shared && c.written < s.start
	if c.written >= s.floor {
		both := atomic && c.flags&shadowAtomic != 0
		switch o := uint32(c.writer); {
		case both && o != me && !s.ordered(me, o, c.written):
			c.flags |= shadowAtomics
		case both:
		case !s.ordered(me, o, c.written) && !(a.volatile && s.published(me, o, c.written)):
			s.conflict(w, a, l, o, c.written, false, c.flags&shadowAtomic != 0, site)
		case o == me && c.flags&shadowAtomics != 0 && c.written >= s.warps[w.id].floor:
			s.conflict(w, a, l, o, c.written, false, true, site)
		}
	}
	if !writes {
		if !a.volatile {
			s.noteRead(c, me, site, a.site)
		}
		return unset
	}
	if c.read >= s.floor {
		s.againstReads(w, a, l, c, site)
	}
	if c.read2 >= s.floor && c.read2 != 0 {
		if o := uint32(c.reader2); !s.ordered(me, o, c.read2) {
			s.conflict(w, a, l, o, c.read2, true, false, site)
		}
	}
	flags := uint16(0)
	if a.kind == accessAtomic {
		flags = shadowAtomic
		if c.written >= s.floor {
			flags |= c.flags & (shadowAtomics | shadowAtomic)
		}
	}
	c.written, c.writer, c.flags, c.read, c.read2 = s.now, uint16(me), flags, 0, 0
	if site != nil {
		site.writer = a.site
	}
	return unset
}

// againstReads holds a write against the last reader and the lanes that read
// with it.
func (s *sanitizer) againstReads(w *Warp, a *access, l int, c *shadow, site *shadowSites) {
	me, o := a.thread+uint32(l), uint32(c.reader)
	switch {
	case !s.ordered(me, o, c.read):
	case o == me && c.flags&shadowReaders != 0 && c.read >= s.warps[w.id].floor:
		// Other lanes read too. Which ones is not known: a SyncWarp of some
		// lanes that this one took part in counts for all.
		if k := &s.warps[w.id]; k.partial && c.read < k.lanes[l*w.lanes+l] {
			return
		}
	default:
		return
	}
	s.conflict(w, a, l, o, c.read, true, false, site)
}

// noteRead books a read of thread me.
func (s *sanitizer) noteRead(c *shadow, me uint32, site *shadowSites, at uint32) {
	o := uint32(c.reader)
	switch {
	case c.read < s.floor:
		c.read2 = 0
		c.flags &^= shadowReaders
	case o>>s.shift != me>>s.shift:
		c.read2, c.reader2 = c.read, c.reader
		c.flags &^= shadowReaders
		if site != nil {
			site.reader2 = site.reader
		}
	case c.read < s.warps[me>>s.shift].floor:
		c.flags &^= shadowReaders
	case o != me:
		c.flags |= shadowReaders
	}
	c.read, c.reader = s.now, uint16(me)
	if site != nil {
		site.reader = at
	}
}
