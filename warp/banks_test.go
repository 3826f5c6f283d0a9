package warp_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Known patterns of 32 lanes on 32 banks of 4 bytes: the word of each lane, and
// how many ways the access conflicts.
var bankPatterns = []struct {
	name string
	word func(l int) int
	ways int
}{
	{"stride 1", func(l int) int { return l }, 1},
	{"stride 2", func(l int) int { return 2 * l }, 2},
	{"stride 3", func(l int) int { return 3 * l }, 1},
	{"stride 4", func(l int) int { return 4 * l }, 4},
	{"stride 8", func(l int) int { return 8 * l }, 8},
	{"stride 16", func(l int) int { return 16 * l }, 16},
	{"stride 17", func(l int) int { return 17 * l }, 1},
	{"stride 31", func(l int) int { return 31 * l }, 1},
	{"stride 32", func(l int) int { return 32 * l }, 32},
	{"stride 33", func(l int) int { return 33 * l }, 1},
	{"stride 64", func(l int) int { return 64 * l }, 32},
	{"stride 65", func(l int) int { return 65 * l }, 1},
	{"broadcast", func(int) int { return 7 }, 1},
	{"pairs", func(l int) int { return l / 2 }, 1},
	{"pairs of far words", func(l int) int { return l / 2 * 32 }, 16},
	{"reversed", func(l int) int { return 31 - l }, 1},
	// The transposed store of a tile of a matrix product: thread t has row t/2
	// and the columns from (t%2)*4 on, rows of 128, 130 and 132 words.
	{"pitch 128", func(l int) int { return l%2*4*128 + l/2 }, 2},
	{"pitch 130", func(l int) int { return l%2*4*130 + l/2 }, 2},
	{"pitch 132", func(l int) int { return l%2*4*132 + l/2 }, 1},
}

func TestBankPatterns(t *testing.T) {
	h200, err := device.Lookup("h200")
	require.NoError(t, err)
	e := engine(t, "h200", warp.Config{})
	for _, c := range bankPatterns {
		ways := warp.BankPasses(&h200.Shared, lane.FirstN(32), func(l int) uint64 { return uint64(4 * c.word(l)) }, 4)
		assert.Equal(t, c.ways, ways, c.name)

		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			s := warp.Shared[float32](w, 64*32)
			at, v := warp.Alloc[int32](w), warp.Alloc[float32](w)
			warp.SetLanes(at, func(l int) int32 { return int32(c.word(l)) })
			warp.Set(v, 1)
			warp.Store(s, at, v)
			w.SyncBlock()
			warp.Load(v, s, at)
		})
		require.NoError(t, err)
		assert.EqualValues(t, 2*(c.ways-1), r.ConflictPasses, "%s: a store and a load", c.name)
	}
}

// A load of 4, 8 and 16 bytes of which so many lanes in a row share one address took as
// many passes on an H200 (bench/accuracy/testdata/probe.csv, lds_same at 1,024 threads:
// 16 loads by 32 warps, one pass a cycle).
func TestPassesOfSharedAddresses(t *testing.T) {
	h200, err := device.Lookup("h200")
	require.NoError(t, err)
	for _, c := range []struct {
		bytes, share int
		cycles       float64
	}{
		{4, 32, 509}, {4, 1, 511.25}, {8, 32, 503.25}, {8, 16, 505.25}, {8, 2, 511.75}, {8, 1, 1023.75},
		{16, 32, 1027}, {16, 16, 1036.75}, {16, 8, 1038.75}, {16, 2, 1038.75}, {16, 1, 2048.75},
	} {
		passes := warp.BankPasses(&h200.Shared, lane.FirstN(32), func(l int) uint64 { return uint64(l / c.share * c.bytes) }, c.bytes)
		assert.InDelta(t, c.cycles/(16*32), passes, 0.05, "%d bytes, %d lanes share an address", c.bytes, c.share)
	}
}

// naivePasses adds up, over the groups of lanes that are served together, the
// most different words of one bank.
func naivePasses(b *device.Banks, m lane.Mask, addr func(l int) uint64, n int) int {
	group := b.GroupLanes
	if n > b.Bytes {
		group = max(1, b.GroupLanes*b.Bytes/n) * max(1, b.WideGroups)
	}
	passes := 0
	for first := 0; first < lane.MaxLanes; first += group {
		words := map[uint64]map[uint64]bool{}
		most := 0
		for l := first; l < first+group; l++ {
			if !m.Has(l) {
				continue
			}
			for a := addr(l); a < addr(l)+uint64(n); a++ {
				word := a / uint64(b.Bytes)
				bank := word % uint64(b.Count)
				if words[bank] == nil {
					words[bank] = map[uint64]bool{}
				}
				words[bank][word] = true
				most = max(most, len(words[bank]))
			}
		}
		passes += most
	}
	return max(1, passes)
}

// Any addresses, sizes, masks and banks.
func TestPassesAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		b := device.Banks{Count: 1 << r.IntN(8), Bytes: 1 << (2 + r.IntN(2)), GroupLanes: 1 << r.IntN(8), WideGroups: []int{0, 1, 2}[r.IntN(3)]}
		n := 1 << r.IntN(5)
		m := lane.Mask{Lo: r.Uint64() | r.Uint64(), Hi: r.Uint64()}
		if r.IntN(2) == 0 {
			m = lane.FirstN([]int{0, 1, 16, 32, 64, 128}[r.IntN(6)])
		}
		span, stride, base := 1+r.IntN(4096), r.IntN(80), r.IntN(64)
		addrs := make([]uint64, lane.MaxLanes)
		for l := range addrs {
			k := l * stride
			if r.IntN(4) == 0 {
				k = r.IntN(span)
			}
			addrs[l] = uint64(n) * uint64(base+k)
		}
		addr := func(l int) uint64 { return addrs[l] }
		require.Equal(t, naivePasses(&b, m, addr, n), warp.BankPasses(&b, m, addr, n), "%+v, %d bytes, lanes %s, %v", b, n, m, addrs)
	}
}

// The passes that records tell are those of Passes, for all sizes of element,
// full and partial warps, on all devices, and conflicts are those beyond an
// access of the same lanes without conflict.
func TestRecordedPasses(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		for _, stride := range []int{0, 1, 2, 5, 16, 32} {
			recordedPasses[uint8](t, p, stride)
			recordedPasses[int16](t, p, stride)
			recordedPasses[float32](t, p, stride)
			recordedPasses[float64](t, p, stride)
			recordedPasses[[4]int32](t, p, stride)
		}
	}
}

func recordedPasses[T any](t *testing.T, p *device.Profile, stride int) {
	t.Helper()
	size := int(unsafe.Sizeof(*new(T)))
	for _, active := range activeSets(p.Lanes) {
		addr := func(l int) uint64 { return uint64(size * (l*stride + 1)) }
		want := warp.BankPasses(&p.Shared, active, addr, size)
		group := max(1, p.Shared.GroupLanes*p.Shared.Bytes/max(size, p.Shared.Bytes))
		free := 0
		for l := 0; l < p.Lanes; l += group {
			if active.Overlaps(lane.Range(l, l+group)) {
				free++
			}
		}
		if active.Empty() {
			want, free = 0, 0
		}
		var counts []uint16
		e := newEngine(t, warp.Config{Device: p, ValuesOnly: true, Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
			if ev.Instr.Op == isa.LoadShared {
				counts = append(counts, ev.Instr.Count)
				assert.Equal(t, size, ev.Instr.MemBytes())
			}
		}}})
		most := p.Limits.SharedPerBlock/size - 16
		if (p.Lanes-1)*stride+2 > most {
			continue
		}
		r, err := e.Run(context.Background(), one(p.Lanes), func(w *warp.Warp) {
			s := warp.Shared[T](w, (p.Lanes-1)*stride+2)
			at := warp.Alloc[int32](w)
			warp.MulImm(at, w.LaneID(), int32(stride))
			w.Under(active, func() { warp.Load(warp.Alloc[T](w), s.At(1), at) })
		})
		require.NoError(t, err)
		require.Equal(t, []uint16{uint16(want)}, counts, "%s, %T, stride %d, active %s", p.Name, *new(T), stride, active)
		require.EqualValues(t, max(want-free, 0), r.ConflictPasses, "%s, %T, stride %d, active %s", p.Name, *new(T), stride, active)
	}
}
