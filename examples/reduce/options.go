package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// options are the parsed command line.
type options struct {
	File, Column string
	Kind         number.Kind
	Op           number.Operator
	Devices      []string
	Algorithm    string // "" for all that fit
	Block, Grid  int    // Grid 0: the engine chooses
	Combine      combine
	Warm         bool // the numbers are in the second-level cache already
	Seed         uint64
	JSON, List   bool
	Version      bool
}

const (
	defaultDevice = "h200"
	defaultBlock  = 256
	anyWidth      = "custom-N" // stands for devices of any width
)

const helpText = `Usage: reduce [flags]

Reduces numbers on a simulated GPU with every algorithm that fits, and says
what each one costs: result, error, instructions, cycles, bank conflicts.

  -in FILE         numbers, separated by white space or commas; # starts a
                   comment; - is standard input. Without -in: standard input
                   if something is piped in, otherwise an embedded data set
  -column NAME     reads this column of a CSV file with a header
  -type TYPE       i32, u32, i64, u64, f32 or f64. Without it: the first of
                   i32, i64 and u64 that holds all numbers, f32 if some are no
                   integers, f64 if f32 is too small
  -op OP           sum (default), min, max, and, or, xor
  -device NAMES    a device, several with commas between, or all (default h200);
                   custom-16 is a neutral device of 16 lanes
  -algorithm NAME  this one only
  -block N         threads a block (default 256)
  -grid N          blocks (default: as many as the device holds at once); none
                   is started without a number for it
  -combine HOW     what makes one result of those of the blocks: two-pass (a
                   second launch, the default), atomics, last-block
  -warm            the numbers are in the device's second-level cache already;
                   otherwise they come from its memory
  -json            prints JSON
  -seed N          another legal schedule of warps and of stores, drawn by this
                   number (default 0: the engine's own); integers come out the
                   same, or the algorithm has a race
  -list            lists devices and algorithms
  -version         prints the version
  -h               prints this

Examples:
  reduce
  seq 1000000 | reduce -type i64 -device all
  reduce -in times.csv -column cycles -op max -json

Exit codes: 0 done, 1 failed or a wrong result, 2 wrong usage.
`

// A usageError is a mistake on the command line.
type usageError struct{ Err error }

func (e *usageError) Error() string { return e.Err.Error() }
func (e *usageError) Unwrap() error { return e.Err }

// parseOptions returns flag.ErrHelp for -h and a *usageError for a mistake.
func parseOptions(args []string, e engine) (options, error) {
	o := options{Block: defaultBlock}
	var device, typeName, opName, combineName string
	fs := flag.NewFlagSet("reduce", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.StringVar(&o.File, "in", "", "")
	fs.StringVar(&o.Column, "column", "", "")
	fs.StringVar(&typeName, "type", "", "")
	fs.StringVar(&opName, "op", number.OpSum.String(), "")
	fs.StringVar(&device, "device", defaultDevice, "")
	fs.StringVar(&o.Algorithm, "algorithm", "", "")
	fs.StringVar(&combineName, "combine", combineNames[0], "")
	fs.Func("block", "", positive(&o.Block, "threads a block"))
	fs.Func("grid", "", positive(&o.Grid, "blocks"))
	fs.BoolVar(&o.Warm, "warm", false, "")
	fs.BoolVar(&o.JSON, "json", false, "")
	fs.BoolVar(&o.List, "list", false, "")
	fs.Uint64Var(&o.Seed, "seed", 0, "")
	fs.BoolVar(&o.Version, "version", false, "")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, &usageError{err}
	}
	if fs.NArg() > 0 {
		return o, &usageError{fmt.Errorf("unexpected argument %q; a file is named with -in", fs.Arg(0))}
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, f := range []struct{ name, value string }{{"in", o.File}, {"column", o.Column}, {"type", typeName}, {"algorithm", o.Algorithm}} {
		if given[f.name] && f.value == "" {
			return o, &usageError{fmt.Errorf("-%s is empty", f.name)}
		}
	}
	var err error
	if o.Op, err = number.ParseOperator(opName); err != nil {
		return o, &usageError{err}
	}
	if typeName != "" {
		if o.Kind, err = number.ParseKind(typeName); err != nil {
			return o, &usageError{err}
		}
		if err = o.Op.Fits(o.Kind); err != nil {
			return o, &usageError{err}
		}
	}
	if o.Combine, err = parseCombine(combineName); err != nil {
		return o, &usageError{err}
	}
	if o.Devices, err = chooseDevices(device, o.Block, e); err != nil {
		return o, &usageError{err}
	}
	if o.Algorithm != "" {
		if err := known("algorithm", o.Algorithm, names(e.Algorithms())); err != nil {
			return o, &usageError{err}
		}
	}
	return o, nil
}

// positive is a flag that takes a number of at least 1.
func positive(n *int, what string) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseInt(s, 0, 32)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("that is out of range")
		case err != nil:
			return fmt.Errorf("that is no whole number")
		case v < 1:
			return fmt.Errorf("at least 1 is needed for the number of %s", what)
		}
		*n = int(v)
		return nil
	}
}

// chooseDevices cuts a list of names at commas; all stands for every device
// that is sold. Each must take blocks of so many threads.
func chooseDevices(list string, block int, e engine) ([]string, error) {
	wanted := strings.Split(list, ",")
	if list == "all" {
		wanted = slices.DeleteFunc(names(e.Devices()), func(name string) bool { return name == anyWidth })
	}
	var chosen []string
	for _, name := range wanted {
		d, err := e.Lookup(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if block > d.MaxBlock {
			return nil, fmt.Errorf("-block %d: a block of %s has at most %s", block, d.Name, message.Plural(d.MaxBlock, "thread"))
		}
		if !slices.Contains(chosen, d.Name) {
			chosen = append(chosen, d.Name)
		}
	}
	return chosen, nil
}

// A combine is how the results of the blocks of a grid become one.
type combine uint8

const (
	twoPass combine = iota
	byAtomics
	lastBlock
)

var combineNames = []string{"two-pass", "atomics", "last-block"}

func (c combine) String() string { return combineNames[c] }

func parseCombine(s string) (combine, error) {
	i := slices.Index(combineNames, s)
	if i < 0 {
		return 0, &message.ChoiceError{What: "way to combine", Got: s, Have: combineNames}
	}
	return combine(i), nil
}

func known(what, name string, have []string) error {
	for _, h := range have {
		if h == name {
			return nil
		}
	}
	return &message.ChoiceError{What: what, Got: name, Have: have}
}

func names(choices []choice) []string {
	list := make([]string, len(choices))
	for i, c := range choices {
		list[i] = c.Name
	}
	return list
}
