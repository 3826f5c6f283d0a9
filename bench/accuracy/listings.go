package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unsafe"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/sass"
)

// measureListings runs every row as the code that the chip ran.
func measureListings(p *device.Profile, rows []gridRow) ([]gridResult, error) {
	list, err := gridListing()
	if err != nil {
		return nil, err
	}
	var out []gridResult
	for _, r := range rows {
		c := warp.Config{Device: p, Memory: warp.MemoryWarm}
		if r.cold {
			c.Memory = warp.MemoryCold
		}
		g, err := runListing(c, list, r)
		if err != nil {
			return nil, fmt.Errorf("%s, n %d, %d blocks of %d: %w", r.Kernel, r.N, r.Blocks, r.Threads, err)
		}
		out = append(out, g)
	}
	return out, nil
}

// gridListing is the code of the recorded grids.
func gridListing() (*sass.Listing, error) {
	data, err := testdata.ReadFile("testdata/grids.sass.gz")
	if err != nil {
		return nil, err
	}
	return parseListing(bytes.NewReader(data))
}

func runListing(c warp.Config, list *sass.Listing, r gridRow) (gridResult, error) {
	s := newSpans(r.Blocks)
	c.Observer = s.observer()
	e, err := warp.New(c)
	if err != nil {
		return gridResult{}, err
	}
	name, cols := columns(r.Kernel)
	f, err := list.Find(name)
	if err != nil {
		return gridResult{}, err
	}
	program, err := f.Program()
	if err != nil {
		return gridResult{}, err
	}
	l, err := listingLaunch(e, r.Case, cols)
	if err != nil {
		return gridResult{}, err
	}
	if _, err = sass.Run(context.Background(), e, program, l); err != nil {
		return gridResult{}, err
	}
	out := gridResult{gridRow: r}
	out.simNS, out.simBlock = s.times(c.Device)
	return out, nil
}

// columns cuts softmax_row_block_1024_f32 into the kernel's name and 1024.
func columns(kernel string) (name string, cols int) {
	for _, c := range []int{256, 1024} {
		if base, ok := strings.CutSuffix(kernel, fmt.Sprintf("_%d_f32", c)); ok {
			return base + "_f32", c
		}
	}
	return kernel, 0
}

// An arrays makes arrays on an engine; the first error stays.
type arrays struct {
	e    *warp.Engine
	some bool
	err  error
}

// large is what an allocation of the recording programs' takes up at least, and the
// alignment of the arrays: the engine's first one begins half of that before a multiple.
const large = 2 << 20

func array[T any](m *arrays, data []T) sass.Arg {
	var zero T
	bytes := (len(data)*int(unsafe.Sizeof(zero)) + large - 1) / large * large
	if !m.some {
		bytes += large / 2
	}
	m.some = true
	padded := make([]T, bytes/int(unsafe.Sizeof(zero)))
	copy(padded, data)
	a, err := warp.Global(m.e, padded)
	if err != nil && m.err == nil {
		m.err = err
	}
	return sass.Buffer(a)
}

// floats are an input as the recording program made them.
func (m *arrays) floats(n, by, modulus int) sass.Arg {
	f := make([]float32, n)
	for i := range f {
		f[i] = float32(i*by%modulus) * 0.01
	}
	return array(m, f)
}

func (m *arrays) integers(n int) sass.Arg {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(uint32(i) * 2654435761 % (1 << 31))
	}
	return array(m, x)
}

// listingLaunch is a case with the arguments that the recording program passed.
func listingLaunch(e *warp.Engine, c gridkernels.Case, cols int) (sass.Launch, error) {
	m := &arrays{e: e}
	l := sass.Launch{Blocks: warp.X(c.Blocks), Threads: warp.X(c.Threads)}
	n, spans := sass.Int32(int32(c.N)), array(m, make([]byte, c.Blocks*spanBytes))
	x := func(size int) sass.Arg { return m.floats(size, 37, 101) }
	y := func(size int) sass.Arg { return m.floats(size, 11, 97) }
	switch k := c.Kernel; {
	case strings.HasPrefix(k, "layernorm"):
		l.Args = []sass.Arg{x(c.N), y(c.N), sass.Int32(int32(cols)), sass.Int32(int32(c.N / cols)), spans}
	case cols > 0:
		l.Args = []sass.Arg{x(c.N), y(c.N), sass.Int32(int32(cols)), spans}
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
