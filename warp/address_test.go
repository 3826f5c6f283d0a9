package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// In the order of a compiler a kernel loads the address of each array of global memory
// once, and works an address out once for each array and index, whatever the offset; in
// neither order are these instructions of the kernel.
func TestAddressesAreComputed(t *testing.T) {
	for o, want := range map[warp.Order][2]int{warp.AsWritten: {0, 0}, warp.AsCompiled: {2, 3}} {
		loads, sums := 0, 0
		e := engine(t, "h200", warp.Config{Sites: true, Order: o, Observer: &warp.Observer{Issued: func(i *timing.Issue) {
			switch {
			case !i.Instr.Implied():
			case i.Instr.Op == isa.LoadConst:
				loads++
			default:
				sums++
			}
		}}})
		in, err := warp.Global(e, make([]int32, 64))
		require.NoError(t, err)
		out, err := warp.Global(e, make([]int32, 64))
		require.NoError(t, err)
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			v, u := warp.Alloc[int32](w), warp.Alloc[int32](w)
			s := warp.Shared[int32](w, 64)
			warp.Load(v, in, w.ThreadID())
			warp.Load(u, in.At(32), w.ThreadID()) // the same address, at an offset
			warp.Add(v, v, u)
			warp.Store(s, w.ThreadID(), v) // shared memory has no such address
			warp.Load(u, s, w.ThreadID())
			warp.Store(out, w.ThreadID(), v) // another array
			warp.AddImm(v, w.ThreadID(), 1)
			warp.Store(out, v, u) // another index
		})
		require.NoError(t, err)
		require.Equal(t, want, [2]int{loads, sums}, o)
		lines, ops := int64(0), int64(0)
		for _, x := range r.Lines() {
			lines += x.Instructions
		}
		for _, x := range r.Ops() {
			ops += x.Instructions
		}
		require.Equal(t, r.Instructions, lines, o)
		require.Equal(t, r.Instructions, ops, o)
		require.Equal(t, 32*r.Instructions, r.ThreadInstructions, o)
	}
}
