package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// a chip of two multiprocessors that share a memory.
type chip struct {
	memory *memory.System
	mps    [2]*timing.Multiprocessor
	table  *timing.Table
	at     timing.Cycle
}

func newChip(t *testing.T) *chip {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	c := &chip{}
	c.table, err = timing.Compile(&p.Timing, 0)
	require.NoError(t, err)
	c.memory, err = memory.New(p, len(c.mps))
	require.NoError(t, err)
	c.memory.Reset(memory.Warm, 0, 1<<20)
	for i := range c.mps {
		c.mps[i], err = timing.New(c.table, timing.Config{Memory: c.memory.Front(i)})
		require.NoError(t, err)
	}
	return c
}

// window plays one window, and reports whether all blocks have ended.
func (c *chip) window(t *testing.T) bool {
	w := c.memory.Window()
	done := true
	for i, m := range c.mps {
		require.NoError(t, c.memory.Front(i).Deliver(m))
		for {
			st, err := m.Run(c.at + w)
			require.NoError(t, err)
			if st.State != timing.BlockEnded {
				done = done && st.State == timing.Done
				break
			}
		}
		c.memory.Front(i).Close(c.at + w)
	}
	c.memory.Exchange(c.at)
	c.at += w
	return done
}

// A device of which all parts are written down midway goes on to the same end.
func TestDeviceGoesOnFromSnapshots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	c := newChip(t)
	for i, m := range c.mps {
		b, err := m.StartBlock(6)
		require.NoError(t, err)
		for w := range 6 {
			var recs []isa.Instr
			var lines []isa.Line
			for k := range 200 {
				op := []isa.Op{isa.LoadGlobal, isa.StoreGlobal, isa.ReduceGlobal, isa.FAdd}[r.IntN(4)]
				in := isa.Instr{Op: op, Active: 32, A: isa.Row(1), B: isa.Row(2)}
				switch {
				case op == isa.LoadGlobal:
					in.Dst = isa.Row(3 + k%5)
				case op == isa.FAdd:
					in.Dst, in.A = isa.Row(9), isa.Row(3+k%5)
				}
				if op != isa.FAdd {
					in.Aux, in.Count = isa.MemAux(4, isa.LevelL1), 4
					lines = append(lines, isa.MakeLine(uint64(r.IntN(20000)), 15, 32, 1, 0).End())
				}
				recs = append(recs, in)
			}
			m.Feed(b, w, recs, nil, lines)
			m.End(b, w)
		}
		_ = i
	}
	for range 7 {
		require.False(t, c.window(t))
	}
	system, err := c.memory.Snapshot()
	require.NoError(t, err)
	back := newChip(t)
	back.at = c.at
	require.NoError(t, back.memory.Restore(system))
	for i, m := range c.mps {
		b, err := m.Snapshot()
		require.NoError(t, err)
		back.mps[i], err = timing.Restore(back.table, timing.Config{Memory: back.memory.Front(i)}, b)
		require.NoError(t, err)
	}
	var got [2]string
	for k, x := range []*chip{c, back} {
		for !x.window(t) {
		}
		for _, m := range x.mps {
			start, end := m.Block(0)
			got[k] += fmt.Sprint(start, end, *m.Totals())
		}
		got[k] += fmt.Sprint(x.memory.Counts())
	}
	require.Equal(t, got[0], got[1])

	require.ErrorIs(t, back.memory.Restore(system[:100]), timing.SnapshotDamaged)
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	other, err := memory.New(p, 3)
	require.NoError(t, err)
	require.ErrorIs(t, other.Restore(system), timing.SnapshotProfile)
	require.Error(t, new(memory.System).Restore(system))
	_, err = new(memory.System).Snapshot()
	require.Error(t, err)
	t.Logf("%d bytes", len(system))
}
