package main

import (
	"context"
	"strings"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/view"
)

// sizes measures the algorithms of a kernel's package and scope against the size of a
// block, on the first device; nil if the kernel is no collective.
func sizes(ctx context.Context, k kernel, devices []string) (*view.Chart, error) {
	if k.algorithm == "" {
		return nil, nil
	}
	c := &view.Chart{X: "threads of a block", Y: "cycles of one", LogX: true, LogY: true}
	scope, isReduce := reduce.WarpScope, strings.HasPrefix(k.name, "reduce/")
	if k.block {
		scope = reduce.BlockScope
	}
	p, err := device.Lookup(devices[0])
	if err != nil {
		return nil, err
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		return nil, err
	}
	c.Title = strings.TrimSuffix(k.name, "/"+k.algorithm) + " on " + p.Name
	for _, name := range algorithms(isReduce, scope) {
		s := view.Series{Name: name, Joined: true}
		for n := p.Lanes; n <= p.Limits.ThreadsPerBlock; n *= 2 {
			cycles, err := cost(ctx, e, isReduce, name, n)
			if err != nil {
				break // the device has no such instruction, or no room
			}
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, cycles)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if len(s.X) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c, nil
}

func algorithms(isReduce bool, scope reduce.Scope) []string {
	var names []string
	if isReduce {
		for _, a := range reduce.Algorithms[int32]() {
			if a.Scope == scope {
				names = append(names, a.Name)
			}
		}
		return names
	}
	for _, a := range scan.Algorithms[int32]() {
		if a.Scope == scope {
			names = append(names, a.Name)
		}
	}
	return names
}

// cost returns the cycles of one sum or scan of integers by all threads of a block: what
// two take more than one.
func cost(ctx context.Context, e *warp.Engine, isReduce bool, name string, n int) (float64, error) {
	times := func(repeat int) (float64, error) {
		report, err := e.Run(ctx, oneBlock(n), func(w *warp.Warp) {
			v := warp.Alloc[int32](w)
			warp.Mov(v, w.LaneID())
			if isReduce {
				a, _ := reduce.Lookup[int32](name)
				s := shared(w, a.Storage)
				for range repeat {
					a.Run(v, reduce.Sum[int32](), reduce.Tile{}, s)
					w.SyncBlock()
				}
				return
			}
			a, _ := scan.Lookup[int32](name)
			s := shared(w, a.Storage)
			for range repeat {
				a.Run(v, reduce.Sum[int32](), scan.Spec[int32]{}, s)
				w.SyncBlock()
			}
		})
		return float64(report.Cycles), err
	}
	one, err := times(1)
	if err != nil {
		return 0, err
	}
	two, err := times(2)
	return two - one, err
}
