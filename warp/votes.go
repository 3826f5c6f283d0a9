package warp

import (
	"fmt"
	"slices"

	"example.com/warpsim/lane"
	"example.com/warpsim/vote"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// A VoteKind is a question that a vote answers for all its members alike.
type VoteKind uint8

// The votes.
const (
	VoteAll VoteKind = iota // the predicate holds in all members
	VoteAny                 // it holds in some member
	VoteUni                 // it is the same in all members; two votes on devices without
)

// Vote sets dst, in all active lanes, to the answer of a vote of the active
// lanes on p, or of those of a member mask; see Shfl for its rules.
func Vote(kind VoteKind, dst, p Pred, mask ...lane.Mask) {
	w := dst.w
	members := w.memberMask(mask)
	w.sameWarp(p.w)
	var yes bool
	switch m := w.preds[p.id]; kind {
	case VoteAny:
		yes = vote.Any(members, m)
	case VoteUni:
		yes = vote.Uni(members, m)
	case VoteAll:
		yes = vote.All(members, m)
	default:
		w.raise(Fault{Kind: BadInstruction, Lanes: w.active, Detail: fmt.Sprintf("vote %d", kind),
			Advice: "use VoteAll, VoteAny or VoteUni"})
		panic(abort{})
	}
	var result, undef lane.Mask
	if yes {
		result = members
	}
	if w.predUndef[p.id].Overlaps(members) {
		undef = members
	}
	w.preds[dst.id] = w.preds[dst.id].AndNot(members).Or(result)
	w.predUndef[dst.id] = w.predUndef[dst.id].AndNot(members).Or(undef)
	if kind == VoteUni && !w.Device().Rules.VoteUniform {
		// All or none: two votes, and what combines them.
		t := isa.Predicate(hiddenPred)
		w.emit(isa.Vote, t, p.reg(), isa.NoReg, isa.NoReg)
		w.emit(isa.Vote, dst.reg(), p.reg(), isa.NoReg, isa.NoReg)
		w.emit(isa.Logic, dst.reg(), dst.reg(), t, isa.NoReg)
		return
	}
	w.emit(isa.Vote, dst.reg(), p.reg(), isa.NoReg, isa.NoReg)
}

// Any reports whether p holds in some active lane, for Go code that goes on as
// the whole warp would: a vote and the branch on it.
func (w *Warp) Any(p Pred) bool { return w.decide(VoteAny, p) }

// All reports whether p holds in all active lanes, see Any.
func (w *Warp) All(p Pred) bool { return w.decide(VoteAll, p) }

func (w *Warp) decide(kind VoteKind, p Pred) bool {
	m := w.branchMask(p, "predicate of a vote that decides a branch")
	yes := vote.Any(w.active, m)
	if kind == VoteAll {
		yes = vote.All(w.active, m)
	}
	w.emit(isa.Vote, isa.Predicate(hiddenPred), p.reg(), isa.NoReg, isa.NoReg)
	taken := lane.Mask{}
	if !yes {
		taken = w.active
	}
	w.branch(isa.Predicate(hiddenPred), taken)
	return yes
}

// Ballot sets dst to the active lanes in which p holds, or to those of a member
// mask; see Shfl for its rules.
func Ballot(dst MaskReg, p Pred, mask ...lane.Mask) {
	w := dst.w
	members := w.memberMask(mask)
	w.sameWarp(p.w)
	w.takeBallot(dst, p, members)
	w.emit(isa.Ballot, dst.reg(), p.reg(), isa.NoReg, isa.NoReg)
}

// takeBallot is the value of a ballot.
func (w *Warp) takeBallot(dst MaskReg, p Pred, members lane.Mask) {
	w.definedPred(p, "predicate of a ballot", members)
	w.uniform[dst.id] = vote.Ballot(members, w.preds[p.id])
}

// definedPred raises a fault if a predicate is undefined in one of the lanes.
func (w *Warp) definedPred(p Pred, what string, lanes lane.Mask) {
	if u := w.predUndef[p.id].And(lanes); !u.Empty() && !w.repeated(UndefinedUse, u, lane.Mask{}, lane.Mask{}) {
		w.raise(Fault{Kind: UndefinedUse, Lanes: u, Detail: "undefined " + what,
			Advice: "compare defined values in all lanes that vote"})
	}
}

// ActiveMask sets dst to the active lanes: on devices that run the lanes of a
// warp apart from each other only a snapshot, and no way to find out who takes
// part.
func ActiveMask(dst MaskReg) {
	dst.w.snapshot(dst)
	dst.w.emit(isa.Ballot, dst.reg(), isa.NoReg, isa.NoReg, isa.NoReg)
}

// snapshot is the value of ActiveMask.
func (w *Warp) snapshot(dst MaskReg) {
	w.uniform[dst.id] = w.active
	if w.san != nil {
		w.san.noteSnapshot(w, dst.id)
	}
}

// SetMask puts a constant set of lanes into dst.
func SetMask(dst MaskReg, m lane.Mask) {
	dst.w.uniform[dst.id] = m
	dst.w.emit(isa.UniformMov, dst.reg(), isa.NoReg, isa.NoReg, isa.NoReg)
}

// CountMask sets dst to the number of lanes in m.
func CountMask(dst Reg[int32], m MaskReg) {
	w := dst.w
	w.sameWarp(m.w)
	w.perLane(dst, func(int) int32 { return int32(w.uniform[m.id].Count()) })
	w.emit(isa.Popc, dst.id, m.reg(), isa.NoReg, isa.NoReg)
}

// FirstInMask sets dst to the lowest lane of m, -1 if m is empty: bits reversed
// and a search for the highest one, per 32 lanes.
func FirstInMask(dst Reg[int32], m MaskReg) { searchMask(dst, m, lane.Mask.First, &seqFfs) }

// LastInMask sets dst to the highest lane of m, -1 if m is empty: a search for the
// highest bit, per 32 lanes.
func LastInMask(dst Reg[int32], m MaskReg) { searchMask(dst, m, lane.Mask.Last, &seqClz) }

func searchMask(dst Reg[int32], m MaskReg, find func(lane.Mask) int, seq *sequences) {
	w := dst.w
	w.sameWarp(m.w)
	w.perLane(dst, func(int) int32 { return int32(find(w.uniform[m.id])) })
	kind := Uint32
	if w.lanes > 32 {
		kind = Uint64
	}
	w.emitSeq(seq[kind], dst.id, m.reg(), isa.NoReg, isa.NoReg)
}

// Rank sets dst, in each active lane, to the number of lanes of m below it:
// where the lane's value goes when the lanes of m are packed together. It is a
// logic instruction and a population count, as lanemask_lt is at hand.
func Rank(dst Reg[int32], m MaskReg) {
	w := dst.w
	w.sameWarp(m.w)
	t := temp[int32](w)
	vote.Ranks(t, w.uniform[m.id])
	row.Blend(vals(dst), t, w.active)
	w.setDefined(dst.cell)
	w.emit(isa.Logic, dst.id, m.reg(), isa.NoReg, isa.NoReg)
	w.emit(isa.Popc, dst.id, dst.id, isa.NoReg, isa.NoReg)
}

// InMask sets dst, in each active lane, to whether m names it.
func InMask(dst Pred, m MaskReg) {
	w := dst.w
	w.sameWarp(m.w)
	w.preds[dst.id] = w.preds[dst.id].AndNot(w.active).Or(w.uniform[m.id].And(w.active))
	w.predUndef[dst.id] = w.predUndef[dst.id].AndNot(w.active)
	w.emit(isa.Logic, dst.reg(), m.reg(), isa.NoReg, isa.NoReg)
}

// perLane sets the active lanes of dst to f(lane), defined.
func (w *Warp) perLane(dst Reg[int32], f func(l int) int32) {
	d := vals(dst)
	for l := range w.active.Lanes() {
		d[l] = f(l)
	}
	w.setDefined(dst.cell)
}

// MatchAny sets dst, in each active lane, to the active lanes, or those of a member
// mask (see Shfl for its rules), that hold the same value of src. Its time depends on how many different values there are.
// A device without it ends the kernel with a fault of kind Unsupported.
func MatchAny[T Integer](dst Reg[lane.Mask], src Reg[T], mask ...lane.Mask) {
	w := dst.w
	members := w.memberMask(mask)
	w.sameWarp(src.w)
	w.needMatch()
	w.defined(src.cell, "value of a match")
	n := vote.MatchAny(vals(dst), members, vals(src))
	w.writable(dst.cell)
	*dst.undef = dst.undef.AndNot(members)
	w.record(isa.Instr{Op: isa.MatchAny, Dst: dst.id, A: src.id, Count: uint16(n)})
}

// MatchAll sets dst to the active lanes, and p to true, if all of them hold the
// same value of src; to the empty set and false if not. With a member mask it is
// among its lanes; see Shfl for its rules.
func MatchAll[T Integer](dst MaskReg, p Pred, src Reg[T], mask ...lane.Mask) {
	w := dst.w
	members := w.memberMask(mask)
	w.sameWarp(src.w)
	w.sameWarp(p.w)
	w.needMatch()
	w.defined(src.cell, "value of a match")
	m, all := vote.MatchAll(members, vals(src))
	w.uniform[dst.id] = m
	w.preds[p.id] = w.preds[p.id].AndNot(members)
	if all {
		w.preds[p.id] = w.preds[p.id].Or(members)
	}
	w.predUndef[p.id] = w.predUndef[p.id].AndNot(members)
	w.record(isa.Instr{Op: isa.MatchAll, Dst: dst.reg(), Dst2: p.reg(), A: src.id, Count: 1})
}

func (w *Warp) needMatch() {
	if !w.Device().Rules.Match {
		w.raise(Fault{Kind: Unsupported, Detail: w.Device().Name + " has no match instruction",
			Advice: "compare with shuffled values, or take a ballot of each bit"})
		panic(abort{})
	}
}

// Elect sets dst to true in one active lane, the lowest, and to false in the
// others. Devices without such an instruction take a ballot and a compare.
func Elect(dst Pred) {
	w := dst.w
	leader := lane.Mask{}
	if l := vote.Elect(w.active); l >= 0 {
		leader = lane.Bit(l)
	}
	w.preds[dst.id] = w.preds[dst.id].AndNot(w.active).Or(leader)
	w.predUndef[dst.id] = w.predUndef[dst.id].AndNot(w.active)
	if w.Device().Rules.Elect {
		w.emit(isa.Elect, dst.reg(), isa.NoReg, isa.NoReg, isa.NoReg)
		return
	}
	u := isa.Uniform(hiddenUniform)
	w.emit(isa.Ballot, u, isa.NoReg, isa.NoReg, isa.NoReg)
	w.emit(isa.Logic, dst.reg(), u, isa.NoReg, isa.NoReg)
}

// A ReduxOp is an operation that devices reduce with in hardware.
type ReduxOp uint8

// The reductions.
const (
	ReduxAdd ReduxOp = iota
	ReduxMin
	ReduxMax
	ReduxAnd
	ReduxOr
	ReduxXor
)

var reduxNames = [...]string{"add", "min", "max", "and", "or", "xor"}

// String returns the operation's name, such as "add".
func (o ReduxOp) String() string {
	if int(o) < len(reduxNames) {
		return reduxNames[o]
	}
	return fmt.Sprintf("redux(%d)", uint8(o))
}

// HasRedux reports whether the device of w reduces registers of type T in
// hardware.
func HasRedux[T Integer](w *Warp, op ReduxOp) bool {
	var zero T
	return slices.Contains(w.Device().Rules.Redux, reduxName(op, kindOf[T](), sizeOf(zero)))
}

// reduxName returns how profiles name a reduction.
func reduxName(op ReduxOp, k Kind, bytes int) string {
	typ := k.String()
	if op >= ReduxAnd {
		typ = "b" + typ[1:]
	}
	if bytes < 4 {
		typ = fmt.Sprintf("%s of %d bytes", typ, bytes)
	}
	return typ + "." + op.String()
}

// Redux sets dst, in all active lanes, to the reduction of src over the active
// lanes, or over those of a member mask; see Shfl for its rules. Sums wrap. A type or operation that the device does not reduce in
// hardware ends the kernel with a fault of kind Unsupported.
func Redux[T Integer](op ReduxOp, dst, src Reg[T], mask ...lane.Mask) {
	w := dst.w
	members := w.memberMask(mask)
	w.sameWarp(src.w)
	r := reduce(op, src, members)
	d := vals(dst)
	for l := range members.Lanes() {
		d[l] = r
	}
	undef := lane.Mask{}
	if src.undef.Overlaps(members) {
		undef = members
	}
	w.writable(dst.cell)
	*dst.undef = dst.undef.AndNot(members).Or(undef)
	u := isa.Uniform(hiddenUniform)
	w.emit(isa.Redux, u, src.id, isa.NoReg, isa.NoReg)
	w.emit(isa.UniformToReg, dst.id, u, isa.NoReg, isa.NoReg)
}

// reduce returns the reduction of src over members, if the device has it.
func reduce[T Integer](op ReduxOp, src Reg[T], members lane.Mask) (r T) {
	w := src.w
	var zero T
	if sizeOf(zero) != 4 || op > ReduxXor || !slices.Contains(w.Device().Rules.Redux, reduxKeys[src.kind>>2&1][op]) {
		w.raise(Fault{Kind: Unsupported, Lanes: members,
			Detail: fmt.Sprintf("%s has no hardware reduction %s", w.Device().Name, reduxName(op, src.kind, sizeOf(zero))),
			Advice: "reduce with shuffles"})
		panic(abort{})
	}
	switch x := vals(src); op {
	case ReduxAdd:
		r = vote.Add(members, x)
	case ReduxMin:
		r = vote.Min(members, x)
	case ReduxMax:
		r = vote.Max(members, x)
	case ReduxAnd:
		r = vote.And(members, x)
	case ReduxOr:
		r = vote.Or(members, x)
	case ReduxXor:
		r = vote.Xor(members, x)
	}
	return r
}

// reduxKeys are the profile's names of the reductions of signed and unsigned
// words.
var reduxKeys = [2][6]string{
	{"i32.add", "i32.min", "i32.max", "b32.and", "b32.or", "b32.xor"},
	{"u32.add", "u32.min", "u32.max", "b32.and", "b32.or", "b32.xor"},
}
