// Package frozen writes the state of a simulator down as bytes and reads it back. It
// walks through the fields of a value as they are in memory, so that a field that is
// added later cannot be forgotten: what must not be written down is tagged
//
//	frozen:"-"
//
// and keeps, when the value is read back, what it has there. The layout of all types on
// the way is part of the format: bytes of another layout are refused.
//
// Pointers keep their identity. They must not point into arrays or structs that are
// written down too; such fields are left out, and set by who reads the value back.
package frozen

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"hash/fnv"
	"reflect"
	"unsafe"
)

// A Problem is why bytes are refused.
type Problem uint8

// The problems.
const (
	Damaged Problem = iota
	OtherVersion
	OtherSubject // made with other numbers
)

// An Error says what is wrong with bytes, and from which one on.
type Error struct {
	Problem Problem
	Offset  int
}

func (e *Error) Error() string {
	return fmt.Sprintf("frozen: problem %d at byte %d", e.Problem, e.Offset)
}

const header = 4 + 8 + 8 + 8 + 8 // magic, layout, subject, length, check

var table = crc64.MakeTable(crc64.ECMA)

// Append writes down what a pointer points to. subject is a number that stands for all
// that the reader has to have besides, see Hash.
func Append(b []byte, magic string, subject uint64, p any) []byte {
	v := reflect.ValueOf(p).Elem()
	start := len(b)
	b = append(b, make([]byte, header)...)
	w := writer{b: b, ids: map[unsafe.Pointer]uint64{}}
	w.value(v)
	h, body := w.b[start:start+header], w.b[start+header:]
	copy(h, magic)
	binary.LittleEndian.PutUint64(h[4:], layout(v.Type()))
	binary.LittleEndian.PutUint64(h[12:], subject)
	binary.LittleEndian.PutUint64(h[20:], uint64(len(body)))
	binary.LittleEndian.PutUint64(h[28:], crc64.Checksum(body, table))
	return w.b
}

// Read reads bytes that Append has made back into what a pointer points to. After an
// error that is of no use any more.
func Read(b []byte, magic string, subject uint64, p any) (err error) {
	v := reflect.ValueOf(p).Elem()
	if len(b) < header || string(b[:4]) != magic {
		return &Error{Damaged, 0}
	}
	if binary.LittleEndian.Uint64(b[4:]) != layout(v.Type()) {
		return &Error{OtherVersion, 4}
	}
	if binary.LittleEndian.Uint64(b[12:]) != subject {
		return &Error{OtherSubject, 12}
	}
	body := b[header:]
	if binary.LittleEndian.Uint64(b[20:]) != uint64(len(body)) {
		return &Error{Damaged, min(len(b), 20)}
	}
	if binary.LittleEndian.Uint64(b[28:]) != crc64.Checksum(body, table) {
		return &Error{Damaged, 28}
	}
	r := reader{b: body}
	defer func() {
		if p := recover(); p != nil {
			err = &Error{Damaged, header + r.at}
		}
	}()
	r.value(v)
	if r.at != len(body) {
		return &Error{Damaged, header + r.at}
	}
	return nil
}

// Hash returns a number that stands for what a pointer points to.
func Hash(p any) uint64 {
	v := reflect.ValueOf(p).Elem()
	w := writer{ids: map[unsafe.Pointer]uint64{}, single: true}
	w.value(v)
	return crc64.Checksum(w.b, table) ^ layout(v.Type())
}

// layout stands for the types on the way, as they lie in memory.
func layout(t reflect.Type) uint64 {
	h := fnv.New64a()
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		fmt.Fprint(h, t.Kind(), t.Size(), t.Align(), ";")
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Array:
			fmt.Fprint(h, t.Len())
			walk(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if f := t.Field(i); !skipped(f) {
					fmt.Fprint(h, f.Name, f.Offset)
					walk(f.Type)
				}
			}
		}
	}
	one := uint16(1)
	fmt.Fprint(h, *(*byte)(unsafe.Pointer(&one)) == 1)
	walk(t)
	return h.Sum64()
}

func skipped(f reflect.StructField) bool { return f.Tag.Get("frozen") == "-" }

// plain reports whether a type is its bytes.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); skipped(f) || !plain(f.Type) {
				return false
			}
		}
		return true
	default:
		return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
	}
}

func bytesOf(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// field returns field i of an addressable struct, so that it can be set.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

type writer struct {
	b   []byte
	ids map[unsafe.Pointer]uint64
	// single: field by field, without the bytes between them
	single bool
}

func (w *writer) number(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

func (w *writer) value(v reflect.Value) {
	t := v.Type()
	if k := t.Kind(); plain(t) && !(w.single && (k == reflect.Struct || k == reflect.Array)) {
		w.b = append(w.b, bytesOf(v.Addr().UnsafePointer(), t.Size())...)
		return
	}
	switch t.Kind() {
	case reflect.String:
		w.number(uint64(v.Len()))
		w.b = append(w.b, v.String()...)
	case reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !skipped(f) && f.Name != "_" {
				w.value(field(v, i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			w.number(0)
			return
		}
		n := v.Len()
		w.number(uint64(n) + 1)
		if e := t.Elem(); n > 0 && plain(e) && !w.single {
			w.b = append(w.b, bytesOf(v.UnsafePointer(), uintptr(n)*e.Size())...)
			return
		}
		for i := range n {
			w.value(v.Index(i))
		}
	case reflect.Pointer:
		p := v.UnsafePointer()
		if p == nil {
			w.number(0)
			return
		}
		if id, ok := w.ids[p]; ok {
			w.number(id)
			return
		}
		w.ids[p] = uint64(len(w.ids)) + 1
		w.number(w.ids[p])
		w.value(v.Elem())
	default:
		panic("frozen: a " + t.String() + " cannot be written down")
	}
}

type reader struct {
	b    []byte
	at   int
	seen []reflect.Value
}

func (r *reader) number() uint64 {
	n, k := binary.Uvarint(r.b[r.at:])
	if k <= 0 {
		panic("damaged")
	}
	r.at += k
	return n
}

// take returns the next n bytes.
func (r *reader) take(n uintptr) []byte {
	if n > uintptr(len(r.b)-r.at) {
		panic("damaged")
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at]
}

func (r *reader) value(v reflect.Value) {
	t := v.Type()
	if plain(t) {
		copy(bytesOf(v.Addr().UnsafePointer(), t.Size()), r.take(t.Size()))
		return
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString(string(r.take(uintptr(r.number()))))
	case reflect.Array:
		for i := range v.Len() {
			r.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !skipped(f) && f.Name != "_" {
				r.value(field(v, i))
			}
		}
	case reflect.Slice:
		n := r.number()
		if n == 0 {
			v.SetZero()
			return
		}
		n--
		if n > uint64(len(r.b)) {
			panic("damaged")
		}
		e := t.Elem()
		s := v
		if v.IsNil() || v.Len() != int(n) { // else what is there stays: so do fields that are left out
			s = reflect.MakeSlice(t, int(n), int(n))
			v.Set(s)
		}
		if n > 0 && plain(e) {
			size := uintptr(n) * e.Size()
			copy(bytesOf(s.UnsafePointer(), size), r.take(size))
			return
		}
		for i := range int(n) {
			r.value(s.Index(i))
		}
	case reflect.Pointer:
		id := r.number()
		switch {
		case id == 0:
			v.SetZero()
		case id <= uint64(len(r.seen)):
			v.Set(r.seen[id-1])
		default:
			if v.IsNil() {
				v.Set(reflect.New(t.Elem()))
			}
			p := reflect.New(t).Elem()
			p.Set(v)
			r.seen = append(r.seen, p)
			r.value(v.Elem())
		}
	default:
		panic("frozen: a " + t.String() + " cannot be read back")
	}
}
