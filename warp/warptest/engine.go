package warptest

import (
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// Engine returns an engine for tests of kernels on a device by name ("h200"): one that
// is strict about faults, finds races (Config.Sanitize) and names source lines
// (Config.Sites). What else the engine is to have, change sets, one after the other; they
// may turn these off too. An unknown device or a Config that warp.New refuses ends the test.
func Engine(t testing.TB, name string, change ...func(*warp.Config)) *warp.Engine {
	t.Helper()
	return engine(t, Devices(t, name)[0], change)
}

// Each runs f as a subtest on each device, named after it, with the engine that Engine
// would return. A nil f ends the test.
func Each(t *testing.T, devices []*device.Profile, f func(t *testing.T, e *warp.Engine), change ...func(*warp.Config)) {
	t.Helper()
	if f == nil {
		t.Fatal("warptest: Each: no function to run: it is nil")
	}
	for i, d := range devices {
		if d == nil {
			t.Fatalf("warptest: Each: device %d is nil; Devices returns profiles by name", i)
		}
		t.Run(d.Name, func(t *testing.T) { f(t, engine(t, d, change)) })
	}
}

func engine(t testing.TB, d *device.Profile, change []func(*warp.Config)) *warp.Engine {
	t.Helper()
	c := warp.Config{Device: d, Sanitize: true, Sites: true}
	for _, f := range change {
		if f != nil {
			f(&c)
		}
	}
	e, err := warp.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
