// Accuracy holds simulated cycles against those that a chip took.
//
//	go run ./bench/accuracy                          whole kernels
//	go run ./bench/accuracy -latency                 single instructions
//	go run ./bench/accuracy -further                 what else was measured
//	go run ./bench/accuracy -grids                   whole grids
//	go run ./bench/accuracy -grids -listings         the same by the code that ran
//	go run ./bench/accuracy -profile                 what whole grids count and wait for, held against a profiler
//	go run ./bench/accuracy -questions               which of two kernels is faster
//	go run ./bench/accuracy -waits                   where the warps of grids wait, line by line
//	go run ./bench/accuracy -memory                  what grids are made of: streams, chains, atomics, dispatch
//	go run ./bench/accuracy -counting                grids that count by atomics
//	go run ./bench/accuracy -codes                   whole kernels by their control codes
//	go run ./bench/accuracy -grids -listings -second  a second set of grids
//	go run ./bench/accuracy -second                  a second set of kernels, by theirs
//	go run ./bench/accuracy -translated              both sets as a user writes them
//	go run ./bench/accuracy -rows FILE -listings FILE  any other recorded set
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

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

func main() { os.Exit(exit(run(os.Args[1:], os.Stdout), os.Stderr)) }

func run(args []string, out io.Writer) (err error) {
	f := flag.NewFlagSet("accuracy", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	asJSON := f.Bool("json", false, "print rows as JSON: of sets of kernels and of grids")
	version := f.Bool("version", false, "print the version")
	latency := f.Bool("latency", false, "single instructions instead of kernels")
	codes := f.Bool("codes", false, "whole kernels by their control codes")
	second := f.Bool("second", false, "the second set of kernels, by their control codes; with -grids -listings the second set of grids")
	further := f.Bool("further", false, "the further measurements of testdata/further.csv")
	grids := f.Bool("grids", false, "whole grids instead of kernels of one block")
	rows := f.String("rows", "", "the recorded set of this `file` of rows, which are as in kernels.csv, and of the listing that -listings names")
	var listings listingFlag
	f.Var(&listings, "listings", "with -rows: the `file` of its listing, gzipped or not. Alone, with -grids: the code that the chip ran, instead of kernels as a user writes them")
	counting := f.Bool("counting", false, "grids that count and compact by atomics")
	memories := f.Bool("memory", false, "what grids are made of: streams, chains of loads, strides, atomics, dispatch of blocks")
	profiled := f.Bool("profile", false, "what whole grids count and what their warps wait for, held against the profiler")
	asked := f.Bool("questions", false, "which of two kernels that do the same job is faster, on the chip and in the model")
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
	if err := listings.parse(f, args); errors.Is(err, flag.ErrHelp) {
		return usage(f, out)
	} else if err != nil {
		return usageError{err}
	}
	var wrong error
	switch {
	case *version:
		_, err := fmt.Fprintln(out, "accuracy warpsim", warp.Version())
		return err
	case f.NArg() > 0:
		wrong = fmt.Errorf("%q is no flag", f.Arg(0))
	case *asJSON && (*explain || *waits || *memories):
		wrong = fmt.Errorf("-json prints rows: leave out -explain, -waits and -memory")
	case *threads < 0:
		wrong = fmt.Errorf("-threads %d: a block has at least one thread; 0 takes rows of any number", *threads)
	case count(*latency, *further, *codes, *second && !*grids, *grids, *counting, *waits, *memories, *profiled, *asked, *users, *rows != "") > 1:
		wrong = fmt.Errorf("-latency, -further, -codes, -second, -grids, -counting, -waits, -memory, -profile, -questions, -translated and -rows are sets: choose one")
	case (*rows != "") != (listings.file != ""):
		wrong = fmt.Errorf("-rows FILE and -listings FILE go together")
	case listings.on && listings.file == "" && !*grids:
		wrong = fmt.Errorf("-listings goes with -grids, or names the file of -rows")
	case *second && *grids && !listings.on:
		wrong = fmt.Errorf("the second set of grids is there as the code that ran: add -listings")
	case *most < 0:
		wrong = fmt.Errorf("-n %d: a grid has at least one item; 0 takes all", *most)
	case (*grids || *counting || *memories || *profiled || *asked) && *explain:
		wrong = fmt.Errorf("-explain goes through one block instruction by instruction; whole grids print what bounds each grid")
	case *explain && *name == "":
		wrong = fmt.Errorf("-explain needs -kernel")
	case *explain && *svg != "":
		wrong = fmt.Errorf("-explain draws no picture: leave out -svg")
	}
	if wrong != nil {
		return usageError{wrong}
	}
	if *asJSON {
		rows := &jsonRows{}
		defer func(to io.Writer) { err = errors.Join(err, rows.write(to)) }(out)
		out = rows
	}
	if *svg != "" {
		if err := writable(*svg); err != nil {
			return err // before anything takes its time
		}
	}
	p, err := device.Lookup(*dev)
	if err != nil {
		return usageError{err}
	}
	if *grids || *counting {
		file := firstGrids
		switch {
		case *counting:
			file = "counting.csv"
		case *second:
			file = secondGrids
		}
		return runGrids(out, p, file, *name, *threads, *most, *svg, listings.on)
	}
	if *memories {
		return runMemory(out, p, *name)
	}
	if *profiled {
		return runProfile(out, p, *name, *threads, *most)
	}
	if *asked {
		return runQuestions(out, p, *name, *threads, *most)
	}
	if *waits {
		return runWaits(out, p, *name, *most, *explain)
	}
	scheduler := timing.LooseRoundRobin
	if *greedy {
		scheduler = timing.GreedyThenOldest
	}
	if *users {
		order := warp.AsCompiled
		if *written {
			order = warp.AsWritten
		}
		return runTranslated(out, warp.Config{Device: p, Memory: memory.Warm, Order: order, Scheduler: scheduler}, *name, *threads)
	}
	if *rows != "" {
		c, err := openRecording(*rows, listings.file)
		if err != nil {
			return err
		}
		c.scheduler = scheduler
		c.keep(*name, *threads)
		if len(c.rows)+len(c.badRows) == 0 {
			return c.nothing()
		}
		if *explain && len(c.rows) > 0 {
			return c.explain(out, p, c.rows[0], *repeat)
		}
		results, err := c.measure(out, p)
		if *svg != "" && len(results) > 0 {
			err = errors.Join(err, draw(*svg, p.Title, results))
		}
		return err
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
	s.scheduler = scheduler
	s.keep(*name, *threads)
	if len(s.rows) == 0 {
		return s.nothing()
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

// A listingFlag is -listings alone, or with a file behind it.
type listingFlag struct {
	on   bool
	file string
}

func (l *listingFlag) String() string { return l.file }

// IsBoolFlag lets it stand alone.
func (l *listingFlag) IsBoolFlag() bool { return true }

func (l *listingFlag) Set(s string) error {
	switch s {
	case "true", "false":
		*l = listingFlag{on: s == "true"}
	default:
		*l = listingFlag{true, s}
	}
	return nil
}

// parse parses the arguments, and takes the one behind -listings for its file if it is
// no flag.
func (l *listingFlag) parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	at := len(args) - f.NArg()
	if f.NArg() == 0 || at == 0 || strings.TrimLeft(args[at-1], "-") != "listings" {
		return nil
	}
	l.file = f.Arg(0)
	return f.Parse(f.Args()[1:])
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
