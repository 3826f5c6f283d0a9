//go:build !(goexperiment.simd && amd64)

package row

import (
	"unsafe"

	"example.com/warpsim/lane"
)

// VectorBinary does nothing in this build, and says so.
func VectorBinary(Elem, BinaryOp, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int, lane.Mask) bool {
	return false
}

// VectorCompare does nothing in this build, and says so.
func VectorCompare(Elem, CompareOp, unsafe.Pointer, unsafe.Pointer, int) (lane.Mask, bool) {
	return lane.Mask{}, false
}
