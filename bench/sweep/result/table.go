package result

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A Kind is what the cells of a column are.
type Kind uint8

const (
	Text  Kind = iota // string
	Whole             // int64
	Real              // float64
)

// A Column is the head of a column.
type Column struct {
	Name string
	Kind Kind
}

// A sink writes a table in one format. A nil cell is an empty one.
type sink interface {
	row(cells []any) error
	close() error
}

// WriteTable writes NAME.csv, NAME.jsonl and NAME.parquet in one pass. Each is there
// whole or not at all.
func WriteTable(dir, name string, columns []Column, rows iter.Seq2[[]any, error]) error {
	type target struct {
		path string
		file *os.File
		buf  *bufio.Writer
		sink sink
	}
	var targets []target
	defer func() {
		for _, t := range targets {
			t.file.Close() // of those that were finished, again
			os.Remove(t.file.Name())
		}
	}()
	for _, f := range []struct {
		ext  string
		sink func(io.Writer, []Column) sink
	}{{".csv", newCSV}, {".jsonl", newLines}, {".parquet", newParquet}} {
		path := filepath.Join(dir, name+f.ext)
		file, err := os.CreateTemp(dir, name+f.ext+".*.new")
		if err != nil {
			return wrote(path, err)
		}
		buf := bufio.NewWriterSize(file, 1<<16)
		targets = append(targets, target{path, file, buf, f.sink(buf, columns)})
	}
	for cells, err := range rows {
		if err != nil {
			return err
		}
		for _, t := range targets {
			if err := t.sink.row(cells); err != nil {
				return wrote(t.path, err)
			}
		}
	}
	for _, t := range targets {
		err := t.sink.close()
		if err == nil {
			err = t.buf.Flush()
		}
		if err := finish(t.file, t.path, err); err != nil {
			return err
		}
	}
	return nil
}

// text writes a cell for people and for CSV.
func text(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(cell)
}

type csvSink struct {
	w     *csv.Writer
	cells []string
}

func newCSV(w io.Writer, columns []Column) sink {
	s := &csvSink{csv.NewWriter(w), make([]string, len(columns))}
	for i, c := range columns {
		s.cells[i] = c.Name
	}
	s.w.Write(s.cells) // an error comes again with the next row and with close
	return s
}

func (s *csvSink) row(cells []any) error {
	for i, c := range cells {
		s.cells[i] = text(c)
	}
	return s.w.Write(s.cells)
}

func (s *csvSink) close() error {
	s.w.Flush()
	return s.w.Error()
}

type linesSink struct {
	w    io.Writer
	keys [][]byte
	buf  []byte
}

func newLines(w io.Writer, columns []Column) sink {
	s := &linesSink{w: w}
	for _, c := range columns {
		key, _ := json.Marshal(c.Name) // a string
		s.keys = append(s.keys, append(key, ':'))
	}
	return s
}

func (s *linesSink) row(cells []any) error {
	s.buf = append(s.buf[:0], '{')
	for i, c := range cells {
		if c == nil {
			continue
		}
		if len(s.buf) > 1 {
			s.buf = append(s.buf, ',')
		}
		v, err := json.Marshal(c)
		if err != nil {
			return err
		}
		s.buf = append(append(s.buf, s.keys[i]...), v...)
	}
	_, err := s.w.Write(append(s.buf, '}', '\n'))
	return err
}

func (s *linesSink) close() error { return nil }

type parquetSink struct {
	w     *parquet.GenericWriter[any]
	place []int // of each column in the file, which orders them by name
	row1  parquet.Row
}

// parquetGroup is how many rows are kept in memory until they are written.
const parquetGroup = 1 << 14

func newParquet(w io.Writer, columns []Column) sink {
	group := parquet.Group{}
	for _, c := range columns {
		group[c.Name] = parquet.Optional(map[Kind]parquet.Node{
			Text: parquet.Encoded(parquet.String(), &parquet.RLEDictionary), Whole: parquet.Int(64), Real: parquet.Leaf(parquet.DoubleType),
		}[c.Kind])
	}
	schema := parquet.NewSchema("row", group)
	s := &parquetSink{
		w:     parquet.NewGenericWriter[any](w, schema, parquet.MaxRowsPerRowGroup(parquetGroup), parquet.Compression(&parquet.Snappy)),
		place: make([]int, len(columns)), row1: make(parquet.Row, len(columns)),
	}
	at := map[string]int{}
	for i, path := range schema.Columns() {
		at[path[0]] = i
	}
	for i, c := range columns {
		s.place[i] = at[c.Name]
	}
	return s
}

func (s *parquetSink) row(cells []any) error {
	for i, c := range cells {
		v, defined := parquet.NullValue(), 0
		if c != nil {
			v, defined = parquet.ValueOf(c), 1
		}
		s.row1[s.place[i]] = v.Level(0, defined, s.place[i])
	}
	_, err := s.w.WriteRows([]parquet.Row{s.row1})
	return err
}

func (s *parquetSink) close() error { return s.w.Close() }
