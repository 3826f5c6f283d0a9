package sass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The compiler's own schedules have no unprotected dependence.
func TestSchedulesOfTheCompiler(t *testing.T) {
	for _, name := range listings {
		for _, f := range listing(t, name).Functions {
			h, err := f.CheckSchedule()
			require.NoError(t, err)
			for i := range h {
				t.Error(h[i].Error())
			}
		}
	}
}

// Of the words of a listing, one is changed so that a dependence is not protected
// any more: the one stall count between a result and its reader is too short by a
// cycle, or a scoreboard is not waited for. Each of 300 such changes is found, of 60 in short runs.
func TestShortenedSchedules(t *testing.T) {
	raw := text(t, "grids.sass.gz")
	l := listing(t, "grids.sass.gz")
	lines := strings.Split(raw, "\n")
	r := rand.New(rand.NewPCG(1, 2))
	found, missed := 0, 0
	changes := 300
	if testing.Short() {
		changes = 60
	}
	for found+missed < changes {
		f := l.Functions[r.IntN(len(l.Functions))]
		i := r.IntN(len(f.Code) - 1)
		in, next := &f.Code[i], &f.Code[i+1]
		high := in.Words[1]
		what, line := "", in.Line
		switch {
		case adjacent(in, next):
			// An addition, or the like, whose result the next line takes: the
			// compiler leaves the least distance there.
			c := in.Control
			if c.Stall > 5 || c.Stall < 3 {
				continue
			}
			high = high&^(15<<41) | uint64(c.Stall-2)<<41
			what = fmt.Sprintf("stall of %s", in)
		case in.Control.Wait != 0 && used(f, i):
			high &^= 63 << 52
			what = fmt.Sprintf("wait of %s", in)
		default:
			continue
		}
		changed := append([]string(nil), lines...)
		changed[line] = fmt.Sprintf("/* 0x%016x */", high)
		got, err := sass.Parse(strings.NewReader(strings.Join(changed, "\n")))
		require.NoError(t, err)
		g, err := got.Find(f.Name)
		require.NoError(t, err)
		h, err := g.CheckSchedule()
		require.NoError(t, err)
		if len(h) == 0 {
			missed++
			t.Errorf("line %d: %s", line, what)
			continue
		}
		found++
		assert.NotZero(t, h[0].FromLine)
		assert.NotEmpty(t, h[0].Error())
	}
	assert.Equal(t, changes, found)
}

// adjacent reports whether an addition's result is an operand of the addition behind.
func adjacent(a, b *sass.Instr) bool {
	simple := map[string]bool{"FADD": true, "FFMA": true, "FMUL": true, "IADD3": true, "LOP3": true, "SHF": true, "LEA": true, "FMNMX": true}
	if !simple[a.Op] || !simple[b.Op] || a.Guarded || len(a.Mods) > 1 || a.Operands[0].Kind != sass.Register || a.Operands[0].Number == sass.Zero {
		return false
	}
	for _, o := range b.Operands[1:] {
		if o.Kind == sass.Register && o.Number == a.Operands[0].Number {
			return true
		}
	}
	return false
}

// used reports whether a line reads the register that the nearest line before it
// with a scoreboard that it waits for loads, and that is the only one of it.
func used(f *sass.Function, i int) bool {
	in := &f.Code[i]
	for k := i - 1; k >= 0 && k > i-12; k-- {
		from := &f.Code[k]
		switch from.Op {
		case "BRA", "BSYNC", "WARPSYNC", "BSSY", "CALL":
			return false
		}
		if w := from.Control.WriteBarrier; w != sass.NoBarrier && in.Control.Wait>>w&1 != 0 {
			d := from.Operands[0]
			if from.Op == "SHFL" {
				d = from.Operands[1]
			}
			for n, o := range in.Operands {
				if n > 0 && d.Kind == sass.Register && o.Kind == sass.Register && o.Number == d.Number && d.Number != sass.Zero {
					return true
				}
			}
			return false
		}
		if from.Control.Wait&in.Control.Wait != 0 {
			return false
		}
	}
	return false
}
