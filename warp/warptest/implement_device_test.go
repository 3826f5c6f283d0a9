package warptest_test

import (
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/warptest"

	"github.com/stretchr/testify/require"
)

func TestDeviceOfImplementers(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many mistakes")
	}
	require.Error(t, warptest.TestDevice(nil))
	for _, name := range device.Names() {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		require.NoError(t, warptest.TestDevice(p), name)
	}
	for lanes := 1; lanes <= 128; lanes *= 2 {
		p, err := device.Custom(lanes)
		require.NoError(t, err)
		require.NoError(t, warptest.TestDevice(p), lanes)
		p.Timing = device.Timing{}
		require.NoError(t, warptest.TestDevice(p), lanes)
	}
	op := func(p *device.Profile, name string, change func(t *device.OpTiming)) {
		x := p.Timing.Ops[name]
		change(&x)
		p.Timing.Ops[name] = x
	}
	for name, c := range map[string]struct {
		device  string
		mistake func(p *device.Profile)
	}{
		"operands as HIP's":             {"h200", func(p *device.Profile) { p.Rules.Shuffle = crossbar.Uncut }},
		"operands as CUDA's":            {"mi300x", func(p *device.Profile) { p.Rules.Shuffle = crossbar.CutToWarp }},
		"operands of 5 bits":            {"mtt-s5000", func(p *device.Profile) { p.Rules.Shuffle = crossbar.CutToWarp }},
		"masks of 32 bits":              {"mi300x", func(p *device.Profile) { p.Rules.MaskBits = 32 }},
		"masks of 64 bits":              {"h200", func(p *device.Profile) { p.Rules.MaskBits = 64 }},
		"48 lanes":                      {"h200", func(p *device.Profile) { p.Lanes = 48 }},
		"a butterfly without a price":   {"h200", func(p *device.Profile) { delete(p.Timing.Ops, "shfl.xor") }},
		"match without a price":         {"h200", func(p *device.Profile) { delete(p.Timing.Ops, "match.all") }},
		"redux without a price":         {"h200", func(p *device.Profile) { delete(p.Timing.Ops, "redux") }},
		"an election without a price":   {"h200", func(p *device.Profile) { delete(p.Timing.Ops, "elect") }},
		"a way without a price":         {"mi300x", func(p *device.Profile) { delete(p.Timing.Ops, "rowmove") }},
		"barriers without a price":      {"h200", func(p *device.Profile) { delete(p.Timing.Ops, "bar.sync") }},
		"barriers without a unit":       {"h200", func(p *device.Profile) { p.Timing.Barrier = nil }},
		"a shuffle that takes no time":  {"h200", func(p *device.Profile) { op(p, "shfl.down", func(t *device.OpTiming) { t.Latency = 0 }) }},
		"a pipe that there is not":      {"h200", func(p *device.Profile) { op(p, "vote", func(t *device.OpTiming) { t.Pipe = "votes" }) }},
		"main memory nearer than L2":    {"h200", func(p *device.Profile) { p.Timing.Global.DRAM.Latency = 100 }},
		"L2 faster than L1":             {"h200", func(p *device.Profile) { p.Timing.Global.L2.SectorCycles = 0.01 }},
		"a route without the operation": {"h200", func(p *device.Profile) { p.Rules.Routes = []string{"permute"} }},
	} {
		p, err := device.Lookup(c.device)
		require.NoError(t, err)
		c.mistake(p)
		err = warptest.TestDevice(p)
		require.Error(t, err, name)
	}
}
