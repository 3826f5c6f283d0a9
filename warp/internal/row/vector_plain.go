//go:build !(goexperiment.simd && amd64)

package row

import (
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
)

// Vectors says that this build has no vector forms.
const Vectors = false

// VectorOpOf returns that VectorBinary does nothing in this build.
func VectorOpOf(Elem, BinaryOp, int) VectorOp { return 0 }

// VectorBinary does nothing in this build.
func VectorBinary(VectorOp, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int, *lane.Mask) {}

// VectorCompare does nothing in this build, and says so.
func VectorCompare(Elem, CompareOp, unsafe.Pointer, unsafe.Pointer, int) (lane.Mask, bool) {
	return lane.Mask{}, false
}

// VectorShuffles returns that VectorShuffle does nothing in this build.
func VectorShuffles(Elem, int) bool { return false }

// VectorShuffle does nothing in this build.
func VectorShuffle(unsafe.Pointer, unsafe.Pointer, int, int, crossbar.Mode, int) {}

// PairShuffles returns that PairShuffle does nothing in this build.
func PairShuffles(Elem, int) bool { return false }

// PairShuffle does nothing in this build.
func PairShuffle(unsafe.Pointer, unsafe.Pointer, crossbar.Mode, int) {}
