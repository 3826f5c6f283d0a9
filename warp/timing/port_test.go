package timing

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPortServesOnePassACycle(t *testing.T) {
	// Against a plain table of cycles.
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		var p port
		taken := map[Cycle]bool{}
		now, last, tail := Cycle(0), Cycle(0), Cycle(0)
		for range 300 {
			now += Cycle(r.IntN(9))
			start := now + Cycle(r.IntN(30))
			n := Cycle(1 + r.IntN(8))
			if r.IntN(20) == 0 {
				n = Cycle(shortest + r.IntN(200))
			}
			c := max(start, tail)
			end := Cycle(0)
			if n >= shortest {
				end = max(c, last) + n
				tail = end
			} else {
				for left := n; left > 0; c++ {
					if !taken[c] {
						taken[c] = true
						left--
						end = c + 1
					}
				}
			}
			last = max(last, end)
			assert.Equal(t, end-n, p.reserve(start, n, now), "seed %d", seed)
		}
	}
}

func TestPortNeverServesTwoAtOnce(t *testing.T) {
	// 32 requests of 87 cycles at once, then 100 of 50: far beyond the ring.
	var p port
	for i := range Cycle(32) {
		assert.Equal(t, i*87, p.reserve(0, 87, 0))
	}
	for i := range Cycle(100) {
		assert.Equal(t, 32*87+i*50, p.reserve(0, 50, 0))
	}
	for i := range Cycle(3) {
		assert.Equal(t, 32*87+100*50+i*1000, p.reserve(0, 1000, 0))
	}
}
