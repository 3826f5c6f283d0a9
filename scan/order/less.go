package order

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A Less says which of two keys comes first: it sets dst to whether a must stand
// before b in all active lanes, and must not change which lanes are active. It
// is a strict weak order: floats with a NaN among them have none by < and come
// out in an undefined order, but complete.
type Less[T any] func(dst warp.Pred, a, b warp.Reg[T])

// Ascending puts smaller numbers first.
func Ascending[T warp.Number](dst warp.Pred, a, b warp.Reg[T]) { warp.Lt(dst, a, b) }

// Descending puts larger numbers first.
func Descending[T warp.Number](dst warp.Pred, a, b warp.Reg[T]) { warp.Gt(dst, a, b) }

// By makes an order out of a Go function on single keys, at the cost of one
// instruction of the given class and a compare.
func By[T any](cost isa.Op, less func(a, b T) bool) Less[T] {
	return func(dst warp.Pred, a, b warp.Reg[T]) {
		w := a.Warp()
		m := w.Mark()
		yes := warp.Alloc[int32](w)
		warp.Map2(yes, a, b, cost, func(a, b T) int32 {
			if less(a, b) {
				return 1
			}
			return 0
		})
		warp.NeImm(dst, yes, 0)
		w.Release(m)
	}
}
