package arguments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// A place is where a call is made.
type place struct {
	*setting
	ctx    context.Context
	warp   *warp.Warp
	thread *intrinsics.Thread
}

// A maker makes a good value of a type.
type maker func(*place) any

// A choice is one value of an argument.
type choice struct {
	text string
	make func(*place) reflect.Value // an invalid one: the zero value
}

func (c choice) String() string { return c.text }

func fixed(v any) choice {
	text := fmt.Sprint(v)
	return choice{text[:min(len(text), 30)], func(*place) reflect.Value { return reflect.ValueOf(v) }}
}

var zero = choice{"zero", func(*place) reflect.Value { return reflect.Value{} }}

func init() {
	makers[reflect.TypeFor[*warp.Warp]()] = func(p *place) any { return p.warp }
	makers[reflect.TypeFor[*intrinsics.Thread]()] = func(p *place) any { return p.thread }
	makers[reflect.TypeFor[cg.Parent]()] = func(p *place) any { return cg.ThisThreadBlock(p.thread) }
	makers[reflect.TypeFor[warp.Pred]()] = func(p *place) any {
		r := p.warp.Pred()
		warp.SetPred(r, lane.Bits(5))
		return r
	}
	makers[reflect.TypeFor[warp.MaskReg]()] = func(p *place) any {
		r := p.warp.MaskReg()
		warp.SetMask(r, p.warp.Active())
		return r
	}
	makers[reflect.TypeFor[*warp.Engine]()] = func(p *place) any { return p.engine }
	makers[reflect.TypeFor[*device.Profile]()] = func(p *place) any { return p.device.Clone() }
	makers[reflect.TypeFor[*device.Timing]()] = func(p *place) any { return &p.device.Clone().Timing }
	makers[reflect.TypeFor[*lane.File]()] = func(*place) any {
		f, _ := lane.NewFile(32, 16)
		return f
	}
	makers[reflect.TypeFor[context.Context]()] = func(p *place) any { return p.ctx }
	makers[reflect.TypeFor[warp.Launch]()] = func(p *place) any {
		return warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.device.Lanes)}
	}
	makers[reflect.TypeFor[warp.Config]()] = func(p *place) any { return warp.Config{Device: p.device} }
	makers[reflect.TypeFor[testing.TB]()] = func(*place) any { return &quietTB{} }
	makers[reflect.TypeFor[io.Reader]()] = func(*place) any { return strings.NewReader("{}") }
	makers[reflect.TypeFor[io.Writer]()] = func(*place) any { return &bytes.Buffer{} }
	makers[reflect.TypeFor[error]()] = func(*place) any { return errors.New("an error") }
	makers[reflect.TypeFor[isa.Op]()] = func(*place) any { return isa.IAdd }
}

// A quietTB takes the failures of helpers that are given one.
type quietTB struct {
	testing.TB
}

func (*quietTB) Helper()                  {}
func (*quietTB) Error(...any)             {}
func (*quietTB) Errorf(string, ...any)    {}
func (*quietTB) Log(...any)               {}
func (*quietTB) Logf(string, ...any)      {}
func (*quietTB) Fatal(...any)             { runtime.Goexit() }
func (*quietTB) Fatalf(string, ...any)    { runtime.Goexit() }
func (*quietTB) FailNow()                 { runtime.Goexit() }
func (*quietTB) Context() context.Context { return context.Background() }
func (*quietTB) Cleanup(func())           {}
func (*quietTB) Name() string             { return "quiet" }

// The table that the test writes makes its values by these.
var _ = []func(*place) any{makeReg[int32], makeMem[int32], makeArray[int32], makeOp[int32], makeReduction[int32], makeScan[int32]}

func makeReg[T any](p *place) any {
	r := warp.Alloc[T](p.warp)
	var v T
	warp.Set(r, v)
	return r
}

func makeMem[T any](p *place) any {
	m, _ := warp.Global(p.engine, make([]T, 256))
	return m
}

func makeArray[T any](p *place) any {
	a, _ := intrinsics.Global(p.engine, make([]T, 256))
	return a
}

func makeOp[T any](*place) any {
	return reduce.New("first", isa.IAdd, func(a, _ T) T { return a })
}

func makeReduction[T any](*place) any { return reduce.Algorithms[T]()[0] }
func makeScan[T any](*place) any      { return scan.Algorithms[T]()[0] }

// choicesOf returns the values of a type, a good one first.
func choicesOf(t reflect.Type, depth int) []choice {
	var list []choice
	m, made := makers[t]
	if t == reflect.TypeFor[testing.TB]() { // no helper can fail a test that is none
		return []choice{{"a test", func(p *place) reflect.Value { return reflect.ValueOf(m(p)) }}}
	}
	if made {
		list = append(list, choice{"good", func(p *place) reflect.Value { return convertTo(t, m(p)) }})
	}
	convert := func(vs ...any) {
		for _, v := range vs {
			list = append(list, fixed(reflect.ValueOf(v).Convert(t).Interface()))
		}
	}
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		top := int64(1)<<(t.Bits()-1) - 1
		convert(1, 0, -1, top, -top-1, top/2+1, 3, 31, 129)
		if t.Bits() == 64 {
			convert(int64(1)<<31, int64(1)<<32, int64(1)<<32+1, int64(-1)<<32, int64(1)<<40)
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		top := ^uint64(0) >> (64 - t.Bits())
		convert(uint64(1), uint64(0), top, top/2+1, uint64(3), uint64(31), uint64(63))
	case reflect.Float32, reflect.Float64:
		convert(1.0, 0.0, math.NaN(), math.Inf(1), -1e30)
	case reflect.Bool:
		convert(true, false)
	case reflect.String:
		convert("h200", "", "\x00\xff", strings.Repeat("9", 300))
	case reflect.Slice:
		list = append(list, zero)
		if depth > 2 {
			break
		}
		elem := choicesOf(t.Elem(), depth+1)
		for _, n := range []int{4, 1, 3, 200} {
			list = append(list, choice{fmt.Sprintf("%d of %v", n, elem[0]), func(p *place) reflect.Value {
				s := reflect.MakeSlice(t, n, n)
				for i := range n {
					set(s.Index(i), elem[0].make(p))
				}
				return s
			}})
			if n == 4 {
				list[0], list[len(list)-1] = list[len(list)-1], list[0]
			}
		}
		for _, c := range elem[1:min(len(elem), 5)] {
			if depth > 0 && t.Elem().Kind() == reflect.Pointer {
				break // a list that the library made has no nil in it
			}
			list = append(list, choice{fmt.Sprintf("2 of %v", c), func(p *place) reflect.Value {
				s := reflect.MakeSlice(t, 2, 2)
				for i := range 2 {
					set(s.Index(i), c.make(p))
				}
				return s
			}})
		}
	case reflect.Func:
		list = append(list, choice{"a func", func(*place) reflect.Value {
			return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
				out := make([]reflect.Value, t.NumOut())
				for i := range out {
					out[i] = reflect.Zero(t.Out(i))
				}
				return out
			})
		}}, zero)
	case reflect.Pointer:
		if !made {
			list = append(list, choice{"&zero", func(*place) reflect.Value { return reflect.New(t.Elem()) }})
		}
		list = append(list, zero)
		if made && t != reflect.TypeFor[*warp.Warp]() && t != reflect.TypeFor[*intrinsics.Thread]() {
			list = append(list, choice{"&zero", func(*place) reflect.Value { return reflect.New(t.Elem()) }})
		}
	case reflect.Struct:
		if !made && depth < 3 {
			list = append(list, choice{"good fields", func(p *place) reflect.Value {
				s := reflect.New(t).Elem()
				for i := range t.NumField() {
					if t.Field(i).IsExported() && t.Field(i).Type.Kind() != reflect.Func {
						set(s.Field(i), choicesOf(t.Field(i).Type, depth+1)[0].make(p))
					}
				}
				return s
			}})
		}
		list = append(list, zero)
		if depth > 1 {
			break
		}
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			for _, c := range choicesOf(t.Field(i).Type, depth+1) {
				list = append(list, choice{fmt.Sprintf("%s: %v", t.Field(i).Name, c), func(p *place) reflect.Value {
					s := reflect.New(t).Elem()
					if made {
						s.Set(convertTo(t, m(p)))
					}
					set(s.Field(i), c.make(p))
					return s
				}})
			}
		}
	default:
		list = append(list, zero)
	}
	return list
}

// receivers are what a method is called on: a good one, a zero one, and one with each
// field extreme. A method of nil is a nil dereference of the caller's, as Go has it.
func receivers(t reflect.Type) []choice {
	var list []choice
	if m, ok := makers[t]; ok {
		list = append(list, choice{"good", func(p *place) reflect.Value { return reflect.ValueOf(m(p)) }})
	}
	elem := t.Elem()
	if m, ok := makers[elem]; ok {
		list = append(list, choice{"good", func(p *place) reflect.Value {
			v := reflect.New(elem)
			v.Elem().Set(convertTo(elem, m(p)))
			return v
		}})
	}
	if t != reflect.TypeFor[*warp.Warp]() && t != reflect.TypeFor[*intrinsics.Thread]() {
		list = append(list, choice{"&zero", func(*place) reflect.Value { return reflect.New(elem) }})
	}
	for _, c := range choicesOf(elem, 1) {
		list = append(list, choice{"&" + c.text, func(p *place) reflect.Value {
			v := reflect.New(elem)
			set(v.Elem(), c.make(p))
			return v
		}})
	}
	return list
}

func set(to, v reflect.Value) {
	if v.IsValid() {
		to.Set(v)
	}
}

func convertTo(t reflect.Type, v any) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v).Convert(t)
}

// A front is the kind of kernel that a function is for.
type front int

const (
	host front = iota
	wide
	perLane
)

// frontOf tells by its arguments where a function is to be called.
func frontOf(t reflect.Type) front {
	f := host
	for i := range t.NumIn() {
		f = max(f, frontIn(t.In(i), map[reflect.Type]bool{}))
	}
	return f
}

func frontIn(t reflect.Type, seen map[reflect.Type]bool) front {
	if seen[t] {
		return host
	}
	seen[t] = true
	switch t {
	case reflect.TypeFor[*warp.Warp](), reflect.TypeFor[warp.Pred](), reflect.TypeFor[warp.MaskReg]():
		return wide
	case reflect.TypeFor[*intrinsics.Thread](), reflect.TypeFor[cg.Parent]():
		return perLane
	case reflect.TypeFor[*warp.Engine](), reflect.TypeFor[*device.Profile](), reflect.TypeFor[*warp.Report]():
		return host
	}
	if strings.HasPrefix(t.String(), "warp.Mem[") || strings.HasPrefix(t.String(), "intrinsics.Array[") {
		return host
	}
	f := host
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return frontIn(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f = max(f, frontIn(t.Field(i).Type, seen))
		}
	}
	return f
}
