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

// Registers are rows, pairs of rows for types of 64 bits, predicates and uniform
// registers.
func ExampleReg() {
	for _, r := range []isa.Reg{isa.Row(3), isa.RowPair(4), isa.Predicate(1), isa.Uniform(2)} {
		fmt.Println(r, r.IsPair(), r.IsPredicate(), r.IsUniform())
	}
	// Output:
	// R3 false false false
	// R4:5 true false false
	// P1 false true false
	// U2 false false true
}

// A load from shared memory of 8 bytes a lane that is served in two passes.
func ExampleMemAux() {
	in := isa.Instr{Op: isa.LoadShared, Active: 32, Dst: isa.RowPair(2), A: isa.Row(0), Count: 2, Aux: isa.MemAux(8, isa.LevelL1)}
	fmt.Println(in.MemBytes(), in.MemLevel() == isa.LevelL1)
	// Output: 8 true
}
