// Package device describes the devices that warpsim simulates: how many lanes
// a warp has, which rules its language and its hardware follow, what limits a
// launch, and what each instruction costs.
//
// A device is data, not code. Each built-in device is one JSON file under
// profiles/, and every number in it carries a status and a source (see
// README.md in this folder for the format). [Lookup] gives a built-in device,
// [Custom] a neutral one of any power-of-two width, [Parse] and [Load] read a
// profile of your own.
//
// Nothing here runs a kernel or knows one.
package device
