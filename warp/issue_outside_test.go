package warp_test

import (
	"context"
	"runtime"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"

	"github.com/stretchr/testify/require"
)

// outsideOf runs host in a goroutine of its own for each warp, while its kernel waits,
// and returns what host ended with.
func outsideOf(t *testing.T, threads int, kernel func(w *warp.Warp), host func(w *warp.Warp)) (ended []any, report *warp.Report, err error) {
	t.Helper()
	warps, done := make(chan *warp.Warp), make(chan any)
	defer close(warps)
	go func() {
		for w := range warps {
			func() {
				defer func() { done <- recover() }()
				host(w)
			}()
		}
	}()
	report, err = engine(t, "h200", warp.Config{Workers: 1}).Run(context.Background(), one(threads), func(w *warp.Warp) {
		kernel(w)
		warps <- w
		ended = append(ended, <-done)
	})
	return ended, report, err
}

// A host may issue from outside of the kernel function as much as it likes: a full
// record buffer does not ask the other warps, which only the kernel's goroutine can
// let run.
func TestIssueFromOutsideTheKernel(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("cannot be seen")
	}
	const turns = 6000 // more than a record buffer takes
	add := warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: isa.Row(1), A: isa.Row(1), Imm: 1}
	loop := func(w *warp.Warp) {
		require.NoError(t, w.Issue(warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: isa.Row(1)}))
		for range turns {
			require.NoError(t, w.Issue(add))
		}
	}
	for _, warps := range []int{1, 2, 5} {
		got := []uint32{}
		ended, outside, err := outsideOf(t, 32*warps, func(*warp.Warp) {}, func(w *warp.Warp) {
			loop(w)
			got = append(got, w.Front().Words(isa.Row(1))[31])
		})
		require.NoError(t, err)
		require.Equal(t, make([]any, warps), ended)
		for _, v := range got {
			require.EqualValues(t, turns, v)
		}
		require.Len(t, got, warps)
		inside, err := engine(t, "h200", warp.Config{Workers: 1}).Run(context.Background(), one(32*warps), loop)
		require.NoError(t, err)
		require.Equal(t, inside.Cycles, outside.Cycles)
		require.EqualValues(t, warps*(turns+1), outside.Instructions)
	}
}

// What needs the other warps is a fault with a name there.
func TestIssueFromOutsideThatWaits(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("cannot be seen")
	}
	ended, _, err := outsideOf(t, 64, func(*warp.Warp) {}, func(w *warp.Warp) {
		_ = w.Issue(warp.Instruction{Op: isa.BarSync})
	})
	require.Error(t, err, "one of the barriers was entered")
	var f *warp.Fault
	require.IsType(t, f, ended[0])
	require.Equal(t, warp.WrongWarp, ended[0].(*warp.Fault).Kind)
	require.Contains(t, ended[0].(*warp.Fault).Error(), "another goroutine than the kernel's")

	var first *warp.Warp
	ended, _, err = outsideOf(t, 64, func(w *warp.Warp) {
		if w.ID() == 0 {
			first = w
			w.SyncBlock()
		}
	}, func(w *warp.Warp) {
		if w.ID() == 1 {
			first.Work(isa.IAdd, 1)
		}
	})
	require.NotNil(t, ended)
	require.IsType(t, f, ended[0])
	require.Contains(t, ended[0].(*warp.Fault).Error(), "does not run now")
	_ = err
}
