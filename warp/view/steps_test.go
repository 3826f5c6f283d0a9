package view_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/view"
)

var update = flag.Bool("update", false, "write golden files anew")

// golden holds a text against a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

func stepsOf(t *testing.T, r *view.Recording, all bool) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteSteps(&b, all))
	return b.String()
}

// The table of steps of a reduction by shuffles is the one that the documents show.
func TestStepsOfShuffleDown(t *testing.T) {
	r := record(t, "h200", block(32), view.Options{}, func(*warp.Engine) warp.Kernel { return sumDown })
	got := stepsOf(t, r, false)
	golden(t, "shuffle-down-32.txt", got)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(readme), "\r\n", "\n"), strings.TrimSpace(got), "the README shows the table")
}

// The README of the project shows whose values some lanes hold after each addition.
func TestTableOfTheReadme(t *testing.T) {
	r := record(t, "h200", block(32), view.Options{}, func(*warp.Engine) warp.Kernel { return sumDown })
	lanes := []int{0, 1, 2, 15, 16, 30, 31}
	want := "| offset |"
	for _, l := range lanes {
		want += fmt.Sprintf(" lane %d |", l)
	}
	want += "\n|--:|" + strings.Repeat("---|", len(lanes)) + "\n"
	for step, held := range setsOf(t, stepsOf(t, r, true), "iadd") {
		want += fmt.Sprintf("| %d |", 16>>step)
		for _, l := range lanes {
			from := strings.Trim(strings.ReplaceAll(fmt.Sprint(held[l]), " ", ", "), "[]")
			if n := len(held[l]); n > 4 {
				from = fmt.Sprintf("%d, %d, … %d", held[l][0], held[l][1], held[l][n-1])
			}
			want += " " + from + " |"
		}
		want += "\n"
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(readme), "\r\n", "\n"), want)
}

// setsOf reads the sets of a table with all lanes: by instruction and lane.
func setsOf(t *testing.T, text, op string) [][][]int {
	t.Helper()
	var all [][][]int
	lane := regexp.MustCompile(`^ +lane +(\d+): (.*) = `)
	on := false
	for line := range strings.Lines(text) {
		switch m := lane.FindStringSubmatch(line); {
		case m != nil && on:
			n, _ := strconv.Atoi(m[1])
			sets := &all[len(all)-1]
			for len(*sets) <= n {
				*sets = append(*sets, nil)
			}
			(*sets)[n] = numbers(t, m[2])
		case m == nil && strings.Contains(line, " "+op+" "):
			on = true
			all = append(all, nil)
		case m == nil:
			on = false
		}
	}
	return all
}

// numbers reads a set such as "1, 4..6, 8..20 by 4".
func numbers(t *testing.T, s string) []int {
	var all []int
	for part := range strings.SplitSeq(s, ", ") {
		var a, b, by int
		if n, _ := fmt.Sscanf(part, "%d..%d by %d", &a, &b, &by); n < 3 {
			by = 1
			if n < 2 {
				require.Equal(t, 1, n, part)
				b = a
			}
		}
		for ; a <= b; a += by {
			all = append(all, a)
		}
	}
	return all
}

// Sums by shuffles hold, after each offset, what the textbook says: lane 0 has 0 and 16,
// then 0, 8, 16 and 24, and in the end each lane has itself and all above.
func TestSourcesOfShuffleDown(t *testing.T) {
	for dev, lanes := range map[string]int{"h200": 32, "mi300x": 64, "mtt-s4000": 128} {
		r := record(t, dev, block(lanes), view.Options{}, func(*warp.Engine) warp.Kernel { return sumDown })
		got := setsOf(t, stepsOf(t, r, true), "iadd")
		var want [][][]int
		have := make([][]int, lanes)
		for l := range have {
			have[l] = []int{l}
		}
		for offset := lanes / 2; offset > 0; offset /= 2 {
			next := make([][]int, lanes)
			for l := range next {
				next[l] = slices.Clone(have[l])
				if l+offset < lanes {
					next[l] = append(next[l], have[l+offset]...)
				}
				slices.Sort(next[l])
				next[l] = slices.Compact(next[l])
			}
			have = next
			want = append(want, have)
		}
		assert.Equal(t, want, got, dev)
		if dev == "h200" {
			assert.Equal(t, []int{15, 31}, got[0][15])
			assert.Equal(t, []int{7, 15, 23, 31}, got[1][7])
			assert.Equal(t, []int{3, 7, 11, 15, 19, 23, 27, 31}, got[2][3])
			assert.Equal(t, []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}, got[3][1])
			assert.Equal(t, []int{30, 31}, got[4][30])
		}
	}
}

// Values are followed through shared memory and barriers, in reductions and scans of
// blocks: the result of a sum came from all threads, that of a scan from those up to its
// own.
func TestSourcesThroughSharedMemory(t *testing.T) {
	last := func(dev string, body func(w *warp.Warp, v warp.Reg[float32])) string {
		r := record(t, dev, block(256), view.Options{}, func(e *warp.Engine) warp.Kernel {
			in, err := warp.Global(e, make([]float32, 256))
			require.NoError(t, err)
			return func(w *warp.Warp) {
				v := warp.Alloc[float32](w)
				warp.Load(v, in, w.ThreadID())
				body(w, v)
				warp.Mov(v, v) // the last step of each warp
			}
		})
		return stepsOf(t, r, true)
	}
	for _, dev := range []string{"h200", "mi300x", "mtt-s4000"} {
		sums := last(dev, func(w *warp.Warp, v warp.Reg[float32]) {
			reduce.BlockHybrid(v, reduce.Sum[float32](), reduce.Tile{Everywhere: true}, reduce.NewHybridStorage[float32](w))
		})
		for warpText := range strings.SplitSeq(strings.TrimSpace(sums), "\n\n") {
			assert.Contains(t, warpText[strings.LastIndex(warpText, " lds "):], "lane   0: 0..255 = 0", dev)
		}
		scans := last(dev, func(w *warp.Warp, v warp.Reg[float32]) {
			scan.BlockRaking(v, reduce.Sum[float32](), scan.Spec[float32]{}, scan.NewRakingStorage[float32](w))
		})
		warps := strings.Split(strings.TrimSpace(scans), "\n\n")
		final := warps[len(warps)-1]
		final = final[strings.LastIndex(final, " lds "):]
		assert.Regexp(t, fmt.Sprintf(`lane +%d: 0\.\.255 = 0`, 256/len(warps)-1), final, dev)
	}
}
