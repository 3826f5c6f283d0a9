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

// What a recorded file has at most: a few bytes compressed may be gigabytes.
const (
	maxLine  = 1 << 20 // bytes
	maxCells = 1 << 24
)

// readTable reads a file, compressed or not. Lines that start with # and empty
// lines are passed over, and so is a byte order mark. On a damaged file, or one with
// a line or a number of cells that no record has, it returns the rows before the
// damage, and the error; without a header, or with a column twice, it returns no
// table.
func readTable(file string, r io.Reader) (*table, error) {
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, &malformedError{file, 0, "not compressed with gzip: " + err.Error()}
		}
		r = z
	}
	var t *table
	b := bufio.NewReaderSize(r, maxLine)
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3)
	}
	cellsRead, skipped := 0, 0
	for line := 1; ; line++ {
		text, err := b.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			return t, &malformedError{file, line, fmt.Sprintf("more than %d bytes in a line", maxLine)}
		}
		if err != nil && err != io.EOF {
			return t, &malformedError{file, line, err.Error()}
		}
		if text = bytes.TrimRight(text, "\r\n"); len(text) > 0 && text[0] != '#' {
			if t == nil {
				t = &table{file: file, columns: header(string(text))}
				if twice := repeatedName(t.columns); twice != "" {
					return nil, &malformedError{file, line, fmt.Sprintf("column %q twice", twice)}
				}
			} else {
				cells := strings.Split(string(text), ",")
				if len(cells) != len(t.columns) {
					return t, &malformedError{file, line, fmt.Sprintf("%d cells, the header has %d", len(cells), len(t.columns))}
				}
				if cellsRead += len(cells); cellsRead > maxCells {
					return t, &malformedError{file, line, fmt.Sprintf("more than %d cells", maxCells)}
				}
				t.rows = append(t.rows, row{line, cells})
			}
		} else if skipped += len(text) + 1; skipped > maxCells {
			return t, &malformedError{file, line, fmt.Sprintf("more than %d bytes of empty lines and remarks", maxCells)}
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

// repeatedName returns the first name that stands twice, "" if none does.
func repeatedName(names []string) string {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return n
		}
	}
	return ""
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
