package warp

import (
	"reflect"
	"strings"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// A Front is what a program needs of a warp that brings its own way to write
// kernels, as a front of scalar threads or a decoder of instruction listings does:
// which lanes run, whose turn it is, where the kernel stands, what a register
// holds. Kernels have no use for it.
//
// A front that computes values itself puts them into [Reg.Lanes] and says so with
// [Reg.Define], [Pred.Define] and [MaskReg.Define]; it ends a run with [Warp.Fail]
// or [Warp.Cancel]. Unlike the rest of the package, Front may change in any
// version.
type Front struct{ w *Warp }

// Front returns the warp's handle for fronts.
func (w *Warp) Front() Front { return Front{w} }

// Kept returns what a front keeps with the engine for all launches, such as what it has
// found out about the code of kernels: what is there under the key, or else what make
// returns, from then on. The key is a value of a type of the front's own. Launches side by
// side get the same. Nothing is kept for a nil engine, or a key that cannot be compared.
func (e *Engine) Kept(key any, make func() any) any {
	if make == nil {
		return nil
	}
	if e == nil || key == nil || !reflect.TypeOf(key).Comparable() {
		return make()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	v, ok := e.kept[key]
	if !ok {
		if v = make(); e.kept == nil {
			e.kept = map[any]any{}
		}
		e.kept[key] = v
	}
	return v
}

// Activate makes exactly the live lanes of m active, at no cost, until the next
// call: Warp.Under for a front whose kernel is no nest of functions.
func (f Front) Activate(m lane.Mask) { f.w.setActive(m.And(f.w.live)) }

// Exit ends the kernel for the lanes of m, at no cost.
func (f Front) Exit(m lane.Mask) {
	f.w.live = f.w.live.AndNot(m)
	f.w.restore(f.w.active)
}

// Members holds a member mask against the active lanes, as Shfl does, and
// returns the lanes that take part.
func (f Front) Members(mask lane.Mask) lane.Mask { return f.w.members(mask) }

// Repeated counts a fault of a kind, at this place and with this mask, that has
// been noted before, and reports whether it was, or whether none is to be noted: then
// there is no need to make it up. Unlike noting one it does not allocate.
func (f Front) Repeated(kind FaultKind, lanes, missing, mask lane.Mask) bool {
	return f.w.repeated(kind, lanes, missing, mask)
}

// NotInMask faults the lanes of out, which pass a mask that does not name them.
func (f Front) NotInMask(out, mask lane.Mask) { f.w.notInMask(out, mask) }

// Absent faults the lanes of who, which pass a mask that names lanes which are not
// active, or do not pass it.
func (f Front) Absent(who, gone, mask lane.Mask) { f.w.absent(who, gone, mask) }

// Room returns how many more instructions the warp takes before it may have to
// let the other warps catch up, which happens on the warp's own stack only.
func (f Front) Room() int { return len(f.w.buf) - f.w.n }

// SetLocator makes where say where in the kernel the warp is, for kernels that do
// not run on the warp's stack. nil takes it away; so does the end of the kernel.
func (f Front) SetLocator(where func() Site) { f.w.locator = where }

// SetWords replaces names in the advice of faults by those of the front, until the end
// of the kernel; nil leaves them. The values of such a front become variables of Go.
func (f Front) SetWords(names *strings.Replacer) { f.w.frontWords = names }

// Explored reports whether Config.Seed chooses the schedule.
func (f Front) Explored() bool { return f.w.group.explorer != nil }

// Choose returns a number from 0 to n-1 that picks one of n legal ways to go on:
// 0 if Config.Seed is not set.
func (f Front) Choose(n int) int {
	if x := f.w.group.explorer; x != nil && n > 1 {
		return x.rng.IntN(n)
	}
	return 0
}

// NoteLanes adds to the schedule that lanes of the warp go on at a place.
func (f Front) NoteLanes(m lane.Mask, at Site) {
	if x := f.w.group.explorer; x != nil {
		x.note(ScheduleStep{Block: f.w.block.index, Warp: f.w.id, Until: "lanes", Lanes: m, Site: at})
	}
}

// Words returns the 32-bit words, one a lane, of a row of the register file that
// an instruction record names: of the lower row for a pair. For other registers
// it is nil. It is for observers, too, who know registers by record only; the
// slice aliases the register file and must not be kept or written.
func (f Front) Words(r isa.Reg) []uint32 {
	if own := f.w.registers; own != nil {
		return own(r)
	}
	return f.w.words(r)
}

func (w *Warp) words(r isa.Reg) []uint32 {
	if r == isa.NoReg || r.IsPredicate() || r.IsUniform() {
		return nil
	}
	row := r.Index() - 1
	if row < 0 || row >= w.file.Rows() {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Add(w.base, row*w.rowBytes)), w.lanes)
}

// SetLeft notes how the threads of the warp, which ends, have left the kernel, for the
// functions of SetJudge.
func (f Front) SetLeft(how any) { f.w.left = how }

// SetJudge makes judge say whether threads of another warp of the block, which has
// ended and left so much, have gone past the barrier that this one is at, and whether
// that is known. nil takes it away; so does the end of the kernel.
func (f Front) SetJudge(judge func(how any) (past, known bool)) { f.w.judge = judge }

// Passed says of lanes that have left the kernel that they never came to the block
// barrier that is about to be issued: past have gone on behind it, idle have done
// nothing at all.
func (f Front) Passed(past, idle lane.Mask) {
	f.w.passed = past
	if f.w.san != nil && f.w.san.check {
		f.w.passed = past.Or(idle)
	}
}
