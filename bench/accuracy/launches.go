package main

import (
	"fmt"
	"strings"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"
)

// listingLaunch is a case with the arguments that the recording program passed.
func listingLaunch(e *warp.Engine, c gridkernels.Case, cols int) (sass.Launch, error) {
	m := &arrays{e: e}
	l := sass.Launch{Blocks: warp.X(c.Blocks), Threads: warp.X(c.Threads)}
	n, spans := sass.Value(int32(c.N)), array(m, make([]byte, c.Blocks*spanBytes))
	if l.Args = secondArgs(m, c, cols, n, spans); l.Args != nil {
		return l, m.err
	}
	x := func(size int) sass.Arg { return m.floats(size, 37, 101) }
	y := func(size int) sass.Arg { return m.floats(size, 11, 97) }
	switch k := c.Kernel; {
	case strings.HasPrefix(k, "layernorm"):
		l.Args = []sass.Arg{x(c.N), y(c.N), sass.Value(int32(cols)), sass.Value(int32(c.N / cols)), spans}
	case cols > 0:
		l.Args = []sass.Arg{x(c.N), y(c.N), sass.Value(int32(cols)), spans}
	case strings.HasPrefix(k, "copy"), strings.HasPrefix(k, "saxpy"), strings.HasPrefix(k, "scan"):
		l.Args = []sass.Arg{x(c.N), y(c.N), n, spans}
	case strings.HasPrefix(k, "reduce"):
		l.Args = []sass.Arg{x(c.N), array(m, make([]float32, 1<<20)), n, spans}
	case strings.HasPrefix(k, "histogram"):
		l.Args = []sass.Arg{m.integers(c.N), array(m, make([]uint32, 1024)), n, spans}
	case strings.HasPrefix(k, "compact"):
		l.Args = []sass.Arg{m.integers(c.N), array(m, make([]int32, c.N)), array(m, make([]int32, 1)), n, spans}
	case strings.HasPrefix(k, "transpose"):
		l.Blocks, l.Threads = warp.Dim{X: c.N / 32, Y: c.N / 32}, warp.Dim{X: 32, Y: 8}
		l.Args = []sass.Arg{x(c.N * c.N), y(c.N * c.N), n, spans}
	case strings.HasPrefix(k, "gemm"):
		l.Blocks, l.Threads = warp.Dim{X: c.N / 16, Y: c.N / 16}, warp.Dim{X: 16, Y: 16}
		l.Args = []sass.Arg{x(c.N * c.N), y(c.N * c.N), array(m, make([]float32, c.N*c.N)), n, spans}
	case strings.HasPrefix(k, "spmv"):
		ptr, col := []int32{0}, []int32(nil)
		for r := range c.N {
			for k := range 1 + r*7919%96 {
				col = append(col, int32((r*31+k*7877)%c.N))
			}
			ptr = append(ptr, int32(len(col)))
		}
		l.Args = []sass.Arg{array(m, ptr), array(m, col), x(len(col)), y(c.N), array(m, make([]float32, c.N)), n, spans}
	default:
		return l, fmt.Errorf("no launch for this kernel")
	}
	return l, m.err
}

// secondArgs are the arguments of a kernel of the second set, nil for others.
func secondArgs(m *arrays, c gridkernels.Case, cols int, n, spans sass.Arg) []sass.Arg {
	x := func(size int) sass.Arg { return m.floats(size, 37, 101) }
	y := func(size int) sass.Arg { return m.floats(size, 11, 97) }
	width := sass.Value(int32(cols))
	switch c.Kernel {
	case "fill_f32":
		return []sass.Arg{y(c.N), n, spans}
	case "add_float4":
		return []sass.Arg{x(4 * c.N), y(4 * c.N), n, spans}
	case "stencil3_f32", "stencil_shared_f32", "poly_f32", "exp_f32", "strided_copy_f32":
		return []sass.Arg{x(c.N), y(c.N), n, spans}
	case "dot_f32":
		return []sass.Arg{x(c.N), y(c.N), array(m, make([]float32, 1<<20)), n, spans}
	case "max_int", "count_one_u32":
		return []sass.Arg{m.integers(c.N), array(m, make([]int32, 1024)), n, spans}
	case "gather_f32", "scatter_f32":
		return []sass.Arg{m.integers(c.N), x(c.N), y(c.N), n, spans}
	case "bitonic_block_s32":
		return []sass.Arg{m.integers(c.N), m.integers(c.N), n, spans}
	case "add_doubles":
		return []sass.Arg{array(m, make([]float64, c.N)), array(m, make([]float64, c.N)), n, spans}
	case "matvec_row_block_256_f32", "matvec_row_block_1024_f32":
		return []sass.Arg{x(c.N), y(cols), array(m, make([]float32, 1<<20)), width, spans}
	case "argmax_row_warp_256_f32", "argmax_row_warp_1024_f32":
		return []sass.Arg{x(c.N), array(m, make([]int32, 1<<20)), width, sass.Value(int32(c.N / cols)), spans}
	}
	return nil
}
