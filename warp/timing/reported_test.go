package timing_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Faults that users of the package have met, each as it was.

// turns returns ten turns of four moves, twenty of an instruction that waits for
// itself, and forty empty ones.
func turns(waits isa.Instr) []isa.Instr {
	var one []isa.Instr
	for i := range 4 {
		one = append(one, op(isa.Mov, isa.Row(i+1), isa.NoReg))
	}
	one = append(one, repeat([]isa.Instr{waits}, 20)...)
	one = append(one, repeat([]isa.Instr{{Op: isa.Nop, Active: 32}}, 40)...)
	return repeat(one, 10*len(one))
}

// Records that Issued has passed may be overwritten, as it says: a recording of what
// repeats does not read them again.
func TestIssuedRecordsMayBeOverwritten(t *testing.T) {
	fast, slow := turns(op(isa.FAdd, isa.Row(5), isa.Row(5), isa.Row(5))), turns(shfl(isa.ShflDown, isa.Row(5), isa.Row(5)))
	fresh := func() timing.Cycle {
		m := machine(t, timing.Config{})
		b, err := m.StartBlock(1)
		require.NoError(t, err)
		m.Feed(b, 0, fast, nil, nil)
		m.Feed(b, 0, slow, nil, nil)
		m.End(b, 0)
		st, err := m.Run(timing.Never)
		require.NoError(t, err)
		return st.Now
	}()
	// 4 moves, 20 additions of 4 cycles and 40 empty ones; 20 shuffles of 23.
	require.Equal(t, timing.Cycle(10*(4+20*4+40)+10*(4+20*23+40)), fresh)

	m := machine(t, timing.Config{})
	b, err := m.StartBlock(1)
	require.NoError(t, err)
	ring := slices.Clone(fast)
	m.Feed(b, 0, ring, nil, nil)
	for done := 0; ; {
		st, err := m.Tick()
		require.NoError(t, err)
		for ; done < int(m.Issued(b, 0)); done++ {
			ring[done] = slow[done]
		}
		if st.State == timing.Starved {
			break
		}
	}
	m.Feed(b, 0, ring, nil, nil)
	m.End(b, 0)
	st, err := m.Run(timing.Never)
	require.NoError(t, err)
	assert.Equal(t, fresh, st.Now)
}

// Time goes on without blocks.
func TestTimeOnAnIdleMachine(t *testing.T) {
	m := machine(t, timing.Config{})
	st, err := m.Run(5000)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Done, Now: 5000}, st)
	b, err := m.StartBlock(1)
	require.NoError(t, err)
	start, _ := m.Block(b)
	require.Equal(t, timing.Cycle(5000), start)
	m.Feed(b, 0, []isa.Instr{op(isa.FAdd, r1, r1)}, nil, nil)
	m.End(b, 0)
	st, err = m.Run(20000)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.BlockEnded, Block: b, Now: 5004}, st)
	st, err = m.Run(20000)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Done, Now: 20000}, st)
	st, err = m.Tick()
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Done, Now: 20001}, st)
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Done, Now: 20001}, st, "without a limit there is nowhere to go")
	st, err = m.Run(7)
	require.NoError(t, err)
	require.Equal(t, timing.Cycle(20001), st.Now, "time does not go back")
}

// Where checkpoints fall says nothing about what waits are called, with latencies at
// or below the lead of a write as well.
func TestResultsThatLandAtOnce(t *testing.T) {
	repeated := int64(0)
	seeds := uint64(200)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 6))
		p, err := device.Lookup("h200")
		require.NoError(t, err)
		p = p.Clone()
		for name, pipe := range p.Timing.Pipes {
			if pipe.Variable {
				pipe.WriteLead = 1 + r.IntN(60)
				p.Timing.Pipes[name] = pipe
			}
		}
		for name, o := range p.Timing.Ops {
			if r.IntN(3) == 0 && name != "bar.red" {
				o.Latency, o.Elsewhere = r.IntN(8), 0
				p.Timing.Ops[name] = o
			}
		}
		table, err := timing.Compile(&p.Timing, 0)
		require.NoError(t, err)
		var want outcome
		blocks := [][][]isa.Instr{loop(r, 1+r.IntN(9), 20+r.IntN(100))}
		for _, sites := range []bool{true, false} {
			m, err := timing.New(table, timing.Config{Sites: sites})
			require.NoError(t, err)
			got := drive(t, m, blocks, toTheEnd(m), whole)
			if sites {
				want = got
				continue
			}
			require.Empty(t, cmp.Diff(want, got, counters), "seed %d", seed)
			m.Reset()
			require.Empty(t, cmp.Diff(want, drive(t, m, blocks, toTheEnd(m), whole), counters), "again, seed %d", seed)
			repeated += timing.Repeated(m)
		}
	}
	require.Positive(t, repeated)
}

// What a run says does not depend on how far each call of Run goes: with and without
// a word on what comes next.
func ExampleMultiprocessor_NextEvent() {
	h200, _ := device.Lookup("h200")
	table, _ := timing.Compile(&h200.Timing, 32)
	m, _ := timing.New(table, timing.Config{})
	b, _ := m.StartBlock(1)
	add := isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(0), A: isa.Row(0), B: isa.Row(0)}
	m.Feed(b, 0, []isa.Instr{add, add}, nil, nil)
	m.End(b, 0)
	for {
		next := m.NextEvent()
		st, err := m.Run(next + 1)
		fmt.Println(next, st.State, err)
		if st.State == timing.BlockEnded {
			return
		}
	}
	// Output:
	// 0 limit <nil>
	// 4 limit <nil>
	// 8 block ended <nil>
}
