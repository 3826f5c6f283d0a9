package main

import (
	"context"
	"encoding/binary"
	"fmt"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"
	"example.com/warpsim/warp/timing"
)

// maxThreads is how many threads a block of the programs may have.
const maxThreads = 1024

// longest is how many instructions a warp may issue: far more than the longest recorded
// program does, so that one that never ends is named.
const longest = 1 << 21

// Layout of the array that programs write to, in words: the two clock readings of
// each warp and the result of each thread, of up to 8 bytes.
const (
	firstClocks = 0
	lastClocks  = firstClocks + 2*32
	resultWords = lastClocks + 2*32
	outWords    = resultWords + 2*maxThreads
)

// sharedBytes is the shared memory that the programs were launched with.
const sharedBytes = 40960

// A bench runs programs as wide kernels on an engine and reads its clock.
type bench struct {
	engine *warp.Engine
	out    warp.Mem[uint32]
	issued func(*timing.Issue) // of the present run
}

func newBench(p *device.Profile, scheduler timing.Scheduler) (*bench, error) {
	if p.Lanes != 32 {
		return nil, fmt.Errorf("the listings are of warps of 32 lanes, and %s has %d", p.Name, p.Lanes)
	}
	b := &bench{}
	e, err := warp.New(warp.Config{Device: p, Scheduler: scheduler, Memory: memory.Warm, MaxInstructions: longest,
		Observer: &warp.Observer{Issued: func(i *timing.Issue) { b.issued(i) }}})
	if err != nil {
		return nil, err
	}
	b.engine = e
	if b.out, err = warp.Global(e, make([]uint32, outWords)); err != nil {
		return nil, err
	}
	return b, nil
}

// A launch is one program with a number of threads and arguments.
type launch struct {
	program *program
	threads int
	args    [2]uint32
}

// A reading is what the clocks of a run say: from the first reading of the
// first warp to its second, and from the first reading of any warp to the last
// of all.
type reading struct{ first, block timing.Cycle }

// clocks are the last two clock readings of a warp.
type clocks struct {
	n    int // readings so far
	a, b timing.Cycle
}

// run runs a launch. The kernels read the clock before and after the repeated
// body, three times over; the last pair counts, as on the chip. see, which may
// be nil, is told of every instruction and its index in the program.
func (b *bench) run(l launch, see func(i *timing.Issue, index int)) (reading, error) {
	seen := make([]clocks, (l.threads+31)/32)
	traces := make([][]int32, len(seen)) // of each warp: indices in the program
	b.issued = func(i *timing.Issue) {
		index := int(traces[i.Warp][i.Index])
		if see != nil {
			see(i, index)
		}
		if readsClock(l.program.instr(index)) {
			c := &seen[i.Warp]
			c.n++
			c.a, c.b = c.b, i.Cycle
		}
	}
	clear(b.out.Data())
	at, _ := b.out.Address()
	value := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, l.args[0]), l.args[1])
	pointer := func(words uint64) sass.Arg { return sass.Pointer(at + 4*words) }
	_, err := sass.Run(context.Background(), b.engine, l.program.Program, sass.Launch{
		Blocks: warp.X(1), Threads: warp.X(l.threads), Shared: sharedBytes,
		Args: []sass.Arg{pointer(firstClocks), pointer(lastClocks), pointer(resultWords),
			sass.Struct(value, 8)},
		Memory: []sass.Arg{sass.Buffer(b.out)},
		Trace:  func(_, warp, index int) { traces[warp] = append(traces[warp], int32(index)) },
	})
	if err != nil {
		return reading{}, fmt.Errorf("%s at %d threads: %w", l.program.name, l.threads, err)
	}
	if seen[0].n < 2 {
		return reading{}, fmt.Errorf("%s reads no clock", l.program.name)
	}
	lo, hi := seen[0].a, seen[0].b
	for _, c := range seen {
		if c.n < 2 {
			continue // not all warps work
		}
		lo, hi = min(lo, c.a), max(hi, c.b)
	}
	return reading{first: seen[0].b - seen[0].a, block: hi - lo}, nil
}

// result64 returns the value that a thread left, in the low bits; wide says that it
// has 64.
func result64(out []uint32, thread int, wide bool) uint64 {
	if wide {
		return uint64(out[resultWords+2*thread+1])<<32 | uint64(out[resultWords+2*thread])
	}
	return uint64(out[resultWords+thread])
}

// A slope is cycles for one application of a kernel's body: the difference of
// two repeat counts, so that what surrounds it cancels out.
type slope struct{ first, block float64 }

func (b *bench) measure(c code, threads int) (slope, error) {
	var r [2]reading
	for i := range r {
		var err error
		if r[i], err = b.run(c.launch(i, threads), nil); err != nil {
			return slope{}, err
		}
	}
	return slope{float64(r[1].first-r[0].first) / c.steps, float64(r[1].block-r[0].block) / c.steps}, nil
}
