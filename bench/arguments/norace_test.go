//go:build !race

package arguments

const raced = false
