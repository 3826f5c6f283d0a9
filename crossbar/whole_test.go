package crossbar

import (
	"testing"

	"example.com/warpsim/lane"
	"github.com/stretchr/testify/require"
)

func TestMoveWholeEqualsShuffleAndMove(t *testing.T) {
	for lanes := 1; lanes <= lane.MaxLanes; lanes *= 2 {
		src := make([]int, lanes)
		for i := range src {
			src[i] = 1000 + i
		}
		for mode := Idx; mode <= Xor; mode++ {
			for d := range lanes {
				var r Route
				r.Shuffle(CutToWarp, mode, lanes, lanes, int32(d))
				want, got := make([]int, lanes), make([]int, lanes)
				for i := range want {
					want[i] = src[r.Source(i)]
				}
				MoveWhole(got, src, mode, d)
				require.Equal(t, want, got, "%s %d of %d", mode, d, lanes)
				inPlace := append([]int(nil), src...)
				MoveWhole(inPlace, inPlace, mode, d)
				require.Equal(t, want, inPlace, "in place: %s %d of %d", mode, d, lanes)
			}
		}
	}
}

func TestMoveWholeLeavesBadArgumentsAlone(t *testing.T) {
	dst := []int{1, 2}
	MoveWhole(dst, []int{5, 6}, Down, 2)
	MoveWhole(dst, []int{5, 6}, Down, -1)
	MoveWhole(dst, []int{5, 6, 7}, Down, 1)
	require.Equal(t, []int{1, 2}, dst)
}
