// Reduce reads numbers, reduces them on a simulated GPU with every algorithm
// that fits, and prints what each of them costs: result and error, instructions,
// cycles and what they went into, bank conflicts.
//
//	go run ./examples/reduce
//	seq 1000000 | go run ./examples/reduce -type i64 -device all
//	go run ./examples/reduce -in times.csv -column cycles -op max
//
// Without a file and without anything on standard input it takes an embedded
// data set: latencies measured on an H200. See -h for the flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"

	"example.com/warpsim/examples/reduce/internal/input"
	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/result"
	"example.com/warpsim/examples/reduce/internal/table"
	"example.com/warpsim/warp"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, terminal(os.Stderr))
	stop()
	os.Exit(code)
}

// terminal reports whether f is one, more or less: a character device.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// run is the program; isTerminal says whether stderr is read by a person.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, isTerminal bool) int {
	p := program{engine: &simulator{}, stdin: stdin, stdout: stdout, stderr: stderr, terminal: isTerminal}
	return p.run(ctx, args)
}

// A program is run with its surroundings.
type program struct {
	engine         engine
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool
}

func (p program) run(ctx context.Context, args []string) int {
	o, err := parseOptions(args, p.engine)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.stdout, helpText)
		return exitDone
	}
	wrong := false
	switch {
	case err != nil:
	case o.Version:
		fmt.Fprintln(p.stdout, "reduce warpsim", warp.Version())
	case o.List:
		err = p.list(o.JSON)
	default:
		wrong, err = p.reduce(ctx, o)
	}
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "reduce: %v\nreduce -h shows the flags\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(p.stderr, "reduce: interrupted")
		return exitFailed
	case err != nil:
		fmt.Fprintf(p.stderr, "reduce: %v\n", err)
		return exitFailed
	case wrong:
		return exitFailed
	}
	return exitDone
}

// reduce does the job. It reports whether a result was wrong or a run failed.
func (p program) reduce(ctx context.Context, o options) (wrong bool, err error) {
	in := input.Source{File: o.File, Column: o.Column, Kind: o.Kind, Stdin: p.stdin, Notes: p.stderr, Progress: p.terminal}
	data, err := in.Read(ctx)
	if err != nil {
		return false, err
	}
	if err := o.Op.Fits(data.Kind); err != nil {
		return false, fmt.Errorf("%w (%s)", err, data.Guess)
	}
	r := result.NewReport(o.Op, data)
	if !o.JSON {
		r.WriteHead(p.stdout)
	}
	if r.Outcomes, err = p.simulate(ctx, o, data); err != nil {
		return false, err
	}
	result.MarkWinners(r.Outcomes)
	ran := false
	for _, out := range r.Outcomes {
		ran = ran || out.Ran()
		wrong = wrong || out.Failed != "" || out.Error.Wrong
	}
	if o.JSON {
		err = r.WriteJSON(p.stdout)
	} else {
		err = r.WriteText(p.stdout)
	}
	return wrong || !ran, err
}

// simulate runs every algorithm on every device.
func (p program) simulate(ctx context.Context, o options, data input.Data) ([]result.Outcome, error) {
	algorithms := names(p.engine.Algorithms())
	if o.Algorithm != "" {
		algorithms = []string{o.Algorithm}
	}
	var show *message.Progress
	if p.terminal {
		show = message.NewProgress(p.stderr)
		defer show.Clear()
	}
	var outcomes []result.Outcome
	for _, device := range o.Devices {
		for _, algorithm := range algorithms {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			j := job{Device: device, Algorithm: algorithm, Op: o.Op, Data: data, Block: o.Block, Grid: o.Grid, Combine: o.Combine, Warm: o.Warm, Seed: o.Seed}
			if show != nil {
				j.Progress = func(done, total int64) {
					show.Update(func() string {
						return fmt.Sprintf("%s on %s: %d %%", algorithm, device, 100*done/max(total, 1))
					})
				}
			}
			out, err := p.engine.Reduce(ctx, j)
			if err != nil {
				return nil, err
			}
			outcomes = append(outcomes, out)
		}
	}
	return outcomes, nil
}

// list writes the devices and algorithms that can be named.
func (p program) list(asJSON bool) error {
	devices, algorithms := p.engine.Devices(), p.engine.Algorithms()
	if asJSON {
		return writeListJSON(p.stdout, devices, algorithms)
	}
	for _, part := range []struct {
		title   string
		choices []choice
	}{{"devices", devices}, {"algorithms", algorithms}} {
		fmt.Fprintln(p.stdout, part.title)
		var t table.Table
		for _, c := range part.choices {
			t.Add("  "+c.Name, c.Summary)
		}
		if err := t.Write(p.stdout); err != nil {
			return err
		}
	}
	return nil
}
