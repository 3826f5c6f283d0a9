package warptest_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

type ints = warp.Mem[int32]

// A specimen is a kernel that makes one mistake, and one that nearly does. Kernels
// get 64 threads on h200 unless they say otherwise, and an array of 64 elements.
type specimen struct {
	kind     warp.FaultKind
	device   string
	threads  int
	bad      func(w *warp.Warp, out ints)
	twin     func(w *warp.Warp, out ints)
	badLane  func(t *thread) // instead of bad: by lane
	twinLane func(t *thread)
}

func below(w *warp.Warp, n int) warp.Pred { return when(w, func(l int) bool { return l < n }) }

// reg returns a register with a value in every lane.
func reg(w *warp.Warp, v int32) warp.Reg[int32] {
	r := warp.Alloc[int32](w)
	warp.Set(r, v)
	return r
}

var specimens = []specimen{
	{kind: warp.MaskZero, bad: func(w *warp.Warp, out ints) { w.SyncWarp(lane.Mask{}) },
		twin: func(w *warp.Warp, out ints) { w.SyncWarp(w.Active()) }},
	{kind: warp.CallerNotInMask, bad: func(w *warp.Warp, out ints) { w.SyncWarp(lane.FirstN(31)) },
		twin: func(w *warp.Warp, out ints) {
			w.If(below(w, 31), func() { w.SyncWarp(lane.FirstN(31)) })
		}},
	{kind: warp.MaskAbsent, bad: func(w *warp.Warp, out ints) { w.If(below(w, 31), func() { w.SyncWarp(lane.FirstN(32)) }) },
		twin: func(w *warp.Warp, out ints) {
			w.Exit(when(w, func(l int) bool { return l == 31 }))
			w.SyncWarp(lane.FirstN(32))
		}},
	{kind: warp.MaskMismatch, badLane: func(t *thread) {
		intrinsics.SyncWarp(t, lane.Range(t.Lane()/16, 32))
	}, twinLane: func(t *thread) {
		intrinsics.SyncWarp(t, lane.Range(t.Lane()&^15, t.Lane()&^15+16))
	}},
	{kind: warp.MaskNotActive, device: "mi300x", bad: func(w *warp.Warp, out ints) { w.If(below(w, 63), func() { w.SyncWarp(lane.FirstN(64)) }) },
		twin: func(w *warp.Warp, out ints) { w.If(below(w, 63), func() { w.SyncWarp(lane.FirstN(63)) }) }},
	{kind: warp.MaskTooNarrow, device: "mi300x", badLane: func(t *thread) {
		if t.Lane() < 32 {
			intrinsics.SyncWarp(t, uint32(0xffffffff))
		}
	}, twinLane: func(t *thread) {
		if t.Lane() < 32 {
			intrinsics.SyncWarp(t, uint64(0xffffffff))
		}
	}},
	{kind: warp.MaskBeyondWarp, bad: func(w *warp.Warp, out ints) { w.SyncWarp(lane.FirstN(33)) },
		twin: func(w *warp.Warp, out ints) { w.SyncWarp(lane.FirstN(32)) }},
	{kind: warp.ReadInactive, bad: func(w *warp.Warp, out ints) {
		w.If(below(w, 16), func() { warp.ShflDown(warp.Alloc[int32](w), w.LaneID(), 1) })
	}, twin: func(w *warp.Warp, out ints) {
		w.If(below(w, 16), func() {
			warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Mode: crossbar.Down, Operand: 1, Width: 16})
		})
	}},
	{kind: warp.UndefinedUse, bad: func(w *warp.Warp, out ints) { warp.Store(out, w.ThreadID(), warp.Alloc[int32](w)) },
		twin: func(w *warp.Warp, out ints) {
			v := warp.Alloc[int32](w)
			warp.ShflIdx(v, v, 0) // undefined, and free of blame until it is used
			warp.Set(v, 1)
			warp.Store(out, w.ThreadID(), v)
		}},
	{kind: warp.WidthNotPowerOfTwo, bad: func(w *warp.Warp, out ints) { shuffle(w, warp.Shuffle{Mode: crossbar.Xor, Width: 24}) },
		twin: func(w *warp.Warp, out ints) { shuffle(w, warp.Shuffle{Mode: crossbar.Xor, Width: 16}) }},
	{kind: warp.WidthAboveWarp, bad: func(w *warp.Warp, out ints) { shuffle(w, warp.Shuffle{Mode: crossbar.Xor, Width: 64}) },
		twin: func(w *warp.Warp, out ints) { shuffle(w, warp.Shuffle{Mode: crossbar.Xor, Width: 32}) }},
	{kind: warp.OperandRange, bad: func(w *warp.Warp, out ints) { shuffle(w, warp.Shuffle{Mode: crossbar.Up, Operand: 32}) },
		twin: func(w *warp.Warp, out ints) { shuffle(w, warp.Shuffle{Mode: crossbar.Up, Operand: 31}) }},
	{kind: warp.BarrierDivergent, bad: func(w *warp.Warp, out ints) { w.If(below(w, 16), w.SyncBlock) },
		twin: func(w *warp.Warp, out ints) { w.If(below(w, 32), w.SyncBlock) }},
	{kind: warp.BarrierMismatch, bad: func(w *warp.Warp, out ints) { w.Barrier(1, 64-32*w.ID()) },
		twin: func(w *warp.Warp, out ints) { w.Barrier(1+w.ID(), 32) }},
	{kind: warp.Deadlock, bad: func(w *warp.Warp, out ints) { w.Barrier(1+w.ID(), 64) },
		twin: func(w *warp.Warp, out ints) {
			w.Arrive(1+w.ID(), 64)
			w.Barrier(2-w.ID(), 64)
		}},
	{kind: warp.Endless, badLane: func(t *thread) { spin(t, 0) }, twinLane: func(t *thread) { spin(t, 1) }},
	{kind: warp.OutOfBounds, bad: func(w *warp.Warp, out ints) { warp.Load(warp.Alloc[int32](w), out.At(1), w.ThreadID()) },
		twin: func(w *warp.Warp, out ints) {
			w.Where(when(w, func(l int) bool { return w.ID() == 0 || l < 31 }), func() { warp.Load(warp.Alloc[int32](w), out.At(1), w.ThreadID()) })
		}},
	{kind: warp.Unsupported, bad: func(w *warp.Warp, out ints) {
		x := warp.Alloc[int64](w)
		warp.Set(x, 1)
		warp.Redux(warp.ReduxAdd, x, x)
	}, twin: func(w *warp.Warp, out ints) { warp.Redux(warp.ReduxAdd, warp.Alloc[int32](w), w.LaneID()) }},
	{kind: warp.RegisterFile, bad: func(w *warp.Warp, out ints) {
		for range 256 {
			warp.Alloc[int32](w)
		}
	}, twin: func(w *warp.Warp, out ints) {
		for range 512 {
			m := w.Mark()
			warp.Alloc[int32](w)
			w.Release(m)
		}
	}},
	{kind: warp.SharedMemory, bad: func(w *warp.Warp, out ints) { warp.Shared[int32](w, 16+w.ID()) },
		twin: func(w *warp.Warp, out ints) { warp.Shared[int32](w, 16) }},
	{kind: warp.WrongWarp, threads: 64, bad: func() func(w *warp.Warp, out ints) {
		var first warp.Reg[int32]
		return func(w *warp.Warp, out ints) {
			if w.ID() == 0 {
				first = reg(w, 1)
				return
			}
			warp.Add(reg(w, 1), reg(w, 2), first)
		}
	}(), twin: func(w *warp.Warp, out ints) { warp.Add(reg(w, 1), reg(w, 2), reg(w, 3)) }},
	{kind: warp.BadInstruction, bad: func(w *warp.Warp, out ints) { w.Break(below(w, 16)) },
		twin: func(w *warp.Warp, out ints) {
			w.While(func() warp.Pred { return below(w, 32) }, func() { w.Break(below(w, 32)) })
		}},
	{kind: warp.BadArgument, bad: func(w *warp.Warp, out ints) {
		reduce.ShuffleXor(reg(w, 1), reduce.Sum[int32](), reduce.Tile{Width: 12})
	},
		twin: func(w *warp.Warp, out ints) { reduce.ShuffleXor(reg(w, 1), reduce.Sum[int32](), reduce.Tile{Width: 8}) }},
	{kind: warp.KernelPanic, bad: func(w *warp.Warp, out ints) { panic("a mistake") },
		twin: func(w *warp.Warp, out ints) {
			defer func() { _ = recover() }()
			panic("handled")
		}},
	{kind: warp.SharedRace, bad: func(w *warp.Warp, out ints) { neighbours(w, false) },
		twin: func(w *warp.Warp, out ints) { neighbours(w, true) }},
	{kind: warp.GlobalRace, bad: func(w *warp.Warp, out ints) {
		warp.Store(out, w.ThreadID(), w.ThreadID())
		warp.Load(warp.Alloc[int32](w), out.At(63-32*w.ID()), neg(w))
	}, twin: func(w *warp.Warp, out ints) {
		warp.Store(out, w.ThreadID(), w.ThreadID())
		w.SyncBlock()
		warp.Load(warp.Alloc[int32](w), out.At(63-32*w.ID()), neg(w))
	}},
	{kind: warp.BenignRace, bad: func(w *warp.Warp, out ints) { warp.Store(out, reg(w, 0), reg(w, 7)) },
		twin: func(w *warp.Warp, out ints) { warp.AtomicReduce(warp.AtomicMax, out, reg(w, 0), reg(w, 7)) }},
	{kind: warp.UninitializedShared, bad: func(w *warp.Warp, out ints) {
		warp.Load(warp.Alloc[int32](w), warp.Shared[int32](w, 64), w.ThreadID())
	}, twin: func(w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		warp.Store(s, w.ThreadID(), w.LaneID())
		warp.Load(warp.Alloc[int32](w), s, w.ThreadID())
	}},
	{kind: warp.UninitializedGlobal, bad: func(w *warp.Warp, out ints) {
		warp.Load(warp.Alloc[int32](w), unset, w.LaneID())
	}, twin: func(w *warp.Warp, out ints) {
		warp.Store(unset, w.ThreadID(), w.LaneID())
		warp.Load(warp.Alloc[int32](w), unset, w.ThreadID())
	}},
	{kind: warp.ActiveMaskAsMask, bad: func(w *warp.Warp, out ints) {
		m := w.MaskReg()
		warp.ActiveMask(m)
		warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{}, m.Mask())
	}, twin: func(w *warp.Warp, out ints) {
		m := w.MaskReg()
		warp.ActiveMask(m)
		warp.CountMask(warp.Alloc[int32](w), m)
		warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{}, lane.FirstN(32))
	}},
	{kind: warp.ShiftRange, device: "mi300x", bad: func(w *warp.Warp, out ints) { warp.Shl(reg(w, 0), reg(w, 1), w.LaneID()) },
		twin: func(w *warp.Warp, out ints) {
			one, by := warp.Alloc[int64](w), warp.Alloc[int64](w)
			warp.Set(one, 1)
			warp.Convert(by, w.LaneID())
			warp.Shl(one, one, by)
		}},
	{kind: warp.BallotTruncated, device: "mi300x", bad: func(w *warp.Warp, out ints) {
		m := w.MaskReg()
		warp.Ballot(m, when(w, func(l int) bool { return l%3 == 0 }))
		warp.MaskBits(warp.Alloc[uint32](w), m)
	}, twin: func(w *warp.Warp, out ints) {
		m := w.MaskReg()
		warp.Ballot(m, when(w, func(l int) bool { return l%3 == 0 }))
		warp.MaskBits(warp.Alloc[uint64](w), m)
	}},
	{kind: warp.PartialReduction, device: "mi300x", bad: func(w *warp.Warp, out ints) { sumFrom(w, 16, 0) },
		twin: func(w *warp.Warp, out ints) { sumFrom(w, 16, 32) }},
}

// spin waits for a counter to rise by what it adds to it.
func spin(t *thread, by int32) {
	s := intrinsics.Shared[int32](t, 1)
	if t.ThreadRank() == 0 {
		s.Store(t, 0, 0)
	}
	intrinsics.SyncThreads(t)
	for intrinsics.AtomicAdd(t, s, 0, by) == 0 {
	}
}

// unset is an array of global memory that starts undefined.
var unset ints

func shuffle(w *warp.Warp, s warp.Shuffle) { warp.Shfl(warp.Alloc[int32](w), w.LaneID(), s) }

func neg(w *warp.Warp) warp.Reg[int32] {
	r := warp.Alloc[int32](w)
	warp.Neg(r, w.LaneID())
	return r
}

// neighbours exchanges values between neighbouring lanes through shared memory.
func neighbours(w *warp.Warp, sync bool) {
	s := warp.Shared[int32](w, 64)
	other := warp.Alloc[int32](w)
	warp.XorImm(other, w.ThreadID(), 1)
	warp.Store(s, w.ThreadID(), w.LaneID())
	if sync {
		w.SyncWarp(w.Active())
	}
	warp.Load(warp.Alloc[int32](w), s, other)
}

func sumFrom(w *warp.Warp, d int32, width int) {
	x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Mov(x, w.LaneID())
	for ; d > 0; d /= 2 {
		warp.Shfl(y, x, warp.Shuffle{Mode: crossbar.Down, Operand: d, Width: width})
		warp.Add(x, x, y)
	}
}

func (s *specimen) run(t *testing.T, k func(w *warp.Warp, out ints), kl func(t *thread)) *warp.Report {
	t.Helper()
	name := s.device
	if name == "" {
		name = "h200"
	}
	e := watched(t, name)
	out, err := warp.Global(e, make([]int32, 64))
	require.NoError(t, err)
	unset, err = warp.Undefined[int32](e, 64)
	require.NoError(t, err)
	var r *warp.Report
	if kl != nil {
		r, _ = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(64), kl)
	} else {
		r, _ = e.Run(context.Background(), block(64), func(w *warp.Warp) { k(w, out) })
	}
	return r
}

// readsCode says whether kernels' machine code is read, as plain loops and naming a
// spin need.
const readsCode = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"

// needsCode skips a test whose kernels hold plain loops where code is not read.
func needsCode(t *testing.T) {
	if !readsCode {
		t.Skip("plain loops are read from machine code of amd64 and arm64 only")
	}
}

// Every kind of fault has a kernel that raises it, and only it, and one near to
// it that does not; its text is in FAULTS.md.
func TestEveryKind(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Faults by kind\n\nWhat a run names, each with a kernel's text as a program gets it: who did what, the rule that\n" +
		"was broken, and what to do. `errors.Is(err, warp.MaskZero)` and the like ask for a kind. What the\n" +
		"kinds from shared-race on need is `Config.Sanitize`. This page is written by a test.\n\n")
	seen := map[warp.FaultKind]bool{}
	for i := range specimens {
		s := &specimens[i]
		seen[s.kind] = true
		if s.kind == warp.Endless && !readsCode {
			continue
		}
		t.Run(s.kind.Name(), func(t *testing.T) {
			r := s.run(t, s.bad, s.badLane)
			only(t, r, s.kind)
			f := &r.Faults[0]
			require.Equal(t, "kinds_test.go", filepath.Base(f.Site.File), "the kernel's line is named: %s", f)
			require.ErrorIs(t, f, s.kind)
			text.WriteString("## " + s.kind.Name() + "\n\n" + s.kind.Rule() + "\n\n```text\n" + strings.TrimSpace(lineless(f.Explain())) + "\n```\n\n")
			diagnosed(t, s.run(t, s.twin, s.twinLane))
		})
	}
	for _, k := range warp.FaultKinds() {
		require.True(t, seen[k], "no kernel raises %s", k.Name())
		require.NotEmpty(t, k.Rule(), k.Name())
		require.NotEmpty(t, k.Error())
	}
	if readsCode {
		golden(t, "../FAULTS.md", strings.TrimSpace(text.String())+"\n")
	}
}

// lineless takes the line numbers out of a text, which change whenever this file
// does.
func lineless(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, ".go:")
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i] + ".go:N")
		s = strings.TrimLeft(s[i+4:], "0123456789")
	}
}

// golden holds a text against a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got, "write it anew with -update")
}

var _ = warptest.NoFaults
