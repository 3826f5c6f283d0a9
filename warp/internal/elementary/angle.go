package elementary

import (
	"math"
	"math/bits"
)

// reduceAngle returns x less so many quarters of a turn, between -pi/4 and pi/4,
// and how many.
func reduceAngle(x float32) (r float32, quarters int32) {
	if !(abs(x) >= 105615) {
		if x != x {
			return x, 0
		}
		quarters = int32(math.RoundToEven(float64(float32(x * 0.63661974668502807617))))
		q := float32(quarters)
		r = FMA32(q, -1.5707962512969970703, x)
		r = FMA32(q, -7.5497894158615963534e-08, r)
		return FMA32(q, -5.3903029534742383927e-15, r), quarters
	}
	if math.IsInf(float64(x), 0) {
		return float32(math.NaN()), 0
	}
	return reduceLarge(x)
}

// twoOverPi has the first 192 bits of 2/pi, the lowest word first.
var twoOverPi = [6]uint32{0x3c439041, 0xdb629599, 0xf534ddc0, 0xfc2757d1, 0x4e441529, 0xa2f9836e}

// reduceLarge multiplies the significand by as many bits of 2/pi as it takes, and
// keeps the two bits before the point and 64 behind it.
func reduceLarge(x float32) (r float32, quarters int32) {
	b := math.Float32bits(x)
	m := b<<8 | 1<<31
	e := b>>23&0xff - 128
	var p [7]uint32
	carry := uint32(0)
	for i, w := range twoOverPi {
		hi, lo := bits.Mul32(m, w)
		var c uint32
		p[i], c = bits.Add32(lo, carry, 0)
		carry = hi + c
	}
	p[6] = carry
	at, by := 6-int(e>>5), e&31
	hi, lo := p[at], p[at-1]
	if by != 0 {
		hi, lo = hi<<by|lo>>(32-by), lo<<by|p[at-2]>>(32-by)
	}
	q := hi >> 30
	hi, lo = hi<<2|lo>>30, lo<<2
	negative := b>>31 != 0
	up := hi >> 31
	q += up
	if up != 0 { // nearer to the next quarter
		hi, lo = ^hi, ^lo
	}
	r = float32(float64(int64(uint64(hi)<<32|uint64(lo))) * math.Float64frombits(0x3bf921fb54442d19))
	quarters = int32(q)
	if negative {
		quarters = -quarters
	}
	if negative != (up != 0) {
		r = -r
	}
	return r, quarters
}
