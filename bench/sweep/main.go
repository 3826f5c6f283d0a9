// Sweep runs the sweep of a file on Apache Beam: go run . examples/block-reduction.yaml
package main

import "example.com/warpsim/bench/sweep/program"

func main() { program.Main() }
