package cg_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

type thread = intrinsics.Thread

var devices = []string{"h200", "mi300x", "mtt-s5000", "mtt-s4000"}

// run runs a kernel in one block and returns what it gives in each thread, and
// the width of the warp.
func run[T any](t testing.TB, name string, threads int, kernel func(t *thread) T) ([]T, int) {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
	require.NoError(t, err)
	out := make([]T, threads)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(threads), func(t *thread) { out[t.ThreadRank()] = kernel(t) })
	require.NoError(t, err, name)
	return out, p.Lanes
}

func TestBlock(t *testing.T) {
	got, _ := run(t, "h200", 70, func(t *thread) string {
		b := cg.ThisThreadBlock(t)
		s := intrinsics.Shared[int32](t, 70)
		s.Store(t, b.Rank(), int32(b.Rank()))
		b.Sync()
		return fmt.Sprint(b.Rank(), b.Size(), s.Load(t, b.Size()-1-b.Rank()), b.ThreadIndex(), b.GroupIndex(), b.Dim())
	})
	require.Equal(t, "3 70 66 3 0 70", got[3])
}

// Tiles of every size, in all languages: ranks, shuffles, votes, reductions and
// scans against plain loops.
func TestTiles(t *testing.T) {
	for _, d := range devices {
		for n := 1; n <= 32; n *= 2 {
			got, _ := run(t, d, 128, func(t *thread) string {
				g := cg.TiledPartition(cg.ThisThreadBlock(t), n)
				i := int32(t.ThreadRank())
				var all lane.Mask
				var same bool
				if !strings.HasPrefix(d, "mtt") { // MUSA has no match
					all, same = cg.MatchAll(g, i/4)
				}
				return fmt.Sprint(g.Rank(), g.Size(), g.MetaRank(), cg.Shfl(g, i, n-1), cg.ShflUp(g, i, 1), cg.ShflDown(g, i, 1), cg.ShflXor(g, i, n/2),
					g.Any(i%7 == 0), g.All(i%2 == 0), g.Ballot(i%3 == 0), all.Count(), same)
			})
			for i, text := range got {
				first := i - i%n
				lanes := map[string]int{"h200": 32, "mi300x": 64, "mtt-s5000": 32, "mtt-s4000": 128}[d]
				anyone, all, ballot := false, true, uint64(0)
				for j := range n {
					anyone = anyone || (first+j)%7 == 0
					all = all && (first+j)%2 == 0
					if (first+j)%3 == 0 {
						ballot |= 1 << j
					}
				}
				count, same := n, true
				if n > 4 {
					count, same = 0, false
				}
				if strings.HasPrefix(d, "mtt") {
					count, same = 0, false
				}
				want := fmt.Sprint(i%n, n, i%lanes/n, first+n-1, max(first, i-1), min(first+n-1, i+1), i^n/2, anyone, all, ballot, count, same)
				require.Equal(t, want, text, "%s tile %d thread %d", d, n, i)
			}
		}
	}
}

func TestReduceAndScan(t *testing.T) {
	concat := cg.Func(func(a, b [8]byte) [8]byte { // keeps the order
		return [8]byte([]byte(strings.TrimRight(string(a[:]), "\x00") + strings.TrimRight(string(b[:]), "\x00") + "\x00\x00\x00\x00\x00\x00\x00\x00")[:8])
	})
	for _, d := range devices {
		got, _ := run(t, d, 256, func(t *thread) string {
			i := int32(t.ThreadRank())
			g := cg.TiledPartition(cg.ThisThreadBlock(t), 8)
			c := [8]byte{byte('a' + g.Rank())}
			scan := cg.InclusiveScan(g, c, concat)
			ex := cg.ExclusiveScan(g, c, concat)
			return fmt.Sprintf("%d %d %d %d %d %d %v %s %s", cg.Reduce(g, i, cg.Plus[int32]()), cg.Reduce(g, uint32(i^3), cg.Less[uint32]()),
				cg.Reduce(g, i^5, cg.Greater[int32]()), cg.Reduce(g, uint32(i), cg.BitAnd[uint32]()), cg.Reduce(g, i, cg.BitOr[int32]()),
				cg.Reduce(g, uint64(i), cg.BitXor[uint64]()), cg.Reduce(g, float64(i), cg.Plus[float64]()), strings.TrimRight(string(scan[:]), "\x00"), strings.TrimRight(string(ex[:]), "\x00"))
		})
		for i, text := range got {
			first := i &^ 7
			sum := 8*first + 28
			want := fmt.Sprintf("%d %d %d %d %d %d %d %s %s", sum, first, first+7, first, first|7, 0, sum, "abcdefgh"[:i%8+1], "abcdefgh"[:i%8])
			require.Equal(t, want, text, "%s thread %d", d, i)
		}
	}
}

// Groups without gaps between their ranks, wherever their lanes are.
func TestCoalesced(t *testing.T) {
	for _, d := range devices {
		got, lanes := run(t, d, 128, func(t *thread) string {
			if t.Lane()%3 != 1 {
				return ""
			}
			g := cg.CoalescedThreads(t)
			g.Sync()
			v := int32(t.Lane())
			return fmt.Sprint(g.Rank(), g.Size(), cg.Reduce(g, v, cg.Plus[int32]()), cg.Reduce(g, float32(v), cg.Plus[float32]()),
				cg.InclusiveScan(g, v, cg.Plus[int32]()), cg.ExclusiveScan(g, v, cg.Plus[int32]()), cg.Shfl(g, v, 2), cg.ShflUp(g, v, 1), cg.ShflDown(g, v, 1),
				g.Ballot(g.Rank()%2 == 0), cg.ShflXor(g, v, 1))
		})
		n := (lanes + 1) / 3
		for i, text := range got {
			l := i % lanes
			if l%3 != 1 {
				require.Empty(t, text)
				continue
			}
			at := func(rank int) int { return 3*rank + 1 }
			rank, sum, before, ballot := l/3, 0, 0, uint64(0)
			for r := range n {
				sum += at(r)
				if r < rank {
					before += at(r)
				}
				if r%2 == 0 && r < 64 {
					ballot |= 1 << r
				}
			}
			other := rank ^ 1
			if other >= n {
				other = rank
			}
			want := fmt.Sprint(rank, n, sum, sum, before+l, before, at(2), at(max(rank-1, 0)), at(min(rank+1, n-1)), ballot, at(other))
			require.Equal(t, want, text, "%s lane %d", d, l)
		}
	}
}

func TestPartitions(t *testing.T) {
	for _, d := range []string{"h200", "mi300x"} {
		got, lanes := run(t, d, 64, func(t *thread) string {
			g := cg.TiledPartition(cg.ThisThreadBlock(t), 16)
			label := cg.LabeledPartition(g, t.Lane()%3)
			binary := cg.BinaryPartition(g, t.Lane()%4 == 0)
			tile := cg.TiledPartition(label, 2)
			return fmt.Sprint(label.Size(), label.Rank(), binary.Size(), binary.Rank(), tile.Size(), tile.Rank())
		})
		for i, text := range got {
			l := i % lanes
			first := l &^ 15
			size, rank, bsize, brank := 0, 0, 0, 0
			for k := first; k < first+16; k++ {
				if k%3 == l%3 {
					size++
					if k < l {
						rank++
					}
				}
				if (k%4 == 0) == (l%4 == 0) {
					bsize++
					if k < l {
						brank++
					}
				}
			}
			tile := 2
			if rank == size-1 && size%2 == 1 {
				tile = 1
			}
			require.Equal(t, fmt.Sprint(size, rank, bsize, brank, tile, rank%2), text, "%s lane %d", d, l)
		}
	}
}

func TestInvokeOne(t *testing.T) {
	for _, d := range devices {
		calls := 0
		got, lanes := run(t, d, 128, func(t *thread) int {
			if t.Lane()%2 == 0 {
				return -1
			}
			g := cg.CoalescedThreads(t)
			g.InvokeOne(func() { calls++ })
			return cg.InvokeOneBroadcast(g, func() int { calls++; return t.Lane() })
		})
		require.Equal(t, 2*128/lanes, calls, d)
		for i, v := range got {
			require.Equal(t, []int{-1, 1}[i%2], v)
		}
	}
}

func TestBadTiles(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	for n, kind := range map[int]warp.FaultKind{0: warp.WidthNotPowerOfTwo, 3: warp.WidthNotPowerOfTwo, -4: warp.WidthNotPowerOfTwo, 64: warp.WidthAboveWarp} {
		_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *thread) { cg.TiledPartition(cg.ThisThreadBlock(t), n) })
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		require.Equal(t, kind, f.Kind, "%d", n)
		require.Contains(t, f.Site.String(), "group_test.go")
	}
	_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *thread) {
		cg.TiledPartition(cg.TiledPartition(cg.ThisThreadBlock(t), 8), 16)
	})
	require.ErrorIs(t, err, warp.WidthAboveWarp)
}

// The bits of float reductions and scans that an H200 gave.
func TestRecorded(t *testing.T) {
	file, err := os.Open("testdata/float_trees.csv.gz")
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	rows, err := csv.NewReader(z).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+3*60)
	for _, row := range rows[1:] {
		bits := map[string]int{"f32": 32, "f64": 64}[row[0]]
		in, want := parse(t, row[2]), parse(t, row[3])
		var got []uint64
		if bits == 32 {
			got, _ = run(t, "h200", 32, func(t *thread) uint64 {
				return uint64(math.Float32bits(tree(t, row[1], math.Float32frombits(uint32(in[t.Lane()])))))
			})
		} else {
			got, _ = run(t, "h200", 32, func(t *thread) uint64 {
				return math.Float64bits(tree(t, row[1], math.Float64frombits(in[t.Lane()])))
			})
		}
		for l := range want {
			if nan(want[l], bits) && nan(got[l], bits) {
				continue // which NaN is not defined
			}
			require.Equal(t, want[l], got[l], "%v lane %d", row[:3], l)
		}
	}
}

func tree[T float32 | float64](t *thread, algorithm string, v T) T {
	g := cg.TiledPartition(cg.ThisThreadBlock(t), 32)
	switch algorithm {
	case "cg_reduce":
		return cg.Reduce(g, v, cg.Plus[T]())
	case "cg_inclusive_scan":
		return cg.InclusiveScan(g, v, cg.Plus[T]())
	}
	return cg.ExclusiveScan(g, v, cg.Plus[T]())
}

func nan(b uint64, bits int) bool {
	if bits == 32 {
		return math.IsNaN(float64(math.Float32frombits(uint32(b))))
	}
	return math.IsNaN(math.Float64frombits(b))
}

func parse(t *testing.T, text string) (out []uint64) {
	for _, f := range strings.Fields(text) {
		v, err := strconv.ParseUint(f, 16, 64)
		require.NoError(t, err)
		out = append(out, v)
	}
	require.Len(t, out, 32)
	return out
}
