package warp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

func none(*warp.Warp) {}

// take makes a kernel that takes so many registers.
func take(n int) warp.Kernel {
	return func(w *warp.Warp) {
		for range n {
			warp.Alloc[int32](w)
		}
	}
}

func TestRegistersOfALaunchAreHeldToTheDevice(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true})
	for _, c := range []struct {
		threads, registers int
		want               string // "": fine
	}{
		{1024, 64, ""},
		{1024, 200, "warp: Launch.Registers = 200: 1024 threads: a block takes 204,800 of registers, and h200 has 65,536 (limits.registersPerMultiprocessor)"},
		{1024, 65, "warp: Launch.Registers = 65: 1024 threads: a block takes 73,728 of registers, and h200 has 65,536 (limits.registersPerMultiprocessor)"},
		{32, 255, ""},
		{32, 256, "warp: Launch.Registers = 256: 32 threads: a block takes 256 of registers, and h200 has 255 (limits.registersPerLane)"},
		{256, 255, ""},
		{288, 255, "warp: Launch.Registers = 255: 288 threads: a block takes 98,304 of registers, and h200 has 65,536 (limits.registersPerMultiprocessor)"},
		{32, -1, "warp: Launch.Registers = -1: must not be negative; 0 does not say"},
	} {
		l := one(c.threads)
		l.Registers = c.registers
		_, err := e.Run(context.Background(), l, none)
		if c.want == "" {
			assert.NoError(t, err, c)
			continue
		}
		var ce *warp.ConfigError
		require.ErrorAs(t, err, &ce, c)
		assert.EqualError(t, err, c.want)
	}
}

func TestKernelsThatTakeTooManyRegistersAreTold(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true})
	for _, c := range []struct {
		threads, registers, takes int
		want                      string
	}{
		{1024, 0, 64, ""},
		{1024, 0, 65, "register 65 of a thread, and 1024 threads of h200 can have 64 each of the 65536 of a multiprocessor (limits.registersPerMultiprocessor)"},
		{256, 0, 255, ""},
		{32, 32, 32, ""},
		{32, 32, 33, "register 33 of a thread, and the launch gives it 32 (Launch.Registers)"},
	} {
		l := one(c.threads)
		l.Registers = c.registers
		_, err := e.Run(context.Background(), l, take(c.takes))
		if c.want == "" {
			assert.NoError(t, err, c)
			continue
		}
		require.ErrorIs(t, err, warp.RegisterFile, c)
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, c.want, f.Detail)
	}
	// The engine keeps its warps: a later launch is held to its own number.
	_, err := e.Run(context.Background(), one(32), take(255))
	assert.NoError(t, err)
}

func TestRegistersLimitHowManyBlocksShareAMultiprocessor(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true})
	for registers, resident := range map[int]int{0: 8, 32: 8, 33: 6, 64: 4, 128: 2, 255: 1} {
		l := warp.Launch{Blocks: warp.X(132 * 8), Threads: warp.X(256), Registers: registers}
		r, err := e.Run(context.Background(), l, none)
		require.NoError(t, err)
		assert.Equal(t, resident, r.Resident, "%d registers", registers)
	}
}

func TestStaticSharedMemoryHasItsOwnLimit(t *testing.T) {
	f := sharedFault(t, warp.Config{}, one(32), func(w *warp.Warp) { warp.Shared[byte](w, 48<<10+1) })
	assert.Equal(t, "49153 elements of 1 bytes on top of 0 bytes, and a kernel of h200 can declare 49152 (limits.sharedStatic); take the rest from DynamicShared, see Launch.Shared", f.Detail)
	dynamic := one(32)
	dynamic.Shared = 100 << 10
	sharedFault(t, warp.Config{}, dynamic, func(w *warp.Warp) {
		warp.DynamicShared[byte](w)
		warp.Shared[byte](w, 48<<10+1)
	})
	_, err := engine(t, "h200", warp.Config{ValuesOnly: true}).Run(context.Background(), dynamic, func(w *warp.Warp) {
		warp.Shared[byte](w, 16)
		assert.Equal(t, 100<<10, warp.DynamicShared[byte](w).Len())
		warp.Shared[byte](w, 48<<10-16)
	})
	assert.NoError(t, err)
}

// A device without a vote for "all alike" takes two votes.
func TestUniformVoteCostsTwoVotesWithout(t *testing.T) {
	h, err := device.Lookup("h200")
	require.NoError(t, err)
	without, err := device.With(h, `{"rules": {"collectives": {"status": "estimated", "source": "none", "voteUniform": false}}}`)
	require.NoError(t, err)
	kernel := func(w *warp.Warp) {
		p, q := w.Pred(), w.Pred()
		warp.SetPred(p, w.Active())
		warp.Vote(warp.VoteUni, q, p)
		assert.Equal(t, w.Active(), q.Mask())
	}
	for p, votes := range map[*device.Profile]int64{h: 1, without: 2} {
		e, err := warp.New(warp.Config{Device: p})
		require.NoError(t, err)
		r, err := e.Run(context.Background(), one(32), kernel)
		require.NoError(t, err)
		assert.Equal(t, votes, r.Count(isa.Vote), p.Name)
	}
}

// What a shift does with a count beyond the type is a rule of the device.
func TestShiftCounts(t *testing.T) {
	h, err := device.Lookup("h200")
	require.NoError(t, err)
	cut, err := device.With(h, `{"rules": {"shifts": {"status": "estimated", "source": "cut", "counts": "cut"}}}`)
	require.NoError(t, err)
	counts := []int32{0, 1, 7, 8, 15, 31, 32, 33, 63, 64, 65, 100, -1, -32}
	for _, p := range []*device.Profile{h, cut} {
		e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
		require.NoError(t, err)
		_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) {
			for _, partial := range []bool{false, true} {
				body := func() {
					shiftsLike(t, w, p.Rules.ShiftCounts == device.CountsCut, counts, int32(-0x12345678))
					shiftsLike(t, w, p.Rules.ShiftCounts == device.CountsCut, counts, uint32(0x92345678))
					shiftsLike(t, w, p.Rules.ShiftCounts == device.CountsCut, counts, int64(-0x123456789abcdef))
					shiftsLike(t, w, p.Rules.ShiftCounts == device.CountsCut, counts, uint64(0xf23456789abcdef0))
					shiftsLike(t, w, p.Rules.ShiftCounts == device.CountsCut, counts, int16(-0x1234))
					shiftsLike(t, w, p.Rules.ShiftCounts == device.CountsCut, counts, uint8(0x92))
				}
				if partial {
					q := w.Pred()
					warp.SetPred(q, lane.FirstN(9))
					w.If(q, body)
				} else {
					body()
				}
			}
		})
		require.NoError(t, err)
	}
}

func shiftsLike[T warp.Integer](t *testing.T, w *warp.Warp, cut bool, counts []int32, x T) {
	m := w.Mark()
	defer w.Release(m)
	a, n, left, right := warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[T](w)
	bits := map[string]uint64{"int64": 64, "uint64": 64}[fmt.Sprintf("%T", x)]
	if bits == 0 {
		bits = 32
	}
	for _, c := range counts {
		warp.Set(a, x)
		warp.Set(n, T(c))
		count := uint64(T(c))
		if cut {
			count &= bits - 1
		} else if T(c) < 0 {
			count = 1 << 32
		}
		for _, imm := range []bool{false, true} {
			if imm {
				warp.ShlImm(left, a, T(c))
				warp.ShrImm(right, a, T(c))
			} else {
				warp.Shl(left, a, n)
				warp.Shr(right, a, n)
			}
			assert.Equal(t, x<<count, left.Lanes()[3], "%T %x << %d", x, x, c)
			assert.Equal(t, x>>count, right.Lanes()[3], "%T %x >> %d", x, x, c)
		}
	}
}

// The costs are checked and made ready when an engine is made.
func TestNewRefusesProfilesWhoseCostsMakeNoSense(t *testing.T) {
	h, err := device.Lookup("h200")
	require.NoError(t, err)
	for change, field := range map[string]string{
		`{"timing": {"ops": {"teleport": {"status": "estimated", "source": "x", "pipe": "alu", "latency": 4}}}}`: "timing.ops.teleport",
		`{"timing": {"ops": {"iadd": {"status": "estimated", "source": "x", "pipe": "nowhere"}}}}`:               "timing.ops.iadd.pipe",
		`{"timing": {"branch": null}}`: "timing.branch",
	} {
		p, err := device.With(h, change)
		require.NoError(t, err)
		_, err = warp.New(warp.Config{Device: p})
		var te *timing.Error
		require.ErrorAs(t, err, &te, change)
		assert.Equal(t, field, te.Field)
	}
}

// A profile without costs computes values; asked for cycles, it says what it lacks.
func TestProfileWithoutCosts(t *testing.T) {
	h, err := device.Lookup("h200")
	require.NoError(t, err)
	p := h.Clone()
	p.Timing = device.Timing{}
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true})
	require.NoError(t, err)
	_, err = e.Run(context.Background(), one(32), take(3))
	require.NoError(t, err)
	e, err = warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	_, err = e.Run(context.Background(), one(32), take(3))
	var te *timing.Error
	require.ErrorAs(t, err, &te)
	assert.Equal(t, "timing", te.Field)

	// One that lacks a number names it when a kernel needs it.
	q, err := device.With(h, `{"timing": {"ops": {"popc": null}}}`)
	require.NoError(t, err)
	e, err = warp.New(warp.Config{Device: q})
	require.NoError(t, err)
	_, err = e.Run(context.Background(), one(32), take(3))
	require.NoError(t, err)
	_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) {
		r := warp.Alloc[int32](w)
		warp.Popc(r, w.LaneID())
	})
	require.ErrorAs(t, err, &te)
	assert.Equal(t, "timing.ops.popc", te.Field)
}
