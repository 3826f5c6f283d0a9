package timing_test

import (
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counters lets cmp look into counters.
var counters = cmp.AllowUnexported(timing.Cycles{}, timing.Totals{})

// randomBlock makes the streams of a block whose barriers all warps reach.
func randomBlock(r *rand.Rand, warps int) [][]isa.Instr {
	row := func() isa.Reg { return isa.Row(r.IntN(6)) }
	var ops []isa.Op
	for o := isa.Nop; o < isa.User0; o++ {
		switch o {
		case isa.BarSync, isa.BarRed, isa.BarArrive, isa.Permute, isa.RowMove, isa.PermLane, isa.ReadLane, isa.WriteLane:
		default:
			ops = append(ops, o)
		}
	}
	recs := make([][]isa.Instr, warps)
	for range 1 + r.IntN(4) {
		for w := range recs {
			for range r.IntN(12) {
				in := isa.Instr{Op: ops[r.IntN(len(ops))], Active: uint8(r.IntN(33)), Dst: row(), A: row(), B: row(), C: row()}
				switch in.Op {
				case isa.LoadShared, isa.StoreShared, isa.AtomicShared, isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal:
					in.Aux = isa.MemAux(1<<r.IntN(5), r.IntN(3))
					in.Count = uint16(r.IntN(33))
				case isa.Branch:
					in.Aux = uint8(r.IntN(3))
				case isa.MatchAny:
					in.Count = uint16(1 + r.IntN(32))
				case isa.ICmp, isa.FCmp, isa.Vote:
					in.Dst = isa.Predicate(r.IntN(3))
				case isa.DAdd, isa.DMul, isa.DFma:
					in.Dst, in.A = isa.RowPair(r.IntN(5)), isa.RowPair(r.IntN(5))
				case isa.Redux:
					in.Dst = isa.Uniform(r.IntN(2))
				}
				if r.IntN(4) == 0 {
					in.Guard = uint8(1 + r.IntN(3))
				}
				if r.IntN(8) == 0 {
					in.Dst2 = isa.Predicate(r.IntN(3))
				}
				recs[w] = append(recs[w], in)
			}
		}
		id := uint8(r.IntN(3))
		kind := []isa.Op{isa.BarSync, isa.BarRed}[r.IntN(2)]
		for w := range recs {
			recs[w] = append(recs[w], isa.Instr{Op: kind, Active: 32, Aux: id, Dst: row(), A: isa.Predicate(0)})
		}
	}
	return recs
}

// An outcome is all that can be asked of a finished run.
type outcome struct {
	Ends   []timing.Cycle
	Blocks []timing.Cycles
	Totals timing.Totals
}

// drive runs blocks to their end: next is called for every return of Run.
func drive(t *testing.T, m *timing.Multiprocessor, blocks [][][]isa.Instr, advance func() (timing.Status, error), piece func(left int) int) outcome {
	t.Helper()
	type cursor struct{ block, warp int }
	at := map[cursor]int{}
	feed := func(c cursor) {
		recs := blocks[c.block][c.warp]
		n := piece(len(recs) - at[c])
		m.Feed(c.block, c.warp, recs[at[c]:at[c]+n], nil, nil)
		if at[c] += n; at[c] == len(recs) {
			m.End(c.block, c.warp)
		}
	}
	for i, b := range blocks {
		id, err := m.StartBlock(len(b))
		require.NoError(t, err)
		require.Equal(t, i, id)
		for w := range b {
			feed(cursor{i, w})
		}
	}
	var out outcome
	for {
		st, err := advance()
		require.NoError(t, err)
		switch st.State {
		case timing.Starved:
			feed(cursor{st.Block, st.Warp})
		case timing.BlockEnded:
			start, end := m.Block(st.Block)
			require.Equal(t, st.Now, end)
			var sum timing.Cycles
			for w := range blocks[st.Block] {
				c := m.WarpCycles(st.Block, w)
				require.Equal(t, end-start, c.Total(), "waits of a warp add up to its block")
				sum.Add(&c)
			}
			require.Equal(t, sum, m.BlockCycles(st.Block))
		case timing.Done:
			for i := range blocks {
				_, end := m.Block(i)
				out.Ends = append(out.Ends, end)
				out.Blocks = append(out.Blocks, m.BlockCycles(i))
			}
			out.Totals = *m.Totals()
			return out
		}
	}
}

func whole(left int) int { return left }

func TestHowARunIsDrivenChangesNothing(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		var blocks [][][]isa.Instr
		for range 1 + r.IntN(3) {
			blocks = append(blocks, randomBlock(r, 1+r.IntN(12)))
		}
		c := timing.Config{Scheduler: timing.Scheduler(seed % 2)}
		m := machine(t, c)
		want := drive(t, m, blocks, toTheEnd(m), whole)

		m.Reset()
		again := drive(t, m, blocks, toTheEnd(m), whole)
		require.Empty(t, cmp.Diff(want, again, counters), "after Reset, seed %d", seed)

		m = machine(t, c)
		ticked := drive(t, m, blocks, m.Tick, whole)
		require.Empty(t, cmp.Diff(want, ticked, counters), "ticking, seed %d", seed)

		m.Reset()
		limit := timing.Cycle(0)
		leaps := drive(t, m, blocks, func() (timing.Status, error) {
			st, err := m.Run(limit)
			if st.State == timing.Limit {
				require.LessOrEqual(t, limit, m.NextEvent())
				limit += timing.Cycle(r.IntN(40))
			}
			return st, err
		}, whole)
		require.Empty(t, cmp.Diff(want, leaps, counters), "in leaps, seed %d", seed)

		m.Reset()
		pieces := drive(t, m, blocks, toTheEnd(m), func(left int) int { return r.IntN(min(left, 5) + 1) })
		require.Empty(t, cmp.Diff(want, pieces, counters), "fed in pieces, seed %d", seed)

		require.Equal(t, want.Totals.Cycles.Total(), func() (sum timing.Cycle) {
			for i := range want.Blocks {
				sum += want.Blocks[i].Total()
			}
			return sum
		}())
	}
}

func TestObserversHearOfEveryCycle(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		blocks := [][][]isa.Instr{randomBlock(r, 1+r.IntN(9))}
		plain := machine(t, timing.Config{})
		want := drive(t, plain, blocks, toTheEnd(plain), whole)

		heard := make([]timing.Cycles, len(blocks[0]))
		indexes := make([]int64, len(blocks[0]))
		before := timing.Cycle(-1)
		m := machine(t, timing.Config{Sites: true, Observer: func(i *timing.Issue) {
			require.LessOrEqual(t, before, i.Cycle)
			before = i.Cycle
			require.Equal(t, indexes[i.Warp], i.Index)
			require.Equal(t, blocks[0][i.Warp][i.Index], i.Instr)
			require.Equal(t, timing.Cycle(1), i.Waits.Of(timing.Issued))
			heard[i.Warp].Add(&i.Waits)
			require.Equal(t, i.Cycle+1, heard[i.Warp].Total())
			indexes[i.Warp]++
		}})
		got := drive(t, m, blocks, toTheEnd(m), whole)
		require.Empty(t, cmp.Diff(want, got, counters), "observing changes nothing, seed %d", seed)
		for w := range heard {
			c := m.WarpCycles(0, w)
			c.Count(timing.Drained, -c.Of(timing.Drained))
			c.Count(timing.Finished, -c.Of(timing.Finished))
			// Nothing is issued behind the last barrier.
			last := c.Of(timing.Barrier) - heard[w].Of(timing.Barrier)
			require.GreaterOrEqual(t, last, timing.Cycle(0))
			c.Count(timing.Barrier, -last)
			assert.Equal(t, c, heard[w])
		}
	}
}

// records takes arbitrary bytes for records.
func records(data []byte) []isa.Instr {
	var recs []isa.Instr
	for ; len(data) >= 16; data = data[16:] {
		reg := func(i int) isa.Reg { return isa.Reg(data[i]) | isa.Reg(data[i+1])<<8 }
		recs = append(recs, isa.Instr{
			Op: isa.Op(data[0]), Active: data[1], Guard: data[2], Aux: data[3],
			Dst: reg(4), Dst2: reg(6), A: reg(8), B: reg(10), C: reg(12), Count: uint16(reg(14)),
		})
	}
	return recs
}

// FuzzRecords feeds arbitrary records: the model may refuse them, but neither
// panics nor hangs nor loses a cycle.
func FuzzRecords(f *testing.F) {
	f.Add([]byte{12, 32, 0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 0, 0, 1, 0}, uint8(3))
	f.Add([]byte{48, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0}, uint8(2))
	f.Add([]byte{40, 0, 9, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, uint8(33))
	f.Fuzz(func(t *testing.T, data []byte, warps uint8) {
		recs := records(data)
		n := 1 + int(warps%40)
		m := machine(t, timing.Config{})
		b, err := m.StartBlock(n)
		require.NoError(t, err)
		for w := range n {
			m.Feed(b, w, recs, nil, nil)
			m.End(b, w)
		}
		for {
			st, err := m.Run(timing.Never)
			if err != nil || st.State == timing.Done {
				break
			}
			require.Equal(t, timing.BlockEnded, st.State)
			start, end := m.Block(b)
			for w := range n {
				c := m.WarpCycles(b, w)
				require.Equal(t, end-start, c.Total())
			}
		}
	})
}
