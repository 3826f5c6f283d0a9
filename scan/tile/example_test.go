package tile_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
)

// block runs a kernel on one block of 4 threads, a warp of 4 lanes.
func block(k warp.Kernel) {
	p, _ := device.Lookup("custom-4")
	e, _ := warp.New(warp.Config{Device: p, ValuesOnly: true})
	if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}, k); err != nil {
		fmt.Println(err)
	}
}

// letters gives the threads k items each, a, b, c, ... in blocked arrangement.
func letters(w *warp.Warp, k int) []warp.Reg[byte] {
	items := make([]warp.Reg[byte], k)
	for j := range items {
		items[j] = warp.Alloc[byte](w)
		warp.SetLanes(items[j], func(l int) byte { return byte('a' + l*k + j) })
	}
	return items
}

// numbers gives the threads k items each.
func numbers(w *warp.Warp, k int, f func(thread, j int) int32) []warp.Reg[int32] {
	items := make([]warp.Reg[int32], k)
	for j := range items {
		items[j] = warp.Alloc[int32](w)
		warp.SetLanes(items[j], func(l int) int32 { return f(l, j) })
	}
	return items
}

// show prints the items of each thread.
func show[T any](format string, items ...warp.Reg[T]) {
	var threads []string
	for l := range items[0].Lanes() {
		var b []string
		for _, v := range items {
			b = append(b, fmt.Sprintf(format, v.Lanes()[l]))
		}
		threads = append(threads, strings.Join(b, " "))
	}
	fmt.Println(strings.Join(threads, " | "))
}

func shared[T any](w *warp.Warp, k int) warp.Mem[T] { return tile.NewStorage[T](w, k) }

func ExampleBlockedToStriped() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.BlockedToStriped(team.Block(), items, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a e | b f | c g | d h
}

func ExampleStripedToBlocked() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.BlockedToStriped(team.Block(), items, shared[byte](w, 2))
		w.SyncBlock()
		tile.StripedToBlocked(team.Block(), items, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a b | c d | e f | g h
}

func ExampleBlockedToWarpStriped() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.BlockedToWarpStriped(team.All(), items, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a e | b f | c g | d h
}

func ExampleWarpStripedToBlocked() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.WarpStripedToBlocked(team.All(), items, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a c | e g | b d | f h
}

func ExampleBlockedToStriped_groups() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.BlockedToStriped(team.Groups(2), items, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a c | b d | e g | f h
}

func ExampleStripedToBlocked_groups() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.StripedToBlocked(team.Groups(4), items, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a c | e g | b d | f h
}

func ExampleScatterToBlocked() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, j int) int32 { return int32(7 - 2*thread - j) }) // backwards
		tile.ScatterToBlocked(team.Block(), items, ranks, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// h g | f e | d c | b a
}

func ExampleScatterToStriped() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, j int) int32 { return int32(7 - 2*thread - j) }) // backwards
		tile.ScatterToStriped(team.Block(), items, ranks, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// h d | g c | f b | e a
}

func ExampleScatterToWarpStriped() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, j int) int32 { return int32(7 - 2*thread - j) }) // backwards
		tile.ScatterToWarpStriped(team.All(), items, ranks, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// h d | g c | f b | e a
}

func ExampleScatterToStriped_groups() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, j int) int32 { return int32(3 - 2*(thread%2) - j) }) // each pair of lanes backwards
		tile.ScatterToStriped(team.Groups(2), items, ranks, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// d b | c a | h f | g e
}

func ExampleScatterToStripedFlagged() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, _ int) int32 { return int32(thread) })
		flags, count := []warp.Pred{w.Pred(), w.Pred()}, warp.Alloc[int32](w)
		warp.SetPred(flags[0], lane.FirstN(4)) // the first item of every thread
		warp.SetPred(flags[1], lane.Mask{})
		warp.Set(count, 4)
		tile.ScatterToStripedFlagged(team.Block(), items, ranks, flags, count, shared[byte](w, 2))
		show("%c", items[0])
	})
	// Output:
	// a | c | e | g
}

func ExampleScatterToStripedGuarded() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, j int) int32 { return int32(thread - 100*j) })
		count := warp.Alloc[int32](w)
		warp.Set(count, 4)
		tile.ScatterToStripedGuarded(team.Block(), items, ranks, count, shared[byte](w, 2))
		show("%c", items[0])
	})
	// Output:
	// a | c | e | g
}

func ExampleGatherFromStriped() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		ranks := numbers(w, 2, func(thread, j int) int32 { return int32(j) }) // the first two items for all
		tile.GatherFromStriped(team.Block(), items, ranks, shared[byte](w, 2))
		show("%c", items...)
	})
	// Output:
	// a c | a c | a c | a c
}

func ExampleTranspose() {
	block(func(w *warp.Warp) {
		items := letters(w, 4)
		tile.Transpose(items)
		show("%c", items...)
	})
	// Output:
	// a e i m | b f j n | c g k o | d h l p
}

func ExampleOffset() {
	block(func(w *warp.Warp) {
		v := letters(w, 1)[0]
		tile.Offset(v, v, 1, tile.NewShiftStorage[byte](w))
		show("%c", v)
	})
	// Output:
	// b | c | d | d
}

func ExampleRotate() {
	block(func(w *warp.Warp) {
		v := letters(w, 1)[0]
		tile.Rotate(v, v, 1, tile.NewShiftStorage[byte](w))
		show("%c", v)
	})
	// Output:
	// b | c | d | a
}

func ExampleShiftUp() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		last := warp.Alloc[byte](w)
		tile.ShiftUp(team.All(), items, last, tile.NewShiftStorage[byte](w))
		show("%c", items...)
		show("%c", last)
	})
	// Output:
	// a a | b c | d e | f g
	// h | h | h | h
}

func ExampleShiftDown() {
	block(func(w *warp.Warp) {
		items := letters(w, 2)
		tile.ShiftDown(team.All(), items, warp.Reg[byte]{}, tile.NewShiftStorage[byte](w))
		show("%c", items...)
	})
	// Output:
	// b c | d e | f g | h h
}

func ExampleFlag_heads() {
	block(func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { return []int32{5, 5, 7, 7, 7, 8, 9, 9}[2*thread+j] })
		flags := []warp.Pred{w.Pred(), w.Pred()}
		tile.Flag(team.Block(), flags, nil, items, warp.Ne[int32], tile.Neighbors[int32]{}, tile.NewNeighborStorage[int32](w))
		fmt.Println("first items", flags[0].Mask().Ranges(), "second items", flags[1].Mask().Ranges())
	})
	// Output:
	// first items 0-1,3 second items 2
}

func ExampleFlag_tails() {
	block(func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { return []int32{5, 5, 7, 7, 7, 8, 9, 9}[2*thread+j] })
		flags := []warp.Pred{w.Pred(), w.Pred()}
		tile.Flag(team.Block(), nil, flags, items, warp.Ne[int32], tile.Neighbors[int32]{}, tile.NewNeighborStorage[int32](w))
		fmt.Println("first items", flags[0].Mask().Ranges(), "second items", flags[1].Mask().Ranges())
	})
	// Output:
	// first items 2 second items 0,2-3
}

func ExampleFlag() {
	block(func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { return []int32{5, 5, 7, 7, 7, 8, 9, 9}[2*thread+j] })
		flags := []warp.Pred{w.Pred(), w.Pred()}
		tails := []warp.Pred{w.Pred(), w.Pred()}
		tile.Flag(team.Block(), flags, tails, items, warp.Ne[int32], tile.Neighbors[int32]{}, tile.NewNeighborStorage[int32](w))
		fmt.Println("heads", flags[0].Mask().Ranges(), flags[1].Mask().Ranges())
		fmt.Println("tails", tails[0].Mask().Ranges(), tails[1].Mask().Ranges())
	})
	// Output:
	// heads 0-1,3 2
	// tails 2 0,2-3
}

func ExampleSubtractLeft() {
	block(func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { i := int32(2*thread + j); return i * i })
		tile.SubtractLeft(team.Block(), items, warp.Sub[int32], tile.Neighbors[int32]{}, tile.NewNeighborStorage[int32](w))
		show("%d", items...)
	})
	// Output:
	// 0 1 | 3 5 | 7 9 | 11 13
}

func ExampleSubtractRight() {
	block(func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { i := int32(2*thread + j); return i * i })
		tile.SubtractRight(team.Block(), items, warp.Sub[int32], tile.Neighbors[int32]{}, tile.NewNeighborStorage[int32](w))
		show("%d", items...)
	})
	// Output:
	// -1 -3 | -5 -7 | -9 -11 | -13 49
}

// memory gives an engine of warps of 4 lanes an array with 0, 1, 2, ... 7.
func memory() (*warp.Engine, warp.Mem[int32]) {
	p, _ := device.Lookup("custom-4")
	e, _ := warp.New(warp.Config{Device: p, ValuesOnly: true})
	m, _ := warp.Global(e, []int32{0, 1, 2, 3, 4, 5, 6, 7})
	return e, m
}

func ExampleLoad() {
	e, src := memory()
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		items := []warp.Reg[int32]{warp.Alloc[int32](w), warp.Alloc[int32](w)}
		tile.Load(team.Block(), tile.Striped, items, src, warp.Mem[int32]{})
		show("%d", items...)
		tile.Load(team.Block(), tile.Transposed, items, src, shared[int32](w, 2))
		show("%d", items...)
	})
	fmt.Println(err)
	// Output:
	// 0 4 | 1 5 | 2 6 | 3 7
	// 0 1 | 2 3 | 4 5 | 6 7
	// <nil>
}

func ExampleStore() {
	e, dst := memory()
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { return int32(10*thread + j) })
		tile.Store(team.Block().First(5), tile.Direct, dst, items, warp.Mem[int32]{}) // 5 items
	})
	fmt.Println(dst.Data(), err)
	// Output: [0 1 10 11 20 5 6 7] <nil>
}

func ExampleLoad_groups() {
	e, src := memory()
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		items := []warp.Reg[int32]{warp.Alloc[int32](w), warp.Alloc[int32](w)}
		tile.Load(team.Groups(2), tile.Striped, items, src, warp.Mem[int32]{})
		show("%d", items...)
	})
	fmt.Println(err)
	// Output:
	// 0 2 | 1 3 | 4 6 | 5 7
	// <nil>
}

func ExampleStore_groups() {
	e, dst := memory()
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		items := numbers(w, 2, func(thread, j int) int32 { return int32(10*thread + j) })
		tile.Store(team.Groups(2), tile.Striped, dst, items, warp.Mem[int32]{})
	})
	fmt.Println(dst.Data(), err)
	// Output: [0 10 1 11 20 30 21 31] <nil>
}

func ExampleLoadVectors() {
	p, _ := device.Lookup("custom-4")
	e, _ := warp.New(warp.Config{Device: p, ValuesOnly: true})
	src, _ := warp.Global(e, [][2]int32{{0, 1}, {2, 3}, {4, 5}, {6, 7}})
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		items := []warp.Reg[int32]{warp.Alloc[int32](w), warp.Alloc[int32](w)}
		tile.LoadVectors(items, src)
		show("%d", items...)
	})
	fmt.Println(err)
	// Output:
	// 0 1 | 2 3 | 4 5 | 6 7
	// <nil>
}

func ExampleStoreVectors() {
	p, _ := device.Lookup("custom-4")
	e, _ := warp.New(warp.Config{Device: p, ValuesOnly: true})
	dst, _ := warp.Global(e, make([][2]int32, 4))
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		tile.StoreVectors(dst, numbers(w, 2, func(thread, j int) int32 { return int32(10*thread + j) }))
	})
	fmt.Println(dst.Data(), err)
	// Output: [[0 1] [10 11] [20 21] [30 31]] <nil>
}
