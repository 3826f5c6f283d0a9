// Chips holds the profiles of other chips than the H200 against what others have
// measured of them with small kernels and published.
//
//	go run ./bench/chips                      every figure up to a million items
//	go run ./bench/chips -device mi300x       of one profile
//	go run ./bench/chips -quantity latency    of quantities that begin so
//	go run ./bench/chips -n 16777216          grids of up to so many items
//	go run ./bench/chips -threads 300000      atomics of up to so many threads, which take minutes
//
// A figure that no kernel here measures is counted and named in the last lines.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/warpsim/warp"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

const help = `Usage: chips [flags]

Holds the profiles of other chips than the H200 against what others have measured of them
with small kernels and published.

  -device NAME     only figures held against this profile
  -quantity TEXT   only quantities that begin with this text
  -n N             only grids of up to N items (default 1048576)
  -threads N       only atomics and fences of up to N threads (default 4096)
  -json            print JSON
  -version         print the version
  -h               print this

Examples:
  chips -quantity latency
  chips -device mi300x -json
  chips -n 16777216
  chips -threads 300000          takes minutes

Exit codes: 0 done, 1 a kernel failed, 2 wrong usage.
`

// A usageError is what is wrong with the flags.
type usageError struct{ error }

func main() { os.Exit(exit(run(os.Args[1:], os.Stdout), os.Stderr)) }

// exit says what went wrong, and returns the exit code.
func exit(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usageError{}):
		fmt.Fprintf(stderr, "chips: %v\nchips -h shows the flags\n", err)
		return exitUsage
	}
	fmt.Fprintln(stderr, "chips:", err)
	return exitFailed
}

func run(args []string, out io.Writer) error {
	f := flag.NewFlagSet("chips", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	chip := f.String("device", "", "")
	quantity := f.String("quantity", "", "")
	most := f.Int("n", 1<<20, "")
	mostThreads := f.Int("threads", 4096, "")
	asJSON := f.Bool("json", false, "")
	version := f.Bool("version", false, "")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err := fmt.Fprint(out, help)
		return err
	case err != nil:
		return usageError{err}
	case f.NArg() > 0:
		return usageError{fmt.Errorf("%q is no flag", f.Arg(0))}
	case *version:
		_, err := fmt.Fprintln(out, "chips warpsim", warp.Version())
		return err
	case *mostThreads < 1:
		return usageError{fmt.Errorf("-threads %d: an atomic has at least one", *mostThreads)}
	case *most < 1:
		return usageError{fmt.Errorf("-n %d: a grid has at least one item", *most)}
	}
	figures, err := published()
	if err != nil {
		return err
	}
	figures, err = choose(figures, *chip, *quantity, *most, *mostThreads)
	if err != nil {
		return usageError{err}
	}
	results, err := measureAll(figures)
	if err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(out, results)
	}
	print(out, results)
	return nil
}
