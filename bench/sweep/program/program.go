// Package program is the command of a sweep. A program of your own that imports
// kernels and calls [Main] is the same command with those kernels.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"example.com/warpsim/bench/sweep/flow"
	"example.com/warpsim/bench/sweep/kernel"
	_ "example.com/warpsim/bench/sweep/kernels" // those that every sweep can name
	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/report"
	"example.com/warpsim/bench/sweep/result"
	"example.com/warpsim/warp"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // all of Beam's runners
	"golang.org/x/term"
)

var (
	outFlag     = flag.String("out", "", "folder of the output; the name of the file with .out, if not given")
	resumeFlag  = flag.Bool("resume", false, "go on with an output: points that it has are not run again")
	workersFlag = flag.Int("workers", runtime.GOMAXPROCS(0), "points that each process runs at a time")
	shardFlag   = flag.Int64("shard", 0, "points that go to a machine together; 0 chooses")
	kernelsFlag = flag.Bool("kernels", false, "list the kernels and end")
	beamLogFlag = flag.Bool("beam_log", false, "print Beam's own log")
	versionFlag = flag.Bool("version", false, "print the version")
)

// own are the flags that the usage text explains; the others are Beam's.
var own = []string{"out", "resume", "runner", "workers", "shard", "kernels", "beam_log", "version"}

// errUsage is a command line that cannot be run.
type errUsage struct{ error }

// Main runs the command and ends the process.
func Main() {
	flag.CommandLine.Init("sweep", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	flag.Usage = func() {} // an error tells of -h, which is enough
	switch err := flag.CommandLine.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		usage(os.Stdout)
		os.Exit(0)
	case err != nil:
		fail(errUsage{err})
	case *versionFlag:
		fmt.Println("sweep warpsim", warp.Version())
		os.Exit(0)
	}
	beam.Init() // does not return in a worker that Beam has started
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(flow.GCPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the process
	err := run(ctx, os.Stdout, os.Stderr)
	switch {
	case err == nil:
		os.Exit(0)
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(130)
	}
	fail(err)
}

// fail ends the process.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "sweep:", err)
	if errors.As(err, new(errUsage)) {
		fmt.Fprintln(os.Stderr, "sweep -h shows the flags")
		os.Exit(2)
	}
	os.Exit(1)
}

func usage(w io.Writer) {
	fmt.Fprint(w, "Usage: sweep [flags] FILE\n\nRuns the sweep that FILE describes. The README tells what it may say.\n\n")
	for _, name := range own {
		f := flag.Lookup(name)
		if f == nil {
			continue
		}
		about := f.Usage
		if name == "runner" {
			about = "Beam's runner: prism (in this process, the default), direct, flink, spark, dataflow, universal"
		}
		fmt.Fprintf(w, "  -%-10s %s\n", name, about)
	}
	fmt.Fprint(w, "  -h          print this\n\nAll other flags are Beam's own, such as -endpoint and -environment_type.\n\n"+
		"Examples:\n  sweep examples/block-reduction.yaml\n  sweep -kernels\n  sweep -resume -workers 2 -out DIR FILE\n\n"+
		"Exit codes: 0 done, 1 the sweep failed, 130 it was interrupted, 2 wrong usage.\n")
}

func run(ctx context.Context, stdout, stderr *os.File) error {
	if !*beamLogFlag {
		flow.Quiet()
	}
	if err := kernel.Problem(); err != nil {
		return err
	}
	if *kernelsFlag {
		return listKernels(stdout)
	}
	switch {
	case flag.NArg() != 1:
		return errUsage{fmt.Errorf("%d files given; name one sweep file", flag.NArg())}
	case *workersFlag < 1:
		return errUsage{fmt.Errorf("-workers %d; give at least 1", *workersFlag)}
	case *shardFlag < 0:
		return errUsage{fmt.Errorf("-shard %d; give at least 1, or 0 to choose", *shardFlag)}
	}
	file := flag.Arg(0)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s, err := plan.Read(filepath.Base(file), data)
	if err != nil {
		return err
	}
	store, err := open(s, file)
	if err != nil {
		return err
	}
	if *resumeFlag {
		if err := flow.Verify(ctx, s, store); err != nil {
			return err
		}
	}
	began := time.Now()
	o := flow.Options{Runner: *runners.Runner, Workers: *workersFlag}
	if o.Runner == "" {
		o.Runner = "prism"
	}
	if term.IsTerminal(int(stderr.Fd())) {
		o.Progress = func(done, run int64) {
			fmt.Fprintf(stderr, "\r\x1b[K%s", progress(done, run, s.Len(), time.Since(began)))
		}
	}
	err = flow.Run(ctx, s, store, o)
	if o.Progress != nil {
		fmt.Fprint(stderr, "\r\x1b[K")
	}
	if ctx.Err() != nil {
		kept, e := store.Kept()
		return errors.Join(fmt.Errorf("interrupted: %d of %d points are kept in %s; go on with -resume", kept, s.Len(), store.Dir), e)
	}
	if err != nil {
		return err
	}
	sum, err := report.Write(s, store)
	if err != nil {
		return err
	}
	return tell(stdout, s, store, sum, time.Since(began))
}

// open opens the output of a sweep file.
func open(s *plan.Sweep, file string) (*result.Store, error) {
	encoded, err := s.Encode()
	if err != nil {
		return nil, err
	}
	dir := *outFlag
	if dir == "" {
		base := filepath.Base(file)
		dir = strings.TrimSuffix(base, filepath.Ext(base)) + ".out"
	}
	// Workers of other processes have other working directories.
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	shard := *shardFlag
	if shard == 0 {
		shard = min(max((s.Len()+63)/64, 16), 256)
	}
	return result.Open(dir, encoded, s.Len(), shard, *resumeFlag)
}

// progress says how far a sweep is. Run are the points of this run, which alone tell
// the rate.
func progress(done, run, all int64, took time.Duration) string {
	text := fmt.Sprintf("%d of %d points", done, all)
	if run == 0 || took <= 0 {
		return text
	}
	rate := float64(run) / took.Seconds()
	left := time.Duration(math.Min(float64(all-done)/rate, 1e9)*1e9 + 0.5e9).Truncate(time.Second)
	return fmt.Sprintf("%s, %.3g a second, %v left", text, rate, left)
}

// mostBest is how many rows of the best are printed.
const mostBest = 20

// mostNumbers is how many numbers are printed beside them.
const mostNumbers = 4

// tell prints what came out.
func tell(out io.Writer, s *plan.Sweep, store *result.Store, sum report.Summary, took time.Duration) error {
	// What a row was chosen by, then what was chosen.
	columns := slices.Clone(s.Best.By)
	for _, name := range s.Fields() {
		if !slices.Contains(columns, name) && (name == "device" || name == "kernel" || len(s.Numbers) <= mostNumbers && slices.ContainsFunc(s.Numbers, func(n plan.Number) bool { return n.Name == name })) {
			columns = append(columns, name)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\n", strings.Join(columns, "\t"), s.Best.Least)
	for i := range sum.Best[:min(len(sum.Best), mostBest)] {
		r := &sum.Best[i]
		for _, name := range columns {
			fmt.Fprintf(w, "%v\t", flow.Field(s, r, name))
		}
		fmt.Fprintf(w, "%v\n", flow.Measure(r, s.Best.Least))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if n := len(sum.Best) - mostBest; n > 0 {
		fmt.Fprintf(out, "... and %d more in best.csv\n", n)
	}
	fmt.Fprintf(out, "\n%d points in %v", sum.Points, took.Round(100*time.Millisecond))
	if sum.Failed > 0 {
		fmt.Fprintf(out, ", %d of them with errors, the first: %s", sum.Failed, sum.FirstError)
	}
	_, err := fmt.Fprintf(out, "\nplots:  %s\ntables: rows, best, pareto, sensitivity and curves beside it, as .csv, .jsonl and .parquet\n", filepath.Join(store.Dir, "index.html"))
	return err
}

func listKernels(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, name := range kernel.Names() {
		k, _ := kernel.Lookup(name)
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, strings.Join(k.Types, " "), k.Doc)
	}
	return w.Flush()
}
