//go:build goexperiment.simd && amd64

package row

import (
	"simd/archsimd"
	"unsafe"

	"example.com/warpsim/crossbar"
)

const vectorWords = 16

// wordNumbers counts the words of a vector.
var wordNumbers = [vectorWords]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// pairSources has, by mode and operand, where each word of a row of 32 comes from.
var pairSources = func() (t [crossbar.NumModes][2 * vectorWords][2 * vectorWords]uint32) {
	var own [2 * vectorWords]uint32
	for i := range own {
		own[i] = uint32(i)
	}
	for mode := range t {
		for d := range t[mode] {
			crossbar.MoveWhole(t[mode][d][:], own[:], crossbar.Mode(mode), d)
		}
	}
	return t
}()

// VectorShuffles reports whether VectorShuffle moves rows of an element and
// number of lanes.
func VectorShuffles(e Elem, lanes int) bool {
	switch e {
	case Int32, Uint32, Float32, Int64, Uint64, Float64:
		return vectors(e, lanes)
	}
	return false
}

// PairShuffles reports whether PairShuffle does.
func PairShuffles(e Elem, lanes int) bool {
	switch e {
	case Int32, Uint32, Float32:
		return vectors(e, lanes) && lanes == 2*vectorWords
	}
	return false
}

// PairShuffle is crossbar.MoveWhole by permutations of vectors, for rows of
// PairShuffles, from sources that are looked up.
func PairShuffle(dst, src unsafe.Pointer, mode crossbar.Mode, d int) {
	from := unsafe.Pointer(&pairSources[mode&3][d&(2*vectorWords-1)])
	a, b := wordsAt(src, 0), wordsAt(src, 64)
	putWords(dst, 0, a.ConcatPermute(b, wordsAt(from, 0)))
	putWords(dst, 64, a.ConcatPermute(b, wordsAt(from, 64)))
}

// VectorShuffle is crossbar.MoveWhole by permutations of vectors, for rows of
// VectorShuffles, one or two 32-bit words a lane.
func VectorShuffle(dst, src unsafe.Pointer, lanes, words int, mode crossbar.Mode, d int) {
	shuffleVectors(dst, src, lanes*words, mode, d*words, words != 1)
}

// shuffleVectors moves rows of two vectors and more, given as 32-bit words. It
// goes from end to end so that it works in place.
func shuffleVectors(dst, src unsafe.Pointer, words int, mode crossbar.Mode, d int, long bool) {
	last := uint(words/vectorWords - 1)
	far, near := uint(d)/vectorWords, uint32(d)%vectorWords
	at := archsimd.LoadUint32x16(&wordNumbers)
	step := archsimd.BroadcastUint32x16(vectorWords)
	switch mode {
	case crossbar.Down:
		from, end := at.Add(archsimd.BroadcastUint32x16(near)), archsimd.BroadcastUint32x16(uint32(words-d))
		for k := uint(0); k <= last; k++ {
			// Sources beyond the last word wrap and are not taken.
			v := vectorAt(src, (k+far)&last).ConcatPermute(vectorAt(src, (k+far+1)&last), from)
			setVector(dst, k, v.Merge(vectorAt(src, k), at.Less(end)))
			at = at.Add(step)
		}
	case crossbar.Up:
		from, begin := at.Add(archsimd.BroadcastUint32x16(vectorWords-near)), archsimd.BroadcastUint32x16(uint32(d))
		at = at.Add(archsimd.BroadcastUint32x16(uint32(last) * vectorWords))
		for k := last; k <= last; k-- {
			v := vectorAt(src, (k-far-1)&last).ConcatPermute(vectorAt(src, (k-far)&last), from)
			setVector(dst, k, v.Merge(vectorAt(src, k), at.GreaterEqual(begin)))
			at = at.Sub(step)
		}
	case crossbar.Xor:
		from := at.Xor(archsimd.BroadcastUint32x16(near))
		for k := uint(0); k <= last; k++ {
			if o := k ^ far; o >= k {
				v, u := vectorAt(src, k), vectorAt(src, o)
				setVector(dst, k, u.Permute(from))
				setVector(dst, o, v.Permute(from))
			}
		}
	default:
		from := archsimd.BroadcastUint32x16(near)
		if long {
			from = from.Or(at.And(archsimd.BroadcastUint32x16(1)))
		}
		v := vectorAt(src, far).Permute(from)
		for k := uint(0); k <= last; k++ {
			setVector(dst, k, v)
		}
	}
}

func vectorAt(p unsafe.Pointer, k uint) words { return wordsAt(p, int(k)*64) }

func setVector(p unsafe.Pointer, k uint, v words) { putWords(p, int(k)*64, v) }
