package space_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/warp/space"

	"github.com/stretchr/testify/require"
)

// Memory holds what was stored last, byte by byte, across pages, and is 0 elsewhere.
func TestSparse(t *testing.T) {
	var s space.Sparse
	want := map[uint64]byte{}
	r := rand.New(rand.NewPCG(1, 1))
	bases := []uint64{0, 1<<12 - 8, 1 << 40, math.MaxUint64 - 5000}
	for range 2000 {
		at := bases[r.IntN(len(bases))] + uint64(r.IntN(4900))
		data := make([]byte, 1+r.IntN(40))
		if r.IntN(2) == 0 {
			for i := range data {
				data[i] = byte(r.IntN(256))
				want[at+uint64(i)] = data[i]
			}
			require.True(t, s.Store(at, data))
			continue
		}
		require.True(t, s.Load(at, data))
		for i, b := range data {
			require.Equal(t, want[at+uint64(i)], b)
		}
	}
	require.LessOrEqual(t, s.Bytes(), 10<<12)
	require.Positive(t, s.Bytes())
}

// counter counts the stores to it, and reads as that.
type counter int

func (c *counter) Load(at uint64, data []byte) bool {
	if at >= 32 {
		return false
	}
	data[0] = byte(*c)
	return true
}

func (c *counter) Store(uint64, []byte) bool { *c++; return true }

func TestDevices(t *testing.T) {
	var s space.Sparse
	var c counter
	require.NoError(t, s.Map(0x1000, 64, &c))
	require.NoError(t, s.Map(0x1040, 16, new(counter)))
	require.NoError(t, s.Map(math.MaxUint64-15, 16, new(counter)))
	for _, bad := range []struct {
		at, bytes uint64
		device    space.Space
	}{{0, 16, nil}, {0, 0, &c}, {8, 16, &c}, {0, 8, &c}, {math.MaxUint64 - 15, 32, &c}, {0x1030, 16, &c}, {0, 0x1010, &c}, {0, math.MaxUint64 &^ 15, &c}} {
		var e *space.MapError
		require.ErrorAs(t, s.Map(bad.at, bad.bytes, bad.device), &e)
	}
	data := []byte{7}
	require.True(t, s.Store(0x103f, data))
	require.True(t, s.Store(0xfff, data))
	require.True(t, s.Load(0x1000, data))
	require.Equal(t, byte(1), data[0])
	require.False(t, s.Load(0x1020, data), "the device has nothing there")
	require.True(t, s.Load(0xfff, data))
	require.Equal(t, byte(7), data[0])
	require.Equal(t, 1<<12, s.Bytes())
}

func ExampleSparse() {
	var s space.Sparse
	s.Store(1<<40, []byte("far away"))
	data := make([]byte, 9)
	s.Load(1<<40, data)
	fmt.Printf("%q, in %d bytes\n", data, s.Bytes())
	// Output: "far away\x00", in 4096 bytes
}
