package warp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostProgram is a program of a host's: a sum of what the warps of a block hold, by shuffles,
// shared memory and barriers, with the number of odd threads, stored to out. It is longer
// than a record buffer.
func hostProgram(shared, out warp.Mem[uint32]) []warp.Instruction {
	add := func(dst, a, b int) warp.Instruction {
		return warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: isa.Row(dst), A: isa.Row(a), B: isa.Row(b)}
	}
	var p []warp.Instruction
	for range 900 {
		for d := int64(16); d > 0; d /= 2 {
			p = append(p, warp.Instruction{Op: isa.ShflXor, Type: warp.Int32, Dst: isa.Row(2), A: isa.Row(1), Imm: d})
		}
		p = append(p, add(1, 1, 2))
	}
	address, _ := shared.Address()
	target, _ := out.Address()
	return append(p,
		warp.Instruction{Op: isa.StoreShared, Type: warp.Uint32, A: isa.Row(3), B: isa.Row(1), Imm: int64(address), Memory: shared},
		warp.Instruction{Op: isa.BarSync},
		warp.Instruction{Op: isa.LoadShared, Type: warp.Uint32, Dst: isa.Row(4), A: isa.Row(5), Imm: int64(address), Memory: shared},
		warp.Instruction{Op: isa.BarRed, Dst: isa.Row(6), A: isa.Predicate(0)},
		add(4, 4, 6),
		warp.Instruction{Op: isa.BarRed, Variant: 1, Dst: isa.Predicate(1), A: isa.Predicate(0)},
		warp.Instruction{Op: isa.BarRed, Variant: 2, Dst: isa.Predicate(2), A: isa.Predicate(0)},
		warp.Instruction{Op: isa.Select, Type: warp.Int32, Dst: isa.Row(7), A: isa.Row(4), Imm: -1, C: isa.Predicate(2)},
		warp.Instruction{Op: isa.StoreGlobal, Type: warp.Uint32, A: isa.Row(8), B: isa.Row(7), Imm: int64(target), Memory: out},
		warp.Instruction{Op: isa.Exit},
	)
}

// prepare puts into the registers of a warp what the program starts from, by number.
func prepare(w *warp.Warp) {
	for row, f := range map[int]func(thread int) int32{
		1: func(th int) int32 { return int32(th) }, 3: func(th int) int32 { return int32(4 * th) },
		5: func(th int) int32 { return int32(4 * (w.BlockThreads() - 1 - th)) },
		8: func(th int) int32 { return int32(4 * (th + w.BlockIndex()*w.BlockThreads())) },
	} {
		r := warp.RegAt[int32](w, row)
		for l := range r.Lanes() {
			r.Lanes()[l] = f(w.ID()*w.Width() + l)
		}
		r.Define(lane.FirstN(w.Width()))
	}
	w.PredAt(0).Define(lane.Bits(0xaaaaaaaa), lane.FirstN(w.Width()))
	w.MaskAt(3).Define(lane.Bits(77))
}

// Warps that a host drives come to the values, instructions and cycles of a kernel that
// issues the same, in whichever order the host goes on with them.
func TestDrive(t *testing.T) {
	const blocks, threads = 5, 160
	e := engine(t, "h200", warp.Config{})
	want := global(t, e, make([]uint32, blocks*threads))
	launch := warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}
	kernel, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
		prepare(w)
		for _, in := range hostProgram(warp.Shared[uint32](w, threads), want) {
			require.NoError(t, w.Issue(in))
		}
	})
	require.NoError(t, err)
	require.EqualValues(t, blocks*threads/32*5410, kernel.Instructions)
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 3))
		e := engine(t, "h200", warp.Config{})
		out := global(t, e, make([]uint32, blocks*threads))
		before := runtime.NumGoroutine()
		report, err := e.Drive(context.Background(), launch, func(warps []*warp.Warp) error {
			require.Len(t, warps, blocks*threads/32)
			require.LessOrEqual(t, runtime.NumGoroutine(), before+2, "no coroutine for each")
			programs := make([][]warp.Instruction, len(warps))
			for i, w := range warps {
				prepare(w)
				programs[i] = hostProgram(warp.Shared[uint32](w, threads), out)
			}
			for left := len(warps); left > 0; {
				i := r.IntN(len(warps))
				for range r.IntN(2000) {
					if len(programs[i]) == 0 || warps[i].Waiting() {
						break
					}
					if err := warps[i].Issue(programs[i][0]); err != nil {
						return err
					}
					if programs[i] = programs[i][1:]; len(programs[i]) == 0 {
						left--
					}
				}
			}
			for _, w := range warps {
				assert.Equal(t, lane.Mask{}, w.PredAt(1).Mask(), "not all are odd")
				assert.Equal(t, lane.FirstN(32), w.PredAt(2).Mask(), "some are")
				assert.EqualValues(t, 77, w.MaskAt(3).Mask().Lo)
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, want.Data(), out.Data())
		require.Equal(t, kernel.Cycles, report.Cycles)
		require.Equal(t, kernel.Instructions, report.Instructions)
		require.Equal(t, kernel.Waits(), report.Waits())
		require.Equal(t, kernel.Resident, report.Resident)
	}
}

// What can go wrong while a host drives is an error, and the engine stays good.
func TestDriveFails(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	drive := func(f func(warps []*warp.Warp) error) error {
		_, err := e.Drive(context.Background(), one(64), f)
		return err
	}
	bar := warp.Instruction{Op: isa.BarSync}
	mine := errors.New("mine")
	require.ErrorIs(t, drive(func([]*warp.Warp) error { return mine }), mine)
	require.ErrorIs(t, drive(func(w []*warp.Warp) error { return w[1].Issue(warp.Instruction{Op: isa.NumOps}) }), warp.BadInstruction)
	require.ErrorIs(t, drive(func(w []*warp.Warp) error {
		require.NoError(t, w[0].Issue(bar))
		require.True(t, w[0].Waiting())
		return w[0].Issue(bar)
	}), warp.BadInstruction, "it waits")
	require.ErrorIs(t, drive(func(w []*warp.Warp) error {
		require.NoError(t, w[0].Issue(warp.Instruction{Op: isa.Exit}))
		return w[0].Issue(bar)
	}), warp.BadInstruction, "it has ended")
	require.NoError(t, drive(func(w []*warp.Warp) error { return w[0].Issue(bar) }), "the other one ends, and is not waited for")
	require.ErrorIs(t, drive(func(w []*warp.Warp) error {
		w[0].Barrier(1, 64)
		w[1].Barrier(2, 64)
		return nil
	}), warp.Deadlock)
	require.ErrorIs(t, drive(func(w []*warp.Warp) error { panic("broken") }), warp.KernelPanic)
	require.ErrorIs(t, drive(func(w []*warp.Warp) error { runtime.Goexit(); return nil }), warp.KernelPanic)
	for _, at := range []int{-1, 1 << 20} {
		require.ErrorIs(t, drive(func(w []*warp.Warp) error { warp.RegAt[int32](w[0], at); return nil }), warp.RegisterFile)
		require.ErrorIs(t, drive(func(w []*warp.Warp) error { w[0].PredAt(at); return nil }), warp.RegisterFile)
		require.ErrorIs(t, drive(func(w []*warp.Warp) error { w[0].MaskAt(at); return nil }), warp.RegisterFile)
	}
	require.ErrorIs(t, drive(func(w []*warp.Warp) error { warp.RegAt[int64](w[0], 3); return nil }), warp.RegisterFile)
	require.ErrorIs(t, drive(func(w []*warp.Warp) error { warp.RegAt[*int](w[0], 2); return nil }), warp.RegisterFile)
	var bad *warp.ConfigError
	require.ErrorAs(t, drive(nil), &bad)
	_, err := engine(t, "h200", warp.Config{Seed: 1}).Drive(context.Background(), one(64), func([]*warp.Warp) error { return nil })
	require.ErrorAs(t, err, &bad)
	_, err = e.Drive(context.Background(), warp.Launch{Blocks: warp.X(1 << 30), Threads: warp.X(64)}, func([]*warp.Warp) error { return nil })
	require.ErrorAs(t, err, &bad, "more warps than there is memory for")
	ctx, cancel := context.WithCancel(context.Background())
	_, err = e.Drive(ctx, one(64), func(w []*warp.Warp) error {
		cancel()
		for range 10000 {
			w[0].Work(isa.IAdd, 1)
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	r, err := e.Run(context.Background(), one(64), func(w *warp.Warp) { w.SyncBlock() })
	require.NoError(t, err)
	require.EqualValues(t, 2, r.Instructions)
}
