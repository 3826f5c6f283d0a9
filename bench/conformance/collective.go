package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/warpsim/bench/internal/simt"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// reductions names the algorithm of package reduce that combines in the order
// of the recorded one.
var reductions = map[string]string{
	"warp":                     "shuffle-interleaved",
	"block_warp_reductions":    "warp-reductions",
	"block_raking":             "raking",
	"block_raking_commutative": "raking-commutative",
}

// scans does the same for package scan.
var scans = map[string]string{
	"warp":             "hillis-steele",
	"block_warp_scans": "warp-scans",
	"block_raking":     "raking",
}

// affine is x -> A*x + B over 32-bit words, which the recordings compose.
type affine struct{ A, B uint32 }

var compose = reduce.New("compose", isa.IMul, func(f, g affine) affine {
	return affine{f.A * g.A, f.B*g.A + g.B}
})

// An element is how the recordings write the values of a type.
type element[T any] struct {
	parse  func(text string) (T, error)
	format func(T) string
}

var (
	integers = element[int32]{
		func(s string) (int32, error) { v, err := strconv.ParseInt(s, 10, 32); return int32(v), err },
		func(v int32) string { return strconv.Itoa(int(v)) },
	}
	singles = element[float32]{
		func(s string) (float32, error) {
			v, err := strconv.ParseUint(s, 16, 32)
			return math.Float32frombits(uint32(v)), err
		},
		func(v float32) string { return floats([]uint64{uint64(math.Float32bits(v))}, 32) },
	}
	doubles = element[float64]{
		func(s string) (float64, error) {
			v, err := strconv.ParseUint(s, 16, 64)
			return math.Float64frombits(v), err
		},
		func(v float64) string { return floats([]uint64{math.Float64bits(v)}, 64) },
	}
	affines = element[affine]{
		func(s string) (f affine, err error) {
			a, b, found := strings.Cut(s, ":")
			x, err := strconv.ParseUint(a, 16, 32)
			y, err2 := strconv.ParseUint(b, 16, 32)
			if err == nil {
				err = err2
			}
			if !found && err == nil {
				err = fmt.Errorf("no colon in %q", s)
			}
			return affine{uint32(x), uint32(y)}, err
		},
		func(f affine) string { return fmt.Sprintf("%x:%x", f.A, f.B) },
	}
)

// list reads the values of a cell.
func list[T any](r *record, column string, e element[T]) []T {
	var out []T
	for word := range strings.FieldsSeq(r.text(column)) {
		v, err := e.parse(word)
		if err != nil {
			r.fail(column, fmt.Sprintf("%q: %v", word, err))
		}
		out = append(out, v)
	}
	return out
}

// written puts values in the form in which results are compared.
func written[T any](values []T, e element[T]) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = e.format(v)
	}
	return strings.Join(out, " ")
}

// byType runs the function that fits a row's type and operator.
func byType(r *record, s32 func(reduce.Op[int32]) ([]result, error), f32 func(reduce.Op[float32]) ([]result, error),
	f64 func(reduce.Op[float64]) ([]result, error), words func(reduce.Op[affine]) ([]result, error)) ([]result, error) {
	switch typ, op := r.text("type"), r.text("op"); typ + " " + op {
	case "s32 sum":
		return s32(reduce.Sum[int32]())
	case "s32 max":
		return s32(reduce.Max[int32]())
	case "f32 sum":
		return f32(reduce.Sum[float32]())
	case "f64 sum":
		return f64(reduce.Sum[float64]())
	case "affine compose":
		return words(compose)
	default:
		r.fail("op", fmt.Sprintf("no check for %s of %s", op, typ))
		return nil, nil
	}
}

// size reads a logical width or a number of threads, held to what a block has.
func (r *record) size(column string) int {
	n := r.number(column)
	if n < 1 || n > 1024 {
		r.fail(column, fmt.Sprintf("%d is not from 1 to 1024", n))
		return 1
	}
	return int(n)
}

func checkReduction(l layer, r *record) ([]result, error) {
	e := l.machine()
	return byType(r,
		func(op reduce.Op[int32]) ([]result, error) { return reduction(e, r, op, integers) },
		func(op reduce.Op[float32]) ([]result, error) { return reduction(e, r, op, singles) },
		func(op reduce.Op[float64]) ([]result, error) { return reduction(e, r, op, doubles) },
		func(op reduce.Op[affine]) ([]result, error) { return reduction(e, r, op, affines) })
}

func reduction[T any](e *warp.Engine, r *record, op reduce.Op[T], el element[T]) ([]result, error) {
	n, valid := r.size("logical_width_or_threads"), r.size("valid_items")
	in, want := list(r, "input", el), list(r, "result_of_each_logical_warp", el)
	a, err := reduce.Lookup[T](reductions[r.text("algorithm")])
	if err != nil {
		r.fail("algorithm", err.Error())
	}
	if r.err != nil {
		return nil, nil
	}
	tile, step := reduce.Tile{Valid: team.First(valid)}, len(in)
	if a.Scope == reduce.WarpScope {
		tile.Width, step = n, n
	}
	out := make([]T, len(in))
	err = one(e, len(in), func(w *warp.Warp) {
		var s warp.Mem[T]
		if a.Storage != nil {
			s = a.Storage(w)
		}
		v, base := warp.Alloc[T](w), w.ID()*w.Width()
		warp.SetLanes(v, func(l int) T { return in[base+l] })
		a.Run(v, op, tile, s)
		copy(out[base:], v.Lanes())
	})
	return []result{{"result_of_each_logical_warp", written(want, el), written(heads(out, step, len(want)), el)}}, err
}

// heads returns every step-th value, n at most.
func heads[T any](values []T, step, n int) []T {
	var out []T
	for i := 0; i < len(values) && len(out) < n; i += step {
		out = append(out, values[i])
	}
	return out
}

func checkScan(l layer, r *record) ([]result, error) {
	e := l.machine()
	return byType(r,
		func(op reduce.Op[int32]) ([]result, error) { return scanned(e, r, op, integers) },
		func(op reduce.Op[float32]) ([]result, error) { return scanned(e, r, op, singles) },
		func(op reduce.Op[float64]) ([]result, error) { return scanned(e, r, op, doubles) },
		func(op reduce.Op[affine]) ([]result, error) { return scanned(e, r, op, affines) })
}

func scanned[T any](e *warp.Engine, r *record, op reduce.Op[T], el element[T]) ([]result, error) {
	n, in, initial := r.size("logical_width_or_threads"), list(r, "input", el), list(r, "initial", el)
	inclusive, exclusive, sums := list(r, "inclusive", el), list(r, "exclusive_with_initial", el), list(r, "aggregate", el)
	if len(initial) != 1 {
		r.fail("initial", "not one value")
	}
	name := r.text("algorithm")
	if name == "block_warp_scans" && n%lanes != 0 {
		name = "block_raking" // which the library takes for blocks with a partial warp
	}
	a, err := scan.Lookup[T](scans[name])
	if err != nil {
		r.fail("algorithm", err.Error())
	}
	if r.err != nil {
		return nil, nil
	}
	width, step := 0, len(in)
	if a.Scope == reduce.WarpScope {
		width, step = n, n
	}
	// One run gives the inclusive scan and the sums, another the exclusive
	// scan, since the initial value is part of the first's sums.
	got := make([][]T, 3)
	for k := range got {
		got[k] = make([]T, len(in))
	}
	for k := range 2 {
		err := one(e, len(in), func(w *warp.Warp) {
			var m warp.Mem[T]
			if a.Storage != nil {
				m = a.Storage(w)
			}
			v, base := warp.Alloc[T](w), w.ID()*w.Width()
			warp.SetLanes(v, func(l int) T { return in[base+l] })
			s := scan.Spec[T]{Width: width}
			if k == 0 {
				s.Aggregate = warp.Alloc[T](w)
			} else {
				s.Exclusive, s.Initial = warp.Alloc[T](w), warp.Alloc[T](w)
				warp.Set(s.Initial, initial[0])
			}
			a.Run(v, op, s, m)
			if k == 0 {
				copy(got[0][base:], v.Lanes())
				copy(got[2][base:], s.Aggregate.Lanes())
			} else {
				copy(got[1][base:], s.Exclusive.Lanes())
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return []result{
		{"inclusive", written(inclusive, el), written(heads(got[0], 1, len(inclusive)), el)},
		{"exclusive_with_initial", written(exclusive, el), written(heads(got[1], 1, len(exclusive)), el)},
		{"aggregate", written(sums, el), written(heads(got[2], step, len(sums)), el)},
	}, nil
}

func checkSegments(l layer, r *record) ([]result, error) {
	e := l.machine()
	return byType(r,
		func(op reduce.Op[int32]) ([]result, error) { return segments(e, r, op, integers) },
		func(op reduce.Op[float32]) ([]result, error) { return segments(e, r, op, singles) },
		func(op reduce.Op[float64]) ([]result, error) { return segments(e, r, op, doubles) },
		func(op reduce.Op[affine]) ([]result, error) { return segments(e, r, op, affines) })
}

const segmentResults = "lane=result at the first lane of every segment"

func segments[T any](e *warp.Engine, r *record, op reduce.Op[T], el element[T]) ([]result, error) {
	in, bits, kind := list(r, "input", el), r.text("flags_of_lane_0_to_31"), r.text("flag_kind")
	if len(in) != lanes || len(bits) != lanes {
		r.fail("input", fmt.Sprintf("%d values and %d flags for %d lanes", len(in), len(bits), lanes))
	}
	reduceSegments := reduce.HeadSegmented[T]
	switch kind {
	case "head":
	case "tail":
		reduceSegments = reduce.TailSegmented[T]
	default:
		r.fail("flag_kind", fmt.Sprintf("%q is neither head nor tail", kind))
	}
	var flags lane.Mask
	for i, c := range bits {
		if c == '1' {
			flags = flags.With(i)
		}
	}
	var at []int
	var want []T
	for field := range strings.FieldsSeq(r.text(segmentResults)) {
		first, value, _ := strings.Cut(field, "=")
		l, err := strconv.Atoi(first)
		v, err2 := el.parse(value)
		if err != nil || err2 != nil || l < 0 || l >= lanes {
			r.fail(segmentResults, fmt.Sprintf("%q is not a lane and its result", field))
			break
		}
		at, want = append(at, l), append(want, v)
	}
	if r.err != nil {
		return nil, nil
	}
	got := make([]T, len(at))
	err := one(e, lanes, func(w *warp.Warp) {
		v, p := warp.Alloc[T](w), w.Pred()
		warp.SetLanes(v, func(l int) T { return in[l] })
		warp.SetPred(p, flags)
		reduceSegments(v, op, p, reduce.Tile{})
		for i, l := range at {
			got[i] = v.Lanes()[l]
		}
	})
	return []result{{segmentResults, written(want, el), written(got, el)}}, err
}

// checkSIMT runs a kernel that is written per lane.
func checkSIMT(l layer, r *record) ([]result, error) {
	threads := r.size("threads")
	want := list(r, "output_of_each_thread", integers)
	if r.err != nil {
		return nil, nil
	}
	got, err := simt.Run(context.Background(), l.machine(), r.text("kernel"), threads)
	return []result{{"output_of_each_thread", written(want, integers), written(got, integers)}}, err
}
