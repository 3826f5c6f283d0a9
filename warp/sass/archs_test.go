package sass_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	bankZero   = regexp.MustCompile(`c\[0x0\]\[0x(2[0-9a-f]{2})\]`)
	secondWord = regexp.MustCompile(`(?m)^( */\* )0x([0-9a-f]{16})( \*/)$`)
)

// compiledFor rewrites a listing of compute capability 9.0 as one of another from 7.0 to
// 8.9: the words have the same form, and the arguments begin at 0x160 instead of 0x210.
func compiledFor(text string, arch int) string {
	text = strings.NewReplacer("sm_90", fmt.Sprintf("sm_%d", arch), "SM90", fmt.Sprintf("SM%d", arch)).Replace(text)
	return bankZero.ReplaceAllStringFunc(text, func(s string) string {
		at, _ := strconv.ParseInt(bankZero.FindStringSubmatch(s)[1], 16, 64)
		if at == 0x208 {
			return "c[0x0][0x118]" // a descriptor of global memory, before the arguments
		}
		return fmt.Sprintf("c[0x0][%#x]", at-0x210+0x160)
	})
}

// Listings with encoded words of compute capabilities before 9.0 are run and timed like
// those of 9.0: their control codes stand at the same place, and count.
func TestListingsBeforeHopper(t *testing.T) {
	const kernel = "timed<warp_reduce_xor_f32, 8>"
	original := text(t, "kernels_words.sass.gz")
	run := func(text string) (values []float32, cycles int64) {
		l, err := sass.Parse(strings.NewReader(text))
		require.NoError(t, err)
		p := programOf(t, l, kernel)
		e := engine(t, warp.Config{})
		values = make([]float32, 64)
		in := floats(4096, 37, 101, 0.01)
		launch := sass.Launch{Blocks: warp.X(1), Threads: warp.X(32), Args: []sass.Arg{
			sass.Buffer(global(t, e, make([]int64, 64))), sass.Buffer(global(t, e, make([]int64, 64))),
			sass.Buffer(global(t, e, values)), sass.Buffer(global(t, e, in))}}
		r, err := sass.Run(context.Background(), e, p, launch)
		require.NoError(t, err)
		return values, int64(r.Cycles)
	}
	want, cycles := run(original)
	for _, arch := range []int{70, 75, 80, 86, 89} {
		text := compiledFor(original, arch)
		values, got := run(text)
		assert.Equal(t, want, values, "sm_%d", arch)
		assert.Equal(t, cycles, got, "sm_%d", arch)

		slow := secondWord.ReplaceAllStringFunc(text, func(s string) string { // all stall for 15 cycles
			m := secondWord.FindStringSubmatch(s)
			v, err := strconv.ParseUint(m[2], 16, 64)
			require.NoError(t, err)
			return fmt.Sprintf("%s0x%016x%s", m[1], v|15<<41, m[3])
		})
		values, slower := run(slow)
		assert.Equal(t, want, values)
		assert.Greater(t, slower, cycles, "sm_%d: the stall counts do not count", arch)
	}

	l, err := sass.Parse(strings.NewReader(compiledFor(original, 61)))
	require.NoError(t, err)
	f, err := l.Find(kernel)
	require.NoError(t, err)
	_, err = f.Program()
	assert.ErrorContains(t, err, "only sm_70 and later")
}
