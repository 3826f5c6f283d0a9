package simt_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/bench/internal/simt"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// Every recorded kernel gives on the simulated device what it gave on the real
// one.
func TestRecorded(t *testing.T) {
	f, err := os.Open("../../conformance/testdata/h200/simt.csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	rows, err := csv.NewReader(z).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 14, "a header and the kernels")
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	for _, row := range rows[1:] {
		t.Run(row[0], func(t *testing.T) {
			threads, err := strconv.Atoi(row[1])
			require.NoError(t, err)
			var want []int32
			for _, f := range strings.Fields(row[2]) {
				n, err := strconv.ParseInt(f, 10, 32)
				require.NoError(t, err)
				want = append(want, int32(n))
			}
			got, err := simt.Run(context.Background(), e, row[0], threads)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestUnknownKernel(t *testing.T) {
	_, err := simt.Run(context.Background(), nil, "nothing", 32)
	require.ErrorContains(t, err, "nothing")
}

// The recorded kernels of single threads have no fault; a barrier after lanes
// have exited is the one thing that other devices do not allow.
func TestRecordedKernelsAreClean(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true})
	require.NoError(t, err)
	for kernel, threads := range map[string]int{
		"two_sites": 32, "two_sites_all": 32, "exited_vote": 32, "partial_then_full": 32, "disjoint_masks": 32, "loop_trip": 32,
		"early_exit_loop": 32, "compact": 32, "coalesced": 32, "tile4": 32, "redux_partial": 32, "bar_after_exit": 100, "named_half": 64,
	} {
		_, err := simt.Run(context.Background(), e, kernel, threads)
		require.NoError(t, err, kernel)
	}
}
