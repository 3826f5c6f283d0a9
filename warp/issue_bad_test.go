package warp_test

import (
	"context"
	"encoding/binary"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Encodings that make no sense are refused with a reason and change nothing.
func TestIssueRefuses(t *testing.T) {
	r := isa.Row
	for _, c := range []struct {
		in     warp.Instruction
		reason string
	}{
		{warp.Instruction{}, "cannot be issued by itself"},
		{warp.Instruction{Op: isa.NumOps}, "cannot be issued by itself"},
		{warp.Instruction{Op: 255}, "cannot be issued by itself"},
		{warp.Instruction{Op: isa.AtomicGlobal, Dst: r(0), A: r(1)}, "cannot be issued by itself"},
		{warp.Instruction{Op: isa.UniformMov}, "cannot be issued by itself"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, A: r(1), B: r(2)}, "Dst is missing"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: r(1), B: r(2)}, "A is missing"},
		{warp.Instruction{Op: isa.Logic, Type: warp.Int32, Dst: r(1), A: r(1), B: r(2), C: r(3)}, "C must be absent"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Float32, Dst: r(1), A: r(1)}, "type f32"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Words, Dst: r(1), A: r(1)}, "type words"},
		{warp.Instruction{Op: isa.Logic, Type: warp.Float64, Dst: r(2), A: r(2)}, "type f64"},
		{warp.Instruction{Op: isa.Popc, Type: warp.Float32, Dst: r(1), A: r(1)}, "type f32"},
		{warp.Instruction{Op: isa.Mov, Type: 200, Dst: r(1), A: r(1)}, "type unknown"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Variant: 2, Dst: r(1), A: r(1)}, "variant 2"},
		{warp.Instruction{Op: isa.Logic, Type: warp.Int32, Variant: 5, Dst: r(1), A: r(1)}, "variant 5"},
		{warp.Instruction{Op: isa.ICmp, Type: warp.Int32, Variant: 6, Dst: pred0, A: r(1)}, "variant 6"},
		{warp.Instruction{Op: isa.Vote, Variant: 3, Dst: pred0, A: pred1}, "variant 3"},
		{warp.Instruction{Op: isa.Redux, Type: warp.Int32, Variant: 6, Dst: r(0), A: r(1)}, "variant 6"},
		{warp.Instruction{Op: isa.ICmp, Type: warp.Int32, Dst: r(1), A: r(1)}, "Dst must be a predicate, not R1"},
		{warp.Instruction{Op: isa.Ballot, Dst: pred0, A: pred0}, "Dst must be a row, not P0"},
		{warp.Instruction{Op: isa.Ballot, Dst: mask0, A: r(1)}, "A must be a predicate, not R1"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: pred0, A: r(1)}, "Dst must be a row, not P0"},
		{warp.Instruction{Op: isa.ShflUp, Type: warp.Int32, Dst: r(0), A: mask0}, "A must be a row, not U0"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: mask0, A: r(1)}, "Dst must be a row, not U0"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: r(0), A: mask0, B: isa.Uniform(1)}, "room for one uniform register"},
		{warp.Instruction{Op: isa.FFma, Dst: r(0), A: r(1), B: r(1)}, "C is missing"},
		{warp.Instruction{Op: isa.MatchAny, Type: warp.Uint64, Dst: r(0), A: r(2)}, "type u64"},
		{warp.Instruction{Op: isa.MatchAny, Type: warp.Uint32, Dst: r(0), A: r(2), Dst2: pred0}, "Dst2 is P0"},
		{warp.Instruction{Op: isa.BarRed, Variant: 1, Dst: r(0), A: pred0}, "Dst must be a predicate, not R0"},
		{warp.Instruction{Op: isa.BarRed, Variant: 3, Dst: r(0), A: pred0}, "variant 3"},
		{warp.Instruction{Op: isa.Branch, Variant: isa.BranchDivergent}, "variant 2"},
		{warp.Instruction{Op: isa.Branch, A: pred0}, "A must be a uniform register, not P0"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: r(0), A: r(1), Not: true}, "Not without a predicate"},
		{warp.Instruction{Op: isa.LoadShared, Type: warp.Uint32, Dst: r(0), A: r(1)}, "another space"},
		{warp.Instruction{Op: isa.LoadGlobal, Type: warp.Uint16, Dst: r(0), A: r(1)}, "type u16"},
		{warp.Instruction{Op: isa.LoadGlobal, Type: warp.Words, Dst: r(252), A: r(1)}, "a thread has 255 registers"},
		{warp.Instruction{Op: isa.LoadGlobal, Type: warp.Uint32, Dst: r(0), A: isa.RowPair(254)}, "a thread has 255 registers"},
		{warp.Instruction{Op: isa.LoadGlobal, Type: warp.Uint32, Dst: r(0), A: r(0), C: r(1)}, "C must be a uniform register, not R1"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: r(255), A: r(1)}, "a thread has 255 registers"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int64, Dst: r(254), A: r(2)}, "a thread has 255 registers"},
		{warp.Instruction{Op: isa.IAdd, Type: warp.Int64, Dst: r(1), A: r(2)}, "64-bit values start at an even row"},
		{warp.Instruction{Op: isa.DAdd, Dst: r(0), A: r(3)}, "64-bit values start at an even row"},
		{warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: isa.RowPair(-1)}, "a thread has 255 registers"},
		{warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: 0x7fff}, "Dst"},
		{warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: 0xffff}, "a thread has 255 registers"},
		{warp.Instruction{Op: isa.Nop, A: r(1)}, "A must be absent"},
		{warp.Instruction{Op: isa.Nop, Dst2: r(1)}, "Dst2 is R1"},
		{warp.Instruction{Op: isa.ShflUp, Type: warp.Int32, Dst: r(0), A: r(1), Dst2: r(2)}, "Dst2 is R2"},
		{warp.Instruction{Op: isa.Nop, Guard: r(1)}, "Guard must be a predicate"},
		{warp.Instruction{Op: isa.Nop, GuardNot: mask0}, "GuardNot must be a predicate"},
		{warp.Instruction{Op: isa.Nop, Guard: pred0, GuardNot: pred1}, "exclude each other"},
	} {
		ran := false
		before := traced(t, "h200", func(w *warp.Warp, tr *trace) { setup[int32](w).keep(tr) })
		after := traced(t, "h200", func(w *warp.Warp, tr *trace) {
			o := setup[int32](w)
			err := w.Issue(c.in)
			var f *warp.Fault
			if assert.ErrorAs(t, err, &f, "%+v", c.in) {
				assert.ErrorIs(t, err, warp.BadInstruction)
				assert.Contains(t, f.Detail, c.reason, "%+v", c.in)
				assert.Contains(t, f.Detail, c.in.Op.String())
				assert.Contains(t, f.Site.File, "issue_bad_test.go")
			}
			o.keep(tr)
			ran = true
		})
		require.True(t, ran)
		require.Equal(t, before, after, "%+v", c.in)
	}
}

// instructions cuts bytes into encoded instructions, most of them near sensible
// ones.
func instructions(data []byte) []warp.Instruction {
	var out []warp.Instruction
	reg := func(b byte) isa.Reg {
		switch b % 8 {
		case 0:
			return isa.NoReg
		case 1:
			return isa.Predicate(int(b>>3) % isa.MaxPredicates)
		case 2:
			return isa.Uniform(int(b>>3) % isa.MaxUniform)
		case 3:
			return isa.Reg(uint16(b) * 0x101)
		case 4:
			return isa.RowPair(int(b>>3) &^ 1)
		}
		return isa.Row(int(b >> 3))
	}
	for len(data) >= 16 && len(out) < 64 {
		d := data[:16]
		data = data[16:]
		out = append(out, warp.Instruction{
			Op: isa.Op(d[0] % byte(isa.NumOps+2)), Type: warp.Kind(d[1] % 12), Variant: d[2] % 8,
			Guard: reg(d[3] & 0xf9 * (d[3] >> 7)), GuardNot: reg(d[4] & 0xf9 * (d[4] >> 7)),
			Dst: reg(d[5]), Dst2: reg(d[6] * (d[6] >> 7)), A: reg(d[7]), B: reg(d[8]), C: reg(d[9] * (d[9] >> 7)),
			Imm: int64(int32(binary.LittleEndian.Uint32(d[10:]))), Width: int(int8(d[14])) * int(d[14]>>7),
			Not: d[15]&1 != 0, Halves: d[15]&2 != 0,
		})
		if in := &out[len(out)-1]; d[15]&4 != 0 { // an address that may be inside
			in.Imm &= 0xfc
		}
	}
	return out
}

// No encoding makes the engine panic or write outside the register file, in any
// mode on any width; what is refused is a BadInstruction.
func FuzzIssue(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), uint8(0))
	seed := make([]byte, 16*40)
	for i := range seed {
		seed[i] = byte(i*i*7 + i/16)
	}
	f.Add(seed, uint8(1))
	f.Add(seed, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, mode uint8) {
		name := []string{"h200", "mi300x", "mtt-m1000", "custom-1"}[mode>>2&3]
		program := instructions(data)
		e := engine(t, name, warp.Config{Faults: warp.FaultMode(mode % 3)})
		mem := global(t, e, make([]uint32, 99))
		base, _ := mem.Address()
		_, err := e.Run(context.Background(), one(2*e.Device().Lanes), func(w *warp.Warp) {
			last := warp.Alloc[int32](w) // row 0
			w.Under(lane.FirstN(w.Width()), func() { warp.Set(last, 1) })
			s := warp.Shared[uint32](w, 65)
			for _, in := range program {
				switch in.Op {
				case isa.LoadShared, isa.StoreShared, isa.AtomicShared:
					in.Memory = s
				case isa.LoadGlobal, isa.StoreGlobal:
					in.Memory = mem
					in.Imm += int64(base)
				}
				if err := w.Issue(in); err != nil {
					assert.ErrorIs(t, err, warp.BadInstruction)
				}
			}
		})
		if err != nil {
			var fault *warp.Fault
			if assert.ErrorAs(t, err, &fault) {
				assert.NotErrorIs(t, err, warp.KernelPanic, "%+v", program)
			}
		}
	})
}
