package warptest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A faulty is the memory of a kernel written per lane, and the one fault that it
// makes: a way to do wrong what stands at a place. Without one it notes the faults
// that it could make.
type faulty struct {
	fault  string
	could  []string
	in     *intrinsics.Array[int32] // i at place i
	out    *intrinsics.Array[int32] // one element a thread
	work   *intrinsics.Array[int32] // starts undefined, one element a thread
	flags  *intrinsics.Array[int32] // zeros
	counts *intrinsics.Array[int32] // zeros
}

// is reports whether the fault is made.
func (x *faulty) is(place, way string) bool {
	f := place + ": " + way
	if x.fault == "" && !slices.Contains(x.could, f) {
		x.could = append(x.could, f)
	}
	return x.fault == f
}

func (x *faulty) sync(t *thread, place string) {
	switch {
	case x.is(place, "barrier dropped"):
	case t.BlockDim().X > t.WarpSize() && x.is(place, "warp barrier instead"):
		intrinsics.SyncWarp(t, t.AllLanes())
	case x.is(place, "barrier in a branch"):
		if t.ThreadRank()%8 != 7 {
			intrinsics.SyncThreads(t)
		}
	default:
		intrinsics.SyncThreads(t)
	}
}

func (x *faulty) syncWarp(t *thread, place string) {
	switch m := t.AllLanes(); {
	case x.is(place, "warp barrier dropped"):
	case x.is(place, "warp barrier without a lane"):
		intrinsics.SyncWarp(t, m.Without(0))
	default:
		intrinsics.SyncWarp(t, m)
	}
}

func (x *faulty) fence(t *thread, place string) {
	if !x.is(place, "fence dropped") {
		intrinsics.ThreadFence(t)
	}
}

// mask is the member mask of a collective of all lanes.
func (x *faulty) mask(t *thread, place string) intrinsics.Mask {
	switch m := t.AllLanes(); {
	case x.is(place, "mask without a lane"):
		return m.Without(m.Count() - 1)
	case x.is(place, "mask of nobody"):
		return intrinsics.Mask{}
	case x.is(place, "mask of the lower half"):
		for l := m.Count() - 1; l >= t.WarpSize()/2; l-- {
			m = m.Without(l)
		}
		return m
	case x.is(place, "mask that differs by lane") && t.Lane() == 1:
		return m.Without(0)
	default:
		return m
	}
}

func (x *faulty) width(t *thread, place string, w int) int {
	switch {
	case x.is(place, "width of three quarters"):
		return w / 4 * 3
	case x.is(place, "width above the warp"):
		return 2 * t.WarpSize()
	}
	return w
}

// tree is the first and the last distance of a reduction over the warp.
func (x *faulty) tree(t *thread, place string) (from, to int) {
	from, to = t.WarpSize()/2, 1
	if x.is(place, "tree starts low") {
		from /= 2
	}
	if x.is(place, "tree ends early") {
		to = 2
	}
	return from, to
}

func (x *faulty) bound(place string, n int) int {
	if x.is(place, "bound one too high") {
		return n + 1
	}
	return n
}

func (x *faulty) guard(place string, cond bool) bool { return x.is(place, "guard dropped") || cond }

func (x *faulty) add(t *thread, place string, a *intrinsics.Array[int32], i int, v int32) int32 {
	if x.is(place, "plain instead of atomic") {
		old := a.Load(t, i)
		a.Store(t, i, old+v)
		return old
	}
	return intrinsics.AtomicAdd(t, a, i, v)
}

func (x *faulty) poll(t *thread, place string, a *intrinsics.Array[int32], i int) int32 {
	if x.is(place, "plain instead of volatile") {
		return a.Load(t, i)
	}
	return a.LoadVolatile(t, i)
}

// publish stores data and then raises a flag.
func (x *faulty) publish(t *thread, place string, data, flag func()) {
	if x.is(place, "flag before data") {
		flag()
		x.fence(t, place)
		data()
		return
	}
	data()
	x.fence(t, place)
	flag()
}

// warpSum sums over the warp, for lane 0.
func (x *faulty) warpSum(t *thread, place string, v int32) int32 {
	from, to := x.tree(t, place)
	for d := from; d >= to; d /= 2 {
		v += intrinsics.ShflDownSync(t, x.mask(t, place), v, d)
	}
	return v
}

// A shape is that of a launch.
type shape struct{ lanes, threads, blocks int }

// Kernels that are right are clean on devices of all widths, under several
// schedules, and every single fault that they can make is named, nearly always
// without a schedule. Those that are not are in a golden file.
func TestSingleFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of programs, one after the other")
	}
	needsCode(t)
	total, alone, explored := 0, 0, 0
	var missed strings.Builder
	for i := range soundKernels {
		c := &soundKernels[i]
		var could []string
		barriers := strings.Contains(c.name, "named barriers")
		for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
			if barriers && profile(t, device).Limits.NamedBarriers < 3 {
				continue
			}
			for seed := range uint64(3) {
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
				if device == "h200" && seed == 0 {
					could = x.could
				}
			}
		}
		for _, f := range could {
			total++
			if c.named(t, f, "h200", 0) != "" {
				alone++
				explored++
				continue
			}
			how := ""
			for seed := uint64(1); seed <= 6 && how == ""; seed++ {
				how = c.named(t, f, "h200", seed)
			}
			if how != "" {
				explored++
				how = ", with a schedule: " + how
			}
			fmt.Fprintf(&missed, "%s: %s%s\n", c.name, f, how)
		}
	}
	t.Logf("%d kernels, %d faults: %d by the sanitizer alone, %d with schedules\n%s", len(soundKernels), total, alone, explored, missed.String())
	golden(t, "single_faults.golden", fmt.Sprintf("%d kernels, %d faults: %d named by the sanitizer alone, %d with schedules. The others:\n\n%s",
		len(soundKernels), total, alone, explored, missed.String()))
	require.GreaterOrEqual(t, total, 200)
	require.GreaterOrEqual(t, alone*100, total*95)
	require.GreaterOrEqual(t, explored*100, total*98)
}
