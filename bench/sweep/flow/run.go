package flow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"example.com/warpsim/bench/sweep/kernel"
	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
	"example.com/warpsim/warp/device"
)

// common is what every function of the pipeline knows. Beam sends it as JSON.
type common struct {
	Sweep   string
	Store   result.Store
	Session string
	Workers int

	sweep *plan.Sweep
}

// Setup is called by Beam before the first element.
func (c *common) Setup() (err error) {
	c.sweep, err = plan.Decode([]byte(c.Sweep))
	return err
}

// shardFn makes the shards.
type shardFn struct{ Shards int64 }

// ProcessElement is called once.
func (f *shardFn) ProcessElement(_ context.Context, _ []byte, emit func(int64)) {
	for i := range f.Shards {
		emit(i)
	}
}

// runFn runs what is missing of a shard, and keeps it.
type runFn struct{ common }

// Setup is called by Beam before the first element.
func (f *runFn) Setup() error { return f.common.Setup() }

// ProcessElement runs one shard.
func (f *runFn) ProcessElement(_ context.Context, shard int64, emit func(result.Row)) error {
	ses := sessionOf(f.Session, f.Workers)
	ses.active.Add(1)
	defer ses.active.Done()
	rows, err := f.shard(ses, shard)
	if err != nil {
		ses.fail(err)
		return err
	}
	for i := range rows {
		emit(rows[i])
	}
	return nil
}

func (f *runFn) shard(ses *session, shard int64) ([]result.Row, error) {
	if ses.ctx.Err() != nil {
		return nil, context.Cause(ses.ctx)
	}
	rows, attempt, err := f.Store.Begin(shard)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if err := f.same(&rows[i]); err != nil {
			return nil, err
		}
	}
	ses.kept.Add(int64(len(rows)))
	if attempt == nil {
		return rows, nil
	}
	var mu sync.Mutex // of rows, attempt and err
	var wait sync.WaitGroup
	for _, p := range f.missing(shard, rows) {
		select {
		case ses.turns <- struct{}{}:
		case <-ses.ctx.Done():
		}
		if ses.ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-ses.turns }()
			row := f.point(ses, p)
			if ses.ctx.Err() != nil && row.Error != "" {
				return // perhaps only because of that
			}
			mu.Lock()
			defer mu.Unlock()
			if e := attempt.Add(row); e != nil {
				err = cmpErr(err, e)
				ses.fail(e)
				return
			}
			rows = append(rows, row)
			ses.run.Add(1)
		})
	}
	wait.Wait()
	if err == nil && ses.ctx.Err() != nil {
		err = context.Cause(ses.ctx)
	}
	if err != nil {
		return nil, cmpErr(err, attempt.Close())
	}
	slices.SortFunc(rows, func(a, b result.Row) int { return cmp.Compare(a.Point, b.Point) })
	return rows, attempt.Finish(rows)
}

// cmpErr returns the first of two errors.
func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// missing returns the points of a shard that have no row, the largest first, so that
// none is begun last that takes long.
func (f *runFn) missing(shard int64, rows []result.Row) []plan.Point {
	have := make(map[int64]bool, len(rows))
	for _, r := range rows {
		have[r.Point] = true
	}
	var points []plan.Point
	from, to := f.Store.Range(shard)
	for i := from; i < to; i++ {
		if !have[i] {
			points = append(points, f.sweep.At(i))
		}
	}
	slices.SortStableFunc(points, func(a, b plan.Point) int { return cmp.Compare(b.Size, a.Size) })
	return points
}

// point runs one point.
func (f *runFn) point(ses *session, p plan.Point) result.Row {
	row := f.row(p)
	profile, err := ses.profile(p.Device, p.Combination, func() (*device.Profile, error) { return f.sweep.Profile(p) })
	var out kernel.Outcome
	if err == nil {
		if k, ok := kernel.Lookup(p.Kernel); ok {
			out, err = kernel.Do(ses.ctx, k, kernel.Job{Device: profile, Type: p.Type, Size: int(p.Size), Seed: uint64(p.Seed), Repetition: int(p.Repetition)})
		} else {
			err = fmt.Errorf("the program of this worker has no kernel %s; give it the one that began the sweep", p.Kernel)
		}
	}
	if err != nil {
		row.Error = err.Error()
		return row
	}
	row.Lanes, row.Cycles, row.Instructions, row.Conflicts = int64(profile.Lanes), out.Cycles, out.Instructions, out.Conflicts
	row.Result, row.Evidence = out.Result, out.Evidence
	row.Cost = f.sweep.Cost(p, profile, out.Instructions, out.Conflicts)
	return row
}

// row returns the row of a point without what became of it.
func (f *runFn) row(p plan.Point) result.Row {
	return result.Row{Point: p.Number, Device: f.sweep.Devices[p.Device].Name, Kernel: p.Kernel, Type: p.Type, Size: p.Size,
		Seed: p.Seed, Repetition: p.Repetition, Values: p.Values, Varied: p.Varied}
}

// same says whether a row that was kept is of this sweep's point.
func (f *runFn) same(r *result.Row) error {
	p := f.row(f.sweep.At(r.Point))
	if p.Device == r.Device && p.Kernel == r.Kernel && p.Type == r.Type && p.Size == r.Size && p.Seed == r.Seed && p.Repetition == r.Repetition && slices.Equal(p.Values, r.Values) {
		return nil
	}
	return &result.Error{Path: f.Store.Dir, What: fmt.Sprintf("point %d is of another sweep", r.Point), Fix: "name another folder with -out"}
}
