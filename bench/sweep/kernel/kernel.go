// Package kernel holds the kernels that a sweep can name. A package registers its
// own from an init function; the program that runs the sweep imports it.
package kernel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A Job is what a kernel is run on. The outcome is a function of it: no clock, no
// state from one job to the next.
type Job struct {
	Device *device.Profile // not to be changed
	Type   string          // of the elements, such as "f32"
	Size   int             // items, at least 1
	Seed   uint64
	// Repetition counts from 0: the same job on other data.
	Repetition int
}

// An Outcome is what a run gave. All of it is exact.
type Outcome struct {
	Cycles       int64
	Instructions int64 // of warps
	Conflicts    int64 // passes through shared memory beyond those without conflict
	Result       string
	Evidence     string // how well the numbers behind the cycles are known
}

// From takes the figures of a report over. A fault in it is an error.
func From(r *warp.Report, result string) (Outcome, error) {
	for i := range r.Faults {
		return Outcome{}, &r.Faults[i]
	}
	return Outcome{
		Cycles: int64(r.Cycles), Instructions: r.Instructions, Conflicts: r.ConflictPasses,
		Result: result, Evidence: r.Evidence().String(),
	}, nil
}

// A Kernel is what a sweep runs at every point.
type Kernel struct {
	Name  string // letters, digits, '-', '/' and '.'
	Doc   string // a sentence
	Types []string
	// Run runs one job on one processor. It may be called from several
	// goroutines. An error is a row of its own and does not end the sweep.
	Run func(context.Context, Job) (Outcome, error)

	pkg string
}

var registry struct {
	sync.Mutex
	kernels  map[string]Kernel
	problems []error
}

// Register makes a kernel known. It is for init functions: what is wrong with
// the kernel is told when the program starts, by [Problem].
func Register(k Kernel) {
	registry.Lock()
	defer registry.Unlock()
	if registry.kernels == nil {
		registry.kernels = make(map[string]Kernel)
	}
	if pc, _, _, ok := runtime.Caller(1); ok {
		k.pkg = packageOf(runtime.FuncForPC(pc).Name())
	}
	wrong := ""
	switch _, twice := registry.kernels[k.Name]; {
	case k.Name == "" || strings.Trim(k.Name, nameLetters) != "":
		wrong = "the name has to be of letters, digits, '-', '/' and '.'"
	case twice:
		wrong = "another kernel has the same name"
	case len(k.Types) == 0:
		wrong = "it names no types of elements"
	case k.Run == nil:
		wrong = "it has no Run"
	}
	if wrong != "" {
		registry.problems = append(registry.problems, fmt.Errorf("kernel %q of %s: %s", k.Name, k.pkg, wrong))
		return
	}
	registry.kernels[k.Name] = k
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/."

// packageOf cuts a function's name down to its package.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/')
	if dot := strings.IndexByte(function[slash+1:], '.'); dot >= 0 {
		return function[:slash+1+dot]
	}
	return function
}

// Problem returns what is wrong with kernels that were registered, nil if nothing
// is.
func Problem() error {
	registry.Lock()
	defer registry.Unlock()
	return errors.Join(registry.problems...)
}

// Lookup finds a kernel by its name.
func Lookup(name string) (Kernel, bool) {
	registry.Lock()
	defer registry.Unlock()
	k, ok := registry.kernels[name]
	return k, ok
}

// Names returns the names of all kernels in order.
func Names() []string { return names(func(Kernel) bool { return true }) }

// Of returns the names of the kernels that a package registered, in order.
func Of(pkg string) []string { return names(func(k Kernel) bool { return k.pkg == pkg }) }

func names(want func(Kernel) bool) []string {
	registry.Lock()
	defer registry.Unlock()
	var list []string
	for name, k := range registry.kernels {
		if want(k) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Do runs a kernel, and turns a panic of it into an error.
func Do(ctx context.Context, k Kernel, j Job) (out Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = Outcome{}, fmt.Errorf("kernel %s panicked: %v", k.Name, p)
		}
	}()
	return k.Run(ctx, j)
}
