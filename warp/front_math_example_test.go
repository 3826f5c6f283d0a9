package warp_test

import (
	"fmt"

	"example.com/warpsim/warp"
)

func ExampleMathOf() {
	exp, _ := warp.MathOf("exp", 32)
	pow, _ := warp.MathOf("pow", 32)
	fmt.Println(float32(exp.Apply(1, 0, 0)), pow.Apply(2, 10, 0))
	sin, _ := warp.MathOf("fast sin", 32)
	for op := range sin.Ops() {
		fmt.Println(op)
	}
	// Output:
	// 2.7182817 1024
	// fmul
	// special
}
