package reduce_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the tables of README.md")

// The tables of README.md are what the registry and the simulator say.
func TestReadmeTables(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	got := string(text)
	for name, table := range map[string]string{
		"algorithms":   algorithmTable(t),
		"warp cycles":  cycleTable(t, reduce.WarpScope, 0),
		"block cycles": cycleTable(t, reduce.BlockScope, 256),
	} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
		i := strings.Index(got, begin)
		require.GreaterOrEqual(t, i, 0, name)
		i += len(begin)
		j := strings.Index(got[i:], end)
		require.GreaterOrEqual(t, j, 0, name)
		if !*update {
			assert.Equal(t, table, got[i:i+j], "%s: run go test -run Readme -update", name)
		}
		got = got[:i] + table + got[i+j:]
	}
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(got), 0o644))
	}
}

// A keep is an operator that neither commutes nor has an identity, an atomic or
// a hardware reduction.
var keep = reduce.New("keep", isa.Mov, func(a, _ int32) int32 { return a })

// elements returns how many elements of shared memory are declared for blocks of
// 256 threads on devices of 32, 64 and 128 lanes.
func elements(t *testing.T, declare func(w *warp.Warp) warp.Mem[int32]) (counts []string) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		r, err := engine(t, name).Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(256)},
			func(w *warp.Warp) { declare(w) })
		require.NoError(t, err)
		counts = append(counts, fmt.Sprint(r.Launches()[0].Shared/4))
	}
	return counts
}

func algorithmTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| algorithm | over | how | order of additions | elements of shared memory for 256 threads on 32, 64, 128 lanes | asks for |\n|---|---|---|---|---|---|\n")
	h200, _ := device.Lookup("h200")
	for _, a := range reduce.Algorithms[int32]() {
		memory := "–"
		if a.Storage != nil {
			memory = strings.Join(elements(t, a.Storage), ", ")
		}
		var needs []string
		if a.Fits(h200, keep.Commuting(), reduce.Tile{}, 256) == nil && a.Fits(h200, keep, reduce.Tile{}, 256) != nil {
			needs = append(needs, "an operator that commutes")
		}
		if a.Name != "row-moves" && a.Scope == reduce.WarpScope && a.Fits(h200, reduce.Sum[int32](), reduce.Tile{Width: 12}, 256) != nil {
			needs = append(needs, "a width that is a power of two")
		}
		switch {
		case strings.Contains(a.Name, "redux"):
			needs = append(needs, "a device with the instruction; 32-bit integers; sum, min, max, and, or, xor")
		case a.Name == "row-moves":
			needs = append(needs, "a device with the moves, of 16, 32 or 64 lanes; no groups")
		case a.Name == "atomics":
			needs = append(needs, "an operator that commutes and has an atomic")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", a.Name, a.Scope, a.Doc, a.Order, memory, strings.Join(needs, "; "))
	}
	return b.String()
}

var tableDevices = []string{"h200", "mi300x", "mtt-s5000", "mtt-s4000"}

// cycleTable lists instructions and cycles of one reduction in a chain of them,
// for a block of so many threads, one warp for 0.
func cycleTable(t *testing.T, scope reduce.Scope, threads int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| algorithm |")
	for _, name := range tableDevices {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		fmt.Fprintf(&b, " %s, %d lanes |", name, p.Lanes)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(tableDevices)) + "\n")
	for _, a := range reduce.Algorithms[int32]() {
		if a.Scope != scope {
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", a.Name)
		for _, name := range tableDevices {
			p, err := device.Lookup(name)
			require.NoError(t, err)
			e, err := warp.New(warp.Config{Device: p})
			require.NoError(t, err)
			n := threads
			if n == 0 {
				n = p.Lanes
			}
			cost := func(times int) *warp.Report {
				r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(n)}, func(w *warp.Warp) {
					var s warp.Mem[int32]
					if a.Storage != nil {
						s = a.Storage(w)
					}
					v := warp.Alloc[int32](w)
					warp.Mov(v, w.ThreadID())
					w.LaneID()
					for range times {
						a.Run(v, reduce.Sum[int32](), reduce.Tile{}, s)
						if scope == reduce.BlockScope {
							w.SyncBlock()
						} else if a.Storage != nil {
							w.SyncWarp(w.Active())
						}
					}
				})
				require.NoError(t, err)
				return r
			}
			if a.Fits(p, reduce.Sum[int32](), reduce.Tile{}, n) != nil {
				b.WriteString(" – |")
				continue
			}
			many, few := cost(6), cost(2)
			fmt.Fprintf(&b, " %d / %d |", (many.Instructions-few.Instructions)/4, (many.Cycles-few.Cycles+2)/4)
		}
		b.WriteString("\n")
	}
	return b.String()
}
