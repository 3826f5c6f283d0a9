// Package prof writes what is on a tape as a profile that go tool pprof reads.
package prof

import (
	"io"

	"github.com/google/pprof/profile"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view/internal/tape"
)

// Behind is the function that stands for what warps waited behind their last
// instruction.
const Behind = "(after the last instruction)"

// The kinds of samples, in their order; the reasons for waiting follow.
const (
	cycles = iota
	instructions
	lanes
	conflicts
	firstReason
)

// Write writes the profile, gzipped.
func Write(w io.Writer, t *tape.Tape) error { return Build(t).Write(w) }

// Build makes the profile. The cycles of its samples add up to those of all warps.
func Build(t *tape.Tape) *profile.Profile {
	b := builder{p: &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "cycles", Unit: "cycles"}, {Type: "instructions", Unit: "count"},
			{Type: "lanes", Unit: "count"}, {Type: "conflicts", Unit: "count"},
		},
		DefaultSampleType: "cycles", PeriodType: &profile.ValueType{Type: "cycles", Unit: "cycles"}, Period: 1,
	}, functions: map[function]*profile.Function{}, locations: map[warp.Site]*profile.Location{}}
	reasons := timing.Reasons()[1:] // Issued is what instructions are
	for _, r := range reasons {
		b.p.SampleType = append(b.p.SampleType, &profile.ValueType{Type: r.String(), Unit: "cycles"})
	}
	for _, l := range t.Launches {
		if c := l.Report; c.Seconds() > 0 {
			b.p.DurationNanos += int64(c.Seconds() * 1e9)
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		loc := b.location(t.Sites[r.Site])
		v := b.values()
		v[cycles], v[instructions], v[lanes], v[conflicts] = int64(r.Cycles.Of(timing.Issued)), r.Instructions, r.Lanes, r.Conflicts
		b.add(loc, v, r.Op.String(), timing.Issued)
		b.waits(loc, &r.Cycles, r.Op.String())
	}
	b.waits(b.location(warp.Site{Func: Behind}), &t.Rest, "")
	return b.p
}

type builder struct {
	p         *profile.Profile
	functions map[function]*profile.Function
	locations map[warp.Site]*profile.Location
}

type function struct{ name, file string }

func (b *builder) values() []int64 { return make([]int64, len(b.p.SampleType)) }

// waits adds a sample for each reason for which cycles were waited.
func (b *builder) waits(loc *profile.Location, c *timing.Cycles, op string) {
	for reason, n := range c.All() {
		if reason != timing.Issued {
			v := b.values()
			v[cycles], v[firstReason+int(reason)-1] = int64(n), int64(n)
			b.add(loc, v, op, reason)
		}
	}
}

func (b *builder) add(loc *profile.Location, v []int64, op string, reason timing.Reason) {
	labels := map[string][]string{"reason": {reason.String()}}
	if op != "" {
		labels["operation"] = []string{op}
	}
	b.p.Sample = append(b.p.Sample, &profile.Sample{Location: []*profile.Location{loc}, Value: v, Label: labels})
}

func (b *builder) location(s warp.Site) *profile.Location {
	if l := b.locations[s]; l != nil {
		return l
	}
	name := s.Func
	if name == "" {
		name = "unknown"
	}
	k := function{name, s.File}
	f := b.functions[k]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: name, SystemName: name, Filename: s.File}
		b.functions[k] = f
		b.p.Function = append(b.p.Function, f)
	}
	if s.Line > 0 && (f.StartLine == 0 || int64(s.Line) < f.StartLine) {
		f.StartLine = int64(s.Line)
	}
	l := &profile.Location{ID: uint64(len(b.p.Location) + 1), Line: []profile.Line{{Function: f, Line: int64(s.Line)}}}
	b.locations[s] = l
	b.p.Location = append(b.p.Location, l)
	return l
}
