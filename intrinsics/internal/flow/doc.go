// Package flow reads the control flow of a compiled Go function from its machine
// code: which calls stand in which loops, which come first, and which loop a
// thread has begun anew between two calls. It is what a compiler for SIMT devices
// works out for its branches, and it does not depend on source files, which may
// be elsewhere when a program runs.
//
// Only branches, calls, returns and accesses to the stack are understood; of other
// instructions their length is enough. Functions with code that is not understood have no flow, nor
// do those of processors that are neither amd64 nor arm64.
package flow

// A kind says where control goes after an instruction.
type kind uint8

const (
	plain        kind = iota // on
	jump                     // to the target
	branch                   // to the target or on
	call                     // on, after the target, 0 if it is not known
	ret                      // out of the function
	trap                     // nowhere
	indirectJump             // to places that are not known
)

// An instr is one machine instruction.
type instr struct {
	at, target uintptr
	kind       kind
	access     access // to the stack
	grow       int    // bytes by which it makes the function's frame larger
}

// An access is one to the function's own frame, at a fixed place.
type access struct {
	what use
	slot
}

// A slot is a place in a frame, in bytes from the stack pointer.
type slot struct{ off, size int32 }

// A use is what an instruction does with the frame.
type use uint8

const (
	untouched use = iota
	load
	store
	address // takes its address, or uses it as an array
)
