package timing

import (
	"fmt"
	"math"
	"slices"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// A kind is how the model treats an op.
type kind uint8

// A fenceCost is how long a fence takes at least, and after the last store before it.
type fenceCost struct{ latency, after Cycle }

const (
	missing kind = iota // the profile has no number
	plain
	shared // shared memory
	global // global memory, with a level
	fence  // of memory
	arrive // at a barrier, without waiting
	wait   // at a barrier
	reduce // at a barrier, with a result
	branch
)

const (
	maxPipes = 14
	// idle is the pipe of warps that have nothing to issue: always free.
	idle = maxPipes
	// absent is the pipe of warps that will not issue: always free.
	absent = maxPipes + 1
	// issueStage is the reader that stands for guards, votes and barriers.
	issueStage = maxPipes + 1
	readers    = 16 // a power of two, so that indexing needs no check

	maxPorts = 8
	// fraction is what a cycle is divided into where bandwidth is counted.
	fraction = 256
)

// An opInfo is all that issuing one op needs, in one cache line.
type opInfo struct {
	kind     kind
	pipe     uint8
	reader   uint8 // column of bypass for its operands
	port     uint8 // 0: none
	variable bool
	blocked  bool // not issued in the shadow of a barrier
	// scaled: something may depend on Count, Aux or B; see scale.
	scaled bool
	// special: more to do than write Dst and hold a pipe.
	special bool
	// awkward: more to look at than operands, before it can be issued.
	awkward bool

	latency    int32
	interval   int32
	portCycles int32
	queue      int32
	gap        int32
	next       int32
	overwrite  int32 // distance from the readiness of Dst to the earliest issue
	settle     int32
	turnaround int32
	byOperand  bool  // B says something about the cost
	quick      bool  // issue can do it by itself
	early      uint8 // which banks' gates it waits for: all, or none if it reads late
	late       uint8 // from when on it reads its operands, one by one; 0: at issue
	lead       uint8 // how long before readers may be issued the result is written
	_          [4]byte
	release    int32 // after its start the sources of a coded instruction are free
	predicate  int32 // by how much the second result comes later
}

// A scale says how an op's cost depends on its record.
type scale struct {
	wordBeats, operandBeats               Cycle
	operandLatency, wordLatency           Cycle
	countLatency, countCycles, countPorts Cycle
}

// A table is the profile made ready for the inner loop.
type table struct {
	// By op, or rather by any byte, so that indexing needs no check.
	ops    [256]opInfo
	scales [256]scale
	// bypass is what a reader waits beyond the ready time of a register, by
	// the op that wrote it.
	bypass [readers][256]int16
	// reason is what to call the wait for a register, by the op that wrote it.
	reason [256]Reason
	// fixed is all ones for ops of known latency, 0 for those awaited through
	// a scoreboard.
	fixed [256]Cycle
	// reach is how far behind the ready time of a result a reader may have to wait.
	reach Cycle
	// banks is the bank of a register, 0 for those that are in none: see queue.
	banks     [regSpace]uint16
	bankCount int
	stays     bool

	pipeNames, portNames []string

	subCount    int
	branches    [3]Cycle
	barriers    device.BarrierTiming
	barrierPort uint8
	levels      [3]level
	fences      [3]fenceCost
	constants   device.ConstantsTiming
}

type level struct {
	latency Cycle
	sector  Cycle // in fractions of a cycle
}

func field(name string, op isa.Op, format string, args ...any) error {
	return &Error{Field: name, Op: op, Reason: fmt.Sprintf(format, args...)}
}

const short = 255 // cycles, at most, of what is kept in a byte

const limit = 1 << 20 // of any number of cycles in a profile

func number(name string, v, least int) error {
	if v < least || v > limit {
		return field(name, isa.Invalid, "%d is not between %d and %d", v, least, limit)
	}
	return nil
}

// A Table is the cost of instructions made ready to run, for warps of a width. It
// does not change and may be shared.
type Table struct{ table }

// Compile checks the numbers of t and makes a table of them for warps of that many
// lanes; 0 means the width for which t gives its numbers. A number that makes no
// sense, and an instruction that is not known, are an *Error. A number that is
// missing is an error only once an instruction needs it; then
// [Multiprocessor.Run] returns it.
func Compile(t *device.Timing, lanes int) (*Table, error) {
	if t == nil {
		return nil, field("timing", isa.Invalid, "nil: give the Timing of a device profile")
	}
	for _, n := range []struct {
		name  string
		v, lo int
	}{
		{"timing.lanes", t.Lanes, 1}, {"timing.subPartitions", t.SubPartitions, 1},
		{"timing.guardDelay", t.GuardDelay, 0}, {"timing.overwriteDelay", t.OverwriteDelay, 0},
		{"timing.banks", t.Banks, 0},
	} {
		if err := number(n.name, n.v, n.lo); err != nil {
			return nil, err
		}
	}
	if t.SubPartitions > 64 {
		return nil, field("timing.subPartitions", isa.Invalid, "%d: at most 64", t.SubPartitions)
	}
	if t.Banks > maxBanks {
		return nil, field("timing.banks", isa.Invalid, "%d: at most %d", t.Banks, maxBanks)
	}
	if lanes == 0 {
		lanes = t.Lanes
	}
	if lanes < 1 || lanes > 128 {
		return nil, field("lanes", isa.Invalid, "%d lanes: give 1 to 128", lanes)
	}
	b := &builder{t: t, lanes: lanes, table: new(table)}
	b.subCount, b.portNames, b.bankCount, b.stays = t.SubPartitions, []string{""}, t.Banks, t.Stay
	if t.Banks > 0 {
		for r := range isa.MaxRows {
			bank := r % t.Banks
			b.banks[isa.Row(r)] = 1<<(gateShift+bank) | 1<<(countShift+4*bank)
		}
	}
	for _, step := range []func() error{b.pipes, b.opTable, b.barriers, b.branch, b.global} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.readers()
	for op := range b.ops {
		b.reach = max(b.reach, Cycle(b.ops[op].overwrite), Cycle(b.ops[op].settle))
		for i := range b.bypass {
			b.reach = max(b.reach, Cycle(b.bypass[i][op]))
		}
	}
	return &Table{*b.table}, nil
}

type builder struct {
	t     *device.Timing
	lanes int
	*table
}

func (b *builder) pipes() error {
	for name, p := range b.t.Pipes {
		at := "timing.pipes." + name
		if err := number(at+".lanes", p.Lanes, 1); err != nil {
			return err
		}
		if err := number(at+".operandDelay", p.OperandDelay, 0); err != nil {
			return err
		}
		if err := number(at+".queue", p.Queue, 0); err != nil {
			return err
		}
		if err := number(at+".gap", p.Gap, 0); err != nil {
			return err
		}
		if err := number(at+".writeLead", p.WriteLead, 0); err != nil {
			return err
		}
		if p.WriteLead > short || p.WriteLead > 0 && !p.Variable {
			return field(at+".writeLead", isa.Invalid, "%d: at most %d, in a pipe of variable latency", p.WriteLead, short)
		}
		b.pipeNames = append(b.pipeNames, name)
	}
	slices.Sort(b.pipeNames) // maps have no order
	if len(b.pipeNames) > maxPipes {
		return field("timing.pipes", isa.Invalid, "%d pipes: at most %d", len(b.pipeNames), maxPipes)
	}
	for _, name := range b.pipeNames {
		if _, err := b.portNumber("timing.pipes."+name+".port", b.t.Pipes[name].Port); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) portNumber(at, name string) (uint8, error) {
	i := slices.Index(b.portNames, name)
	if i < 0 {
		if len(b.portNames) == maxPorts {
			return 0, field(at, isa.Invalid, "more than %d ports", maxPorts-1)
		}
		i = len(b.portNames)
		b.portNames = append(b.portNames, name)
	}
	return uint8(i), nil
}

func ceil(a, b int) int { return (a + b - 1) / b }

func (b *builder) opTable() error {
	for name := range b.t.Ops {
		if _, ok := isa.ParseOp(name); !ok {
			return field("timing.ops."+name, isa.Invalid, "no such op")
		}
	}
	for op := isa.Nop; op < isa.NumOps; op++ {
		o, ok := b.t.Ops[op.String()]
		if !ok {
			continue
		}
		if err := b.op(op, o); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) op(op isa.Op, o device.OpTiming) error {
	at := "timing.ops." + op.String()
	pipe := slices.Index(b.pipeNames, o.Pipe)
	if pipe < 0 {
		return field(at+".pipe", op, "there is no pipe %q", o.Pipe)
	}
	p := b.t.Pipes[o.Pipe]
	for _, n := range []struct {
		name string
		v    int
	}{
		{"latency", o.Latency}, {"elsewhere", o.Elsewhere}, {"lanes", o.Lanes}, {"beats", o.Beats}, {"wordBeats", o.WordBeats}, {"operandBeats", o.OperandBeats}, {"portCycles", o.PortCycles},
		{"next", o.Next}, {"readDelay", o.ReadDelay}, {"settle", o.Settle}, {"release", o.Release}, {"predicateLatency", o.PredicateLatency}, {"turnaround", o.Turnaround}, {"operandLatency", o.OperandLatency}, {"wordLatency", o.WordLatency},
		{"countLatency", o.CountLatency}, {"countCycles", o.CountCycles}, {"countPort", o.CountPort},
	} {
		if err := number(at+"."+n.name, n.v, 0); err != nil {
			return err
		}
	}
	if o.ReadDelay > short {
		return field(at+".readDelay", op, "%d: at most %d", o.ReadDelay, short)
	}
	width := o.Lanes
	if width == 0 {
		width = p.Lanes
	}
	passes := ceil(b.lanes, width)
	// A narrower warp than the one that was measured is no faster.
	more := max(0, passes-ceil(b.t.Lanes, width))
	port, err := b.portNumber(at, p.Port)
	if err != nil {
		return err
	}
	if o.PortCycles == 0 && o.CountPort == 0 {
		port = 0
	} else if port == 0 {
		return field(at+".portCycles", op, "pipe %q has no port", o.Pipe)
	}
	in := opInfo{
		kind: plain, pipe: uint8(pipe), reader: uint8(pipe), port: port, variable: p.Variable, blocked: p.Variable,
		latency:    int32(o.Latency + more),
		interval:   int32(passes * max(1, o.Beats)),
		queue:      int32(p.Queue),
		gap:        int32(p.Gap),
		early:      allBanks,
		late:       uint8(o.ReadDelay),
		settle:     int32(o.Settle),
		release:    int32(o.Release),
		predicate:  int32(o.PredicateLatency),
		portCycles: int32(o.PortCycles * ceil(b.lanes, b.t.Lanes)),
		next:       int32(max(1, o.Next)),
	}
	if in.late > 0 {
		in.early = 0
	}
	if b.t.Banks > 0 {
		in.lead = uint8(p.WriteLead)
	}
	sc := scale{
		wordBeats:      Cycle(passes * o.WordBeats),
		operandBeats:   Cycle(passes * o.OperandBeats),
		operandLatency: Cycle(o.OperandLatency),
		wordLatency:    Cycle(o.WordLatency),
		countLatency:   Cycle(o.CountLatency),
		countCycles:    Cycle(o.CountCycles),
		countPorts:     Cycle(o.CountPort),
	}
	switch op {
	case isa.LoadShared, isa.StoreShared, isa.AtomicShared:
		in.kind, in.blocked = shared, true
	case isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal:
		in.kind, in.blocked = global, true
	case isa.Fence:
		in.kind, in.blocked = fence, true
	case isa.PushSync, isa.Reconverge, isa.WarpSync, isa.Exit, isa.LoadConst:
		in.blocked = true
	case isa.BarSync:
		in.kind, in.blocked, in.reader = wait, true, issueStage
	case isa.BarArrive:
		in.kind, in.blocked, in.reader = arrive, true, issueStage
	case isa.BarRed:
		in.kind, in.blocked, in.reader, in.variable = reduce, true, issueStage, true
	case isa.Branch:
		in.kind, in.blocked, in.reader = branch, true, issueStage
	case isa.Vote, isa.Ballot, isa.Elect:
		in.reader = issueStage
	}
	in.scaled = sc != scale{} || in.kind == shared || op == isa.LoadConst
	in.turnaround = int32(o.Turnaround)
	in.byOperand = o.OperandLatency > 0 || o.OperandBeats > 0
	in.quick = (in.kind == plain || in.kind == shared) && in.portCycles <= 1 && op != isa.UniformMov
	in.special = in.kind != plain && in.kind != shared
	in.awkward = in.settle > 0 || in.kind == shared || in.kind == global || op == isa.LoadConst
	if in.variable {
		in.overwrite = int32(b.t.OverwriteDelay)
	} else {
		in.overwrite = 1 - in.latency
		b.fixed[op] = -1
	}
	b.ops[op], b.scales[op] = in, sc
	return nil
}

// readers fills in what readers wait beyond the ready time.
func (b *builder) readers() {
	for op := range b.reason {
		b.reason[op] = Dependency
		if b.ops[op].kind == global {
			b.reason[op] = Memory
		}
	}
	for op := isa.Nop; op < isa.NumOps; op++ {
		in := &b.ops[op]
		if in.kind == missing || in.variable {
			continue // the scoreboard makes no difference between readers
		}
		away := 0
		if e := b.t.Ops[op.String()].Elsewhere; e != 0 {
			away = e - b.t.Ops[op.String()].Latency
		}
		for i, name := range b.pipeNames {
			if i == int(in.pipe) {
				continue
			}
			b.bypass[i][op] = int16(away + b.t.Pipes[name].OperandDelay)
		}
		b.bypass[issueStage][op] = int16(away + b.t.GuardDelay)
	}
}

func (b *builder) barriers() error {
	used := isa.Invalid
	for _, op := range []isa.Op{isa.BarSync, isa.BarArrive, isa.BarRed} {
		if b.ops[op].kind != missing {
			used = op
		}
	}
	if used == isa.Invalid {
		return nil
	}
	if b.t.Barrier == nil {
		return field("timing.barrier", used, "missing")
	}
	r := *b.t.Barrier
	for _, n := range []struct {
		name string
		v    int
	}{
		{"arriveCycles", r.ArriveCycles}, {"releaseLatency", r.ReleaseLatency}, {"shadow", r.Shadow},
		{"resultCycles", r.ResultCycles}, {"resultLatency", r.ResultLatency}, {"predicateLatency", r.PredicateLatency},
	} {
		if err := number("timing.barrier."+n.name, n.v, 0); err != nil {
			return err
		}
	}
	if b.ops[isa.BarRed].kind != missing && r.ResultLatency < max(1, r.ResultCycles) {
		return field("timing.barrier.resultLatency", isa.BarRed, "%d is less than resultCycles", r.ResultLatency)
	}
	b.table.barriers = r
	var err error
	b.barrierPort, err = b.portNumber("timing.barrier.port", r.Port)
	if err == nil && b.barrierPort == 0 {
		err = field("timing.barrier.port", used, "missing")
	}
	return err
}

func (b *builder) branch() error {
	if b.ops[isa.Branch].kind == missing {
		return nil
	}
	if b.t.Branch == nil {
		return field("timing.branch", isa.Branch, "missing")
	}
	for i, n := range []struct {
		name string
		v    int
	}{{"notTaken", b.t.Branch.NotTaken}, {"taken", b.t.Branch.Taken}, {"divergent", b.t.Branch.Divergent}} {
		if err := number("timing.branch."+n.name, n.v, 1); err != nil {
			return err
		}
		b.branches[i] = Cycle(n.v)
	}
	return nil
}

func (b *builder) global() error {
	used := isa.Invalid
	for op := range b.ops {
		if b.ops[op].kind == global {
			used = isa.Op(op)
		}
	}
	if used == isa.Invalid {
		return nil
	}
	if b.t.Global == nil {
		return field("timing.global", used, "missing")
	}
	g := b.t.Global
	if c := g.Constants; c != nil {
		for _, n := range []struct {
			name string
			v    int
		}{{"loadLatency", c.LoadLatency}, {"uniformLatency", c.UniformLatency}, {"bankLatency", c.BankLatency}, {"bankLines", c.BankLines}} {
			if err := number("timing.global.constants."+n.name, n.v, 0); err != nil {
				return err
			}
		}
		b.constants = *c
	}
	if f := g.Fence; f != nil {
		for _, n := range []struct {
			name  string
			v     int
			level *Cycle
		}{
			{"deviceLatency", f.DeviceLatency, &b.fences[isa.FenceDevice].latency}, {"deviceAfter", f.DeviceAfter, &b.fences[isa.FenceDevice].after},
			{"systemLatency", f.SystemLatency, &b.fences[isa.FenceSystem].latency}, {"systemAfter", f.SystemAfter, &b.fences[isa.FenceSystem].after},
		} {
			if err := number("timing.global.fence."+n.name, n.v, 0); err != nil {
				return err
			}
			*n.level = Cycle(n.v)
		}
	}
	for i, l := range []struct {
		name string
		v    device.LevelTiming
	}{{"l1", g.L1}, {"l2", g.L2}, {"dram", g.DRAM}} {
		if err := number("timing.global."+l.name+".latency", l.v.Latency, 1); err != nil {
			return err
		}
		if c := l.v.SectorCycles; !(c >= 0 && c <= limit) {
			return field("timing.global."+l.name+".sectorCycles", used, "%v is not between 0 and %d", c, limit)
		}
		b.levels[i] = level{Cycle(l.v.Latency), Cycle(math.Round(l.v.SectorCycles * fraction))}
	}
	return nil
}

// Distance returns how many cycles after an instruction of op from the result of it
// can be read by one of op to, as a compiler would keep them apart that knows the
// table and finds everything idle: as a guard if guards is set, as an operand
// otherwise. A global load is taken to be served by the first level.
func (t *Table) Distance(from, to isa.Op, guards bool) int {
	a := &t.ops[from]
	d := int(a.latency)
	if a.kind == global {
		d += int(t.levels[0].latency)
	}
	reader := t.ops[to].reader & (readers - 1)
	if guards {
		reader = issueStage
	}
	return max(1, d+int(t.bypass[reader][from]))
}

// Later returns by how much the predicate that an op leaves beside its result comes
// later than that.
func (t *Table) Later(op isa.Op) int { return int(t.ops[op].predicate) }

// Variable reports whether results of an op are awaited through a scoreboard.
func (t *Table) Variable(op isa.Op) bool { return t.ops[op].variable || t.ops[op].kind == global }

// Slot returns the pipe of an op, a number below Pipes, and how many cycles an
// instruction keeps others of its warp out of it.
func (t *Table) Slot(op isa.Op) (pipe, cycles int) {
	o := &t.ops[op]
	return int(o.pipe), int(max(1, o.interval, o.gap))
}

// Pipes bounds the numbers of pipes.
const Pipes = maxPipes + 2
