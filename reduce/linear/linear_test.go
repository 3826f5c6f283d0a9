package linear_test

import (
	"context"
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/reduce/linear"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onEach runs a kernel on one block of each kind of device; threads is given the
// width of the warp. Any fault fails the test.
func onEach(t *testing.T, threads func(lanes int) int, k func(t *testing.T, w *warp.Warp)) {
	t.Helper()
	for _, name := range []string{"h200", "mi300x", "mtt-s5000", "mtt-s4000", "custom-1", "custom-4"} {
		t.Run(name, func(t *testing.T) {
			p, err := device.Lookup(name)
			require.NoError(t, err)
			e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true})
			require.NoError(t, err)
			l := warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads(p.Lanes))}
			report, err := e.Run(context.Background(), l, func(w *warp.Warp) { k(t, w) })
			require.NoError(t, err)
			require.Empty(t, report.Faults)
		})
	}
}

func oneWarp(lanes int) int { return lanes }

// lanes makes a register with a value of its own in every lane.
func lanes[T any](w *warp.Warp, f func(l int) T) warp.Reg[T] {
	r := warp.Alloc[T](w)
	warp.SetLanes(r, f)
	return r
}

func TestMatVec(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true})
	require.NoError(t, err)
	const n = 32
	matrix := make([]int64, n*n)
	for i := range matrix {
		matrix[i] = int64(i*i%101 - 50)
	}
	m, err := warp.Global(e, matrix)
	require.NoError(t, err)
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(n)}, func(w *warp.Warp) {
		x, y := lanes(w, func(l int) int64 { return int64(3*l - 40) }), warp.Alloc[int64](w)
		linear.MatVec(y, x, m)
		for r, got := range y.Lanes() {
			want := int64(0)
			for c := range n {
				want += matrix[c*n+r] * int64(3*c-40)
			}
			assert.Equal(t, want, got, r)
		}
	})
	require.NoError(t, err)
}

func TestWalshHadamard(t *testing.T) {
	onEach(t, oneWarp, func(t *testing.T, w *warp.Warp) {
		in := func(l int) int32 { return int32(l*l%23 - 7) }
		v := lanes(w, in)
		linear.WalshHadamard(v)
		for l, got := range v.Lanes() {
			want := int32(0)
			for k := range w.Width() {
				if bits.OnesCount(uint(k&l))%2 == 0 {
					want += in(k)
				} else {
					want -= in(k)
				}
			}
			if got != want {
				t.Errorf("lane %d has %d, want %d", l, got, want)
				return
			}
		}
	})
}

func TestFFT(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	onEach(t, oneWarp, func(t *testing.T, w *warp.Warp) {
		n := w.Width()
		in := make([]complex128, n)
		for i := range in {
			in[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		re := lanes(w, func(l int) float64 { return real(in[l]) })
		im := lanes(w, func(l int) float64 { return imag(in[l]) })
		linear.FFT(re, im)
		for l := range n {
			var want complex128
			for k, v := range in {
				want += v * cmplx.Rect(1, -2*math.Pi*float64(k*l%n)/float64(n))
			}
			// Seven butterflies and a direct sum of 128 terms each stay far below.
			if got := complex(re.Lanes()[l], im.Lanes()[l]); cmplx.Abs(got-want) > 1e-12*float64(n) {
				t.Errorf("lane %d has %v, want %v", l, got, want)
				return
			}
		}
	})
}

func TestAllLanesMustBeActive(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true})
	require.NoError(t, err)
	for _, c := range []struct {
		threads int
		kind    error
		k       func(v warp.Reg[float32])
	}{
		{20, reduce.ErrActive, func(v warp.Reg[float32]) { linear.WalshHadamard(v) }},
		{20, reduce.ErrActive, func(v warp.Reg[float32]) { linear.FFT(v, v) }},
		{20, reduce.ErrActive, func(v warp.Reg[float32]) { linear.MatVec(v, v, warp.Mem[float32]{}) }},
		{32, reduce.ErrStorage, func(v warp.Reg[float32]) { linear.MatVec(v, v, warp.Mem[float32]{}) }},
	} {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(c.threads)}, func(w *warp.Warp) {
			c.k(lanes(w, func(l int) float32 { return float32(l) }))
		})
		assert.ErrorIs(t, err, c.kind)
	}
}
