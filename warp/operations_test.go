package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"

	"github.com/stretchr/testify/require"
)

// withOwn is an H200 with two operations of a host's own: user.0 of 30 cycles, one every 8,
// and user.7 of 5.
func withOwn(t *testing.T) *device.Profile {
	h200, err := device.Lookup("h200")
	require.NoError(t, err)
	p, err := device.With(h200, `{"name": "own", "timing": {"ops": {
		"user.0": {"status": "estimated", "source": "a test", "pipe": "fma", "latency": 30, "beats": 8},
		"user.7": {"status": "estimated", "source": "a test", "pipe": "alu", "latency": 5}}}}`)
	require.NoError(t, err)
	return p
}

// A host's own operations have the values of its functions and the costs of the profile.
func TestOperations(t *testing.T) {
	// dot adds up the products of neighbours among six operands.
	dot := func(w *warp.Warp, in warp.Instruction, lanes lane.Mask) {
		row := func(r isa.Reg) []int32 {
			if r == isa.NoReg {
				return make([]int32, 32)
			}
			return warp.RegAt[int32](w, r.Index()-1).Lanes()
		}
		d := row(in.Dst)
		for l := range lanes.Lanes() {
			d[l] = row(in.A)[l]*row(in.B)[l] + row(in.C)[l]*row(in.More[0])[l] + row(in.More[1])[l]*row(in.More[2])[l]
		}
	}
	next := func(w *warp.Warp, in warp.Instruction, lanes lane.Mask) {
		a, d := warp.RegAt[int32](w, in.A.Index()-1).Lanes(), warp.RegAt[int32](w, in.Dst.Index()-1).Lanes()
		for l := range lanes.Lanes() {
			d[l] = a[l] + 1
		}
	}
	p := withOwn(t)
	e := newEngine(t, warp.Config{Device: p, Workers: 1, Operations: map[isa.Op]warp.Operation{isa.User0: dot, isa.User0 + 7: next}})
	cycles := func(program func(w *warp.Warp, issue func(warp.Instruction))) int64 {
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			program(w, func(in warp.Instruction) { require.NoError(t, w.Issue(in)) })
		})
		require.NoError(t, err)
		return int64(r.Cycles)
	}
	row := isa.Row
	set := func(issue func(warp.Instruction), n int) {
		for i := range n {
			issue(warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: row(i), Imm: int64(i + 1)})
		}
	}
	six := warp.Instruction{Op: isa.User0, Dst: row(6), A: row(0), B: row(1), C: row(2), More: [3]isa.Reg{row(3), row(4), row(5)}}
	cycles(func(w *warp.Warp, issue func(warp.Instruction)) {
		set(issue, 5)
		issue(six)
		require.Equal(t, lane.FirstN(32), warp.RegAt[int32](w, 6).Undefined(), "the sixth operand is")
		set(issue, 6)
		issue(six)
		require.EqualValues(t, 1*2+3*4+5*6, warp.RegAt[int32](w, 6).Lanes()[31])
		w.PredAt(0).Define(lane.FirstN(3), lane.FirstN(32))
		issue(warp.Instruction{Op: isa.User0 + 7, Dst: row(6), A: row(6), GuardNot: isa.Predicate(0)})
		require.EqualValues(t, 44, warp.RegAt[int32](w, 6).Lanes()[2])
		require.EqualValues(t, 45, warp.RegAt[int32](w, 6).Lanes()[3])
	})
	chain := func(op isa.Op, a isa.Reg, more isa.Reg, n int) int64 {
		return cycles(func(w *warp.Warp, issue func(warp.Instruction)) {
			set(issue, 8)
			for range n {
				issue(warp.Instruction{Op: op, Dst: row(6), A: a, B: row(1), C: row(2), More: [3]isa.Reg{more}})
			}
		})
	}
	require.EqualValues(t, 10*5, chain(isa.User0+7, row(6), isa.NoReg, 20)-chain(isa.User0+7, row(6), isa.NoReg, 10), "latency")
	require.EqualValues(t, 10*30, chain(isa.User0, row(6), row(3), 20)-chain(isa.User0, row(6), row(3), 10), "latency")
	require.EqualValues(t, 10*(30+1), chain(isa.User0, row(3), row(6), 20)-chain(isa.User0, row(3), row(6), 10), "a fourth operand is waited for, by an instruction before")

	for name, in := range map[string]warp.Instruction{
		"no function":                          {Op: isa.User0 + 1, Dst: row(0), A: row(1)},
		"More is R300":                         {Op: isa.User0, Dst: row(0), A: row(1), More: [3]isa.Reg{row(300)}},
		"More is for operations of the host's": {Op: isa.IAdd, Type: warp.Int32, Dst: row(0), A: row(1), B: row(2), More: [3]isa.Reg{row(3)}},
	} {
		cycles(func(w *warp.Warp, _ func(warp.Instruction)) {
			err := w.Issue(in)
			require.ErrorIs(t, err, warp.BadInstruction)
			require.ErrorContains(t, err, name)
		})
	}
	for _, bad := range []map[isa.Op]warp.Operation{{isa.IAdd: next}, {isa.NumOps: next}, {isa.User0: nil}} {
		_, err := warp.New(warp.Config{Device: p, Operations: bad})
		var wrong *warp.ConfigError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "Config.Operations", wrong.Field)
	}
}

// A count of leading zeros of 0 is what the device's rule says: -1 on AMD's, whose
// instruction finds no bit (v_ffbh_u32), and the width elsewhere.
func TestLeadingZerosOfNothing(t *testing.T) {
	for name, want := range map[string]int32{"h200": 32, "mi300x": -1, "rx7900xt": -1, "mi50": -1, "mtt-s4000": 32} {
		e := engine(t, name, warp.Config{})
		_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
			require.NoError(t, w.Issue(warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: isa.Row(1), Imm: 0}))
			warp.RegAt[int32](w, 1).Lanes()[3] = 5
			for range 2 { // also when source and destination are the same
				require.NoError(t, w.Issue(warp.Instruction{Op: isa.Clz, Type: warp.Int32, Dst: isa.Row(2), A: isa.Row(1)}))
				d := warp.RegAt[int32](w, 2).Lanes()
				require.Equal(t, []int32{want, 29}, []int32{d[0], d[3]}, name)
			}
			require.NoError(t, w.Issue(warp.Instruction{Op: isa.Clz, Type: warp.Int32, Dst: isa.Row(1), A: isa.Row(1)}))
			require.Equal(t, want, warp.RegAt[int32](w, 1).Lanes()[0], name)
			v := warp.Alloc[int32](w)
			warp.Set(v, 0)
			warp.Clz(v, v)
			require.EqualValues(t, 32, v.Lanes()[0], "the function of the language")
		})
		require.NoError(t, err)
	}
}
