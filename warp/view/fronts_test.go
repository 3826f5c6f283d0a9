package view_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/sass"
	"example.com/warpsim/warp/view"
)

// pair is a kernel as a disassembler lists it: each thread adds its number and that of
// its neighbour.
const pair = `		Function : _Z4pairPi
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   SHFL.BFLY PT, R2, R0, 0x1, 0x1f ;
        /*0020*/                   IADD3 R4, R0, R2, RZ ;
        /*0030*/                   LDC.64 R6, c[0x0][0x210] ;
        /*0040*/                   IMAD.WIDE R6, R0, 0x4, R6 ;
        /*0050*/                   STG.E desc[UR4][R6.64], R4 ;
        /*0060*/                   EXIT ;
`

// A listing is recorded like any kernel: values and the threads that they came from
// after each of its lines, cycles at its addresses.
func TestListing(t *testing.T) {
	l, err := sass.Parse(strings.NewReader(pair))
	require.NoError(t, err)
	p, err := l.Functions[0].Program()
	require.NoError(t, err)
	dev, err := device.Lookup("h200")
	require.NoError(t, err)
	x := make([]int32, 32)
	r, err := view.Record(warp.Config{Device: dev}, view.Options{}, func(e *warp.Engine) error {
		m, err := warp.Global(e, x)
		require.NoError(t, err)
		_, err = sass.Run(context.Background(), e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(32), Args: []sass.Arg{sass.Buffer(m)}})
		return err
	})
	require.NoError(t, err)
	assert.EqualValues(t, []int32{1, 1, 5, 5}, x[:4])
	steps := stepsOf(t, r, true)
	assert.Contains(t, steps, "lane   4: 5 = 5", "read from lane 5")
	assert.Contains(t, steps, "lane   4: 4, 5 = 9", "the sum of both")
	got := profileOf(t, r)
	var cycles int64
	for _, s := range got.Sample {
		cycles += s.Value[0]
	}
	assert.EqualValues(t, r.Report().Waits().Total(), cycles)
	var source bytes.Buffer
	require.NoError(t, r.WriteSource(&source))
	assert.Contains(t, source.String(), "SHFL.BFLY")
	everyKind(t, r)
}

// A kernel per lane is recorded too: what its exchanges give, and nothing about where
// its Go variables got their values from.
func TestPerLane(t *testing.T) {
	dev, err := device.Lookup("h200")
	require.NoError(t, err)
	r, err := view.Record(warp.Config{Device: dev}, view.Options{}, func(e *warp.Engine) error {
		_, err := intrinsics.Launch(context.Background(), e, warp.Dim{X: 1}, warp.Dim{X: 32}, func(t *intrinsics.Thread) {
			v := int32(t.Lane())
			for d := 16; d > 0; d /= 2 {
				v += intrinsics.ShflDownSync(t, uint32(0xffffffff), v, d)
			}
		})
		return err
	})
	require.NoError(t, err)
	steps := stepsOf(t, r, false)
	assert.Contains(t, steps, "shfl.down")
	assert.Contains(t, steps, "v += intrinsics.ShflDownSync")
	assert.NotContains(t, steps, "l+16", "variables cannot be followed")
	assert.Regexp(t, `lanes +0-  7: +16 +17 +18 +19 +20 +21 +22 +23`, steps)
	everyKind(t, r)
}

// everyKind writes everything of a recording.
func everyKind(t *testing.T, r *view.Recording) {
	t.Helper()
	for _, p := range view.Pictures() {
		var b bytes.Buffer
		require.NoError(t, r.WritePicture(&b, p))
		readable(t, p.String(), b.Bytes())
	}
	var b bytes.Buffer
	require.NoError(t, r.WritePage(&b))
	b.Reset()
	require.NoError(t, r.WriteTrace(&b))
	decode(t, b.Bytes())
}

// A run that ends with a fault is shown up to there.
func TestFaultEndsTheRun(t *testing.T) {
	dev, err := device.Lookup("h200")
	require.NoError(t, err)
	r, err := view.Record(warp.Config{Device: dev}, view.Options{}, func(e *warp.Engine) error {
		in, err := warp.Global(e, make([]int32, 8))
		require.NoError(t, err)
		_, err = e.Run(context.Background(), block(32), func(w *warp.Warp) {
			v := warp.Alloc[int32](w)
			warp.Mov(v, w.LaneID())
			warp.Load(v, in, v)
		})
		return err
	})
	require.ErrorIs(t, err, warp.OutOfBounds)
	assert.Contains(t, stepsOf(t, r, false), "warp.Mov(v, w.LaneID())")
	everyKind(t, r)
	var b bytes.Buffer
	require.NoError(t, r.WritePage(&b))
	assert.Contains(t, b.String(), "out of bounds")
}

// A Config that no engine can be made of gives an error, and a recording of nothing that
// says so wherever it is written.
func TestNothingRuns(t *testing.T) {
	r, err := view.Record(warp.Config{}, view.Options{}, nil)
	require.Error(t, err)
	everyKind(t, r)
	assert.Zero(t, r.Report().Instructions)
}

// Launches that follow each other are added up, and a user's own observer is told.
func TestLaunchesAndObservers(t *testing.T) {
	dev, err := device.Lookup("h200")
	require.NoError(t, err)
	seen := 0
	c := warp.Config{Device: dev, Observer: &warp.Observer{Instr: func(warp.InstrEvent) { seen++ }}}
	r, err := view.Record(c, view.Options{}, func(e *warp.Engine) error {
		for range 2 {
			if _, err := e.Run(context.Background(), block(32), sumDown); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.EqualValues(t, r.Report().Instructions, seen)
	assert.Len(t, r.Report().Launches(), 2)
	assert.Contains(t, stepsOf(t, r, false), "of launch 1")
	var n int64
	for _, s := range profileOf(t, r).Sample {
		n += s.Value[1]
	}
	assert.EqualValues(t, seen, n)
	everyKind(t, r)
}
