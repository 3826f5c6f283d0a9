package view_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view"
)

// A field is one of a protobuf message.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

// fields decodes a message of numbers and bytes.
func fields(t testing.TB, m []byte) []field {
	var all []field
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		require.Positive(t, n)
		m = m[n:]
		f := field{number: int(tag >> 3)}
		x, n := binary.Uvarint(m)
		require.Positive(t, n)
		m = m[n:]
		switch tag & 7 {
		case 0:
			f.value = x
		case 2:
			require.LessOrEqual(t, x, uint64(len(m)))
			f.bytes, m = m[:x], m[x:]
		default:
			require.Fail(t, "wire type", "%d", tag&7)
		}
		all = append(all, f)
	}
	return all
}

func get(all []field, number int) (field, bool) {
	for _, f := range all {
		if f.number == number {
			return f, true
		}
	}
	return field{}, false
}

// A slice of a decoded trace.
type slice struct {
	name     string
	from, to int64
	inside   []slice
}

// decoded is a trace: the slices of each track, and the values of counters.
type decoded struct {
	names   map[uint64]string // of tracks
	parents map[uint64]uint64
	slices  map[string][]slice
	counts  map[string][]int64
}

// decode reads a trace as Perfetto does, and fails where slices do not nest.
func decode(t testing.TB, data []byte) decoded {
	d := decoded{map[uint64]string{}, map[uint64]uint64{}, map[string][]slice{}, map[string][]int64{}}
	words := map[uint64]string{}
	open := map[uint64][]slice{}
	last := map[uint64]int64{}
	for k, f := range fields(t, data) {
		require.Equal(t, 1, f.number)
		p := fields(t, f.bytes)
		sequence, ok := get(p, 10)
		require.True(t, ok && sequence.value == 1, "a packet without a sequence is dropped")
		flags, _ := get(p, 13)
		require.Equal(t, k == 0, flags.value&1 != 0, "what is interned is forgotten at the start only")
		if in, ok := get(p, 12); ok {
			for _, x := range fields(t, in.bytes) {
				entry := fields(t, x.bytes)
				id, _ := get(entry, 1)
				name, _ := get(entry, 2)
				if x.number == 2 {
					words[id.value] = string(name.bytes)
				}
			}
		}
		if tr, ok := get(p, 60); ok {
			x := fields(t, tr.bytes)
			id, _ := get(x, 1)
			name, _ := get(x, 2)
			parent, _ := get(x, 5)
			d.names[id.value], d.parents[id.value] = string(name.bytes), parent.value
		}
		ev, ok := get(p, 11)
		if !ok {
			continue
		}
		at, ok := get(p, 8)
		require.True(t, ok)
		x := fields(t, ev.bytes)
		kind, _ := get(x, 9)
		track, _ := get(x, 11)
		name := fmt.Sprintf("%s/%s", d.names[d.parents[track.value]], d.names[track.value])
		require.NotContains(t, name, "//")
		now := int64(at.value)
		if kind.value == 4 {
			v, _ := get(x, 30)
			d.counts[name] = append(d.counts[name], int64(v.value))
			continue
		}
		require.GreaterOrEqual(t, now, last[track.value], "time goes back on %s", name)
		last[track.value] = now
		stack := open[track.value]
		switch kind.value {
		case 1:
			word, _ := get(x, 10)
			require.NotEmpty(t, words[word.value])
			stack = append(stack, slice{name: words[word.value], from: now})
		case 2:
			require.NotEmpty(t, stack, "an end without a begin on %s", name)
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if s.to = now; len(stack) > 0 {
				outer := &stack[len(stack)-1]
				outer.inside = append(outer.inside, s)
			} else {
				d.slices[name] = append(d.slices[name], s)
			}
		default:
			require.Fail(t, "event", "of type %d", kind.value)
		}
		open[track.value] = stack
	}
	for track, stack := range open {
		require.Empty(t, stack, "slices of %s have no end", d.names[track])
	}
	return d
}

// A trace decodes; slices nest; those of a warp follow each other without a gap over the
// time of its block, and with what is inside they add up to the cycles of all warps by
// reason; pipes and places hold one thing at a time; counters count what there was.
func TestTraceAddsUp(t *testing.T) {
	var streamed, kept bytes.Buffer
	r := record(t, "h200", warp.Launch{Blocks: warp.X(150), Threads: warp.X(96)}, view.Options{Trace: &streamed}, func(e *warp.Engine) warp.Kernel {
		in, err := warp.Global(e, make([]int32, 150*96))
		require.NoError(t, err)
		return func(w *warp.Warp) {
			v := warp.Alloc[int32](w)
			warp.Load(v, in, w.GlobalID())
			s := warp.Shared[int32](w, 32*32)
			warp.MulImm(v, w.LaneID(), 32)
			warp.Store(s, v, v)
			w.SyncBlock()
			sumDown(w)
		}
	})
	require.NoError(t, r.WriteTrace(&kept))
	require.Equal(t, kept.Len(), streamed.Len())
	require.True(t, bytes.Equal(kept.Bytes(), streamed.Bytes()), "a trace written on the way is that written behind")
	d := decode(t, streamed.Bytes())
	waits := r.Report().Waits()
	byReason := map[string]int64{}
	blocks, warps, all, instructions := 0, 0, int64(0), int64(0)
	for track, list := range d.slices {
		end := int64(-1)
		for _, s := range list {
			assert.GreaterOrEqual(t, s.from, end, "%s overlaps", track)
			if strings.Contains(track, " warp ") && end >= 0 {
				assert.Equal(t, end, s.from, "%s has a gap", track)
			}
			end = s.to
		}
		switch {
		case strings.Contains(track, "/place "):
			blocks += len(list)
		case strings.Contains(track, " warp "):
			warps++
			for _, s := range list {
				all += s.to - s.from
				if s.name == "behind the last instruction" {
					byReason["behind"] += s.to - s.from
					continue
				}
				instructions++
				at := s.from
				for _, in := range s.inside {
					assert.Equal(t, at, in.from)
					at = in.to
					byReason[in.name] += in.to - in.from
				}
				assert.Equal(t, s.to, at+1, "one cycle to issue it")
			}
		default:
			assert.Contains(t, track, " pipe ", "of a sub-partition")
		}
	}
	assert.Equal(t, []int{150, 450}, []int{blocks, warps})
	// As many as were issued: the order of a compiler leaves out what is there already,
	// and puts in addresses.
	assert.EqualValues(t, waits.Of(timing.Issued), instructions)
	assert.EqualValues(t, waits.Total(), all)
	assert.EqualValues(t, waits.Of(timing.Drained)+waits.Of(timing.Finished), byReason["behind"])
	for reason, n := range waits.All() {
		if reason != timing.Issued && reason != timing.Drained && reason != timing.Finished {
			assert.EqualValues(t, n, byReason[reason.String()], "%s", reason)
		}
	}
	flying := d.counts["multiprocessor 0/instructions waiting for global memory"]
	assert.NotEmpty(t, flying)
	assert.Contains(t, d.counts, "multiprocessor 0/active lanes")
	assert.Contains(t, d.counts, "multiprocessor 0/cycles queued for pipe or port")
}

// counter counts what is written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// million runs a million instructions with a trace to w.
func million(t testing.TB, w io.Writer) *view.Recording {
	return record(t, "h200", warp.Launch{Blocks: warp.X(132), Threads: warp.X(256)}, view.Options{Trace: w, Issues: -1, Steps: -1}, func(*warp.Engine) warp.Kernel {
		return func(w *warp.Warp) {
			v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(v, 1)
			for range 480 {
				warp.ShflDown(x, v, 1)
				warp.Add(v, v, x)
			}
		}
	})
}

// A million instructions take less than 200 MB of trace, and next to nothing of memory
// while they are written.
func TestTraceOfAMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("a million instructions")
	}
	var c counter
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := million(t, &c)
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Greater(t, r.Report().Instructions, int64(1_000_000))
	assert.Less(t, c.n, int64(200_000_000))
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(32<<20))
	t.Logf("%d instructions, %d bytes of trace", r.Report().Instructions, c.n)
	runtime.KeepAlive(r)
}

// BenchmarkTraceOfAMillion says how long a run of a million instructions takes that
// writes a trace.
func BenchmarkTraceOfAMillion(b *testing.B) {
	for b.Loop() {
		var c counter
		r := million(b, &c)
		b.ReportMetric(float64(c.n)/1e6, "MB")
		b.ReportMetric(float64(r.Report().Instructions)/1e6, "Minstr")
	}
}
