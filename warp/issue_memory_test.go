package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// accessing runs a kernel that may address 256 words of shared memory from byte
// 16 on, and 128 of global memory.
func accessing(t *testing.T, c warp.Config, kernel func(w *warp.Warp, shared, global warp.Mem[uint32])) ([]isa.Instr, []uint32, error) {
	t.Helper()
	var recs []isa.Instr
	c.ValuesOnly = true
	c.Observer = &warp.Observer{Instr: func(ev warp.InstrEvent) { recs = append(recs, ev.Instr) }}
	e := engine(t, "h200", c)
	data := make([]uint32, 128)
	for i := range data {
		data[i] = uint32(100 + i)
	}
	mem := global(t, e, data)
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		warp.Shared[uint32](w, 4)
		kernel(w, warp.Shared[uint32](w, 256), mem)
	})
	return recs, data, err
}

func TestIssueSharedMemory(t *testing.T) {
	r := isa.Row
	recs, _, err := accessing(t, warp.Config{Sanitize: true}, func(w *warp.Warp, s, _ warp.Mem[uint32]) {
		issue := func(in warp.Instruction) {
			in.Memory = s
			assert.NoError(t, w.Issue(in))
		}
		var x [8]warp.Reg[uint32]
		for i := range x {
			x[i] = warp.Alloc[uint32](w)
		}
		m, p := w.MaskReg(), w.Pred()
		m.Define(lane.Mask{Lo: 512})
		warp.SetPred(p, lane.FirstN(4))
		for i := range 4 {
			warp.SetLanes(x[i], func(l int) uint32 { return uint32(10*l + i) })
		}
		warp.SetLanes(x[4], func(l int) uint32 { return uint32(16 * l) })

		// Words of 16 bytes, and what they look like one by one.
		issue(warp.Instruction{Op: isa.StoreShared, Type: warp.Words, A: r(4), B: r(0), Imm: 16})
		issue(warp.Instruction{Op: isa.LoadShared, Type: warp.Uint32, Dst: r(5), A: r(4), Imm: 24})
		assert.Equal(t, lanesOf(func(l int) uint32 { return uint32(10*l + 2) }), x[5].Lanes())
		issue(warp.Instruction{Op: isa.LoadShared, Type: warp.Float64, Dst: r(5), A: r(4), Imm: 16, Guard: isa.Predicate(0)})
		assert.Equal(t, []uint32{30, 42}, x[5].Lanes()[3:5])
		assert.Equal(t, uint32(31), x[6].Lanes()[3])
		assert.Equal(t, lane.Range(4, 32), x[6].Undefined())
		issue(warp.Instruction{Op: isa.LoadShared, Type: warp.Words, Dst: r(0), A: r(4), Imm: 16})
		assert.Equal(t, lanesOf(func(l int) uint32 { return uint32(10*l + 3) }), x[3].Lanes())

		// A uniform register in the address, and one alone.
		w.SyncWarp(w.Active())
		issue(warp.Instruction{Op: isa.StoreShared, Type: warp.Uint32, C: isa.Uniform(0), Imm: 4})
		w.SyncWarp(w.Active())
		warp.SetLanes(x[4], func(l int) uint32 { return 0xfffffffc }) // wraps
		issue(warp.Instruction{Op: isa.LoadShared, Type: warp.Int32, Dst: r(5), A: r(4), C: isa.Uniform(0), Imm: 8})
		assert.Equal(t, lanesOf(func(l int) uint32 { return 0 }), x[5].Lanes())
	})
	require.NoError(t, err)
	at := func(i int) isa.Instr { return recs[i] }
	assert.Equal(t, isa.Instr{Op: isa.StoreShared, Active: 32, A: r(4), B: r(0), Aux: isa.MemAux(16, 0), Count: 4}, at(6))
	assert.Equal(t, isa.Instr{Op: isa.LoadShared, Active: 32, A: r(4), Dst: r(5), Aux: isa.MemAux(4, 0), Count: 4}, at(7), "a stride of four words")
	assert.Equal(t, isa.Instr{Op: isa.LoadShared, Active: 4, Guard: 1, A: r(4), Dst: r(5), Aux: isa.MemAux(8, 0), Count: 1}, at(8))
	assert.Equal(t, isa.Instr{Op: isa.StoreShared, Active: 32, C: isa.Uniform(0), Aux: isa.MemAux(4, 0), Count: 1}, at(11))
	assert.Equal(t, isa.Instr{Op: isa.LoadShared, Active: 32, A: r(4), C: isa.Uniform(0), Dst: r(5), Aux: isa.MemAux(4, 0), Count: 1}, at(14))
}

func TestIssueGlobalMemory(t *testing.T) {
	pair := isa.RowPair
	recs, data, err := accessing(t, warp.Config{}, func(w *warp.Warp, _, g warp.Mem[uint32]) {
		low, high, x, y := warp.Alloc[uint32](w), warp.Alloc[uint32](w), warp.Alloc[uint32](w), warp.Alloc[uint32](w)
		base, _ := g.Address()
		warp.SetLanes(low, func(l int) uint32 { return uint32(base) + uint32(8*l) })
		warp.Set(high, uint32(base>>32))
		issue := func(in warp.Instruction) {
			in.Memory = g
			assert.NoError(t, w.Issue(in))
		}
		issue(warp.Instruction{Op: isa.LoadGlobal, Type: warp.Uint64, Dst: isa.Row(2), A: pair(0)})
		assert.Equal(t, lanesOf(func(l int) uint32 { return uint32(101 + 2*l) }), y.Lanes())
		issue(warp.Instruction{Op: isa.StoreGlobal, Type: warp.Uint32, B: isa.Row(3), A: pair(0)})
		assert.Equal(t, uint32(100), x.Lanes()[0])
	})
	require.NoError(t, err)
	assert.Equal(t, []uint32{101, 101, 103, 103}, data[:4])
	assert.Equal(t, isa.Instr{Op: isa.LoadGlobal, Active: 32, A: pair(0), Dst: isa.Row(2), Aux: isa.MemAux(8, isa.LevelL1), Count: 8}, recs[2])
	assert.Equal(t, isa.Instr{Op: isa.StoreGlobal, Active: 32, A: pair(0), B: isa.Row(3), Aux: isa.MemAux(4, isa.LevelL1), Count: 8}, recs[3])
}

func TestIssueAtomics(t *testing.T) {
	r := isa.Row
	for _, c := range []struct {
		op         warp.AtomicOp
		want       uint32
		old0, old1 uint32
	}{
		{warp.AtomicAdd, 12 + 496, 12, 12}, {warp.AtomicMin, 0, 12, 0}, {warp.AtomicMax, 31, 12, 12},
		{warp.AtomicExchange, 31, 12, 0}, {warp.AtomicAnd, 0, 12, 0}, {warp.AtomicOr, 31, 12, 12}, {warp.AtomicXor, 12, 12, 12},
	} {
		recs, _, err := accessing(t, warp.Config{}, func(w *warp.Warp, s, _ warp.Mem[uint32]) {
			x, d := warp.Alloc[uint32](w), warp.Alloc[uint32](w)
			warp.SetLanes(x, func(l int) uint32 { return uint32(l) })
			s.Data()[3] = 12
			in := warp.Instruction{Op: isa.AtomicShared, Type: warp.Uint32, Variant: uint8(c.op), Dst: r(1), B: r(0), Imm: 16 + 12, Memory: s}
			assert.NoError(t, w.Issue(in))
			assert.Equal(t, c.want, s.Data()[3], c.op)
			assert.Equal(t, []uint32{c.old0, c.old1}, d.Lanes()[:2], c.op)
			in.Dst = isa.NoReg
			assert.NoError(t, w.Issue(in))
		})
		require.NoError(t, err)
		assert.Equal(t, isa.Instr{Op: isa.AtomicShared, Active: 32, Dst: r(1), B: r(0), Aux: isa.MemAux(4, 0), Count: 32}, recs[1])
		assert.Equal(t, isa.NoReg, recs[2].Dst)
	}
	recs, _, err := accessing(t, warp.Config{}, func(w *warp.Warp, s, _ warp.Mem[uint32]) {
		x, d := warp.Alloc[uint32](w), warp.Alloc[uint32](w)
		warp.SetLanes(x, func(l int) uint32 { return uint32(l) })
		in := warp.Instruction{Op: isa.AtomicShared, Type: warp.Int32, Variant: warp.AtomicCompareAndSwap, Dst: r(1), B: r(0), C: r(0), Imm: 16, Memory: s}
		s.Data()[0] = 7
		assert.NoError(t, w.Issue(in))
		assert.Equal(t, lanesOf(func(l int) uint32 { return 7 }), d.Lanes())
		in.Dst, in.Type = isa.NoReg, warp.Float32
		assert.NoError(t, w.Issue(in))
	})
	require.NoError(t, err)
	assert.Equal(t, isa.Instr{Op: isa.AtomicShared, Active: 32, Dst: r(1), B: r(0), Aux: isa.MemAux(4, 0), Count: 32}, recs[1])
}

func TestIssueMemoryFaults(t *testing.T) {
	for want, in := range map[string]warp.Instruction{
		"element 256":             {Op: isa.LoadShared, Type: warp.Uint32, Dst: isa.Row(0), Imm: 16 + 1024},
		"element -1":              {Op: isa.StoreShared, Type: warp.Uint32, B: isa.Row(0), Imm: 12},
		"no multiple of 4":        {Op: isa.LoadShared, Type: warp.Uint32, Dst: isa.Row(0), Imm: 17},
		"no multiple of 8":        {Op: isa.LoadShared, Type: warp.Uint64, Dst: isa.Row(0), Imm: 20},
		"undefined address":       {Op: isa.LoadShared, Type: warp.Uint32, Dst: isa.Row(0), A: isa.Row(5), Imm: 16},
		"undefined value stored":  {Op: isa.StoreShared, Type: warp.Words, B: isa.Row(4), Imm: 16},
		"undefined operand of an": {Op: isa.AtomicShared, Type: warp.Uint32, B: isa.Row(5), Imm: 16},
	} {
		_, _, err := accessing(t, warp.Config{}, func(w *warp.Warp, s, _ warp.Mem[uint32]) {
			for i := range 5 {
				x := warp.Alloc[uint32](w)
				warp.Set(x, uint32(i))
			}
			in.Memory = s
			assert.NoError(t, w.Issue(in))
			t.Error("went on after", want)
		})
		assert.ErrorContains(t, err, want)
	}
}
