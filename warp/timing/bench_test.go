package timing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// The instructions of a shuffle reduction, a shared-memory exchange with block
// barriers, and plain arithmetic.
var mixes = []struct {
	name string
	step []isa.Instr
}{
	{"shuffle", []isa.Instr{
		{Op: isa.ShflDown, Active: 32, Dst: isa.Row(2), A: isa.Row(1), Count: 1},
		{Op: isa.FAdd, Active: 32, Dst: isa.Row(1), A: isa.Row(1), B: isa.Row(2)},
	}},
	{"shared", []isa.Instr{
		{Op: isa.StoreShared, Active: 32, A: isa.Row(3), B: isa.Row(1), Aux: isa.MemAux(4, 0), Count: 1},
		{Op: isa.BarSync},
		{Op: isa.LoadShared, Active: 32, Dst: isa.Row(2), A: isa.Row(3), Aux: isa.MemAux(4, 0), Count: 1},
		{Op: isa.FAdd, Active: 32, Dst: isa.Row(1), A: isa.Row(1), B: isa.Row(2)},
		{Op: isa.IAdd, Active: 32, Dst: isa.Row(4), A: isa.Row(4)},
		{Op: isa.BarSync},
	}},
	{"arithmetic", []isa.Instr{
		{Op: isa.FFma, Active: 32, Dst: isa.Row(1), A: isa.Row(1), B: isa.Row(2), C: isa.Row(3)},
		{Op: isa.FFma, Active: 32, Dst: isa.Row(4), A: isa.Row(4), B: isa.Row(2), C: isa.Row(3)},
		{Op: isa.IAdd, Active: 32, Dst: isa.Row(5), A: isa.Row(5), B: isa.Row(6)},
		{Op: isa.ICmp, Active: 32, Dst: isa.Predicate(0), A: isa.Row(5), B: isa.Row(6)},
		{Op: isa.Select, Active: 32, Dst: isa.Row(7), A: isa.Row(5), B: isa.Row(6), C: isa.Predicate(0)},
	}},
}

func repeat(step []isa.Instr, n int) []isa.Instr {
	var out []isa.Instr
	for len(out)+len(step) <= n {
		out = append(out, step...)
	}
	return out
}

func h200(t testing.TB) *device.Timing {
	p, err := device.Lookup("h200")
	if err != nil {
		t.Fatal(err)
	}
	return &p.Timing
}

func play(t testing.TB, m *timing.Multiprocessor, warps int, recs []isa.Instr) timing.Cycle {
	b, err := m.StartBlock(warps)
	if err != nil {
		t.Fatal(err)
	}
	for w := range warps {
		m.Feed(b, w, recs, nil, nil)
		m.End(b, w)
	}
	for {
		st, err := m.Run(timing.Never)
		if err != nil {
			t.Fatal(err)
		}
		if st.State == timing.Done {
			return st.Now
		}
	}
}

// How a run relates to what the machine has seen.
const (
	again    = "again"    // the run that it made before
	inLoop   = "loop"     // a loop that is new to it
	straight = "straight" // new to it, and no stretch of it comes twice
)

// variants returns runs of about n records a warp, more of them than the
// machine remembers unless they are to be known.
func variants(how string, step []isa.Instr, n int) [][]isa.Instr {
	if how == again {
		return [][]isa.Instr{repeat(step, n)}
	}
	var runs [][]isa.Instr
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 80 {
		run := repeat(step, n)
		if how == inLoop {
			// The same but for registers, which makes it another loop.
			for k := range run {
				if run[k].Dst != isa.NoReg && !run[k].Dst.IsPredicate() {
					run[k].C = isa.Row(10 + i)
				}
			}
		} else {
			for k := range run {
				run[k].C = isa.Row(10 + r.IntN(20))
			}
		}
		runs = append(runs, run)
	}
	return runs
}

func BenchmarkRun(b *testing.B) {
	for _, mix := range mixes {
		for _, warps := range []int{1, 8, 32} {
			for _, how := range []string{again, inLoop, straight} {
				b.Run(fmt.Sprintf("%s/warps=%d/%s", mix.name, warps, how), func(b *testing.B) {
					m := machine(b, timing.Config{})
					runs := variants(how, mix.step, 1<<15/warps)
					for _, recs := range runs {
						m.Reset()
						play(b, m, warps, recs)
					}
					n := len(runs[0]) * warps
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						m.Reset()
						play(b, m, warps, runs[i%len(runs)])
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
				})
			}
		}
	}
}

// BenchmarkFloor adds two rows of 32 lanes: what the values of one instruction
// cost in plain Go on the machine at hand.
func BenchmarkFloor(b *testing.B) {
	const n = 1 << 16
	var d, x, y [32]float32
	for b.Loop() {
		for range n {
			for l := range d {
				d[l] += x[l] + y[l]
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/instr")
}
