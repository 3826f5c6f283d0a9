package browser

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/view"
)

// browser returns the context of a browser with a window of a size, or skips the test.
// What the page's script complains of fails the test.
func browser(t *testing.T, width, height int) context.Context {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium here (PATH, or the variable CHROMIUM): tests of pages in a browser are left out")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(width, height), chromedp.Flag("hide-scrollbars", false))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(func(ev any) {
		switch x := ev.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page threw: %s", x.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			if x.Type == runtime.ConsoleAPICalledTypeError {
				t.Errorf("the page complained")
			}
		}
	}))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// open shows a file in the browser.
func open(t *testing.T, ctx context.Context, name string, data []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+file)))
}

// ask evaluates an expression in the page.
func ask[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	x, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return x
}

func press(t *testing.T, ctx context.Context, keys string) {
	t.Helper()
	require.NoError(t, chromedp.Do(ctx, chromedp.KeyEvent(keys)))
}

// runs are those that have to be shown: shuffles on 32 lanes, a butterfly on 64, a scan
// on 128, a hybrid reduction, a transpose with conflicts, a grid whose atomics meet on one
// word, and a race.
func runs(t *testing.T) map[string]*view.Recording {
	t.Helper()
	sum := reduce.Sum[float32]()
	all := map[string]*view.Recording{}
	add := func(name, dev string, blocks, threads int, body func(w *warp.Warp, v warp.Reg[float32], word warp.Mem[int32])) {
		p, err := device.Lookup(dev)
		require.NoError(t, err)
		r, err := view.Record(warp.Config{Device: p, Faults: warp.Collect, Sanitize: name == "race"}, view.Options{Title: name + " on " + dev}, func(e *warp.Engine) error {
			in, err := warp.Global(e, make([]float32, blocks*threads))
			require.NoError(t, err)
			word, err := warp.Global(e, make([]int32, 1))
			require.NoError(t, err)
			_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}, func(w *warp.Warp) {
				v := warp.Alloc[float32](w)
				warp.Load(v, in, w.GlobalID())
				body(w, v, word)
			})
			return err
		})
		require.NoError(t, err)
		all[name] = r
	}
	add("shuffle-down", "h200", 1, 32, func(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[int32]) {
		reduce.ShuffleDown(v, sum, reduce.Tile{})
	})
	add("butterfly", "mi300x", 1, 64, func(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[int32]) {
		reduce.ShuffleXor(v, sum, reduce.Tile{})
	})
	add("scan", "mtt-s4000", 1, 128, func(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[int32]) {
		scan.HillisSteele(v, sum, scan.Spec[float32]{})
	})
	add("hybrid", "h200", 1, 256, func(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[int32]) {
		reduce.BlockHybrid(v, sum, reduce.Tile{}, reduce.NewHybridStorage[float32](w))
	})
	add("transpose", "h200", 1, 256, func(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[int32]) {
		tile, at := warp.Shared[float32](w, 32*32), warp.Alloc[int32](w)
		warp.MulImm(at, w.LaneID(), 32)
		warp.AddImm(at, at, int32(w.ID()))
		warp.Store(tile, at, v)
		w.SyncBlock()
		warp.Load(v, tile, w.ThreadID())
	})
	add("one word", "h200", 1024, 256, func(w *warp.Warp, _ warp.Reg[float32], word warp.Mem[int32]) {
		zero, one := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(zero, 0)
		warp.Set(one, 1)
		warp.AtomicReduce(warp.AtomicAdd, word, zero, one)
	})
	add("race", "h200", 1, 64, func(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[int32]) {
		s := warp.Shared[float32](w, 64)
		warp.Store(s, w.ThreadID(), v)
		warp.Load(v, s.At(0), w.LaneID())
	})
	return all
}

func pageOf(t *testing.T, r *view.Recording, others ...*view.Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WritePage(&b, others...))
	return b.Bytes()
}

// Every picture shows all of its text inside the image, and no two texts overlap, as the
// browser lays them out.
func TestPictures(t *testing.T) {
	ctx := browser(t, 1400, 900)
	for name, r := range runs(t) {
		for _, p := range view.Pictures() {
			var b bytes.Buffer
			require.NoError(t, r.WritePicture(&b, p))
			html := "<!DOCTYPE html><meta charset=utf-8><body style=margin:0>" + b.String()
			open(t, ctx, strings.ReplaceAll(name, " ", "-")+".html", []byte(html))
			bad := ask[[]string](t, ctx, `(() => {
				const bad = [], image = document.querySelector("svg").getBoundingClientRect();
				const boxes = [...document.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
				for (const [text, b] of boxes)
					if (b.left < image.left || b.top < image.top || b.right > image.right || b.bottom > image.bottom) bad.push("cut off: " + text);
				boxes.sort((a, b) => a[1].top - b[1].top);
				for (let i = 0; i < boxes.length; i++)
					for (let k = i + 1; k < boxes.length && boxes[k][1].top < boxes[i][1].bottom - 2.5; k++) {
						const a = boxes[i][1], b = boxes[k][1];
						if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1) bad.push(boxes[i][0] + " overlaps " + boxes[k][0]);
					}
				return bad.slice(0, 5);
			})()`)
			assert.Empty(t, bad, "%s: %s", name, p)
		}
	}
}

// The page of each run shows its parts, loads nothing, and has every step.
func TestPages(t *testing.T) {
	ctx := browser(t, 1300, 1000)
	for name, r := range runs(t) {
		page := pageOf(t, r)
		assert.NotContains(t, string(page), "src=\"http", name)
		assert.NotContains(t, string(page), "<link", name)
		open(t, ctx, "page.html", page)
		lanes := r.Report().Launch.Threads.Count()
		_, width := r.Report().ActiveLanes()
		assert.Equal(t, width, ask[int](t, ctx, `document.querySelectorAll(".cell").length`), name)
		assert.NotEmpty(t, ask[string](t, ctx, `document.querySelector(".bound").textContent`), name)
		assert.Positive(t, ask[int](t, ctx, `document.querySelectorAll("tr.can").length`), name)
		assert.Equal(t, (lanes+width-1)/width, ask[int](t, ctx, `document.querySelectorAll("select option").length`), name)
		assert.False(t, ask[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`), "%s is wider than the window", name)
	}
	open(t, ctx, "page.html", pageOf(t, runs(t)["one word"]))
	assert.Contains(t, ask[string](t, ctx, `document.querySelector(".bound").textContent`), "Bound by atomics on one word")
}

// A page works by its slider, by the pointer and by the keyboard.
func TestSliderHoverKeyboard(t *testing.T) {
	ctx := browser(t, 1300, 1400)
	open(t, ctx, "page.html", pageOf(t, runs(t)["hybrid"]))
	count := func() string { return ask[string](t, ctx, `document.querySelector(".count").textContent`) }
	detail := func() string { return ask[string](t, ctx, `document.querySelector(".detail").textContent`) }
	last := strings.TrimPrefix(count(), "1/")

	// The slider.
	ask[bool](t, ctx, `(() => { const s = document.querySelector(".slider"); s.value = 4; s.dispatchEvent(new Event("input")); return true; })()`)
	assert.Equal(t, "5/"+last, count())
	var steps int
	for ; steps < 40 && !strings.Contains(ask[string](t, ctx, `document.querySelector(".now").textContent`), "shfl.down"); steps++ {
		press(t, ctx, kb.ArrowRight)
	}
	require.Less(t, steps, 40, "there is a shuffle")
	assert.Equal(t, 32, ask[int](t, ctx, `document.querySelectorAll(".arrow").length`))
	assert.Equal(t, "16", ask[string](t, ctx, `document.querySelector('.arrow[data-to="0"]').dataset.from`))

	// The pointer.
	type point struct{ X, Y float64 }
	at := ask[point](t, ctx, `(() => { const b = document.querySelector('.cell[data-lane="3"]').getBoundingClientRect(); return {X: b.x + b.width / 2, Y: b.y + b.height / 2}; })()`)
	require.NoError(t, chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y)))
	for _, want := range []string{"lane 3: 0", "read from lane 19", "came from threads 19", "mask 0xffffffff", "warp.Shfl("} {
		assert.Contains(t, detail(), want)
	}

	// The keyboard: lanes, steps, warps, zoom.
	press(t, ctx, kb.ArrowDown)
	assert.Contains(t, detail(), "lane 4:")
	press(t, ctx, kb.ArrowUp+kb.ArrowUp)
	assert.Contains(t, detail(), "lane 2:")
	press(t, ctx, kb.End)
	assert.Equal(t, last+"/"+last, count())
	press(t, ctx, kb.Home)
	assert.Equal(t, "1/"+last, count())
	press(t, ctx, "w")
	assert.Equal(t, "1", ask[string](t, ctx, `document.querySelector("select").value`))
	whole := ask[string](t, ctx, `document.querySelector(".range").textContent`)
	press(t, ctx, "+")
	half := ask[string](t, ctx, `document.querySelector(".range").textContent`)
	assert.NotEqual(t, whole, half)
	press(t, ctx, "]")
	assert.NotEqual(t, half, ask[string](t, ctx, `document.querySelector(".range").textContent`))
	press(t, ctx, "[-")
	assert.Equal(t, whole, ask[string](t, ctx, `document.querySelector(".range").textContent`))

	// A line of the source leads to its step, an instruction of the timeline too.
	ask[bool](t, ctx, `(() => { [...document.querySelectorAll("tr.can")].find(r => r.textContent.includes("op.Apply(v, v, x)")).click(); return true; })()`)
	assert.Contains(t, ask[string](t, ctx, `document.querySelector(".now").textContent`), "fadd")
	assert.Contains(t, ask[string](t, ctx, `document.querySelector("tr.here").textContent`), "op.Apply(v, v, x)")
	ask[bool](t, ctx, `(() => { document.querySelector("canvas").scrollIntoView(); return true; })()`)
	at = ask[point](t, ctx, `(() => { const b = document.querySelector("canvas").getBoundingClientRect(); return {X: b.right - 4, Y: b.y + 30}; })()`)
	require.NoError(t, chromedp.Do(ctx, chromedp.MouseClickXY(at.X, at.Y)))
	assert.Equal(t, "0", ask[string](t, ctx, `document.querySelector("select").value`))
	assert.Equal(t, last+"/"+last, count(), "the last instruction of warp 0")
}

// Faults lead to their steps.
func TestFaults(t *testing.T) {
	ctx := browser(t, 1300, 1400)
	r := runs(t)["race"]
	require.NotEmpty(t, r.Report().Faults)
	open(t, ctx, "page.html", pageOf(t, r))
	assert.Equal(t, len(r.Report().Faults), ask[int](t, ctx, `document.querySelectorAll(".go-fault").length`))
	press(t, ctx, "f")
	now := ask[string](t, ctx, `document.querySelector(".now").textContent`)
	assert.Contains(t, now, r.Report().Faults[0].Site.String())
}

// Two runs stand side by side where there is room and below each other on a phone, and
// step together.
func TestSideBySide(t *testing.T) {
	all := runs(t)
	page := pageOf(t, all["shuffle-down"], all["butterfly"])
	for _, size := range [][2]int{{1400, 1000}, {390, 800}} {
		ctx := browser(t, size[0], size[1])
		require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(int64(size[0]), int64(size[1]))))
		open(t, ctx, "page.html", page)
		beside := ask[bool](t, ctx, `(() => { const [a, b] = document.querySelectorAll(".run"); return a.getBoundingClientRect().top === b.getBoundingClientRect().top; })()`)
		assert.Equal(t, size[0] > 1000, beside, "%d pixels wide", size[0])
		assert.False(t, ask[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`), "wider than the window")
		press(t, ctx, kb.ArrowRight+kb.ArrowRight)
		counts := ask[[]string](t, ctx, `[...document.querySelectorAll(".count")].map(c => c.textContent.split("/")[0])`)
		assert.Equal(t, []string{"3", "3"}, counts)
		ask[bool](t, ctx, `(() => { document.getElementById("together").click(); document.activeElement.blur(); return true; })()`)
		press(t, ctx, kb.ArrowRight)
		counts = ask[[]string](t, ctx, `[...document.querySelectorAll(".count")].map(c => c.textContent.split("/")[0])`)
		assert.Equal(t, []string{"4", "3"}, counts)
		tall := ask[int](t, ctx, `Math.min(...[...document.querySelectorAll("button")].map(b => b.getBoundingClientRect().height))`)
		assert.GreaterOrEqual(t, tall, 32, "buttons for fingers")
	}
}
