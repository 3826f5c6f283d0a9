package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"unsafe"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"
)

// measureListings runs every row as the code that the chip ran.
func measureListings(p *device.Profile, file string, rows []gridRow) ([]gridResult, error) {
	list, err := gridListing(file)
	if err != nil {
		return nil, err
	}
	var out []gridResult
	for _, r := range rows {
		c := warp.Config{Device: p, Memory: memory.Warm}
		if r.cold {
			c.Memory = memory.Cold
		}
		g, err := runListing(c, list, r)
		if err != nil {
			return nil, fmt.Errorf("%s, n %d, %d blocks of %d: %w", r.Kernel, r.N, r.Blocks, r.Threads, err)
		}
		out = append(out, g)
	}
	return out, nil
}

// gridListing is the code of the recorded grids of a file.
func gridListing(file string) (*sass.Listing, error) {
	data, err := testdata.ReadFile("testdata/" + strings.TrimSuffix(file, ".csv") + ".sass.gz")
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
	// apart is where the next array goes that kernels only read, 0: with the others.
	// Those that lie apart are cold in a memory that is warm.
	apart uint64
	err   error
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
	return pointer(m, a, err)
}

// input is an array that the kernel only reads.
func input[T any](m *arrays, data []T) sass.Arg {
	if m.apart == 0 {
		return array(m, data)
	}
	at := m.apart
	m.apart += (uint64(len(data))*uint64(unsafe.Sizeof(data[0])) + large) / large * large
	a, err := warp.GlobalAt(m.e, at, data)
	return pointer(m, a, err)
}

// pointer is a pointer to an array that has been made.
func pointer[T any](m *arrays, a warp.Mem[T], err error) sass.Arg {
	if err != nil {
		m.err = cmp.Or(m.err, err)
		return sass.Pointer(0)
	}
	return sass.Buffer(a)
}

// floats are numbers as the recording program made them.
func floats(n, by, modulus int) []float32 {
	f := make([]float32, n)
	for i := range f {
		f[i] = float32(i*by%modulus) * 0.01
	}
	return f
}

func integers(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(uint32(i) * 2654435761 % (1 << 31))
	}
	return x
}
