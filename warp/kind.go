package warp

import (
	"math/bits"
	"reflect"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
	"golang.org/x/exp/constraints"
)

// A Number is any integer or float type of 8 to 64 bits.
type Number = row.Number

// An Integer is any integer type of 8 to 64 bits.
type Integer = constraints.Integer

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
}

// cellOf returns the cell of the register at a row, made a T.
func cellOf[T any](w *Warp, row int) *cell {
	c := &w.cells[row]
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
}

// word names the row that holds word i of the register; a constant has none, and
// a uniform register is itself.
func (c *cell) word(i int) isa.Reg {
	if c.id == isa.NoReg || c.id.IsUniform() {
		return c.id
	}
	return isa.Row(int(c.row) + i)
}

// Alloc takes a register from the warp's register file. Its lanes are
// undefined. If the file is full or T cannot be a register, the kernel ends
// with a fault of kind RegisterFile.
func Alloc[T any](w *Warp) Reg[T] {
	r, err := lane.Alloc[T](w.file)
	if err != nil {
		w.noRegister(err)
	}
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

func (m MaskReg) reg() isa.Reg { return isa.Uniform(int(m.id)) }
