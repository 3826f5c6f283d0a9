package scan_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// engine returns an engine for a device that stops at the first fault, races
// included.
func engine(t testing.TB, name string) *warp.Engine {
	t.Helper()
	return configured(t, name, warp.Config{ValuesOnly: true, Workers: 1, Sanitize: true})
}

// configured returns an engine for a device.
func configured(t testing.TB, name string, c warp.Config) *warp.Engine {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	c.Device = p
	e, err := warp.New(c)
	require.NoError(t, err)
	return e
}

// devices are one of each width that is sold, and the widths between.
var devices = []string{"h200", "mi300x", "mtt-s5000", "mtt-s4000", "mtt-m1000", "custom-1", "custom-2", "custom-8", "custom-16"}

// run launches one block and holds the run to be without any fault, warnings
// included.
func run(t testing.TB, e *warp.Engine, threads int, k warp.Kernel) {
	t.Helper()
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
}

// A span stands for the items first to last in order; -100 to -100 is an
// initial value, which stands before item 0 of its group.
type span struct{ First, Last int32 }

var (
	poisoned = span{-9, -9}
	nothing  = span{-5, -5} // the identity
)

// ordered is an operator that does not commute and panics on lanes without an
// item and on spans that are not neighbours.
var ordered = reduce.New("join", isa.IAdd, func(a, b span) span {
	switch {
	case a == poisoned || b == poisoned:
		panic("an operator saw a lane without an item")
	case a == nothing:
		return b
	case b == nothing:
		return a
	case a.Last+1 != b.First && !(a.Last == -100):
		panic("an operator joined what are no neighbours")
	}
	return span{a.First, b.Last}
})

// A wish is what a test asks of a Spec.
type wish struct {
	width, valid                  int
	exclusive, aggregate, initial bool
	prefix                        bool
}

// outcome holds what the lanes of one warp have after a scan.
type outcome struct{ inclusive, exclusive, aggregate warp.Reg[span] }

// scanned runs an algorithm on items, each a span of its own, in the lanes of
// w that the wish gives one.
func scanned(w *warp.Warp, a scan.Algorithm[span], op reduce.Op[span], in wish, item func(thread int) (span, bool)) outcome {
	var m warp.Mem[span]
	if a.Storage != nil {
		m = a.Storage(w)
	}
	base := w.ID() * w.Width()
	o := outcome{inclusive: warp.Alloc[span](w)}
	s := scan.Spec[span]{Width: in.width, Valid: team.First(in.valid)}
	if in.exclusive {
		o.exclusive = warp.Alloc[span](w)
		s.Exclusive = o.exclusive
	}
	if in.aggregate {
		o.aggregate = warp.Alloc[span](w)
		s.Aggregate = o.aggregate
	}
	if in.initial {
		s.Initial = warp.Alloc[span](w)
		warp.Set(s.Initial, span{-100, -100})
	}
	if in.prefix {
		s.Prefix = func(prefix, total warp.Reg[span]) { warp.Set(prefix, span{-100, -100}) }
	}
	have := w.Pred()
	var items = w.Live()
	for l := range w.Width() {
		o.inclusive.Lanes()[l] = poisoned
		if _, ok := item(base + l); !ok {
			items = items.Without(l)
		}
	}
	warp.SetPred(have, items)
	w.Where(have, func() {
		warp.SetLanes(o.inclusive, func(l int) span {
			v, _ := item(base + l)
			return v
		})
	})
	a.Run(o.inclusive, op, s, m)
	return o
}

// hold compares what a lane has.
func hold(t *testing.T, what string, r warp.Reg[span], l int, want span, where func() string) bool {
	t.Helper()
	if got := r.Lanes()[l]; got != want || r.Undefined().Has(l) {
		t.Errorf("%s: %s of lane %d is %v (undefined %v), want %v", where(), what, l, got, r.Undefined().Has(l), want)
		return false
	}
	return true
}

// holdAll compares all that a wish asks for in one lane, whose item is the one
// of that place in the group that begins at first and ends at last.
func holdAll(t *testing.T, o outcome, in wish, identity bool, l, place, first, last int, where func() string) bool {
	t.Helper()
	begin := int32(first)
	if in.initial || in.prefix {
		begin = -100
	}
	ok := hold(t, "inclusive", o.inclusive, l, span{begin, int32(first + place)}, where)
	if in.exclusive {
		want := span{begin, int32(first + place - 1)}
		if place == 0 {
			want = nothing
			if begin < 0 {
				want = span{-100, -100}
			}
		}
		ok = ok && hold(t, "exclusive", o.exclusive, l, want, where)
	}
	if in.aggregate {
		ok = ok && hold(t, "aggregate", o.aggregate, l, span{int32(first), int32(last)}, where)
	}
	return ok
}
