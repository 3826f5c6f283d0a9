package warptest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/warpsim/warp"
)

// An Exploration says which schedules to try.
type Exploration struct {
	// Config is that of the engine, which must name a device. Faults and Seed
	// are the exploration's own.
	Config warp.Config
	// Schedules is how many to try beside the engine's own, 0: 64.
	Schedules int
	// First is the first seed, 0: 1. The others follow.
	First uint64
}

// A Difference is two legal schedules of one program that do not give the same.
type Difference struct {
	Seeds     [2]uint64 // of the schedules, 0: the engine's own
	Results   [2]any
	Errors    [2]error // of the runs
	Schedules [2][]warp.ScheduleStep
	Tried     int // schedules up to the second
}

// Find runs a program under the engine's own schedule and then under others,
// which the seeds choose (of warps, of lanes, and of stores to global memory that
// come late, see warp.Config), and returns the first that gives another result or
// error; nil if there is none. The same exploration finds the same. Results are
// compared by reflect.DeepEqual. Faults do not end the runs, as a race is no
// reason not to look at what it does; what ends them all the same (a deadlock, a
// panic) is part of what must be equal. The error is that of a Config or of the
// context; a nil context or program is a *warp.ConfigError.
func Find(ctx context.Context, x Exploration, p Program) (*Difference, error) {
	if err := runnable(ctx, p); err != nil {
		return nil, err
	}
	n := x.Schedules
	if n == 0 {
		n = 64
	}
	first := max(x.First, 1)
	run := func(seed uint64) (any, *warp.Report, error, error) {
		c := x.Config
		c.Seed, c.Faults, c.ValuesOnly = seed, warp.Collect, true
		e, err := warp.New(c)
		if err != nil {
			return nil, nil, nil, err
		}
		result, r, err := p(ctx, e)
		return result, r, err, ctx.Err()
	}
	want, _, wantErr, err := run(0)
	if err != nil {
		return nil, err
	}
	for i := range n {
		seed := first + uint64(i)
		got, r, gotErr, err := run(seed)
		if err != nil {
			return nil, err
		}
		if sameError(wantErr, gotErr) && reflect.DeepEqual(want, got) {
			continue
		}
		d := &Difference{Seeds: [2]uint64{0, seed}, Results: [2]any{want, got},
			Errors: [2]error{wantErr, gotErr}, Tried: i + 2}
		if r != nil {
			d.Schedules[1] = r.Schedule
		}
		return d, nil
	}
	return nil, nil
}

// runnable returns an error if there is no context or no program.
func runnable(ctx context.Context, p Program) error {
	switch {
	case ctx == nil:
		return &warp.ConfigError{Field: "context", Value: "nil", Reason: "pass context.Background() if nothing is to end the runs"}
	case p == nil:
		return &warp.ConfigError{Field: "program", Value: "nil", Reason: "pass the function to run"}
	}
	return nil
}

// sameError reports whether two runs ended for the same reason.
func sameError(a, b error) bool {
	var f, g *warp.Fault
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case errors.As(a, &f) && errors.As(b, &g):
		return f.Kind == g.Kind && f.Site == g.Site
	}
	return a.Error() == b.Error()
}

// Explore fails the test if the result of a program depends on the schedule, and
// shows two schedules. See Find.
func Explore(t testing.TB, x Exploration, p Program) {
	t.Helper()
	d, err := Find(context.Background(), x, p)
	switch {
	case err != nil:
		t.Errorf("exploration: %v", err)
	case d != nil:
		t.Error(d.String())
	}
}

// maxShown is how many steps of a schedule are shown at its begin and its end.
const maxShown = 30

// String returns both results and schedules for people.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the result depends on the schedule (%d tried)", d.Tried)
	for i := range d.Seeds {
		name := fmt.Sprintf("seed %d", d.Seeds[i])
		if d.Seeds[i] == 0 {
			name = "the engine's own order: each warp in turn, as far as it can go"
		}
		fmt.Fprintf(&b, "\nschedule %d, %s\n", i+1, name)
		steps := d.Schedules[i]
		left := 0
		for k, s := range steps {
			// What was stale tells most.
			if k >= maxShown && k < len(steps)-maxShown && s.Until != "stale" {
				left++
				continue
			}
			if left > 0 {
				fmt.Fprintf(&b, "  ... %d more steps ...\n", left)
				left = 0
			}
			fmt.Fprintf(&b, "  %s\n", s)
		}
		if d.Errors[i] != nil {
			fmt.Fprintf(&b, "  ends with %v\n", d.Errors[i])
		}
		fmt.Fprintf(&b, "  gives %s", short(d.Results[i], d.Results[1-i]))
	}
	return b.String()
}

// short returns a result, of long slices the elements from where it differs from
// another on.
func short(v, other any) string {
	x, y := reflect.ValueOf(v), reflect.ValueOf(other)
	if !x.IsValid() || x.Kind() != reflect.Slice || x.Len() <= 16 || !y.IsValid() || y.Kind() != reflect.Slice {
		return fmt.Sprint(v)
	}
	i := 0
	for i < min(x.Len(), y.Len()) && reflect.DeepEqual(x.Index(i).Interface(), y.Index(i).Interface()) {
		i++
	}
	i = min(i, x.Len()-1)
	return fmt.Sprintf("%v from element %d of %d on", x.Slice(i, min(i+8, x.Len())), i, x.Len())
}
