package warp

import (
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/space"
)

// What follows is for fronts that keep registers of their own: they tell the
// engine what was issued, and ask it for everything that warps have in common:
// memory that is watched, barriers, the order of blocks, faults.

// Put books an instruction that the lanes of m have executed, with the registers
// and costs that in names; in.Active is counted from m. The lanes of m stay active
// until the next call, for faults. The warp's instructions are timed as they come.
func (f Front) Put(in *isa.Instr, m lane.Mask) {
	w := f.w
	w.encoded = true
	if m != w.active {
		w.setActive(m)
	}
	if bigEndian {
		w.put(uint64(in.Op)|uint64(in.Guard)<<16|uint64(in.Aux)<<24|uint64(in.Dst)<<32|uint64(in.Dst2)<<48,
			uint64(in.A)|uint64(in.B)<<16|uint64(in.C)<<32|uint64(in.Count)<<48)
		return
	}
	x := (*[2]uint64)(unsafe.Pointer(in)) // as put takes them
	w.put(x[0]&^0xff00, x[1])
}

// Fits reports whether n more instructions can be booked at once: nobody looks at each,
// and the warp neither has to pause among them nor comes to Config.MaxInstructions.
func (f Front) Fits(n int) bool { return f.w.n+n <= f.w.room }

// PutEach is Put for instructions behind each other, the faster for it where Fits finds
// room. The bits of lanes say which lanes have executed each, of warps of up to 32; an
// instruction without them is left out.
func (f Front) PutEach(in []isa.Instr, lanes []uint32) {
	w := f.w
	w.encoded = true
	in = in[:min(len(in), len(lanes))]
	if w.run.clock == nil && w.san == nil && len(in) > 0 && f.Fits(len(in)) { // nobody reads the records
		w.countLanes()
		for i := range in {
			w.laneSteps += int64(bits.OnesCount32(lanes[i]))
			w.counts[in[i].Op&(maxOps-1)]++
		}
		w.n += len(in)
		w.laneStepsAt = w.made()
		if m := (lane.Mask{Lo: uint64(lanes[len(in)-1])}); m != w.active {
			w.setActive(m)
		}
		return
	}
	for i := range in {
		f.Put(&in[i], lane.Mask{Lo: uint64(lanes[i])})
	}
}

// Abort ends the kernel of this warp, behind a fault that does not end it by
// itself but that nothing can follow.
func (f Front) Abort() { panic(abort{}) }

// Watched reports whether accesses to memory are watched: then Watch has to be
// told of each.
func (f Front) Watched() bool { return f.w.san != nil }

// An Access is an instruction on memory whose lanes name bytes.
type Access struct {
	Kind     AccessKind
	Volatile bool // a load that sees what other threads do
	Lanes    lane.Mask
	Bytes    int // a lane: 1, 2, 4, 8 or 16; each address is a multiple of it
	// At has the address of each lane, within its space.
	At *[lane.MaxLanes]uint64
	// Run says that each lane of Lanes accesses the bytes behind those of the lane
	// before, without a gap in Lanes.
	Run bool
}

// An AccessKind is what an Access does.
type AccessKind uint8

// The kinds.
const (
	LoadAccess AccessKind = iota
	StoreAccess
	AtomicAccess
)

// Watch holds an access to the array m against those before it, before it takes
// effect, and returns the lanes that read shared memory which nobody has written.
// values is what a store writes, Bytes a lane. Lanes outside the array are left
// out.
func (f Front) Watch(a *Access, m Mem[byte], values []byte) (unset lane.Mask) {
	w := f.w
	if w.san == nil || a.Lanes.Empty() {
		return lane.Mask{}
	}
	at := temp[int32](w)
	for l := range at {
		at[l] = -1
	}
	lanes := lane.Mask{}
	for l := range a.Lanes.Lanes() {
		if d := a.At[l] - m.addr; a.At[l] >= m.addr && d < uint64(len(m.data)) {
			at[l] = int32(d / uint64(a.Bytes))
			lanes = lanes.With(l)
		}
	}
	before := w.active
	w.setActive(lanes)
	defer w.setActive(before)
	w.san.volatile = a.Volatile
	defer func() { w.san.volatile = false }()
	v := memView{m.addr, unsafe.Pointer(unsafe.SliceData(m.data)), a.Bytes, len(m.data) / a.Bytes, 0, m.shared != nil}
	var p unsafe.Pointer
	if len(values) >= a.Bytes*w.lanes {
		p = unsafe.Pointer(unsafe.SliceData(values))
	}
	return w.sanitizeAccess(accessKind(a.Kind), v, at, p, false)
}

// SharedPasses returns how many passes through the banks of shared memory an
// access takes, and books those that a conflict-free one would not take, which it
// returns as well. For an atomic it is the turns that the lanes take for a word or a
// bank.
func (f Front) SharedPasses(a *Access) (passes, beyond int) {
	w := f.w
	if a.Lanes.Empty() {
		return 0, 0
	}
	if w.seen != nil {
		w.seen.access, w.seen.accessed = *a, true
	}
	banks := &w.run.engine.profile.Shared
	if a.Kind == AtomicAccess {
		turns := max(sameAddress(a), 1+w.banks.passes(banks, a.Lanes, a.At, a.Bytes)-w.servedOf(a.Lanes, groupLanes(banks, a.Bytes)))
		w.conflicts += int64(turns - 1)
		return turns, turns - 1
	}
	free := w.servedOf(a.Lanes, groupLanes(banks, a.Bytes))
	if a.Run && a.Bytes >= banks.Bytes {
		return runPasses(banks, a.Lanes, w.lanes, a.Bytes), 0
	}
	passes = w.banks.passes(banks, a.Lanes, a.At, a.Bytes)
	beyond = max(passes-free, 0)
	w.conflicts += int64(beyond)
	return passes, beyond
}

// Conflicts books passes that bank conflicts take, of an access whose passes are
// known.
func (f Front) Conflicts(beyond int) { f.w.conflicts += int64(beyond) }

// servedOf returns how many groups of neighbouring lanes have one of m, at least 1.
func (w *Warp) servedOf(m lane.Mask, group int) int {
	n := 0
	for l := 0; l < w.lanes; l += group {
		if m.Overlaps(lane.Range(l, l+group)) {
			n++
		}
	}
	return max(1, n)
}

// sameAddress returns the most lanes of an access with one address.
func sameAddress(a *Access) int {
	// A table of the addresses so far, half full at most, in which each is found
	// from where its bits say.
	const size = 2 * lane.MaxLanes
	var keys [size]uint64
	var counts [size]uint8
	most := uint8(1)
	for half, w := range [2]uint64{a.Lanes.Lo, a.Lanes.Hi} {
		for ; w != 0; w &= w - 1 {
			at := a.At[(64*half+bits.TrailingZeros64(w))&(lane.MaxLanes-1)]
			k := at / uint64(max(a.Bytes, 1)) % size
			for counts[k] != 0 && keys[k] != at {
				k = (k + 1) % size
			}
			keys[k] = at
			counts[k]++
			most = max(most, counts[k])
		}
	}
	return int(most)
}

// Timed reports whether anything asks what instructions cost: a clock, or an
// observer. Else the counts in records are of no use.
func (f Front) Timed() bool {
	return f.w.run.clock != nil || f.w.run.engine.config.Observer != nil
}

// Sectors notes the lines of global memory that an access touches, for the record
// that comes next, and returns how many sectors that is.
func (f Front) Sectors(a *Access) int {
	w := f.w
	if a.Lanes.Empty() {
		return 0
	}
	if w.seen != nil {
		w.seen.access, w.seen.accessed = *a, true
	}
	if a.Run && a.Kind != AtomicAccess {
		first := a.At[a.Lanes.First()]
		return w.runSectors(first, first+uint64(a.Bytes*a.Lanes.Count())-1, a.Kind)
	}
	return w.scatteredSectors(a.Lanes, a.At, a.Bytes, a.Kind)
}

// OrderBlocks waits until all earlier blocks have their values, before an access
// to global memory whose outcome depends on their order: an atomic, or a load of
// what other blocks store.
func (f Front) OrderBlocks() { f.w.orderBlocks() }

// OrderAccess is OrderBlocks for other accesses to global memory, which wait only
// if something has been put off.
func (f Front) OrderAccess() { f.w.orderAccess(nil) }

// A BarrierResult is what a barrier with a reduction has found.
type BarrierResult struct {
	Count    int // threads whose predicate held
	And, Or  bool
	Complete bool // false if the warp did not wait
}

// BarrierAt waits at a barrier as Barrier does, or with wait unset arrives like
// Arrive, with the record of the caller; true are the lanes whose predicate holds.
// The lanes of Put's last mask come to it.
func (f Front) BarrierAt(in *isa.Instr, m lane.Mask, id, threads int, holds lane.Mask, wait bool) BarrierResult {
	w := f.w
	if m != w.active {
		w.setActive(m)
	}
	want := w.barrierWarps(id, threads)
	w.enterBarrier(id)
	in.Aux, in.Count = uint8(id), uint16(want)
	f.Put(in, m)
	holds = holds.And(m)
	if !wait {
		if bar, complete := w.arrive(id, want, holds.Count(), holds == m, !holds.Empty()); complete {
			if w.san != nil {
				w.san.complete(id, nil)
			}
			w.block.release(bar)
		}
		return BarrierResult{}
	}
	bar := w.waitAt(id, want, holds.Count(), holds == m, !holds.Empty())
	if want == 0 {
		w.leaveBarrier(bar)
	}
	return BarrierResult{bar.resultCount, bar.resultAnd, bar.resultOr, true}
}

// MeetWarp tells the watch over memory that the lanes of m have met at a point
// that orders their accesses; FenceMemory that the warp has passed a fence.
func (f Front) MeetWarp(m lane.Mask) {
	w := f.w
	if w.san != nil {
		w.san.syncWarp(w, m)
	}
}

// FenceMemory is described at MeetWarp.
func (f Front) FenceMemory() {
	w := f.w
	if w.san != nil {
		w.san.fence(w, true)
	}
}

// SharedMemory returns shared memory of the block, n bytes that begin at address
// 0 of it: what the system keeps at its start, what the kernel declares and the
// launch's bytes together. It stands for Shared and DynamicShared, which a kernel
// that calls it must not call.
func (f Front) SharedMemory(n int) Mem[byte] {
	w := f.w
	if limit := w.run.sharedLimit + w.Device().Limits.SharedReserved; n < 0 || n > limit {
		w.raise(Fault{Kind: SharedMemory, Detail: fmt.Sprintf("%d bytes, and a block of %s has %d", n, w.Device().Name, limit),
			Advice: "use less, or another device"})
		panic(abort{})
	}
	b, d := w.block, sharedDecl{0, n, reflect.TypeFor[byte]()}
	if w.hasDynamic = true; w.sharedCount == len(b.declared) {
		b.declare(d)
	}
	w.sharedCount++
	w.sharedUsed = n
	var data []byte
	if n > 0 {
		data = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.shared))), n)
	}
	return Mem[byte]{data: data, shared: b}
}

// Bytes returns the array as bytes. Its elements must have no pointers, as those
// of any array of global memory.
func Bytes[T any](m Mem[T]) Mem[byte] {
	var zero T
	n := len(m.data) * int(unsafe.Sizeof(zero))
	b := Mem[byte]{addr: m.addr, shared: m.shared, term: m.term}
	if n > 0 {
		b.data = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.data))), n)
	}
	return b
}

// Space returns what global memory contains where no array lies, nil if nothing is there.
func (f Front) Space() space.Space { return f.w.run.engine.config.Space }

// OutOfBounds ends the kernel: the lanes of m access n bytes at an address that is
// in no array, first that of the first of them.
func (f Front) OutOfBounds(what string, m lane.Mask, first uint64, n int, where string) {
	w := f.w
	w.raise(Fault{Kind: OutOfBounds, Lanes: m,
		Detail: fmt.Sprintf("%s of %d bytes at %#x, which is in %s", what, n, first, where),
		Advice: "guard the access, pass the array that it goes to, or make that larger"})
	panic(abort{})
}

// Multiprocessor returns the number of the multiprocessor that runs the block.
func (f Front) Multiprocessor() int {
	w := f.w
	return w.group.index % w.run.engine.profile.Limits.Multiprocessors
}
