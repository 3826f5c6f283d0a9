// Package stack tells which calls the running goroutine is in, cheaply: along the
// frame pointers, where Go keeps them.
package stack

// Depth is how many calls are told of.
const Depth = 16
