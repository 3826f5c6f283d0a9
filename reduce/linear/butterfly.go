package linear

import (
	"math"
	"math/bits"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
)

// WalshHadamard transforms v, one element a lane: lane l ends up with the sum
// over all lanes k of v[k], negated where k and l share an odd number of bits.
// It takes log2(w) butterflies over the distances 1, 2, 4, ... and does not
// normalise: twice applied it multiplies by the number of lanes.
func WalshHadamard[T warp.Number](v warp.Reg[T]) {
	w := v.Warp()
	full(w, "walsh-hadamard")
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	for d := 1; d < w.Width(); d *= 2 {
		warp.Shfl(x, v, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d)})
		warp.SetPred(p, lanesWith(w, d))
		w.WhereNot(p, func() { warp.Add(v, v, x) })
		w.Where(p, func() { warp.Sub(v, x, v) })
	}
	w.Release(m)
}

// FFT transforms the complex numbers of re and im, one a lane: lane l ends up
// with the sum over all lanes k of v[k]*exp(-2πi*k*l/w). It takes log2(w)
// butterflies of two shuffles each over falling distances (decimation in
// frequency), twiddle factors from constant memory, and a last permutation that
// reverses the bits of the lane numbers. Every product and sum is rounded by
// itself.
func FFT[T float32 | float64](re, im warp.Reg[T]) {
	w := re.Warp()
	full(w, "fft")
	n := w.Width()
	id := w.LaneID()
	m := w.Mark()
	xr, xi, t := warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[T](w)
	wr, wi, p := warp.Alloc[T](w), warp.Alloc[T](w), w.Pred()
	for d := n / 2; d > 0; d /= 2 {
		across := warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d)}
		warp.Shfl(xr, re, across)
		warp.Shfl(xi, im, across)
		warp.SetPred(p, lanesWith(w, d))
		w.WhereNot(p, func() {
			warp.Add(re, re, xr)
			warp.Add(im, im, xi)
		})
		w.Where(p, func() {
			warp.Sub(re, xr, re)
			warp.Sub(im, xi, im)
			if d == 1 {
				return // the twiddle factor is 1
			}
			warp.SetLanes(wr, func(l int) T { return T(math.Cos(angle(l, d))) })
			warp.SetLanes(wi, func(l int) T { return T(math.Sin(angle(l, d))) })
			warp.Mul(xr, re, wr)
			warp.Mul(t, im, wi)
			warp.Mul(xi, re, wi)
			warp.Mul(im, im, wr)
			warp.Sub(re, xr, t)
			warp.Add(im, im, xi)
		})
	}
	if n > 1 {
		at := warp.Alloc[int32](w)
		warp.Brev(at, id)
		// Logical: the sign bit is a lane bit here.
		u := warp.Alloc[uint32](w)
		warp.Bitcast(u, at)
		warp.ShrImm(u, u, uint32(32-bits.TrailingZeros(uint(n))))
		warp.Bitcast(at, u)
		from := warp.Shuffle{Mode: crossbar.Idx, PerLane: at}
		warp.Shfl(re, re, from)
		warp.Shfl(im, im, from)
	}
	w.Release(m)
}

// angle is that of the twiddle factor of lane l in the butterfly of distance d.
func angle(l, d int) float64 { return -math.Pi * float64(l%d) / float64(d) }
