package warp

import (
	"context"
	"fmt"
	"sync"
	count "sync/atomic"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/space"
	"example.com/warpsim/warp/timing"
)

// A Config says how an Engine runs kernels. The zero Config with a Device is a
// good one: strict about faults, with cycles.
type Config struct {
	// Device is the profile of the device to simulate. It must be given.
	Device *device.Profile
	// Faults says what to do about mistakes of the kernel.
	Faults FaultMode
	// ValuesOnly computes values and counts instructions, but no cycles.
	ValuesOnly bool
	// Sites records the source line of every instruction, for totals by line.
	// It costs 100 to 400 ns of the host an instruction, and no cycles.
	Sites bool
	// Scheduler picks which ready warp a sub-partition issues from.
	Scheduler timing.Scheduler
	// Workers is how many processors a grid may use; 0 means all that Go has
	// (GOMAXPROCS). Results and cycles do not depend on it.
	Workers int
	// Order says in which order the timing model sees what a warp issues: as a
	// compiler would put it, unless it is AsWritten.
	Order Order
	// Resident caps how many blocks share a multiprocessor; 0 leaves it to
	// the limits of the device.
	Resident int
	// Memory says where the first touch of a global memory line is served.
	Memory memory.State
	// Sanitize finds races in shared and global memory, between blocks too, and
	// shared memory, or an array of Undefined, that is read before it is written:
	// faults of the kinds from SharedRace on, and lints what is legal but rarely meant,
	// such as reductions that leave values out. The run uses one processor then. A line
	// of a kernel is named with the line of the access that it meets if Sites is set as
	// well.
	Sanitize bool
	// Seed, if it is not 0, chooses one of the legal schedules of the warps of a
	// multiprocessor instead of the engine's own, and which stores to global memory
	// come late: a plain load of another block, or of another warp of the block
	// before a barrier, then gets what was there before, until fences of both sides
	// order the two, or some time has gone by. The same seed gives the same schedule,
	// see Report.Schedule.
	Seed uint64
	// MaxInstructions is how many instructions a warp may issue; with one more the
	// run ends with a fault of kind Endless. 0 is no limit. Spins that cannot end are
	// found without it in kernels written per lane (package intrinsics) only.
	MaxInstructions int64
	// Space is what global memory contains where no array lies, for encoded instructions
	// and listings: see package space. The run uses one processor then.
	Space space.Space
	// Operations is what the host's own instructions do, from isa.User0 on, if it issues
	// any: see Warp.Issue.
	Operations map[isa.Op]Operation
	// Observer is told of every instruction; nil costs nothing.
	Observer *Observer
	// Progress is called now and then from Run with the number of blocks that
	// are done; nil is never called. Calls do not overlap.
	Progress func(done, total int)
}

// An Order says in which order the timing model sees what a warp issues. Values,
// faults, races and counts are the same in either, and instructions keep their source
// lines.
type Order uint8

// The orders.
const (
	// AsCompiled, the default: kernels in Go, wide or per lane, in the order that a
	// compiler would choose, as warp/internal/order says: it unrolls loops, and leaves out
	// what is there already, so that the timing model issues less than the kernel does
	// (timing.Issued in Report.Waits against Report.Instructions). Encoded
	// instructions are a compiler's already: they stay as they come, and so does all
	// of a warp that issues one (see Warp.Issue and package sass).
	AsCompiled Order = iota
	// AsWritten: one after the other, as no compiler would leave them. For kernels
	// that stand for machine code, and to see what the order is worth.
	AsWritten
)

// A ConfigError says what is wrong with a Config, a Launch or an argument of a
// function that is called outside kernels.
type ConfigError struct {
	Field  string // what was wrong
	Value  string // the value it had
	Reason string // why it cannot be, and what to do
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("warp: %s = %s: %s", e.Field, e.Value, e.Reason)
}

// An Engine runs kernels on one simulated device. It is safe for concurrent
// use; runs do not see each other.
type Engine struct {
	config  Config
	profile *device.Profile
	table   *timing.Table // nil: the profile has no costs
	number  uint64        // among the engines of the process, from 1

	rowMoves rowMoveSet // that the device has

	_        apart // every instruction reads what is above
	mu       sync.Mutex
	nextAddr uint64                    // of global memory
	arrays   []globalArray             // of global memory, in the order of Global
	unset    map[uint64]*unsetElements // arrays that started undefined, by address
	groups   pool[group]               // warmed up
	logs     pool[reductionLog]
	undos    pool[undoLog]
	outcomes pool[outcome]
	clocks   pool[clock]
	kept     map[any]any // by fronts
}

// engines counts those that the process has made.
var engines count.Uint64

// New returns an engine. A missing device, a negative number or an unknown mode
// in the Config is a *ConfigError; a profile that does not validate is an error
// of package device, and one whose costs make no sense, or are those of an unknown
// instruction, a *timing.Error. The profile is read here; it must not be changed
// as long as the engine is used.
func New(c Config) (*Engine, error) {
	if c.Device == nil {
		return nil, &ConfigError{"Config.Device", "nil", "name a device: device.Lookup(\"h200\") gives one"}
	}
	if l := c.Device.Lanes; l < 1 || l > lane.MaxLanes || l&(l-1) != 0 {
		return nil, &ConfigError{"Config.Device.Lanes", fmt.Sprint(l),
			"a warp has a power of two of lanes from 1 to 128, so that segments and butterflies tile it"}
	}
	if err := c.Device.Validate(); err != nil {
		return nil, err
	}
	switch {
	case c.Workers < 0:
		return nil, &ConfigError{"Config.Workers", fmt.Sprint(c.Workers), "must not be negative; 0 chooses"}
	case c.Resident < 0:
		return nil, &ConfigError{"Config.Resident", fmt.Sprint(c.Resident), "must not be negative; 0 chooses"}
	case c.MaxInstructions < 0:
		return nil, &ConfigError{"Config.MaxInstructions", fmt.Sprint(c.MaxInstructions), "must not be negative; 0 is no limit"}
	case c.Faults > Off:
		return nil, &ConfigError{"Config.Faults", fmt.Sprint(c.Faults), "is no fault mode"}
	case c.Memory > memory.Clean:
		return nil, &ConfigError{"Config.Memory", fmt.Sprint(c.Memory), "is no memory state"}
	case c.Order > AsWritten:
		return nil, &ConfigError{"Config.Order", fmt.Sprint(c.Order), "is no order"}
	case c.Scheduler > timing.GreedyThenOldest:
		return nil, &ConfigError{"Config.Scheduler", c.Scheduler.String(), "is no scheduler"}
	}
	for op, f := range c.Operations {
		if op < isa.User0 || op >= isa.NumOps || f == nil {
			return nil, &ConfigError{"Config.Operations", op.String(), "give functions, to operations from isa.User0 on"}
		}
	}
	if n := c.Device.Limits.ThreadsPerBlock; c.Sanitize && n+c.Device.Lanes > 1<<16 {
		return nil, &ConfigError{"Config.Sanitize", "true",
			fmt.Sprintf("blocks of up to %d threads are more than the 65,536 that it tells apart", n)}
	}
	e := &Engine{config: c, profile: c.Device, number: engines.Add(1), nextAddr: 1 << 20, rowMoves: rowMovesOf(&c.Device.Rules)}
	if t := &c.Device.Timing; t.Lanes != 0 || t.SubPartitions != 0 || len(t.Ops) > 0 || len(t.Pipes) > 0 {
		var err error
		if e.table, err = timing.Compile(t, c.Device.Lanes); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Device returns the profile that the engine simulates; it must not be changed. It is
// nil for an engine that New has not made.
func (e *Engine) Device() *device.Profile {
	if e == nil {
		return nil
	}
	return e.profile
}

// Run runs a kernel on a grid and returns what it cost. The error is a
// *ConfigError if the launch cannot be, a *Fault (or, in the modes that
// collect, nothing) for a mistake of the kernel, a *timing.Error if the device
// has no number for what the kernel needs, or the context's error. The report
// is never nil, and complete if the error is nil.
//
// Global memory keeps what the kernel wrote before an error, and report and memory
// are what one worker would have come to: what other workers have stored in blocks
// behind the one that failed is taken back. What Go variables of a kernel's own these
// blocks have changed is not.
func (e *Engine) Run(ctx context.Context, l Launch, k Kernel) (*Report, error) {
	if k == nil {
		return &Report{Launch: l}, &ConfigError{"kernel", "nil", "pass the function to run"}
	}
	return e.launch(ctx, l, k, nil)
}

func (e *Engine) launch(ctx context.Context, l Launch, k Kernel, drive func([]*Warp) error) (*Report, error) {
	if e == nil || e.profile == nil {
		return &Report{Launch: l}, &ConfigError{"engine", "nil or zero", "make one with New"}
	}
	report := &Report{Device: e.profile.Name, Launch: l, profile: e.profile}
	if ctx == nil {
		return report, &ConfigError{"context", "nil", "pass context.Background() if nothing is to end the run"}
	}
	if err := l.check(e.profile); err != nil {
		return report, err
	}
	r := newRun(e, l, k, drive)
	if drive != nil && r.perGroup > mostDriven/r.warps {
		return report, &ConfigError{"launch", fmt.Sprintf("%d blocks of %d warps", r.blocks, r.warps),
			fmt.Sprintf("a host drives at most %d warps at a time: launch fewer blocks, one launch after the other", mostDriven)}
	}
	err := r.begin()
	if err == nil {
		err = r.execute(ctx)
	}
	r.fill(report)
	r.ended(report, err)
	r.end()
	return report, err
}
