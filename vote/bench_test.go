package vote

import (
	"fmt"
	"testing"

	"example.com/warpsim/lane"
)

var sink int

func BenchmarkReduce(b *testing.B) {
	for _, lanes := range []int{32, 64, 128} {
		row := make([]uint32, lanes)
		for i := range row {
			row[i] = uint32(i * 77)
		}
		for _, m := range []struct {
			name    string
			members lane.Mask
		}{{"full", lane.FirstN(lanes)}, {"half", lane.Mask{Lo: 0x5555555555555555, Hi: 0x5555555555555555}.And(lane.FirstN(lanes))}} {
			b.Run(fmt.Sprintf("add/%d/%s", lanes, m.name), func(b *testing.B) {
				for b.Loop() {
					sink += int(Add(m.members, row))
				}
			})
			b.Run(fmt.Sprintf("min/%d/%s", lanes, m.name), func(b *testing.B) {
				for b.Loop() {
					sink += int(Min(m.members, row))
				}
			})
		}
	}
}

func BenchmarkMatchAny(b *testing.B) {
	for _, lanes := range []int{32, 128} {
		dst := make([]lane.Mask, lanes)
		for _, distinct := range []int{1, 4, lanes} {
			row := make([]uint32, lanes)
			for i := range row {
				row[i] = uint32(i % distinct * 1001)
			}
			b.Run(fmt.Sprintf("%d/distinct%d", lanes, distinct), func(b *testing.B) {
				for b.Loop() {
					sink += MatchAny(dst, lane.FirstN(lanes), row)
				}
			})
		}
	}
}

func BenchmarkBallot(b *testing.B) {
	row := make([]uint32, 32)
	members := lane.FirstN(32)
	for b.Loop() {
		members = Ballot(members, NonZero(row)).Or(lane.Bits(1))
	}
}
