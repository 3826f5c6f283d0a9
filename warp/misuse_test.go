package warp_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Registers that another warp, or an earlier run, has allocated are found even
// if all of an instruction's are foreign.
func TestForeignRegisters(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true})
	var kept warp.Reg[int32]
	_, err := e.Run(context.Background(), one(64), func(w *warp.Warp) {
		if w.ID() == 0 {
			kept = warp.Alloc[int32](w)
			warp.Set(kept, 1)
		}
		w.SyncBlock()
		if w.ID() == 1 {
			warp.Add(kept, kept, kept)
		}
	})
	require.ErrorIs(t, err, warp.WrongWarp)

	_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) {
		kept = warp.Alloc[int32](w)
		warp.Set(kept, 1)
	})
	require.NoError(t, err)
	require.PanicsWithValue(t, "warp: a register is used outside of the kernel that allocated it", func() {
		warp.Add(kept, kept, kept)
	})
	var none warp.Reg[int32]
	_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) { warp.Add(none, none, none) })
	require.ErrorIs(t, err, warp.WrongWarp)
	require.ErrorContains(t, err, "never allocated")
}

// A register that has become a float costs and does nothing where its old name is
// shifted.
func TestShiftOfWhatIsAFloatNow(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		a := warp.Alloc[int32](w)
		warp.Set(a, 1)
		f := warp.View[float32](a)
		warp.ShlImm(a, a, 2)
		warp.Shr(a, a, a)
		assert.Equal(t, math.Float32frombits(1), f.Lanes()[31])
	})
	require.NoError(t, err)
	require.Zero(t, r.ByOp[isa.Invalid])
	require.EqualValues(t, 1, r.ByOp[isa.Mov])
}

// Modes that do not exist, and numbers that do not fit, are not taken for others.
func TestNumbersThatAreNone(t *testing.T) {
	for name, kernel := range map[string]warp.Kernel{
		"vote": func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, w.Active())
			warp.Vote(99, p, p)
		},
		"shuffle": func(w *warp.Warp) {
			warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Mode: crossbar.Mode(99)})
		},
		"row": func(w *warp.Warp) {
			must(w.Issue(warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: isa.Row(1 << 20)}))
		},
		"rows": func(w *warp.Warp) { must(w.Issue(warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: isa.Row(-1)})) },
	} {
		e := engine(t, "h200", warp.Config{ValuesOnly: true})
		_, err := e.Run(context.Background(), one(32), kernel)
		require.ErrorIs(t, err, warp.BadInstruction, name)
	}
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Faults: warp.Collect})
	far := int64(1)<<32 + 1
	r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		if math.MaxInt > math.MaxInt32 {
			warp.ShflDown(warp.Alloc[int32](w), w.LaneID(), int(far))
		} else {
			warp.ShflDown(warp.Alloc[int32](w), w.LaneID(), math.MaxInt32)
		}
	})
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	require.Equal(t, warp.OperandRange, r.Faults[0].Kind)
}

// must ends the kernel with an error of Issue, keeping what it is.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func TestEnginesThatAreNone(t *testing.T) {
	var bad *warp.ConfigError
	_, err := (*warp.Engine)(nil).Run(context.Background(), one(32), func(*warp.Warp) {})
	require.ErrorAs(t, err, &bad)
	_, err = warp.Global(nil, make([]int32, 1))
	require.ErrorAs(t, err, &bad)
	e := engine(t, "h200", warp.Config{ValuesOnly: true})
	_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) { w.Cancel(nil) })
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) { w.Fail(warp.Fault{}, errors.New("why")) })
	require.ErrorIs(t, err, warp.BadInstruction)
}
