package order_test

import (
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// A stream whose windows have been ordered with other lanes and counts comes in the
// order, and with the lanes and counts, that a scheduler gives it that has seen nothing.
func TestWindowsOfOneShapeShareTheirOrder(t *testing.T) {
	for seed := range uint64(programs() / 4) {
		w := &writer{rand.New(rand.NewPCG(seed, 3)), 8 + 8*int(seed%3), 2 + int(seed%4)}
		recs := w.program(20 + w.IntN(700))
		used := scheduler(t, "h200")
		used.Order(recs, nil, nil, nil)
		for _, some := range []int{0, 1, 20} { // of how many records one has other lanes than the rest
			other := append([]isa.Instr(nil), recs...)
			for i := range other {
				in := &other[i]
				if in.Active = 7; some > 0 && w.IntN(some) == 0 {
					in.Active = uint8(3 + w.IntN(2))
				}
				if in.Op != isa.Branch {
					in.Count = uint16(1 + w.IntN(32))
				}
			}
			out, from := used.Order(other, nil, nil, nil)
			want, whence := scheduler(t, "h200").Order(other, nil, nil, nil)
			require.Equal(t, whence, from, "seed %d", seed)
			require.Equal(t, want, out, "seed %d", seed)
			for i, in := range out {
				require.Equal(t, other[from[i]].Count, in.Count)
			}
		}
	}
}
