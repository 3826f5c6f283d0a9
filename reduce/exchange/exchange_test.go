package exchange_test

import (
	"context"
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/reduce/exchange"
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
			e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
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

func TestRotateAndBroadcast(t *testing.T) {
	onEach(t, oneWarp, func(t *testing.T, w *warp.Warp) {
		n := w.Width()
		v := lanes(w, func(l int) int { return 10 * l })
		r := warp.Alloc[int](w)
		for _, k := range []int{0, 1, 3, -1, n - 1, -n - 2, 5 * n} {
			exchange.Rotate(r, v, k)
			for l, got := range r.Lanes() {
				if want := 10 * (((l+k)%n + n) % n); got != want {
					t.Errorf("rotated by %d: lane %d has %d, want %d", k, l, got, want)
					break
				}
			}
		}
		exchange.Broadcast(v, n-1)
		assert.Equal(t, 10*(n-1), v.Lanes()[0])
	})
}

func TestTranspose(t *testing.T) {
	onEach(t, oneWarp, func(t *testing.T, w *warp.Warp) {
		for n := 1; n <= w.Width(); n *= 2 {
			m := w.Mark()
			v := make([]warp.Reg[int32], n)
			for i := range v {
				v[i] = lanes(w, func(l int) int32 { return int32(1000*i + l) })
			}
			exchange.Transpose(v...)
			for i := range v {
				for l, got := range v[i].Lanes() {
					if want := int32(1000*(l%n) + l/n*n + i); got != want {
						t.Errorf("%d registers: lane %d of %d has %d, want %d", n, l, i, got, want)
						return
					}
				}
			}
			w.Release(m)
		}
	})
}

func TestMatVec(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
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
		exchange.MatVec(y, x, m)
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
		exchange.WalshHadamard(v)
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
		exchange.FFT(re, im)
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

func TestSorts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	onEach(t, oneWarp, func(t *testing.T, w *warp.Warp) {
		n := w.Width()
		for range 5 {
			in := make([]int16, n)
			for i := range in {
				in[i] = int16(r.IntN(n) - n/3)
			}
			sorted := slices.Sorted(slices.Values(in))
			key := lanes(w, func(l int) int16 { return in[l] })
			exchange.Sort(key)
			assert.Equal(t, sorted, key.Lanes())

			pair := lanes(w, func(l int) int16 { return in[l] })
			value := lanes(w, func(l int) int64 { return int64(l) })
			exchange.SortPairs(pair, value)
			assert.Equal(t, sorted, pair.Lanes())
			seen := map[int64]bool{}
			for l, v := range value.Lanes() {
				seen[v] = true
				assert.Equal(t, in[v], pair.Lanes()[l])
			}
			assert.Len(t, seen, n)

			keys, values := reduce.Shared[int16](w, reduce.WarpStorage), reduce.Shared[int64](w, reduce.WarpStorage)
			key2 := lanes(w, func(l int) int16 { return in[l] })
			value2 := lanes(w, func(l int) int64 { return int64(l) })
			exchange.MergeSort(key2, value2, keys, values)
			order := make([]int64, n)
			for i := range order {
				order[i] = int64(i)
			}
			slices.SortStableFunc(order, func(a, b int64) int { return int(in[a]) - int(in[b]) })
			assert.Equal(t, sorted, key2.Lanes())
			assert.Equal(t, order, value2.Lanes())
		}
	})
}

func TestArrangements(t *testing.T) {
	const each = 3
	onEach(t, func(lanes int) int { return 2*lanes + 1 }, func(t *testing.T, w *warp.Warp) {
		threads, base := w.BlockThreads(), w.ID()*w.Width()
		s := reduce.Shared[int32](w, exchange.Storage(each))
		v, rank := make([]warp.Reg[int32], each), make([]warp.Reg[int32], each)
		blocked := func(l, j int) int32 { return int32((base+l)*each + j) }
		striped := func(l, j int) int32 { return int32(j*threads + base + l) }
		for j := range v {
			v[j] = lanes(w, func(l int) int32 { return blocked(l, j) })
			// The items in reverse.
			rank[j] = lanes(w, func(l int) int32 { return int32(each*threads-1) - blocked(l, j) })
		}
		check := func(what string, want func(l, j int) int32) {
			for j := range v {
				for l := range w.Live().Lanes() {
					if got := v[j].Lanes()[l]; got != want(l, j) {
						t.Errorf("%s: item %d of thread %d is %d, want %d", what, j, base+l, got, want(l, j))
						return
					}
				}
			}
		}
		exchange.BlockedToStriped(s, v...)
		check("striped", striped)
		w.SyncBlock()
		exchange.StripedToBlocked(s, v...)
		check("blocked", blocked)
		w.SyncBlock()
		exchange.ScatterToBlocked(s, v, rank)
		check("scattered", func(l, j int) int32 { return int32(each*threads-1) - blocked(l, j) })
		w.SyncBlock()
		exchange.ScatterToStriped(s, v, rank)
		check("scattered back, striped", striped)
	})
}

func TestRefusals(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
	require.NoError(t, err)
	for _, c := range []struct {
		threads int
		kind    error
		k       func(v warp.Reg[int32])
	}{
		{20, reduce.ErrActive, func(v warp.Reg[int32]) { exchange.WalshHadamard(v) }},
		{20, reduce.ErrActive, func(v warp.Reg[int32]) { exchange.Sort(v) }},
		{32, reduce.ErrWidth, func(v warp.Reg[int32]) { exchange.Broadcast(v, 32) }},
		{32, reduce.ErrItems, func(v warp.Reg[int32]) { exchange.Transpose(v, v, v) }},
		{32, reduce.ErrItems, func(v warp.Reg[int32]) { exchange.BlockedToStriped[int32](warp.Mem[int32]{}) }},
		{32, reduce.ErrStorage, func(v warp.Reg[int32]) { exchange.BlockedToStriped(warp.Mem[int32]{}, v) }},
		{32, reduce.ErrStorage, func(v warp.Reg[int32]) { exchange.MatVec(v, v, warp.Mem[int32]{}) }},
		{32, reduce.ErrStorage, func(v warp.Reg[int32]) { exchange.MergeSort(v, v, warp.Mem[int32]{}, warp.Mem[int32]{}) }},
	} {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(c.threads)}, func(w *warp.Warp) {
			c.k(lanes(w, func(l int) int32 { return int32(l) }))
		})
		assert.ErrorIs(t, err, c.kind)
	}
}
