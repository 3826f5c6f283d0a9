package device

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOccupancySaysWhatLimitsAndByHowMuch(t *testing.T) {
	h, err := Lookup("h200")
	require.NoError(t, err)
	for _, c := range []struct {
		d       Demand
		blocks  int
		by      []Resource
		missing []int
		text    string
	}{
		{Demand{Threads: 256, Registers: 80}, 3, []Resource{Registers}, []int{16384},
			"3 blocks, 24 of 64 warps (38 %); limited by registers: 20,480 a block of 65,536, 16,384 short of one more"},
		{Demand{Threads: 1024}, 2, []Resource{Threads, Warps}, []int{1024, 32},
			"2 blocks, 64 of 64 warps (100 %); limited by threads: 1,024 a block of 2,048, 1,024 short of one more; warps: 32 a block of 64, 32 short of one more"},
		{Demand{Threads: 32}, 32, []Resource{Blocks}, []int{1},
			"32 blocks, 32 of 64 warps (50 %); limited by blocks: 1 a block of 32, 1 short of one more"},
		// 100,000 bytes are 782 units of 128, and 1,024 bytes are the system's.
		{Demand{Threads: 128, Shared: 100000}, 2, []Resource{SharedMemory}, []int{3*(782*128+1024) - 233472},
			"2 blocks, 8 of 64 warps (12 %); limited by shared memory: 101,120 a block of 233,472, 69,888 short of one more"},
		// Five warps on four sub-partitions: 16,384 registers each hold 16 warps of 1,024.
		{Demand{Threads: 160, Registers: 32}, 12, []Resource{Threads, Warps, Registers}, nil, ""},
	} {
		o, err := h.Occupancy(c.d)
		require.NoError(t, err)
		assert.Equal(t, c.blocks, o.Blocks, "%+v", c.d)
		assert.Equal(t, c.by, o.LimitedBy(), "%+v", c.d)
		for i, r := range c.by {
			if c.missing != nil {
				assert.Equal(t, c.missing[i], o.Missing(r), "%+v: %v", c.d, r)
			}
			assert.Positive(t, o.Missing(r), "%+v: %v", c.d, r)
		}
		if c.text != "" {
			assert.Equal(t, c.text, o.String())
		}
	}
	o, _ := h.Occupancy(Demand{Threads: 32})
	assert.Equal(t, math.MaxInt, o.Bounds[Registers].Blocks, "registers that nobody stated limit nothing")
	assert.Zero(t, o.Missing(Registers))
	assert.Equal(t, 0.5, o.Share())
}

func TestOccupancyNamesTheLimitThatABlockBreaks(t *testing.T) {
	h, err := Lookup("h200")
	require.NoError(t, err)
	for _, c := range []struct {
		d     Demand
		field string
		text  string
	}{
		{Demand{Threads: 1025}, "limits.threadsPerBlock", "a block takes 1,025 of threads, and h200 has 1,024 (limits.threadsPerBlock)"},
		{Demand{Threads: 1024, Registers: 200}, "limits.registersPerMultiprocessor", "a block takes 204,800 of registers, and h200 has 65,536 (limits.registersPerMultiprocessor)"},
		{Demand{Threads: 32, Registers: 256}, "limits.registersPerLane", ""},
		{Demand{Threads: 32, Shared: 232449}, "limits.sharedPerBlock", ""},
	} {
		_, err := h.Occupancy(c.d)
		var le *LimitError
		require.ErrorAs(t, err, &le, "%+v", c.d)
		assert.Equal(t, c.field, le.Field)
		if c.text != "" {
			assert.EqualError(t, err, c.text)
		}
	}
}

// A block of the largest number of registers that it can have finds room, and one
// more register does not.
func TestRegistersForIsTheMost(t *testing.T) {
	for _, name := range everyName() {
		p, err := Lookup(name)
		require.NoError(t, err)
		for threads := 1; threads <= p.Limits.ThreadsPerBlock; threads += 1 + threads/7 {
			n := p.RegistersFor(threads)
			_, err := p.Occupancy(Demand{Threads: threads, Registers: n})
			assert.NoError(t, err, "%s: %d threads", name, threads)
			_, err = p.Occupancy(Demand{Threads: threads, Registers: n + 1})
			assert.Error(t, err, "%s: %d threads", name, threads)
		}
	}
}
