package warp_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"testing"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// onWarps runs a kernel of one full warp for each width, in which faults fail
// the test.
func onWarps(t *testing.T, f func(t *testing.T, w *warp.Warp)) {
	for _, name := range []string{"custom-1", "custom-4", "h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name, warp.Config{ValuesOnly: true})
		_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) { f(t, w) })
		require.NoError(t, err, name)
	}
}

// activeSets are the lanes under which every instruction is tried.
func activeSets(n int) []lane.Mask {
	return []lane.Mask{lane.FirstN(n), lane.FirstN(n - 1), lane.Bit(n - 1), lane.Bit(0), {},
		lane.Mask{Lo: 0x5a5a5a5a5a5a5a5a, Hi: 0x1122334455667788}.And(lane.FirstN(n)), lane.Range(n/2, n)}
}

// undefinedIn says which lanes of operand k start out undefined.
func undefinedIn(k, n int) lane.Mask { return lane.Only(k+1, 7*k+5, n-1-k).And(lane.FirstN(n)) }

// operand makes a register with values in all lanes and some of them undefined.
func operand[T any](w *warp.Warp, k int, f func(l int) T) warp.Reg[T] {
	r := warp.Alloc[T](w)
	for l := range r.Lanes() {
		r.Lanes()[l] = f(l)
	}
	r.Define(undefinedIn(k, w.Width()).Not(w.Width()))
	return r
}

// check holds a register to values and undefined lanes.
func check[T comparable](t *testing.T, w *warp.Warp, what string, r warp.Reg[T], undef lane.Mask, want func(l int) T) {
	t.Helper()
	if r.Undefined() != undef {
		t.Fatalf("%s of %T on %d lanes, active %s: undefined %s, want %s", what, *new(T), w.Width(), w.Active(), r.Undefined().Ranges(), undef.Ranges())
	}
	for l, got := range r.Lanes() {
		if e := want(l); got != e && !(got != got && e != e) {
			t.Fatalf("%s of %T on %d lanes, active %s: lane %d is %v, want %v", what, *new(T), w.Width(), w.Active(), l, got, e)
		}
	}
}

// blend returns want in the active lanes and old in the others.
func blend[T any](active lane.Mask, want, old func(l int) T) func(l int) T {
	return func(l int) T {
		if active.Has(l) {
			return want(l)
		}
		return old(l)
	}
}

// An operation of up to three operands, and what it gives for one lane.
type operation[T any] struct {
	name     string
	operands int
	run      func(d, a, b, c warp.Reg[T])
	want     func(a, b, c T) T
}

// tryOperation runs an operation under every active set with the destination
// apart from the operands and in place of each of them.
func tryOperation[T comparable](t *testing.T, w *warp.Warp, o operation[T], value func(k, l int) T) {
	n := w.Width()
	for _, active := range activeSets(n) {
		for onto := range o.operands + 2 { // the last: all operands are the destination
			mark := w.Mark()
			var x [3]warp.Reg[T]
			var undef lane.Mask
			val := [3]func(l int) T{}
			for k := range x {
				val[k] = func(l int) T { return value(k, l) }
				x[k] = operand(w, k, val[k])
			}
			if onto > o.operands {
				x[1], x[2], val[1], val[2] = x[0], x[0], val[0], val[0]
			}
			d, oldUndef, old := operand(w, 4, func(l int) T { return value(4, l) }), undefinedIn(4, n), func(l int) T { return value(4, l) }
			if onto > 0 {
				k := (onto - 1) % o.operands
				d, oldUndef, old = x[k], undefinedIn(k, n), val[k]
			}
			for k := range o.operands {
				undef = undef.Or(x[k].Undefined())
			}
			w.Under(active, func() { o.run(d, x[0], x[1], x[2]) })
			want := func(l int) T { return o.want(val[0](l), val[1](l), val[2](l)) }
			w.Under(active, func() {
				check(t, w, fmt.Sprintf("%s, destination %d", o.name, onto), d,
					undef.And(active).Or(oldUndef.AndNot(active)), blend(active, want, old))
			})
			w.Release(mark)
		}
	}
}

func two[T any](name string, f func(d, a, b warp.Reg[T]), want func(a, b T) T) operation[T] {
	return operation[T]{name, 2, func(d, a, b, _ warp.Reg[T]) { f(d, a, b) }, func(a, b, _ T) T { return want(a, b) }}
}

func unary[T any](name string, f func(d, a warp.Reg[T]), want func(a T) T) operation[T] {
	return operation[T]{name, 1, func(d, a, _, _ warp.Reg[T]) { f(d, a) }, func(a, _, _ T) T { return want(a) }}
}

func numberOps[T warp.Number]() []operation[T] {
	return []operation[T]{
		two("Add", warp.Add[T], func(a, b T) T { return a + b }),
		two("Sub", warp.Sub[T], func(a, b T) T { return a - b }),
		two("Mul", warp.Mul[T], func(a, b T) T { return a * b }),
		two("Min", warp.Min[T], func(a, b T) T { return min(a, b) }), // no NaN among the values
		two("Max", warp.Max[T], func(a, b T) T { return max(a, b) }),
		unary("AddImm", func(d, a warp.Reg[T]) { warp.AddImm(d, a, 3) }, func(a T) T { return a + 3 }),
		unary("MulImm", func(d, a warp.Reg[T]) { warp.MulImm(d, a, 5) }, func(a T) T { return a * 5 }),
		unary("Neg", warp.Neg[T], func(a T) T { return -a }),
		unary("Abs", warp.Abs[T], func(a T) T {
			if a < 0 {
				return -a
			}
			return a
		}),
		unary("Mov", warp.Mov[T], func(a T) T { return a }),
		{"MulAdd", 3, warp.MulAdd[T], func(a, b, c T) T { p := a * b; return p + c }},
	}
}

// intOps are the operations of integers; cut is whether the device looks at the
// low bits of shift counts only.
func intOps[T warp.Integer](cut bool) []operation[T] {
	var zero T
	width := int(unsafe.Sizeof(zero)) * 8
	word := func(a T) uint64 { return uint64(a) & (^uint64(0) >> (64 - width)) }
	count := func(b T) uint {
		if cut {
			return uint(b) & uint(max(width, 32)-1)
		}
		if b < 0 || uint64(b) >= uint64(width) {
			return uint(width)
		}
		return uint(b)
	}
	return append(numberOps[T](),
		two("And", warp.And[T], func(a, b T) T { return a & b }),
		two("Or", warp.Or[T], func(a, b T) T { return a | b }),
		two("Xor", warp.Xor[T], func(a, b T) T { return a ^ b }),
		two("AndNot", warp.AndNot[T], func(a, b T) T { return a &^ b }),
		two("Shl", warp.Shl[T], func(a, b T) T { return a << count(b) }),
		two("Shr", warp.Shr[T], func(a, b T) T { return a >> count(b) }),
		unary("AndImm", func(d, a warp.Reg[T]) { warp.AndImm(d, a, 6) }, func(a T) T { return a & 6 }),
		unary("OrImm", func(d, a warp.Reg[T]) { warp.OrImm(d, a, 6) }, func(a T) T { return a | 6 }),
		unary("XorImm", func(d, a warp.Reg[T]) { warp.XorImm(d, a, 6) }, func(a T) T { return a ^ 6 }),
		unary("ShlImm", func(d, a warp.Reg[T]) { warp.ShlImm(d, a, 2) }, func(a T) T { return a << 2 }),
		unary("ShrImm", func(d, a warp.Reg[T]) { warp.ShrImm(d, a, 2) }, func(a T) T { return a >> 2 }),
		unary("Not", warp.Not[T], func(a T) T { return ^a }),
		unary("Popc", warp.Popc[T], func(a T) T { return T(bits.OnesCount64(word(a))) }),
		unary("Clz", warp.Clz[T], func(a T) T { return T(bits.LeadingZeros64(word(a)) - (64 - width)) }),
		unary("Brev", warp.Brev[T], func(a T) T { return T(bits.Reverse64(word(a)) >> (64 - width)) }),
		unary("Ffs", warp.Ffs[T], func(a T) T {
			if a == 0 {
				return 0
			}
			return T(bits.TrailingZeros64(word(a)) + 1)
		}),
	)
}

func tryInts[T warp.Integer](t *testing.T, w *warp.Warp) {
	for _, o := range intOps[T](w.Device().Rules.ShiftCounts == device.CountsCut) {
		tryOperation(t, w, o, func(k, l int) T { return T((l*37+k*11)%97) - T(l%3*40) })
	}
}

func tryFloats[T float32 | float64](t *testing.T, w *warp.Warp) {
	for _, o := range numberOps[T]() {
		tryOperation(t, w, o, func(k, l int) T { return T((l*37+k*11)%97)/3 - T(l%3)*40 })
	}
}

// Every arithmetic operation, of every type, under full, partial and empty
// active masks, with the destination apart and in place of operands: the other
// lanes keep their value, and a lane is undefined if one of its operands is.
func TestArithmetic(t *testing.T) {
	type named int16
	onWarps(t, func(t *testing.T, w *warp.Warp) {
		tryInts[int8](t, w)
		tryInts[int16](t, w)
		tryInts[int32](t, w)
		tryInts[int64](t, w)
		tryInts[uint8](t, w)
		tryInts[uint16](t, w)
		tryInts[uint32](t, w)
		tryInts[uint64](t, w)
		tryInts[named](t, w)
		tryInts[int](t, w)
		tryFloats[float32](t, w)
		tryFloats[float64](t, w)
	})
}

// Immediates that follow each other are not mixed up: equal bits of other types,
// zeros of both signs, NaN.
func TestImmediatesFollowEachOther(t *testing.T) {
	onWarps(t, func(t *testing.T, w *warp.Warp) {
		f, i, d, u := warp.Alloc[float32](w), warp.Alloc[int32](w), warp.Alloc[float64](w), warp.Alloc[uint8](w)
		step := func(run func(), ok func() bool) {
			t.Helper()
			if run(); !ok() {
				t.Errorf("on %d lanes: %v %v %v %v", w.Width(), f.Lanes(), i.Lanes(), d.Lanes(), u.Lanes())
			}
		}
		last := w.Width() - 1
		negative := float32(math.Copysign(0, -1))
		warp.Set(f, negative)
		warp.Set(i, 0)
		warp.Set(d, 0)
		warp.Set(u, 1)
		step(func() { warp.AddImm(f, f, negative) }, func() bool { return math.Signbit(float64(f.Lanes()[last])) })
		step(func() { warp.AddImm(f, f, 0) }, func() bool { return !math.Signbit(float64(f.Lanes()[last])) })
		step(func() { warp.AddImm(i, i, int32(math.Float32bits(1))) }, func() bool { return i.Lanes()[last] == int32(math.Float32bits(1)) })
		step(func() { warp.AddImm(f, f, 1) }, func() bool { return f.Lanes()[last] == 1 })
		step(func() { warp.AddImm(u, u, 1) }, func() bool { return u.Lanes()[last] == 2 })
		step(func() { warp.AddImm(d, d, 1) }, func() bool { return d.Lanes()[last] == 1 })
		step(func() { warp.AddImm(d, d, math.NaN()) }, func() bool { return d.Lanes()[last] != d.Lanes()[last] })
		step(func() { warp.AddImm(i, i, 1) }, func() bool { return i.Lanes()[last] == int32(math.Float32bits(1))+1 })
		p := w.Pred()
		step(func() { warp.EqImm(p, f, negative) }, func() bool { return p.Mask().Empty() })
		step(func() { warp.EqImm(p, f, 1) }, func() bool { return p.Mask() == lane.FirstN(w.Width()) })
	})
}

// Map calls its function for the active lanes in ascending order.
func TestMap(t *testing.T) {
	type pair struct {
		A int64
		B float32
	}
	onWarps(t, func(t *testing.T, w *warp.Warp) {
		for _, active := range activeSets(w.Width()) {
			mark := w.Mark()
			a := operand(w, 0, func(l int) int16 { return int16(l - 5) })
			b := operand(w, 1, func(l int) float64 { return float64(l) / 4 })
			d := operand(w, 2, func(l int) pair { return pair{int64(-l), 0.5} })
			var seen, lanes []int
			w.Under(active, func() {
				warp.Map2(d, a, b, isa.IAdd, func(x int16, y float64) pair {
					seen = append(seen, int(x)+5)
					return pair{int64(x) << 40, float32(y)}
				})
			})
			for l := range active.Lanes() {
				lanes = append(lanes, l)
			}
			require.Equal(t, lanes, seen)
			undef := undefinedIn(0, w.Width()).Or(undefinedIn(1, w.Width()))
			w.Under(active, func() {
				check(t, w, "Map2", d, undef.And(active).Or(undefinedIn(2, w.Width()).AndNot(active)), blend(active,
					func(l int) pair { return pair{int64(l-5) << 40, float32(l) / 4} }, func(l int) pair { return pair{int64(-l), 0.5} }))
				warp.Map1(a, a, isa.IAdd, func(x int16) int16 { return -x })
				check(t, w, "Map1", a, undefinedIn(0, w.Width()), blend(active, func(l int) int16 { return int16(5 - l) }, func(l int) int16 { return int16(l - 5) }))
			})
			w.Release(mark)
		}
	})
}
