// Package space holds what global memory contains by address, for hosts whose memory is no
// array of Go: memory that takes room only where it has been written, and devices that
// answer at addresses of their own.
//
// # What a space is for
//
// A [Space] is asked for what encoded instructions without an array (warp.Issue) and compiled
// listings (package sass) load and store at addresses where no array of warp.Global or
// warp.GlobalAt lies: set warp.Config.Space. [Sparse] is one, and [Sparse.Map] puts devices into it. When an access is
// complete does not depend on it; that the timing model says.
//
// # Stability
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package space
