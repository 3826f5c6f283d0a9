// Package command runs the small simulators as commands like the others: with -h,
// -version and exit codes.
package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/warpsim/warp"
)

// Main runs a command that takes no arguments and prints what it finds, and ends the
// process: with 0, with 1 if it failed, with 2 if the flags are wrong.
func Main(name, about string, show func(out io.Writer) error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	version := flags.Bool("version", false, "")
	err := flags.Parse(os.Args[1:])
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Printf("Usage: %s [flags]\n\n%s\n\n"+
			"  -version   print the version\n"+
			"  -h         print this\n\n"+
			"Examples:\n  %[1]s\n\nExit codes: 0 done, 1 the simulation failed, 2 wrong usage.\n", name, about)
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n%[1]s -h shows the flags\n", name, err)
		os.Exit(2)
	case *version:
		fmt.Println(name, "warpsim", warp.Version())
		return
	}
	if err := show(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
