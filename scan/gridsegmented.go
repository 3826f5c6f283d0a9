package scan

import (
	"context"
	"fmt"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// GridSegmented scans each segment of data by itself with a whole grid: a
// segment begins at item 0 and wherever heads says so. It is Grid with the
// operator that Segmented makes.
//
// Heads of another length than data are an error of kind team.ErrFlags; an
// exclusive scan, which would have to look at the next item's flag, is one of
// kind team.ErrShape. Other errors are those of Grid.
func GridSegmented[T any](ctx context.Context, e *warp.Engine, data []T, heads []bool, op reduce.Op[T], a Algorithm[Flagged[T]], s Shape) ([]T, *warp.Report, error) {
	if e.Device() == nil {
		r, err := e.Run(ctx, warp.Launch{}, nil) // says what is wrong
		return nil, r, err
	}
	empty := &warp.Report{Device: e.Device().Name}
	if len(heads) != len(data) {
		return nil, empty, &team.Error{Algorithm: a.Name, Kind: team.ErrFlags, Detail: fmt.Sprintf("%d for %d items", len(heads), len(data)), Advice: "give each item one"}
	}
	if s.Exclusive {
		return nil, empty, &team.Error{Algorithm: a.Name, Kind: team.ErrShape, Detail: "an exclusive scan of segments", Advice: "scan inclusively"}
	}
	items := make([]Flagged[T], len(data))
	for i, v := range data {
		items[i].Value = v
		if heads[i] {
			items[i].Head = 1
		}
	}
	scanned, report, err := Grid(ctx, e, items, Segmented(op), a, s)
	if err != nil {
		return nil, report, err
	}
	out := make([]T, len(scanned))
	for i := range scanned {
		out[i] = scanned[i].Value
	}
	return out, report, nil
}
