package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// at shows a stop on a device.
func at(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	require.Equal(t, exitDone, run(args, &out, &errs), errs.String())
	return strings.Join(strings.Fields(out.String()), " ")
}

// What the stops show is arithmetic, on every width.
func TestStops(t *testing.T) {
	for stop, facts := range map[string]map[string][]string{
		"down": {
			"h200":      {"offset 16 16 18 20 22 46 62", "lane 0 has the sum of all: 496."},
			"mi300x":    {"offset 32 32 34 36", "sum of all: 2016."},
			"mtt-s4000": {"offset 64 64 66 68", "sum of all: 8128."},
		},
		"partial": {
			"h200":      {"from lanes 0..31 1..31 2..31 3..31 30..31 31..31", "so many 32 31 30 29 2 1"},
			"mtt-s4000": {"from lanes 0..127 1..127", "so many 128 127"},
		},
		"sums": {
			"h200":   {"shuffles 496 in", "redux 496 in", "group 496 in"},
			"mi300x": {"shuffles 2016 in"},
		},
		"widths":  {"h200": {"32 lanes: 496, without a mask 496", "64 lanes: 2016, without a mask 2016", "128 lanes: 8128, without a mask 8128"}},
		"mailbox": {"h200": {"mailbox:", "sts 1 times", "lds 1 times", "shuffle: 1 instructions"}},
		"halves": {
			"h200":      {"sums of 16 120 376"},
			"mtt-s4000": {"sums of 16 120 376 632 888 1144 1400 1656 1912"},
		},
		"block":     {"h200": {"256 threads: 32640,"}, "mi300x": {"32640"}, "mtt-s4000": {"32640"}},
		"butterfly": {"h200": {"WHT 48 -16 -32 0 0 0 0 0 ... 0 0 0 0", "a line at 3, of height 32.0"}, "mi300x": {"WHT 96 -32 -64 0", "a line at 3, of height 64.0"}},
		"scan":      {"h200": {"scan 1 3 6 10 15 21 28 36 ... 435 465 496 528"}, "mtt-s4000": {"... 7875 8001 8128 8256"}},
		"index":     {"h200": {"broadcast 6 6 6", "look-up 9 100 289 576 961", "sorted 0 1 2 3 4 5 6 7 ... 28 29 30 31"}, "mtt-s4000": {"... 124 125 126 127"}},
		"votes":     {"h200": {"branch: true; 4 turns", "compacted 0 3 6 9 12 15 18 21 24 27 30", "64 tasks are done: 64"}, "mi300x": {"128 tasks are done: 128"}},
		"musa": {"h200": {
			"mtt-s5000, 32 lanes, as on the page: the sum of 256 ones is 256; the checks find: nothing",
			"mtt-s4000, 128 lanes, as on the page: the sum of 256 ones is 64;",
			"mtt-s4000, 128 lanes, from half a warp on: the sum of 256 ones is 256; the checks find: nothing",
		}},
	} {
		for device, texts := range facts {
			got := at(t, "-stop", stop, "-device", device)
			for _, text := range texts {
				assert.Contains(t, got, text, "%s on %s", stop, device)
			}
			// One line at 3, and no other.
			assert.LessOrEqual(t, strings.Count(got, "a line at"), 1)
		}
	}
}

// Each step of the sum is that of an array of the lanes' values, where a lane whose source
// is beyond the warp adds its own.
func TestDownStepByStep(t *testing.T) {
	for device, n := range map[string]int{"h200": 32, "mi300x": 64, "mtt-s4000": 128} {
		got := at(t, "-stop", "down", "-device", device)
		v := make([]int, n)
		for l := range v {
			v[l] = l
		}
		for offset := n / 2; offset > 0; offset /= 2 {
			next := make([]int, n)
			for l := range v {
				next[l] = v[l] + v[l]
				if l+offset < n {
					next[l] = v[l] + v[l+offset]
				}
			}
			v = next
			assert.Contains(t, got, fmt.Sprintf("offset %d %d %d %d %d %d %d", offset, v[0], v[1], v[2], v[3], v[(n-1)/2], v[n-1]))
		}
	}
}

func TestAllStopsEndWell(t *testing.T) {
	for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
		got := at(t, "-device", device)
		for _, s := range stops {
			assert.Contains(t, got, s.name+": "+s.about)
		}
	}
	assert.Contains(t, at(t, "-stop", "list"), "butterfly")
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-stop", "nowhere"}, {"-device", "none"}, {"down"}, {"-what"}} {
		var out, errs strings.Builder
		assert.Equal(t, exitUsage, run(args, &out, &errs), args)
		assert.NotEmpty(t, errs.String(), args)
	}
}
