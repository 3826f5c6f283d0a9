package kernels

import (
	"fmt"
	"math"
	"math/bits"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// WalshHadamard replaces v in each group of width lanes by its Walsh–Hadamard
// transform: out[i] is the sum of v[j], with the sign turned where i&j has an odd
// number of bits.
//
//	in   lane 0: 1   lane 1: 0   lane 2: 1   lane 3: 0
//	out  lane 0: 2   lane 1: 2   lane 2: 0   lane 3: 0
//
// The order is natural (Hadamard), nothing is scaled: twice is width times the
// input.
//
// Contract:
//
//   - Lanes: whole groups. Width is a power of two, 0 the whole warp.
//   - Shared memory: none.
//   - Cost: log2(width) steps, each a shuffle, a mask, a compare, a predicated
//     negation and an addition.
//   - Errors: team.ErrWidth, ErrActive.
func WalshHadamard[T warp.Number](v warp.Reg[T], width int) {
	w := v.Warp()
	width = groupWidth(w, "walsh-hadamard", width)
	wholeGroups(w, "walsh-hadamard", width)
	id := w.LaneID()
	m := w.Mark()
	x, bit, upper := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < width; d *= 2 {
		warp.ShflXor(x, v, d)
		warp.AndImm(bit, id, int32(d))
		warp.NeImm(upper, bit, 0)
		w.Where(upper, func() { warp.Neg(v, v) }) // the upper lane gets lower - upper
		warp.Add(v, v, x)
	}
	w.Release(m)
}

// A Float is a type that FFT computes in.
type Float interface{ float32 | float64 }

// FFT transforms complex points by a fast Fourier transform in each group of
// width lanes. Point j*width + l is in lane l of the group, its real part in
// re[j], its imaginary part in im[j], before and after: with one register each a
// group transforms width points, with two or four 64 or 128 on a warp of 32.
//
//	in   lane 0: 1   lane 1: 0   lane 2: -1   lane 3: 0
//	out  lane 0: 0   lane 1: 2   lane 2: 0    lane 3: 2
//
// out[k] is the sum of in[n]*exp(-2πi*k*n/N). inverse turns the sign of the
// exponent and divides by N.
//
// Each of log2(N) steps adds and subtracts points that are half a block apart and
// turns the differences by twiddle factors, which come from constant memory. The
// relative error, in the Euclidean norm, is to first order below
// log2(N)*(μ + 4√2*u), with u half the distance of 1 to the next number and μ the
// error of the factors: u for float32, and 11u for float64, in which they are
// computed (Higham, Accuracy and Stability of Numerical Algorithms, theorem
// 24.2).
//
// Contract:
//
//   - Lanes: whole groups. Width and the number of registers are powers of two,
//     width 0 is the whole warp.
//   - Shared memory: none.
//   - Cost: two shuffles a point for each step between lanes; the result stands in
//     bit-reversed order then, from which 2*k*k shuffles bring it back, for k
//     registers.
//   - Errors: team.ErrItems, ErrWidth, ErrActive.
func FFT[F Float](re, im []warp.Reg[F], width int, inverse bool) {
	const name = "fft"
	k := len(re)
	if k == 0 || k != len(im) || k&(k-1) != 0 {
		fail(name, team.ErrItems, fmt.Sprintf("%d real and %d imaginary registers", k, len(im)), "use as many of each, a power of two")
	}
	w := re[0].Warp()
	width = groupWidth(w, name, width)
	wholeGroups(w, name, width)
	w.LaneID()
	m := w.Mark()
	f := transform[F]{w: w, re: re, im: im, width: width, n: k * width, sign: -1,
		x: warp.Alloc[F](w), y: warp.Alloc[F](w), wr: warp.Alloc[F](w), wi: warp.Alloc[F](w), upper: w.Pred()}
	if inverse {
		f.sign = 1
	}
	for d := f.n / 2; d >= width; d /= 2 {
		f.inside(d)
	}
	for d := min(width, f.n) / 2; d > 0; d /= 2 {
		f.between(d)
	}
	f.reorder()
	if inverse {
		for j := range k {
			warp.MulImm(re[j], re[j], 1/F(f.n))
			warp.MulImm(im[j], im[j], 1/F(f.n))
		}
	}
	w.Release(m)
}

// A transform is one FFT under way.
type transform[F Float] struct {
	w            *warp.Warp
	re, im       []warp.Reg[F]
	width, n     int
	sign         float64
	x, y, wr, wi warp.Reg[F]
	upper        warp.Pred
}

// twiddle loads the factors of point i in a step of distance d: of lane l the
// factor exp(±2πi*(point mod d)/(2d)) for upper points, 1 for lower ones.
func (f *transform[F]) twiddle(d int, point func(l int) int) {
	angle := func(l int) float64 {
		if p := point(l); p&d != 0 {
			return f.sign * math.Pi * float64(p%d) / float64(d)
		}
		return 0
	}
	warp.SetLanes(f.wr, func(l int) F { return F(math.Cos(angle(l))) })
	warp.SetLanes(f.wi, func(l int) F { return F(math.Sin(angle(l))) })
}

// turn multiplies a complex register by the twiddle factors.
func (f *transform[F]) turn(re, im warp.Reg[F]) {
	warp.Mul(f.x, im, f.wi)
	warp.Mul(f.y, re, f.wi)
	warp.Mul(re, re, f.wr)
	warp.Sub(re, re, f.x)
	warp.Mul(im, im, f.wr)
	warp.Add(im, im, f.y)
}

// inside does a step whose points are in one lane.
func (f *transform[F]) inside(d int) {
	apart := d / f.width
	for j := range f.re {
		if j&apart != 0 {
			continue
		}
		p := j + apart
		for _, part := range [][]warp.Reg[F]{f.re, f.im} {
			warp.Sub(f.x, part[j], part[p])
			warp.Add(part[j], part[j], part[p])
			warp.Mov(part[p], f.x)
		}
		if d > 1 {
			f.twiddle(d, func(l int) int { return p*f.width + l%f.width })
			f.turn(f.re[p], f.im[p])
		}
	}
}

// between does a step whose points are in lanes d apart.
func (f *transform[F]) between(d int) {
	warp.SetPred(f.upper, lanesWith(f.w, d))
	if d > 1 {
		f.twiddle(d, func(l int) int { return l % f.width })
	}
	for j := range f.re {
		for _, v := range []warp.Reg[F]{f.re[j], f.im[j]} {
			warp.Shfl(f.x, v, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d), Width: f.width})
			f.w.Where(f.upper, func() { warp.Neg(v, v) })
			warp.Add(v, v, f.x)
		}
		if d > 1 {
			f.turn(f.re[j], f.im[j])
		}
	}
}

// lanesWith returns the lanes whose number has the bit d.
func lanesWith(w *warp.Warp, d int) (m lane.Mask) {
	for l := range w.Width() {
		if l&d != 0 {
			m = m.With(l)
		}
	}
	return m
}

// reorder brings the points from bit-reversed into natural order.
func (f *transform[F]) reorder() {
	if f.n < 4 {
		return // two points and one stand where they belong
	}
	w, k := f.w, len(f.re)
	digits := bits.Len(uint(f.n)) - 1
	from := func(j, l int) int { // where point j*width + l of the result is
		return int(bits.Reverse(uint(j*f.width+l%f.width)) >> (bits.UintSize - digits))
	}
	m := w.Mark()
	at, here := warp.Alloc[int32](w), w.Pred()
	for _, part := range [][]warp.Reg[F]{f.re, f.im} {
		m := w.Mark()
		out := make([]warp.Reg[F], k)
		for j := range out {
			out[j] = warp.Alloc[F](w)
			warp.SetLanes(at, func(l int) int32 { return int32(l - l%f.width + from(j, l)%f.width) })
			for r := range k {
				mine := lane.Mask{}
				for l := range w.Width() {
					if from(j, l)/f.width == r {
						mine = mine.With(l)
					}
				}
				if r == 0 {
					warp.Shfl(out[j], part[0], warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
					continue
				}
				warp.Shfl(f.x, part[r], warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
				warp.SetPred(here, mine)
				w.Where(here, func() { warp.Mov(out[j], f.x) })
			}
		}
		for j := range out {
			warp.Mov(part[j], out[j])
		}
		w.Release(m)
	}
	w.Release(m)
}
