// Inspect runs a kernel on a simulated device and writes everything that shows the run:
// a page for a browser, the annotated source, a profile for go tool pprof, a trace for
// ui.perfetto.dev, the steps of all lanes, pictures.
//
//	go run ./examples/inspect -kernel reduce/shuffle-down -device mtt-s4000 -type f32 -n 128 -out DIR
//	go run ./examples/inspect -kernel reduce/hybrid,reduce/block-tree -n 256 -out DIR
//	go run ./examples/inspect -kernel list
//
// Kernels and devices that are named with commas between them stand side by side on
// the page. See -h for the flags.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/view"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // a fault ended the kernel, or a file failed
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	kernels, devices []string
	typ, out         string
	n, steps         int
	seed             uint64
	json, version    bool
}

// A usageError is what is wrong with the flags.
type usageError struct{ error }

const help = `Usage: inspect [flags]

Runs a kernel on a simulated device and writes everything that shows the run: a page
for a browser, annotated source, profile, trace, the steps of all lanes, pictures.

  -kernel NAME   what to run; "list" lists the kernels; several with commas (default reduce/shuffle-down)
  -device NAME   the device; several with commas (default h200); go run ./examples/devices lists them
  -type TYPE     i32, u32, i64, u64, f32 or f64 (default f32)
  -n N           items (default: the lanes of a warp)
  -out DIR       the folder to write to, made if it is not there; without it, only say what the run cost
  -steps N       how many steps are kept with the values of all lanes (default 2000)
  -seed N        another legal schedule of warps and of stores, drawn by this number (default 0: the engine's own)
  -json          print what the run cost as JSON
  -version       print the version
  -h             print this

Examples:
  inspect -kernel list
  inspect -kernel reduce/shuffle-down -device mtt-s4000 -type f32 -n 128 -out DIR
  inspect -kernel scan/hillis-steele -device h200,mi300x -out DIR       two devices side by side
  inspect -kernel transpose,transpose-padded -out DIR                   two kernels side by side
  go tool pprof -top DIR/profile.pb.gz                                  then: where cycles went

Exit codes: 0 done, 1 a fault ended the kernel or a file failed, 2 wrong usage.
`

func parse(args []string) (options, error) {
	var o options
	var kernel, dev string
	f := flag.NewFlagSet("inspect", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&kernel, "kernel", "reduce/shuffle-down", "")
	f.StringVar(&dev, "device", "h200", "")
	f.StringVar(&o.typ, "type", "f32", "")
	f.IntVar(&o.n, "n", 0, "")
	f.StringVar(&o.out, "out", "", "")
	f.IntVar(&o.steps, "steps", 0, "")
	f.Uint64Var(&o.seed, "seed", 0, "")
	f.BoolVar(&o.json, "json", false, "")
	f.BoolVar(&o.version, "version", false, "")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.kernels, o.devices = strings.Split(kernel, ","), strings.Split(dev, ",")
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", f.Arg(0))
	case o.n < 0 || o.n > maxItems:
		return o, fmt.Errorf("-n %d: give 1 to %d items", o.n, maxItems)
	case o.steps < 0:
		return o, fmt.Errorf("-steps %d: give how many to keep", o.steps)
	case len(o.kernels)*len(o.devices) > maxRuns:
		return o, fmt.Errorf("%d runs: up to %d stand side by side", len(o.kernels)*len(o.devices), maxRuns)
	case runners[o.typ] == nil:
		return o, fmt.Errorf("-type %s: one of %s", o.typ, strings.Join(types, ", "))
	}
	return o, nil
}

const (
	maxItems = 1 << 22
	maxRuns  = 4
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return exitDone
	}
	if err != nil {
		err = usageError{err}
	} else if o.version {
		fmt.Fprintln(stdout, "inspect warpsim", warp.Version())
	} else if o.kernels[0] == "list" {
		err = list(stdout, o.json)
	} else {
		err = inspect(ctx, o, stdout)
	}
	switch {
	case errors.As(err, &usageError{}):
		fmt.Fprintf(stderr, "inspect: %v\ninspect -h shows the flags\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(stderr, "inspect: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// A shown is a run that has been recorded.
type shown struct {
	kernel, device string
	recording      *view.Recording
	trace          string // file of its trace, "" if none is written
	fault          error  // that ended the kernel, nil: it came to its end
}

func inspect(ctx context.Context, o options, stdout io.Writer) error {
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return err
		}
	}
	var all []shown
	for _, name := range o.kernels {
		k, err := lookup(name)
		if err != nil {
			return usageError{err}
		}
		for _, dev := range o.devices {
			p, err := device.Lookup(dev)
			if err != nil {
				return usageError{err}
			}
			s, err := record(ctx, o, k, p, len(all))
			if err != nil {
				return fmt.Errorf("%s on %s: %w", name, dev, err)
			}
			all = append(all, s)
		}
	}
	if o.json {
		var reports []*warp.Report
		for _, s := range all {
			reports = append(reports, s.recording.Report())
		}
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		if err := e.Encode(reports); err != nil {
			return err
		}
	} else {
		for _, s := range all {
			fmt.Fprintf(stdout, "%s\n%s\n", s.kernel, s.recording.Report())
		}
	}
	if o.out != "" {
		names, err := write(ctx, o, all)
		if err != nil {
			return err
		}
		for _, n := range names {
			if !o.json {
				fmt.Fprintln(stdout, filepath.Join(o.out, n))
			}
		}
	}
	for _, s := range all {
		if s.fault != nil {
			return fmt.Errorf("%s on %s: %w", s.kernel, s.device, s.fault)
		}
	}
	return nil
}

// record runs a kernel on a device, with a trace to a file if there is a folder for it.
// A kernel that ends with a fault is shown all the same.
func record(ctx context.Context, o options, k kernel, p *device.Profile, number int) (shown, error) {
	n := o.n
	if n == 0 {
		n = k.items(p)
	}
	s := shown{kernel: k.name, device: p.Name}
	vo := view.Options{Title: fmt.Sprintf("%s of %d %s on %s", k.name, n, o.typ, p.Name), Steps: o.steps}
	var file *os.File
	if o.out != "" {
		s.trace = prefixOf(number) + "trace.pftrace"
		var err error
		if file, err = os.Create(filepath.Join(o.out, s.trace)); err != nil {
			return s, err
		}
		defer file.Close()
		vo.Trace = file
	}
	var fault *warp.Fault
	var err error
	s.recording, err = view.Record(warp.Config{Device: p, Faults: warp.Collect, Sanitize: k.racy, Seed: o.seed}, vo, func(e *warp.Engine) error {
		return runners[o.typ](ctx, e, k, n)
	})
	if errors.As(err, &fault) {
		s.fault, err = fault, nil
	}
	if err == nil && file != nil {
		err = file.Close()
	}
	return s, err
}

// prefixOf tells the files of runs side by side apart.
func prefixOf(number int) string {
	if number == 0 {
		return ""
	}
	return fmt.Sprintf("%d-", number+1)
}
