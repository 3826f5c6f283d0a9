package warptest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	pprof "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/warptest"
)

// One line in a test leaves a profile of all that its engine ran.
func TestProfile(t *testing.T) {
	var instructions int64
	t.Run("profiled", func(t *testing.T) {
		p, err := device.Lookup("h200")
		require.NoError(t, err)
		c := warp.Config{Device: p}
		dir := t.ArtifactDir() // before the cleanup, which it is there for then
		t.Cleanup(func() {
			f, err := os.Open(filepath.Join(dir, "profile.pb.gz"))
			require.NoError(t, err)
			defer f.Close()
			got, err := pprof.Parse(f)
			require.NoError(t, err)
			var n int64
			for _, s := range got.Sample {
				n += s.Value[1]
			}
			assert.Equal(t, instructions, n)
		})
		warptest.Profile(t, &c)
		e, err := warp.New(c)
		require.NoError(t, err)
		for range 3 {
			report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}, func(w *warp.Warp) {
				warp.ShflXor(warp.Alloc[int32](w), w.LaneID(), 1)
			})
			require.NoError(t, err)
			instructions += report.Instructions
		}
	})
	assert.Positive(t, instructions)
}
