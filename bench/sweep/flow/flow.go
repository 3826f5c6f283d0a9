// Package flow is the pipeline of a sweep on Apache Beam: shards of points are made
// and spread, each is run and kept, and the rows are combined. What goes between
// machines are the numbers of shards and what combining has left of the rows, never
// the rows themselves: those go from the machine that ran them to the output folder.
package flow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Options say how a sweep is run. Rows do not depend on them.
type Options struct {
	// Runner is the name of one of Beam's runners.
	Runner string
	// Workers is how many points each process runs at a time.
	Workers int
	// Progress is called now and then with how many points are done, and how many
	// of them were run by now; nil is never called.
	Progress func(done, run int64)
}

// GCPercent is a setting of Go's garbage collector that suits a sweep: little is
// alive between points, and each allocates far more, so that the usual 100 has it
// collect all the time.
const GCPercent = 400

// The names of what the pipeline works out.
const (
	Best   = "best"
	Pareto = "pareto"
	Curves = "curves"
)

// Run runs what is missing of a sweep and combines all rows. If ctx ends, it keeps
// what is done and returns its cause.
func Run(ctx context.Context, s *plan.Sweep, store *result.Store, o Options) error {
	encoded, err := s.Encode()
	if err != nil {
		return err
	}
	id := rand.Text()
	ses := sessionOf(id, o.Workers)
	defer sessions.Delete(id)
	stop := context.AfterFunc(ctx, func() { ses.fail(context.Cause(ctx)) })
	defer stop()

	f := common{Sweep: string(encoded), Store: *store, Session: id, Workers: o.Workers}
	p, scope := beam.NewPipelineWithRoot()
	shards := beam.ParDo(scope, &shardFn{Shards: store.Shards()}, beam.Impulse(scope))
	rows := beam.ParDo(scope, &runFn{common: f}, beam.Reshuffle(scope, shards))
	collect(scope, f, Best, beam.ParDo(scope, &linesFn{}, beam.CombinePerKey(scope, &bestFn{Least: s.Best.Least}, beam.ParDo(scope, &keyFn{common: f, By: s.Best.By}, rows))))
	collect(scope, f, Pareto, beam.ParDo(scope, &linesFn{}, beam.CombinePerKey(scope, &paretoFn{}, beam.ParDo(scope, &keyFn{common: f, By: s.Pareto.By}, rows))))
	collect(scope, f, Curves, beam.ParDo(scope, &curveLinesFn{}, beam.CombinePerKey(scope, &sumFn{}, beam.ParDo(scope, &curveFn{common: f}, rows))))

	watched := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ses, store, o.Progress, ended)
	}()
	_, err = beam.Run(ses.ctx, o.Runner, p)
	failed := ses.first()
	ses.fail(errors.New("the pipeline has ended")) // what still runs stops
	ses.active.Wait()
	close(ended)
	<-watched
	// Beam tells of an error of ours as a text of many lines, if at all.
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("runner %s: %s", o.Runner, lastLine(err.Error()))
	}
	return nil
}

// lastLine returns the innermost line of an error that was wrapped line by line.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// watch tells of progress: of the points that this process ran, or of the shards
// that others have finished, whichever is further.
func watch(ses *session, store *result.Store, tell func(done, run int64), ended <-chan struct{}) {
	if tell == nil {
		return
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	before := store.Done()
	for {
		done, run := ses.kept.Load()+ses.run.Load(), ses.run.Load()
		if shards := store.Done(); shards > done {
			done, run = shards, shards-before
		}
		tell(done, run)
		select {
		case <-ended:
			return
		case <-tick.C:
		}
	}
}

// collect brings lines together, in order, and keeps them.
func collect(scope beam.Scope, f common, name string, lines beam.PCollection) {
	scope = scope.Scope(name)
	beam.ParDo0(scope, &keepFn{common: f, Name: name}, beam.GroupByKey(scope, beam.AddFixedKey(scope, lines)))
}

func init() {
	register.DoFn3x0[context.Context, []byte, func(int64)](&shardFn{})
	register.DoFn3x1[context.Context, int64, func(result.Row), error](&runFn{})
	register.DoFn2x1[result.Row, func(string, result.Row), error](&keyFn{})
	register.DoFn2x1[result.Row, func(string, Sample), error](&curveFn{})
	register.DoFn3x1[string, Rows, func(string), error](&linesFn{})
	register.DoFn3x1[string, Sums, func(string), error](&curveLinesFn{})
	register.DoFn2x1[int, func(*string) bool, error](&keepFn{})
	register.Combiner3[Rows, result.Row, Rows](&bestFn{})
	register.Combiner3[Rows, result.Row, Rows](&paretoFn{})
	register.Combiner3[Sums, Sample, Sums](&sumFn{})
	register.Emitter1[int64]()
	register.Emitter1[string]()
	register.Emitter1[result.Row]()
	register.Emitter2[string, result.Row]()
	register.Emitter2[string, Sample]()
	register.Iter1[string]()
	registerCoder(encodeRow, decodeRow)
	registerCoder(encodeRows, decodeRows)
	registerCoder(encodeSample, decodeSample)
	registerCoder(encodeSums, decodeSums)
}
