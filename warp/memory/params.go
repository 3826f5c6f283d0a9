package memory

import (
	"math/bits"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// What a profile does not say is made up from its levels: as many ports as make
// the bandwidth that each of its multiprocessors has while all are at work.

func firstOf(p *device.Profile) device.FirstTiming {
	if f := p.Timing.Global.First; f != nil {
		return *f
	}
	return device.FirstTiming{Bytes: p.Memory.L1Bytes, Ways: 4, AccessCycles: 2, LineCycles: 1, PipeCycles: 2}
}

func wayOf(g *device.GlobalTiming) device.WayTiming {
	if g.Way != nil {
		return *g.Way
	}
	c := g.L2.SectorCycles
	return device.WayTiming{RequestCycles: 1, StoreCycles: c, AtomicCycles: max(1, c), ReturnCycles: c, Groups: 1, Posted: 1024, Queue: 64}
}

func secondOf(p *device.Profile) device.SecondTiming {
	if s := p.Timing.Global.Second; s != nil {
		return *s
	}
	return device.SecondTiming{Bytes: 4 << 20, Ways: 16, Parts: 1, Slices: 16, SectorCycles: 0.5}
}

func mainOf(p *device.Profile) device.MainTiming {
	if m := p.Timing.Global.Main; m != nil {
		return *m
	}
	const channels = 16
	c := p.Timing.Global.DRAM.SectorCycles * channels / float64(max(1, p.Limits.Multiprocessors))
	return device.MainTiming{Channels: channels, ReadCycles: c, WriteCycles: c}
}

func thirdOf(p *device.Profile) device.ThirdTiming {
	if t := p.Timing.Global.Third; t != nil {
		return *t
	}
	return device.ThirdTiming{Latency: p.Timing.Global.DRAM.Latency}
}

func atomicsOf(p *device.Profile) device.AtomicTiming {
	if a := p.Timing.Global.Atomics; a != nil {
		return *a
	}
	return device.AtomicTiming{SectorCycles: 1, IntegerCycles: 2, FloatCycles: 4, ScatteredCycles: 4, DenseCycles: 4}
}

func newParams(p *device.Profile) params {
	g := p.Timing.Global
	f, w, sec, m, a := firstOf(p), wayOf(g), secondOf(p), mainOf(p), atomicsOf(p)
	near := max(2, g.L2.Latency-sec.SliceLatency/2)
	x := params{
		out:          tick(near/2) * fraction,
		back:         tick(near-near/2) * fraction,
		first:        tick(g.L1.Latency) * fraction,
		miss:         tick(max(0, g.DRAM.Latency-g.L2.Latency)) * fraction,
		homeLines:    uint64(max(1, sec.HomeBytes/LineBytes(&p.Memory))),
		homeMask:     uint64(max(0, sec.HomeMask)),
		thirdHit:     tick(max(0, thirdOf(p).Latency-g.L2.Latency)) * fraction,
		thirdSector:  ticks(thirdOf(p).SectorCycles),
		window:       tick(near) * fraction,
		channelLines: uint64(max(1, m.ChannelBytes/LineBytes(&p.Memory))),
		partCount:    max(1, sec.Parts),
		lineBytes:    LineBytes(&p.Memory),
		sectorBytes:  p.Memory.SectorBytes,
		whole:        uint8(1<<(LineBytes(&p.Memory)/p.Memory.SectorBytes) - 1),
		FirstTiming:  f,
		access:       ticks(f.AccessCycles), line: ticks(f.LineCycles), pipe: ticks(f.PipeCycles),
		request: ticks(w.RequestCycles), store: ticks(w.StoreCycles), mask: ticks(w.PartialCycles), atomic: ticks(w.AtomicCycles), giveBack: ticks(w.ReturnCycles),
		groupStore: ticks(w.GroupStoreCycles), groupBack: ticks(w.GroupReturnCycles), packet: tick(max(1, w.ReturnSectors)),
		posted: max(1, w.Posted), postedReductions: w.PostedReductions, queue: max(1, w.Queue), queueRows: w.QueueRows, buffer: int64(w.BufferSectors), groupCount: max(1, w.Groups),
		sliceCount: max(1, sec.Slices), sector: ticks(sec.SectorCycles),
		sliceLatency: tick(sec.SliceLatency) * fraction, placeLatency: tick(sec.PlaceLatency) * fraction,
		farLatency: tick(sec.FarLatency) * fraction, farSector: ticks(sec.FarCycles),
		mainRead: ticks(m.ReadCycles), mainWrite: ticks(m.WriteCycles), mainTurn: ticks(m.TurnCycles), mainBatch: int32(m.WriteSectors), mainQueue: tick(m.QueueSectors) * ticks(m.WriteCycles),
		atomicSector: ticks(a.SectorCycles), integer: ticks(a.IntegerCycles), float: ticks(a.FloatCycles),
		scattered: ticks(a.ScatteredCycles), dense: ticks(a.DenseCycles), returned: tick(a.ReturnLatency) * fraction,
	}
	x.postedSlice = int32(x.ofReductions(w.PostedSlice))
	// The latency of the profile is that over lines of all parts and banks.
	if parts := tick(sec.Parts); parts > 1 && sec.HomeBytes > 0 {
		if x.farMiss = x.farLatency; sec.FarMissLatency > 0 {
			x.farMiss = tick(sec.FarMissLatency) * fraction
		}
		x.miss = max(0, x.miss-x.farMiss*(parts-1)/parts)
	}
	if m.RefreshCycles > 0 && m.RefreshEvery > m.RefreshCycles {
		x.refresh, x.refreshEvery = tick(m.RefreshCycles)*fraction, tick(m.RefreshEvery)*fraction
		x.miss = max(0, x.miss-tick(m.RefreshCycles*m.RefreshCycles/(2*m.RefreshEvery))*fraction)
	}
	for _, mask := range f.TagBanks[:min(len(f.TagBanks), maxTagBits)] {
		x.tagBanks = append(x.tagBanks, uint64(mask))
	}
	return x
}

// along spreads whole numbers evenly over a length, neighbours far apart.
func along(i int, length tick) tick {
	const golden = 40503 // of 1 << 16
	return tick(i*golden&(1<<16-1)) * length >> 16
}

// distance is how much further the slice of a line is from a multiprocessor than the
// nearest one is from the one that is placed best. What is near to one group is far from
// the next. Loads and atomics with a result feel it; stores, of which many are under way,
// count with the average.
func (p *params) distance(f *Front, line uint64) tick {
	if p.sliceLatency == 0 && p.placeLatency == 0 {
		return 0
	}
	d := along(spread(line, p.sliceCount), p.sliceLatency)
	if f.group&1 == 1 {
		d = p.sliceLatency - d
	}
	return d + along(f.index, p.placeLatency)
}

// refreshed returns when the bank of a line can be read, from a time on: not while it is
// refreshed. Banks take turns, each with the lines that follow each other in a channel.
func (p *params) refreshed(line uint64, at tick) tick {
	if p.refresh == 0 {
		return at
	}
	phase, _ := bits.Mul64(mix(line/p.channelLines)*0x94d049bb133111eb, uint64(p.refreshEvery))
	if into := (at + tick(phase)) % p.refreshEvery; into < p.refresh {
		return at + p.refresh - into
	}
	return at
}

// maxTagBits bounds the banks of the tags to 16.
const maxTagBits = 4

// tagBank returns the bank of the tags that looks for a line.
func (p *params) tagBank(line uint64) int {
	bank := 0
	for i, mask := range p.tagBanks {
		bank |= bits.OnesCount64(line&mask) & 1 << i
	}
	return bank
}

// LineBytes is the size of what an isa.Line stands for: a line of the cache, or
// as much of it as has isa.MaxSectors sectors; 0 of no memory.
func LineBytes(m *device.Memory) int {
	if m == nil {
		return 0
	}
	return min(m.LineBytes, isa.MaxSectors*m.SectorBytes)
}
