package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/record"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// recorded runs a kernel and returns its file and report.
func recorded(t *testing.T, launch warp.Launch, kernel func(eng *warp.Engine) warp.Kernel) ([]byte, *warp.Report) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := record.NewWriter(&file, record.Header{Device: p.Name, Lanes: p.Lanes, Note: "test"})
	require.NoError(t, err)
	eng, err := warp.New(warp.Config{Device: p, Sites: true, Observer: &warp.Observer{Records: w.Record}})
	require.NoError(t, err)
	r, err := eng.Run(context.Background(), launch, kernel(eng))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return file.Bytes(), r
}

// sum adds all items of an array up, with a loop, shared memory and barriers.
func sum(t *testing.T) ([]byte, *warp.Report) {
	return recorded(t, warp.Launch{Blocks: warp.X(20), Threads: warp.X(256)}, func(eng *warp.Engine) warp.Kernel {
		in, err := warp.Global(eng, make([]int32, 1<<14))
		require.NoError(t, err)
		return func(w *warp.Warp) {
			v, x, at := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(v, 0)
			for i := range 3 {
				warp.AddImm(at, w.GlobalID(), int32(i*5120))
				warp.Load(x, in, at)
				warp.Add(v, v, x)
			}
			for d := 16; d > 0; d /= 2 {
				warp.ShflDown(x, v, d)
				warp.Add(v, v, x)
			}
			w.SyncBlock()
		}
	})
}

// play times streams on a device.
func play(t *testing.T, s *record.Streams, name string) timing.Cycle {
	p, err := device.Lookup(name)
	require.NoError(t, err)
	table, err := timing.Compile(&p.Timing, s.Header.Lanes)
	require.NoError(t, err)
	g, err := grid.New(p, table, grid.Config{})
	require.NoError(t, err)
	g.Begin(s.Header.Shape, s)
	done, err := g.Advance(context.Background(), s.Header.Shape.Blocks, 1)
	require.NoError(t, err)
	require.True(t, done)
	return g.Cycles()
}

func TestRecordedLaunchesTakeTheSameCycles(t *testing.T) {
	file, report := sum(t)
	s, err := record.Load(iotest.OneByteReader(bytes.NewReader(file)))
	require.NoError(t, err)
	require.Equal(t, "h200", s.Header.Device)
	require.EqualValues(t, report.Cycles, play(t, s, "h200"))
	s.Rewind()
	require.EqualValues(t, report.Cycles, play(t, s, "h200"))
	s.Rewind()
	other := play(t, s, "v100")
	require.Positive(t, other)
	require.NotEqual(t, report.Cycles, other)
	require.Less(t, int64(len(file)), report.Instructions*16/4, "it is compressed")
	t.Logf("%d records in %d bytes", report.Instructions, len(file))
}

// What is written in chunks of any size is read back as it was.
func TestChunksComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var file bytes.Buffer
		w, err := record.NewWriter(&file, record.Header{})
		require.NoError(t, err)
		type key struct{ block, warp int }
		want, got := map[key]grid.Chunk{}, map[key]grid.Chunk{}
		add := func(all map[key]grid.Chunk, c *record.Chunk) {
			x := all[key{c.Block, c.Warp}]
			x.Recs, x.Sites, x.Lines = append(x.Recs, c.Recs...), append(x.Sites, c.Sites...), append(x.Lines, c.Lines...)
			all[key{c.Block, c.Warp}] = x
		}
		for range 1 + r.IntN(6) {
			c := record.Chunk{Block: r.IntN(2), Warp: r.IntN(3)}
			for range r.IntN(1 << (r.IntN(5) * 4)) {
				in := isa.Instr{Op: isa.Op(1 + r.IntN(50)), Active: uint8(r.Uint32()), Guard: uint8(r.Uint32()), Aux: uint8(r.Uint32()),
					Dst: isa.Reg(r.Uint32()), Dst2: isa.Reg(r.Uint32()), A: isa.Reg(r.Uint32()), B: isa.Reg(r.Uint32()), C: isa.Reg(r.Uint32()), Count: uint16(r.IntN(3))}
				if c.Recs = append(c.Recs, in); in.TouchesLines() {
					c.Lines = append(c.Lines, isa.MakeLine(r.Uint64()>>30, uint8(r.Uint32()), r.IntN(256), r.IntN(256), r.IntN(32)), isa.MakeLine(7, 1, 1, 1, 1).End())
				}
				c.Sites = append(c.Sites, r.Uint32())
			}
			add(want, &c)
			require.NoError(t, w.Write(&c))
		}
		require.NoError(t, w.Close())
		x, err := record.NewReader(&file)
		require.NoError(t, err)
		for {
			c, err := x.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			n := 0
			for i := range c.Recs {
				if c.Recs[i].TouchesLines() {
					n += 2
				}
			}
			require.Len(t, c.Lines, n, "lines go with their records")
			add(got, c)
		}
		require.Equal(t, want, got)
	}
}

// Whatever is wrong with a file is an error that says from where on.
func TestDamagedFilesAreErrors(t *testing.T) {
	file, _ := sum(t)
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		bad := bytes.Clone(file)
		i := r.IntN(len(bad))
		bad[i] ^= byte(1 + r.IntN(255))
		_, err := record.Load(bytes.NewReader(bad))
		var e *record.Error
		require.ErrorAs(t, err, &e, "byte %d", i)
		require.LessOrEqual(t, e.Offset, int64(i), "it stands in front of the damage")

		_, err = record.Load(bytes.NewReader(file[:i]))
		require.ErrorAs(t, err, &e, "cut at %d", i)
		require.LessOrEqual(t, e.Offset, int64(i))
	}
	later := bytes.Clone(file)
	later[7] = 9
	_, err := record.Load(bytes.NewReader(later))
	require.EqualError(t, err, "record: byte 7: version 9, and this one reads up to 1: use a later one")
	broken := errors.New("unplugged")
	_, err = record.Load(io.MultiReader(bytes.NewReader(file[:100]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	_, err = record.Load(nil)
	require.Error(t, err)
	_, err = record.NewWriter(nil, record.Header{})
	require.Error(t, err)
	require.Error(t, new(record.Writer).Close())
	_, err = new(record.Reader).Next()
	require.Error(t, err)
	w, err := record.NewWriter(failing{}, record.Header{})
	require.NoError(t, err)
	require.Error(t, w.Write(nil))
	require.Error(t, w.Write(&record.Chunk{Block: -1}))
	require.ErrorIs(t, w.Write(&record.Chunk{}), io.ErrShortWrite)
	require.ErrorIs(t, w.Close(), io.ErrShortWrite)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func FuzzLoad(f *testing.F) {
	var file bytes.Buffer
	w, err := record.NewWriter(&file, record.Header{Device: "h200"})
	require.NoError(f, err)
	require.NoError(f, w.Write(&record.Chunk{Chunk: grid.Chunk{Recs: []isa.Instr{{Op: isa.FAdd}}}, Last: true}))
	require.NoError(f, w.Close())
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = record.Load(bytes.NewReader(b)) })
}
