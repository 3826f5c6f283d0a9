// Package table aligns cells in columns.
package table

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Table is rows of cells, written in columns as wide as their widest cell.
type Table struct {
	Right []bool // columns that are aligned to the right
	Rows  [][]string
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) Write(w io.Writer) error {
	var width []int
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.Rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i < len(t.Right) && t.Right[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
