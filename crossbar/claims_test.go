package crossbar

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// claims are what texts say of shuffles, held against what a chip returned.
var claims = []struct {
	op         string
	width, arg int
	lane       int   // that shows it
	said       int32 // what it would read as the text has it
}{
	{"idx", 16, 20, 3, 3},   // "outside: the own value"
	{"xor", 16, 16, 19, 19}, // "never leaves the segment"
	{"xor", 16, 16, 3, 3},
	{"down", 32, 33, 0, 0}, // "beyond the segment: the own value"
	{"up", 32, 33, 31, 31},
}

// The README's table says, for each claim, what the chip returned and what each rule of
// operands makes of it.
func TestWhereTextsAndHardwarePart(t *testing.T) {
	rows := recorded(t, "shfl_full")
	want := "| call, of 32 lanes | lane | as often written | H200, recorded | CUDA | HIP | MUSA |\n|---|--:|--:|--:|--:|--:|--:|\n"
	for _, c := range claims {
		chip := int32(-1)
		for _, r := range rows {
			if r[0] == c.op && r[1] == fmt.Sprint(c.width) && r[2] == fmt.Sprint(c.arg) {
				chip = numbers(t, r[3])[c.lane]
			}
		}
		require.GreaterOrEqual(t, chip, int32(0), "no such row")
		want += fmt.Sprintf("| `%s`, width %d, operand %d | %d | %d | %d |", c.op, c.width, c.arg, c.lane, c.said, chip)
		for _, rule := range []Rule{CutToWarp, Uncut, CutTo7} {
			var r Route
			r.Shuffle(rule, mode(t, c.op), 32, c.width, int32(c.arg))
			want += fmt.Sprintf(" %d |", r.Source(c.lane))
			if rule == CutToWarp {
				assert.EqualValues(t, chip, r.Source(c.lane), "%+v", c)
			}
		}
		want += "\n"
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	assert.Contains(t, strings.ReplaceAll(string(readme), "\r\n", "\n"), want)
}
