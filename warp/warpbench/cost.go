package warpbench

import (
	"context"
	"errors"

	"example.com/warpsim/warp"
)

// How many applications the slope is taken between.
const (
	few  = 2
	many = 8
)

// A Program applies what is measured several times in a row, in one launch, and returns
// that launch's report.
type Program func(ctx context.Context, e *warp.Engine, applications int) (*warp.Report, error)

// Wide is the program of a wide kernel: kernel returns the one that applies what is
// measured so many times, and launch the shape it has on a device. What is shared between
// two applications is the kernel's to order: a barrier that use of the same shared memory
// asks for is part of the cost.
func Wide(launch func(e *warp.Engine) warp.Launch, kernel func(applications int) warp.Kernel) Program {
	return func(ctx context.Context, e *warp.Engine, applications int) (*warp.Report, error) {
		if launch == nil || kernel == nil {
			return nil, errors.New("warpbench: Wide: launch or kernel is nil")
		}
		return e.Run(ctx, launch(e), kernel(applications))
	}
}

// Block is the launch of one block of so many threads; Warps counts in warps of the device.
func Block(threads int) func(*warp.Engine) warp.Launch {
	return func(*warp.Engine) warp.Launch {
		return warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}
	}
}

// Warps is the launch of one block of so many warps.
func Warps(n int) func(*warp.Engine) warp.Launch {
	return func(e *warp.Engine) warp.Launch {
		return warp.Launch{Blocks: warp.X(1), Threads: warp.X(n * e.Device().Lanes)}
	}
}

// A Cost is what one application costs in steady state.
type Cost struct {
	Cycles       float64 // of the launch, from its first instruction to its last
	Instructions float64 // issued by all warps
}

// Measure returns what one application of a program costs on an engine: the slope between
// two and eight in a row. Errors are those of the program, and of a report without cycles
// (Config.ValuesOnly).
func Measure(ctx context.Context, e *warp.Engine, p Program) (Cost, error) {
	if e == nil || p == nil {
		return Cost{}, errors.New("warpbench: Measure: engine or program is nil")
	}
	short, err := p(ctx, e, few)
	if err != nil {
		return Cost{}, err
	}
	long, err := p(ctx, e, many)
	if err != nil {
		return Cost{}, err
	}
	if short == nil || long == nil {
		return Cost{}, errors.New("warpbench: Measure: the program returned neither report nor error")
	}
	if long.Cycles == 0 {
		return Cost{}, errors.New("warpbench: Measure: the launch took no cycles; leave out Config.ValuesOnly, and let the kernel do something")
	}
	return Cost{
		Cycles:       float64(long.Cycles-short.Cycles) / (many - few),
		Instructions: float64(long.Instructions-short.Instructions) / (many - few),
	}, nil
}
