package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/space"

	"github.com/stretchr/testify/require"
)

// printer is a device that takes words at its address 0 and has nothing else.
type printer struct{ got []byte }

func (p *printer) Load(uint64, []byte) bool { return false }

func (p *printer) Store(at uint64, data []byte) bool {
	p.got = append(p.got, data[0])
	return at == 0
}

// Instructions without an array go to the host's memory, lane by lane, at the same cost as
// to an array that lies at the same addresses.
func TestSpace(t *testing.T) {
	const far = 1 << 38
	program := func(m warp.Mem[uint32], stop int) warp.Kernel {
		return func(w *warp.Warp) {
			at, high, v := warp.RegAt[uint32](w, 2), warp.RegAt[uint32](w, 3), warp.RegAt[uint32](w, 8)
			for l := range at.Lanes() {
				at.Lanes()[l], high.Lanes()[l], v.Lanes()[l] = uint32(16*(l+32*w.BlockIndex())), far>>32, uint32(l*l+1)
				warp.RegAt[uint32](w, 9).Lanes()[l] = 7
			}
			for _, r := range []warp.Reg[uint32]{at, high, v, warp.RegAt[uint32](w, 9)} {
				r.Define(lane.FirstN(32))
			}
			pair := isa.RowPair(2)
			for _, in := range []warp.Instruction{
				{Op: isa.StoreGlobal, Type: warp.Uint64, A: pair, B: isa.Row(8), Memory: m},
				{Op: isa.LoadGlobal, Type: warp.Words, Dst: isa.Row(12), A: pair, Memory: m},
				{Op: isa.IAdd, Type: warp.Int32, Dst: isa.Row(12), A: isa.Row(12), B: isa.Row(13)},
				{Op: isa.StoreGlobal, Type: warp.Uint32, A: pair, B: isa.Row(12), Imm: 8, Memory: m},
				{Op: isa.StoreGlobal, Type: warp.Uint32, A: pair, Imm: 4, Memory: m},
			}[:stop] {
				require.NoError(t, w.Issue(in))
			}
		}
	}
	var s space.Sparse
	h200 := engine(t, "h200", warp.Config{})
	array, err := warp.GlobalAt(h200, far, make([]uint32, 4*32*2))
	require.NoError(t, err)
	launch := warp.Launch{Blocks: warp.X(2), Threads: warp.X(32)}
	want, err := h200.Run(context.Background(), launch, program(array, 5))
	require.NoError(t, err)
	got, err := engine(t, "h200", warp.Config{Space: &s}).Run(context.Background(), launch, program(warp.Mem[uint32]{}, 5))
	require.NoError(t, err)
	require.Equal(t, want.Cycles, got.Cycles)
	require.Equal(t, want.Waits(), got.Waits())
	for i, v := range array.Data() {
		var b [4]byte
		require.True(t, s.Load(far+uint64(4*i), b[:]))
		require.Equal(t, v, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
	}
	require.EqualValues(t, 5*5+1+7, array.Data()[4*5+2])
	require.Zero(t, array.Data()[4*5+1])

	// A device in the midst of it: what it does not have is out of bounds.
	var p printer
	var with space.Sparse
	require.NoError(t, with.Map(far, 16, &p))
	e := engine(t, "h200", warp.Config{Space: &with})
	_, err = e.Run(context.Background(), one(32), program(warp.Mem[uint32]{}, 1))
	require.NoError(t, err)
	require.Equal(t, []byte{1}, p.got)
	_, err = e.Run(context.Background(), one(32), program(warp.Mem[uint32]{}, 2))
	require.ErrorIs(t, err, warp.OutOfBounds)
	require.ErrorContains(t, err, "0x4000000000")
	_, err = engine(t, "h200", warp.Config{}).Run(context.Background(), one(32), program(warp.Mem[uint32]{}, 1))
	require.ErrorIs(t, err, warp.OutOfBounds, "without a space")
}

// A host chooses where an array lies, and others keep away from there.
func TestGlobalAt(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	first := global(t, e, make([]int32, 100))
	at, _ := first.Address()
	mine, err := warp.GlobalAt(e, at+1024, make([]int32, 300))
	require.NoError(t, err)
	address, shared := mine.Address()
	require.Equal(t, at+1024, address)
	require.False(t, shared)
	second, third := global(t, e, make([]int32, 64)), global(t, e, make([]int32, 300))
	a2, _ := second.Address()
	a3, _ := third.Address()
	require.Equal(t, at+512, a2, "there is room before")
	require.Equal(t, at+1024+1280, a3, "behind it")
	for _, bad := range []uint64{0, 100, at, at + 1024 + 1024, 1 << 40, 1<<40 - 256} {
		_, err := warp.GlobalAt(e, bad, make([]int32, 300))
		var wrong *warp.ConfigError
		require.ErrorAs(t, err, &wrong, "%#x", bad)
	}
	_, err = warp.GlobalAt(e, 256, []*int{nil})
	require.Error(t, err)
	_, err = warp.GlobalAt[int32](nil, 256, nil)
	require.Error(t, err)
	sum := warp.X(32)
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: sum}, func(w *warp.Warp) { warp.Store(mine, w.LaneID(), w.LaneID()) })
	require.NoError(t, err)
	require.EqualValues(t, 31, mine.Data()[31])
}
