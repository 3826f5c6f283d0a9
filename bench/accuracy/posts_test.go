package main

import (
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/bench/internal/memprobe"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Behind as many reductions as queue.csv has, a multiprocessor takes as many stores as on
// the chip before the next one waits.
func TestStoresBehindReductions(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the device")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	x, err := newProber(p)
	require.NoError(t, err)
	rows, err := readCSV("queue.csv", 7)
	require.NoError(t, err)
	tried := 0
	for _, r := range rows {
		number := func(i int) int {
			n, err := strconv.Atoi(r[i])
			require.NoError(t, err)
			return n
		}
		float := r[0] == "f32"
		pattern, lanes, turns := number(3), number(4), number(5)
		if number(1) != p.Limits.Multiprocessors || lanes != 32 || turns != 1 || pattern != map[bool]int{false: 0, true: 1}[float] {
			continue
		}
		var times []int // from the begin
		for s := range strings.FieldsSeq(r[6]) {
			n, err := strconv.Atoi(s)
			require.NoError(t, err)
			times = append(times, n)
		}
		// The first time is the end of the reductions, the second is behind the barrier
		// and two stores.
		const wait = 200
		chip, model := len(times), len(times)
		for i := len(times) - 1; i > 1; i-- {
			if times[i]-times[i-1] > wait {
				chip = i
			}
		}
		require.NoError(t, x.play(memprobe.Posts(number(1), number(2), float, len(times), buffer), memory.Warm, buffer, buffer+4096))
		var gaps []float64
		for k := range len(times) - 2 {
			var all []float64
			for _, v := range x.readings {
				all = append(all, float64(v[3+k]-v[2+k]))
			}
			gaps = append(gaps, middle(all))
		}
		for k := len(gaps) - 1; k >= 0; k-- {
			if gaps[k] > wait {
				model = k + 2
			}
		}
		tried++
		t.Log(r[0], number(2), chip, model, gaps)
		assert.InDelta(t, chip, model, 1, "%s, %d reductions", r[0], number(2))
	}
	require.Equal(t, 20, tried)
}
