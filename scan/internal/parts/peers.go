package parts

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// Peers sets n to the number of lanes in each lane's set, and first to the
// lowest of them: what the result of a match is mostly asked for. It costs a
// population count for each 32 lanes of the warp, and finding the first set bit.
func Peers(n, first warp.Reg[int32], peers warp.Reg[lane.Mask]) {
	words := (n.Warp().Width() + 31) / 32
	warp.Map1(n, peers, isa.Popc, func(m lane.Mask) int32 { return int32(m.Count()) })
	for range words - 1 {
		Cost(isa.Popc, 1, n)
		Cost(isa.IAdd, 1, n)
	}
	warp.Map1(first, peers, isa.Brev, func(m lane.Mask) int32 { return int32(m.First()) })
	Cost(isa.Clz, words, first)
}

// Below sets dst to the number of lanes in each lane's set that are below it: a
// mask and a population count for each 32 lanes of the warp.
func Below(dst warp.Reg[int32], peers warp.Reg[lane.Mask], id warp.Reg[int32]) {
	words := (dst.Warp().Width() + 31) / 32
	warp.Map2(dst, peers, id, isa.Logic, func(m lane.Mask, l int32) int32 { return int32(m.Rank(int(l))) })
	Cost(isa.Popc, words, dst)
	Cost(isa.IAdd, words-1, dst)
}

// Cost books n instructions that read and write r and leave it as it is: what it
// takes to compute r beyond the one that did.
func Cost[T any](op isa.Op, n int, r warp.Reg[T]) {
	for range n {
		warp.Map1(r, r, op, func(x T) T { return x })
	}
}
