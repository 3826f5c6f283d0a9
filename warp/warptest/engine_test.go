package warptest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
)

// unordered has warp 0 store and warp 1 load the same shared words without a barrier.
func unordered(w *warp.Warp) {
	s := warp.Shared[int32](w, w.Width())
	v := warp.Alloc[int32](w)
	warp.Set(v, 1)
	if w.ID() == 0 {
		warp.Store(s, w.LaneID(), v)
	} else {
		warp.Load(v, s, w.LaneID())
	}
}

// The engine of a test finds races and says at which lines, on every device.
func TestEngineFindsRaces(t *testing.T) {
	ran := 0
	warptest.Each(t, warptest.Devices(t, "h200", "mi300x", "mtt-s4000"), func(t *testing.T, e *warp.Engine) {
		ran++
		assert.Equal(t, t.Name(), "TestEngineFindsRaces/"+e.Device().Name)
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(2 * e.Device().Lanes)}, unordered)
		require.ErrorIs(t, err, warp.SharedRace)
		assert.Contains(t, err.Error(), "engine_test.go")
	})
	assert.Equal(t, 3, ran)
}

func TestEngineCanBeChanged(t *testing.T) {
	e := warptest.Engine(t, "h200", func(c *warp.Config) { c.Sanitize = false }, nil)
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, unordered)
	assert.NotErrorIs(t, err, warp.SharedRace)
}
