package warp

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// Every function here is the operation of all active lanes at once. Inactive
// lanes of dst keep their value. dst may be an operand. A lane of dst is
// undefined if the lane of an operand is. Registers of different warps end the
// kernel with a fault of kind WrongWarp.
//
// What an operation costs is the sequence of 32-bit instructions that compilers
// turn it into: one for 32 bits and less, two for 64-bit additions and logic
// (with a carry), more where sequences says so.

// sequences gives the instructions of each binary operation by kind of
// register: operations of up to 32 bits, of 64-bit integers, floats, doubles.
var (
	seqAdd = byKind(sequence(isa.IAdd), chain(isa.IAdd, isa.IAdd), sequence(isa.FAdd), sequence(isa.DAdd))
	seqMul = byKind(sequence(isa.IMul), chain(isa.IMul, isa.IMul, isa.IMul), sequence(isa.FMul), sequence(isa.DMul))
	seqMin = byKind(sequence(isa.IMinMax), chain(isa.ICmp, isa.ICmp, isa.Select, isa.Select), sequence(isa.FMinMax), chain(isa.DCmp, isa.Select, isa.Select))
	seqMad = byKind(sequence(isa.IMul), chain(isa.IMul, isa.IMul, isa.IMul), chain(isa.FMul, isa.FAdd), chain(isa.DMul, isa.DAdd))
	seqNeg = byKind(sequence(isa.IAdd), chain(isa.IAdd, isa.IAdd), sequence(isa.FAdd), sequence(isa.DAdd))
	seqAbs = byKind(sequence(isa.IMinMax), chain(isa.ICmp, isa.IAdd, isa.IAdd, isa.Select), sequence(isa.FAdd), sequence(isa.DAdd))

	seqLogic = intKinds(sequence(isa.Logic), chain(isa.Logic, isa.Logic))
	seqShift = intKinds(sequence(isa.Shift), chain(isa.Shift, isa.Shift))
	seqPopc  = intKinds(sequence(isa.Popc), chain(isa.Popc, isa.Popc, isa.IAdd))
	seqBrev  = intKinds(sequence(isa.Brev), chain(isa.Brev, isa.Brev))
	seqClz   = intKinds(sequence(isa.Clz), chain(isa.Clz, isa.Clz, isa.Select))
	seqFfs   = intKinds(chain(isa.Brev, isa.Clz), chain(isa.Brev, isa.Clz, isa.Clz, isa.Select))

	seqCmp = byKind(sequence(isa.ICmp), chain(isa.ICmp, isa.ICmp), sequence(isa.FCmp), sequence(isa.DCmp))
)

func byKind(word, long, float, double sequence) sequences {
	return sequences{
		Int8: word, Int16: word, Int32: word, Int64: long,
		Uint8: word, Uint16: word, Uint32: word, Uint64: long,
		Float32: float, Float64: double,
	}
}

func intKinds(word, long sequence) sequences {
	return byKind(word, long, word, long)
}

// kindOps is what the engine does for registers of one kind.
type kindOps struct {
	binary  [16]binaryOp // by row.BinaryOp
	shuffle shuffleForm
}

// A binaryOp is how a binary operation is done and what it costs. One that a kind
// does not have costs and does nothing: a register can become another kind under
// the hands of who has it, see View.
type binaryOp struct {
	seq    sequence
	vector row.VectorOp // 0: none
	pure   uint8        // Aux of the record if it is one, see isa.Instr
}

var sequencesOf = [...]*sequences{
	row.Add: &seqAdd, row.Sub: &seqAdd, row.Mul: &seqMul, row.Min: &seqMin, row.Max: &seqMin,
	row.And: &seqLogic, row.Or: &seqLogic, row.Xor: &seqLogic, row.AndNot: &seqLogic, row.Shl: &seqShift, row.Shr: &seqShift,
	row.ShlCut: &seqShift, row.ShrCut: &seqShift,
}

// opsOf returns the operations of a kind on warps of a number of lanes.
func opsOf(k Kind, lanes int) (o kindOps) {
	if k == Words {
		return o
	}
	for op, seq := range sequencesOf {
		o.binary[op] = binaryOp{seq[k], row.VectorOpOf(row.Elem(k), row.BinaryOp(op), lanes), pure(op, k)}
	}
	switch e := row.Elem(k); {
	case row.PairShuffles(e, lanes):
		o.shuffle = shufflePair
	case row.VectorShuffles(e, lanes):
		o.shuffle = shuffleVector
	default:
		o.shuffle = shufflePlain
	}
	return o
}

// pure numbers an operation on registers of a kind, for Aux of records.
func pure(op int, k Kind) uint8 { return uint8(1 + op*int(numKinds) + int(k)) }

// binary runs one of package row's operations on numbers or integers.
//
// What most instructions are, one record of defined operands with room for it,
// comes first and has nothing to do after the loop over the lanes.
func binary(op row.BinaryOp, dst, a, b *cell) {
	w, o := dst.w, dst.ops.binary[op&15]
	n := w.n
	if n >= w.room || a.w != w || b.w != w || o.seq-1 >= maxOps || undefined(dst, a, b) != 0 {
		binarySlowly(op, dst, a, b)
		return
	}
	w.n = n + 1
	w.write(n, uint64(o.seq)|uint64(o.pure)<<24|uint64(dst.id)<<32, secondWord(a.id, b.id, isa.NoReg))
	if row.Vectors && o.vector != 0 && w.full {
		row.VectorBinary(o.vector, dst.p, a.p, b.p, int(dst.bytes), nil)
		return
	}
	binaryRows(op, dst, a.p, b.p)
}

func binarySlowly(op row.BinaryOp, dst, a, b *cell) {
	w := dst.w
	w.writable(dst)
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	binaryRows(op, dst, a.p, b.p)
	undef2(dst, a, b)
	w.emitPure(dst.ops.binary[op].seq, dst.ops.binary[op].pure, dst.id, a.id, b.id)
}

// binaryRows does the values of a binary operation on the rows at a and b.
func binaryRows(op row.BinaryOp, dst *cell, a, b unsafe.Pointer) {
	if v := dst.ops.binary[op].vector; row.Vectors && v != 0 {
		row.VectorBinary(v, dst.p, a, b, int(dst.bytes), &dst.w.active)
		return
	}
	switch dst.kind {
	case Float32:
		binaryFloat[float32](op, dst, a, b)
	case Float64:
		binaryFloat[float64](op, dst, a, b)
	case Int32:
		binaryInt[int32](op, dst, a, b)
	case Uint32:
		binaryInt[uint32](op, dst, a, b)
	case Int64:
		binaryInt[int64](op, dst, a, b)
	case Uint64:
		binaryInt[uint64](op, dst, a, b)
	case Int8:
		binaryInt[int8](op, dst, a, b)
	case Uint8:
		binaryInt[uint8](op, dst, a, b)
	case Int16:
		binaryInt[int16](op, dst, a, b)
	case Uint16:
		binaryInt[uint16](op, dst, a, b)
	}
}

func binaryFloat[T float32 | float64](op row.BinaryOp, dst *cell, a, b unsafe.Pointer) {
	w := dst.w
	d, x, y := lanesOf[T](dst), unsafe.Slice((*T)(a), w.lanes), unsafe.Slice((*T)(b), w.lanes)
	if w.full {
		row.Binary(op, d, x, y)
		return
	}
	t := temp[T](w)
	row.Binary(op, t, x, y)
	row.Blend(d, t, w.active)
}

func binaryInt[T Integer](op row.BinaryOp, dst *cell, a, b unsafe.Pointer) {
	w := dst.w
	d, x, y := lanesOf[T](dst), unsafe.Slice((*T)(a), w.lanes), unsafe.Slice((*T)(b), w.lanes)
	t := d
	if !w.full {
		t = temp[T](w)
	}
	if op < row.And {
		row.Binary(op, t, x, y)
	} else {
		row.BinaryInt(op, t, x, y)
	}
	if !w.full {
		row.Blend(d, t, w.active)
	}
}

// undefined has a bit set for every lane that is undefined in one of three
// registers; which, does not matter.
func undefined(dst, a, b *cell) uint64 {
	return a.undef.Lo | a.undef.Hi | b.undef.Lo | b.undef.Hi | dst.undef.Lo | dst.undef.Hi
}

// undef2 spreads the undefined lanes of two operands to the result.
func undef2(dst, a, b *cell) {
	dst.w.writable(dst)
	x, y, d := a.undef, b.undef, dst.undef
	lo, hi := x.Lo|y.Lo, x.Hi|y.Hi
	if lo|hi|d.Lo|d.Hi == 0 {
		return
	}
	if w := dst.w; !w.full {
		lo = d.Lo&^w.active.Lo | lo&w.active.Lo
		hi = d.Hi&^w.active.Hi | hi&w.active.Hi
	}
	d.Lo, d.Hi = lo, hi
}

// Add sets dst to a + b. Integers wrap.
func Add[T Number](dst, a, b Reg[T]) { binary(row.Add, dst.cell, a.cell, b.cell) }

// Sub sets dst to a - b. Integers wrap.
func Sub[T Number](dst, a, b Reg[T]) { binary(row.Sub, dst.cell, a.cell, b.cell) }

// Mul sets dst to a * b. Integers wrap.
func Mul[T Number](dst, a, b Reg[T]) { binary(row.Mul, dst.cell, a.cell, b.cell) }

// Min sets dst to the smaller of a and b: the other operand for a NaN, and -0
// is below +0.
func Min[T Number](dst, a, b Reg[T]) { binary(row.Min, dst.cell, a.cell, b.cell) }

// Max sets dst to the larger of a and b: the other operand for a NaN, and -0
// is below +0.
func Max[T Number](dst, a, b Reg[T]) { binary(row.Max, dst.cell, a.cell, b.cell) }

// And sets dst to the bitwise and of a and b.
func And[T Integer](dst, a, b Reg[T]) { binary(row.And, dst.cell, a.cell, b.cell) }

// Or sets dst to the bitwise or of a and b.
func Or[T Integer](dst, a, b Reg[T]) { binary(row.Or, dst.cell, a.cell, b.cell) }

// Xor sets dst to the bitwise exclusive or of a and b.
func Xor[T Integer](dst, a, b Reg[T]) { binary(row.Xor, dst.cell, a.cell, b.cell) }

// AndNot sets dst to the bits of a that are not in b.
func AndNot[T Integer](dst, a, b Reg[T]) { binary(row.AndNot, dst.cell, a.cell, b.cell) }

// Shl sets dst to a shifted left by b. What a count does that is negative, or the
// type's width or more, is a rule of the device (device.Rules.ShiftCounts): it
// gives 0, or its low bits count.
func Shl[T Integer](dst, a, b Reg[T]) {
	if w := dst.w; w.san != nil && b.w == w {
		w.san.checkShift(w, b.cell)
	}
	binary(dst.w.shl, dst.cell, a.cell, b.cell)
}

// Shr sets dst to a shifted right by b, with copies of the sign bit for signed
// types. A count that is negative, or the type's width or more, shifts all bits
// out, or its low bits count: see Shl.
func Shr[T Integer](dst, a, b Reg[T]) {
	if w := dst.w; w.san != nil && b.w == w {
		w.san.checkShift(w, b.cell)
	}
	binary(dst.w.shr, dst.cell, a.cell, b.cell)
}

// constant returns a constant as an operand. It costs no instruction, as it is part
// of the one that uses it. It has no place in the register file; if the one before
// was the same, its row is left as it is.
func constant[T Number](w *Warp, k Kind, v T) *cell {
	c, t := &w.constant, view[T](&w.scratch2, w.lanes)
	if c.kind != k || t[0] != v || v == 0 && k >= Float32 {
		c.kind = k
		row.Fill(t, v)
		c.id = constantName(v)
	}
	return c
}

// constantName names a constant in records.
func constantName[T any](v T) isa.Reg {
	var bits [2]uint64
	if unsafe.Sizeof(v) > unsafe.Sizeof(bits) {
		return isa.NoReg
	}
	*(*T)(unsafe.Pointer(&bits)) = v
	return isa.Constant(bits[0] ^ bits[1]<<1)
}

// temp returns a row that holds nothing anybody needs.
func temp[T any](w *Warp) []T { return view[T](&w.scratch, w.lanes) }

// AddImm sets dst to a + c.
func AddImm[T Number](dst, a Reg[T], c T) {
	binary(row.Add, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// MulImm sets dst to a * c.
func MulImm[T Number](dst, a Reg[T], c T) {
	binary(row.Mul, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// AndImm sets dst to the bitwise and of a and c.
func AndImm[T Integer](dst, a Reg[T], c T) {
	binary(row.And, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// OrImm sets dst to the bitwise or of a and c.
func OrImm[T Integer](dst, a Reg[T], c T) {
	binary(row.Or, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// XorImm sets dst to the bitwise exclusive or of a and c.
func XorImm[T Integer](dst, a Reg[T], c T) {
	binary(row.Xor, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// ShlImm sets dst to a shifted left by c, see Shl.
func ShlImm[T Integer](dst, a Reg[T], c T) {
	if w := dst.w; w.san != nil {
		w.san.checkShiftBy(w, int64(c), dst.kind)
	}
	binary(dst.w.shl, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// ShrImm sets dst to a shifted right by c, see Shr.
func ShrImm[T Integer](dst, a Reg[T], c T) {
	if w := dst.w; w.san != nil {
		w.san.checkShiftBy(w, int64(c), dst.kind)
	}
	binary(dst.w.shr, dst.cell, a.cell, constant(dst.w, dst.kind, c))
}

// MulAdd sets dst to a*b + c, the product rounded before the sum: integers take
// one instruction, floats two. FMA is the fused form.
func MulAdd[T Number](dst, a, b, c Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	w.sameWarp(c.w)
	t := temp[T](w)
	row.MulAdd(t, vals(a), vals(b), vals(c))
	u := a.undef.Or(*b.undef).Or(*c.undef)
	w.written(dst.cell, u)
	row.Blend(vals(dst), t, w.active)
	w.emitSeq(seqMad[dst.kind], dst.id, a.id, b.id, c.id)
}

// written books that the active lanes of a register were written, those of undef
// with undefined values.
func (w *Warp) written(c *cell, undef lane.Mask) {
	w.writable(c)
	*c.undef = c.undef.AndNot(w.active).Or(undef.And(w.active))
}

func unary[T Number](op row.UnaryOp, seq *sequences, dst, a Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	t := temp[T](w)
	row.Unary(op, t, vals(a))
	row.Blend(vals(dst), t, w.active)
	w.written(dst.cell, *a.undef)
	w.emitSeq(seq[dst.kind&15], dst.id, a.id, isa.NoReg, isa.NoReg)
}

func unaryInt[T Integer](op row.UnaryOp, seq *sequences, dst, a Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	t := temp[T](w)
	row.UnaryInt(op, t, vals(a))
	row.Blend(vals(dst), t, w.active)
	w.written(dst.cell, *a.undef)
	w.emitSeq(seq[dst.kind&15], dst.id, a.id, isa.NoReg, isa.NoReg)
}

// Neg sets dst to -a.
func Neg[T Number](dst, a Reg[T]) { unary(row.Neg, &seqNeg, dst, a) }

// Abs sets dst to the absolute value of a; that of the most negative integer is
// itself.
func Abs[T Number](dst, a Reg[T]) { unary(row.Abs, &seqAbs, dst, a) }

// Not sets dst to the bitwise complement of a.
func Not[T Integer](dst, a Reg[T]) { unaryInt(row.Not, &seqLogic, dst, a) }

// Popc sets dst to the number of set bits of a.
func Popc[T Integer](dst, a Reg[T]) { unaryInt(row.Popc, &seqPopc, dst, a) }

// Clz sets dst to the number of leading zeros of a, the width of the type for 0.
func Clz[T Integer](dst, a Reg[T]) { unaryInt(row.Clz, &seqClz, dst, a) }

// Brev sets dst to a with its bits in reverse order.
func Brev[T Integer](dst, a Reg[T]) { unaryInt(row.Brev, &seqBrev, dst, a) }

// Ffs sets dst to the number of the lowest set bit of a, counted from 1; 0 for
// 0.
func Ffs[T Integer](dst, a Reg[T]) { unaryInt(row.Ffs, &seqFfs, dst, a) }

// Map1 sets dst to f(a), lane by lane in ascending order, f called for active
// lanes only. It costs one instruction of the given class, which must be one that
// computes in registers, as for Book.
func Map1[D, S any](dst Reg[D], a Reg[S], cost isa.Op, f func(S) D) {
	w := dst.w
	w.mustCompute(cost)
	w.sameWarp(a.w)
	d, x := vals(dst), vals(a)
	for i := range w.active.Lanes() {
		d[i] = f(x[i])
	}
	w.written(dst.cell, *a.undef)
	w.emit(cost, dst.id, a.id, isa.NoReg, isa.NoReg)
}

// Map2 sets dst to f(a, b), lane by lane in ascending order, f called for
// active lanes only. It costs one instruction of the given class; see Map1.
func Map2[D, S, U any](dst Reg[D], a Reg[S], b Reg[U], cost isa.Op, f func(S, U) D) {
	w := dst.w
	w.mustCompute(cost)
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	d, x, y := vals(dst), vals(a), vals(b)
	for i := range w.active.Lanes() {
		d[i] = f(x[i], y[i])
	}
	w.written(dst.cell, a.undef.Or(*b.undef))
	w.emit(cost, dst.id, a.id, b.id, isa.NoReg)
}

// Map3 sets dst to f(a, b, c); see Map2.
func Map3[D, S, U, V any](dst Reg[D], a Reg[S], b Reg[U], c Reg[V], cost isa.Op, f func(S, U, V) D) {
	w := dst.w
	w.mustCompute(cost)
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	w.sameWarp(c.w)
	d, x, y, z := vals(dst), vals(a), vals(b), vals(c)
	for i := range w.active.Lanes() {
		d[i] = f(x[i], y[i], z[i])
	}
	w.written(dst.cell, a.undef.Or(*b.undef).Or(*c.undef))
	w.emit(cost, dst.id, a.id, b.id, c.id)
}

// Work costs n instructions of the given class that depend on each other and
// compute nothing: what the rest of a kernel would cost. A negative n counts as
// none; a class that does more than compute in registers (isa.Op.Computes) ends
// the kernel with a fault of kind BadInstruction.
func (w *Warp) Work(cost isa.Op, n int) {
	w.mustCompute(cost)
	r := isa.Row(isa.MaxRows - 1)
	for range n {
		w.emit(cost, r, r, isa.NoReg, isa.NoReg)
	}
}

// mustCompute ends the kernel if an op does more than compute in registers: what
// it does to memory, other lanes or the program is for functions of its own.
func (w *Warp) mustCompute(op isa.Op) {
	if !op.Computes() {
		w.raise(Fault{Kind: BadInstruction, Detail: op.String() + " is no computation in registers",
			Advice: "book arithmetic; memory, collectives and control have functions of their own"})
		panic(abort{})
	}
}
