package warp

import (
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
	"golang.org/x/exp/constraints"
)

// A Number is any integer or float type of 8 to 64 bits.
type Number interface {
	constraints.Integer | constraints.Float
}

// An Integer is any integer type of 8 to 64 bits.
type Integer = constraints.Integer

// A Float is any float type of 32 or 64 bits.
type Float = constraints.Float

// A Kind is what a register holds, as far as instructions differ by it.
type Kind uint8

// The kinds of registers.
const (
	Int8 Kind = iota
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Words // bools, structs and arrays, moved as 32-bit words
	numKinds
)

var kindNames = [numKinds]string{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "words"}

// String returns the short name of the kind, such as "f32".
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "unknown"
}

// kindOf returns the kind of T.
func kindOf[T any]() Kind {
	switch any((*T)(nil)).(type) { // the most frequent ones, and fast
	case *int32:
		return Int32
	case *float32:
		return Float32
	}
	var zero T
	size := unsafe.Sizeof(zero)
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int8 + Kind(bits.TrailingZeros(uint(size)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Uint8 + Kind(bits.TrailingZeros(uint(size)))
	case reflect.Float32:
		return Float32
	case reflect.Float64:
		return Float64
	}
	return Words
}

// A Reg is a register of a warp: one T in every lane. It is a small value, to
// be passed by value, and belongs to the warp whose Alloc made it. The zero Reg
// is no register.
type Reg[T any] struct {
	_ [0]T
	*cell
}

// A cell is what the engine knows of a register, by its first row: instructions
// get one pointer an operand, and switch on the kind instead of passing types
// along.
type cell struct {
	w     *Warp
	p     unsafe.Pointer // the lanes
	undef *lane.Mask     // lanes without a defined value
	ops   *kindOps       // of the kind
	typed shuffler       // the register with its type
	id    isa.Reg        // in instruction records
	row   uint16
	bytes uint16 // of all lanes
	rows  uint8
	kind  Kind
	fixed bool // it holds what the hardware does: thread, lane and block numbers
}

// cellOf returns the cell of the register at a row, made a T.
func cellOf[T any](w *Warp, row int) *cell {
	c := &w.cells[row]
	c.w = w
	makeA[T](c)
	c.id = isa.Row(row)
	if c.rows == 2 {
		c.id = isa.RowPair(row)
	}
	return c
}

// makeA makes the register of a cell a T.
func makeA[T any](c *cell) {
	var zero T
	c.rows, c.kind, c.typed = uint8(lane.Words(int(unsafe.Sizeof(zero)))), kindOf[T](), typed[T]{c}
	c.ops, c.bytes = &c.w.ops[c.kind], uint16(c.w.rowBytes)*uint16(c.rows)
	if c.fixed {
		c.ops = &noOps
	}
}

// noOps are the operations of a register that must not be written: none, so that
// instructions take their slow way, which refuses.
var noOps kindOps

// writable ends the kernel if a register must not be written.
func (w *Warp) writable(c *cell) {
	if c.fixed {
		w.raise(Fault{Kind: BadArgument, Lanes: w.active, Detail: "a register with thread, lane or block numbers is the destination",
			Advice: "copy it with Mov into a register of Alloc, and write that"})
		panic(abort{})
	}
}

// forget makes the registers from a row on none: an instruction that is given one
// ends the kernel with a fault of kind WrongWarp, until its row is taken again.
func (w *Warp) forget(row int) {
	for i := row; i < w.file.Mark(); i++ {
		w.cells[i].w, w.cells[i].fixed = nil, false
	}
}

// word names the row that holds word i of the register; a constant has none, and
// a uniform register is itself.
func (c *cell) word(i int) isa.Reg {
	if c.id == isa.NoReg || c.id.IsUniform() {
		return c.id
	}
	return isa.Row(c.id.Index() - 1 + i)
}

// Alloc takes a register from the warp's register file. Its lanes are
// undefined. If a thread has no more registers or T cannot be a register, the
// kernel ends with a fault of kind RegisterFile. A thread has what
// Launch.Registers says, or else what the largest number of its block leaves each.
func Alloc[T any](w *Warp) Reg[T] {
	r, err := lane.Alloc[T](w.file)
	if err != nil {
		w.noRegister(err)
	}
	if w.file.Mark() > w.rows {
		w.noRegister(w.run.tooManyRegisters(w.file.Mark()))
	}
	w.cells[r].fixed = false
	return Reg[T]{cell: cellOf[T](w, r)}
}

// noRegister ends the kernel that asked for more or other registers than there
// are; see wrongWarp.
func (w *Warp) noRegister(err error) {
	w.raise(Fault{Kind: RegisterFile, Detail: err.Error(), cause: err,
		Advice: "release registers with Mark and Release, or use a smaller type"})
	panic(abort{})
}

// vals returns the lanes of r.
func vals[T any](r Reg[T]) []T { return lanesOf[T](r.cell) }

// lanesOf returns the lanes of a register as values of type T.
func lanesOf[T any](c *cell) []T { return unsafe.Slice((*T)(c.p), c.w.lanes) }

// Lanes returns the values of all lanes of the register, for tests, observers
// and hosts. The slice aliases the register file: writing to it is a change
// that no instruction made.
func (r Reg[T]) Lanes() []T { return vals(r) }

// Undefined returns the lanes of the register that hold no defined value.
func (r Reg[T]) Undefined() lane.Mask { return *r.undef }

// Define makes lanes of the register defined as they are, at no cost: the caller
// has put values into Lanes.
func (r Reg[T]) Define(m lane.Mask) { *r.undef = r.undef.AndNot(m) }

// Row returns the first row of the register in the warp's register file.
func (r Reg[T]) Row() int { return int(r.row) }

// Warp returns the warp that the register belongs to, nil for the zero Reg.
func (r Reg[T]) Warp() *Warp {
	if r.cell == nil {
		return nil
	}
	return r.w
}

// A Pred is a predicate register of a warp: one bit in every lane.
type Pred struct {
	w  *Warp
	id uint8
}

// Mask returns the lanes in which the predicate holds.
func (p Pred) Mask() lane.Mask { return p.w.preds[p.id] }

// Undefined returns the lanes in which the predicate has no defined value.
func (p Pred) Undefined() lane.Mask { return p.w.predUndef[p.id] }

// Define sets the predicate to value in the lanes of m, at no cost.
func (p Pred) Define(value, m lane.Mask) {
	p.w.preds[p.id] = p.w.preds[p.id].AndNot(m).Or(value.And(m))
	p.w.predUndef[p.id] = p.w.predUndef[p.id].AndNot(m)
}

func (p Pred) reg() isa.Reg { return isa.Predicate(int(p.id)) }

// A MaskReg is a register that holds one set of lanes for the whole warp, such
// as the result of a ballot.
type MaskReg struct {
	w  *Warp
	id uint8
}

// Mask returns the value of the register.
func (m MaskReg) Mask() lane.Mask {
	if m.w.san != nil {
		m.w.san.takeSnapshot(m.w, m.id)
	}
	return m.w.uniform[m.id]
}

// Define sets the register to value, at no cost.
func (m MaskReg) Define(value lane.Mask) { m.w.uniform[m.id] = value }

func (m MaskReg) reg() isa.Reg { return isa.Uniform(int(m.id)) }

// View returns the register r seen as another type, at no cost, and makes it one:
// instructions that are given r after this take it for a D too. Both types must
// have the same size; if not, the kernel ends with a fault of kind
// BadInstruction.
func View[D, S any](r Reg[S]) Reg[D] {
	var to D
	var from S
	if unsafe.Sizeof(to) != unsafe.Sizeof(from) {
		r.w.raise(Fault{Kind: BadInstruction, Detail: "view of a register as a type of another size",
			Advice: "use Convert, or a type of the same size"})
		panic(abort{})
	}
	if err := lane.CheckType[D](); err != nil {
		r.w.noRegister(err)
	}
	return Reg[D]{cell: cellOf[D](r.w, int(r.row))}
}

// Part returns a register with part i of every lane's value, at no cost: part i
// of a vector is the registers that hold it. E is what the value of T consists of
// and takes whole 32-bit words: the parts of a Reg[[4]float32] are Reg[float32].
// The part has the value that src has now, and its instructions wait for src; it
// must not be written. An i that src does not have, and an E that does not fit, end
// the kernel with a fault of kind BadInstruction.
func Part[E, T any](src Reg[T], i int) Reg[E] {
	w := src.w
	var part E
	var whole T
	size, of := sizeOf(part), sizeOf(whole)
	if size == 0 || size%4 != 0 || of%size != 0 || i < 0 || i >= of/size {
		w.raise(Fault{Kind: BadInstruction, Detail: fmt.Sprintf("part %d of %d bytes of a value of %d", i, size, of),
			Advice: "name a part that the value has, of whole 32-bit words"})
		panic(abort{})
	}
	r := Alloc[E](w)
	d := vals(r)
	for l := range d {
		d[l] = *(*E)(unsafe.Add(src.p, l*of+i*size))
	}
	*r.undef = *src.undef
	first := src.id.Index() - 1 + i*size/4
	if r.id = isa.Row(first); r.rows == 2 {
		r.id = isa.RowPair(first)
	}
	return r
}
