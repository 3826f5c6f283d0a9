package warp

import (
	"iter"
	bitset "sync/atomic"
	"unsafe"

	"example.com/warpsim/lane"
)

// A shadow is what the sanitizer knows of one unit of memory: its last write and
// its last reads from two warps. Threads are numbers in the block.
type shadow struct {
	written, read, read2                 uint32 // when
	writerBlock, readerBlock, read2Block uint32
	writer, reader, reader2              uint16
	flags                                uint16
	// Before the last write, if that was an atomic: the last store that was none, and
	// the last atomic of another warp. 0: none.
	plain, other             uint32
	plainBlock, otherBlock   uint32
	plainWriter, otherWriter uint16
}

const (
	shadowAtomic  = 1 << iota // the last write was an atomic
	shadowAtomics             // atomics of other threads of the block came before it, unordered
	shadowForeign             // likewise of other blocks
	shadowReaders             // other lanes of reader's warp read at the same time
)

// shadowSites are the source lines of what a shadow tells of.
type shadowSites struct{ writer, reader, reader2 uint32 }

// A region is the shadow of an array in shared memory. A unit is a power of two
// of bytes that every access so far was a multiple of and aligned to, so that the
// shadow is as exact as one of single bytes.
type region struct {
	addr  uint64
	bytes int
	unit  int
	begun uint32 // of the block that used it last
	cells []shadow
	sites []shadowSites
	tree  treeWatch
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

// region returns the shadow of an array of shared memory, with units that an
// element is a multiple of.
func (s *sanitizer) region(v *memView) *region {
	unit := min(16, v.size&-v.size)
	var r *region
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
	if r.begun != s.begun {
		for _, d := range s.block.declared {
			if uint64(d.at) == v.addr && d.bytes > 0 && d.bytes != r.bytes {
				*r = region{addr: v.addr, bytes: d.bytes} // another kernel's
			}
		}
		r.begun = s.begun
		r.tree.begin()
	}
	switch {
	case r.unit == 0:
		r.unit = unit
		n := (r.bytes + unit - 1) / unit
		r.cells = make([]shadow, n)
		if s.sites {
			r.sites = make([]shadowSites, n)
		}
	case unit < r.unit:
		r.cells, r.sites = split(r.cells, r.sites, r.unit/unit, (r.bytes+unit-1)/unit)
		r.unit = unit
	}
	return r
}

// split makes n shadows of units that are k times smaller: arrays overlap.
func split(cells []shadow, sites []shadowSites, k, n int) ([]shadow, []shadowSites) {
	fine := make([]shadow, n)
	for i := range fine {
		fine[i] = cells[i/k]
	}
	if sites == nil {
		return fine, nil
	}
	fineSites := make([]shadowSites, n)
	for i := range fineSites {
		fineSites[i] = sites[i/k]
	}
	return fine, fineSites
}

// A globalShadow is the shadow of global memory, by where the host has it, so
// that one slice is the same memory however often it is passed to Global.
type globalShadow struct {
	pages map[uintptr]*page
	near  [16]*page // some of them, by the low bits of their number
	ring  []*page
	turn  int // the next page to take away when there are no more
	cells int
}

const (
	pageBytes = 4096
	// maxGlobalCells bounds the shadow of global memory: a run that accesses
	// more forgets the oldest.
	maxGlobalCells = 1 << 20
)

// A page is the shadow of some global memory. Its units are as those of a region.
type page struct {
	number uintptr
	unit   int
	cells  []shadow
	sites  []shadowSites
}

// page returns the page of an address, with units of at most so many bytes.
func (x *watch) page(at uintptr, unit int) *page {
	n := at / pageBytes
	near := &x.global.near[n%uintptr(len(x.global.near))]
	p := *near
	if p == nil || p.number != n {
		p = x.findPage(n, unit)
		*near = p
	}
	if unit < p.unit {
		x.global.cells += pageBytes/unit - len(p.cells)
		p.cells, p.sites = split(p.cells, p.sites, p.unit/unit, pageBytes/unit)
		p.unit = unit
	}
	return p
}

func (x *watch) findPage(n uintptr, unit int) *page {
	g := &x.global
	p := g.pages[n]
	if p != nil {
		return p
	}
	if g.pages == nil {
		g.pages = map[uintptr]*page{}
	}
	if g.cells >= maxGlobalCells {
		g.turn = (g.turn + 1) % len(g.ring)
		p = g.ring[g.turn]
		delete(g.pages, p.number)
		if near := &g.near[p.number%uintptr(len(g.near))]; *near == p {
			*near = nil
		}
		clear(p.cells)
		p.number = n
	} else {
		p = &page{number: n, unit: unit, cells: make([]shadow, pageBytes/unit)}
		if x.sites {
			p.sites = make([]shadowSites, pageBytes/unit)
		}
		g.cells += pageBytes / unit
		g.ring = append(g.ring, p)
	}
	g.pages[n] = p
	return p
}

// row returns the shadows of the lanes' elements from k on if they lie together
// and each has one.
func (s *sanitizer) row(a *access, k, lanes int) ([]shadow, []shadowSites) {
	if r := a.region; r != nil {
		if a.view.size != r.unit {
			return nil, nil
		}
		if r.sites == nil {
			return r.cells[k : k+lanes], nil
		}
		return r.cells[k : k+lanes], r.sites[k : k+lanes]
	}
	from := a.base + uintptr(k*a.view.size)
	p := s.page(from, a.unit)
	at := int(from%pageBytes) / p.unit
	if a.view.size != p.unit || at+lanes > len(p.cells) {
		return nil, nil
	}
	if p.sites == nil {
		return p.cells[at : at+lanes], nil
	}
	return p.cells[at : at+lanes], p.sites[at : at+lanes]
}

// An unsetElements says what of an array that started undefined has been written, in
// units that an element is a multiple of: of 4 bytes at most, since what takes the array
// for one of another type (ViewMem) may write parts of elements.
type unsetElements struct {
	written []bitset.Uint64
	unit    int // in bytes
}

func newUnset(n, size int) *unsetElements {
	unit := min(4, size&-size)
	return &unsetElements{make([]bitset.Uint64, (n*(size/unit)+63)/64), unit}
}

// of ranges over the units of so many bytes.
func (u *unsetElements) of(from, bytes int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := from / u.unit; i*u.unit < from+bytes; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func (u *unsetElements) has(k int) bool { return u.written[k/64].Load()>>(k%64)&1 == 0 }

func (u *unsetElements) set(k int) { u.written[k/64].Or(1 << (k % 64)) }

// unsetOf returns the array's undefined elements, nil if it started defined.
func (x *watch) unsetOf(addr uint64) *unsetElements {
	u, known := x.unset[addr]
	if known {
		return u
	}
	x.engine.mu.Lock()
	u = x.engine.unset[addr]
	x.engine.mu.Unlock()
	if x.unset == nil {
		x.unset = map[uint64]*unsetElements{}
	}
	x.unset[addr] = u
	return u
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
