package warp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a kernel leaves behind, as far as Issue and the typed functions can
// differ: the bits of all rows, undefined lanes, predicates, and the records.
type trace struct {
	Values    map[string]any
	Undefined map[string]lane.Mask
	Records   []string
}

// traced runs a kernel on one warp with lane 3 inactive at the start.
func traced(t testing.TB, name string, body func(w *warp.Warp, tr *trace)) *trace {
	t.Helper()
	tr := &trace{Values: map[string]any{}, Undefined: map[string]lane.Mask{}}
	p, err := device.Lookup(name)
	require.NoError(t, err)
	e := newEngine(t, warp.Config{Device: p, ValuesOnly: true, Faults: warp.Collect, Observer: &warp.Observer{
		Instr: func(ev warp.InstrEvent) {
			tr.Records = append(tr.Records, fmt.Sprint(ev.Instr, " of ", ev.Active.Ranges(), " aux ", ev.Instr.Aux, " guard ", ev.Instr.Guard))
		}}})
	_, err = e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
		w.Under(lane.Bit(3).Not(w.Width()), func() { body(w, tr) })
	})
	require.NoError(t, err)
	return tr
}

func keep[T any](tr *trace, name string, r warp.Reg[T]) {
	tr.Values[name] = fmt.Sprint(r.Lanes())
	tr.Undefined[name] = r.Undefined()
}

// operands is the registers that both sides work on: rows 0 to 8, of which a
// lane of the first operand is undefined.
type operands[T warp.Number] struct {
	d, a, b, c warp.Reg[T]
	at, count  warp.Reg[int32]
	p, q       warp.Pred
	m          warp.MaskReg
}

func setup[T warp.Number](w *warp.Warp) operands[T] {
	o := operands[T]{d: warp.Alloc[T](w), a: warp.Alloc[T](w), b: warp.Alloc[T](w), c: warp.Alloc[T](w),
		at: warp.Alloc[int32](w), count: warp.Alloc[int32](w), p: w.Pred(), q: w.Pred(), m: w.MaskReg()}
	fill := func(r warp.Reg[T], f func(l int) T) {
		w.Under(lane.FirstN(w.Width()), func() { warp.SetLanes(r, f) })
	}
	fill(o.d, func(l int) T { return T(l + 100) })
	fill(o.b, func(l int) T { return T(l*l%7 + 1) })
	fill(o.c, func(l int) T { return T(l % 3) })
	w.Under(lane.Bit(5).Not(w.Width()), func() { warp.SetLanes(o.a, func(l int) T { return T(l*37%23) - T(l%2*40) }) })
	w.Under(lane.FirstN(w.Width()), func() {
		warp.SetLanes(o.at, func(l int) int32 { return int32(l * 5 % w.Width()) })
		warp.SetPred(o.p, lane.Mask{Lo: 0x5a5a5a5a5a5a5a5a, Hi: 0x123456789abcdef})
		warp.SetPred(o.q, lane.FirstN(4))
		warp.Set(o.count, -1)
	})
	return o
}

func (o operands[T]) keep(tr *trace) {
	keep(tr, "d", o.d)
	keep(tr, "a", o.a)
	keep(tr, "count", o.count)
	tr.Values["p"], tr.Undefined["p"] = o.p.Mask(), o.p.Undefined()
	tr.Values["q"], tr.Undefined["q"] = o.q.Mask(), o.q.Undefined()
	tr.Values["m"] = o.m.Mask()
}

// row names a register as an instruction does.
func row[T any](r warp.Reg[T]) isa.Reg { return isa.Row(r.Row()) }

var (
	pred0, pred1 = isa.Predicate(0), isa.Predicate(1)
	mask0        = isa.Uniform(0)
)

// pair is an encoded instruction and the typed call that it stands for.
type encoded[T warp.Number] struct {
	in    warp.Instruction
	typed func(w *warp.Warp, o operands[T])
}

// sameAsTyped runs both sides of each pair and compares what they leave.
func sameAsTyped[T warp.Number](t *testing.T, dev string, pairs func(o operands[T]) []encoded[T]) {
	t.Helper()
	n := 0
	traced(t, dev, func(w *warp.Warp, _ *trace) { n = len(pairs(setup[T](w))) })
	for i := range n {
		var in warp.Instruction
		typed := traced(t, dev, func(w *warp.Warp, tr *trace) {
			o := setup[T](w)
			pairs(o)[i].typed(w, o)
			o.keep(tr)
		})
		issued := traced(t, dev, func(w *warp.Warp, tr *trace) {
			o := setup[T](w)
			in = pairs(o)[i].in
			assert.NoError(t, w.Issue(in))
			o.keep(tr)
		})
		if diff := cmp.Diff(typed, issued); diff != "" {
			t.Errorf("%T, %+v: typed and issued differ:\n%s", *new(T), in, diff)
		}
	}
}

// numbers are the encodings that every type of number has.
func numbers[T warp.Number](kind warp.Kind, imm int64, c T) func(o operands[T]) []encoded[T] {
	return func(o operands[T]) []encoded[T] {
		in := func(op isa.Op, more ...func(*warp.Instruction)) warp.Instruction {
			i := warp.Instruction{Op: op, Type: kind, Dst: row(o.d), A: row(o.a)}
			for _, f := range more {
				f(&i)
			}
			return i
		}
		b := func(i *warp.Instruction) { i.B = row(o.b) }
		at := func(i *warp.Instruction) { i.B = row(o.at) }
		k := func(i *warp.Instruction) { i.Imm = imm }
		n := func(v int64) func(*warp.Instruction) { return func(i *warp.Instruction) { i.Imm = v } }
		width := func(v int) func(*warp.Instruction) { return func(i *warp.Instruction) { i.Width = v } }
		return []encoded[T]{
			{in(isa.Mov), func(w *warp.Warp, o operands[T]) { warp.Mov(o.d, o.a) }},
			{warp.Instruction{Op: isa.Mov, Type: kind, Dst: row(o.d), Imm: imm}, func(w *warp.Warp, o operands[T]) { warp.Set(o.d, c) }},
			{in(isa.Select, b, func(i *warp.Instruction) { i.C = pred0 }), func(w *warp.Warp, o operands[T]) { warp.Select(o.d, o.p, o.a, o.b) }},
			{in(isa.ShflDown, n(3)), func(w *warp.Warp, o operands[T]) { warp.ShflDown(o.d, o.a, 3) }},
			{in(isa.ShflUp, n(1), width(8)), func(w *warp.Warp, o operands[T]) {
				warp.Shfl(o.d, o.a, warp.Shuffle{Mode: crossbar.Up, Operand: 1, Width: 8})
			}},
			{in(isa.ShflXor, n(5), func(i *warp.Instruction) { i.Dst2 = pred1 }), func(w *warp.Warp, o operands[T]) {
				warp.Shfl(o.d, o.a, warp.Shuffle{Mode: crossbar.Xor, Operand: 5, InRange: o.q})
			}},
			{in(isa.ShflIdx, at), func(w *warp.Warp, o operands[T]) {
				warp.Shfl(o.d, o.a, warp.Shuffle{Mode: crossbar.Idx, PerLane: o.at})
			}},
			{in(isa.Mov, k, func(i *warp.Instruction) { i.Guard = pred0 }), func(w *warp.Warp, o operands[T]) {
				w.Where(o.p, func() { warp.Mov(o.d, o.a) })
			}},
			{in(isa.Mov, func(i *warp.Instruction) { i.GuardNot = pred0 }), func(w *warp.Warp, o operands[T]) {
				w.WhereNot(o.p, func() { warp.Mov(o.d, o.a) })
			}},
		}
	}
}

// arithmetic are the encodings of the operations that integers, floats and
// doubles have under ops of their own.
func arithmetic[T warp.Number](kind warp.Kind, add, mul, minmax, compare isa.Op, imm int64, c T) func(o operands[T]) []encoded[T] {
	return func(o operands[T]) []encoded[T] {
		var out []encoded[T]
		both := func(op isa.Op, variant uint8, reg func(d, a, b warp.Reg[T]), constant func(d, a warp.Reg[T], c T)) {
			if op == isa.Invalid {
				return
			}
			in := warp.Instruction{Op: op, Type: kind, Variant: variant, Dst: row(o.d), A: row(o.a), B: row(o.b)}
			out = append(out, encoded[T]{in, func(w *warp.Warp, o operands[T]) { reg(o.d, o.a, o.b) }})
			if constant != nil {
				in.B, in.Imm = isa.NoReg, imm
				out = append(out, encoded[T]{in, func(w *warp.Warp, o operands[T]) { constant(o.d, o.a, c) }})
			}
		}
		both(add, 0, warp.Add[T], warp.AddImm[T])
		both(add, 1, warp.Sub[T], nil)
		both(mul, 0, warp.Mul[T], warp.MulImm[T])
		both(minmax, 0, warp.Min[T], nil)
		both(minmax, 1, warp.Max[T], nil)
		for v, f := range []struct {
			reg func(d warp.Pred, a, b warp.Reg[T])
			imm func(d warp.Pred, a warp.Reg[T], c T)
		}{{warp.Eq[T], warp.EqImm[T]}, {warp.Ne[T], warp.NeImm[T]}, {warp.Lt[T], warp.LtImm[T]},
			{warp.Le[T], warp.LeImm[T]}, {warp.Gt[T], warp.GtImm[T]}, {warp.Ge[T], warp.GeImm[T]}} {
			in := warp.Instruction{Op: compare, Type: kind, Variant: uint8(v), Dst: pred1, A: row(o.a), B: row(o.b)}
			out = append(out, encoded[T]{in, func(w *warp.Warp, o operands[T]) { f.reg(o.q, o.a, o.b) }})
			in.B, in.Imm = isa.NoReg, imm
			out = append(out, encoded[T]{in, func(w *warp.Warp, o operands[T]) { f.imm(o.q, o.a, c) }})
		}
		return out
	}
}

// integers are the encodings that only integers have.
func integers[T warp.Integer](kind warp.Kind, imm int64, c T) func(o operands[T]) []encoded[T] {
	return func(o operands[T]) []encoded[T] {
		var out []encoded[T]
		three := func(op isa.Op, variant uint8, f func(d, a, b warp.Reg[T]), constant func(d, a warp.Reg[T], c T)) {
			in := warp.Instruction{Op: op, Type: kind, Variant: variant, Dst: row(o.d), A: row(o.a), B: row(o.b)}
			out = append(out, encoded[T]{in, func(w *warp.Warp, o operands[T]) { f(o.d, o.a, o.b) }})
			if constant != nil {
				in.B, in.Imm = isa.NoReg, imm
				out = append(out, encoded[T]{in, func(w *warp.Warp, o operands[T]) { constant(o.d, o.a, c) }})
			}
		}
		three(isa.Logic, 0, warp.And[T], warp.AndImm[T])
		three(isa.Logic, 1, warp.Or[T], warp.OrImm[T])
		three(isa.Logic, 2, warp.Xor[T], warp.XorImm[T])
		three(isa.Logic, 3, warp.AndNot[T], nil)
		three(isa.Shift, 0, warp.Shl[T], warp.ShlImm[T])
		three(isa.Shift, 1, warp.Shr[T], warp.ShrImm[T])
		two := func(op isa.Op, f func(d, a warp.Reg[T])) {
			out = append(out, encoded[T]{warp.Instruction{Op: op, Type: kind, Dst: row(o.d), A: row(o.a)},
				func(w *warp.Warp, o operands[T]) { f(o.d, o.a) }})
		}
		two(isa.Popc, warp.Popc[T])
		two(isa.Brev, warp.Brev[T])
		two(isa.Clz, warp.Clz[T])
		return append(out,
			encoded[T]{warp.Instruction{Op: isa.Logic, Type: kind, Variant: 4, Dst: row(o.d), A: row(o.a)},
				func(w *warp.Warp, o operands[T]) { warp.Not(o.d, o.a) }},
			encoded[T]{warp.Instruction{Op: isa.IMul, Type: kind, Dst: row(o.d), A: row(o.a), B: row(o.b), C: row(o.c)},
				func(w *warp.Warp, o operands[T]) { warp.MulAdd(o.d, o.a, o.b, o.c) }})
	}
}

func testIssueInt[T warp.Integer](t *testing.T, kind warp.Kind) {
	for _, dev := range []string{"h200", "mtt-s4000"} {
		sameAsTyped(t, dev, numbers[T](kind, 77, 77))
		sameAsTyped(t, dev, arithmetic[T](kind, isa.IAdd, isa.IMul, isa.IMinMax, isa.ICmp, 3, 3))
		sameAsTyped(t, dev, integers[T](kind, 5, 5))
	}
}

func TestIssueEqualsTyped(t *testing.T) {
	t.Run("int8", func(t *testing.T) { testIssueInt[int8](t, warp.Int8) })
	t.Run("int16", func(t *testing.T) { testIssueInt[int16](t, warp.Int16) })
	t.Run("int32", func(t *testing.T) { testIssueInt[int32](t, warp.Int32) })
	t.Run("int64", func(t *testing.T) { testIssueInt[int64](t, warp.Int64) })
	t.Run("uint8", func(t *testing.T) { testIssueInt[uint8](t, warp.Uint8) })
	t.Run("uint16", func(t *testing.T) { testIssueInt[uint16](t, warp.Uint16) })
	t.Run("uint32", func(t *testing.T) { testIssueInt[uint32](t, warp.Uint32) })
	t.Run("uint64", func(t *testing.T) { testIssueInt[uint64](t, warp.Uint64) })
	t.Run("float32", func(t *testing.T) {
		bits := int64(math.Float32bits(-2.5))
		sameAsTyped(t, "h200", numbers[float32](warp.Float32, bits, -2.5))
		// Ops of one type need not name it.
		for _, kind := range []warp.Kind{warp.Float32, 0} {
			sameAsTyped(t, "h200", arithmetic[float32](kind, isa.FAdd, isa.FMul, isa.FMinMax, isa.FCmp, bits, -2.5))
		}
	})
	t.Run("float64", func(t *testing.T) {
		bits := int64(math.Float64bits(-2.5))
		sameAsTyped(t, "h200", numbers[float64](warp.Float64, bits, -2.5))
		sameAsTyped(t, "h200", arithmetic[float64](0, isa.DAdd, isa.DMul, isa.Invalid, isa.DCmp, bits, -2.5))
	})
	t.Run("the rest", func(t *testing.T) {
		type op = operands[int32]
		sameAsTyped(t, "h200", func(o op) []encoded[int32] {
			out := []encoded[int32]{
				{warp.Instruction{Op: isa.Fence}, func(w *warp.Warp, o op) { w.Fence() }},
				{warp.Instruction{Op: isa.ReadClock}, func(w *warp.Warp, o op) { w.Clock() }},
				{warp.Instruction{Op: isa.WarpSync}, func(w *warp.Warp, o op) { w.SyncWarp(w.Active()) }},
				{warp.Instruction{Op: isa.BarSync}, func(w *warp.Warp, o op) { w.SyncBlock() }},
				{warp.Instruction{Op: isa.BarRed, Dst: row(o.count), A: pred0}, func(w *warp.Warp, o op) { warp.SyncCount(o.count, o.p) }},
				{warp.Instruction{Op: isa.Ballot, Dst: mask0, A: pred0}, func(w *warp.Warp, o op) { warp.Ballot(o.m, o.p) }},
				{warp.Instruction{Op: isa.Exit, A: pred1}, func(w *warp.Warp, o op) { w.Exit(o.q) }},
			}
			for k := warp.VoteAll; k <= warp.VoteUni; k++ {
				out = append(out, encoded[int32]{warp.Instruction{Op: isa.Vote, Variant: uint8(k), Dst: pred1, A: pred0},
					func(w *warp.Warp, o op) { warp.Vote(k, o.q, o.p) }})
			}
			for k := warp.ReduxAdd; k <= warp.ReduxXor; k++ {
				out = append(out, encoded[int32]{warp.Instruction{Op: isa.Redux, Type: warp.Int32, Variant: uint8(k), Dst: row(o.d), A: row(o.b)},
					func(w *warp.Warp, o op) { warp.Redux(k, o.d, o.b) }})
			}
			return out
		})
	})
}

// A select and a multiply-add take an immediate too, which no typed function
// has: the values are those with a register that holds it, on a file whose
// number of rows is odd as well, and no row holds the immediate.
func TestIssueImmediateOperands(t *testing.T) {
	for _, dev := range []string{"h200", "mi300x"} {
		traced(t, dev, func(w *warp.Warp, tr *trace) {
			o := setup[int64](w)
			warp.Set(o.a, -9)
			assert.NoError(t, w.Issue(warp.Instruction{Op: isa.Select, Type: warp.Int64, Dst: row(o.d), A: row(o.b), Imm: -9, C: pred0}))
			want := warp.Alloc[int64](w)
			warp.Select(want, o.p, o.b, o.a)
			same(t, w, want, o.d)
			assert.NoError(t, w.Issue(warp.Instruction{Op: isa.IMul, Type: warp.Int64, Dst: row(o.d), A: row(o.b), Imm: -9, C: row(o.c)}))
			warp.MulAdd(want, o.b, o.a, o.c)
			same(t, w, want, o.d)
			for r := want.Row() + 2; r < min(w.Device().Limits.RegistersPerLane, isa.MaxRows); r++ {
				x := warp.Alloc[int32](w)
				if x.Undefined() != lane.FirstN(w.Width()) {
					t.Errorf("row %d has been written", x.Row())
				}
			}
		})
	}
}

// same compares two registers in the active lanes.
func same[T comparable](t testing.TB, w *warp.Warp, want, got warp.Reg[T]) {
	t.Helper()
	for l := range w.Active().Lanes() {
		if want.Lanes()[l] != got.Lanes()[l] {
			t.Errorf("lane %d: %v, want %v", l, got.Lanes()[l], want.Lanes()[l])
			return
		}
	}
}
