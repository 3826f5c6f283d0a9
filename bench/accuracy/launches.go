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
	return m.launch(c, cols, array(m, make([]byte, c.Blocks*spanBytes)))
}

// profiledLaunch is a case as it ran under the profiler, without timing code, and with
// what the kernel only reads apart.
func profiledLaunch(e *warp.Engine, c gridkernels.Case, cols int) (sass.Launch, error) {
	const apart = 1 << 38
	return (&arrays{e: e, apart: apart}).launch(c, cols, sass.Pointer(0))
}

// warmLaunch is that with all arrays where a warm memory has them.
func warmLaunch(e *warp.Engine, c gridkernels.Case, cols int) (sass.Launch, error) {
	return (&arrays{e: e}).launch(c, cols, sass.Pointer(0))
}

func (m *arrays) launch(c gridkernels.Case, cols int, spans sass.Arg) (sass.Launch, error) {
	l := sass.Launch{Blocks: warp.X(c.Blocks), Threads: warp.X(c.Threads)}
	n := sass.Value(int32(c.N))
	if l.Args = secondArgs(m, c, cols, n, spans); l.Args != nil {
		return l, m.err
	}
	x, y := m.x, m.y
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
		l.Args = []sass.Arg{input(m, integers(c.N)), array(m, make([]uint32, 1024)), n, spans}
	case strings.HasPrefix(k, "compact"):
		l.Args = []sass.Arg{input(m, integers(c.N)), array(m, make([]int32, c.N)), array(m, make([]int32, 1)), n, spans}
	case strings.HasPrefix(k, "transpose"):
		l.Blocks, l.Threads = warp.Dim{X: c.N / 32, Y: c.N / 32}, warp.Dim{X: 32, Y: 8}
		l.Args = []sass.Arg{x(c.N * c.N), y(c.N * c.N), n, spans}
	case strings.HasPrefix(k, "gemm"):
		l.Blocks, l.Threads = warp.Dim{X: c.N / 16, Y: c.N / 16}, warp.Dim{X: 16, Y: 16}
		l.Args = []sass.Arg{x(c.N * c.N), input(m, floats(c.N*c.N, 11, 97)), array(m, make([]float32, c.N*c.N)), n, spans}
	case strings.HasPrefix(k, "spmv"):
		ptr, col := []int32{0}, []int32(nil)
		for r := range c.N {
			for k := range 1 + r*7919%96 {
				col = append(col, int32((r*31+k*7877)%c.N))
			}
			ptr = append(ptr, int32(len(col)))
		}
		l.Args = []sass.Arg{input(m, ptr), input(m, col), x(len(col)), input(m, floats(c.N, 11, 97)), array(m, make([]float32, c.N)), n, spans}
	default:
		return l, fmt.Errorf("no launch for this kernel")
	}
	return l, m.err
}

// x and y are the arrays of floats that the recording programs have: one is only read.
func (m *arrays) x(size int) sass.Arg { return input(m, floats(size, 37, 101)) }
func (m *arrays) y(size int) sass.Arg { return array(m, floats(size, 11, 97)) }

// secondArgs are the arguments of a kernel of the second set, nil for others.
func secondArgs(m *arrays, c gridkernels.Case, cols int, n, spans sass.Arg) []sass.Arg {
	x, y := m.x, m.y
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
		return []sass.Arg{input(m, integers(c.N)), array(m, make([]int32, 1024)), n, spans}
	case "gather_f32", "scatter_f32":
		return []sass.Arg{input(m, integers(c.N)), x(c.N), y(c.N), n, spans}
	case "bitonic_block_s32":
		return []sass.Arg{input(m, integers(c.N)), array(m, integers(c.N)), n, spans}
	case "add_doubles":
		return []sass.Arg{array(m, make([]float64, c.N)), array(m, make([]float64, c.N)), n, spans}
	case "matvec_row_block_256_f32", "matvec_row_block_1024_f32":
		return []sass.Arg{x(c.N), y(cols), array(m, make([]float32, 1<<20)), width, spans}
	case "argmax_row_warp_256_f32", "argmax_row_warp_1024_f32":
		return []sass.Arg{x(c.N), array(m, make([]int32, 1<<20)), width, sass.Value(int32(c.N / cols)), spans}
	}
	return nil
}
