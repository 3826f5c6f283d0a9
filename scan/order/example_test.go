package order_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
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

// tile gives the threads values one after the other, blocked.
func tile[T any](w *warp.Warp, values ...T) []warp.Reg[T] {
	k := len(values) / 4
	items := make([]warp.Reg[T], k)
	for j := range items {
		items[j] = warp.Alloc[T](w)
		warp.SetLanes(items[j], func(l int) T { return values[l*k+j] })
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

func numbers(w *warp.Warp) []warp.Reg[int32] { return tile[int32](w, 5, 9, 1, 3, 4, 2, 8, 7) }

func ExampleBitonic() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.Bitonic(team.Warp(), keys, order.Ascending)
		show("%d", keys...)
		order.Bitonic(team.Groups(2), keys, order.Descending) // pairs of lanes
		show("%d", keys...)
	})
	// Output:
	// 1 2 | 3 4 | 5 7 | 8 9
	// 4 3 | 2 1 | 9 8 | 7 5
}

func ExampleBitonicPairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 3, 1, 4, 2), tile(w, 'c', 'a', 'd', 'b')
		order.BitonicPairs(team.Warp(), keys, values, order.Ascending)
		show("%c", values...)
	})
	// Output: a | b | c | d
}

func ExampleMerge() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.Merge(team.Warp().First(5), keys, order.Ascending, order.NewMergeStorage[int32, struct{}](w, 2))
		show("%d", keys...) // the last three are not looked at
	})
	// Output: 1 3 | 4 5 | 9 2 | 8 7
}

func ExampleMergePairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 1, 0, 1, 0), tile(w, 'a', 'b', 'c', 'd')
		order.MergePairs(team.Warp(), keys, values, order.Ascending, order.NewMergeStorage[int32, rune](w, 1))
		show("%c", values...)
	})
	// Output: b | d | a | c
}

func ExampleBitonic_block() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.Bitonic(team.Block(), keys, order.Ascending, order.NewBitonicStorage[int32, struct{}](w))
		show("%d", keys...)
	})
	// Output: 1 2 | 3 4 | 5 7 | 8 9
}

func ExampleBitonicPairs_block() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 3, 1, 4, 2), tile(w, 'c', 'a', 'd', 'b')
		order.BitonicPairs(team.Block(), keys, values, order.Descending, order.NewBitonicStorage[int32, rune](w))
		show("%c", values...)
	})
	// Output: d | c | b | a
}

func ExampleMerge_block() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.Merge(team.Block(), keys, order.Descending, order.NewMergeStorage[int32, struct{}](w, 2))
		show("%d", keys...)
	})
	// Output: 9 8 | 7 5 | 4 3 | 2 1
}

func ExampleMergePairs_block() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 1, 0, 1, 0), tile(w, 'a', 'b', 'c', 'd')
		order.MergePairs(team.Block(), keys, values, order.Ascending, order.NewMergeStorage[int32, rune](w, 1))
		show("%c", values...)
	})
	// Output: b | d | a | c
}

// Words by length: equal ones keep their order.
func ExampleBy() {
	type word [6]byte
	length := func(x word) int { return strings.IndexByte(string(x[:]), ' ') }
	block(func(w *warp.Warp) {
		words := tile(w, word([]byte("three ")), word([]byte("one   ")), word([]byte("four  ")), word([]byte("two   ")))
		shorter := order.By(isa.ICmp, func(a, b word) bool { return length(a) < length(b) })
		order.Merge(team.Block(), words, shorter, order.NewMergeStorage[word, struct{}](w, 1))
		show("%s", words...)
	})
	// Output: one    | two    | four   | three
}

func ExampleRadix() {
	block(func(w *warp.Warp) {
		keys := tile(w, 0.5, -2, 1e9, -1e-9, 0, 3, -2.5, 1)
		order.Radix(team.All(), keys, order.RadixOptions{}, order.NewRadixStorage[float64, struct{}](w, 2, 4))
		show("%g", keys...)
	})
	// Output: -2.5 -2 | -1e-09 0 | 0.5 1 | 3 1e+09
}

// Only the tens count; the rest keeps its order.
func ExampleRadixPairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[uint16](w, 0x21, 0x13, 0x22, 0x11), tile(w, 'a', 'b', 'c', 'd')
		order.RadixPairs(team.All(), keys, values, order.RadixOptions{Begin: 4, End: 8}, order.NewRadixStorage[uint16, rune](w, 1, 4))
		show("%x", keys...)
		show("%c", values...)
	})
	// Output:
	// 13 | 11 | 21 | 22
	// b | d | a | c
}

func ExampleRadixRank() {
	block(func(w *warp.Warp) {
		ranks, starts := tile[int32](w, 0, 0, 0, 0, 0, 0, 0, 0), warp.Alloc[int32](w)
		order.RadixRank(team.All(), ranks, tile[int32](w, 2, 0, 0, 1, 2, 0, 3, 3), false, starts, order.NewRankStorage(w, 2))
		show("%d", ranks...)
		show("%d", starts)
	})
	// Output:
	// 4 0 | 1 3 | 5 2 | 6 7
	// 0 | 3 | 4 | 6
}

// The keys are warp-striped: their order is 2 0 2 3, 0 1 0 3.
func ExampleRadixRankMatch() {
	block(func(w *warp.Warp) {
		ranks := tile[int32](w, 0, 0, 0, 0, 0, 0, 0, 0)
		order.RadixRankMatch(team.All(), ranks, tile[int32](w, 2, 0, 0, 1, 2, 0, 3, 3), false, warp.Reg[int32]{}, order.NewMatchStorage(w, 2))
		show("%d", ranks...)
	})
	// Output: 4 1 | 0 3 | 5 2 | 6 7
}

func ExampleRadixFits() {
	p, _ := device.Lookup("mtt-s4000")
	fmt.Println(order.RadixFits[float32, struct{}](p, 1024, 1, 4))
	fmt.Println(order.RadixFits[float32, struct{}](p, 1024, 1, 2))
	// Output:
	// reduce radix: shared memory of an algorithm: 37924 bytes, and a kernel of mtt-s4000 can declare 28672; use digits of fewer bits, or fewer keys
	// <nil>
}
