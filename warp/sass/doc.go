// Package sass runs compiled kernels: listings that cuobjdump -sass and
// nvdisasm -c print are parsed, decoded and executed as they are, by warps of
// the engine in package warp.
//
// # From a listing to a run
//
// [Parse] reads a listing: its functions, and of each the instructions with
// guard, operands and, where the listing has the encoded words, control codes.
// [Listing.Find] finds a function by its mangled name, its name in the source,
// or a part of either. [Function.Program] decodes it for execution: what it
// does not know is an error that names all such lines at once. [Run] launches a
// program like a kernel. [Decode] takes an encoded instruction apart, without any text.
//
// # What runs
//
// The integer, float, double, half, conversion, logic, predicate, uniform, move,
// memory, atomic, vote, match, shuffle, reduction, barrier, branch, call and
// convergence instructions of compute capabilities 7.0 to 9.0, and what compilers made of
// the same programs for 10.0 and 12.0. Matrix, texture, surface and bulk copy
// instructions are not known. Two sets of programs compiled for sm_75, sm_80, sm_86, sm_89,
// sm_90, sm_100 and sm_120 are printed again as the disassembler printed them, are decoded
// from their words alone, and leave what plain Go computes; of sm_70 and sm_72, whose
// words have the form of sm_75's, no listing was at hand. What a compiler puts into
// constant banks 2 and 3 is in what nvdisasm prints without -c; with other listings
// Launch.Constants gives it.
//
// Time is that of the device of the engine, whatever a listing was compiled for.
//
// Generic addresses find shared and local memory in two windows, whose places a kernel
// reads from constant bank 0 or special registers. An asynchronous copy to shared
// memory (LDGSTS) puts the values there at once; waiting for it only takes time, which
// the control codes say: DEPBAR waits for all copies, or for none where some may be under
// way. Without the encoded words nothing waits for copies. Registers without a value may
// be saved on the stack, in local memory; what is loaded from there counts as defined.
//
// Lanes go their own ways: a branch in which they part makes two paths of which
// one waits, and BSYNC, WARPSYNC and exits bring paths together, as convergence
// barriers do on the chip. A path that loops lets the others go on now and then.
//
// # What a kernel sees
//
// Constant bank 0 holds the shape of the launch and the arguments, at the place
// where the architecture has them. Bank 4 holds addresses of module variables:
// what the launch does not give is memory of the run's own, zeros at first. Clocks
// read 0, as values do not depend on time.
//
// Reciprocals, roots, exponentials and the like are rounded correctly, where the
// chip approximates; results that are no number have the chip's one pattern.
//
// # Speed
//
// On amd64 with AVX2 most instructions run by vector instructions, with the same results
// to the bit. Instructions are booked in stretches then, unless an Observer, a Trace or
// Lines ask for each.
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package sass
