package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/warpsim/examples/reduce/internal/exact"
	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
	"example.com/warpsim/examples/reduce/internal/result"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/team"
	"example.com/warpsim/warp/timing"
)

// A simulator runs jobs on the warp engine.
type simulator struct {
	// The exact result of the data that came last: all jobs of a run have the
	// same.
	exact  any // a reference
	op     number.Operator
	values any // pointer to the first number
}

// Devices returns the built-in devices.
func (*simulator) Devices() []choice {
	var list []choice
	for _, name := range device.Names() {
		p, err := device.Lookup(name)
		if err != nil {
			continue // the profiles are embedded and tested
		}
		list = append(list, choice{name, fmt.Sprintf("%s, %s a warp", p.Title, message.Plural(p.Lanes, "lane"))})
	}
	return append(list, choice{anyWidth, "a neutral device with N lanes a warp, a power of two up to 128"})
}

// Lookup finds a device by any spelling of its name.
func (*simulator) Lookup(name string) (target, error) {
	p, err := device.Lookup(name)
	if err != nil {
		return target{}, err
	}
	return target{p.Name, p.Limits.ThreadsPerBlock}, nil
}

// Algorithms returns the algorithms of package reduce; they are the same for
// all types.
func (*simulator) Algorithms() []choice {
	var list []choice
	for _, a := range reduce.Algorithms[int32]() {
		list = append(list, choice{a.Name, fmt.Sprintf("%v: %s", a.Scope, a.Doc)})
	}
	return list
}

// Reduce runs a job.
func (s *simulator) Reduce(ctx context.Context, j job) (result.Outcome, error) {
	switch v := j.Data.Values.(type) {
	case []int32:
		return simulate(ctx, s, j, v, integerOp[int32](j.Op))
	case []uint32:
		return simulate(ctx, s, j, v, integerOp[uint32](j.Op))
	case []int64:
		return simulate(ctx, s, j, v, integerOp[int64](j.Op))
	case []uint64:
		return simulate(ctx, s, j, v, integerOp[uint64](j.Op))
	case []float32:
		return simulate(ctx, s, j, v, numberOp[float32](j.Op))
	case []float64:
		return simulate(ctx, s, j, v, numberOp[float64](j.Op))
	}
	return result.Outcome{}, fmt.Errorf("no kernel takes numbers of type %T", j.Data.Values)
}

func integerOp[T int32 | uint32 | int64 | uint64](o number.Operator) reduce.Op[T] {
	switch o {
	case number.OpAnd:
		return reduce.And[T]()
	case number.OpOr:
		return reduce.Or[T]()
	case number.OpXor:
		return reduce.Xor[T]()
	}
	return numberOp[T](o)
}

func numberOp[T number.Element](o number.Operator) reduce.Op[T] {
	switch o {
	case number.OpMin:
		return reduce.Min[T]()
	case number.OpMax:
		return reduce.Max[T]()
	}
	return reduce.Sum[T]()
}

func simulate[T number.Element](ctx context.Context, s *simulator, j job, values []T, op reduce.Op[T]) (result.Outcome, error) {
	out := result.Outcome{Device: j.Device, Algorithm: j.Algorithm, Block: j.Block}
	p, err := device.Lookup(j.Device)
	if err != nil {
		return out, err
	}
	a, err := reduce.Lookup[T](j.Algorithm)
	if err != nil {
		return out, err
	}
	if err := a.Fits(p, op, reduce.Tile{}, j.Block); err != nil {
		return refused(ctx, out, j, err)
	}
	c := warp.Config{Device: p, Seed: j.Seed}
	if j.Warm {
		c.Memory = memory.Warm
	}
	if j.Progress != nil {
		c.Progress = func(done, total int) { j.Progress(int64(done), int64(total)) }
	}
	e, err := warp.New(c)
	if err != nil {
		return out, err
	}
	got, report, err := reduce.Grid(ctx, e, values, op, a, reduce.Shape{
		Blocks: blocks(j, p), Threads: j.Block, Combine: combines[j.Combine],
	})
	if err != nil {
		return refused(ctx, out, j, err)
	}
	out.Grid = report.Launch.Blocks.Count()
	results := out.Grid
	if a.Scope == reduce.WarpScope {
		results *= (j.Block + p.Lanes - 1) / p.Lanes
	}
	switch {
	case j.Combine == byAtomics && results > 1:
		out.Note = "in the model, multiprocessors do not wait for each other's atomics on the result"
	case a.Scope == reduce.WarpScope && results > slowTail*p.Lanes:
		out.Note = "one warp reduces the results of all warps at the end; -combine atomics adds them as they come"
	}
	out.Result = exact.Format(got)
	out.Error = exactResult(s, j.Op, values).Deviation(got)
	fill(&out, report)
	return out, nil
}

// slowTail is for how many results a lane the end of a reduction by warps is
// worth a remark.
const slowTail = 4

var combines = [...]reduce.Combine{twoPass: reduce.TwoPass, byAtomics: reduce.Atomics, lastBlock: reduce.LastBlock}

// blocks returns how many blocks a job is given: what was asked for, or as many
// as the device holds at once. Fewer leave it waiting for memory, more take
// turns and leave more results to combine.
func blocks(j job, p *device.Profile) int {
	if j.Grid > 0 {
		return j.Grid
	}
	l := &p.Limits
	warps := (j.Block + p.Lanes - 1) / p.Lanes
	resident := min(l.BlocksPerMultiprocessor, l.WarpsPerMultiprocessor/warps, l.ThreadsPerMultiprocessor/(warps*p.Lanes))
	return l.Multiprocessors * max(resident, 1)
}

// exactResult returns the exact result of values, computed once for all jobs.
func exactResult[T number.Element](s *simulator, op number.Operator, values []T) exact.Reference[T] {
	if r, ok := s.exact.(exact.Reference[T]); ok && s.op == op && s.values == any(&values[0]) {
		return r
	}
	r := exact.Reduce(op, values)
	s.exact, s.op, s.values = r, op, &values[0]
	return r
}

// fill takes over the figures of a run.
func fill(o *result.Outcome, r *warp.Report) {
	o.Instructions, o.Cycles, o.Microseconds = r.Instructions, int64(r.Cycles), 1e6*r.Seconds()
	o.BankConflicts = r.ConflictPasses
	o.Evidence = r.Evidence().String()
	for _, row := range r.Reasons() {
		o.Stalls = append(o.Stalls, result.Share{Reason: row.Reason.String(), Fraction: row.Share})
	}
	for _, f := range r.Faults {
		o.Note = f.Error()
	}
}

// refused sorts what may go wrong: what the device cannot do is left out, a
// mistake of the kernel is a failed run, anything else ends the program.
func refused(ctx context.Context, out result.Outcome, j job, err error) (result.Outcome, error) {
	var fault *warp.Fault
	var deadlock *timing.DeadlockError
	var timed *timing.Error
	var unfit *team.Error
	switch {
	case ctx.Err() != nil:
		return out, context.Cause(ctx)
	case errors.Is(err, team.ErrRedux):
		out.Skipped = fmt.Sprintf("no reduction instruction for the %v of %v", j.Op, j.Data.Kind)
	case errors.Is(err, team.ErrRoute):
		out.Skipped = "the device has no such moves between lanes"
	case errors.Is(err, team.ErrAtomic):
		out.Skipped = fmt.Sprintf("no atomic instruction for the %v of %v", j.Op, j.Data.Kind)
	case errors.Is(err, warp.Unsupported), errors.As(err, &timed):
		out.Skipped = err.Error()
	case errors.As(err, &fault), errors.As(err, &deadlock):
		out.Failed = err.Error()
	case errors.As(err, &unfit):
		out.Skipped = fmt.Sprintf("%v: %s", unfit.Kind, unfit.Detail)
	default:
		return out, err
	}
	return out, nil
}
