package isa_test

import (
	"fmt"

	"example.com/warpsim/warp/isa"
)

// The record of a shuffle that the first 16 lanes execute.
func Example() {
	in := isa.Instr{Op: isa.ShflDown, Active: 16, Dst: isa.Row(4), A: isa.Row(2)}
	fmt.Println(in.Op, in.Active, in.Dst, in.A, in.Op.Computes())
	op, known := isa.ParseOp("shfl.down")
	fmt.Println(op == in.Op, known)
	// Output:
	// shfl.down 16 R4 R2 false
	// true true
}
