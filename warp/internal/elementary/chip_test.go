package elementary

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ordered maps the bits of a single to an integer that grows with the value.
func ordered(b uint32) int64 {
	if b>>31 != 0 {
		return -int64(b &^ (1 << 31))
	}
	return int64(b)
}

// What an H200 gave for 4,096 arguments: bit for bit where the compiler uses no
// approximation of the special unit, and otherwise as close as that unit and ours,
// which is rounded correctly, can be by the documented error of the unit.
func TestChip(t *testing.T) {
	bounds := map[string]struct {
		f    Function
		most int64   // units in the last place
		same float64 // part that is equal
	}{
		"log": {Log, 0, 1}, "log2": {Log2, 0, 1}, "sin": {Sin, 0, 1}, "cos": {Cos, 0, 1}, "sqrt": {Sqrt, 0, 1}, "rcp": {Rcp, 0, 1},
		"exp": {Exp, 1, 0.75}, "exp2": {Exp2, 2, 0.7}, "rsqrt": {Rsqrt, 1, 0.9}, "tanh": {Tanh, 1, 0.99}, "erf": {Erf, 1, 0.99},
		"exp_fast": {FastExp, 2, 0.7},
	}
	file, err := os.Open("testdata/h200.csv.gz")
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	sc := bufio.NewScanner(z)
	var names []string
	rows := 0
	equal, worst := map[string]int{}, map[string]int64{}
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		f := strings.Split(sc.Text(), ",")
		if names == nil {
			names = f
			continue
		}
		rows++
		x := bitsOf(t, f[0])
		for i, name := range names[1:] {
			b := bounds[name]
			want := bitsOf(t, f[i+1])
			got := math.Float32bits(b.f.Single(math.Float32frombits(x), 0))
			if isNaN(want) && isNaN(got) {
				got = want
			}
			d := ordered(got) - ordered(want)
			d = max(d, -d)
			if got == want {
				equal[name]++
			}
			if d > worst[name] {
				worst[name] = d
			}
			if d > b.most {
				assert.Failf(t, "off", "%s(%v) is %v (%08x), on the chip %v (%08x)", name, math.Float32frombits(x), math.Float32frombits(got), got, math.Float32frombits(want), want)
			}
		}
	}
	require.Equal(t, 4096, rows)
	for _, name := range names[1:] {
		part := float64(equal[name]) / float64(rows)
		t.Logf("%-9s %.2f %% equal, at most %d units apart", name, 100*part, worst[name])
		assert.GreaterOrEqual(t, part, bounds[name].same, name)
	}
}

func isNaN(b uint32) bool { return b&0x7fffffff > 0x7f800000 }

func bitsOf(t *testing.T, s string) uint32 {
	t.Helper()
	b, err := strconv.ParseUint(s, 16, 32)
	require.NoError(t, err)
	return uint32(b)
}
