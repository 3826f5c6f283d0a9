package warptest_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sound is a kernel that is right, of one of the fronts, and the faults that it can make.
// Those of the blind set, for both, were written down before anybody had looked which of
// them the checks find.
type sound struct {
	name          string
	blocks, warps int
	lane          func(x *faulty, t *thread)
	wide          func(x *faulty, m *memory, w *warp.Warp)
	want          func(s shape, i int) int32 // out
	only          []string                   // devices, nil: all
	harmless      []string                   // what the languages define
	inStep        []string                   // what they define where the lanes of a warp go in step
}

func soundLane(name string, blocks, warps int, lane func(x *faulty, t *thread), want func(s shape, i int) int32) sound {
	return sound{name: name, blocks: blocks, warps: warps, lane: lane, want: want}
}

// A memory is what a kernel works on: i at place i of in, the others as those of
// faulty.
type memory struct{ in, out, work, flags, counts warp.Mem[int32] }

func (c *sound) run(f string, e *warp.Engine) (*faulty, *warp.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	threads := c.warps * e.Device().Lanes
	n := c.blocks * threads
	var m memory
	var err [5]error
	m.in, err[0] = warp.Global(e, by(n, func(i int) int32 { return int32(i) }))
	m.out, err[1] = warp.Global(e, make([]int32, n))
	m.work, err[2] = warp.Undefined[int32](e, n)
	m.flags, err[3] = warp.Global(e, make([]int32, n))
	m.counts, err[4] = warp.Global(e, make([]int32, n))
	if err := errors.Join(err[:]...); err != nil {
		return nil, nil, err
	}
	x := &faulty{fault: f, out: intrinsics.FromMem(m.out)}
	if c.wide != nil {
		r, err := e.Run(ctx, warp.Launch{Blocks: warp.X(c.blocks), Threads: warp.X(threads)}, func(w *warp.Warp) { c.wide(x, &m, w) })
		return x, r, err
	}
	x.in, x.work = intrinsics.FromMem(m.in), intrinsics.FromMem(m.work)
	x.flags, x.counts = intrinsics.FromMem(m.flags), intrinsics.FromMem(m.counts)
	r, e2 := intrinsics.Launch(ctx, e, warp.X(c.blocks), warp.X(threads), func(t *thread) { c.lane(x, t) })
	return x, r, e2
}

// named returns what the run of a fault is told, "" if nothing. That the result is another
// one is told by a schedule only if it is right without.
func (c *sound) named(t *testing.T, f, device string, seed uint64) string {
	e, err := warp.New(warp.Config{Device: profile(t, device), Faults: warp.Collect, Sanitize: true, ValuesOnly: true, Seed: seed})
	require.NoError(t, err)
	x, r, err := c.run(f, e)
	var fault *warp.Fault
	switch {
	case errors.As(err, &fault):
		return fault.Kind.Name()
	case err != nil:
		return err.Error()
	case len(r.Faults) > 0:
		return r.Faults[0].Kind.Name()
	case seed != 0 && !reflect.DeepEqual(c.expected(e), x.out.Data()):
		e, err := warp.New(warp.Config{Device: profile(t, device), Faults: warp.Collect, ValuesOnly: true})
		require.NoError(t, err)
		if x, _, err := c.run(f, e); err == nil && reflect.DeepEqual(c.expected(e), x.out.Data()) {
			return "result"
		}
	}
	return ""
}

func (c *sound) expected(e *warp.Engine) []int32 {
	s := shape{e.Device().Lanes, c.warps * e.Device().Lanes, c.blocks}
	return by(c.blocks*s.threads, func(i int) int32 { return c.want(s, i) })
}

// Kernels that nobody had in mind when the checks were written are clean, too, and
// their faults are named. The list of those that are not is in a golden file.
func TestBlindFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of programs, one after the other")
	}
	needsCode(t)
	var missed strings.Builder
	total, alone, explored := 0, 0, 0
	for _, c := range slices.Concat(blindLanes, blindWide) {
		for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
			if c.only != nil && !slices.Contains(c.only, device) {
				continue
			}
			var could []string
			for seed := range uint64(4) {
				e, err := warp.New(warp.Config{Device: profile(t, device), Faults: warp.Collect, Sanitize: true, ValuesOnly: true, Seed: seed})
				require.NoError(t, err)
				x, r, err := c.run("", e)
				if !assert.NoError(t, err, "%s on %s, seed %d", c.name, device, seed) {
					continue
				}
				for i := range r.Faults {
					assert.Fail(t, "a correct kernel", "%s on %s, seed %d: %s", c.name, device, seed, r.Faults[i].Error())
				}
				assert.Equal(t, c.expected(e), x.out.Data(), "%s on %s, seed %d", c.name, device, seed)
				could = x.could
			}
			for _, f := range could {
				if slices.Contains(c.harmless, f) || slices.Contains(c.inStep, f) && !profile(t, device).Rules.IndependentThreads {
					continue
				}
				total++
				how := c.named(t, f, device, 0)
				if how != "" {
					alone++
					explored++
					continue
				}
				for seed := uint64(1); seed <= 8 && how == ""; seed++ {
					how = c.named(t, f, device, seed)
				}
				if how != "" {
					explored++
					how = ", with a schedule: " + how
				}
				fmt.Fprintf(&missed, "%s on %s: %s%s\n", c.name, device, f, how)
			}
		}
	}
	text := fmt.Sprintf("%d kernels, %d faults on three devices: %d named by the sanitizer alone, %d with schedules. The others:\n\n%s",
		len(blindLanes)+len(blindWide), total, alone, explored, missed.String())
	t.Log(text)
	golden(t, "blind_faults.golden", text)
}
