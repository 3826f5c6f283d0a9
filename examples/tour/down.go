package main

import (
	"fmt"

	"example.com/warpsim/intrinsics"
)

// down adds the lanes of a warp up: each step halves how far values travel. Whoever is
// below reads the value of the lane that many above, and adds it to its own.
func down(g *guide) error {
	held := newTable[int32](g.device.Lanes)
	r, err := g.launch(0, func(t *intrinsics.Thread) {
		v := int32(t.Lane())
		held.note(t, "start", v)
		for offset := t.WarpSize() / 2; offset > 0; offset /= 2 {
			v += intrinsics.ShflDownSync(t, t.AllLanes(), v, offset)
			held.note(t, fmt.Sprintf("offset %d", offset), v)
		}
	})
	if err != nil {
		return err
	}
	last := g.device.Lanes - 1
	held.show(g, 0, 1, 2, 3, last/2, last)
	g.printf("lane 0 has the sum of all: %d. It took %d instructions.\n", last*(last+1)/2, r.Instructions)
	return nil
}

// partial shows what the other lanes end with: values of themselves and of all above, and
// some of them twice, as a lane whose source would be beyond the warp gets its own value
// back and adds that. Lane 31 of 32 has only its own, five times doubled.
func partial(g *guide) error {
	n := g.device.Lanes
	held := newTable[string](n)
	_, err := g.launch(0, func(t *intrinsics.Thread) {
		// A set of lanes, as bits, in two words: which lanes' values are in the sum.
		var low, high uint64
		if l := t.Lane(); l < 64 {
			low = 1 << l
		} else {
			high = 1 << (l - 64)
		}
		for offset := t.WarpSize() / 2; offset > 0; offset /= 2 {
			low |= intrinsics.ShflDownSync(t, t.AllLanes(), low, offset)
			high |= intrinsics.ShflDownSync(t, t.AllLanes(), high, offset)
		}
		first, last, count := -1, 0, 0
		for i := range n {
			if i < 64 && low>>i&1 != 0 || i >= 64 && high>>(i-64)&1 != 0 {
				if first < 0 {
					first = i
				}
				last = i
				count++
			}
		}
		held.note(t, "from lanes", fmt.Sprintf("%d..%d", first, last))
		held.note(t, "so many", fmt.Sprint(count))
	})
	if err != nil {
		return err
	}
	held.show(g, 0, 1, 2, 3, n-2, n-1)
	g.printf("Only lane 0 has them all, each once. For the sum in every lane, shuffle by xor, or broadcast lane 0's.\n")
	return nil
}
