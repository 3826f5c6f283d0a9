package bench

import (
	"slices"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded are the cycles that one application took on an H200, by threads of
// the block (warp-level reductions: one warp). The kernels are CUDA code for the
// same algorithms, not the same instructions: what has to agree is the order.
var recorded = []struct {
	typ       string
	algorithm string
	cycles    map[int]float64
}{
	{"f32", "shuffle-down", map[int]float64{32: 145}},
	{"f32", "shuffle-xor", map[int]float64{32: 145}},
	{"f32", "shared-tree", map[int]float64{32: 193.67}},
	{"i32", "shuffle-down", map[int]float64{32: 145}},
	{"i32", "redux", map[int]float64{32: 44.17}},
	{"f32", "hybrid", map[int]float64{64: 388.67, 128: 394.17, 256: 410.67, 512: 434.17, 1024: 515.83}},
	{"f32", "block-tree", map[int]float64{64: 504, 128: 609, 256: 765.33, 512: 1049.5, 1024: 1553.5}},
	// testdata/atomics.csv
	{"i32", "hybrid", map[int]float64{64: 402.5, 128: 416.5, 256: 439, 512: 497, 1024: 712.5}},
	{"i32", "atomics", map[int]float64{64: 320, 128: 330, 256: 353, 512: 404, 1024: 520}},
	{"f32", "tree-then-shuffle", map[int]float64{64: 342, 128: 433, 256: 559.83, 512: 777, 1024: 1183.33}},
}

// For every size, two algorithms whose recorded cycles differ by more than a
// tenth come in the order of the chip; those that are closer may change places.
func TestReductionsKeepTheOrderOfTheChip(t *testing.T) {
	list := contests(t, "h200", 64, 128, 256, 512, 1024)
	pairs := 0
	for _, c := range list {
		simulated := map[string]float64{}
		for _, o := range c.ranking(t) {
			simulated[o.algorithm] = o.cycles
		}
		for _, a := range recorded {
			for _, b := range recorded {
				x, y := a.cycles[c.size], b.cycles[c.size]
				if a.typ != c.typ || b.typ != c.typ || x == 0 || y < 1.1*x {
					continue
				}
				pairs++
				assert.Less(t, simulated[a.algorithm], simulated[b.algorithm],
					"%v: %s took %v cycles, %s %v", c, a.algorithm, x, b.algorithm, y)
			}
		}
	}
	assert.Equal(t, 22, pairs, "of the recorded figures")
}

// The block reductions that a public library has as well come in the order in which that
// library's take their time on the chip, however close they are.
func TestBlockReductionsKeepTheLibrarysOrder(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for threads, order := range map[int][]string{
		256:  {"raking", "raking-commutative", "warp-reductions"},
		1024: {"raking", "warp-reductions"},
	} {
		var got []string
		for _, o := range newContest[float32](t, p, "f32", reduce.BlockScope, threads).ranking(t) {
			if slices.Contains(order, o.algorithm) {
				got = append(got, o.algorithm)
			}
		}
		assert.Equal(t, order, got, "%d threads", threads)
	}
}

// How far hybrid is ahead of the tree grows with the block, as on the chip: the
// tree passes a barrier more for each doubling.
func TestHybridLeadGrows(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	last := 1.0
	for _, threads := range []int{64, 128, 256, 512, 1024} {
		list := newContest[float32](t, p, "f32", reduce.BlockScope, threads).ranking(t)
		at := func(name string) float64 {
			return list[slices.IndexFunc(list, func(o cost) bool { return o.algorithm == name })].cycles
		}
		lead := at("block-tree") / at("hybrid")
		assert.Greater(t, lead, last, "%d threads", threads)
		last = lead
	}
}

// A warp of shuffles on the chip: five times 24 cycles for the shuffle, 4 for
// the addition and 1 to cross from one pipe to the other.
func TestShuffleReductionTakesItsLatencies(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for _, o := range newContest[float32](t, p, "f32", reduce.WarpScope, 32).ranking(t) {
		if o.algorithm == "shuffle-xor" {
			assert.Equal(t, 5*(24+4+1.0), o.cycles)
			assert.Equal(t, 10.0, o.instructions)
		}
	}
}
