package reduce_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
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

// A span stands for the items first to last in order.
type span struct{ First, Last int32 }

var (
	poisoned = span{-9, -9} // what lanes without an item hold
	nonsense = span{-1, -1} // spans joined that are not neighbours in order
)

// ordered is an operator that does not commute. It panics on a lane without an
// item; joining what are not neighbours in order makes nonsense, which the lanes
// that have no part in the result may.
var ordered = reduce.New("join", isa.IAdd, func(a, b span) span {
	switch {
	case a == poisoned || b == poisoned:
		panic("an operator saw a lane without an item")
	case a == nonsense || b == nonsense || a.Last+1 != b.First:
		return nonsense
	}
	return span{a.First, b.Last}
})

// A bag is a set of up to 64 items and poison.
type bag struct{ Items, Poison uint64 }

// union commutes and panics on lanes without an item. Lanes that have no part
// in the result may combine an item twice.
var union = reduce.New("union", isa.Logic, func(a, b bag) bag {
	if a.Poison|b.Poison != 0 {
		panic("an operator saw a lane without an item")
	}
	return bag{Items: a.Items | b.Items}
}).Commuting()
