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

// What the programs of the recorded grids and of the second set of kernels are compiled
// to for other architectures, as cuobjdump -sass prints it.
var otherListings = map[string]int{ // instructions
	"grids.sm_75": 3512, "grids.sm_80": 3536, "grids.sm_86": 3456, "grids.sm_100": 4040, "grids.sm_120": 3968,
	"kernels2.sm_75": 4608, "kernels2.sm_80": 4792, "kernels2.sm_100": 6520, "kernels2.sm_120": 6792,
	"zoo.sm_75": 2528, "zoo.sm_90": 2584, "zoo.sm_120": 2736,
}

// How many instructions of a file are not known by their words: packed halves, compare and
// swap of 64 bits, and a few more.
var unknownWords = map[string]int{"archs/zoo.sm_75.sass.gz": 21, "archs/zoo.sm_90.sass.gz": 16, "archs/zoo.sm_120.sass.gz": 25}

// And as nvdisasm prints some of it: with the encoded words, or with lines of the source.
var otherDisassembly = map[string]int{
	"grids.sm_75.hex": 3512, "grids.sm_80": 3536, "grids.sm_90": 3776, "grids.sm_120": 3968,
}

// What is printed of a decoded instruction of another architecture is what the
// disassembler printed, its words are that instruction, and the compiler's schedules
// have no unprotected dependence.
func TestOtherArchitectures(t *testing.T) {
	check := func(file string, want int, labels bool) {
		lines := strings.Split(text(t, file), "\n")
		l := listing(t, file)
		n, unknown := 0, 0
		for _, f := range l.Functions {
			for i := range f.Code {
				in := &f.Code[i]
				_, printed, _ := strings.Cut(lines[in.Line-1], "*/")
				printed, _, _ = strings.Cut(printed, ";")
				require.Equal(t, strings.TrimSpace(printed), in.String(), "%s line %d", file, in.Line)
				n++
				if !in.HasWords || labels && strings.Contains(printed, "`(") {
					continue
				}
				got, err := sass.Decode(f.Arch, in.Address, in.Words)
				if err != nil && unknownWords[file] > 0 {
					unknown++
					continue
				}
				require.NoError(t, err, "%s line %d: %s", file, in.Line, in)
				require.Equal(t, in.String(), got.String(), "%s line %d: %016x %016x", file, in.Line, in.Words[0], in.Words[1])
			}
			_, err := f.Program()
			require.NoError(t, err)
			if !f.Code[0].HasWords {
				continue
			}
			hazards, err := f.CheckSchedule()
			require.NoError(t, err)
			for i := range hazards {
				t.Errorf("%s: %s", file, hazards[i].Error())
			}
		}
		assert.Equal(t, want, n, file)
		assert.LessOrEqual(t, unknown, unknownWords[file], file)
	}
	for name, n := range otherListings {
		check("archs/"+name+".sass.gz", n, false)
	}
	for name, n := range otherDisassembly {
		check("archs/"+name+".nvdisasm.gz", n, true)
	}
	l := listing(t, "archs/grids.sm_80.nvdisasm.gz")
	f, err := l.Find("saxpy_f32")
	require.NoError(t, err)
	assert.Equal(t, []any{80, "grids.cu"}, []any{f.Arch, f.Code[0].Source.File})
	assert.Positive(t, f.Code[0].Source.Line)
	assert.Positive(t, f.Registers)
}

// The 21 grids compiled for other architectures leave what plain Go computes.
func TestGridValuesOfOtherArchitectures(t *testing.T) {
	files := []string{"archs/grids.sm_90.nvdisasm.gz", "archs/grids.sm_75.hex.nvdisasm.gz"}
	for name := range otherListings {
		if strings.HasPrefix(name, "grids") {
			files = append(files, "archs/"+name+".sass.gz")
		}
	}
	for _, file := range files {
		l := listing(t, file)
		kernels := map[string]bool{}
		for _, g := range valueGrids() {
			name, _ := g.split()
			if kernels[name] || g.threads != 256 || g.n > 1<<16 && g.n != 2048*256 {
				continue
			}
			kernels[name] = true
			e := engine(t, warp.Config{ValuesOnly: true})
			launch := g.launch(t, e)
			if name == "spmv_row_warp_f32" { // a literal of the compiler's, 256 bytes, which no listing has
				launch.Constants = map[int][]byte{2: {1: 1, 7: 0}}
			}
			before := append([]float32(nil), g.y...)
			_, err := sass.Run(context.Background(), e, programOf(t, l, name), launch)
			require.NoError(t, err, "%s of %s", name, file)
			g.checkValues(t, before)
		}
		assert.Len(t, kernels, 21, file)
	}
}

var secondWord = regexp.MustCompile(`(?m)^( */\* )0x([0-9a-f]{16})( \*/)$`)

// Control codes stand at the same place in the words of all architectures, and count: a
// schedule that waits for longer takes longer.
func TestControlCodesOfOtherArchitectures(t *testing.T) {
	g := &grid{kernel: "reduce_hybrid_f32", n: 1 << 14, blocks: 64, threads: 256}
	run := func(text string) int64 {
		l, err := sass.Parse(strings.NewReader(text))
		require.NoError(t, err)
		e := engine(t, warp.Config{})
		launch := g.launch(t, e)
		r, err := sass.Run(context.Background(), e, programOf(t, l, g.kernel), launch)
		require.NoError(t, err)
		g.checkValues(t, nil)
		return int64(r.Cycles)
	}
	for _, arch := range []int{75, 80, 86, 100, 120} {
		raw := text(t, fmt.Sprintf("archs/grids.sm_%d.sass.gz", arch))
		cycles := run(raw)
		slow := secondWord.ReplaceAllStringFunc(raw, func(s string) string { // all stall for 15 cycles
			m := secondWord.FindStringSubmatch(s)
			v, err := strconv.ParseUint(m[2], 16, 64)
			require.NoError(t, err)
			return fmt.Sprintf("%s0x%016x%s", m[1], v|15<<41, m[3])
		})
		require.NotEqual(t, raw, slow)
		assert.Greater(t, run(slow), cycles, "sm_%d: the stall counts do not count", arch)
	}
}

// What is older, or reads what nothing is known of, is refused.
func TestRefusedArchitectures(t *testing.T) {
	program := func(text string) error {
		l, err := sass.Parse(strings.NewReader(text))
		require.NoError(t, err)
		_, err = l.Functions[0].Program()
		return err
	}
	assert.ErrorContains(t, program("code for sm_61\n Function : f\n/*0000*/ EXIT ;"), "only sm_70 and later")
	assert.NoError(t, program("code for sm_100\n Function : f\n/*0000*/ LDC R1, c[0x0][0x360] ;\n/*0010*/ EXIT ;"))
	assert.ErrorContains(t, program("code for sm_100\n Function : f\n/*0000*/ LDC R1, c[0x0][0x0] ;\n/*0010*/ EXIT ;"),
		"what constant bank 0 has at 0x0 is not known of sm_100")
	_, err := sass.Decode(61, 0, [2]uint64{0x0000000000007918, 0x000fc00000000000})
	assert.ErrorContains(t, err, "encodings of sm_61 are not known")
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
