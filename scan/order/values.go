package order

import "unsafe"

// hasValues reports whether keys come with values: type struct{} is none, since
// there is nothing to move.
func hasValues[V any]() bool {
	var v V
	return unsafe.Sizeof(v) > 0
}

// pairBytes is how many bytes a key and its value take.
func pairBytes[K, V any]() int {
	var k K
	var v V
	return int(unsafe.Sizeof(k) + unsafe.Sizeof(v))
}
