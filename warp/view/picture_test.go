package view_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/view"
)

// A box is where a text of an image stands.
type box struct {
	text                     string
	left, top, right, bottom float64
}

// texts reads an image and returns where its texts stand, by the width of a character
// of its font, and the size of the image.
func texts(t *testing.T, svg []byte) (all []box, width, height float64) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var b *box
	size := 0.0
	anchor := ""
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return all, width, height
		}
		require.NoError(t, err)
		switch x := tok.(type) {
		case xml.StartElement:
			a := map[string]string{}
			for _, at := range x.Attr {
				a[at.Name.Local] = at.Value
			}
			num := func(k string) float64 {
				v, err := strconv.ParseFloat(strings.TrimSuffix(a[k], "%"), 64)
				require.NoError(t, err, "%s of %s", k, x.Name.Local)
				return v
			}
			switch x.Name.Local {
			case "svg":
				width, height = num("width"), num("height")
			case "text":
				if strings.HasPrefix(a["transform"], "rotate") {
					continue
				}
				size, anchor = num("font-size"), a["text-anchor"]
				b = &box{left: num("x"), bottom: num("y") + 0.22*size, top: num("y") - 0.78*size}
			}
		case xml.CharData:
			if b != nil {
				b.text += string(x)
			}
		case xml.EndElement:
			if x.Name.Local == "text" && b != nil {
				w := float64(len([]rune(b.text))) * size * 0.602
				switch anchor {
				case "middle":
					b.left -= w / 2
				case "end":
					b.left -= w
				}
				b.right = b.left + w
				all = append(all, *b)
				b = nil
			}
		}
	}
}

// readable holds an image against what makes it one: it is XML, it has no colour, no
// text leaves it, and no two texts overlap.
func readable(t *testing.T, name string, svg []byte) {
	t.Helper()
	all, width, height := texts(t, svg)
	require.NotEmpty(t, all, name)
	for i, a := range all {
		assert.True(t, a.left >= 0 && a.top >= 0 && a.right <= width && a.bottom <= height, "%s: %q is cut off", name, a.text)
		for _, b := range all[:i] {
			wide, high := math.Min(a.right, b.right)-math.Max(a.left, b.left), math.Min(a.bottom, b.bottom)-math.Max(a.top, b.top)
			if wide > 0.5 && high > 0.5 {
				t.Errorf("%s: %q and %q overlap", name, a.text, b.text)
			}
		}
	}
	for _, colour := range strings.Split(string(svg), "#")[1:] {
		c := colour[:strings.IndexAny(colour+`"`, `"};)`)]
		if len(c) == 3 && !strings.HasPrefix(c, "h") {
			assert.True(t, c[0] == c[1] && c[1] == c[2], "%s: #%s is a colour", name, c)
		}
	}
}

// Every picture of every kind of run is readable in black and white on 32, 64 and 128
// lanes.
func TestPicturesAreReadable(t *testing.T) {
	runs := map[string]*view.Recording{}
	for _, dev := range []string{"h200", "mi300x", "mtt-s4000"} {
		lanes := map[string]int{"h200": 32, "mi300x": 64, "mtt-s4000": 128}[dev]
		one := func(k warp.Kernel) *view.Recording {
			return record(t, dev, block(lanes), view.Options{}, func(*warp.Engine) warp.Kernel { return k })
		}
		runs["down "+dev] = one(sumDown)
		runs["butterfly "+dev] = one(func(w *warp.Warp) {
			v := warp.Alloc[float32](w)
			warp.Convert(v, w.LaneID())
			reduce.ShuffleXor(v, reduce.Sum[float32](), reduce.Tile{})
		})
		runs["scan "+dev] = one(func(w *warp.Warp) {
			v := warp.Alloc[float32](w)
			warp.Convert(v, w.LaneID())
			scan.HillisSteele(v, reduce.Sum[float32](), scan.Spec[float32]{})
		})
		runs["hybrid "+dev] = hybrid(t, dev, view.Options{})
		runs["transpose "+dev] = transpose(t, dev)
		runs["some lanes "+dev] = one(func(w *warp.Warp) {
			p := w.Pred()
			v := warp.Alloc[int32](w) // undefined in the upper half
			warp.LtImm(p, w.LaneID(), int32(lanes/2))
			w.If(p, func() { warp.Mov(v, w.LaneID()) })
			warp.ShflXor(v, v, 1)
		})
	}
	runs["nothing"] = view.Attach(&warp.Config{}, view.Options{})
	for name, r := range runs {
		for _, p := range view.Pictures() {
			var b bytes.Buffer
			require.NoError(t, r.WritePicture(&b, p))
			readable(t, name+" "+p.String(), b.Bytes())
		}
	}
	var b bytes.Buffer
	require.NoError(t, runs["hybrid h200"].WriteFlow(&b, 7))
	assert.Contains(t, b.String(), "block 0 warp 7")
}

// Undefined and inactive lanes are marked.
func TestFlowMarksLanes(t *testing.T) {
	r := record(t, "h200", block(32), view.Options{}, func(*warp.Engine) warp.Kernel {
		return func(w *warp.Warp) {
			p, v := w.Pred(), warp.Alloc[int32](w)
			warp.LtImm(p, w.LaneID(), 16)
			w.Where(p, func() { warp.Mov(v, w.LaneID()) })
			warp.ShflXor(v, v, 16)
			w.Where(p, func() { warp.ShflDown(v, v, 0) })
		}
	})
	var b bytes.Buffer
	require.NoError(t, r.WritePicture(&b, view.Flow))
	assert.Equal(t, 16+16, strings.Count(b.String(), ": undefined</title>"), "16 lanes after the butterfly, and 16 that read themselves")
	assert.Equal(t, 16, strings.Count(b.String(), ": not active</title>"))
}

// A bank map shows how many words of each bank an access wants.
func TestBanksOfATranspose(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, transpose(t, "h200").WritePicture(&b, view.Banks))
	// Lanes 8 words apart want 8 words of each of 4 banks.
	assert.Equal(t, 8*4, strings.Count(b.String(), ": 8 words, first wanted by lane"))
	assert.Contains(t, b.String(), "+7 passes")
}

// Charts are readable, leave out what cannot be drawn, and say so if nothing is left.
func TestCharts(t *testing.T) {
	roof := hybrid(t, "h200", view.Options{}).Roofline()
	charts := map[string]view.Chart{
		"roofline": roof,
		"nothing":  {Title: "nothing", LogX: true, Series: []view.Series{{X: []float64{0}, Y: []float64{1}}, {X: []float64{1}, Y: []float64{math.NaN()}}}},
		"accuracy": {Title: "simulated against measured", X: "measured cycles", Y: "simulated cycles", LogX: true, LogY: true, Diagonal: true,
			Series: []view.Series{{Name: "kernels", X: []float64{10, 20, 21, 500, 40000}, Y: []float64{11, 20, 22, 480, 41000}, Labels: []string{"a", "shuffle", "shuffles", "tree", "grid"}}}},
	}
	many := view.Chart{Title: "algorithms", X: "threads", Y: "cycles"}
	for k := range 14 {
		s := view.Series{Name: fmt.Sprintf("algorithm %d", k), Joined: true}
		for x := range 6 {
			s.X, s.Y = append(s.X, float64(int(32)<<x)), append(s.Y, float64((k+1)*(x+2)))
		}
		many.Series = append(many.Series, s)
	}
	charts["many"] = many
	for name, c := range charts {
		var b bytes.Buffer
		require.NoError(t, c.WriteSVG(&b))
		readable(t, name, b.Bytes())
		if name == "nothing" {
			assert.Contains(t, b.String(), "There is no point to draw.")
		}
	}
	require.Len(t, roof.Series, 2)
	// 132 multiprocessors of 4 partitions with pipes of 32 lanes.
	assert.Contains(t, roof.Series[0].Name, "16896 operations")
}

// The picture of the README is the one that is drawn.
func TestPictureOfTheReadme(t *testing.T) {
	r := record(t, "h200", block(32), view.Options{Title: "a sum by shuffles on 32 lanes"}, func(*warp.Engine) warp.Kernel { return sumDown })
	var b bytes.Buffer
	require.NoError(t, r.WritePicture(&b, view.Flow))
	golden(t, "shuffle-down-32.svg", b.String())
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "testdata/shuffle-down-32.svg")
}
