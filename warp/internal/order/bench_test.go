package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/internal/order"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// streams returns different records, as many streams as the remembered windows do not
// hold.
func streams(kind string) [][]isa.Instr {
	var all [][]isa.Instr
	for seed := range uint64(40) {
		w := &writer{rand.New(rand.NewPCG(seed, 11)), 24, 4}
		var recs []isa.Instr
		switch kind {
		case "mixed":
			recs = w.program(4096)
		case "arithmetic":
			for len(recs) < 4096 {
				recs = append(recs, isa.Instr{Op: isa.FFma, Active: 32, Dst: w.row(), A: w.row(), B: w.row(), C: w.row(), Aux: 1})
			}
		case "reduction":
			for len(recs) < 4096 {
				d, s := w.row(), w.row()
				recs = append(recs, isa.Instr{Op: isa.ShflDown, Active: 32, Dst: d, A: s, Count: 1},
					isa.Instr{Op: isa.FAdd, Active: 32, Dst: s, A: s, B: d, Aux: 1})
				if len(recs)%64 == 10 {
					recs = append(recs, isa.Instr{Op: isa.BarSync, Active: 32})
				}
			}
			recs = recs[:4096]
		}
		all = append(all, recs)
	}
	return all
}

var kinds = []string{"mixed", "arithmetic", "reduction"}

// alike returns streams that differ from recs in lanes and passes only, as those of other
// warps do.
func alike(recs []isa.Instr) [][]isa.Instr {
	var all [][]isa.Instr
	for k := range 40 {
		other := slices.Clone(recs)
		for i := range other {
			if other[i].Active = uint8(1 + k%32); other[i].Op.IsShuffle() || other[i].Op == isa.LoadShared || other[i].Op == isa.StoreShared {
				other[i].Count = uint16(1 + (i+k)%32)
			}
		}
		all = append(all, other)
	}
	return all
}

// BenchmarkOrder measures what a record takes: of streams that are new, of new ones that
// are alike, and of one that comes again; timing is what the timing model takes for new ones in that order.
func BenchmarkOrder(b *testing.B) {
	for _, kind := range kinds {
		all := streams(kind)
		s := scheduler(b, "h200")
		b.Run(kind+"/new", func(b *testing.B) { benchmarkOrder(b, s, all) })
		b.Run(kind+"/alike", func(b *testing.B) { benchmarkOrder(b, s, alike(all[0])) })
		b.Run(kind+"/again", func(b *testing.B) { benchmarkOrder(b, s, all[:1]) })
		b.Run(kind+"/timing", func(b *testing.B) { benchmarkTiming(b, s, all) })
	}
}

func benchmarkOrder(b *testing.B, s *order.Scheduler, all [][]isa.Instr) {
	b.ReportAllocs()
	var out []isa.Instr
	var from []int32
	n := 0
	for i := 0; b.Loop(); i++ {
		recs := all[i%len(all)]
		out, from = s.Order(recs, out[:0], from[:0], nil)
		n += len(recs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
	b.ReportMetric(0, "ns/op")
}

func benchmarkTiming(b *testing.B, s *order.Scheduler, all [][]isa.Instr) {
	p, err := device.Lookup("h200")
	if err != nil {
		b.Fatal(err)
	}
	table, err := timing.Compile(&p.Timing, p.Lanes)
	if err != nil {
		b.Fatal(err)
	}
	m, err := timing.New(table, timing.Config{})
	if err != nil {
		b.Fatal(err)
	}
	var ordered [][]isa.Instr
	for _, recs := range all {
		out, _ := s.Order(recs, nil, nil, nil)
		var kept []isa.Instr
		for _, in := range out {
			if in.Op != isa.LoadGlobal && in.Op != isa.StoreGlobal { // whose lines are not there
				kept = append(kept, in)
			}
		}
		ordered = append(ordered, kept)
	}
	n := 0
	for i := 0; b.Loop(); i++ {
		recs := ordered[i%len(ordered)]
		m.Reset()
		id, err := m.StartBlock(1)
		if err != nil {
			b.Fatal(err)
		}
		m.Feed(id, 0, recs, nil, nil)
		m.End(id, 0)
		for {
			st, err := m.Run(timing.Never)
			if err != nil {
				b.Fatal(err)
			}
			if st.State == timing.Done {
				break
			}
		}
		n += len(recs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
	b.ReportMetric(0, "ns/op")
}
