// Ownkernel is the command sweep with kernels of its own:
//
//	go run ./examples/ownkernel examples/ownkernel/mailbox.yaml
package main

import (
	_ "example.com/warpsim/bench/sweep/examples/ownkernel/mailbox"
	"example.com/warpsim/bench/sweep/program"
)

func main() { program.Main() }
