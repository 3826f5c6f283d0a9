package sass

import (
	"math"
	"math/bits"
	"unsafe"
)

// The loops that most of a run is spent in. They take four lanes at a time, with
// operands that are read in place: the form in which the compiler needs about one
// cycle a lane.

type (
	fours  = [lanes / 4][4]uint32
	singly = [lanes / 4][4]float32
	longs  = [lanes / 8][4]uint64 // two lanes each: for what is done bit by bit
)

func by4(r *row) *fours       { return (*fours)(unsafe.Pointer(r)) }
func asFloats(r *row) *singly { return (*singly)(unsafe.Pointer(r)) }
func asLongs(r *row) *longs   { return (*longs)(unsafe.Pointer(r)) }

func addRows(d, a, b *row) {
	x, y, z := by4(d), by4(a), by4(b)
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		p[0], p[1], p[2], p[3] = q[0]+r[0], q[1]+r[1], q[2]+r[2], q[3]+r[3]
	}
}

func add3Rows(d, a, b, c *row) {
	x, y, z, w := by4(d), by4(a), by4(b), by4(c)
	for i := range x {
		p, q, r, s := &x[i], &y[i], &z[i], &w[i]
		p[0], p[1], p[2], p[3] = q[0]+r[0]+s[0], q[1]+r[1]+s[1], q[2]+r[2]+s[2], q[3]+r[3]+s[3]
	}
}

func mulAddRows(d, a, b, c *row) {
	x, y, z, w := by4(d), by4(a), by4(b), by4(c)
	for i := range x {
		p, q, r, s := &x[i], &y[i], &z[i], &w[i]
		p[0], p[1], p[2], p[3] = q[0]*r[0]+s[0], q[1]*r[1]+s[1], q[2]*r[2]+s[2], q[3]*r[3]+s[3]
	}
}

func andRows(d, a, b *row) {
	x, y, z := asLongs(d), asLongs(a), asLongs(b)
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		p[0], p[1], p[2], p[3] = q[0]&r[0], q[1]&r[1], q[2]&r[2], q[3]&r[3]
	}
}

func orRows(d, a, b *row) {
	x, y, z := asLongs(d), asLongs(a), asLongs(b)
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		p[0], p[1], p[2], p[3] = q[0]|r[0], q[1]|r[1], q[2]|r[2], q[3]|r[3]
	}
}

func xorRows(d, a, b *row) {
	x, y, z := asLongs(d), asLongs(a), asLongs(b)
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		p[0], p[1], p[2], p[3] = q[0]^r[0], q[1]^r[1], q[2]^r[2], q[3]^r[3]
	}
}

// shiftLeft, shiftRight and shiftSigned shift by a number below 32.
func shiftLeft(d, a *row, n uint32) {
	x, y := by4(d), by4(a)
	n &= 31
	for i := range x {
		p, q := &x[i], &y[i]
		p[0], p[1], p[2], p[3] = q[0]<<n, q[1]<<n, q[2]<<n, q[3]<<n
	}
}

func shiftRight(d, a *row, n uint32) {
	x, y := by4(d), by4(a)
	n &= 31
	for i := range x {
		p, q := &x[i], &y[i]
		p[0], p[1], p[2], p[3] = q[0]>>n, q[1]>>n, q[2]>>n, q[3]>>n
	}
}

func shiftSigned(d, a *row, n uint32) {
	x, y := by4(d), by4(a)
	n &= 31
	for i := range x {
		p, q := &x[i], &y[i]
		p[0], p[1] = uint32(int32(q[0])>>n), uint32(int32(q[1])>>n)
		p[2], p[3] = uint32(int32(q[2])>>n), uint32(int32(q[3])>>n)
	}
}

// funnel is the upper word of two words shifted left by a number from 1 to 31.
func funnel(d, low, high *row, n uint32) {
	x, y, z := by4(d), by4(low), by4(high)
	n &= 31
	k := (32 - n) & 31
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		p[0], p[1], p[2], p[3] = r[0]<<n|q[0]>>k, r[1]<<n|q[1]>>k, r[2]<<n|q[2]>>k, r[3]<<n|q[3]>>k
	}
}

// addCarry adds two words, whose bits are turned first, one, and the carries of in,
// and returns the carries that leave, of which no lane has more than one.
func addCarry(d, a, b *row, turnA, turnB uint32, one uint64, in uint32) (out uint32) {
	x, y, z := by4(d), by4(a), by4(b)
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		s0 := uint64(q[0]^turnA) + uint64(r[0]^turnB) + one + uint64(in&1)
		s1 := uint64(q[1]^turnA) + uint64(r[1]^turnB) + one + uint64(in>>1&1)
		s2 := uint64(q[2]^turnA) + uint64(r[2]^turnB) + one + uint64(in>>2&1)
		s3 := uint64(q[3]^turnA) + uint64(r[3]^turnB) + one + uint64(in>>3&1)
		in >>= 4
		p[0], p[1], p[2], p[3] = uint32(s0), uint32(s1), uint32(s2), uint32(s3)
		out = bits.RotateLeft32(out|uint32(s0>>32)|uint32(s1>>32)<<1|uint32(s2>>32)<<2|uint32(s3>>32)<<3, -4)
	}
	return out
}

// mulWideSigned and mulWideUnsigned are products of 64 bits and a sum.
func mulWideSigned(low, high, a, b, c, ch *row) {
	for i := range low {
		s := int64(int32(a[i]))*int64(int32(b[i])) + int64(uint64(c[i])|uint64(ch[i])<<32)
		low[i], high[i] = uint32(s), uint32(s>>32)
	}
}

func mulWideUnsigned(low, high, a, b, c, ch *row) {
	for i := range low {
		s := uint64(a[i])*uint64(b[i]) + (uint64(c[i]) | uint64(ch[i])<<32)
		low[i], high[i] = uint32(s), uint32(s>>32)
	}
}

// addFloats and mulFloats report whether all results are numbers: else some have to
// be given their pattern.
func addFloats(d, a, b *row) (numbers bool) {
	x, y, z := asFloats(d), asFloats(a), asFloats(b)
	numbers = true
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		s, t, u, v := q[0]+r[0], q[1]+r[1], q[2]+r[2], q[3]+r[3]
		if s != s || t != t || u != u || v != v {
			numbers = false
		}
		p[0], p[1], p[2], p[3] = s, t, u, v
	}
	return numbers
}

func mulFloats(d, a, b *row) (numbers bool) {
	x, y, z := asFloats(d), asFloats(a), asFloats(b)
	numbers = true
	for i := range x {
		p, q, r := &x[i], &y[i], &z[i]
		s, t, u, v := q[0]*r[0], q[1]*r[1], q[2]*r[2], q[3]*r[3]
		if s != s || t != t || u != u || v != v {
			numbers = false
		}
		p[0], p[1], p[2], p[3] = s, t, u, v
	}
	return numbers
}

// patterns gives results that are no numbers the one pattern of the chip.
func patterns(d *row) {
	for i, x := range d {
		d[i] = bits32(math.Float32frombits(x))
	}
}

// fmaFloats is fma32 lane by lane by way of doubles, and returns, a bit for four lanes,
// where one of them may have been rounded twice: these have to be done again with more
// care. d must be none of the others.
func fmaFloats(d, a, b, c *row) (twice uint8) {
	x, y, z, w := asFloats(d), asFloats(a), asFloats(b), asFloats(c)
	for i := range x {
		p, q, r, s := &x[i], &y[i], &z[i], &w[i]
		s0 := float64(q[0])*float64(r[0]) + float64(s[0])
		s1 := float64(q[1])*float64(r[1]) + float64(s[1])
		s2 := float64(q[2])*float64(r[2]) + float64(s[2])
		s3 := float64(q[3])*float64(r[3]) + float64(s[3])
		p[0], p[1], p[2], p[3] = float32(s0), float32(s1), float32(s2), float32(s3)
		u0, u1, u2, u3 := math.Float64bits(s0), math.Float64bits(s1), math.Float64bits(s2), math.Float64bits(s3)
		// The middle of two singles has one bit in the lowest 29; outside the normal
		// singles the bits that are cut are others.
		const middle, least, span = 1 << 63, 0x391 << 53, (0x7ff - 0x391) << 53
		if u0<<35 == middle || u1<<35 == middle || u2<<35 == middle || u3<<35 == middle {
			twice |= 1 << i
		}
		if u0<<1-least >= span || u1<<1-least >= span || u2<<1-least >= span || u3<<1-least >= span {
			twice |= 1 << i
		}
	}
	return twice
}

// broadcastRow sets all lanes to one value.
func broadcastRow(d *row, v uint32) {
	x := asLongs(d)
	u := uint64(v) | uint64(v)<<32
	for i := range x {
		p := &x[i]
		p[0], p[1], p[2], p[3] = u, u, u, u
	}
}

// same reports whether all lanes have one value.
func same(a *row) bool {
	x, v := by4(a), a[0]
	var or uint32
	for i := range x {
		p := &x[i]
		or |= (p[0] ^ v) | (p[1] ^ v) | (p[2] ^ v) | (p[3] ^ v)
	}
	return or == 0
}

// lessLanes returns the lanes in which a is below b, as the type has it; what is no
// number is below nothing.
func lessLanes[T uint32 | int32 | float32](a, b *row) (r uint32) {
	x, y := (*[lanes / 4][4]T)(unsafe.Pointer(a)), (*[lanes / 4][4]T)(unsafe.Pointer(b))
	for i := range x {
		p, q := &x[i], &y[i]
		var b0, b1, b2, b3 uint32
		if p[0] < q[0] {
			b0 = 1
		}
		if p[1] < q[1] {
			b1 = 1
		}
		if p[2] < q[2] {
			b2 = 1
		}
		if p[3] < q[3] {
			b3 = 1
		}
		r = bits.RotateLeft32(r|b0|b1<<1|b2<<2|b3<<3, -4)
	}
	return r
}

// equalLanes returns the lanes in which a equals b.
func equalLanes[T uint32 | float32](a, b *row) (r uint32) {
	x, y := (*[lanes / 4][4]T)(unsafe.Pointer(a)), (*[lanes / 4][4]T)(unsafe.Pointer(b))
	for i := range x {
		p, q := &x[i], &y[i]
		var b0, b1, b2, b3 uint32
		if p[0] == q[0] {
			b0 = 1
		}
		if p[1] == q[1] {
			b1 = 1
		}
		if p[2] == q[2] {
			b2 = 1
		}
		if p[3] == q[3] {
			b3 = 1
		}
		r = bits.RotateLeft32(r|b0|b1<<1|b2<<2|b3<<3, -4)
	}
	return r
}

// gatherWords takes a word of each lane from its address and off, counted from a
// place in memory: what lies there has been held against the bounds.
func gatherWords(d *row, from unsafe.Pointer, off int, at *[lanes]uint64) {
	x, y := by4(d), (*[lanes / 4][4]uint64)(unsafe.Pointer(at))
	for i := range x {
		p, q := &x[i], &y[i]
		p[0], p[1] = *(*uint32)(unsafe.Add(from, int(q[0])+off)), *(*uint32)(unsafe.Add(from, int(q[1])+off))
		p[2], p[3] = *(*uint32)(unsafe.Add(from, int(q[2])+off)), *(*uint32)(unsafe.Add(from, int(q[3])+off))
	}
}
