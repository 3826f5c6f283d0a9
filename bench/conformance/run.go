package main

import (
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"example.com/warpsim/warp"
)

//go:embed testdata/h200/*.csv.gz
var recordings embed.FS

// names is a flag that can be given several times.
type names []string

func (n *names) String() string     { return strings.Join(*n, ",") }
func (n *names) Set(s string) error { *n = append(*n, baseName(s)); return nil }

const help = `Usage: conformance [flags] [DIR]

Holds the library against results recorded on real hardware: those that are built in, or
the files of a folder DIR, as NAME.csv or NAME.csv.gz.

  -layer NAME   what to check: engine (default), or routing: crossbar and votes alone
  -skip NAME    pass over a file; can be given several times
  -json         print JSON
  -version      print the version
  -h            print this

Examples:
  conformance
  conformance -layer routing
  conformance -skip notes.txt DIR

Exit codes: 0 done, 1 a mismatch, a malformed row, or a file without a check, 2 wrong usage.
`

// run is the program: it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var skip names
	flags.Var(&skip, "skip", "")
	layerName := flags.String("layer", defaultLayer, "")
	asJSON := flags.Bool("json", false, "")
	version := flags.Bool("version", false, "")
	usage := func(err error) int {
		fmt.Fprintf(stderr, "conformance: %v\nconformance -h shows the flags\n", err)
		return 2
	}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, help)
		return 0
	case err != nil:
		return usage(err)
	case flags.NArg() > 1:
		return usage(fmt.Errorf("%d folders given: one can be", flags.NArg()))
	case *version:
		fmt.Fprintln(stdout, "conformance warpsim", warp.Version())
		return 0
	}
	l, err := newLayer(*layerName)
	if err != nil {
		return usage(err)
	}
	files, err := source(flags.Arg(0))
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	r := report{out: stdout, err: stderr}
	if *asJSON {
		r.out = io.Discard
	}
	if err := r.dir(l, files, skip); err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	if *asJSON {
		err = r.writeJSON(stdout, *layerName)
	} else {
		_, err = fmt.Fprintf(stdout, "TOTAL rows=%d mismatches=%d\n", r.rows, r.mismatches)
	}
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	if r.mismatches > 0 || r.failed {
		return 1
	}
	return 0
}

// writeJSON writes what the checks found.
func (r *report) writeJSON(w io.Writer, layer string) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Layer      string    `json:"layer"`
		Rows       int       `json:"rows"`
		Mismatches int       `json:"mismatches"`
		Files      []checked `json:"files"`
	}{layer, r.rows, r.mismatches, r.files})
}

// source returns the files to check: those of a folder, or the built-in ones
// for an empty name.
func source(dir string) (fs.FS, error) {
	if dir == "" {
		return fs.Sub(recordings, "testdata/h200")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	return os.DirFS(dir), nil
}

// baseName returns the name of a recording without its extensions.
func baseName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".csv")
}

// dir checks all files of a folder in the order of their names.
func (r *report) dir(l layer, files fs.FS, skip names) error {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return fmt.Errorf("no files to check")
	}
	for _, s := range skip {
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return baseName(e.Name()) == s }) {
			return fmt.Errorf("-skip %s: there is no such file", s)
		}
	}
	for _, e := range entries {
		r.file(l, files, e.Name(), slices.Contains(skip, baseName(e.Name())))
	}
	return nil
}
