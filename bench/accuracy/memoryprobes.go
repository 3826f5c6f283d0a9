package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/warpsim/bench/internal/memprobe"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// buffer is where the arrays of probes begin.
const buffer = 1 << 30

// most is how many bytes a stream through the memory behind the second level moves: less
// than on the chip, where it is 2 GiB.
const most = 128 << 20

// once runs what gives several figures once.
func (x *prober) once(key string, f func() ([]float64, error)) ([]float64, error) {
	if v, ok := x.kept[key]; ok {
		return v, nil
	}
	v, err := f()
	if err == nil {
		x.kept[key] = v
	}
	return v, err
}

// measure returns the figure of a row.
func (x *prober) measure(r *memoryRow) (float64, error) {
	var v []float64
	var err error
	switch {
	case strings.HasSuffix(r.what, "_read") && r.number["bytes_per_block"] > 0, strings.HasSuffix(r.what, "_write"):
		v, err = x.once(r.what+r.how, func() ([]float64, error) { return x.stream(r) })
		if err == nil && r.unit != "bytes/cycle/SM" {
			v = v[1:]
		}
	case r.what == "read" || r.what == "write" || r.what == "copy":
		v, err = x.sweep(r)
	case r.what == "l1_read":
		v, err = x.firstLevel(r)
	case r.what == "l2_latency":
		v, err = x.chain(memprobe.Chain{Base: buffer, Lines: 64, Step: 4096 + 128, Level: isa.LevelL2, Turns: 2}, memory.Warm)
	case strings.HasPrefix(r.what, "latency_") && r.number["lines"] > 0:
		level := isa.LevelL2
		if r.what == "latency_through_l1" {
			level = isa.LevelL1
		}
		v, err = x.chain(memprobe.Chain{Base: buffer, Lines: r.number["lines"], Step: uint64(r.number["step"]), Level: level, Turns: 2}, memory.Cold)
	case r.what == "latency_under_load":
		v, err = x.loaded(r)
	case r.what == "strided":
		v, err = x.strided(r)
	case r.what == "atomic":
		v, err = x.once(r.how, func() ([]float64, error) { return x.atomics(r) })
		if err == nil && !strings.HasPrefix(r.unit, "cycles") {
			v = v[1:]
		}
	case r.what == "dispatch_span":
		v, err = x.spin(r)
	case r.what == "dispatch_interval", r.what == "dispatch_refill":
		v, err = x.interval(r)
	case r.what == "dispatch_order":
		v, err = x.once(r.what, func() ([]float64, error) { return x.begins(600) })
		if err == nil {
			v = v[r.number["block"]:]
		}
	case r.what == "instruction_cache":
		if err = x.play(memprobe.Straight(r.number["instructions"]), memory.Warm, 0, 0); err == nil {
			_, c := x.times(1)
			v = []float64{c / float64(r.number["instructions"])}
		}
	case r.what == "fence":
		scope := map[string]uint8{"block": isa.FenceBlock, "device": isa.FenceDevice, "system": isa.FenceSystem}[r.words[0]]
		if err = x.play(memprobe.Fences(scope, r.number["stores"], buffer), memory.Warm, buffer, buffer+1<<14); err == nil {
			_, c := x.times(1)
			v = []float64{c / 64}
		}
	default:
		return 0, fmt.Errorf("nothing measures this")
	}
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// bytesOf is how many bytes an access of "16 bytes" has.
func bytesOf(r *memoryRow) int {
	for n := 16; n > 4; n /= 2 {
		if r.has(fmt.Sprintf("%d bytes", n)) {
			return n
		}
	}
	return 4
}

// stream returns bytes per cycle and multiprocessor, and GB/s of all.
func (x *prober) stream(r *memoryRow) ([]float64, error) {
	s := memprobe.Stream{Bytes: bytesOf(r), InFlight: r.number["in_flight"], Blocks: r.number["blocks"], Threads: r.number["threads"],
		Base: buffer, PerBlock: uint64(r.number["bytes_per_block"]), Apart: uint64(r.number["bytes_per_block"]), Passes: 1, Level: isa.LevelL2}
	if strings.HasSuffix(r.what, "_write") {
		s.Mode = memprobe.Write
	}
	state, high := memory.Warm, buffer+uint64(s.Blocks)*s.Apart
	switch {
	case strings.HasPrefix(r.what, "dram"):
		state = memory.Clean // what ran before has only read
		if s.Mode == memprobe.Write {
			state = memory.Cold
		}
		if turn := uint64(s.InFlight * s.Threads * s.Bytes); uint64(s.Blocks)*s.PerBlock > most {
			s.PerBlock = max(turn, most/uint64(s.Blocks)/turn*turn)
		}
	case r.what == "l1_read":
		s.Level, s.Passes = isa.LevelL1, 40
	default:
		s.Passes = 6
	}
	if err := x.play(s.Probe(), state, buffer, high); err != nil {
		return nil, err
	}
	ns, cycles := x.times(1)
	return []float64{s.Moved() / cycles, s.Moved() * float64(s.Blocks) / ns}, nil
}

// sweep returns GB/s of all blocks going through memory of a size, again and again.
func (x *prober) sweep(r *memoryRow) ([]float64, error) {
	const blocks = 264
	bytes := uint64(r.number["footprint"])
	s := memprobe.Stream{Level: isa.LevelL2, Bytes: 16, InFlight: 4, Blocks: blocks, Threads: 1024, Base: buffer, To: buffer + 512<<20,
		Shift: r.number["shift"], Rest: true, Passes: 1}
	s.PerBlock = bytes / blocks
	switch r.what {
	case "write":
		s.Mode = memprobe.Write
	case "copy":
		s.Mode = memprobe.Copy
		s.PerBlock /= 2
	}
	s.Apart = s.PerBlock
	first := s
	first.Passes = 2
	if bytes > 90<<20 {
		first.Passes = 1
	}
	if err := x.play(first.Probe(), memory.Cold, 0, 0); err != nil {
		return nil, err
	}
	s.Passes = int(min(12, max(2, 128<<20/bytes)))
	if err := x.play(s.Probe(), memory.Kept, 0, 0); err != nil {
		return nil, err
	}
	ns, _ := x.times(1)
	moved := s.Moved() * blocks
	if s.Mode == memprobe.Copy {
		moved *= 2
	}
	return []float64{moved / ns}, nil
}

// firstLevel returns bytes per cycle of one block that reads memory of a size again and
// again.
func (x *prober) firstLevel(r *memoryRow) ([]float64, error) {
	s := memprobe.Stream{Bytes: 4, InFlight: 4, Blocks: 1, Threads: 1024, Base: buffer, PerBlock: uint64(r.number["footprint"]), Rest: true}
	var cycles [2]float64
	for i := range cycles { // the first pass is not timed
		s.Passes = 1 + 7*i
		if err := x.play(s.Probe(), memory.Warm, buffer, buffer+s.PerBlock); err != nil {
			return nil, err
		}
		_, cycles[i] = x.times(1)
	}
	return []float64{7 * float64(s.PerBlock) / (cycles[1] - cycles[0])}, nil
}

// chain returns cycles a load.
func (x *prober) chain(c memprobe.Chain, state memory.State) ([]float64, error) {
	order := make([]uint32, c.Lines)
	for i := range order {
		order[i] = uint32(i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if c.Hops == 0 {
		c.Hops = min(c.Lines, 1<<16)
	}
	if err := x.play(c.Probe(order), state, c.Base, c.Base+uint64(c.Lines)*c.Step); err != nil {
		return nil, err
	}
	t := x.readings[0]
	return []float64{float64(t[3]-t[2]) / float64(c.Hops)}, nil
}

func (x *prober) loaded(r *memoryRow) ([]float64, error) {
	c := memprobe.Chain{Base: buffer + 2<<30, Lines: 4096, Step: 256, Level: isa.LevelL2, Turns: 1, Hops: 60, Multiprocessors: x.p.Limits.Multiprocessors,
		LoadBase: buffer, LoadBytes: 128 << 10, LoadTurns: 12}
	state := memory.Warm
	high := c.LoadBase + 132*c.LoadBytes
	if r.words[0] == "dram" {
		c.Lines, c.LoadBytes, c.LoadTurns, state = 1<<21, 1<<20, 1, memory.Clean
	}
	if _, err := fmt.Sscanf(r.words[1], "131 multiprocessors read with %d", &c.Load); err != nil {
		return nil, err
	}
	if state == memory.Warm { // both parts
		c.Base = high
		high += uint64(c.Lines) * c.Step
	}
	order := make([]uint32, c.Lines)
	for i := range order {
		order[i] = uint32(i * 7919 % c.Lines)
	}
	if err := x.play(c.Probe(order), state, c.LoadBase, high); err != nil {
		return nil, err
	}
	t := x.readings[0]
	return []float64{float64(t[3]-t[2]) / float64(c.Hops)}, nil
}

func (x *prober) strided(r *memoryRow) ([]float64, error) {
	const times = 64
	level := isa.LevelL2
	if r.words[0] == "l1" {
		level = isa.LevelL1
	}
	if err := x.play(memprobe.Strided(level, r.number["stride"], r.number["threads"], times, buffer), memory.Warm, buffer, buffer+1<<16); err != nil {
		return nil, err
	}
	_, c := x.times(2)
	return []float64{c / times}, nil
}

// atomics returns cycles for one a thread, and nanoseconds of an instruction of a warp on
// the whole device.
func (x *prober) atomics(r *memoryRow) ([]float64, error) {
	kinds := map[string]struct {
		bytes int
		float bool
	}{"u32": {4, false}, "f32": {4, true}, "u64": {8, false}, "f64": {8, true}}
	k := kinds[r.words[0]]
	where := memprobe.Where(slices.Index([]string{"one_word", "word_a_warp", "word_a_lane", "sector_a_lane"}, r.words[2]))
	blocks, threads := r.number["blocks"], r.number["threads"]
	times := 64
	if blocks == 1 {
		times = 256
	}
	probe := memprobe.Atomics(k.bytes, k.float, r.words[1] == "returned", where, blocks, threads, r.number["lanes"], times, buffer)
	if err := x.play(probe, memory.Warm, buffer, buffer+uint64(blocks*threads*32)); err != nil {
		return nil, err
	}
	ns, cycles := x.times(1)
	return []float64{cycles / float64(times), ns / (float64(times) * float64(blocks*threads/32))}, nil
}

func (x *prober) spin(r *memoryRow) ([]float64, error) {
	if err := x.play(memprobe.Spin(r.number["blocks"], r.number["threads"], r.number["shared"], r.number["spin"], x.fence()), memory.Warm, 0, 0); err != nil {
		return nil, err
	}
	ns, _ := x.times(1)
	return []float64{ns}, nil
}

// fence is how many cycles a fence takes without stores before it, 0 if nothing is known
// of fences.
func (x *prober) fence() int {
	if g := x.p.Timing.Global; g != nil && g.Fence != nil {
		return g.Fence.DeviceLatency
	}
	return 0
}

// interval returns the cycles between begins of blocks on one multiprocessor, or from an
// end to the next begin in its place.
func (x *prober) interval(r *memoryRow) ([]float64, error) {
	threads, blocks := r.number["threads"], r.number["blocks"]
	if r.what == "dispatch_refill" {
		blocks = 64 * x.p.Limits.Multiprocessors
	}
	if err := x.play(memprobe.Spin(blocks, threads, 0, 4000, x.fence()), memory.Warm, 0, 0); err != nil {
		return nil, err
	}
	places := min(x.p.Limits.BlocksPerMultiprocessor, x.p.Limits.ThreadsPerMultiprocessor/threads)
	type clocks struct{ c0, c1 timing.Cycle }
	by := map[int][]clocks{}
	for _, b := range x.g.Blocks() {
		t := x.readings[b.Block]
		by[b.Multiprocessor] = append(by[b.Multiprocessor], clocks{t[1], t[2]})
	}
	var first, later, refill []float64
	for _, v := range by {
		slices.SortFunc(v, func(a, b clocks) int { return int(a.c0 - b.c0) })
		ends := make([]timing.Cycle, len(v))
		for i := range v {
			ends[i] = v[i].c1
		}
		slices.Sort(ends)
		for k := 1; k < len(v); k++ {
			d := float64(v[k].c0 - v[k-1].c0)
			if k < places {
				first = append(first, d)
			} else {
				later = append(later, d)
			}
			if k >= places {
				refill = append(refill, float64(v[k].c0-ends[k-places]))
			}
		}
	}
	switch {
	case r.what == "dispatch_refill":
		return []float64{middle(refill)}, nil
	case r.has("later"):
		return []float64{middle(later)}, nil
	}
	return []float64{middle(first)}, nil
}

// begins returns when the first blocks begin, in nanoseconds after the first.
func (x *prober) begins(n int) ([]float64, error) {
	if err := x.play(memprobe.Spin(32*x.p.Limits.Multiprocessors, 256, 0, 4000, x.fence()), memory.Warm, 0, 0); err != nil {
		return nil, err
	}
	begin := timing.Never
	for _, t := range x.readings {
		begin = min(begin, t[0])
	}
	var ns []float64
	for _, t := range x.readings[:n] {
		ns = append(ns, float64(t[0]-begin)/x.ghz())
	}
	return ns, nil
}
