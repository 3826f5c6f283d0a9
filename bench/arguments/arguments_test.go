// Package arguments calls every exported function and method of every public
// package of this module with zero, nil and extreme arguments. What it calls is
// read off the compiled packages when the test runs, so that a new function is
// covered without being named.
package arguments

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// A function is one to call.
type function struct {
	name string
	f    any
}

// What the table that is written at run time fills in.
var (
	functions []function
	named     []reflect.Type
	makers    = map[reflect.Type]maker{} // of types that depend on type arguments
)

// Every exported function and method, with one argument after the other zero, nil
// or extreme: no panic leaves the library, no call hangs or takes huge memory, and
// in a kernel the mistake is a fault that does not blame the kernel's own Go code.
func TestEveryFunctionTakesAnyArguments(t *testing.T) {
	if len(functions) > 0 {
		t.Skip("the table is there: see TestTable")
	}
	if raced {
		t.Skip("the program that does the work is without the race detector")
	}
	dir := t.TempDir()
	table, overlay := filepath.Join(dir, "table.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(table, writeTable(t), 0o600))
	here, err := os.Getwd()
	require.NoError(t, err)
	o, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "written_test.go"): table}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, o, 0o600))
	args := []string{"test", "-vet=off", "-count=1", "-gcflags=-N -l", "-overlay", overlay, "-run", "^TestTable$", "-timeout", "5m"}
	if testing.Short() {
		args = append(args, "-short")
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

const (
	patience = 5 * time.Second // of a call that takes no context
	deadline = 25 * time.Millisecond
	most     = 256 << 20 // bytes that a call may take
)

func TestTable(t *testing.T) {
	if len(functions) == 0 {
		t.Skip("run by TestEveryFunctionTakesAnyArguments")
	}
	debug.SetMemoryLimit(2 << 30)
	calls, begin := 0, time.Now()
	for i, d := range []string{"h200", "mi300x", "custom-128"} {
		s := newSetting(t, d)
		s.hostOnce = i > 0
		for _, f := range functions {
			calls += s.tryAll(f.name, reflect.ValueOf(f.f), nil)
		}
		for _, typ := range named {
			calls += s.tryMethods(typ)
		}
		if testing.Short() {
			break
		}
	}
	fmt.Printf("%d functions, %d types, %d calls in %v\n", len(functions), len(named), calls, time.Since(begin))
}

// A setting is where calls are tried.
type setting struct {
	t      *testing.T
	device *device.Profile
	engine *warp.Engine
	failed map[string]int

	hostOnce bool // what is no part of a kernel was tried on another device
}

func newSetting(t *testing.T, name string) *setting {
	p, err := device.Lookup(name)
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
	require.NoError(t, err)
	return &setting{t: t, device: p, engine: e, failed: map[string]int{}}
}

// madeOnly are types for those who build fronts and hosts, which are only as their
// packages make them: methods on the hot path do not look for the zero value. What
// makes them is tried as any function is.
var madeOnly = map[string]bool{"memory.System": true, "memory.Front": true, "grid.Grid": true, "grid.Dispatcher": true, "team.Roster": true}

// runningOnly are types that only a running test or benchmark can be, which makes
// subtests: there is none to hand over here.
var runningOnly = map[reflect.Type]bool{reflect.TypeFor[*testing.T](): true, reflect.TypeFor[*testing.B](): true}

func (s *setting) tryMethods(typ reflect.Type) (calls int) {
	if madeOnly[typ.String()] {
		return 0
	}
	ptr := reflect.PointerTo(typ)
	for i := range ptr.NumMethod() {
		m := ptr.Method(i)
		calls += s.tryAll(fmt.Sprintf("(%v).%s", ptr, m.Name), m.Func, ptr)
	}
	return calls
}

// tryAll calls f with each argument in turn zero, nil or extreme and the others
// good, and with all of them at their worst.
func (s *setting) tryAll(name string, f reflect.Value, receiver reflect.Type) (calls int) {
	typ := f.Type()
	if s.hostOnce && frontOf(typ) == host {
		return 0
	}
	n := typ.NumIn()
	choices := make([][]choice, n)
	for i := range choices {
		if runningOnly[typ.In(i)] {
			return 0
		}
		choices[i] = choicesOf(typ.In(i), 0)
		if i == 0 && receiver != nil {
			choices[i] = receivers(receiver)
		}
	}
	try := func(pick func(i int) choice) {
		calls++
		picked := make([]choice, n)
		for i := range picked {
			picked[i] = pick(i)
		}
		if what := s.try(f, picked); what != "" && s.failed[name] < 3 {
			s.failed[name]++
			s.t.Errorf("%s on %s: %v: %s", name, s.device.Name, picked, what)
		}
	}
	try(func(i int) choice { return choices[i][0] })
	for at := range choices {
		for _, c := range choices[at][1:] {
			try(func(i int) choice {
				if i == at {
					return c
				}
				return choices[i][0]
			})
		}
	}
	for worst := range 8 {
		try(func(i int) choice { return choices[i][min(worst, len(choices[i])-1)] })
	}
	return calls
}

// try makes one call and says what is wrong with how it went, "" if nothing.
func (s *setting) try(f reflect.Value, args []choice) string {
	before := allocated()
	done := make(chan string, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Sprintf("panics: %v\n%s", p, firstFrames())
			}
			close(done)
		}()
		done <- s.call(f, args)
	}()
	select {
	case what := <-done:
		if n := allocated() - before; what == "" && n > most {
			what = fmt.Sprintf("takes %d bytes", n)
		}
		return what
	case <-time.After(patience):
		buf := make([]byte, 1<<16)
		s.t.Fatalf("%v with %v hangs\n%s", f.Type(), args, buf[:runtime.Stack(buf, true)])
		return ""
	}
}

// allocated returns how many bytes the program has taken so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// firstFrames are the library's frames of a stack that panics.
func firstFrames() string {
	var lines []string
	for _, l := range strings.Split(string(debug.Stack()), "\n") {
		if strings.Contains(l, ".go:") && !strings.Contains(l, "/runtime/") && !strings.Contains(l, "arguments_test.go") {
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return strings.Join(lines[:min(3, len(lines))], "\n")
}

// call calls f where it belongs: in a kernel of the wide or the per-lane front, or
// outside of any.
func (s *setting) call(f reflect.Value, args []choice) string {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	in := place{setting: s, ctx: ctx}
	run := func() {
		values := make([]reflect.Value, len(args))
		for i := range args {
			t := f.Type().In(i)
			v := args[i].make(&in)
			if !v.IsValid() {
				v = reflect.Zero(t)
			}
			values[i] = v
		}
		if f.Type().IsVariadic() {
			f.CallSlice(values)
		} else {
			f.Call(values)
		}
	}
	var err error
	switch frontOf(f.Type()) {
	case wide:
		_, err = s.engine.Run(ctx, warp.Launch{Blocks: warp.X(1), Threads: warp.X(s.device.Lanes), Shared: 1024}, func(w *warp.Warp) {
			in.warp = w
			run()
		})
	case perLane:
		_, err = intrinsics.Launch(ctx, s.engine, warp.X(1), warp.X(s.device.Lanes), func(t *intrinsics.Thread) {
			in.thread = t
			run()
		}, intrinsics.DynamicBytes(1024))
	default:
		run()
		return ""
	}
	if err == nil {
		return ""
	}
	text := err.Error()
	if strings.Contains(text, "mistake of this library") || strings.Contains(text, "own Go code") && !strings.Contains(text, "by the test") {
		return text
	}
	return ""
}
