package reduce_test

import (
	"context"
	"fmt"
	"log"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

func newEngine(name string) *warp.Engine {
	p, err := device.Lookup(name)
	if err != nil {
		log.Fatal(err)
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// onOneBlock launches a kernel on one block.
func onOneBlock(e *warp.Engine, threads int, k warp.Kernel) {
	if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k); err != nil {
		log.Fatal(err)
	}
}

func ExampleShuffleDown() {
	onOneBlock(newEngine("mi300x"), 64, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		reduce.ShuffleDown(v, reduce.Sum[int32](), reduce.Tile{})
		fmt.Println(v.Lanes()[0]) // 0 + 1 + ... + 63
	})
	// Output: 2016
}

// A tile of groups of five lanes, of which the first three hold an item.
func ExampleTile() {
	onOneBlock(newEngine("h200"), 32, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		reduce.ShuffleDown(v, reduce.Max[int32](), reduce.Tile{Width: 5, Valid: team.First(3)})
		fmt.Println(v.Lanes()[0], v.Lanes()[5], v.Lanes()[10])
	})
	// Output: 2 7 12
}

func ExampleBlockHybrid() {
	onOneBlock(newEngine("h200"), 200, func(w *warp.Warp) {
		s := reduce.NewHybridStorage[int32](w)
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.ThreadID())
		reduce.BlockHybrid(v, reduce.Sum[int32](), reduce.Tile{}, s)
		if w.ID() == 0 {
			fmt.Println(v.Lanes()[0]) // 0 + 1 + ... + 199
		}
	})
	// Output: 19900
}

// The greatest common divisor, an operator of one's own: so many instructions
// of a class, and a Go function.
func ExampleNewSequence() {
	gcd := reduce.NewSequence("gcd", []isa.Op{isa.IMul, isa.IAdd, isa.IMul, isa.IAdd}, func(a, b uint32) uint32 {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}).WithIdentity(0).Commuting()
	onOneBlock(newEngine("mtt-s4000"), 128, func(w *warp.Warp) {
		v := warp.Alloc[uint32](w)
		warp.SetLanes(v, func(l int) uint32 { return uint32(12 * (l + 7)) })
		reduce.ShuffleXor(v, gcd, reduce.Tile{})
		fmt.Println(v.Lanes()[99])
	})
	// Output: 12
}

func ExampleGrid() {
	data := make([]float64, 100_000)
	for i := range data {
		data[i] = 0.5
	}
	a, err := reduce.Lookup[float64]("hybrid")
	if err != nil {
		log.Fatal(err)
	}
	sum, report, err := reduce.Grid(context.Background(), newEngine("h200"), data, reduce.Sum[float64](), a, reduce.Shape{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum, report.Cycles > 0)
	// Output: 50000 true
}

func ExampleBest() {
	p, err := device.Lookup("h200")
	if err != nil {
		log.Fatal(err)
	}
	c, err := reduce.Best(context.Background(), p, reduce.Sum[int32](), 32)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Algorithm.Name)
	// Output: redux
}

func ExampleAlgorithm_Fits() {
	p, err := device.Lookup("mi300x")
	if err != nil {
		log.Fatal(err)
	}
	a, err := reduce.Lookup[int32]("redux")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Fits(p, reduce.Sum[int32](), reduce.Tile{}, 64))
	// Output: reduce redux: no such hardware reduction: mi300x has none for sum of int32; use shuffle-xor
}

func ExampleHeadSegmented() {
	onOneBlock(newEngine("h200"), 32, func(w *warp.Warp) {
		v, head, rest := warp.Alloc[int32](w), w.Pred(), warp.Alloc[int32](w)
		warp.Set(v, 1)
		warp.AndImm(rest, w.LaneID(), 7)
		warp.EqImm(head, rest, 3) // segments begin at lanes 0, 3, 11, 19 and 27
		reduce.HeadSegmented(v, reduce.Sum[int32](), head, reduce.Tile{})
		fmt.Println(v.Lanes()[0], v.Lanes()[3], v.Lanes()[27])
	})
	// Output: 3 8 5
}
