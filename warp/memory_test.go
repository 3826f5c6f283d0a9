package warp_test

import (
	"context"
	"fmt"
	"testing"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tryMemory stores and loads values of one type in global and shared memory
// under every active set, at indices that are consecutive, strided and equal.
func tryMemory[T comparable](t *testing.T, e *warp.Engine, value func(k int) T) {
	t.Helper()
	n := e.Device().Lanes
	patterns := map[string]func(l int) int{
		"consecutive": func(l int) int { return l },
		"reversed":    func(l int) int { return n - 1 - l },
		"strided":     func(l int) int { return 3*l + 1 },
		"one element": func(int) int { return 5 },
		"beyond int8": func(l int) int { return 2*n + l },
	}
	size := 4 * n
	for name, index := range patterns {
		for _, active := range activeSets(n) {
			global := global(t, e, make([]T, size))
			_, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
				at, v, d := warp.Alloc[int32](w), warp.Alloc[T](w), warp.Alloc[T](w)
				warp.SetLanes(at, func(l int) int32 { return int32(index(l)) - 2 })
				warp.SetLanes(v, func(l int) T { return value(l) })
				shared := warp.Shared[T](w, min(size, 6000/int(unsafe.Sizeof(*new(T)))))
				for _, m := range []warp.Mem[T]{global.At(2), shared.At(2)} {
					if m.Len()+2 <= max(index(0), index(n-1)) {
						continue // the type is too large for shared memory here
					}
					want := make([]T, m.Len()+2)
					for l := range active.Lanes() {
						want[index(l)] = value(l) // the highest lane wins
					}
					w.Under(active, func() { warp.Store(m, at, v) })
					require.Equal(t, want, m.Data(), "%s, active %s", name, active)
					warp.Set(d, value(99))
					w.Under(active, func() { warp.Load(d, m, at) })
					for l, got := range d.Lanes() {
						exp := value(99)
						if active.Has(l) {
							exp = want[index(l)]
						}
						if got != exp {
							t.Errorf("%s, active %s: lane %d loads %v, want %v", name, active, l, got, exp)
						}
					}
					clear(m.Data())
				}
			})
			require.NoError(t, err)
		}
	}
}

func TestLoadStore(t *testing.T) {
	for _, name := range []string{"custom-2", "h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name, warp.Config{ValuesOnly: true})
		tryMemory(t, e, func(k int) uint8 { return uint8(k + 1) })
		tryMemory(t, e, func(k int) bool { return k%3 != 1 })
		tryMemory(t, e, func(k int) int16 { return int16(-k) })
		tryMemory(t, e, func(k int) float32 { return float32(k) / 3 })
		tryMemory(t, e, func(k int) uint64 { return uint64(k)<<50 + 3 })
		tryMemory(t, e, func(k int) [3]int32 { return [3]int32{int32(k), -1, 7} })
		tryMemory(t, e, func(k int) [2]float64 { return [2]float64{float64(k), 0.25} })
		tryMemory(t, e, func(k int) [5]int64 { return [5]int64{int64(k), 4: -int64(k)} })
		tryMemory(t, e, func(k int) [64]byte { return [64]byte{0: byte(k), 63: byte(k)} })
	}
}

// A load onto the register of its own index, as pointer chasing does it, finds
// the same and touches the same sectors as one onto another register.
func TestLoadOntoItsIndex(t *testing.T) {
	next := make([]int32, 1024)
	for i := range next {
		next[i] = int32(i*37+5) % 1024
	}
	for _, active := range []lane.Mask{lane.FirstN(32), {Lo: 0x0ff0ff1e}} {
		sectors := map[bool][]uint16{}
		for _, chase := range []bool{true, false} {
			e := engine(t, "h200", warp.Config{Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
				if ev.Instr.Op == isa.LoadGlobal {
					sectors[chase] = append(sectors[chase], ev.Instr.Count)
				}
			}}})
			m := global(t, e, next)
			_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
				at := warp.Alloc[int32](w)
				warp.MulImm(at, w.LaneID(), 9)
				w.Under(active, func() {
					for range 6 {
						d := at
						if !chase {
							d = warp.Alloc[int32](w)
						}
						warp.Load(d, m, at)
						at = d
					}
				})
				for l := range active.Lanes() {
					want := int32(l * 9)
					for range 6 {
						want = next[want]
					}
					assert.Equal(t, want, at.Lanes()[l])
				}
			})
			require.NoError(t, err)
		}
		require.Len(t, sectors[true], 6)
		assert.Equal(t, sectors[false], sectors[true])
	}
}

// An access outside an array ends the kernel and names the lanes, from either
// end, through an offset, and whatever the size of the element.
func TestOutOfBounds(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect, ValuesOnly: true})
	m := global(t, e, make([]int64, 100))
	for _, c := range []struct {
		name   string
		offset int
		index  func(l int) int32
		active lane.Mask
		lanes  lane.Mask // nil: fine
		text   string
	}{
		{"fits", 0, func(l int) int32 { return int32(l + 68) }, lane.FirstN(32), lane.Mask{}, ""},
		{"one beyond", 0, func(l int) int32 { return int32(l + 69) }, lane.FirstN(32), lane.Bit(31), "element 100 of an array with elements 0 to 99"},
		{"but not active", 0, func(l int) int32 { return int32(l + 69) }, lane.FirstN(31), lane.Mask{}, ""},
		{"negative", 0, func(l int) int32 { return int32(l - 2) }, lane.FirstN(32), lane.FirstN(2), "element -2 of an array"},
		{"offset up", 80, func(l int) int32 { return int32(l) }, lane.FirstN(32), lane.Range(20, 32), "element 20 of an array with elements -80 to 19"},
		{"offset reaches back", 80, func(l int) int32 { return int32(l - 80) }, lane.FirstN(32), lane.Mask{}, ""},
		{"offset below", -3, func(l int) int32 { return int32(l) }, lane.FirstN(32), lane.FirstN(3), "element 0 of an array with elements 3 to 102"},
		{"largest index", 0, func(int) int32 { return 1<<31 - 1 }, lane.Bit(7), lane.Bit(7), "element 2147483647"},
		{"smallest index", 0, func(int) int32 { return -1 << 31 }, lane.Bit(7), lane.Bit(7), "element -2147483648"},
		{"wraps", 1 << 30, func(l int) int32 { return int32(1<<31 - 16 + l) }, lane.FirstN(32), lane.FirstN(32), "of an array"},
		{"scattered", 0, func(l int) int32 { return int32(l%5) * 30 }, lane.FirstN(32), lane.Only(4, 9, 14, 19, 24, 29), "element 120"},
	} {
		for _, access := range []string{"load", "store", "atomic"} {
			_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
				at, v := warp.Alloc[int32](w), warp.Alloc[int64](w)
				warp.SetLanes(at, c.index)
				warp.Set(v, 0)
				w.Under(c.active, func() {
					switch access {
					case "load":
						warp.Load(v, m.At(c.offset), at)
					case "store":
						warp.Store(m.At(c.offset), at, v)
					case "atomic":
						warp.Atomic(warp.AtomicAdd, v, m.At(c.offset), at, v)
					}
				})
			})
			if c.lanes.Empty() {
				require.NoError(t, err, "%s, %s", c.name, access)
				continue
			}
			var f *warp.Fault
			require.ErrorAs(t, err, &f, "%s, %s", c.name, access)
			assert.Equal(t, warp.OutOfBounds, f.Kind)
			assert.Equal(t, c.lanes, f.Lanes, "%s, %s", c.name, access)
			assert.Contains(t, f.Detail, c.text)
			assert.Contains(t, f.Detail, access)
		}
	}
}

func TestMemViews(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	data := make([]int32, 10)
	m := global(t, e, data)
	assert.Equal(t, 10, m.Len())
	assert.Equal(t, 7, m.At(3).Len())
	assert.Equal(t, 10, m.At(3).At(-3).Len())
	m.At(3).Data()[0] = 9
	assert.EqualValues(t, 9, data[0], "Data is the whole array")

	_, err := warp.Global(e, []*int{nil})
	require.ErrorAs(t, err, new(*lane.TypeError))
	_, err = warp.Global(e, make([][65]byte, 1))
	require.ErrorAs(t, err, new(*lane.TypeError))
	_, err = warp.Global(e, []string{})
	require.ErrorAs(t, err, new(*lane.TypeError))
}

func sharedFault(t *testing.T, c warp.Config, l warp.Launch, k warp.Kernel) *warp.Fault {
	t.Helper()
	_, err := engine(t, "h200", c).Run(context.Background(), l, k)
	require.ErrorIs(t, err, warp.SharedMemory)
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	return f
}

// Shared memory: what a block of the device has and no byte more, the same
// declarations in all warps.
func TestSharedLimits(t *testing.T) {
	const limit, static = 232448, 49152 // of an H200
	fine := func(l warp.Launch, k warp.Kernel) {
		t.Helper()
		_, err := engine(t, "h200", warp.Config{ValuesOnly: true}).Run(context.Background(), l, k)
		require.NoError(t, err)
	}
	fine(one(64), func(w *warp.Warp) {
		a, b := warp.Shared[byte](w, 1), warp.Shared[int64](w, (static-16)/8)
		assert.Equal(t, []int{1, (static - 16) / 8}, []int{a.Len(), b.Len()})
		assert.Zero(t, warp.Shared[int32](w, 0).Len())
	})
	f := sharedFault(t, warp.Config{}, one(32), func(w *warp.Warp) { warp.Shared[byte](w, limit+1) })
	assert.Contains(t, f.Detail, fmt.Sprint(limit))
	sharedFault(t, warp.Config{Faults: warp.Mimic}, one(32), func(w *warp.Warp) {
		warp.Shared[byte](w, 1)
		warp.Shared[int64](w, limit/8)
	})
	sharedFault(t, warp.Config{}, one(32), func(w *warp.Warp) { warp.Shared[int64](w, 1<<31-1) })
	sharedFault(t, warp.Config{}, one(32), func(w *warp.Warp) { warp.Shared[byte](w, -1) })
	sharedFault(t, warp.Config{}, one(32), func(w *warp.Warp) { warp.Shared[*int](w, 1) })

	// Dynamic memory comes on top.
	dynamic := one(64)
	dynamic.Shared = limit - 1024
	fine(dynamic, func(w *warp.Warp) {
		warp.Shared[byte](w, 1024)
		assert.Equal(t, (limit-1024)/8, warp.DynamicShared[int64](w).Len())
	})
	fine(dynamic, func(w *warp.Warp) {
		assert.Equal(t, limit-1024, warp.DynamicShared[byte](w).Len())
		warp.Shared[byte](w, 1024)
	})
	sharedFault(t, warp.Config{}, dynamic, func(w *warp.Warp) { warp.Shared[byte](w, 1025) })
}

func TestSharedDeclarationsMustAgree(t *testing.T) {
	for name, k := range map[string]warp.Kernel{
		"length": func(w *warp.Warp) { warp.Shared[int32](w, 10+w.ID()) },
		"type": func(w *warp.Warp) {
			if w.ID() == 0 {
				warp.Shared[int32](w, 8)
			} else {
				warp.Shared[float32](w, 8)
			}
		},
		"order": func(w *warp.Warp) {
			if w.ID() == 0 {
				warp.Shared[int32](w, 8)
				warp.Shared[int64](w, 8)
			} else {
				warp.Shared[int64](w, 8)
				warp.Shared[int32](w, 8)
			}
		},
	} {
		f := sharedFault(t, warp.Config{}, one(64), k)
		assert.Equal(t, 1, f.Warp, name)
		assert.Contains(t, f.Detail, "in another warp", name)
	}
}

// Warps see each other's shared memory, blocks do not, and every block starts
// with zeros.
func TestSharedBelongsToTheBlock(t *testing.T) {
	e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: 2})
	out := global(t, e, make([]int32, 7*64))
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(7), Threads: warp.X(64)}, func(w *warp.Warp) {
		s := warp.Shared[int32](w, 64)
		at, v := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Load(v, s, w.ThreadID())
		for l, x := range v.Lanes() {
			if x != 0 {
				t.Errorf("block %d lane %d finds %d", w.BlockIndex(), l, x)
			}
		}
		warp.AddImm(v, w.ThreadID(), int32(1000*w.BlockIndex()))
		warp.Store(s, w.ThreadID(), v)
		w.SyncBlock()
		warp.XorImm(at, w.ThreadID(), 32) // the other warp's
		warp.Load(v, s, at)
		warp.Store(out, w.GlobalID(), v)
	})
	require.NoError(t, err)
	for i, v := range out.Data() {
		require.EqualValues(t, i/64*1000+(i%64^32), v)
	}
}

// Shared memory of another block is refused before anything is read.
func TestSharedOfAnotherBlock(t *testing.T) {
	for _, access := range []func(w *warp.Warp, m warp.Mem[int32]){
		func(w *warp.Warp, m warp.Mem[int32]) { warp.Load(warp.Alloc[int32](w), m, w.LaneID()) },
		func(w *warp.Warp, m warp.Mem[int32]) { warp.Store(m, w.LaneID(), w.LaneID()) },
		func(w *warp.Warp, m warp.Mem[int32]) { warp.AtomicReduce(warp.AtomicAdd, m, w.LaneID(), w.LaneID()) },
	} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 2, Workers: 1})
		var first warp.Mem[int32]
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(32)}, func(w *warp.Warp) {
			m := warp.Shared[int32](w, 32)
			if w.BlockIndex() == 0 {
				first = m
				return
			}
			access(w, first)
		})
		require.ErrorIs(t, err, warp.SharedMemory)
		assert.NotPanics(t, func() {
			for _, v := range first.Data() {
				assert.Zero(t, v)
			}
		})
	}
}
