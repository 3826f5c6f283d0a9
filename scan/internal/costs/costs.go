// Package costs writes the tables of what kernels cost, for the tests that hold
// documents against the simulation.
package costs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// Devices are the columns of a table: one of each width.
var Devices = []string{"h200", "mi300x", "mtt-s4000"}

// A Row is one line of a table.
type Row struct {
	Name    string
	Threads int // of the block; 0 is one warp
	Kernel  warp.Kernel
	Global  func(e *warp.Engine) warp.Kernel // instead of Kernel, of one that has arrays of the engine's
	Lacks   error                            // the kind of error of a device that cannot run it
}

// Check holds the table between the marks <!-- costs --> and <!-- end --> of a
// document against what the rows cost now, or rewrites it.
func Check(t testing.TB, file string, update bool, rows []Row) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- costs -->\n", "<!-- end -->"
	head, rest, ok1 := bytes.Cut(text, []byte(begin))
	old, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok1 || !ok2 {
		t.Fatalf("%s has no marks %q and %q", file, begin, end)
	}
	table := Table(t, rows)
	if string(old) == table {
		return
	}
	if !update {
		t.Errorf("%s is not what the simulation says; run the test with -update. It would be\n%s", file, table)
		return
	}
	text = []byte(string(head) + begin + table + end + string(tail))
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Table runs each row on each device, a block of its own, and returns the table.
func Table(t testing.TB, rows []Row) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| function | shared bytes | instructions | cycles |\n|---|--:|--:|--:|\n")
	engines := map[string]*warp.Engine{}
	for _, name := range Devices {
		p, err := device.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if engines[name], err = warp.New(warp.Config{Device: p, Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows {
		var bytes, instructions, cycles []string
		for _, name := range Devices {
			e := engines[name]
			threads := r.Threads
			if threads == 0 {
				threads = e.Device().Lanes
			}
			kernel := r.Kernel
			if r.Global != nil {
				kernel = r.Global(e)
			}
			rep, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, kernel)
			if r.Lacks != nil && errors.Is(err, r.Lacks) {
				instructions, cycles, bytes = append(instructions, "–"), append(cycles, "–"), append(bytes, "–")
				continue
			}
			if err != nil {
				t.Fatalf("%s on %s: %v", r.Name, name, err)
			}
			if len(rep.Faults) > 0 {
				t.Errorf("%s on %s: %v", r.Name, name, &rep.Faults[0])
			}
			instructions = append(instructions, fmt.Sprint(rep.Instructions))
			cycles = append(cycles, fmt.Sprint(int64(rep.Cycles)))
			bytes = append(bytes, fmt.Sprint(rep.Launches()[0].Shared))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Name, strings.Join(bytes, " / "), strings.Join(instructions, " / "), strings.Join(cycles, " / "))
	}
	return b.String()
}

// Fits reports whether a block of so many threads has room for what a kernel
// declares in shared memory.
func Fits(e *warp.Engine, threads int, declare warp.Kernel) bool {
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, declare)
	return !errors.Is(err, warp.SharedMemory)
}

// Fill returns k registers in which lane l of item j holds f(thread*k + j), at no
// cost.
func Fill[T any](w *warp.Warp, k int, f func(i int) T) []warp.Reg[T] {
	items := make([]warp.Reg[T], k)
	for j := range items {
		items[j] = warp.Alloc[T](w)
		for l := range w.Active().Lanes() {
			items[j].Lanes()[l] = f((w.ID()*w.Width()+l)*k + j)
		}
		items[j].Define(w.Active())
	}
	return items
}

// Flags returns k predicates in which lane l of item j holds f(thread*k + j), at
// no cost.
func Flags(w *warp.Warp, k int, f func(i int) bool) []warp.Pred {
	flags := make([]warp.Pred, k)
	for j := range flags {
		flags[j] = w.Pred()
		m := w.Active()
		for l := range w.Active().Lanes() {
			if !f((w.ID()*w.Width()+l)*k + j) {
				m = m.Without(l)
			}
		}
		flags[j].Define(m, w.Active())
	}
	return flags
}
