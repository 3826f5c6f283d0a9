package pack_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/pack"
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

// text gives the threads one letter after the other, blocked.
func text(w *warp.Warp, s string) []warp.Reg[byte] {
	k := len(s) / 4
	items := make([]warp.Reg[byte], k)
	for j := range items {
		items[j] = warp.Alloc[byte](w)
		warp.SetLanes(items[j], func(l int) byte { return s[l*k+j] })
	}
	return items
}

// digits are text as numbers.
func digits(w *warp.Warp, s string) []warp.Reg[int32] {
	var numbers []warp.Reg[int32]
	for _, v := range text(w, s) {
		n := warp.Alloc[int32](w)
		warp.Convert(n, v)
		warp.AddImm(n, n, -'0')
		numbers = append(numbers, n)
	}
	return numbers
}

// vowels flags letters.
func vowels(w *warp.Warp, items []warp.Reg[byte]) []warp.Pred {
	flags := make([]warp.Pred, len(items))
	for j, v := range items {
		var m lane.Mask
		for l, c := range v.Lanes() {
			if strings.IndexByte("aeiou", c) >= 0 {
				m = m.With(l)
			}
		}
		flags[j] = w.Pred()
		warp.SetPred(flags[j], m)
	}
	return flags
}

// show prints the items of each thread, with dashes for those that are not there.
func show[T any](format string, items ...warp.Reg[T]) {
	var threads []string
	for l := range items[0].Lanes() {
		var b []string
		for _, v := range items {
			if v.Undefined().Has(l) {
				b = append(b, "-")
			} else {
				b = append(b, fmt.Sprintf(format, v.Lanes()[l]))
			}
		}
		threads = append(threads, strings.Join(b, " "))
	}
	fmt.Println(strings.Join(threads, " | "))
}

func number(w *warp.Warp) warp.Reg[int32] { return warp.Alloc[int32](w) }

func ExampleRanks() {
	block(func(w *warp.Warp) {
		keep := vowels(w, text(w, "envelope"))
		ranks, total := registers[int32](w, 2), number(w)
		pack.Ranks(team.Block(), ranks, keep, pack.ByScan, total, pack.NewStorage[byte](w, 2))
		show("%d", ranks...)
		fmt.Println(total.Lanes()[0], "vowels")
	})
	// Output:
	// 0 1 | 1 1 | 2 2 | 3 3
	// 4 vowels
}

func ExampleRanks_warp() {
	block(func(w *warp.Warp) {
		ranks := registers[int32](w, 2)
		pack.Ranks(team.Warp(), ranks, vowels(w, text(w, "envelope")), pack.ByBallot, number(w), pack.Storage[int32]{})
		show("%d", ranks...)
	})
	// Output: 0 1 | 1 1 | 2 2 | 3 3
}

func ExampleSelect() {
	block(func(w *warp.Warp) {
		items := text(w, "sequoias")
		count := number(w)
		pack.Select(team.Block(), items, vowels(w, items), pack.ByBallot, count, pack.NewStorage[byte](w, 2))
		// Striped: the first four are first in each thread.
		show("%c", items[0])
		fmt.Println(count.Lanes()[0], "vowels")
	})
	// Output:
	// e | u | o | i
	// 5 vowels
}

func ExampleSelect_warp() {
	block(func(w *warp.Warp) {
		items := text(w, "quay")
		count := number(w)
		pack.Select(team.Warp(), items, vowels(w, items), pack.ByBallot, count, pack.NewStorage[byte](w, 1))
		fmt.Printf("%c\n", items[0].Lanes()[:count.Lanes()[0]])
	})
	// Output: [u a]
}

func ExamplePartition() {
	block(func(w *warp.Warp) {
		items := text(w, "envelope")
		pack.Partition(team.All(), items, vowels(w, items), pack.ByScan, number(w), pack.NewStorage[byte](w, 2))
		show("%c", items...)
	})
	// Output: e n | e v | o l | e p
}

func ExamplePartitionReversed() {
	block(func(w *warp.Warp) {
		items := text(w, "envelope")
		pack.PartitionReversed(team.All(), items, vowels(w, items), pack.ByScan, number(w), pack.NewStorage[byte](w, 2))
		show("%c", items...)
	})
	// Output: e p | e l | o v | e n
}

func ExampleStoreFirst() {
	block(func(w *warp.Warp) {
		items := text(w, "sequoias")
		count := number(w)
		pack.Select(team.Block(), items, vowels(w, items), pack.ByBallot, count, pack.NewStorage[byte](w, 2))
		out := warp.Shared[byte](w, 5)
		pack.StoreFirst(out, items, count)
		fmt.Printf("%s\n", out.Data())
	})
	// Output: euoia
}

func ExampleAppend() {
	block(func(w *warp.Warp) {
		list, end := warp.Shared[byte](w, 8), warp.Shared[int32](w, 1)
		pack.ClearBins(w, end)
		for _, word := range []string{"over", "into", "upon"} {
			v := text(w, word)
			pack.Append(list, end, v[0], vowels(w, v)[0])
		}
		fmt.Printf("%s %d\n", list.Data()[:end.Data()[0]], end.Data()[0])
	})
	// Output: oeiouo 6
}

func ExampleEncode() {
	block(func(w *warp.Warp) {
		out := pack.Runs[byte]{Values: registers[byte](w, 2), Lengths: registers[int32](w, 2), Count: number(w)}
		pack.Encode(team.Block(), text(w, "aabbbbcd"), warp.Ne[byte], pack.ByBallot, out, pack.NewRunStorage[byte](w, 2))
		show("%c", out.Values[0])
		show("%d", out.Lengths[0])
		fmt.Println(out.Count.Lanes()[0], "runs")
	})
	// Output:
	// a | b | c | d
	// 2 | 4 | 1 | 1
	// 4 runs
}

func ExampleEncodeNonTrivial() {
	block(func(w *warp.Warp) {
		out := pack.Runs[byte]{Lengths: registers[int32](w, 2), Offsets: registers[int32](w, 2), Count: number(w)}
		pack.EncodeNonTrivial(team.All(), text(w, "aabbbbcd"), warp.Ne[byte], pack.ByBallot, out, pack.NewRunStorage[byte](w, 2))
		show("%d", out.Offsets[0])
		show("%d", out.Lengths[0])
	})
	// Output:
	// 0 | 2 | - | -
	// 2 | 4 | - | -
}

func ExampleEncode_warp() {
	block(func(w *warp.Warp) {
		out := pack.Runs[byte]{Values: registers[byte](w, 1), Lengths: registers[int32](w, 1)}
		pack.Encode(team.Warp(), text(w, "aabc"), warp.Ne[byte], pack.ByBallot, out, pack.NewRunStorage[byte](w, 1))
		show("%c", out.Values...)
		show("%d", out.Lengths...)
	})
	// Output:
	// a | b | c | -
	// 2 | 1 | 1 | -
}

func ExampleDecoder() {
	block(func(w *warp.Warp) {
		d := pack.NewDecoder(team.All(), text(w, "abcd"), digits(w, "2301"), pack.NewDecodeStorage[byte](w, 1))
		fmt.Println(d.Total.Lanes()[0], "letters")
		items, from := registers[byte](w, 1), number(w)
		for begin := range int32(2) {
			warp.Set(from, 4*begin)
			d.Window(items, nil, from) // four at a time
			fmt.Printf("%c\n", items[0].Lanes()[:min(4, 6-4*begin)])
		}
	})
	// Output:
	// 6 letters
	// [a a b b]
	// [b d]
}

func ExampleHistogram() {
	block(func(w *warp.Warp) {
		bins := warp.Shared[int32](w, 4)
		pack.Histogram(team.All(), digits(w, "02232013"), pack.ByAtomics, bins)
		fmt.Println(bins.Data())
	})
	// Output: [2 1 3 2]
}

func ExampleHistogramBySort() {
	block(func(w *warp.Warp) {
		bins := warp.Shared[int32](w, 4)
		pack.HistogramBySort(team.All(), digits(w, "02232013"), bins, pack.NewSortStorage[int32](w, 2, 4))
		fmt.Println(bins.Data())
	})
	// Output: [2 1 3 2]
}

func ExampleCount() {
	block(func(w *warp.Warp) {
		bins := warp.Shared[int32](w, 4)
		pack.Histogram(team.All(), digits(w, "0223"), pack.ByAtomics, bins)
		pack.Count(team.All(), digits(w, "3333"), pack.ByMatch, bins)
		w.SyncBlock()
		fmt.Println(bins.Data())
	})
	// Output: [1 0 2 5]
}

func ExampleCounting_Fits() {
	p, _ := device.Lookup("mtt-s4000")
	fmt.Println(pack.ByAtomics.Fits(p))
	fmt.Println(pack.ByMatch.Fits(p))
	// Output:
	// <nil>
	// reduce histogram: no match instruction: mtt-s4000 has none; use ByAtomics
}
