package pack_test

import (
	"flag"
	"testing"

	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

// The table in the README says what the simulation says.
func TestCosts(t *testing.T) {
	const k, threads, bins = 4, 256, 16
	ints := func(w *warp.Warp) []warp.Reg[int32] { return costs.Fill(w, k, func(i int) int32 { return int32(i) }) }
	third := func(w *warp.Warp) []warp.Pred { return costs.Flags(w, k, func(i int) bool { return i%3 == 0 }) }
	runs := func(w *warp.Warp) []warp.Reg[int32] {
		return costs.Fill(w, k, func(i int) int32 { return int32(i / 5) })
	}
	out := func(w *warp.Warp) pack.Runs[int32] {
		return pack.Runs[int32]{Values: registers[int32](w, k), Lengths: registers[int32](w, k), Count: warp.Alloc[int32](w)}
	}
	var rows []costs.Row
	for _, by := range []pack.Ranking{pack.ByBallot, pack.ByScan} {
		rows = append(rows,
			costs.Row{Name: "Ranks by " + by.String(), Threads: threads, Kernel: func(w *warp.Warp) {
				pack.Ranks(team.Block(), registers[int32](w, k), third(w), by, warp.Reg[int32]{}, pack.NewStorage[int32](w, k))
			}},
			costs.Row{Name: "Select by " + by.String(), Threads: threads, Kernel: func(w *warp.Warp) {
				pack.Select(team.Block(), ints(w), third(w), by, warp.Reg[int32]{}, pack.NewStorage[int32](w, k))
			}},
			costs.Row{Name: "Partition by " + by.String(), Threads: threads, Kernel: func(w *warp.Warp) {
				pack.Partition(team.All(), ints(w), third(w), by, warp.Reg[int32]{}, pack.NewStorage[int32](w, k))
			}},
			costs.Row{Name: "Encode by " + by.String(), Threads: threads, Kernel: func(w *warp.Warp) {
				pack.Encode(team.Block(), runs(w), warp.Ne[int32], by, out(w), pack.NewRunStorage[int32](w, k))
			}},
			costs.Row{Name: "EncodeNonTrivial by " + by.String(), Threads: threads, Kernel: func(w *warp.Warp) {
				pack.EncodeNonTrivial(team.All(), runs(w), warp.Ne[int32], by, out(w), pack.NewRunStorage[int32](w, k))
			}},
		)
	}
	rows = append(rows,
		costs.Row{Name: "Select, one warp", Kernel: func(w *warp.Warp) {
			pack.Select(team.Warp(), ints(w), third(w), pack.ByBallot, warp.Reg[int32]{}, pack.NewStorage[int32](w, k))
		}},
		costs.Row{Name: "Encode, one warp", Kernel: func(w *warp.Warp) {
			pack.Encode(team.Warp(), runs(w), warp.Ne[int32], pack.ByBallot, out(w), pack.NewRunStorage[int32](w, k))
		}},
	)
	rows = append(rows,
		costs.Row{Name: "Append to global memory, one item a thread", Threads: threads, Global: func(e *warp.Engine) warp.Kernel {
			list, err := warp.Global(e, make([]int32, threads))
			if err != nil {
				t.Fatal(err)
			}
			end, err := warp.Global(e, make([]int32, 1))
			if err != nil {
				t.Fatal(err)
			}
			return func(w *warp.Warp) { pack.Append(list, end, ints(w)[0], third(w)[0]) }
		}},
		costs.Row{Name: "NewDecoder of runs of 3", Threads: threads, Kernel: func(w *warp.Warp) {
			pack.NewDecoder(team.All(), ints(w), costs.Fill(w, k, func(int) int32 { return 3 }), pack.NewDecodeStorage[int32](w, k))
		}},
		costs.Row{Name: "the same and a Window of 4 items a thread", Threads: threads, Kernel: func(w *warp.Warp) {
			d := pack.NewDecoder(team.All(), ints(w), costs.Fill(w, k, func(int) int32 { return 3 }), pack.NewDecodeStorage[int32](w, k))
			from := warp.Alloc[int32](w)
			warp.Set(from, 0)
			d.Window(registers[int32](w, k), nil, from)
		}},
	)
	for _, c := range []struct {
		name   string
		sample func(i int) int32
	}{
		{"even", func(i int) int32 { return int32(i % bins) }},
		{"all equal", func(int) int32 { return 3 }},
	} {
		samples := func(w *warp.Warp) []warp.Reg[int32] { return costs.Fill(w, k, c.sample) }
		for _, by := range []pack.Counting{pack.ByAtomics, pack.ByMatch} {
			rows = append(rows, costs.Row{Name: "Histogram by " + by.String() + ", 16 bins, " + c.name, Threads: threads, Lacks: team.ErrMatch, Kernel: func(w *warp.Warp) {
				pack.Histogram(team.All(), samples(w), by, warp.Shared[int32](w, bins))
			}})
		}
		rows = append(rows, costs.Row{Name: "HistogramBySort, 16 bins, " + c.name, Threads: threads, Kernel: func(w *warp.Warp) {
			pack.HistogramBySort(team.All(), samples(w), warp.Shared[int32](w, bins), pack.NewSortStorage[int32](w, k, bins))
		}})
	}
	costs.Check(t, "README.md", *update, rows)
}
