package warp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// Floats are loaded four at a time, by one instruction of 16 bytes a lane.
func ExampleViewMem() {
	h200, _ := device.Lookup("h200")
	e, _ := warp.New(warp.Config{Device: h200})
	floats := make([]float32, 128)
	for i := range floats {
		floats[i] = float32(i)
	}
	in, _ := warp.Global(e, floats)
	fours, _ := warp.ViewMem[[4]float32](in)
	e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
		v, sum := warp.Alloc[[4]float32](w), warp.Alloc[float32](w)
		warp.Load(v, fours, w.LaneID())
		warp.Add(sum, warp.Part[float32](v, 0), warp.Part[float32](v, 1))
		warp.Add(sum, sum, warp.Part[float32](v, 2))
		warp.Add(sum, sum, warp.Part[float32](v, 3))
		warp.Store(in, w.LaneID(), sum) // the same memory
	})
	fmt.Println(fours.Len(), floats[:3])
	// Output: 32 [6 22 38]
}

type float4 struct{ X, Y, Z, W float32 }

// A view is the same memory, from an offset on, and what is left over at the end is not
// in it.
func TestViewMem(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	data := make([]float32, 35)
	m, err := warp.Global(e, data)
	require.NoError(t, err)
	v, err := warp.ViewMem[float4](m.At(8))
	require.NoError(t, err)
	require.Equal(t, 6, v.Len())
	v.At(-2).Data()[3] = float4{1, 2, 3, 4}
	assert.Equal(t, []float32{1, 2, 3, 4}, data[12:16])
	was, _ := m.At(8).Address()
	is, _ := v.Address()
	assert.Equal(t, was, is)
	back, err := warp.ViewMem[float32](v)
	require.NoError(t, err)
	assert.Equal(t, 24, back.Len())

	for want, view := range map[string]func() error{
		"byte 4, inside of an element of 16": func() error { _, err := warp.ViewMem[[4]float32](m.At(1)); return err },
		"inside of an element of 12":         func() error { _, err := warp.ViewMem[[3]float32](m.At(2)); return err },
	} {
		var config *warp.ConfigError
		require.ErrorAs(t, view(), &config, want)
		assert.ErrorContains(t, config, want)
	}
	_, err = warp.ViewMem[*int](m)
	assert.ErrorAs(t, err, new(*lane.TypeError))
	empty, err := warp.ViewMem[int64](warp.Mem[float32]{})
	require.NoError(t, err)
	assert.Zero(t, empty.Len())
}

// A race is found though one thread writes floats and another reads four, in global and
// in shared memory; and four floats are undefined until all are written.
func TestViewMemIsChecked(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	newEngine := func() *warp.Engine {
		e, err := warp.New(warp.Config{Device: p, Sanitize: true, Faults: warp.Collect})
		require.NoError(t, err)
		return e
	}
	kinds := func(e *warp.Engine, k warp.Kernel) map[warp.FaultKind]bool {
		report, err := e.Run(t.Context(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, k)
		require.NoError(t, err)
		found := map[warp.FaultKind]bool{}
		for _, f := range report.Faults {
			found[f.Kind] = true
		}
		return found
	}
	exchange := func(w *warp.Warp, floats warp.Mem[float32], fours warp.Mem[[4]float32], barrier bool) {
		one, v := warp.Alloc[float32](w), warp.Alloc[[4]float32](w)
		warp.Set(one, 1)
		warp.Store(floats, w.ThreadID(), one)
		if barrier {
			w.SyncBlock()
		}
		if w.ID() == 0 { // floats 0 to 127, of which warp 1 writes 32 to 63
			few := w.Pred()
			warp.LtImm(few, w.LaneID(), 16)
			w.If(few, func() { warp.Load(v, fours, w.LaneID()) })
		}
	}
	for _, barrier := range []bool{false, true} {
		e := newEngine()
		floats, err := warp.Global(e, make([]float32, 64))
		require.NoError(t, err)
		fours, err := warp.ViewMem[[4]float32](floats)
		require.NoError(t, err)
		assert.Equal(t, !barrier, kinds(e, func(w *warp.Warp) { exchange(w, floats, fours, barrier) })[warp.GlobalRace])
		assert.Equal(t, !barrier, kinds(e, func(w *warp.Warp) {
			s := warp.Shared[float32](w, 64)
			v, err := warp.ViewMem[[4]float32](s)
			assert.NoError(t, err)
			exchange(w, s, v, barrier)
		})[warp.SharedRace])
	}
	for _, written := range []int32{63, 64} {
		e := newEngine()
		floats, err := warp.Undefined[float32](e, 64)
		require.NoError(t, err)
		fours, err := warp.ViewMem[[4]float32](floats)
		require.NoError(t, err)
		assert.Equal(t, written < 64, kinds(e, func(w *warp.Warp) {
			one, v, in := warp.Alloc[float32](w), warp.Alloc[[4]float32](w), w.Pred()
			warp.Set(one, 1)
			warp.LtImm(in, w.ThreadID(), written)
			w.If(in, func() { warp.Store(floats, w.ThreadID(), one) })
			w.SyncBlock()
			warp.LtImm(in, w.ThreadID(), 16)
			w.If(in, func() { warp.Load(v, fours, w.ThreadID()) })
		})[warp.UninitializedGlobal], "%d of 64 are written", written)
	}
}
