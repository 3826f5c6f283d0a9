package order_test

import (
	"flag"
	"fmt"
	"testing"

	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
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
	rows := []costs.Row{
		{Name: "Bitonic, one key a lane, one warp", Kernel: func(w *warp.Warp) { order.Bitonic(team.Warp(), mixed(w, 1), up) }},
		{Name: "Merge, one key a lane, one warp",
			Kernel: func(w *warp.Warp) {
				order.Merge(team.Warp(), mixed(w, 1), up, order.NewMergeStorage[int32, struct{}](w, 1))
			}},
		{Name: "Bitonic, one warp", Kernel: func(w *warp.Warp) { order.Bitonic(team.Warp(), mixed(w, k), up) }},
		{Name: "BitonicPairs, one warp", Kernel: func(w *warp.Warp) {
			order.BitonicPairs(team.Warp(), mixed(w, k), mixed(w, k), up)
		}},
		{Name: "Merge, one warp", Kernel: func(w *warp.Warp) {
			order.Merge(team.Warp(), mixed(w, k), up, order.NewMergeStorage[int32, struct{}](w, k))
		}},
		{Name: "MergePairs, one warp", Kernel: func(w *warp.Warp) {
			order.MergePairs(team.Warp(), mixed(w, k), mixed(w, k), up, order.NewMergeStorage[int32, int32](w, k))
		}},
		{Name: "Bitonic, block", Threads: threads, Kernel: func(w *warp.Warp) {
			order.Bitonic(team.Block(), mixed(w, k), up, order.NewBitonicStorage[int32, struct{}](w))
		}},
		{Name: "BitonicPairs, block", Threads: threads, Kernel: func(w *warp.Warp) {
			order.BitonicPairs(team.Block(), mixed(w, k), mixed(w, k), up, order.NewBitonicStorage[int32, int32](w))
		}},
		{Name: "Merge, block", Threads: threads, Kernel: func(w *warp.Warp) {
			order.Merge(team.Block(), mixed(w, k), up, order.NewMergeStorage[int32, struct{}](w, k))
		}},
		{Name: "MergePairs, block", Threads: threads, Kernel: func(w *warp.Warp) {
			order.MergePairs(team.Block(), mixed(w, k), mixed(w, k), up, order.NewMergeStorage[int32, int32](w, k))
		}},
		{Name: "RadixRank by 4 bits", Threads: threads,
			Kernel: func(w *warp.Warp) {
				order.RadixRank(team.All(), empty(w), digits(w), false, warp.Reg[int32]{}, order.NewRankStorage(w, 4))
			}},
		{Name: "RadixRankMatch by 4 bits", Lacks: team.ErrMatch, Threads: threads,
			Kernel: func(w *warp.Warp) {
				order.RadixRankMatch(team.All(), empty(w), digits(w), false, warp.Reg[int32]{}, order.NewMatchStorage(w, 4))
			}},
	}
	for _, bits := range []int{2, 4, 5} {
		rows = append(rows, costs.Row{Name: fmt.Sprintf("Radix by %d bits", bits), Threads: threads,
			Kernel: func(w *warp.Warp) {
				order.Radix(team.All(), mixed(w, k), order.RadixOptions{}, order.NewRadixStorage[int32, struct{}](w, k, bits))
			}})
	}
	rows = append(rows, costs.Row{Name: "RadixPairs by 4 bits", Threads: threads,
		Kernel: func(w *warp.Warp) {
			order.RadixPairs(team.All(), mixed(w, k), mixed(w, k), order.RadixOptions{}, order.NewRadixStorage[int32, int32](w, k, 4))
		}})
	costs.Check(t, "README.md", *update, rows)
}
