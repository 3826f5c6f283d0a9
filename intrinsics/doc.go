// Package intrinsics runs kernels that are written per lane, as CUDA, HIP and
// MUSA kernels are: ordinary Go for one thread, which meets the other threads at
// the functions that the vendors' languages have. A kernel is ported line by
// line and runs in a Go test on every device that package device describes:
//
//	_, err := intrinsics.Launch(ctx, engine, warp.X(blocks), warp.X(256), func(t *intrinsics.Thread) {
//		v := in.Load(t, t.GlobalID())
//		for d := t.WarpSize() / 2; d > 0; d /= 2 {
//			v += intrinsics.ShflDownSync(t, t.AllLanes(), v, d)
//		}
//		if t.Lane() == 0 {
//			intrinsics.AtomicAdd(t, sum, 0, v)
//		}
//	})
//
// The functions bear the names that users know, and take the thread first. The
// README of this package lists them beside those of CUDA, HIP and MUSA.
//
// # What runs
//
// Each lane is a coroutine. It runs Go until it asks for an intrinsic, a load, a
// store or an atomic; requests that meet become one instruction of the engine in
// package warp, so that values, cycles, statistics, observers and faults are
// those of the engine, the same as for a kernel written wide. Lanes and warps
// take turns; the order in which they run the Go between their requests is
// fixed, but no part of any promise.
//
// # What it costs
//
// Plain Go costs nothing: it stands for what a compiler makes of it, which is
// not known here. [Add], [FMA], [Exp] and the like compute and book the instructions
// in one; [Thread.Work], and the functions on bits, book instructions alone, and
// [Thread.Branch] an if or the turn of a loop that a compiler does not unroll. The report
// says how many were booked (warp.Report.Booked). What booked nothing is free, as if it
// had been computed beforehand.
//
// Go values carry no dependences. What an instruction waits for is told by the values
// themselves, by these rules:
//
//   - A value that is, in all lanes that take part, one of the last 16 results of 4 bytes
//     or 4 of 8 bytes is that result, the latest if it is several: an instruction that
//     gets it waits for it, and for no other. The same holds for the index of an access, so
//     that the loads of a chain wait for each other; other addresses wait for nothing.
//   - Loads that follow one another without a use between are under way together, and
//     the engine takes them before what stands between and does not meet them, as a
//     compiler does (warp.Config.Order).
//   - An operand of Add and the like that is no such result, but the same in all lanes, is
//     a constant. Any other value that is no such result was made by plain Go of the
//     latest one.
//   - What Work books reads the latest result, those that nothing has read so far, and
//     each other. After a vote the next booking waits for its predicate.
//   - Predicates wait for the comparison that was booked last, and for nothing if none was.
//
// So values that are alike, such as zeros everywhere, make chains of what is none: measure
// with data that differs.
//
// # Who takes part
//
// The device says who takes part in a collective (device.Rules.Participation).
//
// By mask, as in CUDA since Volta and in MUSA: a collective with a member mask
// waits for all lanes that the mask names and that have not exited. Lanes that
// pass the same mask for the same function meet, whatever their call sites; each
// mask is a collective of its own. Lanes that wait for lanes which wait elsewhere
// are a fault (warp.MaskAbsent, warp.MaskMismatch, or warp.Deadlock if a barrier
// is part of it) that says for each of them where it is and whom it waits for.
//
// By active lanes, as in HIP, and in lockstep, as in CUDA before Volta: a
// collective acts on the lanes that are converged at its call site, and the lanes
// that pass one mask must be those that it names, or the fault is
// warp.MaskNotActive. A shuffle reads any lane that is converged, named or not.
//
// The forms without a mask (Shfl, Any, Ballot and so on), ActiveMask and
// cg.CoalescedThreads act on the converged lanes on every device.
//
// # Converged lanes
//
// Lanes part and meet as on a device with structured reconvergence: turn first,
// then place. Of the lanes of a warp that can go on, those go on that are in the
// earliest turn of the loops around them, and of these those that stand at the call
// that control comes to first; the others wait for them. So the lanes that take a
// branch run first, then those that take the other, and all are converged after
// it; the next turn of a loop begins when all lanes that take it have finished this
// one, by continue or otherwise; lanes that have left a loop wait behind it for
// those that are still in it, those that have returned from a function behind its
// call. A call of one function from two places is two places. The lanes that stand
// at the same place in the same turns when they go on are converged.
//
// No mark in the kernel tells of its loops: they are read from its machine code,
// and a lane's turns are counted by what it passes (see package flow below this
// one). So what a lane does not pass does not show: a turn in which it calls no
// intrinsic. A lane that skips one with continue meets the others in a turn that
// they are in. Where that matters, write the loop over [Thread.Loop], which tells of
// its turns. In functions whose code is not understood, and on processors other
// than amd64 and arm64, the earliest line goes first, plain loops are not known,
// and a spin that cannot end is not named: Config.MaxInstructions ends it.
//
// What stands before a break or a return in a branch is run in its turn, as it is
// written. Machine code tells it from what stands behind the loop by the condition at the
// loop's head, or by lines: something of the loop follows, or another way out leads to a
// later line. Where neither is so, as at the end of a loop without a condition
//
//	for {
//		x += ShflXor(t, x, 1)
//		if x > limit {
//			out.Store(t, t.Lane(), x)
//			break
//		}
//	}
//
// the way out is all that there is behind the loop, and lanes gather there first; so do
// they on the chip, whose compiler knows no more. Over Loop it is run in its turn. The
// analyzer finds such loops too.
//
// Loads, stores, atomics and fences act on the lanes that are converged, in the
// same order, on all devices. On devices with independent threads a lane may spin on what
// another lane will do: those that stand back go on when the others come to the same state
// again and again while nothing changes in memory, and after 4096 instructions at the latest.
//
// # Masks
//
// A member mask is an integer, as the language has it, or a Mask, which names
// lanes of the warp on a device of any width; see [MaskType]. Where masks of 32
// bits meet warps of 128 lanes (MUSA), the profile says what they name: lanes of
// the caller's own group of 32 (device.MaskOfGroup), in which the collective
// then acts, with segments of 32 lanes if no width is given, and of which a
// ballot returns the bits.
//
// # What is stable
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
// Cycles are results of the model and follow it.
package intrinsics
