package scan

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A Spec says which threads hold the items of a scan, and what is wanted beside
// the inclusive scan. The zero Spec is all of the warp or block, and nothing
// else.
type Spec[T any] struct {
	// Width cuts a warp into groups of that many lanes, each scanned by
	// itself; 0 is the whole warp. It need not be a power of two where the
	// algorithm says so; lanes beyond the last whole group hold no item. Block
	// algorithms take 0 only.
	Width int
	// Valid is how many items each group holds, in its first lanes (the first
	// threads of the block): all, or [team.First] of a number. Lanes that are
	// not active hold no item: the lanes of a group with one must be its first.
	// What lanes without an item hold may be undefined; no operator sees it, and
	// their results are undefined. Without any item nothing is done but that
	// Aggregate receives the operator's identity, if there is one.
	Valid team.Count

	// Initial, if it is not the zero register, holds a value that stands
	// before the first item, the same in all lanes: both scans begin with it.
	Initial warp.Reg[T]
	// Exclusive, if it is not the zero register, receives the exclusive scan:
	// what stands before each item. The first item gets Initial, or the
	// operator's identity; an operator without is an error of kind
	// team.ErrIdentity.
	Exclusive warp.Reg[T]
	// Aggregate, if it is not the zero register, receives the reduction of all
	// items of the group in every lane of it (every thread of the block),
	// without Initial.
	Aggregate warp.Reg[T]
	// Prefix, if not nil, is called once in the first warp of the block after
	// the items are scanned: it sets lane 0 of prefix to a value that stands
	// before the first item, given the reduction of all items in lane 0 of
	// total. Both scans then begin with it. Only block algorithms take it, and
	// not together with Initial.
	Prefix func(prefix, total warp.Reg[T])
}

// check holds a Spec against a warp of so many lanes or a block of so many
// threads, and an operator.
func (s *Spec[T]) check(name string, op *reduce.Op[T], t team.Team, lanes, threads int) error {
	if err := t.Holding(s.Valid).Check(name, lanes, threads); err != nil {
		return err
	}
	if parts.Given(s.Exclusive) && !parts.Given(s.Initial) && s.Prefix == nil && !op.HasIdentity {
		return problem(name, team.ErrIdentity, op.Name+" has none for the first item of an exclusive scan", "give an initial value")
	}
	return nil
}

// checkWarp is check for a scan of the lanes of a warp.
func (s *Spec[T]) checkWarp(name string, op *reduce.Op[T], lanes int, needPow2 bool) error {
	if needPow2 && s.Width > 0 && bits.OnesCount(uint(s.Width)) != 1 {
		return problem(name, team.ErrWidth, fmt.Sprintf("%d is no power of two", s.Width), "use hillis-steele")
	}
	if s.Prefix != nil {
		return problem(name, team.ErrShape, "a prefix callback for a warp", "use Initial, or a block algorithm")
	}
	return s.check(name, op, team.Groups(s.Width), lanes, 0)
}

// checkBlock is check for a scan of the threads of a block.
func (s *Spec[T]) checkBlock(name string, op *reduce.Op[T], threads int) error {
	switch {
	case s.Width != 0:
		return problem(name, team.ErrWidth, fmt.Sprintf("%d, and a block has no groups", s.Width), "leave it 0")
	case s.Prefix != nil && parts.Given(s.Initial):
		return problem(name, team.ErrShape, "both an initial value and a prefix callback", "let the callback add the initial value")
	}
	return s.check(name, op, team.Block(), 0, threads)
}

// lanes makes the roster of a warp-level scan.
func (s *Spec[T]) lanes(w *warp.Warp, name string) team.Roster {
	return team.Groups(s.Width).Holding(s.Valid).BindLanes(w, name)
}

// none reports whether a scan has no items, and makes the reduction of them.
func none[T any](t *team.Roster, op *reduce.Op[T], s *Spec[T]) bool {
	if t.Valid > 0 {
		return false
	}
	if parts.Given(s.Aggregate) && op.HasIdentity {
		warp.Set(s.Aggregate, op.Identity)
	}
	return true
}

// problem returns a *team.Error.
func problem(algorithm string, kind error, detail, advice string) error {
	return &team.Error{Algorithm: algorithm, Kind: kind, Detail: detail, Advice: advice}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func fail(algorithm string, kind error, detail, advice string) {
	panic(problem(algorithm, kind, detail, advice))
}
