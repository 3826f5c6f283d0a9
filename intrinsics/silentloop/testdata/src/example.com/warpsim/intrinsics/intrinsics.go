// Package intrinsics stands in for the library's: names and types alone.
package intrinsics

import "iter"

type Thread struct{}

func (t *Thread) Lane() int           { return 0 }
func (t *Thread) WarpSize() int       { return 32 }
func (t *Thread) Loop() iter.Seq[int] { return nil }
func (t *Thread) Fail(f error)        {}

type Mask struct{}

func (m Mask) Count() int { return 0 }

type Array[T any] struct{}

func (a *Array[T]) Load(t *Thread, i int) (v T) { return }
func (a *Array[T]) Store(t *Thread, i int, v T) {}
func (a *Array[T]) Len() int                    { return 0 }

func Ballot(t *Thread, p bool) Mask                            { return Mask{} }
func Any(t *Thread, p bool) bool                               { return p }
func ShflXor[T any](t *Thread, v T, m int, w ...int) T         { return v }
func Popc(t *Thread, x uint32) int                             { return 0 }
func AtomicCAS[T any](t *Thread, a *Array[T], i int, w, v T) T { return v }
func AtomicExch[T any](t *Thread, a *Array[T], i int, v T) T   { return v }
func Launch(kernel func(t *Thread))                            {}
