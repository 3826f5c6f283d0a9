package main

import (
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// firstLevelCycles is the rule that DEVIATIONS.md states for a load of 32 lanes that
// finds its lines in the first level.
func firstLevelCycles(addrs []int, bytes int) int {
	const one, other = 0b1010111011010, 0b11101010110101
	lines, words := map[int]bool{}, map[int]bool{}
	for _, a := range addrs {
		lines[a/128] = true
		for k := range bytes / 4 {
			words[a/4+k] = true
		}
	}
	var tags [4]int
	for l := range lines {
		tags[bits.OnesCount(uint(l)&one)%2+bits.OnesCount(uint(l)&other)%2*2]++
	}
	var banks [32]int
	most := 0
	for w := range words {
		banks[w%32]++
		most = max(most, banks[w%32])
	}
	// The units of four sub-partitions hand on a load every two cycles, and 16
	// bytes of 32 lanes take four.
	return max(most, tags[0], tags[1], tags[2], tags[3], 2, bytes/4)
}

func TestFirstLevelRule(t *testing.T) {
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return v
	}
	rows, err := readCSV("strides.csv", 5)
	require.NoError(t, err)
	require.Len(t, rows, 108)
	for _, r := range rows {
		bytes := int(number(strings.Fields(r[0])[0]))
		row, far, near := int(number(r[1])), int(number(r[2])), int(number(r[3]))
		var addrs []int
		for l := range 32 {
			addrs = append(addrs, (l/row*far+l%row*near)*bytes)
		}
		// Loads of 4 bytes without conflict came every 1.77 cycles.
		assert.InDelta(t, firstLevelCycles(addrs, bytes), number(r[4]), 0.36, "%v", r)
	}
	rows, err = readCSV("tagbanks.csv", 2)
	require.NoError(t, err)
	require.Len(t, rows, 2002)
	for _, r := range rows {
		at := strings.Fields(r[0])
		var addrs []int
		for l := range 32 {
			line := 0
			for i, b := range at {
				line |= l >> i & 1 << int(number(b))
			}
			addrs = append(addrs, 128*line+4*l)
		}
		assert.InDelta(t, firstLevelCycles(addrs, 4), number(r[1]), 0.3, "%v", r)
	}
}
