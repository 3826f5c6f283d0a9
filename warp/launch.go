package warp

import (
	"errors"
	"fmt"
	"math"

	"example.com/warpsim/warp/device"
)

// A Dim is a size or a position in up to three dimensions. In a size, Y and Z of
// zero count as one.
type Dim = device.Dim

// X returns the one-dimensional size n.
func X(n int) Dim { return Dim{X: n} }

// A Launch is the shape of one kernel launch.
type Launch struct {
	Blocks  Dim // blocks of the grid
	Threads Dim // threads of a block
	// Shared is how many bytes of dynamic shared memory a block has on top of
	// what its kernel declares with Shared.
	Shared int
	// Registers is how many 32-bit registers a thread has, as a compiler would
	// say: they limit how many blocks share a multiprocessor, and a kernel that
	// takes more ends with a fault of kind RegisterFile. 0 does not say: blocks
	// are not limited by registers, and a thread has what a block of this size
	// leaves it.
	Registers int
}

// demand is what a block takes, as far as the launch says it.
func (l Launch) demand() device.Demand {
	return device.Demand{Threads: l.Threads.Count(), Registers: l.Registers, Shared: l.Shared}
}

// check holds the launch against the limits of the device.
func (l Launch) check(p *device.Profile) error {
	lim := &p.Limits
	for _, d := range []struct {
		name string
		dim  Dim
		max  Dim
	}{{"Blocks", l.Blocks, lim.Grid}, {"Threads", l.Threads, lim.Block}} {
		if d.dim.X <= 0 || d.dim.Y < 0 || d.dim.Z < 0 {
			return &ConfigError{"Launch." + d.name, fmt.Sprintf("%dx%dx%d", d.dim.X, d.dim.Y, d.dim.Z),
				"a launch has at least one block of at least one thread"}
		}
		size := float64(d.dim.X) * float64(max(d.dim.Y, 1)) * float64(max(d.dim.Z, 1))
		if d.name == "Threads" && size > float64(lim.ThreadsPerBlock) {
			return &ConfigError{"Launch.Threads", d.dim.String(),
				fmt.Sprintf("%.0f threads, and a block of %s has at most %d", size, p.Name, lim.ThreadsPerBlock)}
		}
		for _, axis := range []struct {
			name      string
			have, max int
		}{{"X", d.dim.X, d.max.X}, {"Y", d.dim.Y, d.max.Y}, {"Z", d.dim.Z, d.max.Z}} {
			if axis.have > axis.max {
				return &ConfigError{"Launch." + d.name, d.dim.String(),
					fmt.Sprintf("%s is %d, and %s allows at most %d", axis.name, axis.have, p.Name, axis.max)}
			}
		}
		if size >= math.MaxInt-1<<16 {
			return &ConfigError{"Launch." + d.name, d.dim.String(), "more than this machine can count"}
		}
	}
	if l.Shared < 0 || l.Shared > lim.SharedPerBlock {
		return &ConfigError{"Launch.Shared", fmt.Sprint(l.Shared),
			fmt.Sprintf("a block of %s has 0 to %d bytes of shared memory", p.Name, lim.SharedPerBlock)}
	}
	if l.Registers < 0 {
		return &ConfigError{"Launch.Registers", fmt.Sprint(l.Registers), "must not be negative; 0 does not say"}
	}
	_, err := p.Occupancy(l.demand())
	var e *device.LimitError
	if !errors.As(err, &e) {
		return err
	}
	switch e.Resource {
	case device.Registers:
		return &ConfigError{"Launch.Registers", fmt.Sprint(l.Registers), fmt.Sprintf("%d threads: %v", l.Threads.Count(), e)}
	case device.SharedMemory:
		return &ConfigError{"Launch.Shared", fmt.Sprint(l.Shared), e.Error()}
	}
	return &ConfigError{"Launch.Threads", l.Threads.String(), e.Error()}
}

// A Kernel is the code of one warp, called once for every warp of a grid. It must
// not call runtime.LockOSThread: warps run as coroutines, and Go ends a program that
// switches to one with a locked thread. On amd64 and arm64 it is a fault of kind
// KernelPanic instead, where the warp would have to wait, or at its end.
type Kernel func(w *Warp)
