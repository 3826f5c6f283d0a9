package crossbar_test

import (
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
)

// One step of a sum over eight lanes: every lane reads the lane four above.
func ExampleMove() {
	var r crossbar.Route
	r.Shuffle(crossbar.CutToWarp, crossbar.Down, 8, 8, 4)
	v := []int{1, 2, 3, 4, 5, 6, 7, 8}
	from := make([]int, 8)
	crossbar.Move(from, v, &r, lane.FirstN(8))
	fmt.Println(from)
	fmt.Println("in range:", r.InRange().Ranges())
	// Output:
	// [5 6 7 8 5 6 7 8]
	// in range: 0-3
}

// The same shuffle on three kinds of device: down by 33 on 32 lanes.
func ExampleRule() {
	for _, rule := range []crossbar.Rule{crossbar.CutToWarp, crossbar.Uncut, crossbar.CutTo7} {
		var r crossbar.Route
		r.Shuffle(rule, crossbar.Down, 32, 32, 33)
		fmt.Println(rule, "lane 0 reads lane", r.Source(0))
	}
	// Output:
	// ptx lane 0 reads lane 1
	// hip lane 0 reads lane 0
	// musa lane 0 reads lane 0
}

// Lanes 0 to 7 take part and each reads two above: lanes 6 and 7 read lanes
// that do not.
func ExampleRoute_Outside() {
	var r crossbar.Route
	r.Shuffle(crossbar.CutToWarp, crossbar.Down, 32, 32, 2)
	fmt.Println(r.Outside(lane.FirstN(8)).Ranges())
	// Output: 6-7
}

func ExampleRoute_MoveMask() {
	var r crossbar.Route
	r.Shuffle(crossbar.CutToWarp, crossbar.Up, 8, 4, 1)
	undefined := lane.Only(2, 3)
	fmt.Println(r.MoveMask(undefined).Ranges())
	// Output: 3
}

func ExampleValidate() {
	fmt.Println(crossbar.Validate(32, 48))
	// Output: crossbar: shuffle width 48 on 32 lanes: width is not a power of two; use a power of two from 1 to 32
}

// A prefix step along a row of 16 lanes; the first lane has nothing before it
// and keeps what it has.
func ExampleRoute_RowMove() {
	var r crossbar.Route
	if err := r.RowMove(crossbar.RowShiftRight(1), 32); err != nil {
		fmt.Println(err)
		return
	}
	moved, zeroed := crossbar.RowWrite{Rows: 0x1, Banks: 0xf}.Lanes(&r, lane.FirstN(32))
	fmt.Println(moved.Ranges(), "/", zeroed.Ranges())
	// Output: 1-15 / none
}

func ExampleRoute_PermuteRow() {
	var r crossbar.Route
	// Every lane reads its neighbour.
	if err := r.PermuteRow(32, 0xefcdab8967452301, false); err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Source(0), r.Source(1), r.Source(18))
	// Output: 1 0 19
}
