package sass_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The inputs that the recorded grids had: formulas in the program that measured
// them.
func floats(n int, m, mod uint64, scale float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(uint64(i)*m%mod) * scale
	}
	return out
}

func ints(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(uint32(i) * 2654435761 % (1 << 31))
	}
	return out
}

// A grid is one recorded launch: its shape, its memory, and the arguments.
type grid struct {
	kernel             string
	n, blocks, threads int

	x, y, out []float32
	ix, iy    []int32
	ptr, col  []int32
	bins      []uint32
	count     []int32
}

// rowsOf cuts softmax_row_block_1024_f32 into the kernel's name and 1024.
func (g *grid) split() (name string, cols int) {
	for _, c := range []int{256, 1024} {
		if base, ok := strings.CutSuffix(g.kernel, fmt.Sprintf("_%d_f32", c)); ok {
			return base + "_f32", c
		}
	}
	return g.kernel, 0
}

// launch makes the memory of the grid on an engine, as the program that measured
// it did.
func (g *grid) launch(t testing.TB, e *warp.Engine) sass.Launch {
	name, cols := g.split()
	l := sass.Launch{Blocks: warp.X(g.blocks), Threads: warp.X(g.threads)}
	n := sass.Value(int32(g.n))
	xy := func(size int) (x, y sass.Arg) {
		g.x, g.y = floats(size, 37, 101, 0.01), floats(size, 11, 97, 0.01)
		return sass.Buffer(global(t, e, g.x)), sass.Buffer(global(t, e, g.y))
	}
	switch {
	case cols > 0:
		x, y := xy(g.n)
		l.Args = []sass.Arg{x, y, sass.Value(int32(cols)), sass.Pointer(0)}
		if strings.HasPrefix(name, "layernorm") {
			l.Args = []sass.Arg{x, y, sass.Value(int32(cols)), sass.Value(int32(g.n / cols)), sass.Pointer(0)}
		}
	case strings.HasPrefix(name, "copy"), strings.HasPrefix(name, "saxpy"), strings.HasPrefix(name, "scan"):
		x, y := xy(g.n)
		l.Args = []sass.Arg{x, y, n, sass.Pointer(0)}
	case strings.HasPrefix(name, "reduce"):
		g.x, g.out = floats(g.n, 37, 101, 0.01), make([]float32, 1<<20)
		l.Args = []sass.Arg{sass.Buffer(global(t, e, g.x)), sass.Buffer(global(t, e, g.out)), n, sass.Pointer(0)}
	case strings.HasPrefix(name, "histogram"):
		g.ix, g.bins = ints(g.n), make([]uint32, 1024)
		l.Args = []sass.Arg{sass.Buffer(global(t, e, g.ix)), sass.Buffer(global(t, e, g.bins)), n, sass.Pointer(0)}
	case strings.HasPrefix(name, "compact"):
		g.ix, g.iy, g.count = ints(g.n), make([]int32, g.n), make([]int32, 1)
		l.Args = []sass.Arg{sass.Buffer(global(t, e, g.ix)), sass.Buffer(global(t, e, g.iy)), sass.Buffer(global(t, e, g.count)), n, sass.Pointer(0)}
	case strings.HasPrefix(name, "transpose"):
		x, y := xy(g.n * g.n)
		l.Blocks, l.Threads = warp.Dim{X: g.n / 32, Y: g.n / 32}, warp.Dim{X: 32, Y: 8}
		l.Args = []sass.Arg{x, y, n, sass.Pointer(0)}
	case strings.HasPrefix(name, "gemm"):
		x, y := xy(g.n * g.n)
		g.out = make([]float32, g.n*g.n)
		l.Blocks, l.Threads = warp.Dim{X: g.n / 16, Y: g.n / 16}, warp.Dim{X: 16, Y: 16}
		l.Args = []sass.Arg{x, y, sass.Buffer(global(t, e, g.out)), n, sass.Pointer(0)}
	case strings.HasPrefix(name, "spmv"):
		g.ptr = []int32{0}
		for r := range g.n {
			for k := range 1 + int(uint32(r)*7919%96) {
				g.col = append(g.col, int32((uint32(r)*31+uint32(k)*7877)%uint32(g.n)))
			}
			g.ptr = append(g.ptr, int32(len(g.col)))
		}
		g.x, g.y, g.out = floats(len(g.col), 37, 101, 0.01), floats(g.n, 11, 97, 0.01), make([]float32, g.n)
		// The program passed x for the values and y for the vector.
		l.Args = []sass.Arg{sass.Buffer(global(t, e, g.ptr)), sass.Buffer(global(t, e, g.col)), sass.Buffer(global(t, e, g.x)),
			sass.Buffer(global(t, e, g.y)), sass.Buffer(global(t, e, g.out)), n, sass.Pointer(0)}
	default:
		t.Fatalf("no launch for %s", g.kernel)
	}
	return l
}

// A recordedLaunch is what the profiler counted of one launch, line by line.
type recordedLaunch struct {
	grid
	lines []map[string]string
}

func recordedLaunches(t testing.TB) []*recordedLaunch {
	var out []*recordedLaunch
	atoi := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	for _, r := range table(t, "lines.csv.gz") {
		g := grid{kernel: r["kernel"], n: atoi(r["n"]), blocks: atoi(r["blocks"]), threads: atoi(r["threads"])}
		if len(out) == 0 || r["address"] == "0000" {
			out = append(out, &recordedLaunch{grid: g})
		}
		last := out[len(out)-1]
		last.lines = append(last.lines, r)
	}
	return out
}

// programOf decodes a kernel of the recorded grids.
func programOf(t testing.TB, l *sass.Listing, name string) *sass.Program {
	f, err := l.Find(name)
	require.NoError(t, err)
	p, err := f.Program()
	require.NoError(t, err)
	return p
}

// Every line of the 78 launches under the profiler is executed as often as on the
// chip, by as many lanes, with the guard held in as many; global accesses touch as
// many sectors, and shared ones take as many ways, which the profiler rounds.
func TestLinesAsOnTheChip(t *testing.T) {
	l := listing(t, "grids.sass.gz")
	launches := recordedLaunches(t)
	require.Len(t, launches, 78)
	checked := 0
	for _, r := range launches {
		if testing.Short() && r.blocks > 150 || !*all && (r.blocks > 600 || r.n > 1<<20 || r.kernel == "gemm_tile16_f32") {
			continue
		}
		name, _ := r.split()
		t.Run(fmt.Sprintf("%s/%d/%d", r.kernel, r.n, r.blocks), func(t *testing.T) {
			p := programOf(t, l, name)
			e := engine(t, warp.Config{ValuesOnly: true})
			launch := r.launch(t, e)
			var lines []sass.LineCount
			launch.Lines = &lines
			_, err := sass.Run(context.Background(), e, p, launch)
			require.NoError(t, err)
			code := p.Function().Code
			at := map[string]int{}
			for i := range code {
				at[fmt.Sprintf("%04x", code[i].Address)] = i
			}
			for _, want := range r.lines {
				i, ok := at[want["address"]]
				require.True(t, ok, want["address"])
				c := &lines[i]
				number := func(k string) int64 {
					v, err := strconv.ParseFloat(want[k], 64)
					require.NoError(t, err)
					return int64(v)
				}
				where := want["address"] + " " + want["instruction"]
				assert.Equal(t, number("executed"), c.Issued, "%s: executed", where)
				assert.Equal(t, number("threads_executed"), c.Lanes, "%s: threads", where)
				assert.Equal(t, number("threads_predicated_on"), c.Guarded, "%s: guarded", where)
				assert.Equal(t, number("l2_sectors"), c.Sectors, "%s: sectors", where)
				ways := float64(c.Passes) / float64(max(c.Issued, 1))
				assert.LessOrEqual(t, math.Abs(ways-float64(number("shared_conflict_ways"))), 1.0, "%s: ways %v, recorded %s", where, ways, want["shared_conflict_ways"])
				checked++
			}
		})
	}
	assert.Positive(t, checked)
}
