package reduce_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/reduce"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onWarp reduces the items of a full warp of the H200 in order.
func onWarp[T any](t *testing.T, op reduce.Op[T], in []T) T {
	t.Helper()
	a, err := reduce.Lookup[T]("shuffle-interleaved")
	require.NoError(t, err)
	return collective(t, engine(t, "h200"), a, op, in, reduce.Tile{})[0]
}

func TestArgMinArgMax(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		in := make([]reduce.Indexed[int32], 32)
		low, high := 0, 0
		for i := range in {
			in[i] = reduce.Indexed[int32]{Value: r.Int32N(9), Index: int32(i)}
			if in[i].Value < in[low].Value {
				low = i
			}
			if in[i].Value > in[high].Value {
				high = i
			}
		}
		assert.Equal(t, in[low], onWarp(t, reduce.ArgMin[int32](), in))
		assert.Equal(t, in[high], onWarp(t, reduce.ArgMax[int32](), in))
	}
	nan := float32(math.NaN())
	at := func(v float32, i int32) reduce.Indexed[float32] { return reduce.Indexed[float32]{Value: v, Index: i} }
	for _, op := range []reduce.Op[reduce.Indexed[float32]]{reduce.ArgMin[float32](), reduce.ArgMax[float32]()} {
		assert.Equal(t, int32(4), op.Combine(at(nan, 3), at(1, 4)).Index, op.Name)
		assert.Equal(t, int32(4), op.Combine(at(1, 4), at(nan, 3)).Index, op.Name)
		assert.Equal(t, int32(3), op.Combine(at(nan, 7), at(nan, 3)).Index, op.Name)
		assert.Equal(t, at(op.Identity.Value, 0), op.Combine(op.Identity, at(op.Identity.Value, 0)), op.Name)
	}
}

func TestVariance(t *testing.T) {
	in := make([]reduce.Moments[float64], 32)
	for i := range in {
		in[i] = reduce.Moments[float64]{N: 1, Mean: float64(i + 1)}
	}
	m := onWarp(t, reduce.Variance[float64](), in)
	// Of 1 to n: mean (n+1)/2, sum of squared deviations n(n²-1)/12.
	assert.Equal(t, reduce.Moments[float64]{N: 32, Mean: 16.5, M2: 32 * (32*32 - 1) / 12}, m)
}

func TestLogSumExp(t *testing.T) {
	in := make([]reduce.LogSum[float64], 32)
	for i := range in {
		in[i] = reduce.LogSum[float64]{Max: 1000, Sum: 1}
	}
	op := reduce.LogSumExp[float64]()
	assert.InDelta(t, 1000+math.Log(32), onWarp(t, op, in).Value(), 1e-12)
	assert.True(t, math.IsInf(op.Identity.Value(), -1))
	one := reduce.LogSum[float64]{Max: -3, Sum: 1}
	assert.Equal(t, one, op.Combine(op.Identity, one))
	assert.Equal(t, one, op.Combine(one, op.Identity))
}

func TestKahanSumKeepsWhatRoundingLoses(t *testing.T) {
	in := make([]reduce.Compensated[float32], 32)
	in[0].Sum = 1 << 24
	for i := 1; i < 31; i++ {
		in[i].Sum = 0.25
	}
	in[31].Sum = -(1 << 24)
	got := onWarp(t, reduce.KahanSum[float32](), in)
	assert.Equal(t, float32(7.5), got.Sum+got.Lost)
	plain := make([]float32, 32)
	for i := range in {
		plain[i] = in[i].Sum
	}
	assert.NotEqual(t, float32(7.5), onWarp(t, reduce.Sum[float32](), plain), "the test asks for nothing")
}

func TestComposeIsARecurrence(t *testing.T) {
	in := make([]reduce.Affine[int32], 32)
	x := int32(5)
	for i := range in {
		in[i] = reduce.Affine[int32]{A: int32(2*i + 1), B: int32(i - 7)}
		x = in[i].A*x + in[i].B
	}
	f := onWarp(t, reduce.Compose[int32](), in)
	assert.Equal(t, x, f.A*5+f.B)
}

func TestBoundsAndLogic(t *testing.T) {
	bounds := make([]reduce.Bounds[float32], 32)
	yes := make([]bool, 32)
	for i := range bounds {
		v := float32((i*7)%32 - 9)
		bounds[i] = reduce.Bounds[float32]{Min: v, Max: v}
		yes[i] = true
	}
	assert.Equal(t, reduce.Bounds[float32]{Min: -9, Max: 22}, onWarp(t, reduce.MinMax[float32](), bounds))
	assert.True(t, onWarp(t, reduce.All(), yes))
	yes[9] = false
	assert.False(t, onWarp(t, reduce.All(), yes))
	assert.True(t, onWarp(t, reduce.Any(), yes))
	assert.False(t, onWarp(t, reduce.Any(), make([]bool, 32)))
}

// An identity changes nothing on either side.
func TestIdentities(t *testing.T) {
	checkIdentity(t, reduce.Sum[int32](), 7)
	checkIdentity(t, reduce.Product[int8](), 7)
	checkIdentity(t, reduce.Min[uint8](), 255)
	checkIdentity(t, reduce.Max[uint8](), 0)
	checkIdentity(t, reduce.Min[int64](), math.MaxInt64)
	checkIdentity(t, reduce.Max[int64](), math.MinInt64)
	checkIdentity(t, reduce.Min[float32](), float32(math.Inf(1)))
	checkIdentity(t, reduce.Max[float64](), -math.MaxFloat64)
	checkIdentity(t, reduce.And[int16](), -3)
	checkIdentity(t, reduce.Or[uint64](), 1<<63)
	checkIdentity(t, reduce.Xor[int32](), -1)
	checkIdentity(t, reduce.MinMax[int32](), reduce.Bounds[int32]{Min: math.MaxInt32, Max: math.MinInt32})
	checkIdentity(t, reduce.Variance[float32](), reduce.Moments[float32]{N: 3, Mean: 2, M2: 1})
	checkIdentity(t, reduce.Compose[float64](), reduce.Affine[float64]{A: 3, B: 2})
	checkIdentity(t, reduce.KahanSum[float64](), reduce.Compensated[float64]{Sum: 3, Lost: 1e-20})
	checkIdentity(t, reduce.All(), false)
	checkIdentity(t, reduce.Any(), true)
}

func checkIdentity[T comparable](t *testing.T, op reduce.Op[T], v T) {
	t.Helper()
	require.True(t, op.HasIdentity, op.Name)
	assert.Equal(t, v, op.Combine(op.Identity, v), op.Name)
	assert.Equal(t, v, op.Combine(v, op.Identity), op.Name)
}
