package gallery_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/gallery"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

// The table in the README says what the simulation says.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("figures that no build changes")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("where lanes meet is read from machine code of amd64 and arm64; elsewhere they meet later")
	}
	x, bins, keys := floats(1<<14), numbers(1<<14, 256), numbers(512, 1<<12)
	ints := make([]int32, len(bins))
	sparse := gallery.Sparse{Starts: []int32{0}}
	for i, v := range bins {
		ints[i] = int32(v)
		sparse.Columns, sparse.Values = append(sparse.Columns, int32(v)), append(sparse.Values, 1)
		if (i+1)%64 == 0 {
			sparse.Starts = append(sparse.Starts, int32(i+1))
		}
	}
	type run func(e *warp.Engine) (*warp.Report, error)
	histogram := func(way gallery.HistogramWay) run {
		return func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.Histogram(ctx, e, bins, 256, way)
			return r, err
		}
	}
	transpose := func(way gallery.TransposeWay) run {
		return func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.Transpose(ctx, e, x, 128, way)
			return r, err
		}
	}
	rows := []struct {
		name string
		run  run
	}{
		{"softmax by warp, 64 rows of 256", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.SoftmaxByWarp(ctx, e, x, 256)
			return r, err
		}},
		{"softmax by block, the same", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.SoftmaxByBlock(ctx, e, x, 256)
			return r, err
		}},
		{"layer norm by warp, the same", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.LayerNormByWarp(ctx, e, x, 256)
			return r, err
		}},
		{"sparse × vector, 256 rows of 64", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.SparseTimesVector(ctx, e, sparse, x[:256])
			return r, err
		}},
		{"matrix product, 64 × 64", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.Multiply(ctx, e, x[:4096], x[4096:8192], 64)
			return r, err
		}},
		{"transpose of 128 × 128, naive", transpose(gallery.Naive)},
		{"tiled", transpose(gallery.Tiled)},
		{"tiled and padded", transpose(gallery.Padded)},
		{"histogram of 16,384 in 256 bins, global", histogram(gallery.InGlobal)},
		{"shared", histogram(gallery.InShared)},
		{"shared, a copy a warp", histogram(gallery.PerWarp)},
		{"filter of 16,384, a quarter stays", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.Filter(ctx, e, ints, 192)
			return r, err
		}},
		{"sum of 16,384", func(e *warp.Engine) (*warp.Report, error) { _, r, err := gallery.Sum(ctx, e, x); return r, err }},
		{"prefix sum of 16,384, three launches", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.PrefixSum(ctx, e, ints)
			return r, err
		}},
		{"top 10 of 16,384, one warp", func(e *warp.Engine) (*warp.Report, error) { _, r, err := gallery.TopK(ctx, e, x, 10); return r, err }},
		{"radix pass of 512, one block", func(e *warp.Engine) (*warp.Report, error) {
			_, r, err := gallery.RadixPass(ctx, e, keys, 4)
			return r, err
		}},
	}
	devices := []string{"h200", "mi300x", "mtt-s4000"}
	table := "| kernel | " + strings.Join(devices, " | ") + " |\n|---|" + strings.Repeat("--:|", len(devices)) + "\n"
	for _, row := range rows {
		table += "| " + row.name
		for _, d := range devices {
			e := warptest.Engine(t, d, func(c *warp.Config) { c.Sanitize, c.Sites = false, false })
			r, err := row.run(e)
			require.NoError(t, err, "%s on %s", row.name, d)
			table += fmt.Sprintf(" | %d", r.Cycles)
		}
		table += " |\n"
	}
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "<!-- costs -->\n")
	require.True(t, ok)
	was, tail, ok := strings.Cut(rest, "<!-- end -->")
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(head+"<!-- costs -->\n"+table+"<!-- end -->"+tail), 0o644))
		return
	}
	require.Equal(t, was, table, "go test ./examples/gallery -update writes it anew")
}
