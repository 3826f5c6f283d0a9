package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

//go:embed testdata/h200/*.csv.gz
var recordings embed.FS

// names is a flag that can be given several times.
type names []string

func (n *names) String() string     { return strings.Join(*n, ",") }
func (n *names) Set(s string) error { *n = append(*n, baseName(s)); return nil }

// run is the program: it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: conformance [-layer NAME] [-skip NAME]... [DIR]")
		flags.PrintDefaults()
	}
	var skip names
	flags.Var(&skip, "skip", "pass over the file `NAME`; can be given several times")
	layerName := flags.String("layer", defaultLayer, "what to check: "+strings.Join(layerNames(), " or "))
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 1 {
		flags.Usage()
		return 2
	}
	l, err := newLayer(*layerName)
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 2
	}
	files, err := source(flags.Arg(0))
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	r := report{out: stdout, err: stderr}
	if err := r.dir(l, files, skip); err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	fmt.Fprintf(stdout, "TOTAL rows=%d mismatches=%d\n", r.rows, r.mismatches)
	if r.mismatches > 0 || r.failed {
		return 1
	}
	return 0
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
