// Package crossbar computes which lane's value every lane of a warp receives:
// pure routing, without warps, registers or time.
//
// # Routes
//
// A [Route] is the routing of one instruction: the source lane of every lane
// and the in-range predicate. Its methods fill it for the shuffles (up, down,
// xor, idx with width segments, one operand or one per lane, three operand
// rules), for the raw form with segment and clamp fields, and for the routes
// of devices that permute through addresses, rows of 16 lanes and halves.
// [Move] then carries a row of values along a route, and [Route.MoveMask] a
// bit per lane.
//
// Nothing here allocates, and a Route can be reused for any number of
// instructions. The widths are powers of two from 1 to [lane.MaxLanes].
//
// # Shuffles
//
// [Route.Shuffle] takes a [Mode], a width that cuts the warp into segments, and an
// operand; a [Rule] says how many bits of it a device looks at. What cannot be is an
// error that matches one of the Err values ([Validate]).
//
// # Routes of one vendor
//
// [Route.RowMove] takes a [RowControl] ([RowShiftLeft], [RowMirror] and so on) and
// [RowWrite] says who writes; [Route.Swizzle] takes a pattern, [Route.Permute] and
// [Route.PermuteBack] an address in every lane.
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package crossbar
