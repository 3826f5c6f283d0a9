// Package cg stands in for the library's.
package cg

import "example.com/warpsim/intrinsics"

type Group struct{}

func TiledPartition(t *intrinsics.Thread, n int) Group { return Group{} }
func (g Group) Sync()                                  {}
func (g Group) Rank() int                              { return 0 }
func Reduce[T any](g Group, v T) T                     { return v }
