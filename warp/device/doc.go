// Package device describes the devices that warpsim simulates: how many lanes
// a warp has, which rules its language and its hardware follow, what limits a
// launch, and what each instruction costs.
//
// # Profiles
//
// A device is data, not code. Each built-in device is one JSON file under
// profiles/, and every number in it carries a status and a source (see
// README.md in this folder for the format). [Lookup] gives a built-in device,
// [Custom] a neutral one of any power-of-two width, [Parse] reads a profile of
// your own, and [With] changes one. [Profile.Occupancy] says how many
// blocks a multiprocessor holds, and why no more.
//
// Nothing here runs a kernel or knows one.
//
// # What a profile has
//
// [Profile.Lanes], [Rules] (what operands, masks, reads of inactive lanes and barriers
// mean), [Limits] (of a launch, a block and a multiprocessor), [Banks] of shared memory,
// [Memory] sizes, and [Timing]: pipes and ops by name. [Profile.Source] says where a
// number comes from and [Profile.Summary] counts how the numbers are known; a profile
// that contradicts itself is a [*ProfileError].
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version. The format of profiles carries a number, and later versions
// read earlier ones; the numbers in the profiles follow what becomes known.
package device
