package order_test

import (
	"flag"
	"fmt"
	"testing"

	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

// The table in the README says what the simulation says.
func TestCosts(t *testing.T) {
	const k, threads = 4, 256
	up := order.Ascending[int32]
	mixed := func(w *warp.Warp, k int) []warp.Reg[int32] {
		return costs.Fill(w, k, func(i int) int32 { return int32(uint32(i) * 2654435761) })
	}
	digits := func(w *warp.Warp) []warp.Reg[int32] {
		return costs.Fill(w, k, func(i int) int32 { return int32(uint32(i) * 2654435761 >> 28) })
	}
	empty := func(w *warp.Warp) []warp.Reg[int32] { return costs.Fill(w, k, func(int) int32 { return 0 }) }
	merge := func(pairs bool) func(lanes, threads int) int {
		return func(lanes, threads int) int { return order.MergeStorageBytes[int32, int32](k, pairs, lanes, threads) }
	}
	network := func(pairs bool) func(lanes, threads int) int {
		return func(_, threads int) int { return order.BitonicStorageBytes[int32, int32](pairs, threads) }
	}
	rows := []costs.Row{
		{Name: "Bitonic, one key a lane, one warp", Kernel: func(w *warp.Warp) { order.Bitonic(mixed(w, 1), up, 0, 0) }},
		{Name: "Merge, one key a lane, one warp", Bytes: func(lanes, threads int) int { return order.MergeStorageBytes[int32, int32](1, false, lanes, threads) },
			Kernel: func(w *warp.Warp) {
				order.Merge(mixed(w, 1), up, 0, 0, order.NewMergeStorage[int32, int32](w, 1, false))
			}},
		{Name: "Bitonic, one warp", Kernel: func(w *warp.Warp) { order.Bitonic(mixed(w, k), up, 0, 0) }},
		{Name: "BitonicPairs, one warp", Kernel: func(w *warp.Warp) { order.BitonicPairs(mixed(w, k), mixed(w, k), up, 0, 0) }},
		{Name: "Merge, one warp", Bytes: merge(false), Kernel: func(w *warp.Warp) {
			order.Merge(mixed(w, k), up, 0, 0, order.NewMergeStorage[int32, int32](w, k, false))
		}},
		{Name: "MergePairs, one warp", Bytes: merge(true), Kernel: func(w *warp.Warp) {
			order.MergePairs(mixed(w, k), mixed(w, k), up, 0, 0, order.NewMergeStorage[int32, int32](w, k, true))
		}},
		{Name: "BlockBitonic", Threads: threads, Bytes: network(false), Kernel: func(w *warp.Warp) {
			order.BlockBitonic(mixed(w, k), up, 0, order.NewBitonicStorage[int32, int32](w, false))
		}},
		{Name: "BlockBitonicPairs", Threads: threads, Bytes: network(true), Kernel: func(w *warp.Warp) {
			order.BlockBitonicPairs(mixed(w, k), mixed(w, k), up, 0, order.NewBitonicStorage[int32, int32](w, true))
		}},
		{Name: "BlockMerge", Threads: threads, Bytes: merge(false), Kernel: func(w *warp.Warp) {
			order.BlockMerge(mixed(w, k), up, 0, order.NewMergeStorage[int32, int32](w, k, false))
		}},
		{Name: "BlockMergePairs", Threads: threads, Bytes: merge(true), Kernel: func(w *warp.Warp) {
			order.BlockMergePairs(mixed(w, k), mixed(w, k), up, 0, order.NewMergeStorage[int32, int32](w, k, true))
		}},
		{Name: "RadixRank by 4 bits", Threads: threads, Bytes: func(lanes, threads int) int { return order.RankStorageBytes(4, lanes, threads) },
			Kernel: func(w *warp.Warp) {
				order.RadixRank(empty(w), digits(w), 0, false, warp.Reg[int32]{}, order.NewRankStorage(w, 4))
			}},
		{Name: "RadixRankMatch by 4 bits", Lacks: order.ErrMatch, Threads: threads, Bytes: func(lanes, threads int) int { return order.MatchStorageBytes(4, lanes, threads) },
			Kernel: func(w *warp.Warp) {
				order.RadixRankMatch(empty(w), digits(w), 0, false, warp.Reg[int32]{}, order.NewMatchStorage(w, 4))
			}},
	}
	for _, bits := range []int{2, 4, 5} {
		rows = append(rows, costs.Row{Name: fmt.Sprintf("Radix by %d bits", bits), Threads: threads,
			Bytes: func(lanes, threads int) int {
				return order.RadixStorageBytes[int32, int32](k, bits, false, lanes, threads)
			},
			Kernel: func(w *warp.Warp) {
				order.Radix(mixed(w, k), 0, order.RadixOptions{}, order.NewRadixStorage[int32, int32](w, k, bits, false))
			}})
	}
	rows = append(rows, costs.Row{Name: "RadixPairs by 4 bits", Threads: threads,
		Bytes: func(lanes, threads int) int { return order.RadixStorageBytes[int32, int32](k, 4, true, lanes, threads) },
		Kernel: func(w *warp.Warp) {
			order.RadixPairs(mixed(w, k), mixed(w, k), 0, order.RadixOptions{}, order.NewRadixStorage[int32, int32](w, k, 4, true))
		}})
	costs.Check(t, "README.md", *update, rows)
}
