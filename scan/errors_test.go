package scan_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused runs a kernel that must end with a *reduce.Error of the given kind.
func refused(t *testing.T, threads int, kind error, k func(w *warp.Warp, v warp.Reg[int32])) {
	t.Helper()
	_, err := engine(t, "h200").Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Set(v, 1)
		k(w, v)
	})
	var bad *reduce.Error
	require.ErrorAs(t, err, &bad)
	assert.ErrorIs(t, err, kind)
	assert.NotEmpty(t, bad.Advice)
}

var noIdentity = reduce.New("keep left", 0, func(a, _ int32) int32 { return a })

func TestKernelsEndWithTheReason(t *testing.T) {
	sum := reduce.Sum[int32]()
	warpScan := func(s scan.Spec[int32]) func(*warp.Warp, warp.Reg[int32]) {
		return func(_ *warp.Warp, v warp.Reg[int32]) { scan.HillisSteele(v, sum, s) }
	}
	refused(t, 32, reduce.ErrWidth, warpScan(scan.Spec[int32]{Width: 33}))
	refused(t, 32, reduce.ErrWidth, warpScan(scan.Spec[int32]{Width: -1}))
	refused(t, 32, reduce.ErrValid, warpScan(scan.Spec[int32]{Width: 7, Valid: 8}))
	refused(t, 32, reduce.ErrValid, warpScan(scan.Spec[int32]{Valid: -1}))
	refused(t, 32, reduce.ErrShape, warpScan(scan.Spec[int32]{Prefix: func(_, _ warp.Reg[int32]) {}}))
	refused(t, 32, reduce.ErrWidth, func(_ *warp.Warp, v warp.Reg[int32]) {
		scan.Sklansky(v, sum, scan.Spec[int32]{Width: 12})
	})
	refused(t, 32, reduce.ErrIdentity, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.BrentKung(v, noIdentity, scan.Spec[int32]{Exclusive: warp.Alloc[int32](w)})
	})
	refused(t, 64, reduce.ErrIdentity, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.Blelloch(v, noIdentity, scan.Spec[int32]{}, scan.Shared[int32](w, scan.TreeStorage))
	})
	refused(t, 64, reduce.ErrStorage, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.Raking(v, sum, scan.Spec[int32]{}, warp.Shared[int32](w, 60))
	})
	refused(t, 32, reduce.ErrStorage, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.KoggeStoneShared(v, sum, scan.Spec[int32]{}, warp.Shared[int32](w, 32))
	})
	refused(t, 64, reduce.ErrWidth, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.Hybrid(v, sum, scan.Spec[int32]{Width: 32}, scan.Shared[int32](w, scan.HybridStorage))
	})
	refused(t, 64, reduce.ErrShape, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.Hybrid(v, sum, scan.Spec[int32]{Initial: v, Prefix: func(_, _ warp.Reg[int32]) {}}, scan.Shared[int32](w, scan.HybridStorage))
	})
	refused(t, 32, reduce.ErrActive, func(w *warp.Warp, v warp.Reg[int32]) {
		p := w.Pred()
		warp.SetPred(p, lane.Range(1, 9))
		w.If(p, func() { scan.HillisSteele(v, sum, scan.Spec[int32]{}) })
	})
}

func TestFitsAndGridRefuse(t *testing.T) {
	p, err := device.Lookup("mi300x")
	require.NoError(t, err)
	for _, c := range []struct {
		name    string
		op      reduce.Op[int32]
		spec    scan.Spec[int32]
		threads int
		kind    error
	}{
		{"hillis-steele", noIdentity, scan.Spec[int32]{Width: 64}, 64, nil},
		{"hillis-steele", noIdentity, scan.Spec[int32]{Width: 65}, 64, reduce.ErrWidth},
		{"hillis-steele", noIdentity, scan.Spec[int32]{}, 0, reduce.ErrShape},
		{"sklansky", noIdentity, scan.Spec[int32]{Width: 48}, 64, reduce.ErrWidth},
		{"raking", noIdentity, scan.Spec[int32]{Valid: 70}, 64, reduce.ErrValid},
		{"raking", noIdentity, scan.Spec[int32]{Width: 8}, 64, reduce.ErrWidth},
		{"blelloch", noIdentity, scan.Spec[int32]{}, 64, reduce.ErrIdentity},
		{"blelloch", reduce.Sum[int32](), scan.Spec[int32]{}, 64, nil},
	} {
		a, err := scan.Lookup[int32](c.name)
		require.NoError(t, err)
		assert.ErrorIs(t, a.Fits(p, c.op, c.spec, c.threads), c.kind, "%s %+v", c.name, c.spec)
	}
	_, err = scan.Lookup[int32]("blellock")
	assert.ErrorIs(t, err, reduce.ErrAlgorithm)

	e := engine(t, "h200")
	try := func(name string, op reduce.Op[int32], s scan.Shape) error {
		a, err := scan.Lookup[int32](name)
		require.NoError(t, err)
		_, report, err := scan.Grid(context.Background(), e, make([]int32, 100), op, a, s)
		require.NotNil(t, report)
		return err
	}
	sum := reduce.Sum[int32]()
	assert.NoError(t, try("hybrid", noIdentity, scan.Shape{}))
	assert.ErrorIs(t, try("hillis-steele", sum, scan.Shape{}), reduce.ErrAlgorithm)
	assert.ErrorIs(t, try("hybrid", sum, scan.Shape{Items: 40}), reduce.ErrShape)
	assert.ErrorIs(t, try("hybrid", sum, scan.Shape{Method: 7}), reduce.ErrShape)
	assert.ErrorIs(t, try("hybrid", sum, scan.Shape{Threads: 4096}), reduce.ErrShape)
	assert.ErrorIs(t, try("hybrid", noIdentity, scan.Shape{Exclusive: true}), reduce.ErrIdentity)
}
