package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	tab := table{right: []bool{false, true}}
	tab.add("name", "n", "x")
	tab.add("é", "1,000")
	tab.add("", "7", "right")
	var b strings.Builder
	require.NoError(t, tab.write(&b))
	assert.Equal(t, "name      n  x\né     1,000\n          7  right\n", b.String())
}

func TestWriteDevice(t *testing.T) {
	outcomes := []outcome{
		{Device: "d", Algorithm: "tree", Result: "6.5", Error: deviation{ULPs: 1, Absolute: 0.25}, Instructions: 1200, Cycles: 1500, BankConflicts: 3,
			Stalls: []share{{"issue", 0.1}, {"barrier", 0.6}, {"dependency", 0.2}, {"port", 0.1}, {"pipe", 0.001}}},
		{Device: "d", Algorithm: "hybrid", Result: "6.25", Error: deviation{Best: true}, Instructions: 900, Cycles: 1000, Note: "one warp sums the rest"},
		{Device: "d", Algorithm: "broken", Result: "1", Error: deviation{ULPs: 5, Absolute: 5, Wrong: true}, Cycles: 1},
		{Device: "d", Algorithm: "redux", Skipped: "f32 is no type it takes"},
		{Device: "d", Algorithm: "down", Failed: "barrier: 3 threads are missing"},
	}
	markWinners(outcomes)
	var b strings.Builder
	require.NoError(t, writeDevice(&b, outcomes))
	assert.Equal(t, strings.TrimPrefix(`
   algorithm  result  error                    instructions  cycles  conflicts  cycles went into
   tree          6.5  1 ulp, 2.5e-01                  1,200   1,500          3  barrier 60%, dependency 20%, issue 10%
*  hybrid       6.25  exact                             900   1,000          0
   broken          1  WRONG by 5 ulp, 5.0e+00             0       1          0

hybrid: one warp sums the rest
redux left out: f32 is no type it takes
down failed: barrier: 3 threads are missing
winner: hybrid, 1.50 times as fast as tree, the next
`, "\n"), b.String())
}

func TestWriteSideBySide(t *testing.T) {
	outcomes := []outcome{
		{Device: "a", Algorithm: "tree", Cycles: 2000, Instructions: 10, Stalls: []share{{"barrier", 0.5}, {"port", 0.4}}},
		{Device: "a", Algorithm: "redux", Cycles: 100, Instructions: 2},
		{Device: "b", Algorithm: "tree", Cycles: 3000, Instructions: 12, BankConflicts: 1234, Error: deviation{ULPs: 0.5, Absolute: 1}},
		{Device: "b", Algorithm: "redux", Skipped: "no such instruction"},
		{Device: "c", Algorithm: "tree", Failed: "stuck"},
		{Device: "c", Algorithm: "redux", Skipped: "no such instruction"},
	}
	markWinners(outcomes)
	var b strings.Builder
	require.NoError(t, writeSideBySide(&b, outcomes))
	assert.Equal(t, strings.TrimPrefix(`
cycles (* fewest on the device)      a       b       c
  tree                           2,000  *3,000  failed
  redux                           *100       -       -

instructions   a   b       c
  tree        10  12  failed
  redux        2   -       -

bank conflicts  a      b       c
  tree          0  1,234  failed
  redux         0      -       -

most cycles went into            a  b       c
  tree                 barrier 50%     failed
  redux                             -       -

error        a        b       c
  tree   exact  0.5 ulp  failed
  redux  exact        -       -

tree on c failed: stuck
redux left out on b, c: no such instruction
a: winner: redux, 20.00 times as fast as tree, the next
b: winner: tree (the only one to compare)
c: no winner: no algorithm gave a right result
`, "\n"), b.String())
}

func TestMarkWinners(t *testing.T) {
	overflow := deviation{ULPs: number(math.Inf(1))}
	for _, c := range []struct {
		name     string
		outcomes []outcome
		want     int // -1: none
	}{
		{"fewest cycles", []outcome{{Cycles: 3}, {Cycles: 2}, {Cycles: 4}}, 1},
		{"then instructions", []outcome{{Cycles: 2, Instructions: 9}, {Cycles: 2, Instructions: 8}}, 1},
		{"then the first", []outcome{{Cycles: 2}, {Cycles: 2}}, 0},
		{"not a wrong one", []outcome{{Cycles: 1, Error: deviation{Wrong: true}}, {Cycles: 2}}, 1},
		{"not one that overflows", []outcome{{Cycles: 1, Error: overflow}, {Cycles: 2}}, 1},
		{"not one left out", []outcome{{Skipped: "x"}, {Failed: "y"}}, -1},
		{"a mark from before goes", []outcome{{Skipped: "x", Winner: true}}, -1},
	} {
		markWinners(c.outcomes)
		for i, o := range c.outcomes {
			assert.Equal(t, i == c.want, o.Winner, "%s %d", c.name, i)
		}
	}
}

func TestWinnerByInstructions(t *testing.T) {
	outcomes := []outcome{{Algorithm: "a", Cycles: 5, Instructions: 7}, {Algorithm: "b", Cycles: 5, Instructions: 8}}
	markWinners(outcomes)
	assert.Equal(t, "winner: a, as many cycles as b, 7 against 8 instructions", winnerText(outcomes, ""))
}
