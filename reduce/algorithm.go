package reduce

import (
	"fmt"
	"slices"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
)

// A Scope is how many threads an algorithm reduces over.
type Scope uint8

// The scopes.
const (
	WarpScope  Scope = iota // the lanes of a warp
	BlockScope              // the threads of a block
)

// String returns "warp" or "block".
func (s Scope) String() string {
	switch s {
	case WarpScope:
		return "warp"
	case BlockScope:
		return "block"
	}
	return fmt.Sprintf("scope(%d)", uint8(s))
}

// An Algorithm is one way to reduce a warp or a block.
type Algorithm[T any] struct {
	Name  string
	Scope Scope
	// Doc says in a sentence how it works, Order in which order it combines
	// the items 0, 1, 2, ... of a full group.
	Doc, Order string
	// Storage declares the shared memory that it needs; nil is none.
	Storage func(w *warp.Warp) warp.Mem[T]
	// Run reduces v in a kernel. s is what Storage declared.
	Run func(v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T])

	ordered, pow2, redux, atomic, rows bool // what it asks for
}

// Fits returns nil if the algorithm can reduce tiles of the given kind with op
// on a device, and an *team.Error with the reason if not. threads is the size of the
// block.
func (a *Algorithm[T]) Fits(p *device.Profile, op Op[T], t Tile, threads int) error {
	if p == nil {
		return team.NoDevice(a.Name)
	}
	if threads < 1 || threads > p.Limits.ThreadsPerBlock {
		return problem(a.Name, team.ErrShape, fmt.Sprintf("a block of %d threads", threads),
			fmt.Sprintf("a block of %s has 1 to %d", p.Name, p.Limits.ThreadsPerBlock))
	}
	err := t.check(a.Name, a.Scope, p.Lanes, threads)
	if err == nil && a.pow2 {
		err = t.needPow2(a.Name)
	}
	if err == nil && a.ordered {
		err = op.needOrder(a.Name, "an algorithm whose name ends in -interleaved, or raking")
	}
	if err == nil && a.rows {
		err = needRowMoves(a.Name, p, t)
	}
	if err == nil && a.redux {
		err = op.needRedux(a.Name, p)
	}
	if err == nil && a.atomic {
		err = op.needAtomic(a.Name, p)
	}
	return err
}

// Algorithms returns all algorithms, those for warps first.
func Algorithms[T any]() []Algorithm[T] {
	plain := func(f func(warp.Reg[T], Op[T], Tile)) func(warp.Reg[T], Op[T], Tile, warp.Mem[T]) {
		return func(v warp.Reg[T], op Op[T], t Tile, _ warp.Mem[T]) { f(v, op, t) }
	}
	const (
		falling = "falling: i with i+w/2, then with i+w/4, ... and i+1"
		rising  = "rising: ((0 1) (2 3)) ((4 5) (6 7)) ..."
		left    = "left to right: ((0 1) 2) 3 ..."
		open    = "left to the device"
	)
	return []Algorithm[T]{
		{Name: "shuffle-down", Scope: WarpScope, Doc: "shuffles down over falling distances", Order: falling,
			Run: plain(ShuffleDown[T]), ordered: true},
		{Name: "shuffle-interleaved", Scope: WarpScope, Doc: "shuffles down over rising distances", Order: rising,
			Run: plain(ShuffleInterleaved[T])},
		{Name: "shuffle-xor", Scope: WarpScope, Doc: "a butterfly over falling distances; every lane gets the result", Order: falling,
			Run: plain(ShuffleXor[T]), ordered: true, pow2: true},
		{Name: "shuffle-xor-interleaved", Scope: WarpScope, Doc: "a butterfly over rising distances; every lane gets the result", Order: rising,
			Run: plain(ShuffleXorInterleaved[T]), pow2: true},
		{Name: "redux", Scope: WarpScope, Doc: "the device's reduction instruction", Order: "none: integers only",
			Run: plain(Redux[T]), redux: true},
		{Name: "row-moves", Scope: WarpScope, Doc: "operators that read another lane as they go (DPP)", Order: "as a Hillis–Steele scan in rows of 16 lanes, then the rows left to right",
			Run: plain(RowMoves[T]), rows: true},
		{Name: "shared-tree", Scope: WarpScope, Doc: "halves in shared memory, ordered by warp barriers", Order: falling,
			Storage: NewWarpStorage[T], Run: SharedTree[T], ordered: true},
		{Name: "shared-interleaved", Scope: WarpScope, Doc: "neighbours in shared memory, ordered by warp barriers", Order: rising,
			Storage: NewWarpStorage[T], Run: SharedInterleaved[T]},
		{Name: "sequential", Scope: WarpScope, Doc: "every lane reads the items one by one", Order: left,
			Run: plain(Sequential[T])},

		{Name: "hybrid", Scope: BlockScope, Doc: "shuffles inside warps, shared memory between them", Order: falling + " in each warp, then the same over the warps",
			Storage: NewHybridStorage[T], Run: BlockHybrid[T], ordered: true},
		{Name: "hybrid-interleaved", Scope: BlockScope, Doc: "hybrid over rising distances", Order: rising + " in each warp, then the same over the warps",
			Storage: NewHybridStorage[T], Run: BlockHybridInterleaved[T]},
		{Name: "hybrid-redux", Scope: BlockScope, Doc: "hybrid with the device's reduction instruction", Order: "none: integers only",
			Storage: NewHybridStorage[T], Run: BlockHybridRedux[T], redux: true},
		{Name: "warp-reductions", Scope: BlockScope, Doc: "shuffles inside warps, then thread 0 adds the warps", Order: rising + " in each warp, then the warps left to right",
			Storage: NewHybridStorage[T], Run: BlockWarpReductions[T]},
		{Name: "atomics", Scope: BlockScope, Doc: "shuffles inside warps, then a shared atomic a warp", Order: falling + " in each warp, the order of the warps " + open,
			Storage: NewHybridStorage[T], Run: BlockAtomics[T], ordered: true, atomic: true},
		{Name: "block-tree", Scope: BlockScope, Doc: "halves in shared memory with a block barrier a step", Order: falling,
			Storage: NewThreadStorage[T], Run: BlockTree[T], ordered: true},
		{Name: "block-unrolled", Scope: BlockScope, Doc: "block-tree with warp barriers once one warp is left", Order: falling,
			Storage: NewThreadStorage[T], Run: BlockUnrolled[T], ordered: true},
		{Name: "block-interleaved", Scope: BlockScope, Doc: "neighbours in shared memory with a block barrier a step", Order: rising,
			Storage: NewThreadStorage[T], Run: BlockInterleaved[T]},
		{Name: "tree-then-shuffle", Scope: BlockScope, Doc: "block-tree until one warp is left, then shuffles", Order: falling,
			Storage: NewThreadStorage[T], Run: BlockTreeThenShuffle[T], ordered: true},
		{Name: "raking", Scope: BlockScope, Doc: "one warp reduces segments of neighbours, then shuffles", Order: "each segment left to right, then " + rising,
			Storage: NewRakingStorage[T], Run: BlockRaking[T]},
		{Name: "raking-commutative", Scope: BlockScope, Doc: "raking in which the first warp keeps its own items", Order: "each lane's own item, then its segment left to right, then " + rising,
			Storage: NewRakingStorage[T], Run: BlockRakingCommutative[T], ordered: true},
		{Name: "block-sequential", Scope: BlockScope, Doc: "thread 0 adds all items from shared memory", Order: left,
			Storage: NewThreadStorage[T], Run: BlockSequential[T]},
	}
}

// Lookup returns the algorithm of that name. An unknown name is an error of
// kind team.ErrAlgorithm that lists the known ones.
func Lookup[T any](name string) (Algorithm[T], error) {
	all := Algorithms[T]()
	i := slices.IndexFunc(all, func(a Algorithm[T]) bool { return a.Name == name })
	if i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	return Algorithm[T]{}, &team.Error{Kind: team.ErrAlgorithm, Detail: fmt.Sprintf("there is no %q", name),
		Advice: "use one of " + strings.Join(names, ", ")}
}
