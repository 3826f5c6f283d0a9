package warptest_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// A sharedTree is a kernel that works on an array of n elements in shared memory, and
// whether it ends early.
type sharedTree struct {
	name  string
	early bool
	warps int
	lane  func(t *thread, s *intrinsics.Array[int32], n, i int) int32 // what thread i stores, 0: it does not
}

// fold is one step of a tree.
func fold(t *thread, s *intrinsics.Array[int32], in bool, to, from int) {
	if in {
		s.Store(t, to, s.Load(t, to)+s.Load(t, from))
	}
	intrinsics.SyncThreads(t)
}

// firstOf is element 0, for thread 0.
func firstOf(t *thread, s *intrinsics.Array[int32], i int) (v int32) {
	if i == 0 {
		v = s.Load(t, 0)
	}
	return v
}

var sharedTrees = []sharedTree{
	{"halves", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 0; d /= 2 {
			fold(t, s, i < d, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"halves, to 2", true, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 1; d /= 2 {
			fold(t, s, i < d, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"halves, to 8", true, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 4; d /= 2 {
			fold(t, s, i < d, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"halves of three", true, 3, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 0; d /= 2 {
			fold(t, s, i < d, i, i+d) // 3, then 1: element 2 is lost
		}
		return firstOf(t, s, i)
	}},
	{"halves of three, rounded up", false, 3, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for left := n; left > 1; left = (left + 1) / 2 {
			d := (left + 1) / 2
			fold(t, s, i+d < left, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"halves of a power of two, guarded", false, 3, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 256; d > 0; d /= 2 {
			fold(t, s, i < d && i+d < n, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"halves, summed in a register", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		v := s.Load(t, i)
		for d := n / 2; d > 0; d /= 2 {
			if i < d {
				v += s.Load(t, i+d)
				s.Store(t, i, v)
			}
			intrinsics.SyncThreads(t)
		}
		if i != 0 {
			return 0
		}
		return v
	}},
	{"halves, summed in a register, to 2", true, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		v := s.Load(t, i)
		for d := n / 2; d > 1; d /= 2 {
			if i < d {
				v += s.Load(t, i+d)
				s.Store(t, i, v)
			}
			intrinsics.SyncThreads(t)
		}
		if i != 0 {
			return 0
		}
		return v
	}},
	{"halves, the rest by shuffles of the register", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		v := s.Load(t, i)
		for d := n / 2; d > t.WarpSize()/2; d /= 2 {
			if i < d {
				v += s.Load(t, i+d)
				s.Store(t, i, v)
			}
			intrinsics.SyncThreads(t)
		}
		if i < t.WarpSize() {
			for d := t.WarpSize() / 2; d > 0; d /= 2 {
				v += intrinsics.ShflDownSync(t, t.AllLanes(), v, d)
			}
		}
		if i != 0 {
			return 0
		}
		return v
	}},
	{"halves, the last step not stored", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 1; d /= 2 {
			fold(t, s, i < d, i, i+d)
		}
		if i == 0 {
			return s.Load(t, 0) + s.Load(t, 1)
		}
		return 0
	}},
	{"halves, the last step in a register and nowhere else", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		v := s.Load(t, i)
		for d := n / 2; d > 0; d /= 2 {
			if i < d {
				if v += s.Load(t, i+d); d > 1 {
					s.Store(t, i, v)
				}
			}
			intrinsics.SyncThreads(t)
		}
		return 0
	}},
	{"halves, to 2, and all threads read the first", true, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 1; d /= 2 {
			fold(t, s, i < d, i, i+d)
		}
		if v := s.Load(t, 0); i == 0 {
			return v
		}
		return 0
	}},
	{"halves from behind, to 2", true, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 1; d /= 2 {
			fold(t, s, i >= n-d, i, i-d)
		}
		if v := s.Load(t, n-1); i == n-1 {
			return v
		}
		return 0
	}},
	{"halves, by all threads", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d > 0; d /= 2 {
			v := s.Load(t, i) + s.Load(t, (i+d)%n)
			intrinsics.SyncThreads(t)
			s.Store(t, i, v)
			intrinsics.SyncThreads(t)
		}
		return firstOf(t, s, i)
	}},
	{"halves of each warp, of which some are asked for", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := t.WarpSize() / 2; d > 0; d /= 2 {
			fold(t, s, t.Lane() < d, i, i+d)
		}
		if t.Lane() == 0 && t.WarpID()%2 == 0 {
			return s.Load(t, i)
		}
		return 0
	}},
	{"halves of each warp, to 2", true, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := t.WarpSize() / 2; d > 1; d /= 2 {
			fold(t, s, t.Lane() < d, i, i+d)
		}
		if t.Lane() == 0 {
			return s.Load(t, i)
		}
		return 0
	}},
	{"halves of columns, of which some are asked for", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := n / 2; d >= 8; d /= 2 {
			fold(t, s, i < d, i, i+d)
		}
		if i < 5 {
			return s.Load(t, i)
		}
		return 0
	}},
	{"doubles", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < n; d *= 2 {
			fold(t, s, i%(2*d) == 0, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"doubles, to a half", true, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < n/2; d *= 2 {
			fold(t, s, i%(2*d) == 0, i, i+d)
		}
		return firstOf(t, s, i)
	}},
	{"doubles, by the first threads", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < n; d *= 2 {
			fold(t, s, 2*d*i < n, 2*d*i, 2*d*i+d)
		}
		return firstOf(t, s, i)
	}},
	{"doubles, by the first threads, to a half", true, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < n/2; d *= 2 {
			fold(t, s, 2*d*i < n, 2*d*i, 2*d*i+d)
		}
		return firstOf(t, s, i)
	}},
	{"doubles of each warp, of which some are asked for", false, 4, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < t.WarpSize(); d *= 2 {
			fold(t, s, i%(2*d) == 0, i, i+d)
		}
		if t.Lane() == 0 && t.WarpID() != 1 {
			return s.Load(t, i)
		}
		return 0
	}},
	{"scan up and down a tree", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < n; d *= 2 {
			fold(t, s, 2*d*(i+1) <= n, 2*d*(i+1)-1, 2*d*i+d-1)
		}
		if i == 0 {
			s.Store(t, n-1, 0)
		}
		intrinsics.SyncThreads(t)
		for d := n / 2; d > 0; d /= 2 {
			if a, b := 2*d*i+d-1, 2*d*(i+1)-1; b < n {
				l, r := s.Load(t, a), s.Load(t, b)
				s.Store(t, a, r)
				s.Store(t, b, l+r)
			}
			intrinsics.SyncThreads(t)
		}
		return s.Load(t, i)
	}},
	{"scan in steps", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for d := 1; d < n; d *= 2 {
			v := s.Load(t, i)
			if i >= d {
				v += s.Load(t, i-d)
			}
			intrinsics.SyncThreads(t)
			s.Store(t, i, v)
			intrinsics.SyncThreads(t)
		}
		return s.Load(t, i)
	}},
	{"one thread adds up", false, 1, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		for k := 1; i == 0 && k < n; k++ {
			s.Store(t, 0, s.Load(t, 0)+s.Load(t, k))
		}
		return firstOf(t, s, i)
	}},
	{"halves, row by row", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) (sum int32) {
		for row := range 3 {
			s.Store(t, i, int32(i+row))
			intrinsics.SyncThreads(t)
			for d := n / 2; d > 0; d /= 2 {
				fold(t, s, i < d, i, i+d)
			}
			sum += firstOf(t, s, i)
			intrinsics.SyncThreads(t)
		}
		return sum
	}},
	{"halves, row by row, to 2", true, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) (sum int32) {
		for row := range 3 {
			s.Store(t, i, int32(i+row))
			intrinsics.SyncThreads(t)
			for d := n / 2; d > 1; d /= 2 {
				fold(t, s, i < d, i, i+d)
			}
			sum += firstOf(t, s, i)
			intrinsics.SyncThreads(t)
		}
		return sum
	}},
	{"halves, and all threads vote on what they have", false, 2, func(t *thread, s *intrinsics.Array[int32], n, i int) int32 {
		v := s.Load(t, i)
		for d := n / 2; d > 1; d /= 2 {
			if i < d {
				v += s.Load(t, i+d)
				s.Store(t, i, v)
			}
			intrinsics.SyncThreads(t)
		}
		any := intrinsics.SyncThreadsOr(t, v > 100)
		if i == 0 && any {
			return s.Load(t, 0)
		}
		return 0
	}},
}

// A tree of sums in shared memory that stops before one is left is named, whatever its
// order; one that goes to the end is not, nor what only looks like a tree.
func TestSharedTrees(t *testing.T) {
	needsCode(t)
	for i := range sharedTrees {
		c := &sharedTrees[i]
		for _, device := range []string{"h200", "mi300x", "mtt-s4000", "amd32"} {
			n := c.warps * profile(t, device).Lanes
			e := watched(t, device)
			o, err := intrinsics.Global(e, make([]int32, n))
			require.NoError(t, err)
			r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), func(t *thread) {
				s := intrinsics.Shared[int32](t, n)
				i := t.ThreadRank()
				s.Store(t, i, int32(i))
				intrinsics.SyncThreads(t)
				if v := c.lane(t, s, n, i); v != 0 {
					o.Store(t, i, v)
				}
			})
			require.NoError(t, err)
			if c.early {
				require.Len(t, r.Faults, 1, "%s on %s", c.name, device)
				require.Equal(t, warp.PartialReduction, r.Faults[0].Kind)
				require.Contains(t, r.Faults[0].Site.File, "shared_trees_test.go")
			} else {
				require.Empty(t, r.Faults, "%s on %s", c.name, device)
			}
		}
	}
}
