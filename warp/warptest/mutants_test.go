package warptest_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

// A mutant is a kernel that leaves out one thing at one place in its source: a
// block barrier, a warp barrier, a guard, or a lane of a member mask. The empty
// mutant leaves out nothing and notes the places.
type mutant struct {
	drop   string
	places []string
}

// dropped reports whether what stands at the caller's caller is left out.
func (m *mutant) dropped(what string) bool {
	_, _, line, _ := runtime.Caller(2)
	place := fmt.Sprintf("%s in line %d", what, line)
	if m.drop == "" && !slices.Contains(m.places, place) {
		m.places = append(m.places, place)
	}
	return place == m.drop
}

func (m *mutant) syncBlock(w *warp.Warp) {
	if !m.dropped("block barrier") {
		w.SyncBlock()
	}
}

// barrier drops the waiting, not the arrival: without it the count is wrong,
// which is a deadlock and no test of races.
func (m *mutant) barrier(w *warp.Warp, id, threads int) {
	if m.dropped("wait at a named barrier") {
		w.Arrive(id, threads)
		return
	}
	w.Barrier(id, threads)
}

func (m *mutant) syncWarp(w *warp.Warp) {
	switch {
	case m.dropped("warp barrier"):
	case m.dropped("lane of a warp barrier"):
		w.SyncWarp(w.Active().Without(w.Active().Last()))
	default:
		w.SyncWarp(w.Active())
	}
}

func (m *mutant) where(w *warp.Warp, p warp.Pred, body func()) {
	if m.dropped("guard") {
		body()
		return
	}
	w.Where(p, body)
}

func (m *mutant) mask(w *warp.Warp) lane.Mask {
	if m.dropped("lane of a mask") {
		return w.Active().Without(w.Active().Last())
	}
	return w.Active()
}

// A correct is a kernel that is right, and what it gives.
type correct struct {
	name    string
	threads int
	kernel  func(m *mutant, w *warp.Warp, out ints)
	want    func(id int) int32
}

// verdict runs a mutant under some schedules and says how it is caught, "" if it
// is not.
func (c *correct) verdict(t *testing.T, drop string) string {
	for seed := uint64(0); seed < 12; seed++ {
		e, err := warp.New(warp.Config{Device: profile(t, "h200"), Faults: warp.Collect, Sanitize: true, ValuesOnly: true, Seed: seed})
		require.NoError(t, err)
		out, err := warp.Global(e, make([]int32, c.threads))
		require.NoError(t, err)
		r, err := e.Run(context.Background(), block(c.threads), func(w *warp.Warp) { c.kernel(&mutant{drop: drop}, w, out) })
		var f *warp.Fault
		switch {
		case errors.As(err, &f):
			return f.Kind.Name()
		case err != nil:
			return err.Error()
		}
		for _, k := range r.Faults {
			if k.Severity >= warp.SeverityWarning {
				return k.Kind.Name()
			}
		}
		if !reflect.DeepEqual(out.Data(), by(c.threads, c.want)) {
			return "result"
		}
	}
	return ""
}

// Nearly every mistake that is made by leaving something out is caught. The list
// of those that are not is in a golden file, with the counts.
func TestMutants(t *testing.T) {
	total, caught := 0, 0
	how := map[string]int{}
	var missed strings.Builder
	require.GreaterOrEqual(t, len(correctKernels), 30)
	for i := range correctKernels {
		c := &correctKernels[i]
		m := &mutant{}
		p := warptest.Output(block(c.threads), c.threads, func(out ints) warp.Kernel {
			return func(w *warp.Warp) { c.kernel(m, w, out) }
		})
		e := watched(t, "h200")
		got, r, err := p(context.Background(), e)
		require.NoError(t, err, c.name)
		require.Empty(t, warptest.Text(r, warp.SeverityLint), c.name)
		require.Equal(t, by(c.threads, c.want), got, c.name)
		require.NotEmpty(t, m.places, c.name)
		warptest.Explore(t, warptest.Exploration{Config: warp.Config{Device: profile(t, "h200"), Sanitize: true}, Schedules: 8}, p)
		for _, place := range m.places {
			total++
			if v := c.verdict(t, place); v != "" {
				caught++
				how[v]++
			} else {
				what, _, _ := strings.Cut(place, " in line ")
				fmt.Fprintf(&missed, "%s: %s\n", c.name, what)
				t.Logf("missed: %s: %s", c.name, place)
			}
		}
	}
	t.Logf("%d of %d mutants of %d kernels are caught: %v", caught, total, len(correctKernels), how)
	require.GreaterOrEqual(t, caught*100, total*95)
	golden(t, "mutants.golden", fmt.Sprintf("%d kernels, %d mutants, %d caught. Not caught:\n\n%s", len(correctKernels), total, caught, missed.String()))
}
