package flow

import (
	"context"
	"fmt"

	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
)

// Verify runs one of the points that an output has again. If the figures differ, the
// rows were made by another version of the library or of the kernels, and are not
// to be mixed with new ones.
func Verify(ctx context.Context, s *plan.Sweep, store *result.Store) error {
	f := runFn{common{Store: *store, sweep: s}}
	ses := sessionOf("", 1)
	defer sessions.Delete("")
	defer context.AfterFunc(ctx, func() { ses.fail(context.Cause(ctx)) })()
	for shard := range store.Shards() {
		rows, err := store.Some(shard)
		if err != nil {
			return err
		}
		for i := range rows {
			old := rows[i]
			if err := f.same(&old); err != nil {
				return err
			}
			if old.Error != "" {
				continue
			}
			now := f.point(ses, s.At(old.Point))
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if now.Cycles != old.Cycles || now.Instructions != old.Instructions || now.Result != old.Result || now.Error != old.Error {
				return &result.Error{Path: store.Dir, What: fmt.Sprintf("was made by another version: point %d has %d cycles there and %d now", old.Point, old.Cycles, now.Cycles),
					Fix: "name another folder with -out; nothing was changed"}
			}
			return nil
		}
	}
	return nil
}
