package timing_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// hashed is a memory whose answers follow from what it is asked.
func hashed(a *timing.Access) timing.Cycle {
	return a.At + 20 + timing.Cycle((a.ID.Index*7919+int64(a.ID.Warp)*104729)%700)
}

// issues is a sum over all that an observer is told.
type issues struct{ sum uint64 }

func (x *issues) observe(i *timing.Issue) {
	n, _ := i.WaitReason()
	x.sum = x.sum*31 + uint64(i.Cycle)<<20 + uint64(i.Warp)<<12 + uint64(i.Index)<<4 + uint64(n) + uint64(i.WaitedFor)<<40
}

// begun is a machine with a random block that has run for some cycles.
func begun(t testing.TB, seed uint64, x *issues) (*timing.Multiprocessor, timing.Config) {
	r := rand.New(rand.NewPCG(seed, 10))
	c := timing.Config{Scheduler: timing.Scheduler(seed % 2), Sites: seed%3 == 0}
	if seed%4 < 2 {
		c.Memory = answers(hashed)
	}
	if seed%5 == 0 {
		c.Observer = x.observe
	}
	m := machine(t, c)
	for range 1 + r.IntN(2) {
		block := loop(r, 1+r.IntN(12), 1+r.IntN(30))
		b, err := m.StartBlock(len(block))
		require.NoError(t, err)
		for w, recs := range block {
			lines, _ := touching(r, recs)
			sites := make([]uint32, len(recs))
			for i := range sites {
				sites[i] = uint32(i % 7)
			}
			m.Feed(b, w, recs, sites, lines)
			m.End(b, w)
		}
	}
	to := timing.Cycle(r.IntN(4000))
	for {
		st, err := m.Run(to)
		require.NoError(t, err)
		if st.State != timing.BlockEnded {
			return m, c
		}
	}
}

// finish runs a machine to its end and says all that can be asked of it.
func finish(t testing.TB, m *timing.Multiprocessor, x *issues) string {
	for {
		st, err := m.Run(timing.Never)
		require.NoError(t, err)
		if st.State == timing.Done {
			s := fmt.Sprint(m.Now(), *m.Totals(), m.Sites(), x.sum)
			for b := range 2 {
				start, end := m.Block(b)
				s += fmt.Sprint(start, end, m.BlockCycles(b))
			}
			return s
		}
	}
}

func TestSnapshotsContinueTheSame(t *testing.T) {
	seeds := uint64(120)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		var x, y issues
		m, c := begun(t, seed, &x)
		b, err := m.Snapshot()
		require.NoError(t, err)
		y = x
		if c.Observer != nil {
			c.Observer = y.observe
		}
		table, err := timing.Compile(h200(t), 0)
		require.NoError(t, err)
		back, err := timing.Restore(table, c, b)
		require.NoError(t, err)
		got := finish(t, back, &y)
		require.Equal(t, finish(t, m, &x), got, "seed %d", seed)

		m, c = begun(t, seed, &x)
		clone, err := m.Clone(timing.Config{Scheduler: c.Scheduler, Sites: c.Sites, Memory: c.Memory})
		require.NoError(t, err)
		require.Equal(t, m.Now(), clone.Now())
		m.Reset()
		back.Reset()
		y = issues{}
		require.Equal(t, strings.Count(got, " "), strings.Count(finish(t, clone, &y), " "))
		require.Equal(t, timing.Cycle(4), run(t, back, []isa.Instr{op(isa.FAdd, r1, r1)}), "it can be used again")
	}
}

// A snapshot is taken on by another process.
func TestSnapshotInAFreshProcess(t *testing.T) {
	const seed = 8 // neither observed nor with a host's memory
	var x issues
	if file := os.Getenv("WARPSIM_SNAPSHOT"); file != "" {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		table, err := timing.Compile(h200(t), 0)
		require.NoError(t, err)
		m, err := timing.Restore(table, timing.Config{Scheduler: seed % 2, Memory: answers(hashed)}, b)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(finish(t, m, &x)), 0o600))
		return
	}
	m, _ := begun(t, seed, &x)
	b, err := m.Snapshot()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "snapshot")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	cmd := exec.Command(os.Args[0], "-test.run=^TestSnapshotInAFreshProcess$")
	cmd.Env = append(os.Environ(), "WARPSIM_SNAPSHOT="+file)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, finish(t, m, &x), string(got))
}

// With accesses under way that the host has to answer afterwards.
func TestSnapshotWithAccessesUnderWay(t *testing.T) {
	later := timing.Config{Memory: answers(func(a *timing.Access) timing.Cycle { return timing.Later })}
	m := machine(t, later)
	loads(t, m, 3)
	_, err := m.Run(2000)
	require.NoError(t, err)
	require.NoError(t, m.Complete(0, 0, 1, 2300))
	clone, err := m.Clone(later)
	require.NoError(t, err)
	for _, x := range []*timing.Multiprocessor{m, clone} {
		require.ErrorIs(t, x.Complete(0, 0, 1, 2300), timing.AccessAnswered)
		require.NoError(t, x.Complete(0, 0, 2, 2500))
		require.NoError(t, x.Complete(0, 0, 0, 2400))
		st, err := x.Run(timing.Never)
		require.NoError(t, err)
		require.Equal(t, timing.Status{State: timing.BlockEnded, Now: 2504}, st)
	}
}

func TestSnapshotsThatDoNotFit(t *testing.T) {
	var x issues
	m, c := begun(t, 8, &x)
	b, err := m.Snapshot()
	require.NoError(t, err)
	table, err := timing.Compile(h200(t), 0)
	require.NoError(t, err)
	refused := func(problem timing.SnapshotProblem, table *timing.Table, c timing.Config, b []byte) {
		t.Helper()
		_, err := timing.Restore(table, c, b)
		require.ErrorIs(t, err, problem)
		require.ErrorContains(t, err, "timing: snapshot, byte ")
	}
	p, err := device.Lookup("mi300x")
	require.NoError(t, err)
	other, err := timing.Compile(&p.Timing, 0)
	require.NoError(t, err)
	refused(timing.SnapshotProfile, other, c, b)
	wide, err := timing.Compile(h200(t), 64)
	require.NoError(t, err)
	refused(timing.SnapshotProfile, wide, c, b)
	refused(timing.SnapshotProfile, table, timing.Config{Scheduler: c.Scheduler}, b)
	refused(timing.SnapshotProfile, table, timing.Config{Scheduler: 1 - c.Scheduler, Memory: c.Memory}, b)
	refused(timing.SnapshotDamaged, table, c, nil)
	refused(timing.SnapshotDamaged, table, c, b[:len(b)-1])
	version := append([]byte(nil), b...)
	version[4]++
	refused(timing.SnapshotVersion, table, c, version)
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		bad := append([]byte(nil), b...)
		bad[36+r.IntN(len(b)-36)] ^= byte(1 + r.IntN(255))
		refused(timing.SnapshotDamaged, table, c, bad)
	}
	_, err = timing.Restore(nil, c, b)
	require.Error(t, err)
	_, err = (&timing.Multiprocessor{}).Snapshot()
	require.ErrorContains(t, err, "Snapshot: a multiprocessor that New has not made")
}

// BenchmarkSnapshot is the time and the size of a snapshot of 64 warps midway.
func BenchmarkSnapshot(b *testing.B) {
	m := machine(b, timing.Config{})
	blk, err := m.StartBlock(64)
	require.NoError(b, err)
	recs := variants(straight, mixes[2].step, 1<<10)[0]
	for w := range 64 {
		m.Feed(blk, w, recs, nil, nil)
		m.End(blk, w)
	}
	_, err = m.Run(5000)
	require.NoError(b, err)
	table, err := timing.Compile(h200(b), 0)
	require.NoError(b, err)
	s, err := m.Snapshot()
	require.NoError(b, err)
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			if s, err = m.Snapshot(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(s)), "bytes")
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			if _, err = timing.Restore(table, timing.Config{}, s); err != nil {
				b.Fatal(err)
			}
		}
	})
}
