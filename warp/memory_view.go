package warp

import (
	"fmt"
	"reflect"
	"unsafe"

	"example.com/warpsim/lane"
)

// ViewMem returns the array m seen as one of elements of another type, as a cast of the
// pointer does in C: the same memory at the same addresses, nothing is copied. So float32
// values are loaded four at a time, by accesses of 16 bytes, through a
// Mem[[4]float32] or a Mem of a struct with fields X, Y, Z and W. Elements at the end that make no
// whole one of D are left out. Races and undefined elements are found whichever of the
// views an access takes.
//
// The error is a *ConfigError if m begins inside of an element of D (see [Mem.At]: on
// devices, an access that is not aligned to its size fails), or where the host
// cannot read the slice as elements of D, and a *lane.TypeError if no register holds a D.
func ViewMem[D, S any](m Mem[S]) (Mem[D], error) {
	var to D
	var from S
	if err := lane.CheckType[D](); err != nil {
		return Mem[D]{}, err
	}
	size := sizeOf(to)
	refuse := func(reason string) (Mem[D], error) {
		return Mem[D]{}, &ConfigError{"view", fmt.Sprintf("%v from element %d of %v on", reflect.TypeFor[D](), m.offset, reflect.TypeFor[S]()), reason}
	}
	at := m.offset * sizeOf(from)
	if at%size != 0 {
		return refuse(fmt.Sprintf("that is byte %d, inside of an element of %d bytes: begin at a multiple", at, size))
	}
	first := unsafe.Pointer(unsafe.SliceData(m.data))
	if uintptr(first)%unsafe.Alignof(to) != 0 {
		return refuse(fmt.Sprintf("the slice is not aligned to %d bytes on this machine: make one of the wider type, and a view of that", unsafe.Alignof(to)))
	}
	var data []D
	if n := len(m.data) * sizeOf(from) / size; n > 0 {
		data = unsafe.Slice((*D)(first), n)
	}
	return Mem[D]{data: data, addr: m.addr, offset: at / size, shared: m.shared, term: m.term}, nil
}
