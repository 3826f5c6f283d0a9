package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// number makes a value of any type from random bits: all bits of an integer, a
// float small enough that sums of any order are exact.
func number[T warp.Number](r *rand.Rand) T {
	var zero T
	if T(1)/2 != zero {
		return T(r.IntN(2001) - 1000)
	}
	return T(r.Uint64())
}

// ops are the ready operators that give the same in any order: products of
// floats round.
func ops[T warp.Number]() []reduce.Op[T] {
	list := []reduce.Op[T]{reduce.Sum[T](), reduce.Min[T](), reduce.Max[T]()}
	if T(1)/2 == 0 {
		list = append(list, reduce.Product[T]())
	}
	return list
}

func integerOps[T warp.Integer]() []reduce.Op[T] {
	return append(ops[T](), reduce.And[T](), reduce.Or[T](), reduce.Xor[T]())
}

// checkType holds every algorithm on every kind of device with random tiles
// against the fold from left to right.
func checkType[T warp.Number](t *testing.T, engines []*warp.Engine, ops []reduce.Op[T]) {
	t.Helper()
	var zero T
	r := rand.New(rand.NewPCG(11, uint64(len(fmt.Sprintf("%T", zero)))))
	for _, e := range engines {
		lanes := e.Device().Lanes
		for _, op := range ops {
			for _, a := range reduce.Algorithms[T]() {
				for range 3 {
					tile := reduce.Tile{Everywhere: r.IntN(2) == 0}
					n := lanes
					if a.Scope == reduce.BlockScope {
						n = 1 + r.IntN(5*lanes)
					} else if r.IntN(3) > 0 {
						tile.Width = 1 + r.IntN(lanes)
						if r.IntN(2) == 0 {
							tile.Width = 1 << r.IntN(max(1, len(fmt.Sprintf("%b", lanes))-1))
						}
					}
					size := n
					if tile.Width > 0 {
						size = tile.Width
					}
					tile.Valid = team.First(r.IntN(size + 1))
					if r.IntN(4) == 0 {
						tile.Valid = team.All()
					}
					in := make([]T, n)
					for i := range in {
						in[i] = number[T](r)
					}
					poison := number[T](r)
					if a.Scope == reduce.BlockScope {
						checkBlock(t, e, a, op, in, tile, poison)
					} else {
						checkWarp(t, e, a, op, in, tile, 1+r.IntN(lanes), poison)
					}
				}
			}
		}
	}
}

func TestEveryTypeAndOperator(t *testing.T) {
	var engines []*warp.Engine
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-8"} {
		engines = append(engines, engine(t, name))
	}
	checkType(t, engines, integerOps[int8]())
	checkType(t, engines, integerOps[uint8]())
	checkType(t, engines, integerOps[int16]())
	checkType(t, engines, integerOps[uint16]())
	checkType(t, engines, integerOps[int32]())
	checkType(t, engines, integerOps[uint32]())
	checkType(t, engines, integerOps[int64]())
	checkType(t, engines, integerOps[uint64]())
	checkType(t, engines, integerOps[int]())
	checkType(t, engines, ops[float32]())
	checkType(t, engines, ops[float64]())
}
