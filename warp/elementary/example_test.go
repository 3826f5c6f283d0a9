package elementary_test

import (
	"fmt"

	"example.com/warpsim/warp/elementary"
)

func ExampleFunction_Single() {
	fmt.Println(elementary.Exp.Single(1, 0), elementary.Pow.Single(2, 10))
	// Output: 2.7182817 1024
}

func ExampleFunction_Steps() {
	for _, s := range elementary.FastSin.Steps(false) {
		fmt.Println(s.Op)
	}
	// Output:
	// fmul
	// special
}
