package scan

import (
	"fmt"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
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
	// threads of the block); 0 is all. Lanes that are not active hold no item:
	// the lanes of a group with one must be its first. What lanes without an
	// item hold may be undefined; no operator sees it, and their results are
	// undefined.
	Valid int

	// Initial, if it is not the zero register, holds a value that stands
	// before the first item, the same in all lanes: both scans begin with it.
	Initial warp.Reg[T]
	// Exclusive, if it is not the zero register, receives the exclusive scan:
	// what stands before each item. The first item gets Initial, or the
	// operator's identity; an operator without is an error of kind
	// reduce.ErrIdentity.
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

// wanted reports whether r is not the zero register. A type that can be a
// register can be compared.
func wanted[T any](r warp.Reg[T]) bool { return any(r) != any(warp.Reg[T]{}) }

// check holds a Spec for groups of at most n items against an operator.
func (s *Spec[T]) check(name string, op *reduce.Op[T], n int) error {
	if s.Valid < 0 || s.Valid > n {
		return &reduce.Error{Algorithm: name, Kind: reduce.ErrValid, Detail: fmt.Sprintf("%d of %d", s.Valid, n),
			Advice: fmt.Sprintf("use 1 to %d, or 0 for all", n)}
	}
	if wanted(s.Exclusive) && !wanted(s.Initial) && s.Prefix == nil && !op.HasIdentity {
		return &reduce.Error{Algorithm: name, Kind: reduce.ErrIdentity, Detail: op.Name + " has none for the first item of an exclusive scan",
			Advice: "give an initial value"}
	}
	return nil
}

// checkWarp holds a Spec against a warp.
func (s *Spec[T]) checkWarp(name string, op *reduce.Op[T], lanes int, needPow2 bool) error {
	if s.Width < 0 || s.Width > lanes {
		return &reduce.Error{Algorithm: name, Kind: reduce.ErrWidth, Detail: fmt.Sprintf("%d, and a warp has %d lanes", s.Width, lanes),
			Advice: fmt.Sprintf("use 1 to %d, or 0 for the whole warp", lanes)}
	}
	if needPow2 && s.Width&(s.Width-1) != 0 {
		return &reduce.Error{Algorithm: name, Kind: reduce.ErrWidth, Detail: fmt.Sprintf("%d is no power of two", s.Width), Advice: "use hillis-steele"}
	}
	if s.Prefix != nil {
		return &reduce.Error{Algorithm: name, Kind: reduce.ErrShape, Detail: "a prefix callback for a warp", Advice: "use Initial, or a block algorithm"}
	}
	n := s.Width
	if n == 0 {
		n = lanes
	}
	return s.check(name, op, n)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func fail(algorithm string, kind error, detail, advice string) {
	panic(&reduce.Error{Algorithm: algorithm, Kind: kind, Detail: detail, Advice: advice})
}
