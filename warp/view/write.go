package view

import (
	"io"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/view/internal/prof"
	"example.com/warpsim/warp/view/internal/source"
	"example.com/warpsim/warp/view/internal/steps"
	"example.com/warpsim/warp/view/internal/trace"
)

// WriteSource writes the functions that executed instructions, as text, with what each
// line cost: cycles of all warps, their share, instructions, active lanes on average,
// conflicts in shared memory, and the reason that most of the waiting was for. What
// stands beside no line was waited behind the last instruction of warps. The source is
// read from its files; lines of one that cannot be read have no text.
func (r *Recording) WriteSource(w io.Writer) error {
	return written(w, func() error { return source.Write(w, r.kept()) })
}

// WriteProfile writes a profile for go tool pprof. Its kinds of samples are cycles of
// all warps, instructions, active lanes, conflicts in shared memory, and cycles by what
// was waited for; its locations are lines of the kernel's source, and samples are
// labelled by operation and reason. Cycles add up to those of all warps: what was waited
// behind the last instruction is in a function of its own.
//
//	go tool pprof -top profile.pb.gz
//	go tool pprof -list . profile.pb.gz
//	go tool pprof -top -tagroot reason profile.pb.gz
func (r *Recording) WriteProfile(w io.Writer) error {
	return written(w, func() error { return prof.Write(w, r.kept()) })
}

// WriteTrace writes a trace for ui.perfetto.dev, in its protobuf form, of the
// instructions that Options.Issues kept: a nanosecond of the trace is a cycle. A
// multiprocessor has a track for each of its warps, whose slices are instructions with
// what they waited for inside, for each pipe, and for each place for blocks; and
// counters of active lanes, of cycles queued for a pipe or port, and of instructions
// that wait for global memory. Options.Trace gets all instructions.
func (r *Recording) WriteTrace(w io.Writer) error {
	return written(w, func() error { return trace.Write(w, r.kept()) })
}

// WriteSteps writes, for each warp of the blocks that Options.Blocks names, what lanes
// hold after each instruction, and the threads of the block that it came from: those
// that loaded it from global memory, or whose number it is. It leaves out instructions
// that change no register, and writes lanes alike once; with all there is a line for
// each lane.
func (r *Recording) WriteSteps(w io.Writer, all bool) error {
	return written(w, func() error { return steps.Write(w, r.kept(), all) })
}

// written has write write to w, if there is one.
func written(w io.Writer, write func() error) error {
	if w == nil {
		return &warp.ConfigError{Field: "w", Value: "nil", Reason: "pass where to write to"}
	}
	return write()
}
