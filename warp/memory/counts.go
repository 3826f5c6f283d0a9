package memory

// FrontCounts is what one multiprocessor has asked of its first level.
type FrontCounts struct {
	LoadRequests int64 // instructions
	LoadSectors  int64
	LoadHits     int64 // sectors that were there or on their way
	StoreSectors int64
}

// Counts is what a run has done to the memory.
type Counts struct {
	FrontCounts
	// Sectors at the second level. HitSectors are those of loads that were
	// there, FarSectors those of them that another part had.
	ReadSectors, HitSectors, FarSectors int64
	WriteSectors, AtomicSectors         int64
	// Those of them that went on to the part that their line belongs to, as that is not
	// the multiprocessor's: a profiler counts them in either part.
	CrossedReadSectors, CrossedWriteSectors, CrossedAtomicSectors int64
	// ThirdSectors are those that the third level had for the second.
	ThirdSectors int64
	// Sectors of the memory behind.
	MainReadSectors, MainWriteSectors int64

	// How long units were busy, added over all of one kind, in ticks.
	SliceTicks, MainTicks, SendTicks, ReturnTicks int64
	// SentTicks is how long multiprocessors sent, by the ways of their own, and
	// Returned how many sectors came back to them.
	SentTicks, Returned int64

	// The line on which atomics took longest, and the word that was wanted last.
	ChainLine  uint64
	ChainWord  int
	ChainTicks int64 // how long they took
}

// Counts returns what has happened since Reset.
func (s *System) Counts() Counts {
	c := s.counts
	for _, f := range s.fronts {
		c.LoadRequests += f.counts.LoadRequests
		c.LoadSectors += f.counts.LoadSectors
		c.LoadHits += f.counts.LoadHits
		c.StoreSectors += f.counts.StoreSectors
		c.SentTicks += int64(f.sentTicks)
	}
	return c
}

// Add adds o to c.
func (c *Counts) Add(o *Counts) {
	if o == nil {
		return
	}
	c.LoadRequests += o.LoadRequests
	c.LoadSectors += o.LoadSectors
	c.LoadHits += o.LoadHits
	c.StoreSectors += o.StoreSectors
	c.ReadSectors += o.ReadSectors
	c.HitSectors += o.HitSectors
	c.FarSectors += o.FarSectors
	c.WriteSectors += o.WriteSectors
	c.AtomicSectors += o.AtomicSectors
	c.CrossedReadSectors += o.CrossedReadSectors
	c.CrossedWriteSectors += o.CrossedWriteSectors
	c.CrossedAtomicSectors += o.CrossedAtomicSectors
	c.ThirdSectors += o.ThirdSectors
	c.MainReadSectors += o.MainReadSectors
	c.MainWriteSectors += o.MainWriteSectors
	c.SliceTicks += o.SliceTicks
	c.MainTicks += o.MainTicks
	c.SendTicks += o.SendTicks
	c.ReturnTicks += o.ReturnTicks
	c.SentTicks += o.SentTicks
	c.Returned += o.Returned
	if o.ChainTicks > c.ChainTicks {
		c.ChainLine, c.ChainWord, c.ChainTicks = o.ChainLine, o.ChainWord, o.ChainTicks
	}
}
