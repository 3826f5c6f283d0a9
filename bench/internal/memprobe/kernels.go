package memprobe

import "example.com/warpsim/warp/isa"

// A Mode says what a stream does.
type Mode int

// The modes of a stream.
const (
	Read Mode = iota
	Write
	Copy
)

// A Stream is a grid each of whose blocks goes through a region of its own, several times,
// each thread with so many accesses of so many bytes behind each other.
type Stream struct {
	Mode            Mode
	Level           int // of reads, see isa.MemAux
	Bytes           int // an access of a thread
	InFlight        int
	Blocks, Threads int
	Base, To        uint64 // To: where copies go
	PerBlock        uint64 // bytes of a region, Apart from the next
	Apart           uint64
	Passes, Shift   int  // in pass k block i takes the region of block i + k*Shift
	Rest            bool // it goes through what is left of a region after its last whole turn
}

// turns is how many turns a pass has, and the bytes of one.
func (s Stream) turns() (n int, bytes uint64) {
	bytes = uint64(s.InFlight * s.Threads * s.Bytes)
	n = int(s.PerBlock / bytes)
	if s.Rest && s.PerBlock%bytes > 0 {
		n++
	}
	return n, bytes
}

// Moved is how many bytes a block moves: reads, or writes, or what is copied.
func (s Stream) Moved() float64 {
	n, turn := s.turns()
	return float64(min(uint64(n)*turn, s.PerBlock) * uint64(s.Passes))
}

// Probe returns the launch. What the address arithmetic of a 64-bit index costs is two
// additions an access that wait for each other, and six a turn.
func (s Stream) Probe() *Probe {
	step := uint64(s.Threads * s.Bytes)
	n, turn := s.turns()
	return &Probe{Blocks: s.Blocks, Threads: s.Threads, body: func(block, warp int) func(*Records) bool {
		return turns(n*s.Passes, func(r *Records, i int) {
			region := uint64((block+i/n*s.Shift)%s.Blocks) * s.Apart
			offset := uint64(i%n)*turn + uint64(warp*32*s.Bytes)
			at := region + offset
			some := 0 // accesses that lie in the region
			for some < s.InFlight && offset+uint64(some)*step < s.PerBlock {
				some++
			}
			for u := range some {
				r.steps(2)
				if s.Mode == Write {
					r.storeRun(sum, s.Base+at+uint64(u)*step, s.Bytes)
				} else {
					r.loadRun(first+4*u, s.Base+at+uint64(u)*step, s.Bytes, s.Level)
				}
			}
			for u := range some {
				switch s.Mode {
				case Read:
					r.op(isa.FAdd, isa.Row(sum), isa.Row(sum), isa.Row(first+4*u))
				case Copy:
					r.steps(2)
					r.storeRun(first+4*u, s.To+at+uint64(u)*step, s.Bytes)
				}
			}
			r.steps(6)
			r.turn()
		})
	}}
}

// A Chain is one thread that follows pointers from line to line.
type Chain struct {
	Base  uint64
	Lines int
	Step  uint64
	Level int
	Turns int // through the whole chain; the clock is read before the last
	Hops  int // of the last turn, 0: all

	// Load, if not 0, is how many threads of each other multiprocessor read float4s
	// meanwhile, four in flight, of a region of LoadBytes each from LoadBase on.
	Load                int
	LoadBase, LoadBytes uint64
	LoadTurns           int
	Multiprocessors     int
}

// Probe returns the launch: its only clock readings are those around the last turn.
func (c Chain) Probe(order []uint32) *Probe {
	hops := c.Hops
	if hops == 0 {
		hops = c.Lines
	}
	chain := func(*Records) func(*Records) bool {
		i := 0
		return func(r *Records) bool {
			for range 256 {
				turn, k := i/c.Lines, i%c.Lines
				if k == 0 && turn == c.Turns-1 {
					r.clock() // third reading
				}
				if turn == c.Turns-1 && k == hops || turn == c.Turns {
					r.clock()
					return false
				}
				r.access(lanes{c.Base + uint64(order[k])*c.Step, 8, 1, 8}, isa.LoadGlobal)
				r.recs = append(r.recs, isa.Instr{Op: isa.LoadGlobal, Active: 1, Dst: isa.RowPair(first), A: isa.RowPair(first), Aux: isa.MemAux(8, c.Level), Count: 1})
				i++
			}
			return true
		}
	}
	p := &Probe{Blocks: 1, Threads: 32, body: func(block, warp int) func(*Records) bool { return chain(nil) }}
	if c.Multiprocessors > 1 {
		turn := uint64(c.Load) * 64
		n := 0
		if turn > 0 {
			n = int(c.LoadBytes / turn)
		}
		p.Blocks, p.Threads = c.Multiprocessors, 1024
		p.body = func(block, warp int) func(*Records) bool {
			switch {
			case block == 0 && warp == 0:
				return chain(nil)
			case block == 0 || warp*32 >= c.Load:
				return once(func(*Records) {})
			}
			return turns(n*c.LoadTurns, func(r *Records, i int) {
				at := c.LoadBase + uint64(block-1)*c.LoadBytes + uint64(i%n)*turn + uint64(warp*512)
				for u := range 4 {
					r.steps(2)
					r.loadRun(first+4*u, at+uint64(u*c.Load*16), 16, isa.LevelL2)
				}
				for u := range 4 {
					r.op(isa.FAdd, isa.Row(sum), isa.Row(sum), isa.Row(first+4*u))
				}
				r.steps(6)
				r.turn()
			})
		}
	}
	return p
}

// Strided is a block whose warps load the same words again and again, lanes so many words
// apart, eight lines of them in turn, four in flight.
func Strided(level, stride, threads, times int, base uint64) *Probe {
	return &Probe{Blocks: 1, Threads: threads, body: func(block, warp int) func(*Records) bool {
		return turns(2*times/4, func(r *Records, i int) {
			if i == times/4 {
				r.barrier()
				r.clock()
			}
			for u := range 4 {
				r.steps(1)
				r.load(first+u, lanes{base + uint64((i*4+u)%8*32), uint64(stride * 4), 32, 4}, level)
			}
			for u := range 4 {
				r.op(isa.FAdd, isa.Row(sum), isa.Row(sum), isa.Row(first+u))
			}
			r.turn()
		})
	}}
}

// Where says on which words the lanes of an atomic fall.
type Where int

// The places of atomics: one word of all, one a warp, one a lane, one a lane in a sector of
// its own.
const (
	OneWord Where = iota
	WordAWarp
	WordALane
	SectorALane
)

// Atomics is a grid whose threads add to words, so many times each.
func Atomics(bytes int, float, returned bool, where Where, blocks, threads, active, times int, base uint64) *Probe {
	return &Probe{Blocks: blocks, Threads: threads, body: func(block, warp int) func(*Records) bool {
		w := uint64(block*threads/32 + warp)
		l := lanes{base, 0, active, bytes}
		switch where {
		case WordAWarp:
			l.at += w * 32 * uint64(bytes)
		case WordALane:
			l.at += w * 32 * uint64(bytes)
			l.step = uint64(bytes)
		case SectorALane:
			l.at += w * 32 * 32
			l.step = 32
		}
		return turns(times/4, func(r *Records, _ int) {
			for u := range 4 {
				dst := 0
				if returned {
					dst = first + u
				}
				if where == OneWord && !float {
					r.combined(dst, l)
				} else {
					r.atomic(dst, l, float)
				}
			}
			if returned {
				for u := range 4 {
					r.op(isa.IAdd, isa.Row(sum), isa.Row(sum), isa.Row(first+u))
				}
			}
			r.turn()
		})
	}}
}

// Spin is a grid whose blocks take so many cycles. On the chip they read the clock until
// these have passed; here they wait for fences, one of which takes fence cycles, so that
// it takes few records.
func Spin(blocks, threads, shared, cycles, fence int) *Probe {
	return &Probe{Blocks: blocks, Threads: threads, Shared: shared, body: func(block, warp int) func(*Records) bool {
		return once(func(r *Records) {
			n := cycles / max(1, fence)
			for range n {
				r.fence(isa.FenceDevice)
			}
			r.steps((cycles - n*fence) / 4)
		})
	}}
}

// Fences is a warp that stores so many times, and fences, 64 times.
func Fences(scope uint8, stores int, base uint64) *Probe {
	return &Probe{Blocks: 1, Threads: 32, body: func(block, warp int) func(*Records) bool {
		return turns(64, func(r *Records, i int) {
			for k := range stores {
				r.storeRun(sum, base+uint64(128*k+4096*(i&3)), 4)
			}
			r.fence(scope)
		})
	}}
}

// Straight is a warp that goes through so many instructions, each of which waits for the
// one before.
func Straight(instructions int) *Probe {
	return &Probe{Blocks: 1, Threads: 32, body: func(block, warp int) func(*Records) bool {
		return once(func(r *Records) {
			for range instructions {
				r.op(isa.FFma, isa.Row(sum), isa.Row(sum), isa.NoReg)
			}
		})
	}}
}

// Posts is a grid of a block for each multiprocessor each of whose warps reduces once, 32
// lanes to other sectors of eight lines or, with float, floats to one word; behind a
// barrier its first warp stores numbers of 64 bits, and reads the clock before the second
// and behind each from then on.
func Posts(blocks, warps int, float bool, stores int, base uint64) *Probe {
	return &Probe{Blocks: blocks, Threads: 32 * warps, body: func(block, warp int) func(*Records) bool {
		return once(func(r *Records) {
			if float {
				r.atomic(0, lanes{base, 0, 32, 4}, true)
			} else {
				r.atomic(0, lanes{base + uint64(4*(warp&7)), 32, 32, 4}, false)
			}
			r.barrier()
			if warp > 0 {
				return
			}
			for k := range stores {
				at := base + 1<<20 + uint64(block*stores+k)*128
				n := r.access(lanes{at, 8, 1, 8}, isa.StoreGlobal)
				r.recs = append(r.recs, isa.Instr{Op: isa.StoreGlobal, Active: 1, A: isa.RowPair(index), B: isa.RowPair(first), Aux: isa.MemAux(8, isa.LevelL1), Count: uint16(n)})
				if k > 0 {
					r.clock()
				}
				r.steps(10)
			}
		})
	}}
}
