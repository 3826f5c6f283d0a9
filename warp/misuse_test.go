package warp_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
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
	func() {
		defer func() {
			require.ErrorIs(t, recover().(error), warp.WrongWarp, "outside of kernels there is no error to return")
		}()
		warp.Add(kept, kept, kept)
	}()
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
	require.Zero(t, r.Count(isa.Invalid))
	require.EqualValues(t, 1, r.Count(isa.Mov))
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

// Thread, lane and block numbers refuse to be a destination, whatever the
// instruction and the device, also seen as another type.
func TestThreadNumbersAreNotWritten(t *testing.T) {
	specials := map[string]func(w *warp.Warp) warp.Reg[int32]{
		"thread": (*warp.Warp).ThreadID, "lane": (*warp.Warp).LaneID, "global": (*warp.Warp).GlobalID,
	}
	writes := map[string]func(w *warp.Warp, r, v warp.Reg[int32]){
		"mov":     func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.Mov(r, v) },
		"set":     func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.Set(r, 3) },
		"add":     func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.Add(r, r, v) },
		"add imm": func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.AddImm(r, v, 1) },
		"neg":     func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.Neg(r, v) },
		"convert": func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.Convert(r, v) },
		"shuffle": func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.ShflDown(r, v, 1) },
		"shuffle3": func(_ *warp.Warp, r, v warp.Reg[int32]) {
			warp.Shfl(r, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1, Width: 4})
		},
		"view": func(_ *warp.Warp, r, v warp.Reg[int32]) { warp.Mov(warp.View[uint32](r), warp.View[uint32](v)) },
		"load": func(w *warp.Warp, r, v warp.Reg[int32]) {
			m := warp.Shared[int32](w, 2*w.Width())
			warp.Store(m, v, v)
			warp.Load(r, m, v)
		},
		"count": func(w *warp.Warp, r, v warp.Reg[int32]) { warp.CountMask(r, w.MaskReg()) },
		"in a branch": func(w *warp.Warp, r, v warp.Reg[int32]) {
			p := w.Pred()
			warp.LtImm(p, v, 4)
			w.If(p, func() { warp.Set(r, 3) })
		},
	}
	for _, d := range []string{"h200", "mi300x", "custom-128"} {
		e := engine(t, d, warp.Config{Faults: warp.Collect})
		for special, get := range specials {
			for name, write := range writes {
				_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
					r, v := get(w), warp.Alloc[int32](w)
					warp.SetLanes(v, func(l int) int32 { return int32(l) })
					write(w, r, v)
				})
				require.ErrorIs(t, err, warp.BadArgument, "%s by %s on %s", special, name, d)
			}
		}
		// A copy is a register like others, and so is one in the place of a released
		// number.
		_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
			m := w.Mark()
			c := warp.Alloc[int32](w)
			warp.Mov(c, w.LaneID())
			warp.AddImm(c, c, 1)
			w.Release(m)
			x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(x, 1)
			warp.Set(y, 2)
			warp.Mov(x, w.LaneID())
			assert.EqualValues(t, 3, x.Lanes()[3])
		})
		require.NoError(t, err)
	}
}

// A released register, and registers and shared memory of an earlier run of the same
// engine, refuse to be used.
func TestWhatIsNoLongerThere(t *testing.T) {
	for _, d := range []string{"h200", "mi300x", "custom-128"} {
		e := engine(t, d, warp.Config{})
		threads := one(e.Device().Lanes)
		for name, use := range map[string]func(r, v warp.Reg[int32]){
			"destination": func(r, v warp.Reg[int32]) { warp.Add(r, v, v) },
			"operand":     func(r, v warp.Reg[int32]) { warp.Add(v, v, r) },
			"both":        func(r, _ warp.Reg[int32]) { warp.Add(r, r, r) },
			"shuffled":    func(r, v warp.Reg[int32]) { warp.ShflXor(v, r, 1) },
			"view":        func(r, v warp.Reg[int32]) { warp.View[float32](r) },
		} {
			_, err := e.Run(context.Background(), threads, func(w *warp.Warp) {
				v := value(w, int32(1))
				m := w.Mark()
				r := value(w, int32(2))
				w.Release(m)
				use(r, v)
			})
			require.ErrorIs(t, err, warp.WrongWarp, "released, %s on %s", name, d)

			var kept warp.Reg[int32]
			_, err = e.Run(context.Background(), threads, func(w *warp.Warp) { kept = value(w, int32(1)) })
			require.NoError(t, err)
			_, err = e.Run(context.Background(), threads, func(w *warp.Warp) { use(kept, value(w, int32(2))) })
			require.ErrorIs(t, err, warp.WrongWarp, "of an earlier run, %s on %s", name, d)
		}
		var kept warp.Mem[int32]
		_, err := e.Run(context.Background(), threads, func(w *warp.Warp) { kept = warp.Shared[int32](w, 128) })
		require.NoError(t, err)
		_, err = e.Run(context.Background(), threads, func(w *warp.Warp) {
			warp.Shared[int32](w, 128)
			warp.Store(kept, w.LaneID(), value(w, int32(2)))
		})
		require.ErrorIs(t, err, warp.SharedMemory, d)
	}
}

// What is moved as words holds no pointers, checked by type.
func TestNoPointersInRegisters(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	for name, kernel := range map[string]warp.Kernel{
		"string":  func(w *warp.Warp) { warp.View[string](warp.Alloc[[2]int](w)) },
		"pointer": func(w *warp.Warp) { warp.View[*int](warp.Alloc[int](w)) },
		"slice":   func(w *warp.Warp) { warp.View[[]int](warp.Alloc[[3]int](w)) },
		"struct":  func(w *warp.Warp) { warp.View[struct{ P *int }](warp.Alloc[int](w)) },
		"alloc":   func(w *warp.Warp) { warp.Alloc[*int](w) },
	} {
		_, err := e.Run(context.Background(), one(32), kernel)
		require.ErrorIs(t, err, warp.RegisterFile, name)
		require.ErrorAs(t, err, new(*lane.TypeError), name)
	}
}

// A launch is refused by the limit that it breaks.
func TestLaunchNamesTheLimit(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	for _, c := range []struct {
		threads warp.Dim
		text    string
	}{
		{warp.X(2048), "2048 threads, and a block of h200 has at most 1024"},
		{warp.Dim{X: 32, Y: 33}, "1056 threads, and a block of h200 has at most 1024"},
		{warp.Dim{X: 1, Y: 1, Z: 65}, "Z is 65, and h200 allows at most 64"},
		{warp.Dim{X: math.MaxInt, Y: math.MaxInt}, "threads, and a block of h200 has at most 1024"},
	} {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: c.threads}, func(*warp.Warp) {})
		require.ErrorContains(t, err, c.text)
	}
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.Dim{X: 1, Y: 70000}, Threads: warp.X(1)}, func(*warp.Warp) {})
	require.ErrorContains(t, err, "Y is 70000, and h200 allows at most 65535")
}

// What goes on in every turn of a loop allocates nothing: a shuffle by an operand
// outside its segment and from a lane that takes no part where faults are off, and a
// shift that drops every bit where it is linted.
func TestFaultsInLoopsAllocateNothing(t *testing.T) {
	for name, c := range map[string]struct {
		config warp.Config
		turn   func(w *warp.Warp, v, r warp.Reg[int32], p warp.Pred)
	}{
		"operand": {warp.Config{Faults: warp.Off, ValuesOnly: true}, func(_ *warp.Warp, v, r warp.Reg[int32], _ warp.Pred) { warp.ShflUp(r, v, 32) }},
		"inactive": {warp.Config{Faults: warp.Off, ValuesOnly: true}, func(w *warp.Warp, v, r warp.Reg[int32], p warp.Pred) {
			w.Under(lane.Bits(0xffff), func() { warp.ShflXor(r, v, 16) })
		}},
		"mask": {warp.Config{Faults: warp.Collect, ValuesOnly: true}, func(_ *warp.Warp, v, r warp.Reg[int32], _ warp.Pred) {
			warp.Shfl(r, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1}, lane.Bits(0xffff))
			warp.Shfl(r, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1}, lane.Mask{})
		}},
		"width": {warp.Config{Faults: warp.Collect, ValuesOnly: true}, func(_ *warp.Warp, v, r warp.Reg[int32], _ warp.Pred) {
			warp.Shfl(r, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1, Width: 24})
			warp.Shfl(r, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1, Width: 64})
		}},
		"undefined": {warp.Config{Faults: warp.Collect, ValuesOnly: true}, func(w *warp.Warp, v, r warp.Reg[int32], p warp.Pred) {
			w.Under(lane.Bits(0xffff), func() { warp.ShflXor(r, v, 16) })
			warp.EqImm(p, r, 1)
			w.If(p, func() {})
		}},
		"absent": {warp.Config{Faults: warp.Collect, ValuesOnly: true}, func(w *warp.Warp, v, r warp.Reg[int32], _ warp.Pred) {
			w.Under(lane.Bits(0xffff), func() { w.SyncWarp(lane.FirstN(32)) })
		}},
		"barrier": {warp.Config{Faults: warp.Collect, ValuesOnly: true}, func(w *warp.Warp, v, r warp.Reg[int32], _ warp.Pred) {
			w.Under(lane.Bits(0xffff), w.SyncBlock)
		}},
		"shift": {warp.Config{Faults: warp.Collect, Sanitize: true, ValuesOnly: true}, func(_ *warp.Warp, v, r warp.Reg[int32], _ warp.Pred) { warp.ShlImm(r, v, 40) }},
	} {
		_, err := engine(t, "h200", c.config).Run(context.Background(), one(32), func(w *warp.Warp) {
			v, r, p := value(w, int32(1)), value(w, int32(2)), w.Pred()
			assert.Zero(t, testing.AllocsPerRun(100, func() { c.turn(w, v, r, p) }), name)
		})
		require.NoError(t, err)
	}
}

// Global memory belongs to the engine that it was made for: addresses of another one's
// arrays are its own.
func TestArraysOfAnotherEngine(t *testing.T) {
	for _, d := range []string{"h200", "mi300x", "custom-128"} {
		e, other := engine(t, d, warp.Config{}), engine(t, d, warp.Config{})
		m, err := warp.Global(other, make([]int32, 128))
		require.NoError(t, err)
		for name, use := range map[string]func(m warp.Mem[int32], at, v warp.Reg[int32]){
			"load":     func(m warp.Mem[int32], at, v warp.Reg[int32]) { warp.Load(v, m, at) },
			"volatile": func(m warp.Mem[int32], at, v warp.Reg[int32]) { warp.LoadVolatile(v, m, at) },
			"store":    func(m warp.Mem[int32], at, v warp.Reg[int32]) { warp.Store(m.At(1), at, v) },
			"atomic":   func(m warp.Mem[int32], at, v warp.Reg[int32]) { warp.Atomic(warp.AtomicAdd, v, m, at, v) },
			"reduce":   func(m warp.Mem[int32], at, v warp.Reg[int32]) { warp.AtomicReduce(warp.AtomicAdd, m, at, v) },
		} {
			kernel := func(w *warp.Warp) { use(m, w.LaneID(), value(w, int32(1))) }
			_, err := e.Run(context.Background(), one(64), kernel)
			require.ErrorIs(t, err, warp.BadArgument, "%s on %s", name, d)
			require.ErrorContains(t, err, "misuse_test.go")
			require.ErrorContains(t, err, "of another engine")
			_, err = other.Run(context.Background(), one(64), kernel)
			require.NoError(t, err, "%s on %s", name, d)
		}
	}
}
