package warp_test

import (
	"context"
	"testing"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sectorsOf runs loads and stores of T at the given indices and returns the
// records of them.
func sectorsOf[T any](t *testing.T, p *device.Profile, c warp.Config, active lane.Mask, offset int, index func(l int) int32) []isa.Instr {
	t.Helper()
	var out []isa.Instr
	c.Device = p
	c.Observer = &warp.Observer{Instr: func(ev warp.InstrEvent) {
		if ev.Instr.Op == isa.LoadGlobal || ev.Instr.Op == isa.StoreGlobal {
			out = append(out, ev.Instr)
		}
	}}
	e := newEngine(t, c)
	m := global(t, e, make([]T, 1<<14))
	_, err := e.Run(context.Background(), one(p.Lanes), func(w *warp.Warp) {
		at, v := warp.Alloc[int32](w), warp.Alloc[T](w)
		warp.SetLanes(at, index)
		w.Under(active, func() {
			warp.Load(v, m.At(offset), at)
			warp.Store(m.At(offset), at, v)
		})
	})
	require.NoError(t, err)
	return out
}

// touched counts the different sectors of an access of 16 bytes or less by the
// bytes of each lane; arrays start at a multiple of 256 bytes.
func touched(active lane.Mask, size, sector int, first func(l int) int) int {
	seen := map[int]bool{}
	for l := range active.Lanes() {
		for b := first(l); b < first(l)+size; b++ {
			seen[b/sector] = true
		}
	}
	return len(seen)
}

func tryCoalescing[T any](t *testing.T, name string) {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	size := int(unsafe.Sizeof(*new(T)))
	for _, active := range activeSets(p.Lanes) {
		if active.Empty() {
			continue
		}
		for _, stride := range []int{0, 1, 2, 3, 7, 8, 9, 32, 100} {
			for _, offset := range []int{0, 1, 5} {
				want := touched(active, size, p.Memory.SectorBytes, func(l int) int { return size * (l*stride + offset) })
				recs := sectorsOf[T](t, p, warp.Config{ValuesOnly: true}, active, offset, func(l int) int32 { return int32(l * stride) })
				require.Len(t, recs, 2)
				for _, in := range recs {
					require.EqualValues(t, want, in.Count, "%s: %s of %T by %d from %d, active %s", name, in.Op, *new(T), stride, offset, active)
					require.Equal(t, size, in.MemBytes())
				}
				assert.Equal(t, isa.LevelL1, recs[0].MemLevel(), "from which on it is served")
			}
		}
	}
}

func TestSectorsByArithmetic(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		tryCoalescing[uint8](t, name)
		tryCoalescing[float32](t, name)
		tryCoalescing[int64](t, name)
		tryCoalescing[[4]float32](t, name)
	}
}

// The figures everybody knows: 32 lanes of 4 bytes are 4 sectors of 32 bytes,
// 5 if they start in the middle of one, 32 from a stride of 8 words on, and 1 for
// one word.
func TestSectorsOfCoalescedAccess(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	count := func(offset, stride int) int {
		return int(sectorsOf[float32](t, p, warp.Config{ValuesOnly: true}, lane.FirstN(32), offset, func(l int) int32 { return int32(l * stride) })[0].Count)
	}
	assert.Equal(t, 4, count(0, 1))
	assert.Equal(t, 4, count(8, 1))
	assert.Equal(t, 5, count(1, 1))
	assert.Equal(t, 8, count(0, 2))
	assert.Equal(t, 32, count(0, 8))
	assert.Equal(t, 32, count(0, 64))
	assert.Equal(t, 1, count(0, 0))
}

// Elements of more than 16 bytes take an instruction for each 16, which names
// the rows that it moves.
func TestLargeElementsTakeSeveralInstructions(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	recs := sectorsOf[[11]int32](t, p, warp.Config{ValuesOnly: true}, lane.FirstN(32), 0, func(l int) int32 { return int32(l) })
	require.Len(t, recs, 6)
	for i, in := range recs[:3] {
		assert.Equal(t, isa.Row(1+4*i), in.Dst, "after the row of the index")
		assert.Equal(t, 16, in.MemBytes())
	}
	for i, in := range recs[3:] {
		assert.Equal(t, isa.Row(1+4*i), in.B)
		assert.Equal(t, isa.NoReg, in.Dst)
	}
}

// A line is served from the memory behind the caches, or from the second level if
// that is warm, when it is first touched, and from the first level after that.
func TestLevels(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for _, state := range []memory.State{memory.Cold, memory.Warm} {
		e := newEngine(t, warp.Config{Device: p, Memory: state})
		m := global(t, e, make([]int32, 1<<17))
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			v := warp.Alloc[int32](w)
			for _, at := range []int{0, 0, 32, 16, 1 << 16, 0, 1 << 16} {
				warp.Load(v, m.At(at), w.LaneID())
			}
		})
		require.NoError(t, err)
		c := r.Memory
		assert.EqualValues(t, []int64{7, 28, 16, 12}, []int64{c.LoadRequests, c.LoadSectors, c.LoadHits, c.ReadSectors})
		if state == memory.Warm {
			assert.EqualValues(t, []int64{12, 0, 0}, []int64{c.HitSectors, c.MainReadSectors, c.MainWriteSectors})
		} else {
			assert.EqualValues(t, []int64{0, 12, 12}, []int64{c.HitSectors, c.MainReadSectors, c.MainWriteSectors}, "what others left has to be written back")
		}
	}
}
