package warp_test

import (
	"bufio"
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A dependent chain of each function, as it was timed on a chip: how far our
// cycles are from the recorded ones.
func TestFunctionsTakeTheCyclesOfTheChip(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	chains := map[string]func(steps int) warp.Kernel{}
	single := func(name string, f func(v, u warp.Reg[float32])) { chains[name] = chain(1, f) }
	double := func(name string, f func(v, u warp.Reg[float64])) { chains[name] = chain(1, f) }
	add := func(f func(d, a warp.Reg[float32])) func(v, u warp.Reg[float32]) {
		return func(v, _ warp.Reg[float32]) { f(v, v); warp.AddImm(v, v, 3) }
	}
	add64 := func(f func(d, a warp.Reg[float64])) func(v, u warp.Reg[float64]) {
		return func(v, _ warp.Reg[float64]) { f(v, v); warp.AddImm(v, v, 3) }
	}
	plain := func(f func(d, a warp.Reg[float32])) func(v, u warp.Reg[float32]) {
		return func(v, _ warp.Reg[float32]) { f(v, v) }
	}
	plain64 := func(f func(d, a warp.Reg[float64])) func(v, u warp.Reg[float64]) {
		return func(v, _ warp.Reg[float64]) { f(v, v) }
	}
	single("f32_exp", plain(warp.Exp[float32]))
	single("f32_exp_fast", plain(warp.FastExp[float32]))
	single("f32_exp2", plain(warp.Exp2[float32]))
	single("f32_log_plus_fadd", add(warp.Log[float32]))
	single("f32_log_fast_plus_fadd", add(warp.FastLog[float32]))
	single("f32_log2_plus_fadd", add(warp.Log2[float32]))
	single("f32_sin_plus_fadd", add(warp.Sin[float32]))
	single("f32_sin_fast_plus_fadd", add(warp.FastSin[float32]))
	single("f32_cos_plus_fadd", add(warp.Cos[float32]))
	single("f32_cos_fast_plus_fadd", add(warp.FastCos[float32]))
	single("f32_sqrt", plain(warp.Sqrt[float32]))
	single("f32_rsqrt", plain(warp.Rsqrt[float32]))
	single("f32_rcp", plain(warp.Rcp[float32]))
	single("f32_rcp_fast", plain(warp.FastRcp[float32]))
	single("f32_div", func(v, u warp.Reg[float32]) { warp.Div(v, u, v) })
	single("f32_div_fast", func(v, u warp.Reg[float32]) { warp.FastDiv(v, u, v) })
	single("f32_tanh_plus_fadd", add(warp.Tanh[float32]))
	single("f32_tanh_fast_plus_fadd", add(warp.FastTanh[float32]))
	single("f32_erf_plus_fadd", add(warp.Erf[float32]))
	single("f32_pow", func(v, u warp.Reg[float32]) { warp.Pow(v, v, u) })
	single("f32_pow_fast", func(v, u warp.Reg[float32]) { warp.FastPow(v, v, u) })
	double("f64_exp", plain64(warp.Exp[float64]))
	double("f64_log_plus_dadd", add64(warp.Log[float64]))
	double("f64_sqrt", plain64(warp.Sqrt[float64]))
	double("f64_rsqrt", plain64(warp.Rsqrt[float64]))
	double("f64_rcp", plain64(warp.Rcp[float64]))
	double("f64_div", func(v, u warp.Reg[float64]) { warp.Div(v, u, v) })
	double("f64_sin_plus_dadd", add64(warp.Sin[float64]))
	double("f64_tanh_plus_dadd", add64(warp.Tanh[float64]))
	chains["s32_div_plus_iadd"] = chain(3, func(v, u warp.Reg[int32]) { warp.Div(v, u, v); warp.AddImm(v, v, 77) })
	chains["u32_div_plus_iadd"] = chain(3, func(v, u warp.Reg[uint32]) { warp.Div(v, u, v); warp.AddImm(v, v, 77) })
	chains["s32_mod_plus_iadd"] = chain(3, func(v, u warp.Reg[int32]) { warp.Rem(v, u, v); warp.AddImm(v, v, 77) })
	chains["u32_mod_plus_iadd"] = chain(3, func(v, u warp.Reg[uint32]) { warp.Rem(v, u, v); warp.AddImm(v, v, 77) })
	chains["u64_div_plus_iadd"] = chain(3, func(v, u warp.Reg[uint64]) { warp.Div(v, u, v); warp.AddImm(v, v, 77) })
	file, err := os.Open("testdata/math.csv")
	require.NoError(t, err)
	defer file.Close()
	sum, one, worst, n := 0.0, 0.0, 0.0, 0
	for sc := bufio.NewScanner(file); sc.Scan(); {
		f := strings.Split(sc.Text(), ",")
		if f[0] != "math" || chains[f[1]] == nil {
			continue
		}
		warps, err := strconv.Atoi(f[2])
		require.NoError(t, err)
		want, err := strconv.ParseFloat(f[4], 64)
		require.NoError(t, err)
		got := slopeOf(t, p, chains[f[1]], warps)
		e := got/want - 1
		t.Logf("%-26s %2d warps: chip %8.2f, here %8.2f, %+6.1f %%", f[1], warps, want, got, 100*e)
		sum += math.Abs(e)
		if warps == 1 {
			one += math.Abs(e)
		}
		worst = max(worst, math.Abs(e))
		n++
	}
	require.Equal(t, 4*len(chains), n)
	mean, alone := 100*sum/float64(n), 100*one/float64(n/4)
	t.Logf("mean %.1f %%, of one warp %.1f %%, worst %.1f %%", mean, alone, 100*worst)
	assert.Less(t, mean, 8.0)
	assert.Less(t, alone, 8.0)
	assert.Less(t, worst, 0.25)
}

// chain returns kernels of so many steps, each of which takes the result v of the
// one before; u keeps the start.
func chain[T warp.Number](start T, f func(v, u warp.Reg[T])) func(steps int) warp.Kernel {
	return func(steps int) warp.Kernel {
		return func(w *warp.Warp) {
			v, u := warp.Alloc[T](w), warp.Alloc[T](w)
			warp.Set(v, start)
			warp.Set(u, start)
			for range steps {
				f(v, u)
			}
		}
	}
}

// slopeOf returns the cycles of one step of a chain.
func slopeOf(t *testing.T, p *device.Profile, k func(int) warp.Kernel, warps int) float64 {
	t.Helper()
	var c [2]float64
	for i, n := range []int{2, 6} {
		e, err := warp.New(warp.Config{Device: p})
		require.NoError(t, err)
		report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32 * warps)}, k(n))
		require.NoError(t, err)
		c[i] = float64(report.Cycles)
	}
	return (c[1] - c[0]) / 4
}

// Values and undefined lanes of divisions.
func TestDivisions(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		e, err := warp.New(warp.Config{Device: p, Faults: warp.Mimic})
		require.NoError(t, err)
		quotients, remainders := make([]int32, p.Lanes), make([]int32, p.Lanes)
		wide, small := make([]uint64, p.Lanes), make([]int8, p.Lanes)
		q, err := warp.Global(e, quotients)
		require.NoError(t, err)
		r, err := warp.Global(e, remainders)
		require.NoError(t, err)
		l, err := warp.Global(e, wide)
		require.NoError(t, err)
		s, err := warp.Global(e, small)
		require.NoError(t, err)
		_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.Lanes)}, func(w *warp.Warp) {
			a, b, x := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(a, -1000)
			warp.AddImm(b, w.LaneID(), -7)
			warp.Div(x, a, b)
			warp.Store(q, w.LaneID(), x)
			warp.Rem(x, a, b)
			warp.Store(r, w.LaneID(), x)
			c, d := warp.Alloc[uint64](w), warp.Alloc[uint64](w)
			warp.Set(c, 1<<63+12345)
			warp.Convert(d, w.LaneID())
			warp.AddImm(d, d, 3)
			warp.Div(c, c, d)
			warp.Store(l, w.LaneID(), c)
			m, n := warp.Alloc[int8](w), warp.Alloc[int8](w)
			warp.Set(m, -128)
			warp.Set(n, -1)
			warp.Div(m, m, n)
			warp.Store(s, w.LaneID(), m)
		})
		require.NoError(t, err)
		for i := range quotients {
			by := int32(i) - 7
			if by == 0 {
				assert.Equal(t, []int32{-1, -1}, []int32{quotients[i], remainders[i]}, "%s: by zero, all bits are set", name)
				continue
			}
			assert.Equal(t, []int32{-1000 / by, -1000 % by}, []int32{quotients[i], remainders[i]}, "%s by %d", name, by)
			assert.Equal(t, uint64(1<<63+12345)/uint64(i+3), wide[i])
			assert.Equal(t, int8(-128), small[i], "-128/-1 does not fit")
		}
		strict, err := warp.New(warp.Config{Device: p})
		require.NoError(t, err)
		out, err := warp.Global(strict, make([]int32, p.Lanes))
		require.NoError(t, err)
		_, err = strict.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.Lanes)}, func(w *warp.Warp) {
			a := warp.Alloc[int32](w)
			warp.Div(a, w.LaneID(), w.LaneID()) // 0/0 in lane 0
			warp.Store(out, w.LaneID(), a)
		})
		require.ErrorIs(t, err, warp.UndefinedUse, name)
	}
}

// Functions in a part of the lanes leave the others alone, in single and double
// precision, and allocate nothing.
func TestFunctionsOfActiveLanes(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
		v, d, odd, bit := warp.Alloc[float32](w), warp.Alloc[float64](w), w.Pred(), warp.Alloc[int32](w)
		warp.Convert(v, w.LaneID())
		warp.Convert(d, w.LaneID())
		warp.AndImm(bit, w.LaneID(), 1)
		warp.EqImm(odd, bit, 1)
		w.Where(odd, func() {
			warp.Sqrt(v, v)
			warp.Log(d, d)
			warp.Exp(d, d)
		})
		for l, got := range v.Lanes() {
			want := float64(l)
			if l%2 == 1 {
				want = math.Sqrt(want)
			}
			assert.Equal(t, float32(want), got)
			assert.InDelta(t, float64(l), d.Lanes()[l], 1e-13)
		}
		n := testing.AllocsPerRun(100, func() { warp.Exp(v, v); warp.Div(d, d, d); warp.Pow(v, v, v) })
		assert.Zero(t, n)
	})
	require.NoError(t, err)
}
