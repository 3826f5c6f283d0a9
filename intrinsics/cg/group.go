// Package cg is cooperative groups for kernels of package intrinsics: a block, a
// tile of it, or the lanes that happen to be together, as a value to synchronise,
// exchange, vote and reduce in.
//
// # Groups
//
// [ThisThreadBlock] is the block and [CoalescedThreads] the lanes that are here;
// [TiledPartition], [BinaryPartition] and [LabeledPartition] cut a group. All lanes of a
// [Group] call what it does; [Group.Rank] is a lane's place in it.
//
// # Operations
//
// [Shfl] and its like exchange by rank, [Group.Ballot], [MatchAny] and so on vote,
// [Reduce], [InclusiveScan] and [ExclusiveScan] take an [Op]: [Plus], [Less], [BitAnd]
// or your own ([Func]).
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package cg

import (
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// A Block is the group of all threads of a block.
type Block struct{ t *intrinsics.Thread }

// ThisThreadBlock returns the block of the thread.
func ThisThreadBlock(t *intrinsics.Thread) Block { return Block{t} }

// Sync waits for all threads of the block, see intrinsics.SyncThreads.
func (b Block) Sync() { intrinsics.SyncThreads(b.t) }

// Rank returns the number of the thread in the block.
func (b Block) Rank() int { return b.t.ThreadRank() }

// Size returns how many threads the block has.
func (b Block) Size() int { return b.t.BlockDim().Count() }

// ThreadIndex returns the position of the thread in the block.
func (b Block) ThreadIndex() warp.Dim { return b.t.ThreadIdx() }

// GroupIndex returns the position of the block in the grid.
func (b Block) GroupIndex() warp.Dim { return b.t.BlockIdx() }

// Dim returns the size of the block.
func (b Block) Dim() warp.Dim { return b.t.BlockDim() }

func (b Block) thread() *intrinsics.Thread { return b.t }

// A Group is lanes of one warp that act together. Its member functions are
// collectives: all lanes of the group that have not exited must call them. It is
// a small value that each lane holds for itself.
type Group struct {
	t     *intrinsics.Thread
	mask  lane.Mask
	first int // lane of rank 0
	tile  int // lanes of a tile, 0 if the group is none
	rank  int
	size  int
}

// A Parent is what can be cut into tiles: a Block or a Group.
type Parent interface {
	thread() *intrinsics.Thread
}

func (g Group) thread() *intrinsics.Thread { return g.t }

// TiledPartition cuts a block, or a group, into tiles of n lanes that follow
// each other by rank, and returns that of the caller. n is a power of two of
// lanes up to the warp and, in a group, no more than it has; another is a fault
// of kind warp.WidthNotPowerOfTwo or warp.WidthAboveWarp. A tile at the end of a
// group that is no tile itself has fewer lanes if no more are left.
func TiledPartition(parent Parent, n int) Group {
	t := parent.thread()
	limit := t.WarpSize()
	p, isGroup := parent.(Group)
	if isGroup && p.tile > 0 {
		limit = p.tile
	}
	if n <= 0 || n&(n-1) != 0 {
		t.Fail(warp.Fault{Kind: warp.WidthNotPowerOfTwo, Detail: "a tile is a power of two of lanes",
			Advice: "use 1, 2, 4 and so on"})
		n = 1
	}
	if n > limit {
		t.Fail(warp.Fault{Kind: warp.WidthAboveWarp, Detail: "a tile has no more lanes than the warp or the tile it is cut from",
			Advice: "use a smaller tile"})
		n = limit
	}
	if isGroup && p.tile == 0 {
		first := p.rank &^ (n - 1)
		var m lane.Mask
		for r := first; r < min(first+n, p.size); r++ {
			m = m.With(p.mask.Nth(r))
		}
		return of(t, m, 0)
	}
	first := t.Lane() &^ (n - 1)
	return of(t, lane.Range(first, first+n), n)
}

// CoalescedThreads returns the group of the lanes that are converged at this
// call, see intrinsics.ActiveMask.
func CoalescedThreads(t *intrinsics.Thread) Group { return of(t, intrinsics.ActiveMask(t), 0) }

// LabeledPartition cuts a group into one group for each value of label and
// returns that of the caller.
func LabeledPartition[T warp.Number](g Group, label T) Group {
	return of(g.t, matchAny(g, label), 0)
}

// BinaryPartition cuts a group into the lanes in which p holds and the others,
// and returns that of the caller.
func BinaryPartition(g Group, p bool) Group {
	m := g.ballot(p)
	if !p {
		m = g.mask.AndNot(m)
	}
	return of(g.t, m, 0)
}

func of(t *intrinsics.Thread, m lane.Mask, tile int) Group {
	return Group{t: t, mask: m, first: m.First(), tile: tile, rank: m.Rank(t.Lane()), size: m.Count()}
}

// Sync waits for the lanes of the group.
func (g Group) Sync() {
	if g.t.Lockstep() {
		intrinsics.WaveBarrier(g.t)
		return
	}
	intrinsics.SyncWarp(g.t, g.mask)
}

// Rank returns the number of the lane in the group.
func (g Group) Rank() int { return g.rank }

// Size returns how many lanes the group has. Lanes that do not exist, at the end
// of a partial warp, and lanes that have exited count in a tile.
func (g Group) Size() int { return g.size }

// MetaRank returns the number of a tile among the tiles of its warp, 0 for a
// group that is no tile.
func (g Group) MetaRank() int {
	if g.tile == 0 {
		return 0
	}
	return g.first / g.tile
}

// Mask returns the lanes of the group.
func (g Group) Mask() intrinsics.Mask { return g.mask }
