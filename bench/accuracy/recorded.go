package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/sass"
)

// A recording is a set that somebody else recorded: a file of rows as kernels.csv has
// them and a listing. Unlike those of this folder it may have faults, and what has none
// is measured all the same.
type recording struct {
	set
	rowsFile, codeFile string
	badRows            []error // of the file of rows
	badLines           []error // of the listing
}

// openRecording reads both files. Its error is one that leaves nothing to measure.
func openRecording(rowsFile, codeFile string) (*recording, error) {
	c := &recording{rowsFile: rowsFile, codeFile: codeFile}
	if err := readFile(rowsFile, c.readRows); err != nil {
		return nil, err
	}
	if err := readFile(codeFile, c.readCode); err != nil {
		return nil, err
	}
	return c, nil
}

func readFile(name string, read func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readRows keeps the rows that are right.
func (c *recording) readRows(r io.Reader) error {
	sc := bufio.NewScanner(r)
	headed := false
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case !headed:
			if headed = strings.HasPrefix(line, "kernel,threads,"); !headed {
				return fmt.Errorf("line %d: the first row is kernel,threads,first_warp_cycles,block_cycles, not %.60q", n, line)
			}
			continue
		}
		row, err := kernelRow(strings.Split(line, ","))
		if err != nil {
			c.badRows = append(c.badRows, fmt.Errorf("%s: line %d: %w", c.rowsFile, n, err))
			continue
		}
		row.kernel = strings.ReplaceAll(row.kernel, ", ", ",")
		c.rows = append(c.rows, row)
		if !slices.Contains(c.names, row.kernel) {
			c.names = append(c.names, row.kernel)
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	if len(c.rows)+len(c.badRows) == 0 {
		return errors.New("no rows")
	}
	return nil
}

// readCode keeps the programs whose lines are all known. Functions that are no kernel
// of the recording programs, such as those that kernels call, are none.
func (c *recording) readCode(r io.Reader) error {
	list, err := parseListing(r)
	if list == nil || len(list.Functions) == 0 {
		return err
	}
	var bad sass.Errors
	errors.As(err, &bad)
	c.programs = programs{}
	for _, f := range list.Functions {
		name, n, err := programName(f.Name)
		if err != nil {
			continue
		}
		p, err := f.Program()
		var lines sass.Errors
		switch {
		case err == nil:
			c.programs.add(&program{p, name, n})
			continue
		case !errors.As(err, &lines):
			return err
		}
		if c.programs[name] == nil {
			c.programs[name] = map[int]*program{}
		}
		c.programs[name][n] = nil
		for _, e := range lines {
			if !slices.Contains(bad, e) {
				bad = append(bad, e)
			}
		}
	}
	for _, e := range bad {
		c.badLines = append(c.badLines, fmt.Errorf("%s: %w", c.codeFile, e))
	}
	return nil
}

// measure runs every row that can be, and names what could not. Rows of kernels that
// the listing does not have are no error, as sets have such rows, unless all are.
func (c *recording) measure(out io.Writer, p *device.Profile) ([]result, error) {
	b, err := newBench(p, c.scheduler)
	if err != nil {
		return nil, err
	}
	var results []result
	var without []string
	left := slices.Clone(c.badRows)
	for _, r := range c.rows {
		if _, ok := c.programs[r.kernel]; !ok {
			without = append(without, fmt.Sprintf("%s at %d threads", r.kernel, r.threads))
			continue
		}
		cycles, err := c.cycles(b, r)
		if err != nil {
			left = append(left, err)
			continue
		}
		results = append(results, result{row: r, simulated: cycles})
	}
	if len(results) > 0 {
		report(out, results)
	}
	list(out, "rows are of kernels that the listing does not have", without)
	list(out, "lines could not be decoded", c.badLines)
	list(out, "rows were left out", left)
	switch all := len(c.rows) + len(c.badRows); {
	case len(c.badLines)+len(left) > 0:
		return results, fmt.Errorf("%d lines could not be decoded, %d of %d rows were left out", len(c.badLines), len(left), all)
	case len(results) == 0:
		return nil, fmt.Errorf("%s has no kernel of %s", c.codeFile, c.rowsFile)
	}
	return results, nil
}

// cycles runs one row. What argument it was recorded with is not in the files: 1 in
// most, and 0 in those of which the argument is an address that 1 is none of.
func (c *recording) cycles(b *bench, r row) (float64, error) {
	x, err := c.code(r)
	if err != nil {
		return 0, err
	}
	m, err := b.measure(x, r.threads)
	if errors.Is(err, warp.OutOfBounds) {
		x.seed = 0
		if again, err := b.measure(x, r.threads); err == nil {
			return again.block, nil
		}
	}
	return m.block, err
}

// list prints what there is of a sort, if anything.
func list[T any](out io.Writer, what string, all []T) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%d %s:\n", len(all), what)
	for _, x := range all {
		fmt.Fprintln(out, x)
	}
}
