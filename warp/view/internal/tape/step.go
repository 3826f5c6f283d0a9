package tape

import (
	"slices"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/view/internal/origin"
)

func (t *Tape) instr(ev warp.InstrEvent) {
	site := t.number(ev.Site, ev.Warp)
	r := t.row(site, ev.Instr.Op)
	r.Instructions++
	r.Lanes += int64(ev.Instr.Active)
	r.Conflicts += int64(ev.Conflicts)
	block := ev.Warp.BlockIndex()
	if !slices.Contains(t.limits.Blocks, block) {
		return
	}
	if len(t.Steps) >= t.limits.Steps {
		t.LostSteps++
		return
	}
	t.step(&ev, site, block)
}

// step keeps an instruction with what the lanes hold now.
func (t *Tape) step(ev *warp.InstrEvent, site uint32, block int) {
	w, f := ev.Warp, ev.Warp.Front()
	lanes := w.Width()
	s := Step{
		Launch: len(t.Launches), Block: block, Warp: w.ID(), Index: ev.Index, Instr: ev.Instr,
		Active: ev.Active, Site: site, Conflicts: ev.Conflicts, Cycle: -1,
	}
	dst := ev.Instr.Uncoded().Dst
	s.Kind = f.Kind(dst)
	s.Values = values(f, dst, s.Kind, lanes)
	s.Undef = f.Undefined(dst).And(lane.FirstN(lanes))
	s.Set = f.Set(dst)
	if ev.Sources != nil {
		s.Sources = slices.Clone(ev.Sources[:lanes])
	}
	if a := ev.Access; a != nil {
		s.Addresses, s.Bytes, s.Lanes = slices.Clone(a.At[:lanes]), a.Bytes, a.Lanes
	}
	if f.Traceable() {
		s.Origins = slices.Clone(t.tracker(s.Launch, block).Follow(ev))
	} else {
		t.Loose = true
	}
	k := warpKey{s.Launch, block, s.Warp}
	s.Changed = t.changed(k, &s, dst)
	t.stepOf[k] = append(t.stepOf[k], int32(len(t.Steps)))
	t.Steps = append(t.Steps, s)
}

func (t *Tape) tracker(launch, block int) *origin.Tracker {
	if t.track == nil {
		t.track = map[[2]int]*origin.Tracker{}
	}
	k := [2]int{launch, block}
	if t.track[k] == nil {
		t.track[k] = origin.New()
	}
	return t.track[k]
}

// changed reports whether a step leaves its result other than the last step that
// wrote the register did.
func (t *Tape) changed(k warpKey, s *Step, dst isa.Reg) bool {
	if dst == isa.NoReg {
		return false
	}
	before := t.stepOf[k]
	for i := len(before) - 1; i >= 0; i-- {
		o := &t.Steps[before[i]]
		if o.Instr.Uncoded().Dst == dst {
			return !slices.Equal(o.Values, s.Values) || !slices.Equal(o.Origins, s.Origins) || o.Undef != s.Undef || o.Set != s.Set
		}
	}
	return true
}

// values returns what the lanes of a register hold, nil if it is no row.
func values(f warp.Front, r isa.Reg, kind warp.Kind, lanes int) []uint64 {
	low := f.Words(r)
	if len(low) < lanes {
		return nil
	}
	out := make([]uint64, lanes)
	if part := 4 >> (kind & 3); kind < warp.Float32 && part > 1 { // several lanes a word
		for l := range out {
			out[l] = uint64(low[l/part] >> (l % part * 32 / part) & (1<<(32/part) - 1))
		}
		return out
	}
	whole := kind == warp.Int64 || kind == warp.Uint64 || kind == warp.Float64
	if !whole && !r.IsPair() {
		for l := range out {
			out[l] = uint64(low[l])
		}
		return out
	}
	high := f.Words(isa.Row(r.Index()))
	if len(high) < lanes {
		return nil
	}
	for l := range out {
		if whole { // lane by lane over both rows
			out[l] = uint64(half(low, high, 2*l)) | uint64(half(low, high, 2*l+1))<<32
		} else {
			out[l] = uint64(low[l]) | uint64(high[l])<<32
		}
	}
	return out
}

func half(low, high []uint32, i int) uint32 {
	if i < len(low) {
		return low[i]
	}
	return high[i-len(low)]
}
