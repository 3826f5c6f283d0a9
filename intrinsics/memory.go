package intrinsics

import (
	"fmt"
	"math"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// An Array is an array in global memory or in the shared memory of a block.
type Array[T any] struct {
	mem warp.Mem[T]
	id  uint64 // of its memory
}

func newArray[T any](m warp.Mem[T]) *Array[T] {
	addr, shared := m.Address()
	a := &Array[T]{m, addr << 1}
	if shared {
		a.id |= 1
	}
	return a
}

// Global makes a Go slice an array of global memory of the device that e
// simulates: kernels read and write the slice itself. See warp.Global.
func Global[T any](e *warp.Engine, data []T) (*Array[T], error) {
	m, err := warp.Global(e, data)
	if err != nil {
		return nil, err
	}
	return newArray(m), nil
}

// Undefined makes an array of n elements of global memory that no value is promised
// of, as what an allocation on a device returns. See warp.Undefined.
func Undefined[T any](e *warp.Engine, n int) (*Array[T], error) {
	m, err := warp.Undefined[T](e, n)
	if err != nil {
		return nil, err
	}
	return newArray(m), nil
}

// View returns the array seen as one of elements of another type, as
// reinterpret_cast<float4*>(a) does: the same memory, nothing is copied. Errors are those
// of warp.ViewMem.
func View[D, S any](a *Array[S]) (*Array[D], error) {
	if a == nil {
		return nil, &warp.ConfigError{Field: "view", Value: "nil", Reason: "there is no array; make one with Global"}
	}
	m, err := warp.ViewMem[D](a.mem)
	if err != nil {
		return nil, err
	}
	return newArray(m), nil
}

// FromMem returns the array for an array of wide kernels, so that kernels of
// both forms work on one memory.
func FromMem[T any](m warp.Mem[T]) *Array[T] { return newArray(m) }

// Len returns the number of elements.
func (a *Array[T]) Len() int { return a.mem.Len() }

// Data returns the elements. For global memory it is the slice that was given to
// Global; reading it in a kernel is no instruction of the device.
func (a *Array[T]) Data() []T { return a.mem.Data() }

// Load returns element i. It is one instruction for all lanes that load from
// the array at this call at the same time. An index outside the array ends the
// kernel with a fault of kind warp.OutOfBounds.
func (a *Array[T]) Load(t *Thread, i int) T { return a.load(t, keyLoad, i) }

// LoadVolatile is Load, and sees what all earlier blocks have stored, as the
// load of a flag must that another block sets.
func (a *Array[T]) LoadVolatile(t *Thread, i int) T { return a.load(t, keyLoad|keyVolatile, i) }

func (a *Array[T]) load(t *Thread, k key, i int) T {
	p := cell[T](t)
	t.askOf(load[T]{}, k.sized(sizeOf[T]()), index(i), unsafe.Pointer(a), a.id)
	return *p
}

func sizeOf[T any]() uintptr {
	var zero T
	return unsafe.Sizeof(zero)
}

type load[T any] struct{}

func (load[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	idx := s.index(r.Row())
	a := (*Array[T])(lead.ptr)
	if lead.key&keyVolatile != 0 {
		warp.LoadVolatile(r, a.mem, idx)
	} else {
		warp.Load(r, a.mem, idx)
	}
	deliver(s, r)
}

// Store sets element i to v. Where several lanes of one instruction name one
// element, the highest lane wins: which one does is undefined on devices. See
// Load.
func (a *Array[T]) Store(t *Thread, i int, v T) {
	*cell[T](t) = v
	t.askOf(store[T]{}, keyStore.sized(unsafe.Sizeof(v)), index(i), unsafe.Pointer(a), a.id)
}

// StoreVolatile is Store of what other threads poll with LoadVolatile or atomics,
// as of a flag after a fence; a plain store that they meet is a race.
func (a *Array[T]) StoreVolatile(t *Thread, i int, v T) {
	*cell[T](t) = v
	t.askOf(store[T]{}, keyStore.sized(unsafe.Sizeof(v))|keyVolatile, index(i), unsafe.Pointer(a), a.id)
}

type store[T any] struct{}

func (store[T]) issue(s *scheduler, lead *Thread) {
	v := source(s, result[T](s))
	idx := s.index(v.Row())
	if m := (*Array[T])(lead.ptr).mem; lead.key&keyVolatile != 0 {
		warp.StoreVolatile(m, idx, v)
	} else {
		warp.Store(m, idx, v)
	}
	s.w.Front().Changed()
	s.w.Release(s.mark)
}

// index returns i as the engine's index type; what it cannot hold is outside
// every array.
func index(i int) int32 {
	if i < math.MinInt32 || i > math.MaxInt32 {
		return math.MinInt32
	}
	return int32(i)
}

// A declaration is an array of shared memory of the running block.
type declaration struct {
	path  uint64  // of the first call that made it, for a quick answer
	pc    uintptr // of the declaration
	count int
	array unsafe.Pointer
	any   any // the *Array
}

// dynamicCount stands for the number of elements of dynamic shared memory.
const dynamicCount = -1

// Shared declares an array of n elements in the shared memory of the block, as
// a __shared__ variable does: a call in the source stands for one array, however
// often and by however many threads it is made. n must be the same in all of
// them. The elements start out undefined, but hold zero. A type that cannot be
// in memory, and more memory than a block of the device has, end the kernel with
// a fault of kind warp.SharedMemory.
func Shared[T any](t *Thread, n int) *Array[T] {
	if n < 0 || n > math.MaxInt32 {
		t.Fail(warp.Fault{Kind: warp.SharedMemory, Detail: fmt.Sprintf("an array of %d elements", n),
			Advice: "declare as many as a block of the device has room for"})
	}
	return declare[T](t, n)
}

// Dynamic returns the dynamic shared memory of the block, as many elements as
// DynamicBytes has room for. All calls in a block return the same memory,
// whatever T is.
func Dynamic[T any](t *Thread) *Array[T] { return declare[T](t, dynamicCount) }

//go:noinline
func declare[T any](t *Thread, n int) *Array[T] {
	path := pathHash(t.base)
	for i := range t.s.shared {
		if d := &t.s.shared[i]; d.path == path {
			if a, ok := d.any.(*Array[T]); ok && d.count == n {
				return a
			}
		}
	}
	t.big[0] = path
	t.ask(shared[T]{}, keyShared, free, lane.Mask{}, operand32(n), 0)
	return (*Array[T])(t.ptr)
}

type shared[T any] struct{}

func (shared[T]) issue(s *scheduler, lead *Thread) {
	n, per := s.operand()
	if per != (warp.Reg[int32]{}) {
		s.w.Fail(warp.Fault{Kind: warp.SharedMemory, Detail: "lanes declare one array with different sizes",
			Advice: "give all threads the same size"}, nil)
	}
	pc := s.placeOf(lead).declaration()
	a := declared[T](s, pc, int(n))
	s.shared = append(s.shared, declaration{lead.big[0], pc, int(n), unsafe.Pointer(a), a})
	for l := range s.w.Active().Lanes() {
		s.threads[l].ptr = unsafe.Pointer(a)
	}
}

// declared returns the array of a declaration, which it makes if this is the
// first lane to come to it.
func declared[T any](s *scheduler, pc uintptr, n int) *Array[T] {
	for i := range s.shared {
		d := &s.shared[i]
		if d.pc != pc || n == dynamicCount {
			continue
		}
		if a, ok := d.any.(*Array[T]); ok && d.count == n {
			return a
		}
		s.w.Fail(warp.Fault{Kind: warp.SharedMemory,
			Detail: fmt.Sprintf("%d elements of an array that was declared with %d", n, d.count),
			Advice: "give all threads the same size"}, nil)
	}
	var m warp.Mem[T]
	if n == dynamicCount {
		m = warp.DynamicShared[T](s.w)
	} else {
		m = warp.Shared[T](s.w, n)
	}
	return newArray(m)
}
