// Conformance holds the library against results recorded on real hardware.
//
//	go run ./bench/conformance
//	go run ./bench/conformance -layer routing
//	go run ./bench/conformance -skip NAME DIR
//
// Without DIR it checks the recordings that are built into the program. A DIR
// holds files of the same format, as NAME.csv or NAME.csv.gz. See -h for the flags.
//
// It prints one line a file with its rows and mismatches, below it the first
// mismatch in full, and a last line TOTAL. It exits with 1 on a mismatch, a
// malformed row, or a file that it has no check for unless -skip names it, and
// with 2 if it was called wrongly.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
