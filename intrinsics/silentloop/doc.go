// Package silentloop is an analyzer for go vet that finds loops of kernels whose
// turns the scheduler of package intrinsics may not see.
//
// Lanes of a warp that part in a loop meet again turn by turn. A library sees a
// lane only where it calls one of the thread's functions (a shuffle, a vote, a
// barrier, a load, a store): a turn that passes no call, such as one that a
// continue ends first, goes by unseen, and the lane then meets others in a turn
// that is none of its own. So does the turn of a loop whose only calls are those
// of a loop inside it. Over Thread.Loop every turn is seen.
//
// The analyzer reports a loop if
//   - its body, or a loop in it, calls a function of the thread,
//   - there is a way through the body that passes no such call outside of the
//     loops inside it, and
//   - a condition in it may differ from lane to lane.
//
// and offers to write it over Thread.Loop where that can be done by itself.
//
// It also reports a loop without a condition at whose end a call of the thread stands
// before a way out in a branch, with nothing of the loop after it: machine code does not
// tell it from what comes behind the loop, where lanes gather, see "Converged lanes" in
// the document of package intrinsics. Over Thread.Loop it is run in its turn.
//
//	go install example.com/warpsim/intrinsics/silentloop/cmd/silentloop
//	go vet -vettool=$(which silentloop) ./...
//
// What calls a function of the thread on each way through is known of functions
// with a body in the package or in one that it imports, and of function literals
// that a variable is set to once; other functions count as ones that may pass no
// call. Conditions of a function that is not a kernel itself may differ if they
// depend on its parameters.
package silentloop
