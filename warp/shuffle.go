package warp

import (
	"fmt"
	"math"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// A Shuffle says which lane each lane of a shuffle reads.
type Shuffle struct {
	Mode crossbar.Mode
	// Operand is the delta of Up and Down, the source lane of Idx, the lane
	// mask of Xor. How many of its bits count is a rule of the device.
	Operand int32
	// PerLane gives each lane an operand of its own instead.
	PerLane Reg[int32]
	// Width cuts the warp into segments: a power of two up to the warp, 0 for
	// the whole warp. Other widths are faults of kind WidthNotPowerOfTwo or
	// WidthAboveWarp; the result is undefined, or in Mimic what the chip does.
	Width int
	// RawB and RawC, if both are set, give the instruction set's own form
	// instead of all of the above but Mode: in each lane the operand, and the
	// segment and clamp fields as crossbar.RawOperand packs them.
	RawB, RawC Reg[uint32]
	// InRange, if set, receives for each lane whether it found a source in
	// range (the second result of the hardware instruction).
	InRange Pred
}

// shuffleOp returns the op of a mode: both have the same order.
func shuffleOp(m crossbar.Mode) isa.Op { return isa.ShflIdx + isa.Op(m) }

// ShflDown sets dst to the value that src has delta lanes above; lanes without
// such a lane get their own value. Like every maskless collective it is meant
// for all active lanes: reading a lane that is not active is a fault of kind
// ReadInactive, and the value undefined, or 0 where the device says so.
//
// Values of more than 32 bits take one instruction for each 32-bit word.
func ShflDown[T any](dst, src Reg[T], delta int) {
	shuffleAll(crossbar.Down, delta, dst.cell, src.cell)
}

// ShflUp sets dst to the value that src has delta lanes below; lanes without
// such a lane get their own value. See ShflDown.
func ShflUp[T any](dst, src Reg[T], delta int) {
	shuffleAll(crossbar.Up, delta, dst.cell, src.cell)
}

// ShflXor sets dst to the value that src has in the lane whose number is the
// reader's xor mask. See ShflDown.
func ShflXor[T any](dst, src Reg[T], mask int) {
	shuffleAll(crossbar.Xor, mask, dst.cell, src.cell)
}

// ShflIdx sets dst to the value that src has in lane from. See ShflDown.
func ShflIdx[T any](dst, src Reg[T], from int) {
	shuffleAll(crossbar.Idx, from, dst.cell, src.cell)
}

// Shfl is the full form of the shuffles: segments, operands per lane, the in-range
// predicate. See ShflDown.
//
// A member mask may be given, one at most. It must name the active lanes and no
// other lane that is alive: see the fault kinds that begin with Mask, and
// CallerNotInMask. Lanes outside the mask keep dst and are never sources; on devices
// where a mask must be the active lanes, any active lane is.
func Shfl[T any](dst, src Reg[T], s Shuffle, mask ...lane.Mask) {
	if len(mask) == 0 && s.simple(dst.w.lanes) {
		shuffleAll(s.Mode, int(s.Operand), dst.cell, src.cell)
		return
	}
	shuffle(dst, src, &s, dst.w.memberMask(mask), len(mask) > 0)
}

// simple reports whether a shuffle is of the whole warp, by one operand and without a
// second result: one that ShflDown and the like can do.
func (s *Shuffle) simple(lanes int) bool {
	return s.Mode <= crossbar.Xor && (s.Width == 0 || s.Width == lanes) &&
		s.PerLane.cell == nil && s.RawB.cell == nil && s.RawC.cell == nil && s.InRange == Pred{}
}

// memberMask returns the lanes that take part in a collective: those of the member
// mask, if one is given, or the active ones.
func (w *Warp) memberMask(mask []lane.Mask) lane.Mask {
	switch len(mask) {
	case 0:
		return w.active
	case 1:
		return w.members(mask[0])
	}
	w.raise(Fault{Kind: BadArgument, Lanes: w.active, Detail: fmt.Sprintf("%d member masks", len(mask)),
		Advice: "give one, or none for the active lanes"})
	return w.active
}

// members holds a member mask against the rules of the device and returns the
// lanes that take part.
func (w *Warp) members(mask lane.Mask) lane.Mask {
	if w.san != nil {
		w.san.checkMembers(w, mask)
	}
	if mask == w.active {
		return mask
	}
	passed := mask
	if !w.all.Contains(mask) {
		if !w.repeated(MaskBeyondWarp, w.active, lane.Mask{}, mask) {
			w.raise(Fault{Kind: MaskBeyondWarp, Lanes: w.active, Mask: mask,
				Detail: fmt.Sprintf("mask %s on a warp of %d lanes", mask, w.lanes),
				Advice: "use the mask of this device's width"})
		}
		mask = mask.And(w.all)
	}
	if w.notInMask(w.active.AndNot(mask), passed); !w.active.Overlaps(mask) {
		return lane.Mask{} // nobody is here whom the mask could bind to others
	}
	named := mask
	if w.run.engine.profile.Rules.Participation == device.ByMask {
		named = mask.And(w.live) // exited lanes are not waited for
	}
	if gone := named.AndNot(w.active); !gone.Empty() {
		w.absent(w.active.And(mask), gone, passed)
	}
	return mask.And(w.active)
}

// notInMask faults the lanes of out, which pass a mask that does not name them.
func (w *Warp) notInMask(out, mask lane.Mask) {
	f := Fault{Kind: CallerNotInMask, Lanes: out, Mask: mask,
		Advice: "call inside a branch that only the named lanes take, or name all lanes that call"}
	if mask.Empty() {
		f.Kind, f.Advice = MaskZero, "name the lanes that call"
	}
	if out.Empty() || w.repeated(f.Kind, out, lane.Mask{}, mask) {
		return
	}
	if !mask.Empty() {
		f.Detail = fmt.Sprintf("mask 0x%s does not name them", mask.Hex(w.lanes))
	}
	w.raise(f)
}

// absent faults the lanes of who, whose mask names others that are not active.
func (w *Warp) absent(who, gone, mask lane.Mask) {
	f := Fault{Kind: MaskAbsent, Lanes: who, Missing: gone, Mask: mask,
		Advice: "let all lanes that the mask names reach the call, or name only those that do"}
	if w.run.engine.profile.Rules.Participation != device.ByMask {
		f.Kind, f.Advice = MaskNotActive, "pass the mask of the active lanes"
	}
	if w.repeated(f.Kind, who, gone, mask) {
		return
	}
	f.Detail = fmt.Sprintf("mask 0x%s, active lanes 0x%s", mask.Hex(w.lanes), w.active.Hex(w.lanes))
	if never := gone.AndNot(w.run.liveLanes(w.id)); !never.Empty() {
		f.Detail += fmt.Sprintf("; lanes %s do not exist, as the block has %d threads", never.Ranges(), w.run.threads)
		f.Advice = "name only lanes that exist: before any has left the kernel, those are w.Live()"
	}
	w.raise(f)
}

// operand32 holds an operand to what a register has room for, so that one beyond
// it stays beyond the segment.
func operand32(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// A shuffler does any shuffle into a register, whose type it knows. Each cell has
// one, so that the functions of the common shuffles need not pass types along and
// become part of the kernel.
type shuffler interface {
	shuffle(src *cell, mode crossbar.Mode, operand int)
}

// typed is a register that knows its type: a shuffler of one pointer.
type typed[T any] struct{ *cell }

func (t typed[T]) shuffle(src *cell, mode crossbar.Mode, operand int) {
	shuffle(Reg[T]{cell: t.cell}, Reg[T]{cell: src}, &Shuffle{Mode: mode, Operand: operand32(operand)}, t.w.active, false)
}

// A shuffleForm is how the values of a kind are shuffled in a full warp.
type shuffleForm uint8

const (
	shuffleTyped  shuffleForm = iota // by a shuffler
	shufflePlain                     // by package crossbar
	shuffleVector                    // by vector instructions
	shufflePair                      // by two of them
)

// shuffleAll does a shuffle of all active lanes by one operand. The common one,
// of numbers in a full warp by an operand in range, comes first, as in binary.
func shuffleAll(mode crossbar.Mode, operand int, dst, src *cell) {
	w, form := dst.w, dst.ops.shuffle
	n, rows := w.n, int(dst.rows)
	if n+rows > w.plain || src.w != w || uint(operand) >= uint(w.lanes) || form == shuffleTyped || undefined(dst, src, src) != 0 {
		shuffleSlowly(mode, operand, dst, src)
		return
	}
	w.n = n + rows
	first, second := firstWord(shuffleOp(mode), isa.Reg(dst.id.Index())), secondWord(isa.Reg(src.id.Index()), isa.NoReg, isa.NoReg)
	if rows == 2 { // compilers move the high word first
		w.write(n, first+1<<32, second+1)
		n++
	}
	w.write(n, first, second)
	if row.Vectors && form == shufflePair {
		row.PairShuffle(dst.p, src.p, mode, operand)
		return
	}
	if row.Vectors && form == shuffleVector {
		row.VectorShuffle(dst.p, src.p, w.lanes, rows, mode, operand)
		return
	}
	shuffleRows(mode, operand, dst, src)
}

func shuffleSlowly(mode crossbar.Mode, operand int, dst, src *cell) {
	w := dst.w
	w.writable(dst)
	if !w.full || src.w != w || uint(operand) >= uint(w.lanes) || dst.kind == Words {
		dst.typed.shuffle(src, mode, operand)
		return
	}
	if w.san != nil {
		w.san.checkTree(w, mode, int32(operand), w.lanes)
	}
	shuffleRows(mode, operand, dst, src)
	if undefined(dst, src, src) != 0 || w.seen != nil {
		w.route.Shuffle(w.shuffleRule, mode, w.lanes, w.lanes, int32(operand))
		*dst.undef = w.route.MoveMask(*src.undef)
	}
	op := shuffleOp(mode)
	if dst.rows == 2 {
		w.emit(op, isa.Row(int(dst.row)+1), isa.Row(int(src.row)+1), isa.NoReg, isa.NoReg)
	}
	w.emit(op, isa.Row(int(dst.row)), isa.Row(int(src.row)), isa.NoReg, isa.NoReg)
}

// shuffleRows moves the values of a shuffle of numbers in a full warp.
func shuffleRows(mode crossbar.Mode, operand int, dst, src *cell) {
	switch dst.kind {
	case Float32, Int32, Uint32:
		crossbar.MoveWhole(lanesOf[uint32](dst), lanesOf[uint32](src), mode, operand)
	case Float64, Int64, Uint64:
		crossbar.MoveWhole(lanesOf[uint64](dst), lanesOf[uint64](src), mode, operand)
	case Int16, Uint16:
		crossbar.MoveWhole(lanesOf[uint16](dst), lanesOf[uint16](src), mode, operand)
	case Int8, Uint8:
		crossbar.MoveWhole(lanesOf[uint8](dst), lanesOf[uint8](src), mode, operand)
	}
}

// shuffle is all shuffles; passed says whether the members come from a mask that the
// kernel passed.
func shuffle[T any](dst, src Reg[T], s *Shuffle, members lane.Mask, passed bool) {
	w := dst.w
	w.sameWarp(src.w)
	w.writable(dst.cell)
	if s.Mode >= crossbar.NumModes {
		w.raise(Fault{Kind: BadInstruction, Lanes: w.active, Detail: fmt.Sprintf("shuffle %s", s.Mode),
			Advice: "use a mode of crossbar, such as crossbar.Idx"})
		panic(abort{})
	}
	width := s.Width
	badWidth := false
	if width == 0 {
		width = w.lanes
	} else if err := crossbar.Validate(w.lanes, width); err != nil {
		badWidth = true
		w.badWidth(width)
	}
	operandReg, segmentReg := isa.NoReg, isa.NoReg
	switch {
	case s.RawB.cell != nil && s.RawC.cell != nil:
		w.sameWarp(s.RawB.w)
		w.sameWarp(s.RawC.w)
		w.defined(s.RawB.cell, "shuffle operand")
		w.defined(s.RawC.cell, "shuffle segment")
		w.route.Raw(w.shuffleRule, s.Mode, w.lanes, vals(s.RawB), vals(s.RawC))
		operandReg, segmentReg = s.RawB.id, s.RawC.id
	case s.PerLane.cell != nil:
		w.sameWarp(s.PerLane.w)
		w.defined(s.PerLane.cell, "shuffle operand")
		w.route.ShuffleLanes(w.shuffleRule, s.Mode, w.lanes, width, vals(s.PerLane))
		operandReg = s.PerLane.id
	default:
		if w.san != nil {
			w.san.checkTree(w, s.Mode, s.Operand, width)
		}
		if s.Operand < 0 || int(s.Operand) >= width {
			w.operandRange(s.Mode, s.Operand, width)
		}
		w.route.Shuffle(w.shuffleRule, s.Mode, w.lanes, width, s.Operand)
	}
	followRoute(dst, src, members, passed)
	if badWidth && w.run.engine.config.Faults < Mimic {
		*dst.undef = dst.undef.Or(members)
	}
	op, p := shuffleOp(s.Mode), isa.NoReg
	if s.InRange.w != nil {
		w.sameWarp(s.InRange.w)
		w.preds[s.InRange.id] = w.preds[s.InRange.id].AndNot(members).Or(w.route.InRange().And(members))
		w.predUndef[s.InRange.id] = w.predUndef[s.InRange.id].AndNot(members)
		p = s.InRange.reg()
	}
	if dst.rows == 1 && p == isa.NoReg {
		w.emit(op, isa.Row(int(dst.row)), isa.Row(int(src.row)), operandReg, segmentReg)
		return
	}
	for i := int(dst.rows) - 1; i >= 0; i-- { // compilers move the high word first
		w.record(isa.Instr{Op: op, Dst: isa.Row(int(dst.row) + i), Dst2: p,
			A: isa.Row(int(src.row) + i), B: operandReg, C: segmentReg})
	}
}

// followRoute moves the values of the members along the warp's route, with what
// lanes get that read one which does not take part, and notes what is undefined.
func followRoute[T any](dst, src Reg[T], members lane.Mask, passed bool) {
	w := dst.w
	undef := *src.undef
	if members == w.all {
		if !undef.Empty() {
			undef = w.route.MoveMask(undef)
		}
		crossbar.Move(vals(dst), vals(src), &w.route, members)
		*dst.undef = undef
	} else {
		undef = moveInactive(dst, src, members, undef, passed)
		*dst.undef = dst.undef.AndNot(w.active).Or(undef).Or(w.active.AndNot(members))
	}
}

// moveInactive moves the values of a shuffle that not all lanes take part in
// and returns the lanes that got an undefined value. undef are the lanes of src
// that have none.
func moveInactive[T any](dst, src Reg[T], members, undef lane.Mask, passed bool) lane.Mask {
	w := dst.w
	rules := &w.run.engine.profile.Rules
	sources := members
	if rules.Participation == device.ByActive {
		sources = w.active
	}
	moved := w.route.MoveMask(undef).And(members)
	outside := members.AndNot(w.route.MoveMask(sources))
	if outside.Empty() {
		crossbar.Move(vals(dst), vals(src), &w.route, members)
		return moved
	}
	chip := rules.ChipInactive
	if rules.Inactive == device.InactiveZero {
		chip = device.ChipZero
	}
	defined := rules.Inactive == device.InactiveZero || w.run.engine.config.Faults >= Mimic && chip != device.ChipUnknown
	w.readInactive(outside, members, rules.Inactive == device.InactiveZero, passed)
	own := temp8[T](w, src, outside, chip)
	crossbar.Move(vals(dst), vals(src), &w.route, members.AndNot(outside))
	row.Blend(vals(dst), own, outside)
	moved = moved.AndNot(outside)
	switch {
	case !defined:
		return moved.Or(outside)
	case chip == device.ChipOwn:
		return moved.Or(outside.And(undef))
	}
	return moved
}

// temp8 returns what the chip gives to lanes that read a lane which does not
// take part: zero, or their own value.
func temp8[T any](w *Warp, src Reg[T], outside lane.Mask, chip device.ChipRead) []T {
	defer w.file.Release(w.file.Mark())
	t := Alloc[T](w)
	v := vals(t)
	if chip == device.ChipOwn {
		copy(v, vals(src))
	} else {
		clear(v)
	}
	return v
}

func (w *Warp) badWidth(width int) {
	f := Fault{Kind: WidthNotPowerOfTwo, Lanes: w.active, Detail: "a segment is a power of two of lanes"}
	if width > w.lanes {
		f.Kind = WidthAboveWarp
	}
	if w.repeated(f.Kind, w.active, lane.Mask{}, lane.Mask{}) {
		return
	}
	if width > w.lanes {
		f.Detail = fmt.Sprintf("the warp has %d lanes", w.lanes)
	}
	f.Detail = fmt.Sprintf("width %d: %s", width, f.Detail)
	f.Advice = fmt.Sprintf("use 1, 2, 4, ... up to %d", w.lanes)
	w.raise(f)
}

func (w *Warp) operandRange(mode crossbar.Mode, operand int32, width int) {
	if w.repeated(OperandRange, w.active, lane.Mask{}, lane.Mask{}) {
		return
	}
	w.raise(Fault{Kind: OperandRange, Lanes: w.active,
		Detail: fmt.Sprintf("%s by %d in segments of %d lanes; devices differ in what they make of it", mode, operand, width),
		Advice: fmt.Sprintf("keep the operand from 0 to %d", width-1)})
}

func (w *Warp) readInactive(outside, members lane.Mask, zero, passed bool) {
	mask := members
	if !passed {
		mask = lane.Mask{}
	}
	if w.repeated(ReadInactive, outside, lane.Mask{}, mask) {
		return
	}
	f := Fault{Kind: ReadInactive, Lanes: outside, Mask: mask,
		Detail: fmt.Sprintf("lanes 0x%s take part; the value is undefined", members.Hex(w.lanes)),
		Advice: "let the source lane take part, or do not use the value in these lanes"}
	if zero {
		f.Detail = fmt.Sprintf("lanes 0x%s take part; this device gives 0, others an undefined value", members.Hex(w.lanes))
	}
	w.raise(f)
}
