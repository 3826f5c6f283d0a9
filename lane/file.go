package lane

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A File is the register file of one warp, stored register-major: a row holds
// 32 bits for every lane of one register, and the rows follow each other. A
// value of more than 32 bits takes as many rows as it has 32-bit words, seen
// as one row of wider elements; it starts at an even row if it must be aligned
// to 8 bytes. Values narrower than 32 bits take a whole row and leave part of
// it unused.
//
// Each value carries one bit per lane that says "undefined". A File starts out
// with all lanes of all rows undefined.
//
// A File is not safe for concurrent use.
type File struct {
	lanes int
	rows  int
	next  int
	words []uint64
	undef []Mask
}

// maxWords is the most rows a value takes. As many rows less one lie beyond the
// file, so that not even a stale register seen as a wider type leaves it.
const maxWords = 16

// A SizeError tells why a register file cannot be built.
type SizeError struct {
	Lanes, Rows int
	Reason      string
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("lane: register file of %d rows for %d lanes: %s", e.Rows, e.Lanes, e.Reason)
}

// A FullError says that an allocation found no room in the register file.
type FullError struct {
	Type        string // the type that was to be allocated
	Need        int    // rows it takes, alignment included
	Free, Total int    // rows left and rows in the file
}

func (e *FullError) Error() string {
	return fmt.Sprintf("lane: no room for a register of type %s: it needs %d rows, %d of %d are free; release registers that are done with",
		e.Type, e.Need, e.Free, e.Total)
}

// A TypeError says that a type cannot live in a register.
type TypeError struct {
	Type   string
	Reason string
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("lane: type %s cannot be a register: %s", e.Type, e.Reason)
}

// NewFile returns a register file of the given number of rows for a warp of
// lanes lanes (1 to MaxLanes). Anything else is a *SizeError.
func NewFile(lanes, rows int) (*File, error) {
	switch {
	case lanes < 1 || lanes > MaxLanes:
		return nil, &SizeError{lanes, rows, fmt.Sprintf("a warp has 1 to %d lanes", MaxLanes)}
	case rows < 1 || rows > 1<<16:
		return nil, &SizeError{lanes, rows, "a file has 1 to 65536 rows"}
	}
	f := &File{
		lanes: lanes,
		rows:  rows,
		words: make([]uint64, (lanes*(rows+maxWords-1)+1)/2),
		undef: make([]Mask, rows),
	}
	f.Reset()
	return f, nil
}

// Lanes returns the number of lanes of a row.
func (f *File) Lanes() int { return f.lanes }

// Rows returns the number of rows of the file.
func (f *File) Rows() int { return f.rows }

// Free returns the number of rows that are not allocated.
func (f *File) Free() int { return f.rows - f.next }

// Reset releases every register and makes every lane undefined. The bits of
// the rows stay what they were.
func (f *File) Reset() {
	all := FirstN(f.lanes)
	for i := range f.undef {
		f.undef[i] = all
	}
	f.next = 0
}

// Mark returns the present state of allocation, for Release.
func (f *File) Mark() int { return f.next }

// Release gives back everything allocated since mark was taken. Registers
// allocated since must not be used any more. A mark that the file has not
// reached changes nothing.
func (f *File) Release(mark int) {
	if mark < 0 || mark > f.next {
		return
	}
	all := FirstN(f.lanes)
	for i := mark; i < f.next; i++ {
		f.undef[i] = all
	}
	f.next = mark
}

// Words returns how many 32-bit words a value of the given number of bytes
// takes, which is how many rows it fills and how many shuffles move it: 1 for up
// to 4 bytes, 2 for 8, 3 for a struct of 12. It is 0 for a size of 0 or less.
func Words(bytes int) int {
	if bytes <= 0 {
		return 0
	}
	return (bytes-1)/4 + 1
}

// Warps returns how many warps of the given number of lanes so many threads take, 0
// if there is no lane or no thread.
func Warps(lanes, threads int) int {
	if lanes < 1 || threads < 1 {
		return 0
	}
	return (threads-1)/lanes + 1
}

// Alloc takes rows for one register of type T and returns the first of them.
// T is any integer, float or bool type or a struct or array of such without
// pointers, of 1 to 64 bytes; anything else is a *TypeError. A *FullError says
// that the file is full, and a nil file is a *SizeError.
func Alloc[T any](f *File) (int, error) {
	var zero T
	if err := CheckType[T](); err != nil {
		return 0, err
	}
	if f == nil {
		return 0, &SizeError{0, 0, "it is nil; make one with NewFile"}
	}
	start := f.next
	if unsafe.Alignof(zero) > 4 || unsafe.Sizeof(zero) == 8 {
		start += start & 1
	}
	n := Words(int(unsafe.Sizeof(zero)))
	if start+n > f.rows {
		return 0, &FullError{reflect.TypeFor[T]().String(), start + n - f.next, f.Free(), f.rows}
	}
	f.next = start + n
	return start, nil
}

// CheckType reports whether T can live in a register; if not, the error is a
// *TypeError.
func CheckType[T any]() error {
	switch any((*T)(nil)).(type) { // the most frequent ones, and fast
	case *int32, *float32:
		return nil
	}
	t := reflect.TypeFor[T]()
	if k := t.Kind(); k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr {
		return nil
	}
	return checkType(t)
}

// checkType is CheckType for types that are not plain numbers. It is apart because
// of the stack that it takes.
func checkType(t reflect.Type) error {
	if reason := unfit(t); reason != "" {
		return &TypeError{t.String(), reason}
	}
	if n := t.Size(); n == 0 || n > 64 {
		return &TypeError{t.String(), fmt.Sprintf("it has %d bytes, a register 1 to 64", n)}
	}
	return nil
}

// unfit says what in t cannot be moved as plain words, "" if nothing.
func unfit(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if reason := unfit(t.Field(i).Type); reason != "" {
				return "field " + t.Field(i).Name + ": " + reason
			}
		}
		return ""
	case reflect.Array:
		return unfit(t.Elem())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return ""
	}
	return "a " + t.Kind().String() + " has no fixed bits"
}

// Row returns the register that starts at the given row as one T for every
// lane. The slice aliases the file. The row must come from Alloc of a type of
// the same size and alignment. Rows that the file does not have, and a nil file,
// give nil.
func Row[T any](f *File, row int) []T {
	var zero T
	if f == nil || row < 0 || row > f.rows-Words(int(unsafe.Sizeof(zero))) {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.words)), row*f.lanes*4)), f.lanes)
}

// Undefined returns the lanes of the register at row that hold no defined
// value, none for a row that the file does not have.
func (f *File) Undefined(row int) Mask {
	if uint(row) >= uint(len(f.undef)) {
		return Mask{}
	}
	return f.undef[row]
}

// SetUndefined replaces the undefined lanes of the register at row. A row that the
// file does not have changes nothing.
func (f *File) SetUndefined(row int, m Mask) {
	if uint(row) < uint(len(f.undef)) {
		f.undef[row] = m
	}
}

// UndefinedRows returns the undefined lanes of every row, for the engine's
// inner loops. The slice aliases the file.
func (f *File) UndefinedRows() []Mask { return f.undef }
