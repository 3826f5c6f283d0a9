// Package device describes the devices that warpsim simulates: how many lanes
// a warp has, which rules its language and its hardware follow, what limits a
// launch, and what each instruction costs.
//
// A device is data, not code. Each built-in device is one JSON file under
// profiles/, and every number in it carries a status and a source (see
// README.md in this folder for the format). [Lookup] gives a built-in device,
// [Custom] a neutral one of any power-of-two width, [Parse] and [Load] read a
// profile of your own, and [With] changes one. [Profile.Occupancy] says how many
// blocks a multiprocessor holds, and why no more.
//
// Nothing here runs a kernel or knows one.
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version. The format of profiles carries a number, and later versions
// read earlier ones; the numbers in the profiles follow what becomes known.
package device
