package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onWarp runs a kernel on one full warp and returns the report.
func onWarp(t *testing.T, name string, k warp.Kernel) *warp.Report {
	t.Helper()
	e := engine(t, name, warp.Config{})
	r, err := e.Run(context.Background(), one(e.Device().Lanes), k)
	require.NoError(t, err)
	return r
}

// A body may allocate in every turn of a long loop, and registers from before it,
// and those made on first use, keep their values.
func TestBodiesGiveRegistersBack(t *testing.T) {
	onWarp(t, "h200", func(w *warp.Warp) {
		n := warp.Alloc[int32](w)
		warp.Set(n, 0)
		var first warp.Reg[int32]
		w.While(func() warp.Pred {
			p := w.Pred()
			warp.LtImm(p, n, 1000)
			return p
		}, func() {
			x, y := warp.Alloc[int64](w), warp.Alloc[int32](w)
			warp.Set(x, 7)
			warp.Set(y, 8)
			first = w.LaneID()
			q := w.Pred()
			warp.LtImm(q, first, 16)
			w.IfElse(q, func() { warp.Set(warp.Alloc[int32](w), 9) }, func() { w.MaskReg() })
			warp.AddImm(n, n, 1)
		})
		assert.Equal(t, int32(1000), n.Lanes()[5])
		row := first.Row()
		z := warp.Alloc[int32](w)
		warp.Set(z, -1)
		assert.Greater(t, z.Row(), row)
		assert.Equal(t, int32(31), w.LaneID().Lanes()[31])
		assert.Equal(t, row, w.LaneID().Row(), "it is read once")
	})
}

// The parts of values of several words are those words, cost nothing, and are as
// old as the whole: an instruction on a part waits for what wrote the whole.
func TestPartsCostNothing(t *testing.T) {
	kernel := func(use bool) warp.Kernel {
		return func(w *warp.Warp) {
			v := warp.Alloc[[4]float32](w)
			data := warp.Shared[[4]float32](w, w.Width())
			warp.SetLanes(v, func(l int) [4]float32 { return [4]float32{float32(l), 1, 2, float32(-l)} })
			warp.Store(data, w.LaneID(), v)
			warp.Load(v, data, w.LaneID())
			x := warp.Alloc[float32](w)
			if !use {
				warp.AddImm(x, x, 1)
				return
			}
			last := warp.Part[float32](v, 3)
			warp.AddImm(x, last, 1)
			for l, got := range x.Lanes() {
				assert.Equal(t, float32(1-l), got)
			}
			assert.Equal(t, float32(2), warp.Part[float32](v, 2).Lanes()[0])
			assert.Equal(t, [2]float32{2, -7}, warp.Part[[2]float32](v, 1).Lanes()[7])
		}
	}
	without, with := onWarp(t, "h200", kernel(false)), onWarp(t, "h200", kernel(true))
	assert.Equal(t, without.Instructions, with.Instructions)
	assert.Greater(t, with.Cycles, without.Cycles, "the sum waits for the load")

	wide := onWarp(t, "mi300x", func(w *warp.Warp) {
		d := warp.Alloc[uint64](w)
		warp.SetLanes(d, func(l int) uint64 { return uint64(l)<<32 | 5 })
		lo, hi := warp.Part[uint32](d, 0), warp.Part[uint32](d, 1)
		warp.Add(lo, lo, hi)
		assert.Equal(t, uint32(63+5), lo.Lanes()[63])
		warp.ShflXor(hi, warp.Part[uint32](d, 1), 1)
		assert.Equal(t, uint32(1), hi.Lanes()[0])
	})
	assert.EqualValues(t, 1, wide.Count(isa.IAdd))

	for _, bad := range []func(w *warp.Warp){
		func(w *warp.Warp) { warp.Part[uint16](warp.Alloc[uint64](w), 0) },
		func(w *warp.Warp) { warp.Part[uint32](warp.Alloc[uint64](w), 2) },
		func(w *warp.Warp) { warp.Part[uint32](warp.Alloc[uint64](w), -1) },
		func(w *warp.Warp) { warp.Part[uint64](warp.Alloc[[3]uint32](w), 0) },
	} {
		_, err := engine(t, "h200", warp.Config{}).Run(context.Background(), one(32), bad)
		assert.ErrorIs(t, err, warp.BadInstruction)
	}
}

func TestPositionsInThreeDimensions(t *testing.T) {
	e := engine(t, "h200", warp.Config{Workers: 1})
	grid, block := warp.Dim{X: 2, Y: 3, Z: 2}, warp.Dim{X: 5, Y: 4, Z: 3}
	var blocks []warp.Dim
	r, err := e.Run(context.Background(), warp.Launch{Blocks: grid, Threads: block}, func(w *warp.Warp) {
		if w.ID() == 0 {
			blocks = append(blocks, w.BlockXYZ())
		}
		x, y, z := w.ThreadX(), w.ThreadY(), w.ThreadZ()
		assert.Equal(t, x, w.ThreadX())
		for l := range w.Live().Lanes() {
			i := w.ID()*w.Width() + l
			assert.Equal(t, [3]int32{int32(i % 5), int32(i / 5 % 4), int32(i / 20)}, [3]int32{x.Lanes()[l], y.Lanes()[l], z.Lanes()[l]})
		}
	})
	require.NoError(t, err)
	require.Len(t, blocks, 12)
	assert.Equal(t, warp.Dim{X: 1, Y: 2, Z: 1}, blocks[11])
	assert.Equal(t, warp.Dim{X: 1, Y: 0, Z: 1}, blocks[7])
	assert.EqualValues(t, 12*2*3, r.Count(isa.ReadSpecial))
}

func TestSearchInMasks(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		onWarp(t, name, func(w *warp.Warp) {
			m, d := w.MaskReg(), warp.Alloc[int32](w)
			for _, set := range []lane.Mask{{}, lane.Bit(0), lane.Only(3, w.Width()-1), lane.Bit(w.Width() - 1)} {
				warp.SetMask(m, set)
				warp.FirstInMask(d, m)
				assert.Equal(t, int32(set.First()), d.Lanes()[1])
				warp.LastInMask(d, m)
				assert.Equal(t, int32(set.Last()), d.Lanes()[1])
			}
		})
	}
	r := onWarp(t, "h200", func(w *warp.Warp) { warp.FirstInMask(warp.Alloc[int32](w), w.MaskReg()) })
	assert.Equal(t, []int64{1, 1}, []int64{r.Count(isa.Brev), r.Count(isa.Clz)})
}

func TestExclusiveOrOfPredicates(t *testing.T) {
	r := onWarp(t, "h200", func(w *warp.Warp) {
		p, q := w.Pred(), w.Pred()
		warp.SetPred(p, lane.Range(0, 20))
		warp.SetPred(q, lane.Range(10, 32))
		warp.PredXor(p, p, q)
		assert.Equal(t, lane.Range(10, 20).Not(32), p.Mask())
	})
	assert.EqualValues(t, 1, r.Count(isa.Logic))
}

// A polynomial by Horner's rule takes one instruction a coefficient; the sum is
// rounded once, and named floats are floats.
func TestFMAWithAConstant(t *testing.T) {
	type metres float32
	r := onWarp(t, "h200", func(w *warp.Warp) {
		x, y := warp.Alloc[metres](w), warp.Alloc[metres](w)
		warp.SetLanes(x, func(l int) metres { return metres(l) })
		warp.FMAImm(y, x, x, 1)
		warp.FMAImm(y, y, x, -2)
		assert.Equal(t, metres(5*(5*5+1)-2), y.Lanes()[5])
		warp.Set(x, 1+0x1p-12)
		warp.FMAImm(y, x, x, -1)
		assert.Equal(t, metres(0x1p-11+0x1p-24), y.Lanes()[0], "the product is not rounded")
	})
	assert.EqualValues(t, 3, r.Count(isa.FFma))
}

// Increments and decrements go round between 0 and the bound.
func TestAtomicsWithABound(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	m, err := warp.Global(e, []uint32{3, 9})
	require.NoError(t, err)
	var up, down []uint32
	_, err = e.Run(context.Background(), one(8), func(w *warp.Warp) {
		at, bound, d := warp.Alloc[int32](w), warp.Alloc[uint32](w), warp.Alloc[uint32](w)
		warp.Set(at, 0)
		warp.Set(bound, 4)
		warp.Atomic(warp.AtomicIncrement, d, m, at, bound)
		up = append(up, d.Lanes()[:8]...)
		warp.Set(at, 1)
		warp.Atomic(warp.AtomicDecrement, d, m, at, bound)
		down = append(down, d.Lanes()[:8]...)
		warp.AtomicReduce(warp.AtomicIncrement, m, at, bound) // from 2: 3, 4, 0, 1, 2, 3, 4, 0
	})
	require.NoError(t, err)
	assert.Equal(t, []uint32{3, 4, 0, 1, 2, 3, 4, 0}, up)
	assert.Equal(t, []uint32{9, 4, 3, 2, 1, 0, 4, 3}, down)
	assert.Equal(t, []uint32{1, 0}, m.Data())
	_, err = engine(t, "h200", warp.Config{}).Run(context.Background(), one(32), func(w *warp.Warp) {
		warp.AtomicReduce(warp.AtomicIncrement, warp.Shared[int32](w, 32), w.LaneID(), w.LaneID())
	})
	assert.ErrorIs(t, err, warp.Unsupported)
}
