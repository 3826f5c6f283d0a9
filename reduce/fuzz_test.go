package reduce_test

import (
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp/team"
)

// FuzzTile tries any tile on any width with an operator that knows its items.
func FuzzTile(f *testing.F) {
	f.Add(uint8(5), uint8(0), uint8(0), uint8(32), uint8(0), true)
	f.Add(uint8(6), uint8(25), uint8(13), uint8(40), uint8(1), false)
	f.Add(uint8(7), uint8(128), uint8(127), uint8(128), uint8(5), true)
	f.Fuzz(func(t *testing.T, log, width, valid, live, algorithm uint8, everywhere bool) {
		e := engine(t, []string{"custom-1", "custom-2", "custom-4", "custom-8", "custom-16", "h200", "mi300x", "mtt-s4000"}[log%8])
		lanes := e.Device().Lanes
		all := reduce.Algorithms[span]()
		a := all[int(algorithm)%len(all)]
		tile := reduce.Tile{Width: int(width) % (lanes + 1), Valid: team.First(int(valid)), Everywhere: everywhere}
		n := 1 + int(live)%lanes
		if a.Scope == reduce.BlockScope {
			tile.Width = 0
			n = 1 + int(live)*3
		}
		op := ordered
		if a.Fits(e.Device(), op, tile, n) != nil {
			return
		}
		if a.Scope == reduce.BlockScope {
			checkBlock(t, e, a, op, spans(n), tile, poisoned)
		} else {
			checkWarp(t, e, a, op, spans(lanes), tile, n, poisoned)
		}
	})
}

// spans returns n items that know their place.
func spans(n int) []span {
	s := make([]span, n)
	for i := range s {
		s[i] = span{int32(i), int32(i)}
	}
	return s
}
