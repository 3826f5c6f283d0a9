package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

func checkSegments[T comparable](t *testing.T, e *warp.Engine, row []string, op reduce.Op[T], parse func(string) (T, error)) {
	t.Helper()
	in := list(t, row[3], parse)
	var flags lane.Mask
	for i, c := range row[4] {
		if c == '1' {
			flags = flags.With(i)
		}
	}
	run(t, e, len(in), func(w *warp.Warp) {
		v, p := warp.Alloc[T](w), w.Pred()
		warp.SetLanes(v, func(l int) T { return in[l] })
		warp.SetPred(p, flags)
		if row[0] == "head" {
			reduce.HeadSegmented(v, op, p, reduce.Tile{})
		} else {
			reduce.TailSegmented(v, op, p, reduce.Tile{})
		}
		for field := range strings.FieldsSeq(row[5]) {
			at, value, _ := strings.Cut(field, "=")
			var l int
			_, err := fmt.Sscan(at, &l)
			want, err2 := parse(value)
			if err != nil || err2 != nil || !bitsEqual(v.Lanes()[l], want) {
				t.Errorf("%s: lane %d has %v, recorded %s", strings.Join(row[:3], " "), l, v.Lanes()[l], value)
			}
		}
	})
}

func TestRecordedSegments(t *testing.T) {
	e := engine(t, "h200")
	all := rows(t, "collective_segmented")
	require.Len(t, all, 60)
	for _, row := range all {
		switch row[1] + " " + row[2] {
		case "s32 sum":
			checkSegments(t, e, row, reduce.Sum[int32](), parseS32)
		case "s32 max":
			checkSegments(t, e, row, reduce.Max[int32](), parseS32)
		case "f32 sum":
			checkSegments(t, e, row, reduce.Sum[float32](), parseF32)
		case "f64 sum":
			checkSegments(t, e, row, reduce.Sum[float64](), parseF64)
		case "affine compose":
			checkSegments(t, e, row, compose, parseAffine)
		default:
			t.Errorf("no check for %v", row[:3])
		}
	}
}

// Segments of every kind of tile: an operator that does not commute sees the
// lanes of one segment in order and no other.
func TestSegmentsStayInsideTheirGroup(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, name := range devices {
		e := engine(t, name)
		lanes := e.Device().Lanes
		shapes(lanes, func(tile reduce.Tile, live int) {
			flags := lane.Mask{Lo: random.Uint64(), Hi: random.Uint64()}.And(lane.FirstN(lanes))
			head := random.IntN(2) == 0
			valid := tile.Valid.Of(tile.Width)
			item := func(l int) bool {
				return l < live && l/tile.Width*tile.Width+tile.Width <= lanes && l%tile.Width < valid
			}
			starts := func(l int) bool {
				return l%tile.Width == 0 || head && flags.Has(l) || !head && flags.Has(l-1)
			}
			run(t, e, live, func(w *warp.Warp) {
				v, p, have := warp.Alloc[span](w), w.Pred(), w.Pred()
				var items lane.Mask
				for l := range lanes {
					v.Lanes()[l] = poisoned
					if item(l) {
						items = items.With(l)
					}
				}
				warp.SetPred(have, items)
				w.Where(have, func() {
					warp.SetLanes(v, func(l int) span { return span{int32(l), int32(l)} })
					warp.SetPred(p, flags)
				})
				if head {
					reduce.HeadSegmented(v, ordered, p, tile)
				} else {
					reduce.TailSegmented(v, ordered, p, tile)
				}
				var want span
				for l := range live {
					if !item(l) {
						continue
					}
					if starts(l) {
						last := l
						for last+1 < lanes && item(last+1) && !starts(last+1) {
							last++
						}
						want = span{int32(l), int32(last)}
					} else if !tile.Everywhere {
						continue
					}
					if v.Lanes()[l] != want || v.Undefined().Has(l) {
						t.Errorf("%s %+v, %d live, head %v, flags %v: lane %d has %v, want %v", name, tile, live, head, flags, l, v.Lanes()[l], want)
						return
					}
				}
			})
		})
	}
}
