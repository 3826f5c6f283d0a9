package crossbar

import (
	"bufio"
	"compress/gzip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
)

// recorded returns the data rows of a file of results recorded on hardware.
func recorded(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open("../bench/conformance/testdata/h200/" + name + ".csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var rows [][]string
	header := false
	for s := bufio.NewScanner(z); s.Scan(); {
		switch {
		case strings.HasPrefix(s.Text(), "#"):
		case !header:
			header = true
		default:
			rows = append(rows, strings.Split(s.Text(), ","))
		}
	}
	require.NotEmpty(t, rows)
	return rows
}

func numbers(t *testing.T, text string) []int32 {
	t.Helper()
	var out []int32
	for _, f := range strings.Fields(text) {
		v, err := strconv.ParseInt(f, 10, 64)
		require.NoError(t, err)
		out = append(out, int32(v))
	}
	return out
}

func number(t *testing.T, text string) int32 { return numbers(t, text)[0] }

func mode(t *testing.T, name string) Mode {
	t.Helper()
	m, ok := ParseMode(name)
	require.True(t, ok, name)
	return m
}

// ramp holds the lane number in every lane.
func ramp(lanes int) []int32 {
	out := make([]int32, lanes)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// moved returns where each lane's value comes from, by really moving a ramp,
// and checks that sources and closed form say the same.
func moved(t *testing.T, r *Route) []int32 {
	t.Helper()
	dst := make([]int32, r.Lanes())
	Move(dst, ramp(r.Lanes()), r, lane.FirstN(r.Lanes()))
	for l, v := range dst {
		require.Equal(t, int(v), r.Source(l), "lane %d", l)
	}
	return dst
}

func TestRecordedFull(t *testing.T) {
	for _, row := range recorded(t, "shfl_full") {
		var r Route
		r.Shuffle(CutToWarp, mode(t, row[0]), 32, int(number(t, row[1])), number(t, row[2]))
		require.Equal(t, numbers(t, row[3]), moved(t, &r), row[:3])
	}
}

func TestRecordedPerLane(t *testing.T) {
	for _, row := range recorded(t, "shfl_per_lane") {
		var r Route
		r.ShuffleLanes(CutToWarp, mode(t, row[0]), 32, int(number(t, row[1])), numbers(t, row[2]))
		require.Equal(t, numbers(t, row[3]), moved(t, &r), row[:3])
	}
}

func TestRecordedRaw(t *testing.T) {
	for _, row := range recorded(t, "shfl_ptx") {
		var b, c []uint32
		for i, v := range numbers(t, row[1]) {
			b, c = append(b, uint32(v)), append(c, uint32(numbers(t, row[2])[i]))
		}
		var r Route
		r.Raw(CutToWarp, mode(t, row[0]), 32, b, c)
		require.Equal(t, numbers(t, row[3]), moved(t, &r), row)
		require.Equal(t, row[4], r.InRange().Hex(32), row)
	}
}

func TestRecordedMasked(t *testing.T) {
	const notInMask, outside = -2000, -1000
	for _, row := range recorded(t, "shfl_masked") {
		members, err := lane.ParseMask(row[3], 32)
		require.NoError(t, err)
		var r Route
		r.Shuffle(CutToWarp, mode(t, row[0]), 32, int(number(t, row[1])), number(t, row[2]))
		dst := make([]int32, 32)
		for i := range dst {
			dst[i] = notInMask
		}
		Move(dst, ramp(32), &r, members)
		for l := range r.Outside(members).Lanes() {
			dst[l] = outside
		}
		require.Equal(t, numbers(t, row[4]), dst, row)
	}
}

func TestRecordedIllegalWidth(t *testing.T) {
	for _, row := range recorded(t, "shfl_bad_width") {
		width, x := int(number(t, row[1])), number(t, row[2])
		require.Error(t, Validate(32, width))
		var r Route
		r.Shuffle(CutToWarp, mode(t, row[0]), 32, width, x)
		require.Equal(t, numbers(t, row[3]), moved(t, &r), row)
		operands := make([]int32, 32)
		for i := range operands {
			operands[i] = x
		}
		r.ShuffleLanes(CutToWarp, mode(t, row[0]), 32, width, operands)
		require.Equal(t, numbers(t, row[3]), moved(t, &r), row)
	}
}
