package warp

import (
	"encoding/csv"
	"fmt"
	"io"

	"example.com/warpsim/warp/timing"
)

// A Table is one of the tables of a Report.
type Table uint8

// The tables.
const (
	OpTable Table = iota
	ReasonTable
	LineTable
	BlockTable
	LaunchTable
)

// WriteCSV writes one table of the report, its first line the names of the
// columns: those of the JSON form, and for lines a column of cycles for each reason.
// Errors are those of the writer, and a *ConfigError for a table that does not
// exist.
func (p *Report) WriteCSV(w io.Writer, t Table) error {
	if w == nil {
		return &ConfigError{"writer", "nil", "pass where to write to"}
	}
	c := csv.NewWriter(w)
	row := func(fields ...any) {
		text := make([]string, len(fields))
		for i, f := range fields {
			text[i] = fmt.Sprint(f)
		}
		_ = c.Write(text) // Error tells of it
	}
	switch t {
	case OpTable:
		row("operation", "instructions", "warpCycles")
		for _, r := range p.Ops() {
			row(r.Op, r.Instructions, int64(r.Cycles))
		}
	case ReasonTable:
		row("reason", "warpCycles")
		for _, r := range p.Reasons() {
			row(r.Reason, int64(r.Cycles))
		}
	case LineTable:
		heads := []any{"file", "line", "func", "instructions", "threadInstructions", "warpCycles"}
		for _, reason := range timing.Reasons() {
			heads = append(heads, reason)
		}
		row(heads...)
		for _, r := range p.Lines() {
			fields := []any{r.Site.File, r.Site.Line, r.Site.Func, r.Instructions, r.ThreadInstructions, int64(r.Cycles.Total())}
			for _, reason := range timing.Reasons() {
				fields = append(fields, int64(r.Cycles.Of(reason)))
			}
			row(fields...)
		}
	case BlockTable:
		row("launch", "cycles", "blocks", "first")
		for _, b := range p.blocks {
			row(b.Launch, int64(b.Cycles), b.Blocks, b.First)
		}
	case LaunchTable:
		row("blocks", "threads", "shared", "declaredShared", "residentBlocks", "warpsPerBlock", "warpsPerMultiprocessor", "instructions", "cycles")
		for _, l := range p.launches {
			row(l.Launch.Blocks, l.Launch.Threads, l.Launch.Shared, l.Shared, l.Resident, l.Warps, l.MostWarps, l.Instructions, int64(l.Cycles))
		}
	default:
		return &ConfigError{"table", fmt.Sprint(uint8(t)), "is no table of a report"}
	}
	c.Flush()
	return c.Error()
}
