package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// engine answers with wide kernels that the engine runs on the device that was
// recorded: once with undefined values as such, once mimicking the chip.
type engine struct {
	strict, mimic *warp.Engine
}

// remark has nothing to own up to: every answer is the engine's.
func (e *engine) remark(string) string { return "" }

func (e *engine) machine() *warp.Engine { return e.strict }

const recordedDevice = "h200"

func newEngine() (*engine, error) {
	p, err := device.Lookup(recordedDevice)
	if err != nil {
		return nil, err
	}
	if p.Lanes != lanes {
		return nil, fmt.Errorf("device %s has %d lanes, the recordings %d", p.Name, p.Lanes, lanes)
	}
	e := &engine{}
	for _, c := range []struct {
		to    **warp.Engine
		fault warp.FaultMode
	}{{&e.strict, warp.Strict}, {&e.mimic, warp.Mimic}} {
		if *c.to, err = warp.New(warp.Config{Device: p, Faults: c.fault, ValuesOnly: true}); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// one runs a kernel on a block of the given threads.
func one(e *warp.Engine, threads int, k warp.Kernel) error {
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k)
	return err
}

// inside runs body in a branch that the members alone take.
func inside(w *warp.Warp, members lane.Mask, body func()) {
	if members == w.Active() {
		body()
		return
	}
	p := w.Pred()
	warp.SetPred(p, members)
	w.If(p, body)
}

// shuffle shuffles the lane numbers plus 1000, as the recorded kernels did, so
// that a 0 is no lane's number.
func (e *engine) shuffle(q shuffle) (answer, error) {
	run := e.strict
	if q.mimic {
		run = e.mimic
	}
	if q.width == 0 && !q.mimic {
		// In the wide form a width of 0 stands for the whole warp, which is
		// also what the chip makes of it; as a width it is refused.
		return answer{}, crossbar.Validate(lanes, q.width)
	}
	const offset = 1000
	var a answer
	err := one(run, lanes, func(w *warp.Warp) {
		v, dst := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.AddImm(v, w.LaneID(), offset)
		warp.Set(dst, q.old+offset)
		s := warp.Shuffle{Mode: q.mode, Width: q.width, Operand: q.operands[0]}
		if len(q.operands) > 1 {
			s.PerLane = warp.Alloc[int32](w)
			warp.SetLanes(s.PerLane, func(l int) int32 { return q.operands[l] })
		}
		inside(w, q.members, func() { warp.Shfl(dst, v, s, q.members) })
		warp.AddImm(dst, dst, -offset)
		a.values = append(a.values, dst.Lanes()...)
		a.undefined = dst.Undefined()
	})
	return a, err
}

// raw shuffles the lane numbers by the instruction set's own operands.
func (e *engine) raw(mode crossbar.Mode, b, c []int32) (answer, lane.Mask, error) {
	var a answer
	var inRange lane.Mask
	err := one(e.strict, lanes, func(w *warp.Warp) {
		dst := warp.Alloc[int32](w)
		s := warp.Shuffle{Mode: mode, RawB: warp.Alloc[uint32](w), RawC: warp.Alloc[uint32](w), InRange: w.Pred()}
		warp.SetLanes(s.RawB, func(l int) uint32 { return uint32(b[l]) })
		warp.SetLanes(s.RawC, func(l int) uint32 { return uint32(c[l]) })
		warp.Shfl(dst, w.LaneID(), s)
		a.values = append(a.values, dst.Lanes()...)
		a.undefined = dst.Undefined()
		inRange = s.InRange.Mask()
	})
	return a, inRange, err
}

var errDisagree = errors.New("members disagree on a result that is the same for all")

// agreed returns what all members hold in a register.
func agreed[T comparable](members lane.Mask, row []T) (T, error) {
	v := row[members.First()]
	for l := range members.Lanes() {
		if row[l] != v {
			return v, errDisagree
		}
	}
	return v, nil
}

func (e *engine) vote(members lane.Mask, values []uint32) (votes, error) {
	if members.Empty() {
		return votes{}, fmt.Errorf("nobody votes")
	}
	out := votes{matchAny: make([]lane.Mask, lanes), matchAll: make([]lane.Mask, lanes)}
	var failed error
	note := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	err := one(e.strict, lanes, func(w *warp.Warp) {
		v := warp.Alloc[uint32](w)
		warp.SetLanes(v, func(l int) uint32 { return values[l] })
		inside(w, members, func() {
			low, p := warp.Alloc[uint32](w), w.Pred()
			warp.AndImm(low, v, 1)
			warp.NeImm(p, low, 0)
			for kind, to := range map[warp.VoteKind]*bool{warp.VoteAll: &out.all, warp.VoteAny: &out.any, warp.VoteUni: &out.uni} {
				q := w.Pred()
				warp.Vote(kind, q, p, members)
				if *to = q.Mask().Overlaps(members); *to != q.Mask().Contains(members) {
					note(errDisagree)
				}
			}
			m := w.MaskReg()
			warp.Ballot(m, p, members)
			out.ballot = m.Mask()
			warp.ActiveMask(m)
			out.active = m.Mask()

			same, all := warp.Alloc[lane.Mask](w), w.Pred()
			warp.MatchAny(same, v, members)
			warp.MatchAll(m, all, v, members)
			for l := range members.Lanes() {
				out.matchAny[l], out.matchAll[l] = same.Lanes()[l], m.Mask()
			}
			warp.Ballot(m, all, members)
			out.matchAllPred = m.Mask()

			r := warp.Alloc[uint32](w)
			for op, to := range map[warp.ReduxOp]*uint32{warp.ReduxAdd: &out.addU, warp.ReduxMin: &out.minU, warp.ReduxMax: &out.maxU,
				warp.ReduxAnd: &out.and, warp.ReduxOr: &out.or, warp.ReduxXor: &out.xor} {
				warp.Redux(op, r, v, members)
				var err error
				*to, err = agreed(members, r.Lanes())
				note(err)
			}
			signed, s := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Bitcast(signed, v)
			for op, to := range map[warp.ReduxOp]*int32{warp.ReduxAdd: &out.addS, warp.ReduxMin: &out.minS, warp.ReduxMax: &out.maxS} {
				warp.Redux(op, s, signed, members)
				var err error
				*to, err = agreed(members, s.Lanes())
				note(err)
			}
		})
	})
	return out, errors.Join(err, failed)
}

// barrier runs the three barriers in one kernel; every thread stores what it
// gets, and all must get the same.
func (e *engine) barrier(predicates []int32) (count int, and, or bool, err error) {
	n := len(predicates)
	got := make([]int32, 3*n)
	mem, err := warp.Global(e.strict, got)
	if err != nil {
		return 0, false, false, err
	}
	err = one(e.strict, n, func(w *warp.Warp) {
		v, r, p, q := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred(), w.Pred()
		warp.SetLanes(v, func(l int) int32 { return predicates[w.ID()*w.Width()+l] })
		warp.NeImm(p, v, 0)
		warp.SyncCount(r, p)
		warp.Store(mem, w.ThreadID(), r)
		one, zero := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(one, 1)
		warp.Set(zero, 0)
		warp.SyncAnd(q, p)
		warp.Select(r, q, one, zero)
		warp.Store(mem.At(n), w.ThreadID(), r)
		warp.SyncOr(q, p)
		warp.Select(r, q, one, zero)
		warp.Store(mem.At(2*n), w.ThreadID(), r)
	})
	if err != nil {
		return 0, false, false, err
	}
	for i, v := range got {
		if v != got[i/n*n] {
			return 0, false, false, errDisagree
		}
	}
	return int(got[0]), got[n] != 0, got[2*n] != 0, nil
}

func (e *engine) tree(algorithm string, bits int, values []uint64) ([]uint64, error) {
	if bits == 64 {
		row, err := engineTree(e.strict, algorithm, fromBits(values))
		return toBits(row), err
	}
	row, err := engineTree(e.strict, algorithm, fromBits32(values))
	return toBits32(row), err
}

// engineTree runs a float algorithm as a wide kernel on one warp.
func engineTree[T float32 | float64](e *warp.Engine, algorithm string, in []T) ([]T, error) {
	out := make([]T, len(in))
	mem, err := warp.Global(e, out)
	if err != nil {
		return nil, err
	}
	err = one(e, len(in), func(w *warp.Warp) {
		v, other, p := warp.Alloc[T](w), warp.Alloc[T](w), w.Pred()
		warp.SetLanes(v, func(l int) T { return in[l] })
		switch n := w.Width(); algorithm {
		case treeDown:
			for d := n / 2; d > 0; d /= 2 {
				warp.ShflDown(other, v, d)
				warp.Add(v, v, other)
			}
		case treeXorFall, groupReduce:
			for d := n / 2; d > 0; d /= 2 {
				warp.ShflXor(other, v, d)
				warp.Add(v, v, other)
			}
		case treeXorRise:
			for d := 1; d < n; d *= 2 {
				warp.ShflXor(other, v, d)
				warp.Add(v, v, other)
			}
		case treeScan, groupScan, groupScanExcl:
			for d := 1; d < n; d *= 2 {
				warp.ShflUp(other, v, d)
				warp.GeImm(p, w.LaneID(), int32(d))
				w.Where(p, func() { warp.Add(v, v, other) })
			}
			if algorithm == groupScanExcl {
				warp.ShflUp(v, v, 1)
				warp.EqImm(p, w.LaneID(), 0)
				w.Where(p, func() { warp.Set(v, 0) })
			}
		}
		warp.Store(mem, w.LaneID(), v)
	})
	return out, err
}
