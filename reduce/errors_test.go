package reduce_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused runs a kernel that must end with an *Error of the given kind.
func refused(t *testing.T, e *warp.Engine, threads int, kind error, k warp.Kernel) {
	t.Helper()
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k)
	var bad *team.Error
	require.ErrorAs(t, err, &bad)
	assert.ErrorIs(t, err, kind)
	assert.NotEmpty(t, bad.Advice)
	assert.ErrorIs(t, err, warp.BadArgument)
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	assert.True(t, strings.HasSuffix(f.Site.File, "_test.go"), "the kernel's line, not one of the library: %v", f.Site)
}

func TestKernelsEndWithTheReason(t *testing.T) {
	h200, mi300x := engine(t, "h200"), engine(t, "mi300x")
	sum := reduce.Sum[int32]()
	set := func(w *warp.Warp) warp.Reg[int32] {
		v := warp.Alloc[int32](w)
		warp.Set(v, 1)
		return v
	}
	warpScope := func(f func(warp.Reg[int32], reduce.Op[int32], reduce.Tile), op reduce.Op[int32], t reduce.Tile) warp.Kernel {
		return func(w *warp.Warp) { f(set(w), op, t) }
	}
	block := func(op reduce.Op[int32], t reduce.Tile, n int) warp.Kernel {
		return func(w *warp.Warp) { reduce.BlockHybrid(set(w), op, t, warp.Shared[int32](w, n)) }
	}
	plain := reduce.New("keep left", isa.Mov, func(a, _ int32) int32 { return a })

	refused(t, h200, 32, team.ErrWidth, warpScope(reduce.ShuffleDown[int32], sum, reduce.Tile{Width: 33}))
	refused(t, h200, 32, team.ErrWidth, warpScope(reduce.ShuffleDown[int32], sum, reduce.Tile{Width: -1}))
	refused(t, h200, 32, team.ErrWidth, warpScope(reduce.ShuffleXor[int32], sum, reduce.Tile{Width: 12}))
	refused(t, h200, 32, team.ErrValid, warpScope(reduce.ShuffleXor[int32], sum, reduce.Tile{Width: 8, Valid: team.First(9)}))
	refused(t, h200, 32, team.ErrValid, warpScope(reduce.Sequential[int32], sum, reduce.Tile{Valid: team.First(-2)}))
	refused(t, h200, 32, team.ErrOrder, warpScope(reduce.ShuffleDown[int32], plain, reduce.Tile{}))
	refused(t, h200, 32, team.ErrOrder, warpScope(reduce.ShuffleXor[int32], plain, reduce.Tile{}))
	refused(t, mi300x, 64, team.ErrRedux, warpScope(reduce.Redux[int32], sum, reduce.Tile{}))
	refused(t, h200, 32, team.ErrRedux, warpScope(reduce.Redux[int32], reduce.Product[int32](), reduce.Tile{}))
	refused(t, h200, 64, team.ErrWidth, block(sum, reduce.Tile{Width: 32}, 3))
	refused(t, h200, 64, team.ErrValid, block(sum, reduce.Tile{Valid: team.First(65)}, 3))
	refused(t, h200, 64, team.ErrStorage, block(sum, reduce.Tile{}, 2))
	refused(t, h200, 64, team.ErrOrder, block(plain, reduce.Tile{}, 3))
	refused(t, h200, 32, team.ErrActive, func(w *warp.Warp) {
		v, p := set(w), w.Pred()
		warp.SetPred(p, lane.Range(4, 9))
		w.If(p, func() { reduce.ShuffleDown(v, sum, reduce.Tile{}) })
	})
	refused(t, h200, 64, team.ErrActive, func(w *warp.Warp) {
		v, p := set(w), w.Pred()
		warp.SetPred(p, lane.FirstN(9))
		w.If(p, func() { reduce.BlockHybrid(v, sum, reduce.Tile{}, warp.Shared[int32](w, 3)) })
	})
}

func TestFitsSaysWhatTheKernelWould(t *testing.T) {
	h200, err := device.Lookup("h200")
	require.NoError(t, err)
	mi300x, err := device.Lookup("mi300x")
	require.NoError(t, err)
	mtt, err := device.Lookup("mtt-s4000")
	require.NoError(t, err)
	plain := reduce.New("keep left", isa.Mov, func(a, _ float64) float64 { return a })
	sum := reduce.Sum[float64]()
	for _, c := range []struct {
		name    string
		p       *device.Profile
		op      reduce.Op[float64]
		tile    reduce.Tile
		threads int
		kind    error
	}{
		{"shuffle-down", h200, sum, reduce.Tile{}, 1024, nil},
		{"shuffle-down", h200, sum, reduce.Tile{}, 1025, team.ErrShape},
		{"shuffle-down", h200, sum, reduce.Tile{}, 0, team.ErrShape},
		{"shuffle-down", h200, sum, reduce.Tile{Width: 64}, 64, team.ErrWidth},
		{"shuffle-down", mi300x, sum, reduce.Tile{Width: 64}, 64, nil},
		{"shuffle-xor", mi300x, sum, reduce.Tile{Width: 48}, 64, team.ErrWidth},
		{"shuffle-down", h200, sum, reduce.Tile{Valid: team.First(33)}, 64, team.ErrValid},
		{"hybrid", h200, sum, reduce.Tile{Valid: team.First(33)}, 64, nil},
		{"hybrid", h200, sum, reduce.Tile{Valid: team.First(65)}, 64, team.ErrValid},
		{"hybrid", h200, sum, reduce.Tile{Width: 16}, 64, team.ErrWidth},
		{"hybrid", h200, plain, reduce.Tile{}, 64, team.ErrOrder},
		{"hybrid-interleaved", h200, plain, reduce.Tile{}, 64, nil},
		{"redux", h200, sum, reduce.Tile{}, 64, team.ErrRedux},
		{"atomics", h200, sum, reduce.Tile{}, 64, nil},
		{"atomics", mtt, sum, reduce.Tile{}, 128, team.ErrAtomic},
		{"atomics", h200, reduce.Product[float64](), reduce.Tile{}, 64, team.ErrAtomic},
	} {
		a, err := reduce.Lookup[float64](c.name)
		require.NoError(t, err)
		err = a.Fits(c.p, c.op, c.tile, c.threads)
		if c.kind == nil {
			assert.NoError(t, err, "%+v", c)
			continue
		}
		var bad *team.Error
		if assert.ErrorAs(t, err, &bad, "%s %+v", c.name, c.tile) {
			assert.ErrorIs(t, err, c.kind)
			assert.Equal(t, c.name, bad.Algorithm)
		}
	}
	_, err = reduce.Lookup[int32]("hybird")
	assert.ErrorIs(t, err, team.ErrAlgorithm)
	assert.ErrorContains(t, err, "hybrid")
}

func TestGridRefuses(t *testing.T) {
	e := engine(t, "h200")
	data := make([]int32, 5000)
	try := func(op reduce.Op[int32], name string, s reduce.Shape, data []int32) error {
		a, err := reduce.Lookup[int32](name)
		require.NoError(t, err)
		_, report, err := reduce.Grid(context.Background(), e, data, op, a, s)
		require.NotNil(t, report)
		return err
	}
	sum := reduce.Sum[int32]()
	plain := reduce.New("keep left", isa.Mov, func(a, _ int32) int32 { return a })
	assert.NoError(t, try(sum, "hybrid", reduce.Shape{}, data))
	assert.ErrorIs(t, try(sum, "hybrid", reduce.Shape{Threads: 2000}, data), team.ErrShape)
	assert.ErrorIs(t, try(sum, "hybrid", reduce.Shape{Blocks: -1}, data), team.ErrShape)
	assert.ErrorIs(t, try(sum, "hybrid", reduce.Shape{Items: 33}, data), team.ErrShape)
	assert.ErrorIs(t, try(sum, "hybrid", reduce.Shape{Combine: 9}, data), team.ErrShape)
	assert.ErrorIs(t, try(sum, "shuffle-xor", reduce.Shape{Threads: 40, Combine: reduce.LastBlock}, data), team.ErrShape)
	assert.ErrorIs(t, try(plain, "raking", reduce.Shape{Blocks: 2}, data), team.ErrOrder)
	assert.NoError(t, try(plain, "raking", reduce.Shape{Blocks: 100}, data))
	assert.ErrorIs(t, try(plain, "raking", reduce.Shape{Blocks: 100, Combine: reduce.Atomics}, data), team.ErrAtomic)
	assert.ErrorIs(t, try(plain, "raking", reduce.Shape{}, nil), team.ErrIdentity)
	noIdentity := sum
	noIdentity.HasIdentity = false
	assert.ErrorIs(t, try(noIdentity, "hybrid", reduce.Shape{Combine: reduce.Atomics}, data), team.ErrIdentity)

	_, _, err := reduce.Grid(context.Background(), e, data, sum, reduce.Algorithm[int32]{}, reduce.Shape{})
	assert.ErrorIs(t, err, team.ErrAlgorithm)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, _ := reduce.Lookup[int32]("hybrid")
	_, _, err = reduce.Grid(ctx, e, data, sum, a, reduce.Shape{})
	assert.True(t, errors.Is(err, context.Canceled))
}
