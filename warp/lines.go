package warp

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// sectors notes the lines of global memory that an access of the active lanes
// touches, n bytes at base + at[l]*stride in lane l, and returns how many sectors
// that is. run says that the index rises by one from active lane to active lane.
func (w *Warp) sectors(base uint64, stride, n int, at []int32, run bool, kind AccessKind) int {
	first := w.active.First()
	if kind != AtomicAccess && stride == n && first >= 0 && run && w.active == lane.Range(first, w.active.Last()+1) {
		// One run of bytes: count its sectors without looking at each lane.
		a := base + uint64(int64(at[first])*int64(stride))
		return w.runSectors(a, a+uint64(n*w.active.Count())-1, kind)
	}
	var addrs [lane.MaxLanes]uint64
	for l, k := range at {
		addrs[l&(lane.MaxLanes-1)] = base + uint64(int64(k)*int64(stride))
	}
	return w.scatteredSectors(w.active, &addrs, n, kind)
}

// runSectors is sectors for all bytes from first to last.
func (w *Warp) runSectors(first, last uint64, kind AccessKind) int {
	sector, line := w.run.sectorShift, w.run.lineShift
	from, to := first>>sector, last>>sector
	if w.run.clock != nil {
		per := line - sector
		for l := first >> line; l <= last>>line; l++ {
			lo, hi := max(from, l<<per)-l<<per, min(to, (l+1)<<per-1)-l<<per
			x := isa.MakeLine(l, uint8(1<<(hi+1)-1<<lo), 0, 0, 0)
			switch {
			case kind == StoreAccess: // the first and the last sector may not be whole
				head, tail := first > (l<<per+lo)<<sector, last < (l<<per+hi+1)<<sector-1
				switch {
				case head && tail && lo != hi:
					x = x.WithPartial(2)
				case head || tail:
					x = x.WithPartial(1)
				}
			case l == first>>line:
				x = x.WithPasses(int((last>>2-first>>2)/32) + 1)
			}
			if l == last>>line {
				x = x.End()
			}
			w.lines = append(w.lines, x)
		}
	}
	return int(to - from + 1)
}

// scatteredSectors is sectors lane by lane.
func (w *Warp) scatteredSectors(lanes lane.Mask, addrs *[lane.MaxLanes]uint64, n int, kind AccessKind) int {
	sector, line := w.run.sectorShift, w.run.lineShift
	per := line - sector
	begin := len(w.lines)
	w.touched = w.touched[:0]
	last := -1 // the line of the lane before
	for l := range lanes.Lanes() {
		a := addrs[l&(lane.MaxLanes-1)]
		for s := a >> sector; s <= (a+uint64(n)-1)>>sector; s++ {
			number := s >> per
			if last < 0 || w.lines[last].Number() != number {
				last = begin
				for last < len(w.lines) && w.lines[last].Number() != number {
					last++
				}
				if last == len(w.lines) {
					w.lines = append(w.lines, isa.MakeLine(number, 0, 0, 0, 0))
					w.touched = append(w.touched, 0)
				}
			}
			w.lines[last] |= isa.Line(1) << (s - number<<per)
			// The words of the line, from the one that a lies in, or the first.
			from, to := max(a, number<<line), min(a+uint64(n), (number+1)<<line)-1
			w.touched[last-begin] |= (2<<(to>>2&63) - 1) &^ (1<<(from>>2&63) - 1)
		}
	}
	count := 0
	for _, x := range w.lines[begin:] {
		count += bits.OnesCount8(x.Sectors())
	}
	if w.run.clock == nil {
		w.lines = w.lines[:begin]
		return count
	}
	switch kind {
	case AtomicAccess:
		w.countWords(lanes, addrs, w.lines[begin:])
	case StoreAccess:
		for i, x := range w.lines[begin:] {
			w.lines[begin+i] = x.WithPartial(partial(x.Sectors(), w.touched[i], uint(sector), n))
		}
	default:
		if len(w.lines) > begin {
			w.lines[begin] = w.lines[begin].WithPasses(passes(w.touched))
		}
	}
	if n := len(w.lines); n > begin {
		w.lines[n-1] = w.lines[n-1].End()
	}
	return count
}

// partial returns how many of the sectors of a line a store writes in part, given the
// words that it writes. Lanes of less than a word leave gaps, as a rule.
func partial(sectors uint8, words uint64, sector uint, n int) int {
	if n < 4 {
		return bits.OnesCount8(sectors)
	}
	size := uint(1) << (sector - 2)
	whole, count := uint64(1)<<size-1, 0
	for x := sectors; x != 0; x &= x - 1 {
		if words>>(uint(bits.TrailingZeros8(x))*size&63)&whole != whole {
			count++
		}
	}
	return count
}

// passes returns how many different words a load wants at most that lie in one of 32
// banks, given the words of each line, which begins with bank 0.
func passes(lines []uint64) int {
	var planes [8]uint32 // of the number of words of each bank, bit by bit
	for _, x := range lines {
		for _, carry := range [2]uint32{uint32(x), uint32(x >> 32)} {
			for k := 0; carry != 0 && k < len(planes); k++ {
				planes[k], carry = planes[k]^carry, planes[k]&carry
			}
		}
	}
	most, left := 0, ^uint32(0)
	for k := len(planes) - 1; k >= 0; k-- {
		if x := left & planes[k]; x != 0 {
			left, most = x, most|1<<k
		}
	}
	return most
}

// countWords completes the lines of an atomic with how many lanes want each, and
// how many of them one word.
func (w *Warp) countWords(lanes lane.Mask, addrs *[lane.MaxLanes]uint64, lines []isa.Line) {
	line := w.run.lineShift
	for i, x := range lines {
		var words [256]uint8
		n, most, word := 0, 0, 0
		for l := range lanes.Lanes() {
			a := addrs[l&(lane.MaxLanes-1)]
			if a>>line != x.Number() {
				continue
			}
			n++
			k := int(a>>2) & (1<<(line-2) - 1) & 255
			if words[k]++; int(words[k]) > most {
				most, word = int(words[k]), k
			}
		}
		lines[i] = isa.MakeLine(x.Number(), x.Sectors(), n, most, word)
	}
}
