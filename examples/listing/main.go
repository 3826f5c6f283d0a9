// Listing runs a compiled kernel as cuobjdump -sass or nvdisasm -c lists it, and
// prints the listing with what each line did: how often it was issued, by how many
// lanes, the cycles it held its warps up and what they waited for, conflicts and
// sectors.
//
//	go run ./examples/listing -in FILE -list
//	go run ./examples/listing -in FILE -kernel copy_f32 -blocks 512 -threads 256 \
//	    -arg 'f32[131072]=i*37%101*0.01' -arg 'f32[131072]' -arg i32:131072 -arg null
//
// See -h for the flags and more arguments.
package main

import (
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/sass"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the listing cannot be read, or the kernel failed
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(exit(err, os.Stderr))
}

// exit says what went wrong, and returns the exit code.
func exit(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usageError{}):
		fmt.Fprintf(stderr, "listing: %v\nlisting -h shows the flags\n", err)
		return exitUsage
	}
	fmt.Fprintln(stderr, "listing:", err)
	return exitFailed
}

// A usageError is what is wrong with the flags.
type usageError struct{ error }

// options are what the flags say.
type options struct {
	in, kernel, device string
	blocks, threads    warp.Dim
	shared, static     int
	args, constants    []string
	list, json, check  bool
	values, sanitize   bool
	version            bool
	hot                int
	seed               uint64
}

// A dim is a size of up to three dimensions, such as 4096 or 64x64.
type dim struct{ *warp.Dim }

func (d dim) String() string {
	if d.Dim == nil {
		return ""
	}
	return d.Dim.String()
}

func (d dim) Set(s string) error {
	parts := strings.Split(s, "x")
	if len(parts) > 3 {
		return fmt.Errorf("%q has more than three dimensions", s)
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 1 {
			return fmt.Errorf("%q is no size such as 4096 or 64x64", s)
		}
		n[i] = v
	}
	*d.Dim = warp.Dim{X: n[0], Y: n[1], Z: n[2]}
	return nil
}

type list struct{ all *[]string }

func (l list) String() string { return "" }

func (l list) Set(s string) error {
	*l.all = append(*l.all, s)
	return nil
}

const help = `Usage: listing [flags]

Runs a compiled kernel as cuobjdump -sass or nvdisasm -c lists it, and prints the listing
with what each line did.

  -in FILE        the listing, which may be gzipped
  -kernel NAME    the kernel's name, mangled or not, or a part of it; the file's only one may be left out
  -device NAME    the device (default h200); go run ./examples/devices lists them
  -blocks SIZE    blocks of the grid, such as 4096 or 64x64 (default 1)
  -threads SIZE   threads of a block, such as 256 or 32x8 (default 32)
  -shared N       dynamic shared memory of a block, in bytes
  -static N       shared memory that the kernel declares, in bytes, where the listing does not say
  -arg ARGUMENT   an argument, again for each parameter
  -constant N@FILE  what constant bank N holds, from 1 on, where the listing does not say
  -list           say what the file holds, and run nothing
  -check          check the control codes, of all kernels without -kernel, and run nothing
  -values         compute values only, no cycles
  -sanitize       look for races
  -seed N         another legal schedule of warps and of stores, drawn by this number (default 0: the engine's own)
  -hot N          how many of the hottest lines to mark (default 5)
  -json           print JSON
  -version        print the version
  -h              print this

Arguments, in the order of the kernel's parameters:
  i32:5 u32:5 i64:5 u64:5 f32:1.5 f64:1.5 i16:5 i8:1   numbers by type
  null                                                 a null pointer
  f32[1024]                                            a buffer of zeros
  f32[1024]=i*37%101*0.01                              a buffer by a formula of the index i
  i32[1024]@data.bin                                   a buffer from a file, little-endian

Examples:
  listing -in grids.sass.gz -list
  listing -in grids.sass.gz -kernel reduce_tree_f32 -blocks 512 -threads 256 \
    -arg 'f32[131072]=i%7' -arg 'f32[1]' -arg i32:131072 -arg null
  listing -in grids.sass.gz -kernel transpose_tile_padded_f32 -blocks 32x32 -threads 32x8 \
    -arg 'f32[1048576]=i' -arg 'f32[1048576]' -arg i32:1024 -arg null -json

Exit codes: 0 done, 1 the listing cannot be read or the kernel failed, 2 wrong usage.
`

// parseOptions returns flag.ErrHelp for -h and a usageError for a mistake.
func parseOptions(args []string) (*options, error) {
	o := &options{blocks: warp.X(1), threads: warp.X(32)}
	f := flag.NewFlagSet("listing", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.in, "in", "", "")
	f.StringVar(&o.kernel, "kernel", "", "")
	f.StringVar(&o.device, "device", "h200", "")
	f.Var(dim{&o.blocks}, "blocks", "")
	f.Var(dim{&o.threads}, "threads", "")
	f.IntVar(&o.shared, "shared", 0, "")
	f.IntVar(&o.static, "static", 0, "")
	f.Var(list{&o.args}, "arg", "")
	f.Var(list{&o.constants}, "constant", "")
	f.BoolVar(&o.list, "list", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.BoolVar(&o.check, "check", false, "")
	f.BoolVar(&o.values, "values", false, "")
	f.BoolVar(&o.sanitize, "sanitize", false, "")
	f.Uint64Var(&o.seed, "seed", 0, "")
	f.IntVar(&o.hot, "hot", 5, "")
	f.BoolVar(&o.version, "version", false, "")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, usageError{err}
	}
	switch {
	case f.NArg() > 0:
		return nil, usageError{fmt.Errorf("%q is no flag", f.Arg(0))}
	case o.in == "" && !o.version:
		return nil, usageError{errors.New("-in FILE names the listing")}
	case o.hot < 0:
		return nil, usageError{fmt.Errorf("-hot %d: give how many lines to mark, 0 for none", o.hot)}
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err := fmt.Fprint(out, help)
		return err
	case err != nil:
		return err
	case o.version:
		_, err := fmt.Fprintln(out, "listing warpsim", warp.Version())
		return err
	}
	dev, err := device.Lookup(o.device)
	if err != nil {
		return usageError{err}
	}
	l, err := read(o.in)
	if err != nil {
		return err
	}
	if o.list {
		return describe(out, l, o.json)
	}
	if o.check && o.kernel == "" {
		for _, f := range l.Functions {
			fmt.Fprintf(out, "%s: ", sass.Demangle(f.Name))
			if err := check(out, f); err != nil {
				return err
			}
		}
		return nil
	}
	if o.kernel == "" && len(l.Functions) == 1 {
		o.kernel = l.Functions[0].Name
	} else if o.kernel == "" {
		return usageError{fmt.Errorf("-kernel names one of the %d functions; -list shows them", len(l.Functions))}
	}
	f, err := l.Find(o.kernel)
	if err != nil {
		return usageError{err}
	}
	if o.check {
		return check(out, f)
	}
	p, err := f.Program()
	if err != nil {
		return err
	}
	e, err := warp.New(warp.Config{Device: dev, Sites: !o.values, ValuesOnly: o.values, Sanitize: o.sanitize, Seed: o.seed})
	if err != nil {
		return err
	}
	launch := sass.Launch{Blocks: o.blocks, Threads: o.threads, Shared: o.shared, StaticShared: o.static}
	for i, a := range o.args {
		arg, err := argument(e, a)
		if err != nil {
			return usageError{fmt.Errorf("argument %d: %w", i+1, err)}
		}
		launch.Args = append(launch.Args, arg)
	}
	if launch.Constants, err = constants(o.constants); err != nil {
		return usageError{err}
	}
	var counts []sass.LineCount
	launch.Lines = &counts
	report, err := sass.Run(ctx, e, p, launch)
	var fault *warp.Fault
	if errors.As(err, &fault) && fault.Site.Func != "" {
		return fmt.Errorf("%w\n  at %s", err, fault.Site.Func)
	}
	if err != nil {
		return err
	}
	return show(out, f, report, counts, o)
}

// constants reads what banks of constants hold: a number, @ and a file each.
func constants(flags []string) (map[int][]byte, error) {
	out := map[int][]byte{}
	for _, s := range flags {
		number, file, ok := strings.Cut(s, "@")
		bank, err := strconv.Atoi(number)
		if !ok || err != nil {
			return nil, fmt.Errorf("-constant %q is no bank and file such as 2@bank2.bin", s)
		}
		if out[bank], err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read parses a file, gzipped or not.
func read(name string) (*sass.Listing, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	l, err := sass.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// check prints the dependences that the control codes do not protect.
func check(out io.Writer, f *sass.Function) error {
	found, err := f.CheckSchedule()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d instructions, %d dependences that the schedule does not protect\n", len(f.Code), len(found))
	for i := range found {
		fmt.Fprintln(out, found[i].Error())
	}
	arch := f.Arch
	if arch == 0 { // the file does not say, and arguments are taken to lie where sm_90 has them
		arch = 90
	}
	for i := range f.Code {
		in := &f.Code[i]
		if d, err := sass.Decode(arch, in.Address, in.Words); err == nil && d.String() != in.String() {
			fmt.Fprintf(out, "line %d: %q, and its words are %q\n", in.Line, in.String(), d.String())
		}
	}
	return nil
}
