package timing_test

import (
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stepOn returns the cycles that a multiprocessor of a device takes for one step of
// so many warps, in a long run of steps.
func stepOn(t *testing.T, name string, warps int, step []isa.Instr) float64 {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	table, err := timing.Compile(&p.Timing, p.Lanes)
	require.NoError(t, err)
	m, err := timing.New(table, timing.Config{})
	require.NoError(t, err)
	const few, many = 32, 96
	var d [2]timing.Cycle
	for i, n := range []int{few, many} {
		m.Reset()
		d[i] = play(t, m, warps, repeat(step, n*len(step)))
	}
	return float64(d[1]-d[0]) / (many - few)
}

// apart is n instructions that do not wait for each other.
func apart(o isa.Op, n int) []isa.Instr {
	var step []isa.Instr
	for i := range n {
		step = append(step, isa.Instr{Op: o, Active: 32, Dst: isa.Row(2 * i), A: isa.Row(2*i + 100), Count: 1})
	}
	return step
}

// Figures that others have published of a chip, from small kernels on its profile:
// within 5 %. Figures that a whole number of cycles cannot come within 5 % of are
// left out (2.2 or 3.73 cycles of the M1 Max), and so are those of memory beyond
// the multiprocessor.
func TestPublishedFigures(t *testing.T) {
	chain := func(o isa.Op) []isa.Instr { return []isa.Instr{op(o, r1, r1)} }
	double := func(o isa.Op) []isa.Instr { return []isa.Instr{op(o, isa.RowPair(2), isa.RowPair(2))} }
	shuffle := func(o isa.Op) []isa.Instr { return []isa.Instr{shfl(o, r1, r1)} }
	load := func(ways int) []isa.Instr { return []isa.Instr{mem(isa.LoadShared, r1, r1, 0, 4, ways)} }
	barrier := []isa.Instr{{Op: isa.BarSync, Active: 32}}
	match := func(values int) []isa.Instr {
		return []isa.Instr{count(op(isa.MatchAny, r2, r1), values), op(isa.Logic, r1, r2)}
	}
	for _, c := range []struct {
		device, source string
		warps          int
		step           []isa.Instr
		per            float64 // the figure is per so many cycles: lanes a cycle if above 0
		want           float64
	}{
		// Latencies in cycles.
		{"v100", "TapiocaFox/GPU-Project, TITAN V: FADD 4.02", 1, chain(isa.FAdd), 0, 4.02},
		{"v100", "TapiocaFox/GPU-Project, TITAN V: FMUL 4.02", 1, chain(isa.FMul), 0, 4.02},
		{"v100", "TapiocaFox/GPU-Project, TITAN V: FFMA 4.04", 1, chain(isa.FFma), 0, 4.04},
		{"v100", "te42kyfo/gpu-benches: DFMA 8", 1, double(isa.DFma), 0, 8},
		{"v100", "mt4g, V100-PCIE-16GB: shared memory 23.5", 1, load(1), 0, 23.5},
		{"t4", "Mesa, sm_75: integer pipe to itself 4", 1, chain(isa.IAdd), 0, 4},
		{"t4", "Mesa, sm_75: float pipe to itself 4", 1, chain(isa.FFma), 0, 4},
		{"t4", "Mesa, sm_75: integer to float pipe and back, 5 and 5", 1, []isa.Instr{op(isa.Logic, r1, r1), op(isa.FAdd, r1, r1)}, 0, 10},
		{"t4", "SyncPerformance, RTX 2070 SUPER: shuffle by xor 25", 1, shuffle(isa.ShflXor), 0, 25},
		{"t4", "SyncPerformance, RTX 2070 SUPER: shuffle down 23", 1, shuffle(isa.ShflDown), 0, 23},
		{"t4", "SyncPerformance, RTX 2070 SUPER: shuffles of 32 warps 64", 32, shuffle(isa.ShflXor), 0, 64},
		{"t4", "SyncPerformance, RTX 2070 SUPER: barrier of 1 warp 22", 1, barrier, 0, 22},
		{"t4", "SyncPerformance, RTX 2070 SUPER: barrier of 4 warps 28", 4, barrier, 0, 28},
		{"t4", "SyncPerformance, RTX 2070 SUPER: barrier of 32 warps 84", 32, barrier, 0, 84},
		{"t4", "SyncPerformance, RTX 2070 SUPER: warp barrier 5", 1, chain(isa.WarpSync), 0, 5},
		{"t4", "sjfeng1999, RTX 2070: shared memory 23", 1, load(1), 0, 23},
		{"a100", "Mesa, sm_80: integer pipe to itself 4", 1, chain(isa.IAdd), 0, 4},
		{"a100", "Mesa, sm_80: float pipe to itself 4", 1, chain(isa.FFma), 0, 4},
		{"a100", "Mesa, sm_80: integer to float pipe and back, 5 and 5", 1, []isa.Instr{op(isa.Logic, r1, r1), op(isa.FAdd, r1, r1)}, 0, 10},
		{"a100", "Mesa, sm_80: compare to a guard 13, back 4", 1, []isa.Instr{op(isa.ICmp, p0, r1), {Op: isa.IAdd, Active: 32, Guard: 1, Dst: r1, A: r1}}, 0, 17},
		{"a100", "SyncPerformance, A100: shuffle by xor 25", 1, shuffle(isa.ShflXor), 0, 25},
		{"a100", "SyncPerformance, A100: shuffle up 23", 1, shuffle(isa.ShflUp), 0, 23},
		{"a100", "SyncPerformance, A100: shuffles of 32 warps 32", 32, shuffle(isa.ShflDown), 0, 32},
		{"a100", "SyncPerformance, A100: match of 1 value 34", 1, match(1), 0, 34},
		{"a100", "SyncPerformance, A100: match of 4 values 67", 1, match(4), 0, 67},
		{"a100", "SyncPerformance, A100: match of 16 values 199", 1, match(16), 0, 199},
		{"a100", "SyncPerformance, A100: barrier of 1 warp 23", 1, barrier, 0, 23},
		{"a100", "SyncPerformance, A100: barrier of 8 warps 37", 8, barrier, 0, 37},
		{"a100", "SyncPerformance, A100: barrier of 32 warps 85", 32, barrier, 0, 85},
		{"a100", "SyncPerformance, A100: warp barrier 5", 1, chain(isa.WarpSync), 0, 5},
		{"a100", "README table, A100-PCIE-80GB: shared memory 23", 1, load(1), 0, 23},
		{"a100", "arXiv:2206.02874, quoted: shared memory, 8 ways 37", 1, load(8), 0, 37},
		{"rtx3080", "YKTian-x2b, RTX 3060: shared memory 23", 1, load(1), 0, 23},
		{"rtx3080", "Mesa, sm_80 to sm_89: integer pipe to itself 4", 1, chain(isa.Logic), 0, 4},
		{"rtx4090", "TapiocaFox/GPU-Project, RTX 4070: FFMA 4.03", 1, chain(isa.FFma), 0, 4.03},
		{"rtx4090", "RTX 4070 Ti report: DADD 48.5", 1, double(isa.DAdd), 0, 48.5},
		{"rtx4090", "RTX 4070 Ti report: DFMA 54.5", 1, double(isa.DFma), 0, 54.5},
		{"rtx4090", "RTX 4070 Ti report: ex2 17.6", 1, chain(isa.Special), 0, 17.6},
		{"rtx4090", "RTX 4070 Ti report: BREV 17.5", 1, chain(isa.Brev), 0, 17.5},
		{"rtx4090", "RTX 4070 Ti report: POPC and a logic operation 23.5", 1, []isa.Instr{op(isa.Popc, r2, r1), op(isa.Logic, r1, r2)}, 0, 23.5},
		{"rtx4090", "RTX 4070 Ti report: REDUX 60, with the move", 1, []isa.Instr{op(isa.Redux, u0, r1), op(isa.Mov, r1, u0)}, 0, 60},
		{"rtx4090", "RTX 4070 Ti report: shared memory 28.03", 1, load(1), 0, 28.03},
		{"rtx4090", "SyncPerformance, RTX 4090: shuffle by xor 26", 1, shuffle(isa.ShflXor), 0, 26},
		{"rtx4090", "SyncPerformance, RTX 4090: shuffle down 24", 1, shuffle(isa.ShflDown), 0, 24},
		{"rtx4090", "SyncPerformance, RTX 4090: shuffles of 32 warps 64", 32, shuffle(isa.ShflIdx), 0, 64},
		{"rtx4090", "SyncPerformance, RTX 4090: match of 8 values 111", 1, match(8), 0, 111},
		{"rtx4090", "SyncPerformance, RTX 4090: barrier of 2 warps 26", 2, barrier, 0, 26},
		{"rtx4090", "SyncPerformance, RTX 4090: barrier of 16 warps 53", 16, barrier, 0, 53},
		{"h100", "study of an H100-SXM5-80GB: fp32 4.07", 1, chain(isa.FAdd), 0, 4.07},
		{"h100", "study of an H100-SXM5-80GB: int32 4.12", 1, chain(isa.IAdd), 0, 4.12},
		{"h100", "study of an H100-SXM5-80GB: fp64 8.04", 1, double(isa.DAdd), 0, 8.04},
		{"b200", "Mesa, sm_100: float pipe to itself 4", 1, chain(isa.FFma), 0, 4},
		{"b200", "Mesa, sm_100: double precision to itself 8", 1, double(isa.DFma), 0, 8},
		{"b200", "catalogue of a B300: shuffle 24", 1, shuffle(isa.ShflDown), 0, 24},
		{"b200", "catalogue of a B300: REDUX 44, with the move", 1, []isa.Instr{op(isa.Redux, u0, r1), op(isa.Mov, r1, u0)}, 0, 44},
		{"b200", "catalogue of a B300: barrier of 16 warps 54", 16, barrier, 0, 54},
		{"k40", "Mesa, sm_35, a compiler's constant: 9", 1, chain(isa.IAdd), 0, 9},
		{"k40", "Mesa, sm_35, a compiler's constant: integer product 15", 1, chain(isa.IMul), 0, 15},
		{"k40", "Mesa, sm_35, a compiler's constant: load 24", 1, load(1), 0, 24},
		{"mi300x", "pyhip, MI308X: v_add_f32 every 4.012", 1, chain(isa.FAdd), 0, 4.012},
		{"mi300x", "pyhip, MI308X: v_exp_f32 every 16", 1, chain(isa.Special), 0, 16},
		{"mi300x", "mt4g, MI300X: shared memory 51.3", 1, load(1), 0, 51.3},
		{"mi250x", "mt4g, MI210: shared memory 49.9", 1, load(1), 0, 49.9},
		{"mi100", "mt4g, MI100: shared memory 50", 1, load(1), 0, 50},
		{"rx7900xt", "README table, RX 7900 XT: shared memory 33", 1, load(1), 0, 33},
		{"rx5700xt", "LLVM, GFX10, a compiler's constant: vector instruction 5", 1, chain(isa.FAdd), 0, 5},
		{"xe", "intel-b60-microbench: shared local memory 46.2", 1, load(1), 0, 46.2},
		{"apple-m1-max", "metal-benchmarks: IMUL32 4.02", 1, chain(isa.IMul), 0, 4.02},
		{"apple-m1-max", "metal-benchmarks: BITEXTRACT32 4.02", 1, chain(isa.Shift), 0, 4.02},

		// Throughputs in lanes a cycle of a multiprocessor.
		{"v100", "CUDA C++ Programming Guide, 7.0: 64 float results", 32, apart(isa.FFma, 8), 32, 64},
		{"v100", "CUDA C++ Programming Guide, 7.0: 32 double results", 32, apart(isa.DFma, 8), 32, 32},
		{"t4", "CUDA C++ Programming Guide, 7.5: 64 integer results", 32, apart(isa.IAdd, 8), 32, 64},
		{"t4", "CUDA C++ Programming Guide, 7.5: 2 double results", 32, apart(isa.DAdd, 8), 32, 2},
		{"t4", "CUDA C++ Programming Guide, 7.5: 16 population counts", 32, apart(isa.Popc, 8), 32, 16},
		{"a100", "CUDA C++ Programming Guide, 8.0: 64 float results", 32, apart(isa.FAdd, 8), 32, 64},
		{"a100", "CUDA C++ Programming Guide, 8.0: 16 reductions", 32, apart(isa.Redux, 8), 32, 16},
		{"rtx3080", "CUDA C++ Programming Guide, 8.6: 128 float results", 32, apart(isa.FAdd, 8), 32, 128},
		{"rtx3080", "CUDA C++ Programming Guide, 8.6: 2 double results", 32, apart(isa.DFma, 8), 32, 2},
		{"rtx4090", "CUDA C++ Programming Guide, 8.9: 128 float results", 32, apart(isa.FMul, 8), 32, 128},
		{"h100", "study of an H100-SXM5-80GB: 248.31 flop, 124.2 multiply-adds", 32, apart(isa.FFma, 8), 32, 124.2},
		{"h100", "study of an H100-SXM5-80GB: 126.25 flop, 63.1 double multiply-adds", 32, apart(isa.DFma, 8), 32, 63.1},
		{"p100", "CUDA C++ Programming Guide, 6.0: 64 float results", 32, apart(isa.FFma, 8), 32, 64},
		{"p100", "CUDA C++ Programming Guide, 6.0: 32 double results", 32, apart(isa.DFma, 8), 32, 32},
		{"p100", "CUDA C++ Programming Guide, 6.0: 32 shuffles", 32, apart(isa.ShflXor, 8), 32, 32},
		{"k40", "CUDA C++ Programming Guide, 3.5: 64 double results", 32, apart(isa.DFma, 8), 32, 64},
		{"k40", "CUDA C++ Programming Guide, 3.5: 32 integer products", 32, apart(isa.IMul, 8), 32, 32},
		{"k40", "CUDA C++ Programming Guide, 3.5: 64 shifts", 32, apart(isa.Shift, 8), 32, 64},
		{"mi50", "MI50: v_fmac_f32 6.235 T a second on 60 units at 1,640 MHz", 16, apart(isa.FFma, 8), 64, 63.4},
		{"mi50", "MI50: v_mul_lo_u32 3.205 T a second", 16, apart(isa.IMul, 8), 64, 32.6},
		{"mi50", "MI50: v_sin_f32 1.623 T a second", 16, apart(isa.Special, 8), 64, 16.5},
		{"mtt-s80", "clpeak, MTT S80: 14.19 TFLOPS, 123.2 multiply-adds", 16, apart(isa.FFma, 8), 128, 123.2},
		{"apple-m1-max", "metal-benchmarks: FFMA32 one a cycle for each of 4", 32, apart(isa.FFma, 8), 32, 128},
		{"apple-m1-max", "metal-benchmarks: IMUL32 one in 4 for each of 4", 32, apart(isa.IMul, 8), 32, 32},
		{"apple-m1-max", "metal-benchmarks: shuffle one in 2.04 for each of 4", 32, apart(isa.ShflXor, 8), 32, 62.7},
		{"apple-m1-max", "metal-benchmarks: ballot one in 2.02 for each of 4", 32, apart(isa.Ballot, 8), 32, 63.4},
		{"adreno-660", "as-en: 420 G additions a second at 840 MHz on 2", 16, apart(isa.FAdd, 8), 64, 250},
	} {
		got := stepOn(t, c.device, c.warps, c.step)
		if c.per > 0 {
			got = c.per * float64(c.warps*len(c.step)) / got
		}
		assert.InEpsilon(t, c.want, got, 0.05, "%s: %s: %.2f", c.device, c.source, got)
	}
}
