package result

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/exact"
)

func TestWriteDevice(t *testing.T) {
	outcomes := []Outcome{
		{Device: "d", Algorithm: "tree", Result: "6.5", Error: exact.Deviation{ULPs: 1, Absolute: 0.25}, Instructions: 1200, Cycles: 1500, Microseconds: 1.5, BankConflicts: 3,
			Stalls: []Share{{"issue", 0.1}, {"barrier", 0.6}, {"dependency", 0.2}, {"port", 0.1}, {"pipe", 0.001}}},
		{Device: "d", Algorithm: "hybrid", Result: "6.25", Error: exact.Deviation{Best: true}, Instructions: 900, Cycles: 1000, Microseconds: 1, Note: "one warp sums the rest", Evidence: "9 numbers: 9 measured"},
		{Device: "d", Algorithm: "broken", Result: "1", Error: exact.Deviation{ULPs: 5, Absolute: 5, Wrong: true}, Cycles: 1},
		{Device: "d", Algorithm: "redux", Skipped: "f32 is no type it takes"},
		{Device: "d", Algorithm: "down", Failed: "barrier: 3 threads are missing"},
	}
	MarkWinners(outcomes)
	var b strings.Builder
	require.NoError(t, writeDevice(&b, outcomes))
	assert.Equal(t, strings.TrimPrefix(`
   algorithm  result           error  instr.  cycles    us  to best  conflicts  cycles went into
*  hybrid       6.25           exact     900   1,000  1.00    1.00x          0
   tree          6.5           1 ulp   1,200   1,500  1.50    1.50x          3  barrier 60%, dependency 20%
   broken          1  WRONG by 5 ulp       0       1                         0

down failed: barrier: 3 threads are missing
left out: redux: f32 is no type it takes
hybrid: one warp sums the rest
winner: hybrid, 1.50 times as fast as tree, the next
  its cycles rest on 9 numbers: 9 measured
`, "\n"), b.String())
}

func TestWriteSideBySide(t *testing.T) {
	outcomes := []Outcome{
		{Device: "a", Algorithm: "tree", Cycles: 2000, Microseconds: 1.25, Instructions: 10, Stalls: []Share{{"barrier", 0.5}, {"port", 0.4}}},
		{Device: "a", Algorithm: "redux", Cycles: 100, Instructions: 2},
		{Device: "b", Algorithm: "tree", Cycles: 3000, Instructions: 12, BankConflicts: 1234, Error: exact.Deviation{ULPs: 0.5, Absolute: 1}},
		{Device: "b", Algorithm: "redux", Skipped: "no such instruction"},
		{Device: "c", Algorithm: "tree", Failed: "stuck"},
		{Device: "c", Algorithm: "redux", Skipped: "no such instruction"},
	}
	MarkWinners(outcomes)
	var b strings.Builder
	require.NoError(t, writeSideBySide(&b, outcomes))
	assert.Equal(t, strings.TrimPrefix(`
cycles (* fewest on the device)      a       b       c
  tree                           2,000  *3,000  failed
  redux                           *100       -       -

time in us     a  b       c
  tree      1.25     failed
  redux           -       -

most cycles went into            a  b       c
  tree                 barrier 50%     failed
  redux                             -       -

instructions   a   b       c
  tree        10  12  failed
  redux        2   -       -

bank conflicts  a      b       c
  tree          0  1,234  failed
  the others: 0

error       a        b       c
  tree  exact  0.5 ulp  failed
  the others: exact

tree on c failed: stuck
left out: redux on b, c: no such instruction
a: winner: redux, 20.00 times as fast as tree, the next
b: winner: tree (the only one to compare)
c: no winner: no algorithm gave a right result
`, "\n"), b.String())
}

func TestMarkWinners(t *testing.T) {
	overflow := exact.Deviation{ULPs: exact.Number(math.Inf(1))}
	for _, c := range []struct {
		name     string
		outcomes []Outcome
		want     int // -1: none
	}{
		{"fewest cycles", []Outcome{{Cycles: 3}, {Cycles: 2}, {Cycles: 4}}, 1},
		{"then instructions", []Outcome{{Cycles: 2, Instructions: 9}, {Cycles: 2, Instructions: 8}}, 1},
		{"then the first", []Outcome{{Cycles: 2}, {Cycles: 2}}, 0},
		{"not a wrong one", []Outcome{{Cycles: 1, Error: exact.Deviation{Wrong: true}}, {Cycles: 2}}, 1},
		{"not one that overflows", []Outcome{{Cycles: 1, Error: overflow}, {Cycles: 2}}, 1},
		{"not one left out", []Outcome{{Skipped: "x"}, {Failed: "y"}}, -1},
		{"a mark from before goes", []Outcome{{Skipped: "x", Winner: true}}, -1},
	} {
		MarkWinners(c.outcomes)
		for i, o := range c.outcomes {
			assert.Equal(t, i == c.want, o.Winner, "%s %d", c.name, i)
		}
	}
}

func TestWinnerByInstructions(t *testing.T) {
	outcomes := []Outcome{{Algorithm: "a", Cycles: 5, Instructions: 7}, {Algorithm: "b", Cycles: 5, Instructions: 8}}
	MarkWinners(outcomes)
	assert.Equal(t, "winner: a, as many cycles as b, 7 against 8 instructions", winnerText(outcomes, ""))
	outcomes[1].Instructions = 7
	assert.Equal(t, "winner: a, level with b", winnerText(outcomes, ""))
}

func TestSideBySideLeavesOutWhatIsUsual(t *testing.T) {
	outcomes := []Outcome{{Device: "a", Algorithm: "x", Cycles: 2}, {Device: "b", Algorithm: "x", Cycles: 3}}
	var b strings.Builder
	require.NoError(t, writeSideBySide(&b, outcomes))
	assert.Contains(t, b.String(), "\nbank conflicts: 0 everywhere\n\nerror: exact everywhere\n")
}

func TestRemarksAreSaidOnce(t *testing.T) {
	var outcomes []Outcome
	for _, device := range []string{"a", "b"} {
		for _, algorithm := range []string{"x", "y", "z"} {
			o := Outcome{Device: device, Algorithm: algorithm, Skipped: "too old"}
			if algorithm == "z" && device == "b" {
				o.Skipped = ""
			}
			outcomes = append(outcomes, o)
		}
	}
	var b strings.Builder
	MarkWinners(outcomes)
	require.NoError(t, writeRemarks(&b, outcomes))
	assert.Equal(t, strings.TrimPrefix(`
left out: x, y on all devices: too old
left out: z on a: too old
a: no winner: no algorithm gave a right result
b: winner: z (the only one to compare)
`, "\n"), b.String())
}

func TestWrap(t *testing.T) {
	assert.Equal(t, "\n", wrap("", 10))
	assert.Equal(t, "one two\n", wrap("one two", 7))
	assert.Equal(t, "one two\n  three\n", wrap("one two three", 7))
	assert.Equal(t, "unbreakable\n", wrap("unbreakable", 5))
	assert.Equal(t, "äöü äöü\n", wrap("äöü äöü", 7))
}
