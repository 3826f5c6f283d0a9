//go:build !race

package warp_test

import (
	"context"
	"slices"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// registers is what the instructions below work on.
type registers struct {
	f32  [4]warp.Reg[float32]
	f64  [3]warp.Reg[float64]
	i32  [3]warp.Reg[int32]
	u8   [3]warp.Reg[uint8]
	u64  [3]warp.Reg[uint64]
	wide [2]warp.Reg[[5]int32]
	set  warp.Reg[lane.Mask]
	p, q warp.Pred
	m    warp.MaskReg
	gf   warp.Mem[float32]
	gi   warp.Mem[int32]
	gd   warp.Mem[float64]
	gw   warp.Mem[[5]int32]
	sf   warp.Mem[float32]
	si   warp.Mem[int32]
}

func three[T warp.Number](w *warp.Warp) (r [3]warp.Reg[T]) {
	for i := range r {
		r[i] = value(w, T(i+1))
	}
	return r
}

// instructions lists one call of every typed function, by name.
func typedCalls(w *warp.Warp, r *registers) map[string]func() {
	f, d, i, u, l := r.f32, r.f64, r.i32, r.u8, r.u64
	all := w.Active()
	calls := map[string]func(){
		"Add f32": func() { warp.Add(f[0], f[1], f[2]) }, "Add f64": func() { warp.Add(d[0], d[1], d[2]) },
		"Add u8": func() { warp.Add(u[0], u[1], u[2]) }, "Sub i32": func() { warp.Sub(i[0], i[1], i[2]) },
		"Mul u64": func() { warp.Mul(l[0], l[1], l[2]) }, "Min f32": func() { warp.Min(f[0], f[1], f[2]) },
		"Max u64": func() { warp.Max(l[0], l[1], l[2]) }, "And": func() { warp.And(i[0], i[1], i[2]) },
		"Or": func() { warp.Or(l[0], l[1], l[2]) }, "Xor": func() { warp.Xor(u[0], u[1], u[2]) },
		"AndNot": func() { warp.AndNot(i[0], i[1], i[2]) }, "Shl": func() { warp.Shl(i[0], i[1], i[2]) },
		"Shr": func() { warp.Shr(l[0], l[1], l[2]) }, "AddImm": func() { warp.AddImm(f[0], f[1], 0.5) },
		"MulImm": func() { warp.MulImm(d[0], d[1], 0.5) }, "AndImm": func() { warp.AndImm(i[0], i[1], 7) },
		"OrImm": func() { warp.OrImm(i[0], i[1], 7) }, "XorImm": func() { warp.XorImm(l[0], l[1], 7) },
		"ShlImm": func() { warp.ShlImm(i[0], i[1], 2) }, "ShrImm": func() { warp.ShrImm(i[0], i[1], 2) },
		"MulAdd": func() { warp.MulAdd(f[0], f[1], f[2], f[3]) }, "Neg": func() { warp.Neg(f[0], f[1]) },
		"Abs": func() { warp.Abs(d[0], d[1]) }, "Not": func() { warp.Not(i[0], i[1]) }, "Popc": func() { warp.Popc(l[0], l[1]) },
		"Clz": func() { warp.Clz(i[0], i[1]) }, "Brev": func() { warp.Brev(i[0], i[1]) }, "Ffs": func() { warp.Ffs(i[0], i[1]) },
		"Map1": func() { warp.Map1(f[0], i[1], isa.Convert, func(x int32) float32 { return float32(x) }) },
		"Map2": func() { warp.Map2(f[0], f[1], f[2], isa.FAdd, func(x, y float32) float32 { return x*y + 1 }) },
		"Work": func() { w.Work(isa.IAdd, 3) },

		"Eq": func() { warp.Eq(r.p, f[1], f[2]) }, "Ne": func() { warp.Ne(r.p, d[1], d[2]) }, "Lt": func() { warp.Lt(r.p, i[1], i[2]) },
		"Le": func() { warp.Le(r.p, l[1], l[2]) }, "Gt": func() { warp.Gt(r.p, u[1], u[2]) }, "Ge": func() { warp.Ge(r.p, f[1], f[2]) },
		"EqImm": func() { warp.EqImm(r.p, i[1], 3) }, "LtImm": func() { warp.LtImm(r.p, d[1], 3) },
		"PredAnd": func() { warp.PredAnd(r.p, r.q, r.q) }, "PredOr": func() { warp.PredOr(r.p, r.q, r.q) },
		"PredNot": func() { warp.PredNot(r.p, r.q) }, "SetPred": func() { warp.SetPred(r.p, all) },

		"Set": func() { warp.Set(f[0], 3) }, "Set wide": func() { warp.Set(r.wide[0], [5]int32{}) },
		"SetLanes": func() { warp.SetLanes(f[0], func(l int) float32 { return float32(l) }) },
		"Mov":      func() { warp.Mov(f[0], f[1]) }, "Mov wide": func() { warp.Mov(r.wide[0], r.wide[1]) },
		"Select": func() { warp.Select(f[0], r.q, f[1], f[2]) }, "Convert": func() { warp.Convert(i[0], f[1]) },
		"Bitcast": func() { warp.Bitcast(i[0], f[1]) },

		"ShflDown": func() { warp.ShflDown(f[0], f[1], 1) }, "ShflUp": func() { warp.ShflUp(d[0], d[1], 1) },
		"ShflXor": func() { warp.ShflXor(i[0], i[1], 1) }, "ShflIdx": func() { warp.ShflIdx(u[0], u[1], 0) },
		"ShflDown wide": func() { warp.ShflDown(r.wide[0], r.wide[1], 1) },
		"Shfl width":    func() { warp.Shfl(f[0], f[1], warp.Shuffle{Mode: crossbar.Down, Operand: 1, Width: w.Width() / 2}) },
		"Shfl per lane": func() { warp.Shfl(f[0], f[1], warp.Shuffle{Mode: crossbar.Idx, PerLane: i[1], InRange: r.p}) },
		"Shfl, mask":    func() { warp.Shfl(f[0], f[1], warp.Shuffle{Mode: crossbar.Xor, Operand: 1}, all) },

		"Vote": func() { warp.Vote(warp.VoteAny, r.p, r.q) }, "Vote, mask": func() { warp.Vote(warp.VoteAll, r.p, r.q, all) },
		"Any": func() { w.Any(r.q) }, "All": func() { w.All(r.q) }, "Ballot": func() { warp.Ballot(r.m, r.q) },
		"Ballot, mask": func() { warp.Ballot(r.m, r.q, all) }, "ActiveMask": func() { warp.ActiveMask(r.m) },
		"SetMask": func() { warp.SetMask(r.m, all) }, "CountMask": func() { warp.CountMask(i[0], r.m) },
		"Rank": func() { warp.Rank(i[0], r.m) }, "InMask": func() { warp.InMask(r.p, r.m) },
		"Elect": func() { warp.Elect(r.p) },

		"Load": func() { warp.Load(f[0], r.gf, w.LaneID()) }, "Load scattered": func() { warp.Load(d[0], r.gd, i[1]) },
		"Load wide": func() { warp.Load(r.wide[0], r.gw, w.LaneID()) }, "Load shared": func() { warp.Load(f[0], r.sf, w.LaneID()) },
		"Load conflicts": func() { warp.Load(f[0], r.sf, i[1]) }, "LoadVolatile": func() { warp.LoadVolatile(f[0], r.gf, w.LaneID()) },
		"Store": func() { warp.Store(r.gf, w.LaneID(), f[1]) }, "Store shared": func() { warp.Store(r.sf, i[1], f[1]) },
		"Atomic":         func() { warp.Atomic(warp.AtomicAdd, i[0], r.gi, w.LaneID(), i[1]) },
		"Reduce":         func() { warp.AtomicReduce(warp.AtomicMax, r.sf, i[1], f[1]) },
		"CompareAndSwap": func() { warp.CompareAndSwap(i[0], r.si, w.LaneID(), i[1], i[2]) },

		"SyncWarp": func() { w.SyncWarp(all) }, "SyncBlock": func() { w.SyncBlock() }, "SyncCount": func() { warp.SyncCount(i[0], r.q) },
		"SyncAnd": func() { warp.SyncAnd(r.p, r.q) }, "SyncOr": func() { warp.SyncOr(r.p, r.q) }, "Fence": func() { w.Fence() },
		"Clock": func() { w.Clock() }, "Jump": func() { w.Jump() }, "ThreadID": func() { w.ThreadID() },
		"If":    func() { w.If(r.q, func() { warp.Add(f[0], f[1], f[2]) }) },
		"Where": func() { w.Where(r.q, func() { warp.Add(f[0], f[1], f[2]); warp.ShflUp(f[0], f[1], 0) }) },
		"While": func() {
			n := 0
			w.While(func() warp.Pred {
				if n++; n > 2 {
					warp.SetPred(r.p, lane.Mask{})
				} else {
					warp.SetPred(r.p, all)
				}
				return r.p
			}, func() { w.Break(r.q) })
		},
		"Alloc and Release": func() { m := w.Mark(); warp.Alloc[float64](w); w.Pred(); w.MaskReg(); w.Release(m) },
	}
	issue := func(in warp.Instruction) func() {
		return func() {
			if err := w.Issue(in); err != nil {
				panic(err)
			}
		}
	}
	calls["Issue fadd"] = issue(warp.Instruction{Op: isa.FAdd, Dst: row(f[0]), A: row(f[1]), B: row(f[2])})
	calls["Issue guarded"] = issue(warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: row(i[0]), A: row(i[1]), Imm: 3, Guard: pred1})
	calls["Issue shuffle"] = issue(warp.Instruction{Op: isa.ShflDown, Type: warp.Uint64, Dst: row(l[0]), A: row(l[1]), Imm: 1})
	calls["Issue uniform"] = issue(warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: row(i[0]), A: row(i[1]), B: mask0, C: row(i[1])})
	calls["Issue halves"] = issue(warp.Instruction{Op: isa.DFma, Dst: row(l[0]), A: row(l[1]), B: row(l[1]), C: row(l[0]), Halves: true})
	calls["Issue not"] = issue(warp.Instruction{Op: isa.Vote, Dst: pred0, A: pred1, Not: true})
	words := warp.Shared[uint32](w, 128)
	start, _ := words.Address()
	calls["Issue load"] = issue(warp.Instruction{Op: isa.LoadShared, Type: warp.Uint64, Dst: row(l[0]), Imm: int64(start), Memory: words})
	calls["Issue atomic"] = issue(warp.Instruction{Op: isa.AtomicShared, Type: warp.Uint32, B: row(i[1]), Imm: int64(start), Memory: words})
	count := 0
	calls["IssueFunc"] = func() {
		if err := w.Front().IssueFunc(warp.Instruction{Op: isa.Logic, Dst: row(i[0]), A: row(i[1]), Guard: pred1}, func(lane.Mask) { count++ }); err != nil {
			panic(err)
		}
	}
	if w.Device().Rules.Match {
		calls["MatchAny"] = func() { warp.MatchAny(r.set, i[1]) }
		calls["MatchAll"] = func() { warp.MatchAll(r.m, r.p, i[1]) }
	}
	if warp.HasRedux[int32](w, warp.ReduxAdd) {
		calls["Redux"] = func() { warp.Redux(warp.ReduxAdd, i[0], i[1]) }
	}
	if rules := &w.Device().Rules; slices.Contains(rules.Routes, "dpp") {
		every := crossbar.RowWrite{Rows: 0xf, Banks: 0xf}
		calls["RowMove"] = func() { warp.RowMove(f[0], f[1], crossbar.RowMirror, every) }
		calls["RowApply"] = func() {
			warp.RowApply(l[0], l[1], l[2], crossbar.RowShiftRight(1), every, func(a, b uint64) uint64 { return a + b })
		}
		calls["Permute"] = func() { warp.Permute(f[0], f[1], i[1]) }
		calls["PermuteBack"] = func() { warp.PermuteBack(l[0], l[1], i[1]) }
		calls["Swizzle"] = func() { warp.Swizzle(f[0], f[1], 0x1f) }
		calls["ReadLane"] = func() { warp.ReadLane(f[0], f[1], 5) }
		calls["ReadFirstLane"] = func() { warp.ReadFirstLane(f[0], f[1]) }
	}
	return calls
}

// No instruction of a warm engine allocates: full and partial warps, values
// only, with cycles, with an observer that does not, and encoded instructions
// too. Each is repeated often enough to fill the record buffer.
func TestNoAllocationsPerInstruction(t *testing.T) {
	quiet := &warp.Observer{Instr: func(warp.InstrEvent) {}}
	for name, c := range map[string]warp.Config{
		"values": {ValuesOnly: true}, "cycles": {}, "observer": {Observer: quiet}, "mimic": {Faults: warp.Mimic}, "lines": {Sites: true},
	} {
		for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
			c.Workers = 1
			e := engine(t, device, c)
			n := e.Device().Lanes
			gf, gi, gd, gw := global(t, e, make([]float32, n)), global(t, e, make([]int32, n)),
				global(t, e, make([]float64, n)), global(t, e, make([][5]int32, n))
			for _, threads := range []int{n, n - 3} {
				_, err := e.Run(context.Background(), one(threads), func(w *warp.Warp) {
					r := &registers{f64: three[float64](w), i32: three[int32](w), u8: three[uint8](w), u64: three[uint64](w),
						set: value(w, lane.Mask{}), p: w.Pred(), q: w.Pred(), m: w.MaskReg(), gf: gf, gi: gi, gd: gd, gw: gw}
					f := three[float32](w)
					r.f32 = [4]warp.Reg[float32]{f[0], f[1], f[2], value(w, float32(4))}
					r.wide = [2]warp.Reg[[5]int32]{value(w, [5]int32{}), value(w, [5]int32{1, 2, 3})}
					warp.SetPred(r.p, w.Live())
					warp.SetPred(r.q, w.Live())
					warp.SetLanes(r.i32[1], func(l int) int32 { return int32(l * 7 % n) })
					r.sf, r.si = warp.Shared[float32](w, n), warp.Shared[int32](w, n)
					w.ThreadID()
					w.LaneID()
					calls := typedCalls(w, r)
					for range 50 { // until buffers, windows and stretches have their size
						for _, run := range calls {
							run()
						}
					}
					for call, run := range calls {
						if a := testing.AllocsPerRun(100, run); a != 0 {
							t.Errorf("%s, %s, %d of %d lanes: %s allocates %v times", name, device, threads, n, call, a)
						}
					}
					// Through the record buffer and the timing model.
					full := func() {
						for range 2000 {
							warp.ShflDown(r.f32[0], r.f32[1], 1)
							warp.Add(r.f32[1], r.f32[1], r.f32[0])
							warp.Load(r.f32[0], r.sf, w.LaneID())
						}
					}
					for range 4 {
						full()
					}
					if a := testing.AllocsPerRun(5, full); a != 0 {
						t.Errorf("%s, %s: a full record buffer allocates %v times", name, device, a)
					}
				})
				require.NoError(t, err)
			}
		}
	}
}

// A warm engine allocates a fixed amount for a run, however long it is.
func TestAllocationsOfARun(t *testing.T) {
	for _, c := range []warp.Config{{ValuesOnly: true}, {}} {
		c.Workers = 1
		e := engine(t, "h200", c)
		allocs := func(blocks, n int) float64 {
			launch := warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(256)}
			return testing.AllocsPerRun(3, func() {
				_, err := e.Run(context.Background(), launch, func(w *warp.Warp) {
					v := warp.Alloc[int32](w)
					warp.Set(v, 1)
					for range n {
						warp.Add(v, v, v)
					}
					w.SyncBlock()
				})
				assert.NoError(t, err)
			})
		}
		short := allocs(1, 10)
		assert.InDelta(t, short, allocs(1, 30000), 8, "more instructions: record buffers come back")
		assert.InDelta(t, short, allocs(100, 10), 8, "more blocks")
	}
}

// Putting off allocates nothing once a log has grown.
func TestDeferringAllocatesNothing(t *testing.T) {
	e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: 2, Resident: 1})
	sum := global(t, e, make([]float32, 32))
	h := newHold(t, 2)
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(32)}, func(w *warp.Warp) {
		if w.BlockIndex() == 0 {
			h.wait()
			return
		}
		v := value(w, float32(1))
		for range 64 {
			warp.AtomicReduce(warp.AtomicAdd, sum, w.LaneID(), v)
		}
		assert.Zero(t, testing.AllocsPerRun(50, func() { warp.AtomicReduce(warp.AtomicAdd, sum, w.LaneID(), v) }))
		h.reached()
	})
	require.NoError(t, err)
	assert.EqualValues(t, 64+51, sum.Data()[31])
}
