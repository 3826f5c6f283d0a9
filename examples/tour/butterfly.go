package main

import (
	"math"
	"math/bits"
	"math/cmplx"

	"example.com/warpsim/intrinsics"
)

// butterfly exchanges pairs by xor: both get the other's value, so that all lanes go on
// with something. Sums and differences are a Walsh-Hadamard transform; with factors
// between the steps it is an FFT.
func butterfly(g *guide) error {
	n := g.device.Lanes
	wht := make([]float32, n)
	_, err := g.launch(0, func(t *intrinsics.Thread) {
		v := float32(t.Lane() % 4)
		for step := 1; step < t.WarpSize(); step *= 2 {
			other := intrinsics.ShflXorSync(t, t.AllLanes(), v, step)
			if t.Lane()&step == 0 {
				v += other
			} else {
				v = other - v
			}
		}
		wht[t.Lane()] = v
	})
	if err != nil {
		return err
	}
	row(g, "WHT", wht)

	// A tone that goes round three times in n points is one line of the spectrum.
	spectrum := make([]float64, n)
	_, err = g.launch(0, func(t *intrinsics.Thread) {
		x := 2 * math.Pi * 3 * float64(t.Lane()) / float64(n)
		re, im := float32(math.Cos(x)), float32(math.Sin(x))
		for half := n / 2; half > 0; half /= 2 { // from far to near: results in bit-reversed order
			re2, im2 := intrinsics.ShflXorSync(t, t.AllLanes(), re, half), intrinsics.ShflXorSync(t, t.AllLanes(), im, half)
			if t.Lane()&half == 0 {
				re, im = re+re2, im+im2
			} else {
				w := cmplx.Exp(complex(0, -math.Pi*float64(t.Lane()%half)/float64(half)))
				d := complex(float64(re2-re), float64(im2-im)) * w
				re, im = float32(real(d)), float32(imag(d))
			}
		}
		at := bits.Reverse64(uint64(t.Lane())) >> (64 - bits.TrailingZeros(uint(n)))
		spectrum[at] = cmplx.Abs(complex(float64(re), float64(im)))
	})
	if err != nil {
		return err
	}
	for k, a := range spectrum {
		if a > 0.01*float64(n) {
			g.printf("FFT          a line at %d, of height %.1f\n", k, a)
		}
	}
	return nil
}
