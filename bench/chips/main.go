// Chips holds the profiles of other chips than the H200 against what others have
// measured of them with small kernels and published.
//
//	go run ./bench/chips                      every figure up to a million items
//	go run ./bench/chips -chip mi300x         of one profile
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
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chips:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	f := flag.NewFlagSet("chips", flag.ContinueOnError)
	f.SetOutput(out)
	chip := f.String("chip", "", "only figures held against this `profile`")
	quantity := f.String("quantity", "", "only quantities that begin with this `text`")
	most := f.Int("n", 1<<20, "only grids of up to this `number` of items")
	mostThreads := f.Int("threads", 4096, "only atomics and fences of up to this `number` of threads")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%q is no flag; -h lists them", f.Arg(0))
	case *mostThreads < 1:
		return fmt.Errorf("-threads %d: an atomic has at least one", *mostThreads)
	case *most < 1:
		return fmt.Errorf("-n %d: a grid has at least one item", *most)
	}
	figures, err := published()
	if err != nil {
		return err
	}
	figures, err = choose(figures, *chip, *quantity, *most, *mostThreads)
	if err != nil {
		return err
	}
	results, err := measureAll(figures)
	if err != nil {
		return err
	}
	print(out, results)
	return nil
}
