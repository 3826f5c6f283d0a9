package crossbar

import (
	"fmt"
	"testing"

	"example.com/warpsim/lane"
)

func BenchmarkShuffle(b *testing.B) {
	for _, lanes := range []int{32, 64, 128} {
		for _, c := range []struct {
			mode  Mode
			width int
			x     int32
		}{{Down, lanes, 1}, {Down, lanes, 16}, {Up, lanes, 8}, {Xor, lanes, 1}, {Xor, lanes, 2}, {Xor, lanes, 4}, {Xor, lanes, 8}, {Xor, lanes, 16}, {Xor, lanes, 5}, {Idx, lanes, 0}, {Down, 8, 4}, {Idx, 8, 3}, {Xor, 8, 4}, {Xor, 8, 12}} {
			b.Run(fmt.Sprintf("u32/%d/%v/w%d/%d", lanes, c.mode, c.width, c.x), func(b *testing.B) {
				benchShuffle[uint32](b, c.mode, lanes, c.width, c.x)
			})
		}
		b.Run(fmt.Sprintf("u64/%d/down/w%d/1", lanes, lanes), func(b *testing.B) { benchShuffle[uint64](b, Down, lanes, lanes, 1) })
		b.Run(fmt.Sprintf("u64/%d/xor/w%d/1", lanes, lanes), func(b *testing.B) { benchShuffle[uint64](b, Xor, lanes, lanes, 1) })
	}
}

func benchShuffle[T any](b *testing.B, mode Mode, lanes, width int, x int32) {
	var rows [2][lane.MaxLanes]T
	var r Route
	all := lane.FirstN(lanes)
	for b.Loop() {
		r.Shuffle(CutToWarp, mode, lanes, width, x)
		Move(rows[0][:lanes], rows[1][:lanes], &r, all)
	}
}

func BenchmarkRoute(b *testing.B) {
	for _, mode := range []Mode{Idx, Up, Down, Xor} {
		b.Run(mode.String(), func(b *testing.B) {
			var r Route
			for b.Loop() {
				r.Shuffle(CutToWarp, mode, 32, 32, 4)
			}
		})
	}
	for _, rule := range []Rule{CutToWarp, Uncut} {
		b.Run("lanes/"+rule.String(), func(b *testing.B) {
			var r Route
			var x [32]int32
			for i := range x {
				x[i] = int32(31 - i)
			}
			for b.Loop() {
				r.ShuffleLanes(rule, Idx, 32, 32, x[:])
			}
		})
	}
}

func BenchmarkMoveMask(b *testing.B) {
	for _, mode := range []Mode{Idx, Up, Down, Xor} {
		b.Run(mode.String(), func(b *testing.B) {
			var r Route
			r.Shuffle(CutToWarp, mode, 32, 32, 5)
			m := lane.Bits(0x1234567)
			for b.Loop() {
				m = r.MoveMask(m).Or(lane.Bits(1))
			}
		})
	}
}

func BenchmarkMovePartial(b *testing.B) {
	for _, lanes := range []int{32, 64, 128} {
		b.Run(fmt.Sprint(lanes), func(b *testing.B) {
			var rows [2][lane.MaxLanes]uint32
			var r Route
			half := lane.FirstN(lanes / 2)
			for b.Loop() {
				r.Shuffle(CutToWarp, Down, lanes, lanes, 1)
				Move(rows[0][:lanes], rows[1][:lanes], &r, half)
			}
		})
	}
}
