package simt_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/bench/simt"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// Every recorded kernel gives on the simulated device what it gave on the real
// one.
func TestRecorded(t *testing.T) {
	f, err := os.Open("../conformance/testdata/h200/simt.csv.gz")
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
