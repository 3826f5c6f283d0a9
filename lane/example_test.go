package lane_test

import (
	"errors"
	"fmt"

	"example.com/warpsim/lane"
)

func ExampleMask() {
	even := lane.Mask{}
	for l := 0; l < 32; l += 2 {
		even = even.With(l)
	}
	low := lane.FirstN(8)
	fmt.Println(even, even.Count(), even.And(low).Ranges())
	fmt.Println(even.Rank(6), even.Nth(3), even.First(), even.Last())
	// Output:
	// 0x55555555 16 0,2,4,6
	// 3 6 0 30
}

func ExampleMask_Hex() {
	m := lane.FirstN(16)
	fmt.Println(m.Hex(32), m.Hex(64))
	// Output: 0000ffff 000000000000ffff
}

func ExampleMask_Ranges() {
	fmt.Println(lane.Only(0, 1, 2, 9).Ranges(), lane.Mask{}.Ranges())
	// Output: 0-2,9 none
}

func ExampleMask_Lanes() {
	for l := range lane.Only(1, 64, 127).Lanes() {
		fmt.Print(l, " ")
	}
	// Output: 1 64 127
}

// Where the lanes of a ballot go when they are packed together.
func ExampleMask_Rank() {
	ballot := lane.Only(3, 5, 9)
	for l := range ballot.Lanes() {
		fmt.Print(l, "->", ballot.Rank(l), " ")
	}
	// Output: 3->0 5->1 9->2
}

func ExampleParseMask() {
	m, _ := lane.ParseMask("0xff00", 32)
	fmt.Println(m.Ranges())
	_, err := lane.ParseMask("1_0000_0000", 32)
	fmt.Println(err)
	// Output:
	// 8-15
	// lane: mask "1_0000_0000" for 32 lanes: names lane 32, which the warp does not have
}

func ExampleAlloc() {
	f, _ := lane.NewFile(32, 3)
	row, _ := lane.Alloc[float64](f)
	v := lane.Row[float64](f, row)
	v[31] = 0.5
	f.SetUndefined(row, lane.FirstN(31))
	fmt.Println(row, len(v), f.Undefined(row).Ranges(), f.Free())

	_, err := lane.Alloc[float64](f)
	var full *lane.FullError
	fmt.Println(errors.As(err, &full), err)
	_, err = lane.Alloc[string](f)
	fmt.Println(err)
	// Output:
	// 0 32 0-30 1
	// true lane: no room for a register of type float64: it needs 2 rows, 1 of 3 are free; release registers that are done with
	// lane: type string cannot be a register: a string has no fixed bits
}

func ExampleFile_Release() {
	f, _ := lane.NewFile(32, 8)
	mark := f.Mark()
	_, _ = lane.Alloc[int32](f)
	_, _ = lane.Alloc[int64](f) // at row 2: 64-bit values start at an even row
	fmt.Println(f.Free())
	f.Release(mark)
	fmt.Println(f.Free())
	// Output:
	// 4
	// 8
}
