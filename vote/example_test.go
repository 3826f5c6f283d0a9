package vote_test

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/vote"
)

// Pack the values that are odd to the front.
func ExampleRanks() {
	row := []int{5, 2, 9, 4, 1, 1, 8, 3}
	odd := make([]bool, len(row))
	for l, v := range row {
		odd[l] = v%2 != 0
	}
	ballot := vote.Ballot(lane.FirstN(len(row)), vote.True(odd))
	ranks := make([]int, len(row))
	vote.Ranks(ranks, ballot)
	packed := make([]int, ballot.Count())
	for l := range ballot.Lanes() {
		packed[ranks[l]] = row[l]
	}
	fmt.Println(ballot.Ranges(), packed)
	// Output: 0,2,4-5,7 [5 9 1 1 3]
}

func ExampleMatchAny() {
	row := []uint32{7, 8, 7, 7}
	groups := make([]lane.Mask, len(row))
	distinct := vote.MatchAny(groups, lane.FirstN(4).Without(3), row)
	fmt.Println(distinct, groups[0].Ranges(), groups[1].Ranges(), groups[3].Ranges())
	// Output: 2 0,2 1 none
}

func ExampleMatchAll() {
	row := []uint32{7, 7, 9}
	fmt.Println(vote.MatchAll(lane.Only(0, 1), row))
	fmt.Println(vote.MatchAll(lane.Only(0, 2), row))
	// Output:
	// 0x3 true
	// 0x0 false
}

func ExampleUni() {
	members := lane.FirstN(8)
	fmt.Println(vote.Uni(members, lane.FirstN(32)), vote.Uni(members, lane.Mask{}), vote.Uni(members, lane.FirstN(3)))
	// Output: true true false
}

func ExampleAdd() {
	row := []uint32{1, 2, 3, 0xffffffff}
	fmt.Println(vote.Add(lane.FirstN(3), row), vote.Add(lane.FirstN(4), row))
	// Output: 6 5
}
