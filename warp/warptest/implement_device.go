package warptest

import (
	"context"
	"fmt"
	"slices"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// languages is what the languages whose rules are published say of every device.
var languages = map[string]struct {
	shuffle  crossbar.Rule
	maskBits int
}{
	"CUDA": {crossbar.CutToWarp, 32}, "HIP": {crossbar.Uncut, 64}, "MUSA": {crossbar.CutTo7, 32},
}

// TestDevice holds a profile against what its language says (operands of shuffles and bits
// of masks of CUDA, HIP and MUSA), and against itself: what its rules and limits promise
// has a price, no result is there before its instruction has been issued, a level of memory
// is no nearer than the one before, and a block that shuffles, votes, exchanges values
// through shared memory and stores them runs with the values that it should. A
// profile without prices is held to the values alone. It returns the first that is not so: a
// *MismatchError, or what the packages device, timing or warp have returned.
func TestDevice(p *device.Profile) error {
	if p == nil {
		return fmt.Errorf("warptest: TestDevice: nil: give a profile")
	}
	if err := p.Validate(); err != nil {
		return err
	}
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: len(p.Timing.Ops) == 0, Sanitize: p.Limits.ThreadsPerBlock+p.Lanes <= 1<<16})
	if err != nil {
		return err
	}
	rule := p.Rules.Shuffle
	if l, ok := languages[p.Language]; ok {
		rule = l.shuffle
		if err := differs(p.Name+": bits of a mask of "+p.Language, l.maskBits, p.Rules.MaskBits); err != nil {
			return err
		}
	}
	if len(p.Timing.Ops) > 0 {
		if err := checkPrices(p); err != nil {
			return err
		}
	}
	return checkBlock(e, rule)
}

// checkPrices looks at what instructions and levels cost.
func checkPrices(p *device.Profile) error {
	r := &p.Rules
	for _, x := range []struct {
		what     string
		promised bool
		ops      []isa.Op
	}{
		{"any device", true, []isa.Op{isa.Mov, isa.IAdd, isa.IMul, isa.IMinMax, isa.Logic, isa.Shift, isa.ICmp, isa.Select, isa.FAdd, isa.FMul, isa.FFma,
			isa.ShflIdx, isa.ShflUp, isa.ShflDown, isa.ShflXor, isa.Vote, isa.Ballot, isa.ReadSpecial, isa.UniformToReg, isa.Branch, isa.Exit,
			isa.LoadGlobal, isa.StoreGlobal}},
		{"blocks of several warps", p.Limits.ThreadsPerBlock > p.Lanes, []isa.Op{isa.BarSync, isa.BarRed}},
		{"limits.namedBarriers", p.Limits.NamedBarriers > 1, []isa.Op{isa.BarArrive}},
		{"limits.sharedPerBlock", p.Limits.SharedPerBlock > 0, []isa.Op{isa.LoadShared, isa.StoreShared}},
		{"rules.collectives.match", r.Match && len(r.Redux) > 0, []isa.Op{isa.MatchAny, isa.MatchAll}},
		{"rules.collectives.elect", r.Elect, []isa.Op{isa.Elect}},
		{"rules.collectives.redux", len(r.Redux) > 0, []isa.Op{isa.Redux}},
		{"rules.collectives.routes: dpp", slices.Contains(r.Routes, "dpp"), []isa.Op{isa.RowMove}},
		{"rules.collectives.routes: permlane", slices.Contains(r.Routes, "permlane"), []isa.Op{isa.PermLane}},
		{"rules.collectives.routes: permute", slices.Contains(r.Routes, "permute"), []isa.Op{isa.Permute}},
		{"rules.collectives.routes: readlane", slices.Contains(r.Routes, "readlane"), []isa.Op{isa.ReadLane, isa.WriteLane}},
		{"rules.atomics.add", len(r.AtomicAdd) > 0, []isa.Op{isa.AtomicGlobal, isa.ReduceGlobal}},
		{"rules.atomics.addShared", len(r.AtomicAddShared) > 0 && p.Limits.SharedPerBlock > 0, []isa.Op{isa.AtomicShared}},
	} {
		if !x.promised {
			continue
		}
		for _, op := range x.ops {
			t, ok := p.Timing.Ops[op.String()]
			what := fmt.Sprintf("%s: %s, of %s", p.Name, op, x.what)
			if !ok {
				return &MismatchError{what, -1, "a price", "none"}
			}
			if hasResult(op) && t.Latency < 1 {
				return &MismatchError{what, -1, "a latency of a cycle or more", fmt.Sprint(t.Latency)}
			}
		}
	}
	if g := p.Timing.Global; g != nil {
		before, name := g.L1, "l1"
		for _, l := range []struct {
			name  string
			level device.LevelTiming
		}{{"l2", g.L2}, {"dram", g.DRAM}} {
			what := fmt.Sprintf("%s: timing.global.%s", p.Name, l.name)
			if l.level.Latency < before.Latency {
				return &MismatchError{what, -1, fmt.Sprintf("a latency of %d at least, as %s", before.Latency, name), fmt.Sprint(l.level.Latency)}
			}
			if l.level.SectorCycles < before.SectorCycles {
				return &MismatchError{what, -1, fmt.Sprintf("%v cycles a sector at least, as %s", before.SectorCycles, name), fmt.Sprint(l.level.SectorCycles)}
			}
			before, name = l.level, l.name
		}
	}
	return nil
}

// hasResult reports whether the latency of an op is that of a result.
func hasResult(op isa.Op) bool {
	return op.Computes() && op != isa.Nop || op >= isa.ShflIdx && op <= isa.LoadShared
}

// checkBlock runs a block and compares what it has stored.
func checkBlock(e *warp.Engine, rule crossbar.Rule) error {
	p := e.Device()
	lanes := p.Lanes
	threads := min(2*lanes, p.Limits.ThreadsPerBlock)
	shared := p.Limits.SharedPerBlock >= 4*threads
	var operands []int32
	for d := range int32(lanes + 2) {
		operands = append(operands, d)
	}
	operands = append(operands, -1, int32(2*lanes+1), 129)
	type step struct {
		mode    crossbar.Mode
		width   int
		operand int32
	}
	var steps []step
	for mode := range crossbar.NumModes {
		for width := 1; width <= lanes; width *= 2 {
			for _, d := range operands {
				steps = append(steps, step{mode, width, d})
			}
		}
	}
	const voted = 3 // all, any, ballot
	n := (len(steps) + voted + 1) * threads
	out, err := warp.Global(e, make([]int32, n))
	if err != nil {
		return err
	}
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, func(w *warp.Warp) {
		v, at, odd := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
		put := func(i int) {
			warp.AddImm(at, w.ThreadID(), int32(i*threads))
			warp.Store(out, at, v)
		}
		for i, s := range steps {
			warp.Shfl(v, w.LaneID(), warp.Shuffle{Mode: s.mode, Width: s.width, Operand: s.operand})
			put(i)
		}
		one, zero := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(one, 1)
		warp.Set(zero, 0)
		warp.AndImm(v, w.LaneID(), 1)
		warp.EqImm(odd, v, 1)
		for i, kind := range []warp.VoteKind{warp.VoteAll, warp.VoteAny} {
			yes := w.Pred()
			warp.Vote(kind, yes, odd)
			warp.Select(v, yes, one, zero)
			put(len(steps) + i)
		}
		m := w.MaskReg()
		warp.Ballot(m, odd)
		warp.CountMask(v, m)
		put(len(steps) + 2)
		warp.Mov(v, w.ThreadID())
		if shared {
			s := warp.Shared[int32](w, threads)
			warp.Store(s, w.ThreadID(), v)
			w.SyncBlock()
			warp.XorImm(at, v, int32(threads-1))
			warp.Load(v, s, at)
		}
		put(len(steps) + voted)
	})
	if err != nil {
		return err
	}
	got := out.Data()
	for th := range threads {
		l := th % lanes
		value := func(i int) int { return int(got[i*threads+th]) }
		for i, s := range steps {
			if from, _ := published(rule, s.mode, lanes, s.width, l, s.operand); from != value(i) {
				return &MismatchError{fmt.Sprintf("%s: shuffle %s by %d in segments of %d, by the rule of %s", p.Name, s.mode, s.operand, s.width, p.Language),
					l, fmt.Sprintf("source %d", from), fmt.Sprint(value(i))}
			}
		}
		all, any := 0, min(1, lanes/2)
		for i, want := range []int{all, any, lanes / 2} {
			if err := differs(fmt.Sprintf("%s: %s of odd lanes", p.Name, []string{"vote all", "vote any", "ballot"}[i]), want, value(len(steps)+i)); err != nil {
				return err
			}
		}
		want := th
		if shared {
			want ^= threads - 1
		}
		if err := differs(fmt.Sprintf("%s: exchange of %d threads through shared memory", p.Name, threads), want, value(len(steps)+voted)); err != nil {
			return err
		}
	}
	return nil
}
