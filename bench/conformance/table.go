package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A table is a recorded file: a header and rows of as many cells.
type table struct {
	file    string
	columns []string
	rows    []row
}

type row struct {
	line  int // in the file, from 1
	cells []string
}

// A malformedError says where a file is not in the format.
type malformedError struct {
	file   string
	line   int // 0 for the file as a whole
	reason string
}

func (e *malformedError) Error() string {
	if e.line == 0 {
		return e.file + ": " + e.reason
	}
	return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.reason)
}

var errColumns = errors.New("columns")

// Is makes errors about the header tell themselves from those about rows.
func (e *columnError) Is(target error) bool { return target == errColumns }

// A columnError says that a file lacks a column that its check needs.
type columnError struct{ file, column string }

func (e *columnError) Error() string {
	return fmt.Sprintf("%s: no column %q", e.file, e.column)
}

// readTable reads a file, compressed or not. Lines that start with # and empty
// lines are passed over. On a damaged file it returns the rows before the
// damage, and the error; without a header it returns no table.
func readTable(file string, r io.Reader) (*table, error) {
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, &malformedError{file, 0, "not compressed with gzip: " + err.Error()}
		}
		r = z
	}
	var t *table
	b := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := b.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return t, &malformedError{file, line, err.Error()}
		}
		if text = bytes.TrimRight(text, "\r\n"); len(text) > 0 && text[0] != '#' {
			if t == nil {
				t = &table{file: file, columns: header(string(text))}
			} else {
				cells := strings.Split(string(text), ",")
				if len(cells) != len(t.columns) {
					return t, &malformedError{file, line, fmt.Sprintf("%d cells, the header has %d", len(cells), len(t.columns))}
				}
				t.rows = append(t.rows, row{line, cells})
			}
		}
		if err == io.EOF {
			break
		}
	}
	if t == nil {
		return nil, &malformedError{file, 0, "no header"}
	}
	return t, nil
}

// header returns the names of the columns, without the remarks in parentheses,
// in which there may be commas.
func header(line string) []string {
	var names []string
	depth, start := 0, 0
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) || line[i] == ',' && depth == 0:
			name, _, _ := strings.Cut(line[start:i], "(")
			names = append(names, strings.TrimSpace(name))
			start = i + 1
		case line[i] == '(':
			depth++
		case line[i] == ')':
			depth--
		}
	}
	return names
}

// require returns an error unless the table has all of the columns.
func (t *table) require(columns []string) error {
	for _, c := range columns {
		if !slices.Contains(t.columns, c) {
			return &columnError{t.file, c}
		}
	}
	return nil
}
