package input

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// readColumn reads one column of a CSV file with a header. Lines that start
// with # are comments. Fields are separated by commas, or by tabs or semicolons
// if the header has those and no comma.
func readColumn(r io.Reader, source, column string, s sink, k number.Kind) (Data, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	c := csv.NewReader(b)
	c.Comma = separator(b)
	c.Comment = '#'
	c.ReuseRecord = true
	c.TrimLeadingSpace = c.Comma != '\t'
	header, err := c.Read()
	if err == io.EOF {
		return Data{}, &emptyError{Source: source}
	}
	if err != nil {
		return Data{}, csvError(source, err, 0, 0)
	}
	index, err := findColumn(source, header, column)
	if err != nil {
		return Data{}, err
	}
	fields := len(header)
	var cell []byte
	rows := 0
	for {
		row, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Data{}, csvError(source, err, len(row), fields)
		}
		cell = append(cell[:0], row[index]...)
		cell = bytes.TrimSpace(cell)
		if len(cell) == 0 {
			err = number.ErrMissing
		} else {
			err = s.add(cell)
		}
		if err != nil {
			line, col := c.FieldPos(index)
			at := position{Source: source, Line: line, Column: col}
			if !message.Printable(string(cell)) {
				return Data{}, &inputError{Source: at.String(), What: "this is binary data, not text", Err: number.ErrNotNumber}
			}
			return Data{}, &numberError{position: at, Text: string(cell), Kind: k, Reason: err, Hint: typeHint(err, k)}
		}
		rows++
	}
	if rows == 0 {
		return Data{}, &emptyError{Source: source, Header: true}
	}
	d := s.dataset()
	d.Source, d.Column = source, column
	return d, nil
}

// findColumn returns the index of the column of that name.
func findColumn(source string, header []string, column string) (int, error) {
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
		if !message.Printable(header[i]) {
			return 0, &inputError{Source: source, What: "this is binary data, not a CSV file", Err: number.ErrNotNumber}
		}
	}
	index := slices.Index(header, column)
	if index < 0 {
		return 0, &message.ChoiceError{What: "column", Got: column, Have: slices.Clone(header), In: source}
	}
	if other := slices.Index(header[index+1:], column); other >= 0 {
		return 0, &inputError{
			Source: source,
			What:   fmt.Sprintf("columns %d and %d are both called %q", index+1, index+other+2, column),
			Hint:   "rename one of them",
		}
	}
	return index, nil
}

// separator looks at the first line that is no comment.
func separator(b *bufio.Reader) rune {
	text, _ := b.Peek(b.Size())
	for line := range bytes.Lines(text) {
		switch {
		case len(bytes.TrimSpace(line)) == 0, line[0] == '#':
			continue
		case bytes.IndexByte(line, ',') >= 0:
			return ','
		case bytes.IndexByte(line, '\t') >= 0:
			return '\t'
		case bytes.IndexByte(line, ';') >= 0:
			return ';'
		}
		break
	}
	return ','
}

func csvError(source string, err error, got, want int) error {
	var parse *csv.ParseError
	switch {
	case !errors.As(err, &parse):
		return readError(source, err)
	case errors.Is(err, csv.ErrFieldCount):
		return &rowError{Source: source, Line: parse.Line, Got: got, Header: want}
	}
	at := position{Source: source, Line: parse.Line, Column: parse.Column}
	return &inputError{Source: at.String(), What: "not well-formed CSV: " + parse.Err.Error(), Err: err}
}
