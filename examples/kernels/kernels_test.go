package kernels_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/examples/kernels"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// engine returns an engine that stops at the first fault, races among them, with
// another schedule of the warps for some devices.
func engine(t testing.TB, name string, cycles bool) *warp.Engine {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: !cycles, Workers: 1, Sanitize: true, Seed: uint64(len(name) % 3)})
	require.NoError(t, err)
	return e
}

// devices are all that are built in, and custom ones of other widths; in short
// tests one of each width that matters.
func devices() []string {
	if testing.Short() {
		return []string{"h200", "mi300x", "mtt-s4000", "custom-1", "custom-8"}
	}
	return append(differentDevices(), "custom-1", "custom-2", "custom-8")
}

// run launches one block and holds the run to be without any fault, warnings
// included.
func run(t testing.TB, e *warp.Engine, threads int, k warp.Kernel) *warp.Report {
	t.Helper()
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	return report
}

// fill returns a register with f of each lane; lanes that do not exist are
// undefined.
func fill[T any](w *warp.Warp, f func(l int) T) warp.Reg[T] {
	r := warp.Alloc[T](w)
	for l := range w.Width() {
		r.Lanes()[l] = f(l)
	}
	r.Define(w.Live())
	return r
}

// hold checks each live lane.
func hold[T comparable](t *testing.T, r warp.Reg[T], what string, f func(l int) T) {
	t.Helper()
	for l := range r.Warp().Live().Lanes() {
		if want := f(l); r.Undefined().Has(l) || r.Lanes()[l] != want {
			t.Errorf("%s: lane %d holds %v (undefined %v), want %v", what, l, r.Lanes()[l], r.Undefined().Has(l), want)
			return
		}
	}
}

// kept holds a function to give back its registers.
func kept(t *testing.T, w *warp.Warp, f func()) {
	t.Helper()
	w.LaneID()
	w.ThreadID()
	before := w.Mark()
	f()
	require.Equal(t, before, w.Mark())
}

func TestBroadcastAndRotate(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		for _, threads := range []int{lanes, lanes/2 + 1, 1} {
			run(t, e, threads, func(w *warp.Warp) {
				v, r := fill(w, func(l int) float64 { return float64(l) }), warp.Alloc[float64](w)
				kept(t, w, func() { kernels.Broadcast(r, v, threads-1, 0) })
				hold(t, r, "broadcast on "+name, func(int) float64 { return float64(threads - 1) })
				for width := 1; width <= lanes; width *= 2 {
					if threads < lanes {
						continue
					}
					kernels.Broadcast(r, v, width/2, width)
					hold(t, r, fmt.Sprintf("broadcast in groups of %d on %s", width, name), func(l int) float64 { return float64(l/width*width + width/2) })
				}
				for _, d := range []int{0, 1, -1, threads / 2, threads, 3*threads + 2, -5} {
					kept(t, w, func() { kernels.Rotate(r, v, d) })
					hold(t, r, fmt.Sprintf("rotate %d threads by %d on %s", threads, d, name), func(l int) float64 {
						return float64(((l+d)%threads + threads) % threads)
					})
				}
			})
		}
	}
}

func TestMailboxes(t *testing.T) {
	type letter struct {
		From uint32
		Text [3]uint16
	}
	write := func(l int) letter { return letter{uint32(l), [3]uint16{uint16(l), 7, uint16(l * l)}} }
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		for _, threads := range []int{lanes, 3*lanes - 1, lanes/2 + 1} {
			across := make([]int32, threads)
			for i := range across {
				across[i] = int32(rng.IntN(threads))
			}
			run(t, e, threads, func(w *warp.Warp) {
				s := kernels.NewMailboxStorage[letter](w)
				first, n := w.ID()*lanes, w.Live().Count()
				inWarp := func(l int) int32 { return int32(min(l, n-1) * 5 % n) }
				v := fill(w, func(l int) letter { return write(first + l) })
				from, r := fill(w, inWarp), warp.Alloc[letter](w)
				kept(t, w, func() { kernels.MailboxShuffle(r, v, from) })
				hold(t, r, "shuffle on "+name, func(l int) letter { return write(first + int(inWarp(l))) })
				kept(t, w, func() { kernels.MailboxShared(r, v, from, s) })
				hold(t, r, "shared on "+name, func(l int) letter { return write(first + int(inWarp(l))) })
				from = fill(w, func(l int) int32 { return across[min(first+l, threads-1)] })
				w.SyncBlock()
				kept(t, w, func() { kernels.MailboxBlock(r, v, from, s) })
				hold(t, r, "block on "+name, func(l int) letter { return write(int(across[first+l])) })
			})
		}
	}
}

func TestWalshHadamard(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		in := func(l int) int64 { return int64(l*l%23) - 9 }
		for width := 1; width <= lanes; width *= 2 {
			run(t, e, lanes, func(w *warp.Warp) {
				v := fill(w, in)
				kept(t, w, func() { kernels.WalshHadamard(v, width) })
				what := fmt.Sprintf("%s width %d", name, width)
				hold(t, v, what, func(l int) int64 {
					sum, first := int64(0), l/width*width
					for j := range width {
						if bits.OnesCount(uint(j&(l-first)))%2 == 0 {
							sum += in(first + j)
						} else {
							sum -= in(first + j)
						}
					}
					return sum
				})
				kernels.WalshHadamard(v, width)
				hold(t, v, "twice "+what, func(l int) int64 { return int64(width) * in(l) })
			})
		}
	}
}

func TestFFT(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		for width := 1; width <= lanes; width *= 2 {
			for k := 1; k*width <= 256 && k <= 8; k *= 2 {
				for _, inverse := range []bool{false, true} {
					// u is half an ulp of 1, the factors are off by mu.
					fftOf[float32](t, e, width, k, inverse, 0x1p-24, 0x1p-24, rng)
					fftOf[float64](t, e, width, k, inverse, 0x1p-53, 11*0x1p-53, rng)
				}
			}
		}
	}
}

// fftOf transforms random points in every group of a warp, and holds the result
// against the sum that defines it, within the bound that the documentation of FFT
// names. The reference is computed in float64: n additions and products of
// numbers up to 1, which is counted in.
func fftOf[F kernels.Float](t *testing.T, e *warp.Engine, width, k int, inverse bool, u, mu float64, rng *rand.Rand) {
	t.Helper()
	lanes, n := e.Device().Lanes, width*k
	points := make([]complex128, lanes*k) // group by group
	for i := range points {
		points[i] = complex(float64(F(rng.NormFloat64())), float64(F(rng.NormFloat64())))
	}
	at := func(l, j int) int { return l/width*n + j*width + l%width }
	got := make([]complex128, len(points))
	run(t, e, lanes, func(w *warp.Warp) {
		re, im := make([]warp.Reg[F], k), make([]warp.Reg[F], k)
		for j := range k {
			re[j] = fill(w, func(l int) F { return F(real(points[at(l, j)])) })
			im[j] = fill(w, func(l int) F { return F(imag(points[at(l, j)])) })
		}
		kept(t, w, func() { kernels.FFT(re, im, width, inverse) })
		for j := range k {
			require.True(t, re[j].Undefined().Or(im[j].Undefined()).Empty())
			for l := range lanes {
				got[at(l, j)] = complex(float64(re[j].Lanes()[l]), float64(im[j].Lanes()[l]))
			}
		}
	})
	sign, scale := -1.0, 1.0
	if inverse {
		sign, scale = 1, 1/float64(n)
	}
	steps := math.Log2(float64(n))
	bound := steps*(mu+4*u*(math.Sqrt2+mu))*1.001 + float64(n+20)*0x1p-53
	if inverse {
		bound += u // for the division, which is exact but in the subnormal range
	}
	for first := 0; first < len(points); first += n {
		var off, norm float64
		for i := range n {
			var sum complex128
			for j := range n {
				sum += points[first+j] * cmplx.Exp(complex(0, sign*2*math.Pi*float64(i*j%n)/float64(n)))
			}
			sum *= complex(scale, 0)
			d := got[first+i] - sum
			off += real(d)*real(d) + imag(d)*imag(d)
			norm += real(sum)*real(sum) + imag(sum)*imag(sum)
		}
		if r := math.Sqrt(off / norm); r > bound {
			t.Errorf("%d points of %T in groups of %d on %s: relative error %g, above %g", n, u, width, e.Device().Name, r, bound)
			return
		}
	}
}

func TestMatVec(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		for _, shape := range [][2]int{{1, 1}, {3, lanes}, {8, lanes + 3}, {17, 2*lanes - 1}, {40, 5}} {
			rows, cols := shape[0], shape[1]
			a, x := make([]int32, rows*cols), make([]int32, cols)
			fa, fx := make([]float32, rows*cols), make([]float32, cols)
			for i := range a {
				a[i], fa[i] = int32(rng.IntN(2000)-1000), float32(rng.NormFloat64())
			}
			for i := range x {
				x[i], fx[i] = int32(rng.IntN(2000)-1000), float32(rng.NormFloat64())
			}
			y, fy := make([]int32, rows), make([]float32, rows)
			run(t, e, 2*lanes, func(w *warp.Warp) {
				my, ma, mx := global(t, e, y), global(t, e, a), global(t, e, x)
				kept(t, w, func() { kernels.MatVec(w, my, ma, mx, rows, cols) })
				kernels.MatVec(w, global(t, e, fy), global(t, e, fa), global(t, e, fx), rows, cols)
			})
			for i := range rows {
				var sum int32
				var fsum, size float64
				for j := range cols {
					sum += a[i*cols+j] * x[j]
					p := float64(fa[i*cols+j]) * float64(fx[j])
					fsum += p
					size += math.Abs(p)
				}
				require.Equal(t, sum, y[i], "row %d of %dx%d on %s", i, rows, cols, name)
				// A sum of n products is off by n roundings of each term at most.
				if off := math.Abs(float64(fy[i]) - fsum); off > float64(cols+1)*0x1p-24*1.01*size {
					t.Errorf("row %d of %dx%d on %s: %v, want %v", i, rows, cols, name, fy[i], fsum)
				}
			}
		}
	}
}

func global[T any](t testing.TB, e *warp.Engine, data []T) warp.Mem[T] {
	t.Helper()
	m, err := warp.Global(e, data)
	require.NoError(t, err)
	return m
}

func TestFindFirst(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		for _, threads := range []int{lanes, lanes/2 + 1} {
			for _, n := range []int{0, 1, lanes, 5*lanes - 2} {
				for _, every := range []int{1, 3, 8} {
					for _, hits := range [][]int{nil, {0}, {n - 1}, {n / 2, n - 1}, {min(n-1, lanes+1), n - 1}} {
						data := make([]uint8, n+4) // elements beyond n do not count
						for i := n; i < len(data); i++ {
							data[i] = 1
						}
						want := int32(-1)
						for _, h := range hits {
							if h >= 0 && h < n {
								data[h] = 1
								if want < 0 || int32(h) < want {
									want = int32(h)
								}
							}
						}
						src := global(t, e, data)
						run(t, e, threads, func(w *warp.Warp) {
							r := warp.Alloc[int32](w)
							kept(t, w, func() {
								kernels.FindFirst(r, src, n, every, func(dst warp.Pred, v warp.Reg[uint8]) { warp.NeImm(dst, v, 0) })
							})
							hold(t, r, fmt.Sprintf("%s, %d threads, %d elements, vote every %d, hits %v", name, threads, n, every, hits), func(int) int32 { return want })
						})
					}
				}
			}
		}
	}
}

// A search that finds early costs less than one that finds late, and a vote every
// eighth round less than one every round if nothing is found.
func TestFindFirstExitsEarly(t *testing.T) {
	e := engine(t, "h200", true)
	cost := func(at, every int) int64 {
		data := make([]int32, 4096)
		if at >= 0 {
			data[at] = 1
		}
		src := global(t, e, data)
		return int64(run(t, e, 32, func(w *warp.Warp) {
			kernels.FindFirst(warp.Alloc[int32](w), src, len(data), every, func(dst warp.Pred, v warp.Reg[int32]) { warp.NeImm(dst, v, 0) })
		}).Cycles)
	}
	require.Less(t, 10*cost(5, 1), cost(4000, 1))
	require.Less(t, cost(-1, 8), cost(-1, 1))
}

// collatz returns how many steps a number takes to 1.
func collatz(n int32) (steps int32) {
	for x := int64(n); x > 1; steps++ {
		if x%2 == 0 {
			x /= 2
		} else {
			x = 3*x + 1
		}
	}
	return steps
}

// A collatzKernel writes the steps of numbers 1 to n to out, one number a lane,
// by a queue or, with atLeast 0, every lane with numbers of its own.
func collatzKernel(out, next warp.Mem[int32], n, atLeast int) warp.Kernel {
	return func(w *warp.Warp) {
		id := w.ThreadID()
		x, odd, half, one := warp.Alloc[int64](w), warp.Alloc[int64](w), warp.Alloc[int64](w), w.Pred()
		steps, isOdd := warp.Alloc[int32](w), w.Pred()
		begin := func(task warp.Reg[int32]) {
			warp.Convert(x, task)
			warp.AddImm(x, x, 1)
			warp.Set(steps, 0)
		}
		step := func(task warp.Reg[int32]) warp.Pred {
			warp.LeImm(one, x, 1)
			w.Where(one, func() { warp.Store(out, task, steps) })
			warp.AndImm(odd, x, 1)
			warp.NeImm(isOdd, odd, 0)
			warp.ShrImm(half, x, 1)
			warp.MulImm(x, x, 3)
			warp.AddImm(x, x, 1)
			warp.Select(x, isOdd, x, half)
			warp.AddImm(steps, steps, 1)
			return one
		}
		if atLeast > 0 {
			kernels.TaskQueue(w, next, n, atLeast, begin, step)
			return
		}
		task, there, busy := warp.Alloc[int32](w), w.Pred(), w.Pred()
		for first := 0; first < n; first += w.BlockThreads() {
			warp.AddImm(task, id, int32(first))
			warp.LtImm(there, task, int32(n))
			w.If(there, func() {
				begin(task)
				warp.SetPred(busy, w.Active())
				w.While(func() warp.Pred { return busy }, func() { warp.PredNot(busy, step(task)) })
			})
		}
	}
}

func TestTaskQueue(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name, false)
		lanes := e.Device().Lanes
		for _, threads := range []int{lanes, lanes/2 + 1, 3 * lanes} {
			for _, n := range []int{0, 1, lanes, 3*lanes + 5} {
				for _, atLeast := range []int{1, 5, 1000} {
					out, next := global(t, e, make([]int32, n)), global(t, e, []int32{0})
					run(t, e, threads, collatzKernel(out, next, n, atLeast))
					for i, got := range out.Data() {
						require.Equal(t, collatz(int32(i+1)), got, "number %d of %d on %s with %d threads, %d idle", i+1, n, name, threads, atLeast)
					}
				}
			}
		}
	}
}

// Tasks of unequal length are what the queue is for: it keeps lanes busy that
// would wait for the longest task of their round, so that fewer instructions do it. A
// turn of it votes, though, and waits for that: with 32 lanes a round has so few that
// are done early that it takes longer, once a compiler has put its instructions into
// order.
func TestTaskQueueBeatsRounds(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name, true)
		const n = 1000
		var cycles, instructions [2]int64
		for i, atLeast := range []int{0, e.Device().Lanes / 4} {
			out, next := global(t, e, make([]int32, n)), global(t, e, []int32{0})
			r := run(t, e, e.Device().Lanes, collatzKernel(out, next, n, atLeast))
			cycles[i], instructions[i] = int64(r.Cycles), r.Instructions
			for i, got := range out.Data() {
				require.Equal(t, collatz(int32(i+1)), got)
			}
		}
		t.Logf("%s: %d cycles in rounds, %d by a queue", name, cycles[0], cycles[1])
		require.Less(t, instructions[1], instructions[0], name)
		if e.Device().Lanes > 32 {
			require.Less(t, cycles[1], cycles[0], name)
		}
	}
}

func TestErrors(t *testing.T) {
	e := engine(t, "h200", false)
	src := global(t, e, make([]int32, 8))
	some := func(w *warp.Warp, f func()) {
		p := w.Pred()
		warp.SetPred(p, lane.Range(3, 9))
		w.If(p, f)
	}
	reg := func(w *warp.Warp) warp.Reg[int32] { return fill(w, func(l int) int32 { return int32(l) }) }
	floats := func(w *warp.Warp, k int) []warp.Reg[float32] {
		r := make([]warp.Reg[float32], k)
		for j := range r {
			r[j] = fill(w, func(int) float32 { return 0 })
		}
		return r
	}
	match := func(dst warp.Pred, v warp.Reg[int32]) { warp.NeImm(dst, v, 0) }
	for name, c := range map[string]struct {
		kind error
		run  func(w *warp.Warp)
	}{
		"broadcast from afar":     {team.ErrShape, func(w *warp.Warp) { kernels.Broadcast(reg(w), reg(w), 8, 8) }},
		"broadcast from nobody":   {team.ErrActive, func(w *warp.Warp) { v := reg(w); some(w, func() { kernels.Broadcast(v, v, 0, 0) }) }},
		"broadcast in threes":     {team.ErrWidth, func(w *warp.Warp) { kernels.Broadcast(reg(w), reg(w), 0, 3) }},
		"rotate from the middle":  {team.ErrActive, func(w *warp.Warp) { v := reg(w); some(w, func() { kernels.Rotate(v, v, 1) }) }},
		"mailbox too small":       {team.ErrStorage, func(w *warp.Warp) { kernels.MailboxShared(reg(w), reg(w), reg(w), warp.Shared[int32](w, 31)) }},
		"walsh beyond the warp":   {team.ErrWidth, func(w *warp.Warp) { kernels.WalshHadamard(reg(w), 64) }},
		"walsh of half a group":   {team.ErrActive, func(w *warp.Warp) { v := reg(w); some(w, func() { kernels.WalshHadamard(v, 4) }) }},
		"fft of three registers":  {team.ErrItems, func(w *warp.Warp) { kernels.FFT(floats(w, 3), floats(w, 3), 0, false) }},
		"fft without imaginaries": {team.ErrItems, func(w *warp.Warp) { kernels.FFT(floats(w, 2), nil, 0, false) }},
		"matrix too large":        {team.ErrShape, func(w *warp.Warp) { kernels.MatVec(w, src, src, src, 3, 3) }},
		"matrix of no rows":       {team.ErrShape, func(w *warp.Warp) { kernels.MatVec(w, src, src, src, 0, 3) }},
		"find beyond the end":     {team.ErrShape, func(w *warp.Warp) { kernels.FindFirst(reg(w), src, 9, 1, match) }},
		"find without votes":      {team.ErrShape, func(w *warp.Warp) { kernels.FindFirst(reg(w), src, 8, 0, match) }},
		"tasks below none":        {team.ErrShape, func(w *warp.Warp) { kernels.TaskQueue(w, src, -1, 1, nil, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, c.run)
			require.ErrorIs(t, err, c.kind)
			var said *team.Error
			require.ErrorAs(t, err, &said)
			require.NotEmpty(t, said.Advice)
		})
	}
}

// differentDevices are devices that differ in width, rules and routes.
func differentDevices() []string {
	return []string{"h200", "k40", "mi300x", "rx6900xt", "mtt-m1000", "mtt-s4000", "mtt-s5000"}
}
