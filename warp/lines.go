package warp

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// sectors notes the lines of global memory that an access of the active lanes
// touches, n bytes at base + at[l]*stride in lane l, and returns how many sectors
// that is. run says that the index rises by one from active lane to active lane.
func (w *Warp) sectors(base uint64, stride, n int, at []int32, run, atomic bool) int {
	first := w.active.First()
	if !atomic && stride == n && first >= 0 && run && w.active == lane.Range(first, w.active.Last()+1) {
		// One run of bytes: count its sectors without looking at each lane.
		a := base + uint64(int64(at[first])*int64(stride))
		return w.runSectors(a, a+uint64(n*w.active.Count())-1)
	}
	var addrs [lane.MaxLanes]uint64
	for l, k := range at {
		addrs[l&(lane.MaxLanes-1)] = base + uint64(int64(k)*int64(stride))
	}
	return w.scatteredSectors(w.active, &addrs, n, atomic)
}

// runSectors is sectors for all bytes from first to last.
func (w *Warp) runSectors(first, last uint64) int {
	sector, line := w.run.sectorShift, w.run.lineShift
	from, to := first>>sector, last>>sector
	if w.run.clock != nil {
		per := line - sector
		for l := first >> line; l <= last>>line; l++ {
			lo, hi := max(from, l<<per)-l<<per, min(to, (l+1)<<per-1)-l<<per
			x := isa.MakeLine(l, uint8(1<<(hi+1)-1<<lo), 0, 0, 0)
			if l == last>>line {
				x = x.End()
			}
			w.lines = append(w.lines, x)
		}
	}
	return int(to - from + 1)
}

// scatteredSectors is sectors lane by lane.
func (w *Warp) scatteredSectors(lanes lane.Mask, addrs *[lane.MaxLanes]uint64, n int, atomic bool) int {
	sector, line := w.run.sectorShift, w.run.lineShift
	per := line - sector
	begin := len(w.lines)
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
				}
			}
			w.lines[last] |= isa.Line(1) << (s - number<<per)
		}
	}
	count := 0
	for _, x := range w.lines[begin:] {
		count += bits.OnesCount8(x.Sectors())
	}
	if atomic {
		w.countWords(lanes, addrs, w.lines[begin:])
	}
	if w.run.clock == nil {
		w.lines = w.lines[:begin]
	} else if n := len(w.lines); n > begin {
		w.lines[n-1] = w.lines[n-1].End()
	}
	return count
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
