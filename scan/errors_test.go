package scan_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused runs a kernel that must end with a *team.Error of the given kind.
func refused(t *testing.T, threads int, kind error, k func(w *warp.Warp, v warp.Reg[int32])) {
	t.Helper()
	_, err := engine(t, "h200").Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Set(v, 1)
		k(w, v)
	})
	var bad *team.Error
	require.ErrorAs(t, err, &bad)
	assert.ErrorIs(t, err, kind)
	assert.NotEmpty(t, bad.Advice)
}

var noIdentity = reduce.New("keep left", isa.Mov, func(a, _ int32) int32 { return a })

func TestKernelsEndWithTheReason(t *testing.T) {
	sum := reduce.Sum[int32]()
	warpScan := func(s scan.Spec[int32]) func(*warp.Warp, warp.Reg[int32]) {
		return func(_ *warp.Warp, v warp.Reg[int32]) { scan.HillisSteele(v, sum, s) }
	}
	refused(t, 32, team.ErrWidth, warpScan(scan.Spec[int32]{Width: 33}))
	refused(t, 32, team.ErrWidth, warpScan(scan.Spec[int32]{Width: -1}))
	refused(t, 32, team.ErrValid, warpScan(scan.Spec[int32]{Width: 7, Valid: team.First(8)}))
	refused(t, 32, team.ErrValid, warpScan(scan.Spec[int32]{Valid: team.First(-1)}))
	refused(t, 32, team.ErrShape, warpScan(scan.Spec[int32]{Prefix: func(_, _ warp.Reg[int32]) {}}))
	refused(t, 32, team.ErrWidth, func(_ *warp.Warp, v warp.Reg[int32]) {
		scan.Sklansky(v, sum, scan.Spec[int32]{Width: 12})
	})
	refused(t, 32, team.ErrIdentity, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.BrentKung(v, noIdentity, scan.Spec[int32]{Exclusive: warp.Alloc[int32](w)})
	})
	refused(t, 64, team.ErrIdentity, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.BlockBlelloch(v, noIdentity, scan.Spec[int32]{}, scan.NewTreeStorage[int32](w))
	})
	refused(t, 64, team.ErrStorage, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.BlockRaking(v, sum, scan.Spec[int32]{}, warp.Shared[int32](w, 60))
	})
	refused(t, 32, team.ErrStorage, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.KoggeStoneShared(v, sum, scan.Spec[int32]{}, warp.Shared[int32](w, 32))
	})
	refused(t, 64, team.ErrWidth, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.BlockHybrid(v, sum, scan.Spec[int32]{Width: 32}, reduce.NewHybridStorage[int32](w))
	})
	refused(t, 64, team.ErrShape, func(w *warp.Warp, v warp.Reg[int32]) {
		scan.BlockHybrid(v, sum, scan.Spec[int32]{Initial: v, Prefix: func(_, _ warp.Reg[int32]) {}}, reduce.NewHybridStorage[int32](w))
	})
	refused(t, 32, team.ErrActive, func(w *warp.Warp, v warp.Reg[int32]) {
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
		{"hillis-steele", noIdentity, scan.Spec[int32]{Width: 65}, 64, team.ErrWidth},
		{"hillis-steele", noIdentity, scan.Spec[int32]{}, 0, team.ErrShape},
		{"sklansky", noIdentity, scan.Spec[int32]{Width: 48}, 64, team.ErrWidth},
		{"raking", noIdentity, scan.Spec[int32]{Valid: team.First(70)}, 64, team.ErrValid},
		{"raking", noIdentity, scan.Spec[int32]{Width: 8}, 64, team.ErrWidth},
		{"blelloch", noIdentity, scan.Spec[int32]{}, 64, team.ErrIdentity},
		{"blelloch", reduce.Sum[int32](), scan.Spec[int32]{}, 64, nil},
	} {
		a, err := scan.Lookup[int32](c.name)
		require.NoError(t, err)
		assert.ErrorIs(t, a.Fits(p, c.op, c.spec, c.threads), c.kind, "%s %+v", c.name, c.spec)
	}
	_, err = scan.Lookup[int32]("blellock")
	assert.ErrorIs(t, err, team.ErrAlgorithm)

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
	assert.ErrorIs(t, try("hillis-steele", sum, scan.Shape{}), team.ErrAlgorithm)
	assert.ErrorIs(t, try("hybrid", sum, scan.Shape{Items: 40}), team.ErrShape)
	assert.ErrorIs(t, try("hybrid", sum, scan.Shape{Method: 7}), team.ErrShape)
	assert.ErrorIs(t, try("hybrid", sum, scan.Shape{Threads: 4096}), team.ErrShape)
	assert.ErrorIs(t, try("hybrid", noIdentity, scan.Shape{Exclusive: true}), team.ErrIdentity)
}
