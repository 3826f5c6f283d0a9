package order_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
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
		order.Bitonic(keys, order.Ascending, 0, 0)
		show("%d", keys...)
		order.Bitonic(keys, order.Descending, 2, 0) // pairs of lanes
		show("%d", keys...)
	})
	// Output:
	// 1 2 | 3 4 | 5 7 | 8 9
	// 4 3 | 2 1 | 9 8 | 7 5
}

func ExampleBitonicPairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 3, 1, 4, 2), tile(w, 'c', 'a', 'd', 'b')
		order.BitonicPairs(keys, values, order.Ascending, 0, 0)
		show("%c", values...)
	})
	// Output: a | b | c | d
}

func ExampleMerge() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.Merge(keys, order.Ascending, 0, 5, order.NewMergeStorage[int32, int32](w, 2, false))
		show("%d", keys...) // the last three are not looked at
	})
	// Output: 1 3 | 4 5 | 9 2 | 8 7
}

func ExampleMergePairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 1, 0, 1, 0), tile(w, 'a', 'b', 'c', 'd')
		order.MergePairs(keys, values, order.Ascending, 0, 0, order.NewMergeStorage[int32, rune](w, 1, true))
		show("%c", values...)
	})
	// Output: b | d | a | c
}

func ExampleBlockBitonic() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.BlockBitonic(keys, order.Ascending, 0, order.NewBitonicStorage[int32, int32](w, false))
		show("%d", keys...)
	})
	// Output: 1 2 | 3 4 | 5 7 | 8 9
}

func ExampleBlockBitonicPairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 3, 1, 4, 2), tile(w, 'c', 'a', 'd', 'b')
		order.BlockBitonicPairs(keys, values, order.Descending, 0, order.NewBitonicStorage[int32, rune](w, true))
		show("%c", values...)
	})
	// Output: d | c | b | a
}

func ExampleBlockMerge() {
	block(func(w *warp.Warp) {
		keys := numbers(w)
		order.BlockMerge(keys, order.Descending, 0, order.NewMergeStorage[int32, int32](w, 2, false))
		show("%d", keys...)
	})
	// Output: 9 8 | 7 5 | 4 3 | 2 1
}

func ExampleBlockMergePairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[int32](w, 1, 0, 1, 0), tile(w, 'a', 'b', 'c', 'd')
		order.BlockMergePairs(keys, values, order.Ascending, 0, order.NewMergeStorage[int32, rune](w, 1, true))
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
		order.BlockMerge(words, shorter, 0, order.NewMergeStorage[word, int32](w, 1, false))
		show("%s", words...)
	})
	// Output: one    | two    | four   | three
}

func ExampleRadix() {
	block(func(w *warp.Warp) {
		keys := tile(w, 0.5, -2, 1e9, -1e-9, 0, 3, -2.5, 1)
		order.Radix(keys, 0, order.RadixOptions{}, order.NewRadixStorage[float64, int32](w, 2, 4, false))
		show("%g", keys...)
	})
	// Output: -2.5 -2 | -1e-09 0 | 0.5 1 | 3 1e+09
}

// Only the tens count; the rest keeps its order.
func ExampleRadixPairs() {
	block(func(w *warp.Warp) {
		keys, values := tile[uint16](w, 0x21, 0x13, 0x22, 0x11), tile(w, 'a', 'b', 'c', 'd')
		order.RadixPairs(keys, values, 0, order.RadixOptions{Begin: 4, End: 8}, order.NewRadixStorage[uint16, rune](w, 1, 4, true))
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
		order.RadixRank(ranks, tile[int32](w, 2, 0, 0, 1, 2, 0, 3, 3), 0, false, starts, order.NewRankStorage(w, 2))
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
		order.RadixRankMatch(ranks, tile[int32](w, 2, 0, 0, 1, 2, 0, 3, 3), 0, false, warp.Reg[int32]{}, order.NewMatchStorage(w, 2))
		show("%d", ranks...)
	})
	// Output: 4 1 | 0 3 | 5 2 | 6 7
}

func ExampleRadixFits() {
	p, _ := device.Lookup("mtt-s4000")
	fmt.Println(order.RadixFits[float32, int32](p, 1024, 1, 4, false))
	fmt.Println(order.RadixFits[float32, int32](p, 1024, 1, 2, false))
	// Output:
	// reduce radix: shared memory of an algorithm: 37924 bytes, and a block of mtt-s4000 has 28672; use digits of fewer bits, or fewer keys
	// <nil>
}
