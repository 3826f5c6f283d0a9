package record

import (
	"io"
	"slices"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/grid"
)

// Record is for warp.Observer.Records: it writes what the engine gives to be timed. Close
// returns what went wrong.
func (w *Writer) Record(e *warp.RecordsEvent) {
	if e == nil {
		return
	}
	if w.header.Shape == (grid.Shape{}) {
		w.header.Shape = e.Shape
	}
	_ = w.Write(&Chunk{e.Block, e.Warp, e.Chunk, e.Last}) // Close returns it
}

// Streams are the records of a launch, all in memory. They are a grid.Source, which can
// be played once; Rewind makes them ready for another time.
type Streams struct {
	Header Header
	warps  map[[2]int]*stream
}

type stream struct {
	chunks []Chunk
	next   int
}

// Load reads all of a file.
func Load(r io.Reader) (*Streams, error) {
	x, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	s := &Streams{Header: x.Header(), warps: map[[2]int]*stream{}}
	for {
		c, err := x.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		key := [2]int{c.Block, c.Warp}
		if s.warps[key] == nil {
			s.warps[key] = new(stream)
		}
		kept := *c
		kept.Recs, kept.Sites, kept.Lines = slices.Clone(c.Recs), slices.Clone(c.Sites), slices.Clone(c.Lines)
		if len(kept.Sites) == 0 {
			kept.Sites = nil
		}
		s.warps[key].chunks = append(s.warps[key].chunks, kept)
	}
}

// Next implements grid.Source.
func (s *Streams) Next(block, warp int) (c grid.Chunk, last bool) {
	x := s.warps[[2]int{block, warp}]
	if x == nil || x.next >= len(x.chunks) {
		return grid.Chunk{}, true
	}
	x.next++
	return x.chunks[x.next-1].Chunk, x.next == len(x.chunks)
}

// Ended implements grid.Source.
func (s *Streams) Ended(int) {}

// Rewind makes the streams ready to be played from the start.
func (s *Streams) Rewind() {
	for _, x := range s.warps {
		x.next = 0
	}
}
