package warptest

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/view"
)

// Profile lets a test or benchmark drop a profile with one line: what engines of c
// simulate from then on, one after the other, is in profile.pb.gz when it ends, for
// go tool pprof. The file lies in the test's folder of artifacts, which go test -artifacts
// keeps; the log names it. The host takes longer meanwhile, simulated cycles do not. See
// view.Recording.WriteProfile for what is in it.
func Profile(tb testing.TB, c *warp.Config) {
	tb.Helper()
	r := view.Attach(c, view.Options{Steps: -1, Issues: -1})
	tb.Cleanup(func() {
		name := filepath.Join(tb.ArtifactDir(), "profile.pb.gz")
		f, err := os.Create(name)
		if err == nil {
			err = r.WriteProfile(f)
			if failed := f.Close(); err == nil {
				err = failed
			}
		}
		if err != nil {
			tb.Errorf("warptest: profile: %v", err)
			return
		}
		tb.Logf("profile: %s", name)
	})
}
