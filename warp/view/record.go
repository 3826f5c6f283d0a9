package view

import (
	"io"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/view/internal/tape"
	"example.com/warpsim/warp/view/internal/trace"
)

// Options say what a Recording keeps. The zero Options are good ones.
type Options struct {
	// Title heads pictures and the page; "" is the device's name and the launch.
	Title string
	// Steps is how many instructions are kept with the values of all lanes, 0 for
	// 2,000, negative for none. Blocks names the blocks of which; nil is block 0.
	Steps  int
	Blocks []int
	// Issues is how many instructions are kept with their times, for timelines and
	// WriteTrace: 0 for 100,000, negative for none.
	Issues int
	// Trace, if not nil, receives a trace of all instructions while they are
	// simulated. It is complete after Record, or [Recording.Close].
	Trace io.Writer
}

// A Recording is what happened in the runs of engines of one Config, one after the
// other. It is not safe for concurrent use, and the runs must not overlap. Errors of
// its methods are those of the writer.
type Recording struct {
	options Options
	tape    *tape.Tape
	trace   *trace.Writer
}

// Record makes an engine of c, has run use it, and returns what happened. The error
// is that of warp.New, of run, or of the trace's writer; the Recording is never nil and
// shows the run up to there.
func Record(c warp.Config, o Options, run func(e *warp.Engine) error) (*Recording, error) {
	r := Attach(&c, o)
	e, err := warp.New(c)
	if err == nil && run != nil {
		err = run(e)
	}
	if failed := r.Close(); err == nil {
		err = failed
	}
	return r, err
}

// Attach makes engines of c write a Recording: it sets Config.Observer, which goes on
// to be told if there is one, and Config.Sites. Record is the shorter way where one
// function runs everything.
func Attach(c *warp.Config, o Options) *Recording {
	r := &Recording{options: o}
	if c == nil {
		c = new(warp.Config)
	}
	limits := tape.Limits{Issues: orElse(o.Issues, 100_000), Steps: orElse(o.Steps, 2_000), Blocks: o.Blocks}
	if limits.Blocks == nil {
		limits.Blocks = []int{0}
	}
	var sink tape.Sink
	if o.Trace != nil {
		r.trace = trace.New(o.Trace)
		sink = r.trace
	}
	r.tape = tape.New(c.Device, limits, sink)
	c.Sites = true
	c.Observer = warp.Observers(r.tape.Observer(), c.Observer)
	return r
}

func orElse(n, zero int) int {
	if n == 0 {
		return zero
	}
	return max(n, 0)
}

// Close completes the trace that Options asked for.
func (r *Recording) Close() error {
	if r == nil || r.trace == nil {
		return nil
	}
	t := r.trace
	r.trace = nil
	return t.Close()
}

// Report returns the report of the runs, added up.
func (r *Recording) Report() *warp.Report {
	launches := r.kept().Launches
	if len(launches) == 1 {
		return launches[0].Report
	}
	sum := &warp.Report{}
	for i := range launches {
		_ = sum.Add(launches[i].Report) // all are of one device
	}
	return sum
}

// kept returns what happened: nothing, in a Recording that Attach did not make.
func (r *Recording) kept() *tape.Tape {
	if r == nil || r.tape == nil {
		return tape.New(nil, tape.Limits{}, nil)
	}
	return r.tape
}
