package main

import (
	"errors"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
	"example.com/warpsim/warp"
)

// sumDown is the loop of a warp's sum; lane 0 has the result.
func sumDown(t *intrinsics.Thread, v int32) int32 {
	for offset := t.WarpSize() / 2; offset > 0; offset /= 2 {
		v += intrinsics.ShflDownSync(t, t.AllLanes(), v, offset)
	}
	return v
}

// sums adds a warp up in three ways: the loop, one instruction of the device, and a
// cooperative group, which takes the instruction where there is one.
func sums(g *guide) error {
	ways := []struct {
		name string
		sum  func(t *intrinsics.Thread, v int32) int32
	}{
		{"shuffles", sumDown},
		{"redux", func(t *intrinsics.Thread, v int32) int32 { return intrinsics.ReduceAddSync(t, t.AllLanes(), v) }},
		{"group", func(t *intrinsics.Thread, v int32) int32 {
			return cg.Reduce(cg.TiledPartition(cg.ThisThreadBlock(t), t.WarpSize()), v, cg.Plus[int32]())
		}},
	}
	for _, way := range ways {
		var result int32
		r, err := g.launch(0, func(t *intrinsics.Thread) {
			v := way.sum(t, int32(t.Lane()))
			if t.Lane() == 0 {
				result = v
			}
		})
		switch {
		case errors.Is(err, warp.Unsupported):
			g.printf("%-10s %s has no such instruction\n", way.name, g.device.Name)
		case err != nil:
			return err
		default:
			g.printf("%-10s %5d in %3d instructions, %4d cycles\n", way.name, result, r.Instructions, r.Cycles)
		}
	}
	return nil
}

// widths runs the loop where warps have other widths. It asks how many lanes there are
// and names them all, and is right everywhere; HIP's form without a mask is the same loop.
func widths(g *guide) error {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		at, err := g.on(name)
		if err != nil {
			return err
		}
		var masked, maskless int32
		_, err = at.launch(0, func(t *intrinsics.Thread) {
			v := sumDown(t, int32(t.Lane()))
			x := int32(t.Lane())
			for offset := t.WarpSize() / 2; offset > 0; offset /= 2 {
				x += intrinsics.ShflDown(t, x, offset) // __shfl_down(x, offset)
			}
			if t.Lane() == 0 {
				masked, maskless = v, x
			}
		})
		if err != nil {
			return err
		}
		g.printf("%-10s %3d lanes: %d, without a mask %d\n", name, at.device.Lanes, masked, maskless)
	}
	return nil
}
