package pack

import (
	"fmt"
	"math"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// A Counting is a way to count samples.
type Counting uint8

// The ways.
const (
	// ByAtomics adds each sample to its bin. Lanes with the same sample wait
	// for each other.
	ByAtomics Counting = iota
	// ByMatch finds the lanes with the same sample first; one of them adds all
	// of theirs. It pays where few samples are frequent. The device needs the
	// instruction: see Fits.
	ByMatch
)

// String returns "atomics" or "match".
func (c Counting) String() string {
	switch c {
	case ByAtomics:
		return "atomics"
	case ByMatch:
		return "match"
	}
	return fmt.Sprintf("counting(%d)", uint8(c))
}

// Fits returns nil if a device can count this way, and a *team.Error of kind
// team.ErrMatch or team.ErrAlgorithm if not.
func (c Counting) Fits(p *device.Profile) error {
	switch {
	case p == nil:
		return team.NoDevice("histogram")
	case c > ByMatch:
		return &team.Error{Algorithm: "histogram", Kind: team.ErrAlgorithm, Detail: c.String(), Advice: "use ByAtomics or ByMatch"}
	case c == ByMatch && !p.Rules.Match:
		return &team.Error{Algorithm: "histogram", Kind: team.ErrMatch, Detail: p.Name + " has none", Advice: "use ByAtomics"}
	}
	return nil
}

// Histogram counts the samples of a block by value: bins[v] receives the number
// of samples v. It clears the bins first; after it all threads may read them.
//
//	samples  thread 0: 0 2   thread 1: 2 3   thread 2: 2 0     4 bins
//	bins     2 0 3 1
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first samples, in blocked arrangement.
//   - Shared memory: bins, an element for each value that there may be.
//   - Cost: an atomic a sample, by match a match and six instructions more; two
//     barriers.
//   - Undefined: samples below 0 or beyond the bins, faults of kind
//     warp.OutOfBounds.
//   - Errors: team.ErrItems, ErrValid, ErrActive, and those of by.Fits.
func Histogram[T warp.Integer](valid team.Count, samples []warp.Reg[T], by Counting, bins warp.Mem[int32]) {
	ClearBins(warpOf("histogram", samples), bins)
	samples[0].Warp().SyncBlock()
	Count(valid, samples, by, bins)
	samples[0].Warp().SyncBlock()
}

// ClearBins sets all bins to 0, with the threads of the block in turns.
func ClearBins(w *warp.Warp, bins warp.Mem[int32]) {
	t := parts.Bind(team.Block(), w, "clear-bins", 1)
	id := w.ThreadID()
	m := w.Mark()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	for first := 0; first < bins.Len(); first += t.Width {
		here := t.Where(func(number, _, _ int) bool { return first+number < bins.Len() })
		t.IfAny(here, func() { warp.Store(bins.At(first), id, zero) })
	}
	w.Release(m)
}

// Count adds the samples of a block to bins that hold counts already, those of
// other tiles say: the composition of histograms. bins may be in shared memory
// or in global memory, where blocks count together. It has no barrier: put one
// before the bins are read. Otherwise it is Histogram.
func Count[T warp.Integer](valid team.Count, samples []warp.Reg[T], by Counting, bins warp.Mem[int32]) {
	w := warpOf("histogram", samples)
	t := parts.Bind(team.Block().Holding(valid), w, "histogram", len(samples))
	if err := by.Fits(w.Device()); err != nil {
		panic(err)
	}
	id := w.LaneID()
	m := w.Mark()
	bin, n := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Set(n, 1)
	for j, v := range samples {
		t.IfAny(t.Blocked(j), func() {
			toBin(bin, v)
			if by == ByAtomics {
				warp.AtomicReduce(warp.AtomicAdd, bins, bin, n)
			} else {
				countMatches(w, id, bin, bins)
			}
		})
	}
	w.Release(m)
}

// toBin sets bin to the bin of a sample. Samples of 64 bits that are no 32-bit number
// are held to the nearest (cvt.sat), which is beyond all bins, too.
func toBin[T warp.Integer](bin warp.Reg[int32], v warp.Reg[T]) {
	var zero T
	if unsafe.Sizeof(zero) < 8 {
		warp.Convert(bin, v)
		return
	}
	warp.Map1(bin, v, isa.Convert, func(x T) int32 {
		if n := uint64(x); x >= 0 && n > math.MaxInt32 {
			return math.MaxInt32
		}
		return int32(max(int64(x), math.MinInt32))
	})
}

// countMatches adds the samples of the active lanes to their bins, each value
// once.
func countMatches(w *warp.Warp, id, bin warp.Reg[int32], bins warp.Mem[int32]) {
	m := w.Mark()
	peers := warp.Alloc[lane.Mask](w)
	n, first, leads := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
	warp.MatchAny(peers, bin)
	parts.Peers(n, first, peers)
	warp.Eq(leads, first, id)
	w.Where(leads, func() { warp.AtomicReduce(warp.AtomicAdd, bins, bin, n) })
	w.Release(m)
}
