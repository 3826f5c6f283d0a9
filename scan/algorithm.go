package scan

import (
	"fmt"
	"slices"
	"strings"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// An Algorithm is one way to scan a warp or a block.
type Algorithm[T any] struct {
	Name  string
	Scope reduce.Scope
	// Doc says in a sentence how it works, Order in which order it combines
	// the items 0, 1, 2, ... of a full group.
	Doc, Order string
	// Storage says how much shared memory it needs; nil is none.
	Storage reduce.Storage
	// Run scans v in a kernel. m holds as many elements as Storage says.
	Run func(v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T])

	pow2, identity bool // what it asks for
}

// Fits returns nil if the algorithm can do a scan of the given kind with op on
// a device, and a *reduce.Error with the reason if not. threads is the size of
// the block.
func (a *Algorithm[T]) Fits(p *device.Profile, op reduce.Op[T], s Spec[T], threads int) error {
	if threads < 1 || threads > p.Limits.ThreadsPerBlock {
		return &reduce.Error{Algorithm: a.Name, Kind: reduce.ErrShape, Detail: fmt.Sprintf("a block of %d threads", threads),
			Advice: fmt.Sprintf("a block of %s has 1 to %d", p.Name, p.Limits.ThreadsPerBlock)}
	}
	var err error
	switch {
	case a.Scope == reduce.WarpScope:
		err = s.checkWarp(a.Name, &op, p.Lanes, a.pow2)
	case s.Width != 0:
		err = &reduce.Error{Algorithm: a.Name, Kind: reduce.ErrWidth, Detail: fmt.Sprintf("%d, and a block has no groups", s.Width), Advice: "leave it 0"}
	default:
		err = s.check(a.Name, &op, threads)
	}
	if err == nil && a.identity && !op.HasIdentity {
		err = &reduce.Error{Algorithm: a.Name, Kind: reduce.ErrIdentity, Detail: op.Name + " has none to fill the tree with", Advice: "use raking or hybrid"}
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
			Storage: WarpStorage, Run: KoggeStoneShared[T]},
		{Name: "sklansky", Scope: reduce.WarpScope, Doc: "upper halves of growing blocks add the last lane of the lower half", Order: tree,
			Run: plain(Sklansky[T]), pow2: true},
		{Name: "brent-kung", Scope: reduce.WarpScope, Doc: "shuffles up into a tree and down from it, with the fewest operators", Order: tree,
			Run: plain(BrentKung[T])},

		{Name: "warp-scans", Scope: reduce.BlockScope, Doc: "warp scans, then every thread adds up the warps before its own", Order: "hillis-steele in each warp; the warps before it left to right, in front",
			Storage: HybridStorage, Run: WarpScans[T]},
		{Name: "hybrid", Scope: reduce.BlockScope, Doc: "warp scans, then one warp scans the sums of the warps", Order: "hillis-steele in each warp; hillis-steele of the warps before it, in front",
			Storage: HybridStorage, Run: Hybrid[T]},
		{Name: "raking", Scope: reduce.BlockScope, Doc: "one warp scans segments of neighbours", Order: "hillis-steele of the segments before, then the segment left to right",
			Storage: RakingStorage, Run: Raking[T]},
		{Name: "raking-memoized", Scope: reduce.BlockScope, Doc: "raking with the segments kept in registers", Order: "as raking",
			Storage: RakingStorage, Run: RakingMemoized[T]},
		{Name: "block-hillis-steele", Scope: reduce.BlockScope, Doc: "the distances 1, 2, 4, ... in shared memory with a block barrier a step", Order: doubling,
			Storage: TwiceStorage, Run: BlockHillisSteele[T]},
		{Name: "blelloch", Scope: reduce.BlockScope, Doc: "a tree of sums in shared memory, swept up and down", Order: tree + ", then the item itself",
			Storage: TreeStorage, Run: Blelloch[T], identity: true},
		{Name: "blelloch-padded", Scope: reduce.BlockScope, Doc: "blelloch with padding against bank conflicts", Order: tree + ", then the item itself",
			Storage: PaddedTreeStorage, Run: BlellochPadded[T], identity: true},
	}
}

// Lookup returns the algorithm of that name. An unknown name is an error of
// kind reduce.ErrAlgorithm that lists the known ones.
func Lookup[T any](name string) (Algorithm[T], error) {
	all := Algorithms[T]()
	if i := slices.IndexFunc(all, func(a Algorithm[T]) bool { return a.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	return Algorithm[T]{}, &reduce.Error{Kind: reduce.ErrAlgorithm, Detail: fmt.Sprintf("there is no scan %q", name),
		Advice: "use one of " + strings.Join(names, ", ")}
}
