package vote

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
)

// TestRecorded holds every function to what hardware returned under 500 masks.
func TestRecorded(t *testing.T) {
	f, err := os.Open("../bench/conformance/testdata/h200/vote.csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	s := bufio.NewScanner(z)
	require.True(t, s.Scan())
	rows := 0
	for s.Scan() {
		rows++
		row := strings.Split(s.Text(), ",")
		members := mask(t, row[0])
		values := hexes(t, row[1])
		signed := make([]int32, len(values))
		predicates := make([]uint32, len(values))
		for l, v := range values {
			signed[l], predicates[l] = int32(v), v&1
		}
		predicate := NonZero(predicates)

		got := []string{row[0], row[1],
			bit(All(members, predicate)), bit(Any(members, predicate)), bit(Uni(members, predicate)),
			Ballot(members, predicate).Hex(32), Ballot(members, lane.FirstN(32)).Hex(32)}

		matches := make([]lane.Mask, 32)
		distinct := MatchAny(matches, members, values)
		all, same := MatchAll(members, values)
		require.Equal(t, distinct == 1, same)
		alls, sames := make([]lane.Mask, 32), lane.Mask{}
		for l := range members.Lanes() {
			alls[l] = all
			if same {
				sames = sames.With(l)
			}
		}
		got = append(got, masks(matches), masks(alls), sames.Hex(32),
			fmt.Sprint(Add(members, values)), fmt.Sprint(Min(members, values)), fmt.Sprint(Max(members, values)),
			fmt.Sprint(And(members, values)), fmt.Sprint(Or(members, values)), fmt.Sprint(Xor(members, values)),
			fmt.Sprint(Add(members, signed)), fmt.Sprint(Min(members, signed)), fmt.Sprint(Max(members, signed)))
		require.Equal(t, row, got)
	}
	require.Equal(t, 500, rows)
}

func mask(t *testing.T, text string) lane.Mask {
	t.Helper()
	m, err := lane.ParseMask(text, 32)
	require.NoError(t, err)
	return m
}

func hexes(t *testing.T, text string) []uint32 {
	t.Helper()
	var out []uint32
	for _, f := range strings.Fields(text) {
		v, err := strconv.ParseUint(f, 16, 32)
		require.NoError(t, err)
		out = append(out, uint32(v))
	}
	return out
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func masks(row []lane.Mask) string {
	var out []string
	for _, m := range row {
		out = append(out, m.Hex(1))
	}
	return strings.Join(out, " ")
}
