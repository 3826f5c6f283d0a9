package timing_test

import (
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConstantsAreLateOnce: a line of constants is late for the first warp of a
// sub-partition that reads it, by each of the two ways; of a bank that is no parameter's the
// first of the multiprocessor is later still, and brings the lines beside it.
func TestConstantsAreLateOnce(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	c := p.Timing.Global.Constants
	hit := timing.Cycle(p.Timing.Ops["ldc"].Latency)
	near, far := timing.Cycle(c.LoadLatency), timing.Cycle(c.BankLatency)

	var took []timing.Cycle
	m := machine(t, timing.Config{
		Memory:   answers(func(a *timing.Access) timing.Cycle { return a.At }),
		Observer: func(i *timing.Issue) { took = append(took, i.Ready-i.Start) },
	})
	load := func(bank, offset int) isa.Instr {
		return isa.Instr{Op: isa.LoadConst, Active: 32, Dst: isa.Row(1), A: isa.Row(1), Count: isa.ConstantLine(bank, offset)}
	}
	recs := []isa.Instr{load(0, 0x210), load(0, 0x23c), load(0, 0x240), load(4, 0), load(4, 64), load(4, 127), load(4, 256)}
	unknown := load(0, 0x400)
	unknown.Count = 0
	recs = append(recs, unknown)
	// play runs the last of so many warps, each of which is in a sub-partition of its own.
	play := func(warps int) []timing.Cycle {
		took = nil
		b, err := m.StartBlock(warps)
		require.NoError(t, err)
		for w := range warps - 1 {
			m.End(b, w)
		}
		m.Feed(b, warps-1, recs, nil, nil)
		m.End(b, warps-1)
		for st := (timing.Status{State: timing.BlockEnded}); st.State != timing.Done; {
			st, err = m.Run(timing.Never)
			require.NoError(t, err)
		}
		return took
	}
	assert.Equal(t, []timing.Cycle{hit + near, hit, hit + near, hit + far + near, hit + near, hit, hit + far + near, hit}, play(1))
	assert.Equal(t, []timing.Cycle{hit + near, hit, hit + near, hit + near, hit + near, hit, hit + near, hit}, play(2), "another sub-partition")
	assert.Equal(t, []timing.Cycle{hit, hit, hit, hit, hit, hit, hit, hit}, play(1), "the first one again")
}

// TestUniformConstantsHoldTheirWarpUp, as no scoreboard waits for them.
func TestUniformConstantsHoldTheirWarpUp(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	at := func(line uint16) (issued timing.Cycle) {
		m := machine(t, timing.Config{
			Memory: answers(func(a *timing.Access) timing.Cycle { return a.At }),
			Observer: func(i *timing.Issue) {
				if i.Instr.Op == isa.UniformMov {
					issued = i.Cycle
				}
			},
		})
		b, err := m.StartBlock(1)
		require.NoError(t, err)
		m.Feed(b, 0, []isa.Instr{{Op: isa.UniformMov, Active: 32, Dst: isa.Uniform(1), Count: line}, {Op: isa.Exit, Active: 32}}, nil, nil)
		m.End(b, 0)
		_, err = m.Run(timing.Never)
		require.NoError(t, err)
		return issued
	}
	assert.Equal(t, timing.Cycle(p.Timing.Global.Constants.UniformLatency), at(isa.ConstantLine(0, 0x210))-at(0))
}

// TestConstantLine: bytes of one line share a number, those of others and other banks do
// not; what does not fit is not known.
func TestConstantLine(t *testing.T) {
	assert.Equal(t, isa.ConstantLine(0, 0x200), isa.ConstantLine(0, 0x23f))
	assert.NotEqual(t, isa.ConstantLine(0, 0x200), isa.ConstantLine(0, 0x240))
	assert.NotEqual(t, isa.ConstantLine(0, 0x200), isa.ConstantLine(3, 0x200))
	for _, x := range [][2]int{{-1, 0}, {15, 0}, {0, -1}, {0, 1 << 18}} {
		assert.Zero(t, isa.ConstantLine(x[0], x[1]))
	}
	assert.Equal(t, 14, isa.ConstantBank(isa.ConstantLine(14, 1<<18-1)))
	assert.Equal(t, 0, isa.ConstantBank(isa.ConstantLine(0, 0)))
}
