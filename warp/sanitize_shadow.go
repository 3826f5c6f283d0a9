package warp

import (
	"unsafe"

	"example.com/warpsim/lane"
)

// A shadow is what the sanitizer knows of one unit of memory: its last write and
// its last reads from two warps. Threads are numbers in the block.
type shadow struct {
	written, read, read2    uint32 // when; before the block's floor: of no matter
	writer, reader, reader2 uint16
	flags                   uint16
}

const (
	shadowAtomic  = 1 << iota // the last write was an atomic
	shadowAtomics             // other threads' atomics came before it, unordered
	shadowReaders             // other lanes of reader's warp read at the same time
)

// shadowSites are the source lines of what a shadow tells of.
type shadowSites struct{ writer, reader, reader2 uint32 }

// A region is the shadow of one array. A unit is a power of two of bytes that
// every access so far was a multiple of and aligned to, so that the shadow is
// as exact as one of single bytes.
type region struct {
	addr  uint64
	bytes int
	unit  int
	start uint32   // of the block that used it last
	cells []shadow // of shared memory
	sites []shadowSites
	pages []pageRef // of global memory
}

// maxPages bounds the pages of a multiprocessor's blocks together; a block that
// accesses more of global memory than that between barriers forgets.
const maxPages = 2048

const pageCells = 1024

// A page is the shadow of some units of global memory.
type page struct {
	owner *region
	index int
	cells [pageCells]shadow
	sites *[pageCells]shadowSites
}

// A pageRef is a page that was an array's in the block that started at a time.
type pageRef struct {
	start uint32
	page  *page
}

// A memView is an array as the sanitizer sees it.
type memView struct {
	addr              uint64
	data              unsafe.Pointer
	size, len, offset int
	shared            bool
}

func viewMem[T any](m *Mem[T]) memView {
	var zero T
	return memView{m.addr, unsafe.Pointer(unsafe.SliceData(m.data)), int(unsafe.Sizeof(zero)), len(m.data), m.offset, m.shared != nil}
}

// region returns the shadow of an array, with units that an element is a
// multiple of.
func (s *sanitizer) region(v *memView) *region {
	unit := min(16, v.size&-v.size)
	var r *region
	if v.shared {
		for i := range s.shared {
			if s.shared[i].addr == v.addr {
				r = &s.shared[i]
				break
			}
		}
		if r == nil {
			s.shared = append(s.shared, region{addr: v.addr})
			r = &s.shared[len(s.shared)-1]
		}
		if r.start != s.start {
			for _, d := range s.block.declared {
				if uint64(d.at) == v.addr && d.bytes > 0 && d.bytes != r.bytes {
					*r = region{addr: v.addr, bytes: d.bytes} // another kernel's
				}
			}
			r.start = s.start
		}
	} else {
		r = s.last
		if r == nil || r.addr != v.addr {
			if r = s.global[v.addr]; r == nil {
				if len(s.global) >= 1<<12 {
					clear(s.global)
				}
				r = &region{addr: v.addr, bytes: v.size * v.len}
				s.global[v.addr] = r
			}
			s.last = r
		}
	}
	switch {
	case r.unit == 0:
		r.unit = unit
		n := (r.bytes + unit - 1) / unit
		if v.shared {
			r.cells = make([]shadow, n)
			if s.sites {
				r.sites = make([]shadowSites, n)
			}
		} else {
			r.pages = make([]pageRef, (n+pageCells-1)/pageCells)
		}
	case unit < r.unit:
		r.split(unit)
	}
	return r
}

// split makes the units smaller: arrays of dynamic shared memory overlap.
func (r *region) split(unit int) {
	k := r.unit / unit
	n := (r.bytes + unit - 1) / unit
	cells := make([]shadow, n)
	for i := range cells {
		cells[i] = r.cells[i/k]
	}
	r.cells, r.unit = cells, unit
	if r.sites != nil {
		sites := make([]shadowSites, n)
		for i := range sites {
			sites[i] = r.sites[i/k]
		}
		r.sites = sites
	}
}

// window returns the shadows of n units from one on if they lie together.
func (s *sanitizer) window(r *region, unit, n int) ([]shadow, []shadowSites) {
	if r.pages == nil {
		if r.sites == nil {
			return r.cells[unit : unit+n], nil
		}
		return r.cells[unit : unit+n], r.sites[unit : unit+n]
	}
	at := unit % pageCells
	if at+n > pageCells {
		return nil, nil
	}
	p := s.page(r, unit/pageCells)
	if p.sites == nil {
		return p.cells[at : at+n], nil
	}
	return p.cells[at : at+n], p.sites[at : at+n]
}

// page returns a page of an array, which it makes the array's if it is not.
func (s *sanitizer) page(r *region, i int) *page {
	ref := &r.pages[i]
	if ref.start == s.start && ref.page.owner == r && ref.page.index == i {
		return ref.page
	}
	var p *page
	switch {
	case s.pagesUsed < len(s.pages):
		p = s.pages[s.pagesUsed]
		s.pagesUsed++
	case s.pagesUsed < s.pagesLimit:
		p = new(page)
		if s.sites {
			p.sites = new([pageCells]shadowSites)
		}
		s.pages = append(s.pages, p)
		s.pagesUsed++
	default:
		s.pageTurn = (s.pageTurn + 1) % len(s.pages)
		p = s.pages[s.pageTurn]
		clear(p.cells[:])
	}
	p.owner, p.index = r, i
	*ref = pageRef{s.start, p}
	return p
}

// shadowAt returns the shadow of one unit.
func (s *sanitizer) shadowAt(r *region, unit int) (*shadow, *shadowSites) {
	c, sites := s.window(r, unit, 1)
	if sites == nil {
		return &c[0], nil
	}
	return &c[0], &sites[0]
}

// equalBytes reports whether two elements have the same bytes.
func equalBytes(a, b unsafe.Pointer, n int) bool {
	switch n {
	case 4:
		return *(*uint32)(a) == *(*uint32)(b)
	case 8:
		return *(*uint64)(a) == *(*uint64)(b)
	}
	return string(unsafe.Slice((*byte)(a), n)) == string(unsafe.Slice((*byte)(b), n))
}

// lowerTwin returns an active lane below l whose index is the same, the highest
// one, or -1.
func lowerTwin(active lane.Mask, at []int32, l int) int {
	for k := l - 1; k >= 0; k-- {
		if active.Has(k) && at[k] == at[l] {
			return k
		}
	}
	return -1
}
