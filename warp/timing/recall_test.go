package timing_test

import (
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// loop makes the streams of a block out of a random body that is repeated: by
// all warps alike, or with a body for each; some of them leave early.
func loop(r *rand.Rand, warps, rounds int) [][]isa.Instr {
	body := randomBlock(r, warps)
	if r.IntN(2) == 0 {
		for w := range body {
			body[w] = body[0]
		}
	}
	recs := make([][]isa.Instr, warps)
	for w := range recs {
		n := rounds
		if r.IntN(8) == 0 {
			n = r.IntN(rounds) // which the barriers that all warps share allow
		}
		recs[w] = repeat(body[w], n*len(body[w]))
		if r.IntN(8) == 0 && len(recs[w]) > 0 {
			if in := &recs[w][r.IntN(len(recs[w]))]; in.Op < isa.BarSync || in.Op > isa.BarRed {
				*in = isa.Instr{Op: isa.IMul, Active: 32, Dst: isa.Row(1), A: isa.Row(2)}
			}
		}
	}
	return recs
}

// What is repeated from memory equals what is simulated: totals by site make the
// model simulate every instruction.
func TestRepeatingChangesNothing(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 40
	}
	repeated := int64(0)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		var blocks [][][]isa.Instr
		for range 1 + r.IntN(3) {
			blocks = append(blocks, loop(r, 1+r.IntN(14), 1+r.IntN(120)))
		}
		c := timing.Config{Scheduler: timing.Scheduler(seed % 2)}
		m := machine(t, c)
		c.Sites = true
		told := machine(t, c)
		want := drive(t, told, blocks, toTheEnd(told), whole)
		require.Zero(t, timing.Repeated(told))
		require.Empty(t, cmp.Diff(want, drive(t, m, blocks, toTheEnd(m), whole), counters), "seed %d", seed)
		m.Reset()
		require.Empty(t, cmp.Diff(want, drive(t, m, blocks, toTheEnd(m), whole), counters), "again, seed %d", seed)
		m.Reset()
		pieces := func(left int) int { return r.IntN(min(left, 3000) + 1) }
		require.Empty(t, cmp.Diff(want, drive(t, m, blocks, toTheEnd(m), pieces), counters), "in pieces, seed %d", seed)
		m.Reset()
		limit := timing.Cycle(0)
		leaps := func() (timing.Status, error) {
			st, err := m.Run(limit)
			if st.State == timing.Limit {
				limit += timing.Cycle(r.IntN(5000))
			}
			return st, err
		}
		require.Empty(t, cmp.Diff(want, drive(t, m, blocks, leaps, whole), counters), "in leaps, seed %d", seed)
		repeated += timing.Repeated(m)
	}
	require.Greater(t, repeated, int64(4*seeds), "stretches are repeated")
}

func toTheEnd(m *timing.Multiprocessor) func() (timing.Status, error) {
	return func() (timing.Status, error) { return m.Run(timing.Never) }
}

// Blocks that follow each other, in slots that others have left, and a machine
// that is asked for single blocks in between.
func TestRepeatingAcrossBlocks(t *testing.T) {
	repeated := int64(0)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		kinds := [][][]isa.Instr{loop(r, 1+r.IntN(6), 1+r.IntN(60)), loop(r, 1+r.IntN(6), 1+r.IntN(60))}
		m, told := machine(t, timing.Config{}), machine(t, timing.Config{Sites: true})
		order := make([]int, 12)
		for i := range order {
			order[i] = r.IntN(len(kinds))
		}
		play := func(m *timing.Multiprocessor) outcome {
			m.Reset()
			var out outcome
			started := 0
			start := func() {
				b, err := m.StartBlock(len(kinds[order[started]]))
				require.NoError(t, err)
				for w, recs := range kinds[order[started]] {
					m.Feed(b, w, recs, nil, nil)
					m.End(b, w)
				}
				started++
			}
			start()
			start()
			for {
				st, err := m.Run(timing.Never)
				require.NoError(t, err)
				if st.State == timing.Done {
					out.Totals = *m.Totals()
					return out
				}
				_, end := m.Block(st.Block)
				out.Ends, out.Blocks = append(out.Ends, end), append(out.Blocks, m.BlockCycles(st.Block))
				if started < len(order) {
					start()
				}
			}
		}
		want := play(told)
		require.Empty(t, cmp.Diff(want, play(m), counters), "seed %d", seed)
		require.Empty(t, cmp.Diff(want, play(m), counters), "again, seed %d", seed)
		repeated += timing.Repeated(m)
	}
	require.Positive(t, repeated)
}

// A machine that has seen a run a few times allocates nothing when it is made again.
func TestRepeatingAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	m := machine(t, timing.Config{})
	for range 40 {
		recs := randomBlock(r, 4)
		for range 6 {
			for w, more := range randomBlock(r, 4) {
				recs[w] = append(recs[w], repeat(more, 40*len(more))...)
			}
		}
		m.Reset()
		drive(t, m, [][][]isa.Instr{recs}, toTheEnd(m), whole)
		for range 2 { // places for stretches grow with what falls to them
			m.Reset()
			play(t, m, 4, recs[0])
		}
		require.Zero(t, testing.AllocsPerRun(1, func() {
			m.Reset()
			play(t, m, 4, recs[0])
		}))
	}
}

// FuzzRepeating plays a loop of arbitrary records, with and without taking over
// what is known.
func FuzzRepeating(f *testing.F) {
	f.Add([]byte{12, 32, 0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 0, 0, 1, 0}, uint8(3), uint8(50))
	f.Add([]byte{48, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 40, 32, 0, 4, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0}, uint8(6), uint8(90))
	f.Fuzz(func(t *testing.T, data []byte, warps, rounds uint8) {
		body := records(data)
		if len(body) == 0 || len(body) > 200 {
			return
		}
		recs := repeat(body, len(body)*int(rounds)*2)
		n := 1 + int(warps%40)
		var got [2]outcome
		var errs [2]error
		for i, sites := range []bool{false, true} {
			m := machine(t, timing.Config{Sites: sites})
			b, err := m.StartBlock(n)
			require.NoError(t, err)
			for w := range n {
				m.Feed(b, w, recs[min(w%3, len(recs)):], nil, nil)
				m.End(b, w)
			}
			for {
				st, err := m.Run(timing.Never)
				if errs[i] = err; err != nil || st.State == timing.Done {
					break
				}
			}
			got[i].Totals = *m.Totals()
			_, end := m.Block(b)
			got[i].Ends = append(got[i].Ends, end, m.Now())
			got[i].Blocks = append(got[i].Blocks, m.BlockCycles(b))
		}
		require.Equal(t, errs[1], errs[0])
		require.Empty(t, cmp.Diff(got[1], got[0], counters))
	})
}
