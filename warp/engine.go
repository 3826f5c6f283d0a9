package warp

import (
	"context"
	"fmt"
	"math"
	"sync"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
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
	// It costs about 100 ns an instruction.
	Sites bool
	// Scheduler picks which ready warp a sub-partition issues from.
	Scheduler timing.Scheduler
	// Workers is how many processors a grid may use; 0 means all that Go has
	// (GOMAXPROCS). Results and cycles do not depend on it.
	Workers int
	// Resident caps how many blocks share a multiprocessor; 0 leaves it to
	// the limits of the device.
	Resident int
	// Memory says where the first touch of a global memory line is served.
	Memory MemoryState
	// Sanitize finds races in shared and global memory, inside a block, and
	// shared memory that is read before it is written: faults of the kinds from
	// SharedRace on. A reading kernel line is named with the line of the access
	// that it meets if Sites is set as well.
	Sanitize bool
	// Seed, if it is not 0, chooses one of the legal schedules of the warps of a
	// multiprocessor instead of the engine's own. The same seed gives the same
	// schedule, see Report.Schedule.
	Seed uint64
	// Observer is told of every instruction; nil costs nothing.
	Observer *Observer
	// Progress is called now and then from Run with the number of blocks that
	// are done; nil is never called. Calls do not overlap.
	Progress func(done, total int)
}

// A MemoryState says what the second-level cache holds when a kernel starts.
type MemoryState uint8

// The states.
const (
	// MemoryCold serves the first touch of a line in a group of blocks from
	// DRAM.
	MemoryCold MemoryState = iota
	// MemoryWarm serves it from the second-level cache.
	MemoryWarm
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

	_        apart // every instruction reads what is above
	mu       sync.Mutex
	nextAddr uint64      // of global memory
	groups   pool[group] // warmed up
	logs     pool[reductionLog]
}

// New returns an engine. A missing device, a negative number or an unknown mode
// in the Config is a *ConfigError; a profile that does not validate is an error
// of package device.
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
	case c.Faults > Off:
		return nil, &ConfigError{"Config.Faults", fmt.Sprint(c.Faults), "is no fault mode"}
	case c.Memory > MemoryWarm:
		return nil, &ConfigError{"Config.Memory", fmt.Sprint(c.Memory), "is no memory state"}
	case c.Scheduler > timing.GreedyThenOldest:
		return nil, &ConfigError{"Config.Scheduler", c.Scheduler.String(), "is no scheduler"}
	}
	if n := c.Device.Limits.ThreadsPerBlock; c.Sanitize && n+c.Device.Lanes > 1<<16 {
		return nil, &ConfigError{"Config.Sanitize", "true",
			fmt.Sprintf("blocks of up to %d threads are more than the 65,536 that it tells apart", n)}
	}
	return &Engine{config: c, profile: c.Device, nextAddr: 1 << 20}, nil
}

// Device returns the profile that the engine simulates; it must not be changed.
func (e *Engine) Device() *device.Profile { return e.profile }

// A Dim is a size in up to three dimensions. Y and Z of zero count as one.
type Dim struct{ X, Y, Z int }

// X returns the one-dimensional size n.
func X(n int) Dim { return Dim{X: n} }

// Count returns the number of elements, 0 if X is not positive.
func (d Dim) Count() int {
	if d.X <= 0 || d.Y < 0 || d.Z < 0 {
		return 0
	}
	return d.X * max(d.Y, 1) * max(d.Z, 1)
}

// String returns the size as people write it: 4x2x1 as "4x2".
func (d Dim) String() string {
	switch {
	case d.Z > 1:
		return fmt.Sprintf("%dx%dx%d", d.X, max(d.Y, 1), d.Z)
	case d.Y > 1:
		return fmt.Sprintf("%dx%d", d.X, d.Y)
	}
	return fmt.Sprint(d.X)
}

// A Launch is the shape of one kernel launch.
type Launch struct {
	Blocks  Dim // blocks of the grid
	Threads Dim // threads of a block
	// Shared is how many bytes of dynamic shared memory a block has on top of
	// what its kernel declares with Shared.
	Shared int
}

// A Kernel is the code of one warp, called once for every warp of a grid. It must
// not call runtime.LockOSThread: warps run as coroutines, and Go ends a program that
// switches to one with a locked thread.
type Kernel func(w *Warp)

// check holds the launch against the limits of the device.
func (l Launch) check(p *device.Profile) error {
	lim := &p.Limits
	for _, d := range []struct {
		name string
		dim  Dim
		max  device.Dim3
	}{{"Blocks", l.Blocks, lim.Grid}, {"Threads", l.Threads, lim.Block}} {
		if d.dim.X <= 0 || d.dim.Y < 0 || d.dim.Z < 0 {
			return &ConfigError{"Launch." + d.name, fmt.Sprintf("%dx%dx%d", d.dim.X, d.dim.Y, d.dim.Z),
				"a launch has at least one block of at least one thread"}
		}
		if d.dim.X > d.max.X || d.dim.Y > d.max.Y || d.dim.Z > d.max.Z {
			return &ConfigError{"Launch." + d.name, d.dim.String(),
				fmt.Sprintf("%s allows %dx%dx%d", p.Name, d.max.X, d.max.Y, d.max.Z)}
		}
	}
	if d := l.Blocks; float64(d.X)*float64(max(d.Y, 1))*float64(max(d.Z, 1)) >= math.MaxInt-1<<16 {
		return &ConfigError{"Launch.Blocks", d.String(), "more blocks than this machine can count"}
	}
	if n := l.Threads.Count(); n > lim.ThreadsPerBlock {
		return &ConfigError{"Launch.Threads", l.Threads.String(),
			fmt.Sprintf("%d threads, and a block of %s has at most %d", n, p.Name, lim.ThreadsPerBlock)}
	}
	if l.Shared < 0 || l.Shared > lim.SharedPerBlock {
		return &ConfigError{"Launch.Shared", fmt.Sprint(l.Shared),
			fmt.Sprintf("a block of %s has 0 to %d bytes of shared memory", p.Name, lim.SharedPerBlock)}
	}
	return nil
}

// Run runs a kernel on a grid and returns what it cost. The error is a
// *ConfigError if the launch cannot be, a *Fault (or, in the modes that
// collect, nothing) for a mistake of the kernel, a *timing.Error if the device
// has no number for what the kernel needs, or the context's error. The report
// is never nil, and complete if the error is nil.
//
// Global memory keeps what the kernel wrote before an error.
func (e *Engine) Run(ctx context.Context, l Launch, k Kernel) (*Report, error) {
	if e == nil || e.profile == nil {
		return &Report{Launch: l}, &ConfigError{"engine", "nil or zero", "make one with New"}
	}
	report := &Report{Device: e.profile.Name, Launch: l, profile: e.profile}
	if k == nil {
		return report, &ConfigError{"kernel", "nil", "pass the function to run"}
	}
	if ctx == nil {
		return report, &ConfigError{"context", "nil", "pass context.Background() if nothing is to end the run"}
	}
	if err := l.check(e.profile); err != nil {
		return report, err
	}
	r := newRun(e, l, k)
	err := r.execute(ctx)
	r.fill(report)
	return report, err
}

// A pool keeps used things for the next run: a group of blocks' worth of simulated
// hardware, a log.
type pool[T any] struct {
	mu   sync.Mutex
	idle []*T
}

// take returns a used thing, a zero one if there is none.
func (p *pool[T]) take() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return new(T)
	}
	x := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return x
}

func (p *pool[T]) giveBack(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, x)
}
