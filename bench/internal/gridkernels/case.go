package gridkernels

import (
	"fmt"
	"math"
	"slices"

	"example.com/warpsim/warp"
)

// A Case is one recorded launch.
type Case struct {
	Kernel  string // as in the records: copy_f32, ...
	N       int    // items; of transposes and matrix products the side, of sparse products the rows
	Blocks  int
	Threads int
}

// A Grid is a case that is ready to run.
type Grid struct {
	Launch warp.Launch
	Kernel warp.Kernel
	// Reset sets accumulators and counters, as the host does before a launch.
	Reset func()
	// Check compares what one launch after Reset has written with plain Go.
	Check func() error
}

// Inputs are the arrays that all cases share, as the recording program made
// them.
type Inputs struct {
	x, y []float32
	ix   []int32
}

// MaxItems is how many items the longest input has.
const MaxItems = 1 << 25

// NewInputs makes the inputs of cases with up to n items each.
func NewInputs(n int) (*Inputs, error) {
	if n < 1 || n > MaxItems {
		return nil, fmt.Errorf("gridkernels: inputs of %d items: between 1 and %d", n, MaxItems)
	}
	in := &Inputs{x: floats(n, 37, 101), y: floats(n, 11, 97), ix: make([]int32, n)}
	for i := range in.ix {
		in.ix[i] = int32(uint32(i) * 2654435761 % (1 << 31))
	}
	return in, nil
}

func floats(n, m, mod int) []float32 {
	f := make([]float32, n)
	for i := range f {
		f[i] = float32(i*m%mod) * 0.01
	}
	return f
}

// A builder makes the kernel of a case.
type builder func(*Inputs, *warp.Engine, Case) (*Grid, error)

var builders = map[string]builder{
	"copy_f32":                     copyItems,
	"saxpy_f32":                    saxpy,
	"saxpy_strided_f32":            saxpyStrided,
	"reduce_tree_doubling_f32":     reduceTreeDoubling,
	"reduce_tree_f32":              reduceTree,
	"reduce_hybrid_f32":            reduceHybrid,
	"reduce_strided_hybrid_f32":    reduceStridedHybrid,
	"reduce_warp_atomics_f32":      reduceWarpAtomics,
	"reduce_partials_f32":          reducePartials,
	"reduce_last_block_f32":        reduceLastBlock,
	"scan_tiles_f32":               scanTiles,
	"histogram_shared_u32":         histogramShared,
	"histogram_global_u32":         histogramGlobal,
	"compact_ballot_s32":           compactBallot,
	"transpose_naive_f32":          transposeNaive,
	"transpose_tile_conflicts_f32": transposeConflicts,
	"transpose_tile_padded_f32":    transposePadded,
	"softmax_row_block_256_f32":    softmaxRows,
	"softmax_row_block_1024_f32":   softmaxRows,
	"layernorm_row_warp_256_f32":   layernormRows,
	"layernorm_row_warp_1024_f32":  layernormRows,
	"spmv_row_warp_f32":            spmvRows,
	"count_plain_u32":              countPlain,
	"count_raw_u32":                countPlain,
	"count_raw_f32":                countPlainFloat,
	"count_warp_u32":               countWarp,
	"count_private_u32":            countPrivate,
	"compact_plain_s32":            compactPlain,
	"compact_warp_s32":             compactWarp,
	"gemm_tile16_f32":              gemmTile,
}

// Kernels returns the names of all kernels, sorted.
func Kernels() []string {
	var names []string
	for k := range builders {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// Items returns how many items of the inputs a case needs.
func (c Case) Items() int {
	switch c.Kernel {
	case "transpose_naive_f32", "transpose_tile_conflicts_f32", "transpose_tile_padded_f32", "gemm_tile16_f32":
		return c.N * c.N
	case "spmv_row_warp_f32":
		return c.N * longestRow // at most
	}
	return c.N
}

// Prepare makes a case ready to run on an engine.
func (in *Inputs) Prepare(e *warp.Engine, c Case) (*Grid, error) {
	build, ok := builders[c.Kernel]
	switch {
	case !ok:
		return nil, fmt.Errorf("gridkernels: there is no kernel %q", c.Kernel)
	case c.N < 1 || c.Blocks < 1 || c.Threads < 1 || c.Threads%32 != 0:
		return nil, fmt.Errorf("gridkernels: %s with n %d, %d blocks of %d threads: all are at least 1, threads a multiple of 32", c.Kernel, c.N, c.Blocks, c.Threads)
	case c.Items() > len(in.x):
		return nil, fmt.Errorf("gridkernels: %s needs %d items and the inputs have %d", c.Kernel, c.Items(), len(in.x))
	}
	g, err := build(in, e, c)
	if err != nil {
		return nil, fmt.Errorf("gridkernels: %s: %w", c.Kernel, err)
	}
	if g.Launch.Blocks.Count() == 0 {
		g.Launch = warp.Launch{Blocks: warp.X(c.Blocks), Threads: warp.X(c.Threads)}
	}
	return g, nil
}

// An arrays makes the arrays of a kernel and keeps the first error.
type arrays struct {
	e   *warp.Engine
	err error
}

func global[T any](a *arrays, data []T) warp.Mem[T] {
	m, err := warp.Global(a.e, data)
	if a.err == nil {
		a.err = err
	}
	return m
}

// near reports whether two sums of floats agree, which were added in another
// order: within part of the sum of the magnitudes.
func near(what string, got, want, magnitude, part float64) error {
	if math.Abs(got-want) <= part*magnitude {
		return nil
	}
	return fmt.Errorf("%s is %v, want %v", what, got, want)
}
