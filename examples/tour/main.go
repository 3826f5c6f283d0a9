// Tour walks through warp-level programming in small kernels, from one shuffle to
// sorting: each stop is a file of its own, prints what its lanes hold, and what it costs.
//
//	go run ./examples/tour               all stops
//	go run ./examples/tour -stop down    one of them; -stop list names them
//	go run ./examples/tour -device mi300x
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
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// A stop is a kernel to look at. One that names devices is about them; the others run on
// the device that is asked for.
type stop struct {
	name, about string
	show        func(g *guide) error
}

var stops = []stop{
	{"down", "a sum by shuffles down, step by step", down},
	{"partial", "why lanes 1 and up end with partial sums", partial},
	{"sums", "the sum by one instruction, and by cooperative groups", sums},
	{"widths", "one loop that is right on 32, 64 and 128 lanes", widths},
	{"mailbox", "through shared memory or by a shuffle: what each part costs", mailbox},
	{"halves", "two sums of 16 lanes side by side", halves},
	{"block", "the sum of a block in two levels", blockSum},
	{"butterfly", "every lane gets an answer: a Walsh-Hadamard transform, and an FFT", butterfly},
	{"scan", "an inclusive scan", inclusive},
	{"index", "broadcast, table look-up and sorting, by idx and xor", index},
	{"votes", "uniform branches, early exit, compaction, a queue of tasks", votes},
	{"musa", "the samples of the MUSA page on 32 and on 128 lanes", musa},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const help = `Usage: tour [flags]

Walks through warp-level programming in small kernels, from one shuffle to sorting.

  -device NAME   the device to run on (default h200); go run ./examples/devices lists them
  -stop NAME     show one stop; "list" names them
  -version       print the version
  -h             print this

Examples:
  tour
  tour -stop down -device mtt-s4000
  tour -stop list

Exit codes: 0 done, 1 a kernel failed, 2 wrong usage.
`

// run is the program.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tour", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("device", "h200", "")
	at := flags.String("stop", "", "")
	version := flags.Bool("version", false, "")
	usage := func(err error) int {
		fmt.Fprintf(stderr, "tour: %v\ntour -h shows the flags\n", err)
		return exitUsage
	}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, help)
		return exitDone
	case err != nil:
		return usage(err)
	case flags.NArg() > 0:
		return usage(fmt.Errorf("%q is no flag; name a stop with -stop", flags.Arg(0)))
	case *version:
		fmt.Fprintln(stdout, "tour warpsim", warp.Version())
		return exitDone
	case *at == "list":
		for _, s := range stops {
			fmt.Fprintf(stdout, "%-10s %s\n", s.name, s.about)
		}
		return exitDone
	}
	d, err := device.Lookup(*name)
	if err != nil {
		return usage(err)
	}
	shown := false
	for _, s := range stops {
		if *at != "" && s.name != *at {
			continue
		}
		shown = true
		fmt.Fprintf(stdout, "\n%s: %s\n%s\n", s.name, s.about, strings.Repeat("-", len(s.name)+2+len(s.about)))
		if err := s.show(&guide{out: stdout, device: d}); err != nil {
			fmt.Fprintf(stderr, "tour: %s: %v\n", s.name, err)
			return exitFailed
		}
	}
	if !shown {
		return usage(fmt.Errorf("no stop %q; -stop list names them", *at))
	}
	return exitDone
}
