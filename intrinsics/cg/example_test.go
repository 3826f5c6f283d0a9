package cg_test

import (
	"context"
	"fmt"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// Sums in tiles of eight lanes.
func ExampleReduce() {
	p, err := device.Lookup("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	var sums [4]int32
	_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *intrinsics.Thread) {
		tile := cg.TiledPartition(cg.ThisThreadBlock(t), 8)
		sum := cg.Reduce(tile, int32(t.Lane()), cg.Plus[int32]())
		tile.InvokeOne(func() { sums[tile.MetaRank()] = sum })
	})
	fmt.Println(sums, err)
	// Output:
	// [28 92 156 220] <nil>
}
