package main

import "example.com/warpsim/intrinsics"

// index reads lanes by number: one for all, one that each lane computes, and, by xor,
// that of a sorting network.
func index(g *guide) error {
	n := g.device.Lanes
	broadcast, table, sorted := make([]int32, n), make([]int32, n), make([]int32, n)
	_, err := g.launch(0, func(t *intrinsics.Thread) {
		l := t.Lane()
		v := int32(l*7+3) % int32(n)
		broadcast[l] = intrinsics.ShflSync(t, t.AllLanes(), v, 5)
		square := int32(l * l) // the table: lane i has i squared
		table[l] = intrinsics.ShflSync(t, t.AllLanes(), square, int(v))
		for size := 2; size <= n; size *= 2 { // bitonic sort
			for step := size / 2; step > 0; step /= 2 {
				other := intrinsics.ShflXorSync(t, t.AllLanes(), v, step)
				up, low := l&size == 0, l&step == 0
				if (up == low) == (other < v) {
					v = other
				}
			}
		}
		sorted[l] = v
	})
	if err != nil {
		return err
	}
	row(g, "broadcast", broadcast)
	row(g, "look-up", table)
	row(g, "sorted", sorted)
	return nil
}
