package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// small returns a neutral device with few multiprocessors, so that small grids
// have several groups of several blocks.
func small(t testing.TB, lanes, multiprocessors int) *device.Profile {
	t.Helper()
	p, err := device.Custom(lanes)
	require.NoError(t, err)
	p = p.Clone()
	p.Limits.Multiprocessors = multiprocessors
	return p
}

func newEngine(t testing.TB, c warp.Config) *warp.Engine {
	t.Helper()
	e, err := warp.New(c)
	require.NoError(t, err)
	return e
}

// A last group of one warp after groups of several runs a kernel longer than
// the record buffer.
func TestLastGroupOfOneWarp(t *testing.T) {
	for _, values := range []bool{true, false} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: 1, ValuesOnly: values})
		for range 2 {
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(5), Threads: warp.X(32)}, func(w *warp.Warp) {
				w.Work(isa.IAdd, 10000)
				w.SyncBlock()
			})
			require.NoError(t, err)
			require.Equal(t, 3, r.Resident)
			require.EqualValues(t, 5*10001, r.Instructions)
		}
	}
}
