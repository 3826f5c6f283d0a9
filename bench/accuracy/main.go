// Accuracy holds simulated cycles against those that a chip took.
//
//	go run ./bench/accuracy                          whole kernels
//	go run ./bench/accuracy -latency                 single instructions
//	go run ./bench/accuracy -further                 what else was measured
//	go run ./bench/accuracy -grids                   whole grids
//	go run ./bench/accuracy -grids -listings         the same by the code that ran
//	go run ./bench/accuracy -waits                   where the warps of grids wait, line by line
//	go run ./bench/accuracy -counting                grids that count by atomics
//	go run ./bench/accuracy -codes                   whole kernels by their control codes
//	go run ./bench/accuracy -second                  a second set of kernels, by theirs
//	go run ./bench/accuracy -translated              both sets as a user writes them
//	go run ./bench/accuracy -kernel NAME -explain    where warp 0 waited
//	go run ./bench/accuracy -svg FILE                a picture
//
// The code is the one that the chip ran, disassembled: package sass makes wide
// kernels of it, which the engine runs, values included. Cycles are taken the way
// they were on the chip: clock readings in the code, and the slope between two
// repeat counts.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/warpsim/bench/internal/blockkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	f := flag.NewFlagSet("accuracy", flag.ContinueOnError)
	f.SetOutput(out)
	latency := f.Bool("latency", false, "single instructions instead of kernels")
	codes := f.Bool("codes", false, "whole kernels by their control codes")
	second := f.Bool("second", false, "the second set of kernels, by their control codes")
	further := f.Bool("further", false, "the further measurements of testdata/further.csv")
	grids := f.Bool("grids", false, "whole grids instead of kernels of one block")
	listings := f.Bool("listings", false, "with -grids: the code that the chip ran, instead of kernels as a user writes them")
	counting := f.Bool("counting", false, "grids that count and compact by atomics")
	waits := f.Bool("waits", false, "where the warps of whole grids wait, held against the profiler's samples")
	users := f.Bool("translated", false, "both sets of kernels as a user writes them for the engine")
	written := f.Bool("written", false, "with -translated: in the order as written, not as a compiler orders it")
	most := f.Int("n", 0, "only grids of up to this `number` of items (0: all)")
	name := f.String("kernel", "", "only rows of this `name`")
	threads := f.Int("threads", 0, "only rows with this `number` of threads")
	explain := f.Bool("explain", false, "show where warp 0 waited, cycle by cycle (with -kernel)")
	repeat := f.Int("repeat", 0, "the repeat `count` to explain (0: the smaller one)")
	svg := f.String("svg", "", "draw simulated against measured cycles to this `file`")
	dev := f.String("device", "h200", "device `profile`")
	greedy := f.Bool("greedy", false, "greedy-then-oldest schedulers")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%q is no flag; -h lists them", f.Arg(0))
	case *threads < 0:
		return fmt.Errorf("-threads %d: a block has at least one thread; 0 takes rows of any number", *threads)
	case count(*latency, *further, *codes, *second, *grids, *counting, *waits) > 1:
		return fmt.Errorf("-latency, -further, -codes, -second, -grids, -counting and -waits are sets: choose one")
	case *listings && !*grids:
		return fmt.Errorf("-listings goes with -grids")
	case *most < 0:
		return fmt.Errorf("-n %d: a grid has at least one item; 0 takes all", *most)
	case (*grids || *counting || *waits) && *explain:
		return fmt.Errorf("-explain goes through one block instruction by instruction; whole grids print what bounds each grid")
	case *explain && *name == "":
		return fmt.Errorf("-explain needs -kernel")
	case *explain && *svg != "":
		return fmt.Errorf("-explain draws no picture: leave out -svg")
	}
	if *svg != "" {
		if err := writable(*svg); err != nil {
			return err // before anything takes its time
		}
	}
	p, err := device.Lookup(*dev)
	if err != nil {
		return err
	}
	if *grids || *counting {
		file := "grids.csv"
		if *counting {
			file = "counting.csv"
		}
		return runGrids(out, p, file, *name, *threads, *most, *svg, *listings)
	}
	if *waits {
		return runWaits(out, p, *name, *most)
	}
	if *users {
		order := warp.AsCompiled
		if *written {
			order = warp.AsWritten
		}
		results, err := translated(p, timing.LooseRoundRobin, order, *name, *threads, blockkernels.Wide)
		if err != nil {
			return err
		}
		if len(results) > 0 {
			report(out, results)
		}
		own, err := translated(p, timing.LooseRoundRobin, order, *name, *threads, blockkernels.Library)
		if err != nil {
			return err
		}
		if len(own) > 0 {
			fmt.Fprintln(out, "\na library's algorithms, by the kernels of this one that do the same:")
			report(out, own)
		}
		if len(results)+len(own) == 0 {
			return fmt.Errorf("no row of that name and number of threads has a translation")
		}
		return nil
	}
	set := kernelSet
	switch {
	case *latency:
		set = latencySet
	case *further:
		set = furtherSet
	case *codes:
		set = codedSet
	case *second:
		set = secondSet
	}
	s, err := load(set)
	if err != nil {
		return err
	}
	if *greedy {
		s.scheduler = timing.GreedyThenOldest
	}
	s.keep(*name, *threads)
	if len(s.rows) == 0 {
		return fmt.Errorf("no row of that name and number of threads; there are %s", strings.Join(s.names, ", "))
	}
	if *explain {
		return s.explain(out, p, s.rows[0], *repeat)
	}
	results, err := s.measure(p)
	if err != nil {
		return err
	}
	report(out, results)
	if *svg != "" {
		return draw(*svg, p.Title, results)
	}
	return nil
}

// count returns how many are true.
func count(flags ...bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// writable reports why a file cannot be written. What it holds stays.
func writable(file string) error {
	_, old := os.Stat(file)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil || old == nil {
		return err
	}
	return os.Remove(file)
}
