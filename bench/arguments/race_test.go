//go:build race

package arguments

// raced says that the race detector is at work, which the program that this test builds
// and runs is without.
const raced = true
