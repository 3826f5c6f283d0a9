package warp

import (
	"encoding/csv"
	"fmt"
	"io"

	"example.com/warpsim/warp/timing"
)

// WriteCSV writes the rows of a table of a [Report], such as those of [Report.Lines],
// its first line the names of the columns: those of the JSON form, and for lines a
// column of cycles for each reason. Errors are those of the writer, and a
// *ConfigError if there is none.
func WriteCSV[R OpRow | ReasonRow | LineRow | BlockRow | LaunchRow](w io.Writer, rows []R) error {
	if w == nil {
		return &ConfigError{"writer", "nil", "pass where to write to"}
	}
	c := csv.NewWriter(w)
	write := func(fields []any) {
		text := make([]string, len(fields))
		for i, f := range fields {
			text[i] = fmt.Sprint(f)
		}
		_ = c.Write(text) // Error tells of it
	}
	var none R
	write(columns(none))
	for _, r := range rows {
		write(fields(r))
	}
	c.Flush()
	return c.Error()
}

// columns returns the names of the columns of a table, by one of its rows.
func columns(row any) []any {
	switch row.(type) {
	case OpRow:
		return []any{"operation", "instructions", "warpCycles"}
	case ReasonRow:
		return []any{"reason", "warpCycles"}
	case BlockRow:
		return []any{"launch", "cycles", "blocks", "first"}
	case LaunchRow:
		return []any{"blocks", "threads", "shared", "declaredShared", "residentBlocks", "warpsPerBlock", "warpsPerMultiprocessor", "instructions", "cycles"}
	}
	names := []any{"file", "line", "func", "instructions", "threadInstructions", "warpCycles"}
	for _, reason := range timing.Reasons() {
		names = append(names, reason)
	}
	return names
}

// fields returns the values of a row under its columns.
func fields(row any) []any {
	switch r := row.(type) {
	case OpRow:
		return []any{r.Op, r.Instructions, int64(r.Cycles)}
	case ReasonRow:
		return []any{r.Reason, int64(r.Cycles)}
	case BlockRow:
		return []any{r.Launch, int64(r.Cycles), r.Blocks, r.First}
	case LaunchRow:
		return []any{r.Launch.Blocks, r.Launch.Threads, r.Launch.Shared, r.Shared, r.Resident, r.Warps, r.MostWarps, r.Instructions, int64(r.Cycles)}
	}
	r := row.(LineRow)
	values := []any{r.Site.File, r.Site.Line, r.Site.Func, r.Instructions, r.ThreadInstructions, int64(r.Cycles.Total())}
	for _, reason := range timing.Reasons() {
		values = append(values, int64(r.Cycles.Of(reason)))
	}
	return values
}
