package scan

import (
	"fmt"
	"slices"
	"strings"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
)

// An Algorithm is one way to scan a warp or a block.
type Algorithm[T any] struct {
	Name  string
	Scope reduce.Scope
	// Doc says in a sentence how it works, Order in which order it combines
	// the items 0, 1, 2, ... of a full group.
	Doc, Order string
	// Storage declares the shared memory that it needs; nil is none.
	Storage func(w *warp.Warp) warp.Mem[T]
	// Run scans v in a kernel. m is what Storage declared.
	Run func(v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T])

	pow2, identity bool // what it asks for
}

// Fits returns nil if the algorithm can do a scan of the given kind with op on
// a device, and a *team.Error with the reason if not. threads is the size of
// the block.
func (a *Algorithm[T]) Fits(p *device.Profile, op reduce.Op[T], s Spec[T], threads int) error {
	if threads < 1 || threads > p.Limits.ThreadsPerBlock {
		return problem(a.Name, team.ErrShape, fmt.Sprintf("a block of %d threads", threads), fmt.Sprintf("a block of %s has 1 to %d", p.Name, p.Limits.ThreadsPerBlock))
	}
	var err error
	if a.Scope == reduce.WarpScope {
		err = s.checkWarp(a.Name, &op, p.Lanes, a.pow2)
	} else {
		err = s.checkBlock(a.Name, &op, threads)
	}
	if err == nil && a.identity && !op.HasIdentity {
		err = problem(a.Name, team.ErrIdentity, op.Name+" has none to fill the tree with", "use raking or hybrid")
	}
	return err
}

// Algorithms returns all algorithms, those for warps first.
func Algorithms[T any]() []Algorithm[T] {
	plain := func(f func(warp.Reg[T], reduce.Op[T], Spec[T])) func(warp.Reg[T], reduce.Op[T], Spec[T], warp.Mem[T]) {
		return func(v warp.Reg[T], op reduce.Op[T], s Spec[T], _ warp.Mem[T]) { f(v, op, s) }
	}
	const (
		doubling = "item i: the 2^k items that end with i, by halves, for the powers of two in i+1"
		tree     = "item i: sums of aligned blocks, from the largest to the smallest"
	)
	return []Algorithm[T]{
		{Name: "hillis-steele", Scope: reduce.WarpScope, Doc: "shuffles up over the distances 1, 2, 4, ... (the network of Kogge and Stone)", Order: doubling,
			Run: plain(HillisSteele[T])},
		{Name: "kogge-stone-shared", Scope: reduce.WarpScope, Doc: "the same network through shared memory, ordered by warp barriers", Order: doubling,
			Storage: NewWarpStorage[T], Run: KoggeStoneShared[T]},
		{Name: "sklansky", Scope: reduce.WarpScope, Doc: "upper halves of growing blocks add the last lane of the lower half", Order: tree,
			Run: plain(Sklansky[T]), pow2: true},
		{Name: "brent-kung", Scope: reduce.WarpScope, Doc: "shuffles up into a tree and down from it, with the fewest operators", Order: tree,
			Run: plain(BrentKung[T])},

		{Name: "warp-scans", Scope: reduce.BlockScope, Doc: "warp scans, then every thread adds up the warps before its own", Order: "hillis-steele in each warp; the warps before it left to right, in front",
			Storage: reduce.NewHybridStorage[T], Run: BlockWarpScans[T]},
		{Name: "hybrid", Scope: reduce.BlockScope, Doc: "warp scans, then one warp scans the sums of the warps", Order: "hillis-steele in each warp; hillis-steele of the warps before it, in front",
			Storage: reduce.NewHybridStorage[T], Run: BlockHybrid[T]},
		{Name: "raking", Scope: reduce.BlockScope, Doc: "one warp scans segments of neighbours", Order: "hillis-steele of the segments before, then the segment left to right",
			Storage: NewRakingStorage[T], Run: BlockRaking[T]},
		{Name: "raking-memoized", Scope: reduce.BlockScope, Doc: "raking with the segments kept in registers", Order: "as raking",
			Storage: NewRakingStorage[T], Run: BlockRakingMemoized[T]},
		{Name: "block-hillis-steele", Scope: reduce.BlockScope, Doc: "the distances 1, 2, 4, ... in shared memory with a block barrier a step", Order: doubling,
			Storage: NewTwiceStorage[T], Run: BlockHillisSteele[T]},
		{Name: "blelloch", Scope: reduce.BlockScope, Doc: "a tree of sums in shared memory, swept up and down", Order: tree + ", then the item itself",
			Storage: NewTreeStorage[T], Run: BlockBlelloch[T], identity: true},
		{Name: "blelloch-padded", Scope: reduce.BlockScope, Doc: "blelloch with padding against bank conflicts", Order: tree + ", then the item itself",
			Storage: NewPaddedTreeStorage[T], Run: BlockBlellochPadded[T], identity: true},
	}
}

// Lookup returns the algorithm of that name. An unknown name is an error of
// kind team.ErrAlgorithm that lists the known ones.
func Lookup[T any](name string) (Algorithm[T], error) {
	all := Algorithms[T]()
	if i := slices.IndexFunc(all, func(a Algorithm[T]) bool { return a.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	return Algorithm[T]{}, &team.Error{Kind: team.ErrAlgorithm, Detail: fmt.Sprintf("there is no scan %q", name),
		Advice: "use one of " + strings.Join(names, ", ")}
}
