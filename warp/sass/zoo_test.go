package sass_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The kernels of testdata/programs/zoo.cu, in plain Go, as 2 blocks of 256 threads.
const (
	zooThreads = 256
	zooItems   = 2 * zooThreads
)

func zooInts(by, mod, less int32) []int32 {
	out := make([]int32, zooItems)
	for i := range out {
		out[i] = int32(uint32(i)*uint32(by)%uint32(mod)) - less
	}
	return out
}

func mulHigh(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }

func absolute(a int32) int32 { return max(a, -a) }

func zooIntegers(a, b int32) int32 {
	ua, ub := uint32(a), uint32(b)
	s := a / (b | 1)
	s ^= a % (b | 3)
	s += mulHigh(a, b)
	s ^= int32(uint64(ua) * uint64(ub) >> 32)
	ffs := int32(0)
	if a != b {
		ffs = int32(bits.TrailingZeros32(ua^ub)) + 1
	}
	s += int32(bits.OnesCount32(ua)) + int32(bits.LeadingZeros32(ub)) + ffs
	s ^= int32(bits.Reverse32(ua))
	s += int32(ub>>8&0xff | ua&0xff00 | ub>>24<<16 | ua>>24<<24)
	s ^= int32((uint64(ub)<<32 | uint64(ua)) << (ua & 31) >> 32)
	s += absolute(a) + min(a, b)*max(a, 7)
	s ^= int32(ua&0xffffff)*int32(ub&0xffffff) + absolute(a-b) + 5
	dot := s
	var sum uint32
	for k := 0; k < 32; k += 8 {
		dot += int32(int8(ua>>k)) * int32(int8(ub>>k))
		sum |= (ua>>k + ub>>k) & 0xff << k
	}
	s += dot
	return s ^ int32(sum)
}

func zooLong(a, b int64) int64 {
	high, _ := bits.Mul64(uint64(a), uint64(b))
	signed := int64(high)
	if a < 0 {
		signed -= b
	}
	if b < 0 {
		signed -= a
	}
	s := a*b + a>>(uint64(b)&63) + a<<(uint64(b)&31)
	s ^= a / (b | 1)
	s += int64(uint64(a) % (uint64(b) | 5))
	s += signed + int64(bits.OnesCount64(uint64(a))) + int64(bits.LeadingZeros64(uint64(b)))
	if a < b {
		s += 3
	}
	if uint64(a) >= uint64(b) {
		s ^= 77
	}
	return s
}

// zooFloats returns the result, and the sum of the sizes of what it is made of.
func zooFloats(x, y float32) (s, size float64) {
	a, b := float64(x), float64(y)
	terms := []float64{a / b, math.Sqrt(a), 1 / math.Sqrt(b), 1 / a, math.Floor(a), math.Ceil(b), math.Trunc(float64(x * 3)), math.RoundToEven(float64(y * 5))}
	for _, x := range terms {
		s += x
	}
	more := []float64{max(s, a) - s, min(b, 3), a, -a, a + b, a * b, min(max(a*0.1, 0), 1), math.Exp(a * 0.01), math.Log(b + 1), math.Sin(a), math.Cos(b)}
	for _, x := range more {
		s += x
	}
	for _, x := range append(terms, more...) {
		size += math.Abs(x)
	}
	return s, size
}

func zooConvert(i int, a float32, d float64) (int32, float64) {
	s := int32(a) + int32(d) + int32(uint32(a)) + int32(math.RoundToEven(float64(a))) + int32(math.Ceil(float64(a))) +
		int32(math.Floor(d)) + int32(int8(int32(a))) + int32(int16(int32(d)))
	s += int32(int64(a*1000)) + int32(uint64(d*1000)) + int32(math.Float32bits(float32(d))) + int32(math.Float64bits(d)>>32)
	p := float64(a) + float64(i)
	p += float64(s)
	p += float64(i)
	p += float64(float32(s))
	p += math.Floor(d)
	p += d / (float64(a) + 1)
	return s, p + math.Sqrt(d)
}

// half returns the number of 16 bits nearest to x, which is in the range of those.
func half(x float64) float64 {
	_, e := math.Frexp(x)
	unit := math.Ldexp(1, max(e, -13)-11)
	return math.RoundToEven(x/unit) * unit
}

func halfBits(x float64) uint16 {
	sign := uint16(math.Float64bits(x) >> 63 << 15)
	f, e := math.Frexp(math.Abs(x))
	switch {
	case x == 0:
		return sign
	case e < -13:
		return sign | uint16(math.Ldexp(math.Abs(x), 24))
	}
	return sign | uint16(e+14)<<10 | uint16(f*2048)&0x3ff
}

func zooHalves(a, b [2]float64) (out [2]float64) {
	greater := a[0] > b[0] && a[1] > b[1]
	for k := range out {
		s := half(a[k]*b[k] + half(a[k]+b[k]))
		if s = half(s * half(a[k]-b[k])); greater {
			s = -s
		}
		s = half(s + [2]float64{a[0], b[1]}[k])
		out[k] = max(s, min(a[k], b[k]))
	}
	return out
}

func zooSwitch(a int32) int32 {
	s := [12]int32{a * 3, a ^ 5, a - 77, a >> 3, ^a, a | 1024, a & 255, a * a, -a, a + 9, a << 2, a / 3}[a%12]
	for range a & 7 {
		if s&1 != 0 {
			s = s*3 + 1
		} else {
			s >>= 1
		}
		if s == 1 {
			break
		}
	}
	return s
}

func zooLanes(x []int32) []int32 {
	out := make([]int32, len(x))
	for i, a := range x {
		w := x[i&^31 : i&^31+32]
		l := i & 31
		up, down := a, a
		if l%16 >= 3 {
			up = w[l-3]
		}
		if l%8+5 < 8 {
			down = w[l+5]
		}
		s := w[a&31] + up + down + w[l^9]
		var anyFive, fours, like uint32
		all, same := int32(1), int32(1)
		for k, b := range w {
			if b == 5 {
				anyFive = 1
			}
			if b <= -100 {
				all = 0
			}
			if b>>30 != w[0]>>30 {
				same = 0
			}
			fours += uint32(b) >> 2 & 1
			if b&3 == a&3 {
				like |= 1 << k
			}
		}
		s += int32(anyFive) + 2*all + int32(fours)
		s ^= int32(like)
		s += -same + same
		if l&1 != 0 {
			s += 16 + w[1]
		}
		other := i ^ 1
		out[i] = s ^ int32((uint64(int64(x[other]))<<20|uint64(other))>>13)
	}
	return out
}

func fibonacci(n int32) int32 {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

// What the kernels leave, compiled for any architecture, is what plain Go computes.
func TestZoo(t *testing.T) {
	for _, arch := range []int{75, 80, 86, 90, 100, 120} {
		l := listing(t, fmt.Sprintf("archs/zoo.sm_%d.whole.gz", arch))
		run := func(name string, blocks, threads int, args ...func(e *warp.Engine) sass.Arg) {
			e := engine(t, warp.Config{ValuesOnly: true})
			launch := sass.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}
			for _, a := range args {
				launch.Args = append(launch.Args, a(e))
			}
			_, err := sass.Run(context.Background(), e, programOf(t, l, name), launch)
			require.NoError(t, err, "%s of sm_%d", name, arch)
		}
		equal := func(name string, want, got any) {
			assert.Equal(t, want, got, "%s of sm_%d", name, arch)
		}
		n := func(*warp.Engine) sass.Arg { return sass.Value(int32(zooItems)) }
		x, y := zooInts(2654435, 1<<20, 1<<19), zooInts(40503, 1<<16, 1<<15)
		mapped := func(f func(i int) int32) []int32 {
			out := make([]int32, zooItems)
			for i := range out {
				out[i] = f(i)
			}
			return out
		}
		positive := mapped(func(i int) int32 { return absolute(x[i]) })
		o := make([]int32, zooItems)

		run("zoo_integers", 2, zooThreads, of(t, x), of(t, y), of(t, o), n)
		equal("zoo_integers", mapped(func(i int) int32 { return zooIntegers(x[i], y[i]) }), o)

		lx, ly, lo, lw := make([]int64, zooItems), make([]int64, zooItems), make([]int64, zooItems), make([]int64, zooItems)
		for i := range lx {
			lx[i], ly[i] = int64(x[i])*0x12345678d, int64(y[i])*0x4321b-7
			lw[i] = zooLong(lx[i], ly[i])
		}
		run("zoo_long", 2, zooThreads, of(t, lx), of(t, ly), of(t, lo), n)
		equal("zoo_long", lw, lo)

		fx, fy, fo := make([]float32, zooItems), make([]float32, zooItems), make([]float32, zooItems)
		d, p, wantP := make([]float64, zooItems), make([]float64, zooItems), make([]float64, zooItems)
		for i := range fx {
			fx[i], fy[i], d[i] = float32(i)*0.37+0.25, float32(i%97)*0.11+0.5, float64(i)*13.61+0.3
		}
		run("zoo_floats", 2, zooThreads, of(t, fx), of(t, fy), of(t, fo), n)
		for i := range fo {
			want, size := zooFloats(fx[i], fy[i])
			if !assert.LessOrEqual(t, math.Abs(want-float64(fo[i])), size*2e-6, "zoo_floats of sm_%d, item %d: %v, want %v", arch, i, fo[i], want) {
				break
			}
		}

		wantO := make([]int32, zooItems)
		for i := range wantO {
			wantO[i], wantP[i] = zooConvert(i, fx[i], d[i])
		}
		run("zoo_convert", 2, zooThreads, of(t, fx), of(t, d), of(t, o), of(t, p), n)
		equal("zoo_convert", wantO, o)
		equal("zoo_convert", wantP, p)

		hx, hy, ho, hw := make([]uint32, zooItems), make([]uint32, zooItems), make([]uint32, zooItems), make([]uint32, zooItems)
		pack := func(v [2]float64) uint32 { return uint32(halfBits(v[0])) | uint32(halfBits(v[1]))<<16 }
		for i := range hx {
			a := [2]float64{half(float64(i)*0.031 + 0.5), half(3.7 - float64(i)*0.013)}
			b := [2]float64{half(float64(i%31)*0.21 + 0.1), half(float64(i%7) * 0.4)}
			hx[i], hy[i], hw[i] = pack(a), pack(b), pack(zooHalves(a, b))
		}
		run("zoo_halves", 2, zooThreads, of(t, hx), of(t, hy), of(t, ho), n)
		equal("zoo_halves", hw, ho)

		var sum, most, or, xor int32
		and, least := int32(-1), int32(math.MaxInt32)
		for _, a := range positive {
			sum, most, least = sum+a, max(most, a), min(least, a)
			and, or, xor = and&(a|0xff), or|1<<(a&31), xor^a
		}
		results := make([]int32, 64+zooItems)
		results[1], results[3], results[7] = math.MaxInt32, -1, 100
		longs, f, g := make([]uint64, 3), []float32{1}, []float64{2}
		run("zoo_atomics", 2, zooThreads, of(t, positive), of(t, results), of(t, longs), of(t, f), of(t, g))
		equal("zoo_atomics", []int32{sum, least, most, and, or, xor, zooItems, 1000 - (zooItems - 101), 5, 1}, results[:10])
		equal("zoo_atomics", slices.Repeat([]int32{1}, zooItems), results[64:])
		equal("zoo_atomics", []uint64{uint64(sum), uint64(sum), uint64(most)}, longs)
		equal("zoo_atomics", []float64{1 + zooItems/4, 2 + zooItems/2}, []float64{float64(f[0]), g[0]})

		// Items that add to other words than those of which they are the largest.
		sx := mapped(func(i int) int32 { return int32(i*7%100 | (100+i*3%100)<<8 | i%5<<20) })
		run("zoo_shared", 2, zooThreads, of(t, sx), of(t, o), n)
		for b := 0; b < zooItems; b += zooThreads {
			s, q := make([]int32, 256), make([]int32, 4)
			odd := int32(0)
			for _, a := range sx[b : b+zooThreads] {
				s[a&255]++
				q[a&3] += a
				odd += a & 1
			}
			for _, a := range sx[b : b+zooThreads] {
				s[a>>8&255] = max(s[a>>8&255], a&7)
			}
			s[253], s[255] = 4, 9
			for k := range zooThreads {
				wantO[b+k] = s[k] + q[k&3] + odd + 1
			}
		}
		equal("zoo_shared", wantO, o)

		run("zoo_lanes", 2, zooThreads, of(t, x), of(t, o), n)
		equal("zoo_lanes", zooLanes(x), o)

		run("zoo_switch", 2, zooThreads, of(t, positive), of(t, o), n)
		equal("zoo_switch", mapped(func(i int) int32 { return zooSwitch(positive[i]) }), o)

		run("zoo_local", 2, zooThreads, of(t, positive), of(t, o), n)
		equal("zoo_local", mapped(func(i int) int32 {
			q := make([]int32, 16)
			for k := range q {
				q[k] = positive[(i+k)%zooItems]
			}
			slices.Sort(q)
			return q[positive[i]&15] + q[3]
		}), o)

		run("zoo_calls", 2, zooThreads, of(t, positive), of(t, o), n)
		equal("zoo_calls", mapped(func(i int) int32 { return fibonacci(positive[i] & 7) }), o)

		bx, by, bz, bw, bv, bu := make([]uint8, zooItems), make([]int8, zooItems), make([]uint16, zooItems), make([]int16, zooItems), make([]uint32, zooItems), make([]float32, 4*zooItems)
		for i := range bx {
			bx[i], by[i], bv[i] = uint8(i*7), int8(i*5), uint32(i)*0x01020304
		}
		for i := range bu {
			bu[i] = float32(i)
		}
		run("zoo_bytes", 2, zooThreads, of(t, bx), of(t, by), of(t, bz), of(t, bw), of(t, bv), of(t, bu), n)
		for i := range bx {
			a, b, v := int(bx[i]), int(by[i]), uint32(i)*0x01020304
			f := [4]float32{float32(4 * i), 2 * float32(4*i+1), float32(4*i+2) + float32(4*i), float32(4*i + 3)}
			want := v&0x00ffff00 | (v+uint32(a))&0xff | (v>>24^uint32(b)&0xff)<<24
			equal("zoo_bytes", []any{uint16(a * b), int16(a - b), want, f}, []any{bz[i], bw[i], bv[i], [4]float32(bu[4*i:])})
		}

		gx := mapped(func(i int) int32 { return int32(i * 5) })[:64]
		before := slices.Clone(gx)
		run("zoo_generic", 1, 64, of(t, gx), of(t, o), n)
		for i, a := range before {
			want, left := a, a
			if a&1 != 0 {
				want = int32(i)
			} else if a&2 != 0 {
				left = 3
			}
			equal("zoo_generic", []int32{want, left}, []int32{o[i], gx[i]})
		}
	}
}

// of makes memory of an array.
func of[T any](t *testing.T, data []T) func(e *warp.Engine) sass.Arg {
	return func(e *warp.Engine) sass.Arg { return sass.Buffer(global(t, e, data)) }
}

// What nvdisasm prints without -c has the banks of constants too: those of the module and
// the compiler's own, of which each function sees its own.
func TestConstantsOfListings(t *testing.T) {
	l := listing(t, "archs/zoo.sm_80.whole.gz")
	f, err := l.Find("zoo_switch")
	require.NoError(t, err)
	require.Len(t, f.Constants[2], 56)
	assert.EqualValues(t, 0x320, binary.LittleEndian.Uint32(f.Constants[2]))
	assert.Len(t, f.Constants[3], 256)
	f, err = l.Find("zoo_bytes")
	require.NoError(t, err)
	assert.NotContains(t, f.Constants, 2)
}
