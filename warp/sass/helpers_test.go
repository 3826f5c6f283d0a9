package sass_test

import (
	"compress/gzip"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/require"
)

// all runs every recorded launch: minutes.
var all = flag.Bool("all", false, "all recorded launches, not only the small ones")

// text returns a recorded file. All are where the programs are that they come from.
func text(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open("../../bench/accuracy/testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	b, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(b)
}

func listing(t testing.TB, name string) *sass.Listing {
	t.Helper()
	l, err := sass.Parse(strings.NewReader(text(t, name)))
	require.NoError(t, err)
	return l
}

func table(t testing.TB, name string) []map[string]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text(t, name)))
	r.Comment = '#'
	all, err := r.ReadAll()
	require.NoError(t, err)
	var out []map[string]string
	for _, f := range all[1:] {
		m := map[string]string{}
		for i, k := range all[0] {
			m[k] = f[i]
		}
		out = append(out, m)
	}
	return out
}

func engine(t testing.TB, c warp.Config) *warp.Engine {
	t.Helper()
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	c.Device = p
	e, err := warp.New(c)
	require.NoError(t, err)
	return e
}

func global[T any](t testing.TB, e *warp.Engine, data []T) warp.Mem[T] {
	t.Helper()
	m, err := warp.Global(e, data)
	require.NoError(t, err)
	return m
}
