package timing_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func machine(t testing.TB, c timing.Config) *timing.Multiprocessor {
	table, err := timing.Compile(h200(t), 0)
	require.NoError(t, err)
	m, err := timing.New(table, c)
	require.NoError(t, err)
	return m
}

// step returns the cycles of one step in a long run of them: the slope between
// two lengths, as measured on the chip.
func step(t testing.TB, warps int, step []isa.Instr) float64 {
	const few, many = 32, 96
	m := machine(t, timing.Config{})
	var d [2]timing.Cycle
	for i, n := range []int{few, many} {
		m.Reset()
		d[i] = play(t, m, warps, repeat(step, n*len(step)))
	}
	return float64(d[1]-d[0]) / (many - few)
}

var (
	r1, r2, r3 = isa.Row(1), isa.Row(2), isa.Row(3)
	p0, p1     = isa.Predicate(0), isa.Predicate(1)
	u0         = isa.Uniform(0)
)

func op(o isa.Op, dst isa.Reg, src ...isa.Reg) isa.Instr {
	in := isa.Instr{Op: o, Active: 32, Dst: dst}
	for i, r := range src {
		*[]*isa.Reg{&in.A, &in.B, &in.C}[i] = r
	}
	return in
}

func shfl(o isa.Op, dst, src isa.Reg) isa.Instr {
	return isa.Instr{Op: o, Active: 32, Dst: dst, A: src, Count: 1}
}

func mem(o isa.Op, dst, addr, data isa.Reg, bytes, passes int) isa.Instr {
	return isa.Instr{Op: o, Active: 32, Dst: dst, A: addr, B: data, Aux: isa.MemAux(bytes, 0), Count: uint16(passes)}
}

func count(in isa.Instr, n int) isa.Instr {
	in.Count = uint16(n)
	return in
}

// Every expected value is one that an H200 was measured to take, unless noted.
func TestChainsTakeWhatTheChipTook(t *testing.T) {
	for _, c := range []struct {
		name string
		want float64
		step []isa.Instr
	}{
		{"float add", 4, []isa.Instr{op(isa.FAdd, r1, r1)}},
		{"multiply-add", 4, []isa.Instr{op(isa.IMul, r1, r1)}},
		{"logic, shift", 8, []isa.Instr{op(isa.Logic, r1, r1), op(isa.Shift, r1, r1)}},
		{"minimum, add: another pipe each", 10, []isa.Instr{op(isa.FMinMax, r1, r1), op(isa.FAdd, r1, r1)}},
		{"double add", 8, []isa.Instr{op(isa.DAdd, isa.RowPair(2), isa.RowPair(2))}},
		{"population count, add", 23, []isa.Instr{op(isa.Popc, r2, r1), op(isa.IAdd, r1, r2)}},
		{"exponential", 17, []isa.Instr{op(isa.Special, r1, r1)}},
		{"compare, select", 8, []isa.Instr{op(isa.ICmp, p0, r1), op(isa.Select, r1, r2, r3, p0)}},
		{"compare, ballot", 17, []isa.Instr{op(isa.ICmp, p0, r1), op(isa.Ballot, r1, p0)}},
		{"compare, vote, select", 21, []isa.Instr{op(isa.ICmp, p0, r1), op(isa.Vote, p1, p0), op(isa.Select, r1, r2, r3, p1)}},
		{"compare, guarded add", 18, []isa.Instr{op(isa.ICmp, p0, r1), {Op: isa.IMul, Active: 32, Guard: 1, Dst: r1, A: r1}}},
		{"shuffle", 24, []isa.Instr{shfl(isa.ShflDown, r1, r1)}},
		{"shuffle, add", 29, []isa.Instr{shfl(isa.ShflXor, r2, r1), op(isa.FAdd, r1, r1, r2)}},
		{"shuffle by register", 26, []isa.Instr{{Op: isa.ShflIdx, Active: 32, Dst: r1, A: r2, B: r1, Count: 1}}},
		{"hardware reduction, move", 44, []isa.Instr{op(isa.Redux, u0, r1), op(isa.Mov, r1, u0)}},
		{"match, 1 value, logic", 34, []isa.Instr{count(op(isa.MatchAny, r2, r1), 1), op(isa.Logic, r1, r2)}},
		{"match, 8 values, logic", 111, []isa.Instr{count(op(isa.MatchAny, r2, r1), 8), op(isa.Logic, r1, r2)}}, // 116 less the add
		{"match, 32 values", 369, []isa.Instr{count(op(isa.MatchAny, r1, r1), 32)}},
		{"load", 23, []isa.Instr{mem(isa.LoadShared, r1, r1, 0, 4, 1)}},
		{"store, load", 28, []isa.Instr{mem(isa.StoreShared, 0, r3, r1, 4, 1), mem(isa.LoadShared, r1, r3, 0, 4, 1)}},
		{"load 8 ways", 37, []isa.Instr{mem(isa.LoadShared, r1, r1, 0, 4, 8)}},                  // 23 and 2 a way
		{"load 8 bytes", 26, []isa.Instr{mem(isa.LoadShared, isa.Row(8), isa.Row(8), 0, 8, 2)}}, // 31.5 less an add of 5 or 6
		{"load 16 bytes", 32, []isa.Instr{mem(isa.LoadShared, isa.Row(8), isa.Row(8), 0, 16, 4)}},
		{"store", 4, []isa.Instr{mem(isa.StoreShared, 0, r3, r1, 4, 1)}},
		{"store 2 ways", 4, []isa.Instr{mem(isa.StoreShared, 0, r3, r1, 4, 2)}},
		{"store 8 ways", 16, []isa.Instr{mem(isa.StoreShared, 0, r3, r1, 4, 8)}},
		{"store 16 bytes", 10, []isa.Instr{mem(isa.StoreShared, 0, r3, isa.Row(8), 16, 4)}},
		{"atomic", 26, []isa.Instr{mem(isa.AtomicShared, r1, r3, r1, 4, 1)}},
		{"atomic, 16 lanes on a word", 56, []isa.Instr{mem(isa.AtomicShared, r1, r3, r1, 4, 16)}},
		{"empty", 1, []isa.Instr{{Op: isa.WarpSync, Active: 32}}},
		{"compare, barrier reduction", 63, []isa.Instr{op(isa.ICmp, p0, r1), op(isa.BarRed, r1, p0)}},
		{"loop of four", 29, []isa.Instr{
			op(isa.UniformALU, u0, u0), op(isa.FAdd, r1, r1), op(isa.ICmp, p0, u0),
			{Op: isa.Branch, Active: 32, Guard: 1, Aux: isa.BranchTaken},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.InDelta(t, c.want, step(t, 1, c.step), 1)
		})
	}
}

func TestBarriersTakeWhatTheChipTook(t *testing.T) {
	for _, warps := range []int{1, 2, 4, 8, 16, 32} {
		t.Run(fmt.Sprint(warps), func(t *testing.T) {
			bar := isa.Instr{Op: isa.BarSync, Active: 32}
			assert.Equal(t, float64(12+2*warps), step(t, warps, []isa.Instr{bar}))
			exchange := []isa.Instr{mem(isa.StoreShared, 0, r3, r1, 4, 1), bar, mem(isa.LoadShared, r1, r3, 0, 4, 1), bar}
			want := map[int]float64{1: 40, 2: 42, 4: 46, 8: 60, 16: 92, 32: 156}[warps]
			assert.InEpsilon(t, want, step(t, warps, exchange), 0.04)
		})
	}
}

func TestThroughputIsThatOfTheChip(t *testing.T) {
	// Cycles of the multiprocessor for one instruction of each of 32 warps.
	for _, c := range []struct {
		name string
		want float64
		step []isa.Instr
	}{
		{"float add", 8, []isa.Instr{op(isa.FAdd, r1, r2)}},
		{"multiply-add", 16, []isa.Instr{op(isa.IMul, r1, r2)}},
		{"double add", 16, []isa.Instr{op(isa.DAdd, isa.RowPair(2), isa.RowPair(4))}},
		{"exponential", 64, []isa.Instr{op(isa.Special, r1, r2)}},
		{"shuffle", 32, []isa.Instr{shfl(isa.ShflDown, r1, r2)}},
		{"load", 32, []isa.Instr{mem(isa.LoadShared, r1, r3, 0, 4, 1)}},
		{"load 2 ways", 64, []isa.Instr{mem(isa.LoadShared, r1, r3, 0, 4, 2)}},
		{"load 32 ways", 1024, []isa.Instr{mem(isa.LoadShared, r1, r3, 0, 4, 32)}},
		{"atomic", 32, []isa.Instr{mem(isa.AtomicShared, r1, r3, r2, 4, 1)}},
		{"atomic, 4 lanes on a word", 128, []isa.Instr{mem(isa.AtomicShared, r1, r3, r2, 4, 4)}},
		{"hardware reduction", 64, []isa.Instr{op(isa.Redux, u0, r1)}},
		{"match, 32 values", 2048, []isa.Instr{count(op(isa.MatchAny, r1, r2), 32)}},
		{"match all", 64, []isa.Instr{op(isa.MatchAll, r1, r2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.InEpsilon(t, c.want, step(t, 32, c.step), 0.02)
		})
	}
}

// Register banks, each measured with instructions of one warp and chosen registers
// (bench/accuracy/testdata/banks.csv). Even rows lie in one bank, odd rows in the
// other.
func TestRegisterBanksHoldUpAsOnTheChip(t *testing.T) {
	row := isa.Row
	ee, oo := op(isa.FAdd, row(31), row(20), row(22)), op(isa.FAdd, row(33), row(21), row(23))
	eo, e, o := op(isa.FAdd, row(35), row(20), row(23)), op(isa.FAdd, row(37), row(22)), op(isa.FAdd, row(39), row(23))
	min := op(isa.FMinMax, row(41), row(22))
	nop := isa.Instr{Op: isa.Nop}
	// Without results, which nobody reads.
	shuffle := shfl(isa.ShflXor, isa.NoReg, row(20))
	store := mem(isa.StoreShared, isa.NoReg, isa.NoReg, row(20), 4, 1)
	load := mem(isa.LoadShared, isa.NoReg, row(20), 0, 4, 1)
	for _, c := range []struct {
		name string
		want float64
		step []isa.Instr
	}{
		{"ee ee", 4, []isa.Instr{ee, ee}},
		{"ee oo", 2, []isa.Instr{ee, oo}},
		{"ee eo", 3, []isa.Instr{ee, eo}},
		{"ee o o", 3, []isa.Instr{ee, o, o}},
		{"ee nop nop", 3, []isa.Instr{ee, nop, nop}},
		{"min eo", 2, []isa.Instr{min, eo}},
		{"shuffle eo eo eo eo", 6, []isa.Instr{shuffle, eo, eo, eo, eo}},
		{"shuffle e e e e", 6, []isa.Instr{shuffle, e, e, e, e}},
		{"shuffle o o o o", 5, []isa.Instr{shuffle, o, o, o, o}},
		{"shuffle e o o o", 5, []isa.Instr{shuffle, e, o, o, o}},
		{"shuffle o e e e o", 6, []isa.Instr{shuffle, o, e, e, e, o}},
		{"shuffle e e o o o", 7, []isa.Instr{shuffle, e, e, o, o, o}},
		{"shuffle min e o o o", 7, []isa.Instr{shuffle, min, e, o, o, o}},
		{"store e e o o o o o", 9, []isa.Instr{store, e, e, o, o, o, o, o}},
		{"store e o e e e e e", 8, []isa.Instr{store, e, o, e, e, e, e, e}},
		{"load e e e e e e e", 8, []isa.Instr{load, e, e, e, e, e, e, e}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, step(t, 1, c.step))
		})
	}
}

func TestResultsWaitToBeWrittenAsOnTheChip(t *testing.T) {
	nop := isa.Instr{Op: isa.Nop}
	// A shuffle, n additions from the given cycle on, and what waits for the
	// shuffle: how many cycles later that is issued than without the additions.
	held := func(at, n int, dst isa.Reg) timing.Cycle {
		var last timing.Cycle
		m := machine(t, timing.Config{Observer: func(i *timing.Issue) { last = i.Cycle }})
		recs := append([]isa.Instr{shfl(isa.ShflXor, isa.Row(30), isa.Row(20))}, repeat([]isa.Instr{nop}, at-1)...)
		recs = append(recs, repeat([]isa.Instr{op(isa.FAdd, dst, isa.Row(21), isa.Row(22))}, n)...)
		run(t, m, append(recs, op(isa.FMul, isa.Row(37), isa.Row(30))))
		return last - 24
	}
	for at := 1; at < 20; at++ {
		want := timing.Cycle(0)
		if at == 16 {
			want = 1
		}
		assert.Equal(t, want, held(at, 1, isa.Row(40)), "same bank, %d", at)
		assert.Zero(t, held(at, 1, isa.Row(41)), "another bank, %d", at)
	}
	for n := 1; n <= 6; n++ {
		assert.Equal(t, timing.Cycle(n), held(16, n, isa.Row(40)))
		assert.Equal(t, timing.Cycle(1), held(17-n, n, isa.Row(40)))
	}
}
