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

// The end of a copy to shared memory is that of the load that it is: DEPBAR waits for it,
// and only if it asks for all of them.
func TestCopiesTakeTime(t *testing.T) {
	// Each line has its control code: a scoreboard to take, and those to wait for.
	cycles := func(lines ...string) int64 {
		var b strings.Builder
		fmt.Fprintln(&b, "\tFunction : copies\n\t.headerflags\t@\"EF_CUDA_SM90\"")
		lines = append([]string{"7 0 MOV R20, UR4", "7 0 MOV R21, UR5"}, lines...)
		for range 200 { // what can be done meanwhile
			lines = append(lines, "7 0 NOP")
		}
		for i, line := range append(lines, "7 0 EXIT") {
			var write, wait uint64
			_, err := fmt.Sscan(line, &write, &wait)
			require.NoError(t, err)
			text := strings.SplitN(line, " ", 3)[2]
			fmt.Fprintf(&b, " /*%04x*/ %s ; /* 0x%016x */\n /* 0x%016x */\n", 16*i, text, 0, uint64(5)<<41|1<<45|write<<46|7<<49|wait<<52)
		}
		l, err := sass.Parse(strings.NewReader(strings.NewReplacer("UR4", "c[0x0][0x210]", "UR5", "c[0x0][0x214]").Replace(b.String())))
		require.NoError(t, err)
		e := engine(t, warp.Config{})
		r, err := sass.Run(context.Background(), e, programOf(t, l, "copies"), sass.Launch{Blocks: warp.X(1), Threads: warp.X(32), Shared: 4096,
			Args: []sass.Arg{sass.Buffer(global(t, e, make([]uint32, 64)))}})
		require.NoError(t, err)
		return int64(r.Cycles)
	}
	load := cycles("0 0 LDG.E R4, desc[UR8][R20.64]", "7 0 NOP", "7 1 NOP")
	plain := cycles("7 0 LDG.E R4, desc[UR8][R20.64]", "7 0 NOP", "7 0 NOP")
	require.Greater(t, load, plain+200, "a load from the second level takes longer than that")
	const copied = "7 0 LDGSTS.E.BYPASS.LTC128B [RZ+0x400], desc[UR8][R20.64]"
	assert.Equal(t, load, cycles(copied, "0 0 LDGDEPBAR", "7 0 DEPBAR.LE SB0, 0x0"))
	assert.Less(t, cycles(copied, "0 0 LDGDEPBAR", "7 0 DEPBAR.LE SB0, 0x1"), load-200, "one may be under way")
}
