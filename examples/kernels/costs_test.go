package kernels_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/warpsim/examples/kernels"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

// The table in the README says what the simulation says.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("figures that no build changes")
	}
	floats := func(w *warp.Warp, k int) []warp.Reg[float32] {
		r := make([]warp.Reg[float32], k)
		for j := range r {
			r[j] = fill(w, func(l int) float32 { return float32(l) })
		}
		return r
	}
	fft := func(points int) func(e *warp.Engine) (int, warp.Kernel) {
		return func(*warp.Engine) (int, warp.Kernel) {
			return 0, func(w *warp.Warp) {
				width := min(w.Width(), points)
				kernels.FFT(floats(w, points/width), floats(w, points/width), width, false)
			}
		}
	}
	mailbox := func(f func(dst, v warp.Reg[float32], from warp.Reg[int32], s warp.Mem[float32])) func(*warp.Engine) (int, warp.Kernel) {
		return func(e *warp.Engine) (int, warp.Kernel) {
			return 4 * e.Device().Lanes, func(w *warp.Warp) {
				v := floats(w, 1)[0]
				f(v, v, fill(w, func(l int) int32 { return int32(w.Width() - 1 - l) }), kernels.NewMailboxStorage[float32](w))
			}
		}
	}
	plain := func(k warp.Kernel) func(*warp.Engine) (int, warp.Kernel) {
		return func(*warp.Engine) (int, warp.Kernel) { return 0, k }
	}
	find := func(every int) func(e *warp.Engine) (int, warp.Kernel) {
		return func(e *warp.Engine) (int, warp.Kernel) {
			data := make([]int32, 4096)
			data[2000] = 1
			src := global(t, e, data)
			return 0, func(w *warp.Warp) {
				kernels.FindFirst(warp.Alloc[int32](w), src, len(data), every, func(dst warp.Pred, v warp.Reg[int32]) { warp.NeImm(dst, v, 0) })
			}
		}
	}
	tasks := func(quarters int) func(e *warp.Engine) (int, warp.Kernel) {
		return func(e *warp.Engine) (int, warp.Kernel) {
			return 0, collatzKernel(global(t, e, make([]int32, 1000)), global(t, e, []int32{0}), 1000, quarters*e.Device().Lanes/4)
		}
	}
	rows := []struct {
		name string
		make func(e *warp.Engine) (shared int, k warp.Kernel)
	}{
		{"Broadcast", plain(func(w *warp.Warp) { v := floats(w, 1)[0]; kernels.Broadcast(v, v, 0, 0) })},
		{"Rotate by 1", plain(func(w *warp.Warp) { v := floats(w, 1)[0]; kernels.Rotate(v, v, 1) })},
		{"MailboxShuffle", plain(func(w *warp.Warp) {
			v := floats(w, 1)[0]
			kernels.MailboxShuffle(v, v, fill(w, func(l int) int32 { return int32(w.Width() - 1 - l) }))
		})},
		{"MailboxShared", mailbox(kernels.MailboxShared[float32])},
		{"MailboxBlock", mailbox(kernels.MailboxBlock[float32])},
		{"tile.Transpose of 8x8", plain(func(w *warp.Warp) { tile.Transpose(floats(w, 8)) })},
		{"WalshHadamard", plain(func(w *warp.Warp) { kernels.WalshHadamard(floats(w, 1)[0], 0) })},
		{"FFT of 32 points", fft(32)},
		{"FFT of 64 points", fft(64)},
		{"FFT of 128 points", fft(128)},
		{"MatVec, 64x128", func(e *warp.Engine) (int, warp.Kernel) {
			y, a, x := global(t, e, make([]float32, 64)), global(t, e, make([]float32, 64*128)), global(t, e, make([]float32, 128))
			return 0, func(w *warp.Warp) { kernels.MatVec(w, y, a, x, 64, 128) }
		}},
		{"FindFirst in 4096, at 2000", find(1)},
		{"the same, a vote every 4 rounds", find(4)},
		{"1000 tasks in rounds", tasks(0)},
		{"TaskQueue of 1000, a quarter idle", tasks(1)},
	}
	var b strings.Builder
	b.WriteString("| kernel | shared bytes | instructions | cycles |\n|---|--:|--:|--:|\n")
	for _, r := range rows {
		var shared, instructions, cycles []string
		for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
			e := engine(t, name, true)
			bytes, k := r.make(e)
			rep := run(t, e, e.Device().Lanes, k)
			shared = append(shared, fmt.Sprint(bytes))
			instructions, cycles = append(instructions, fmt.Sprint(rep.Instructions)), append(cycles, fmt.Sprint(int64(rep.Cycles)))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.name, strings.Join(shared, " / "), strings.Join(instructions, " / "), strings.Join(cycles, " / "))
	}
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	head, rest, ok1 := strings.Cut(string(text), "<!-- costs -->\n")
	old, tail, ok2 := strings.Cut(rest, "<!-- end -->")
	require.True(t, ok1 && ok2, "README.md has no place for the table")
	if *update && old != b.String() {
		require.NoError(t, os.WriteFile("README.md", []byte(head+"<!-- costs -->\n"+b.String()+"<!-- end -->"+tail), 0o644))
		return
	}
	require.Equal(t, b.String(), old, "run the test with -update")
}
