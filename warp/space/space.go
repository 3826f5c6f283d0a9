package space

import (
	"fmt"
	"math"
)

// A Space is global memory by address. Both functions are called for one lane after the
// other, from the lowest on, with 1, 2, 4, 8 or 16 bytes at a multiple of that, and not
// overlapping. They report false where there is nothing, which is a fault of kind
// warp.OutOfBounds then. Data must not be kept.
type Space interface {
	// Load fills data with what lies from an address on.
	Load(address uint64, data []byte) bool
	// Store puts data there.
	Store(address uint64, data []byte) bool
}

const pageBytes = 1 << 12

// Sparse is memory at all addresses that takes room, in pages of 4 KiB, where something has
// been stored; elsewhere it reads as zeros. The zero Sparse is ready. It is not safe for
// concurrent use.
type Sparse struct {
	pages map[uint64]*[pageBytes]byte
	mine  []mapped
}

type mapped struct {
	from, bytes uint64
	space       Space
}

// A MapError says why a device cannot be where it should.
type MapError struct {
	Address, Bytes uint64
	Reason         string
}

func (e *MapError) Error() string {
	return fmt.Sprintf("space: device of %d bytes at %#x: %s", e.Bytes, e.Address, e.Reason)
}

// Map lets a device answer for so many bytes from an address on: it is asked with its own
// addresses, from 0 on. Both numbers are multiples of 16, so that no access is to two. A nil
// device, no bytes, ones beyond the last address or of another device are a
// *MapError.
func (s *Sparse) Map(address, bytes uint64, device Space) error {
	bad := func(reason string) error { return &MapError{address, bytes, reason} }
	switch {
	case device == nil:
		return bad("it is nil")
	case bytes == 0 || address%16 != 0 || bytes%16 != 0:
		return bad("give multiples of 16, and some bytes")
	case bytes-1 > math.MaxUint64-address:
		return bad("it goes beyond the last address")
	}
	for _, m := range s.mine {
		if address <= m.from+(m.bytes-1) && m.from <= address+(bytes-1) {
			return bad(fmt.Sprintf("another one of %d bytes is at %#x", m.bytes, m.from))
		}
	}
	s.mine = append(s.mine, mapped{address, bytes, device})
	return nil
}

// device returns who answers for an address, and what it is to that.
func (s *Sparse) device(address uint64) (Space, uint64) {
	for _, m := range s.mine {
		if at := address - m.from; at < m.bytes {
			return m.space, at
		}
	}
	return nil, 0
}

// Load implements Space, for any number of bytes that lie in one device or in none.
func (s *Sparse) Load(address uint64, data []byte) bool {
	if d, at := s.device(address); d != nil {
		return d.Load(at, data)
	}
	for len(data) > 0 {
		n := int(min(uint64(len(data)), pageBytes-address%pageBytes))
		if p := s.pages[address/pageBytes]; p != nil {
			copy(data[:n], p[address%pageBytes:])
		} else {
			clear(data[:n])
		}
		address, data = address+uint64(n), data[n:]
	}
	return true
}

// Store implements Space, likewise.
func (s *Sparse) Store(address uint64, data []byte) bool {
	if d, at := s.device(address); d != nil {
		return d.Store(at, data)
	}
	for len(data) > 0 {
		p := s.pages[address/pageBytes]
		if p == nil {
			if s.pages == nil {
				s.pages = map[uint64]*[pageBytes]byte{}
			}
			p = new([pageBytes]byte)
			s.pages[address/pageBytes] = p
		}
		n := copy(p[address%pageBytes:], data)
		address, data = address+uint64(n), data[n:]
	}
	return true
}

// Bytes returns how much memory is taken, devices not counted.
func (s *Sparse) Bytes() int { return len(s.pages) * pageBytes }
