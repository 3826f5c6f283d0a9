package sass

import (
	"math"
	"math/bits"
)

func runFADD(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1)
	if !addFloats(d, a, b) {
		patterns(d)
	}
	m.commit(o.d, 0)
}

func runFMUL(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1)
	if !mulFloats(d, a, b) {
		patterns(d)
	}
	m.commit(o.d, 0)
}

func runFFMA(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	t := d
	if d == a || d == b || d == c {
		t = &m.tmp[1]
	}
	for w := fmaFloats(t, a, b, c); w != 0; w &= w - 1 {
		first := 4 * bits.TrailingZeros8(w)
		for i := first; i < first+4; i++ {
			t[i&31] = fma32(a[i&31], b[i&31], c[i&31])
		}
	}
	if t != d {
		*d = *t
	}
	m.commit(o.d, 0)
}

// runFloat is an addition, product or both with a direction of rounding, denormals
// as zeros, or a result from 0 to 1. sub says which: 0, 1, 2.
func runFloat(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	r := rounding(o.table)
	ftz := o.flags&flagFlush != 0
	for i := range d {
		x, y, z := a[i], b[i], c[i]
		if ftz {
			x, y, z = flush(x), flush(y), flush(z)
		}
		fx, fy, fz := float64(math.Float32frombits(x)), float64(math.Float32frombits(y)), float64(math.Float32frombits(z))
		var v float64
		switch o.sub {
		case 0:
			v = exactZero(fx, fy, r)
		case 1:
			v = fx * fy
			if o.imm != 0 { // scaled by a power of two
				v = math.Ldexp(v, int(o.imm))
			}
		default:
			v = exactZero(fx*fy, fz, r)
		}
		u := round32(v, r)
		if ftz {
			u = flush(u)
		}
		if o.flags&flagSaturate != 0 {
			u = saturate(u)
		}
		d[i] = u
	}
	m.commit(o.d, 0)
}

func runFMNMX(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1)
	p := m.holds(o.p)
	for i := range d {
		x, y := a[i], b[i]
		if o.flags&flagFlush != 0 {
			x, y = flush(x), flush(y)
		}
		fx, fy := math.Float32frombits(x), math.Float32frombits(y)
		if o.flags&flagUnordered != 0 && (fx != fx || fy != fy) {
			d[i] = nan32
			continue
		}
		if p>>i&1 != 0 {
			d[i] = bits32(minFloat(fx, fy))
		} else {
			d[i] = bits32(maxFloat(fx, fy))
		}
	}
	m.commit(o.d, 0)
}

// runFCHK finds the lanes in which a quotient needs more care than a reciprocal
// and two corrections: where one of them, or a step between, is no normal number.
func runFCHK(m *machine, o *op) {
	a, b := m.in(o.a, 0), m.in(o.b, 1)
	var r uint32
	for i := range a {
		x, y := int(a[i]>>23&255), int(b[i]>>23&255)
		zero := a[i]<<1 == 0
		if x == 255 || y == 0 || y >= 253 || !zero && (x < 25 || x-y > 126 || x-y < -124) {
			r |= 1 << i
		}
	}
	m.setPred(o.pd, r)
}

// Functions of MUFU.
var specials = map[string]func(x float64) float64{
	"RCP":  func(x float64) float64 { return 1 / x },
	"RSQ":  func(x float64) float64 { return 1 / math.Sqrt(x) },
	"SQRT": math.Sqrt, "EX2": math.Exp2, "LG2": math.Log2, "TANH": math.Tanh,
	// The operand of these two is in units of a turn times 2 pi, cut by RRO before.
	"SIN": math.Sin, "COS": math.Cos,
}

// roots64 are the powers of two with exponents of k/64.
var roots64 = func() (t [64]float64) {
	for k := range t {
		t[k] = math.Exp2(float64(k) / 64)
	}
	return t
}()

// powerOfTwo is EX2: a table, and a series for what is left, to the last bits of a double
// before it is rounded, as kernels call it often.
func powerOfTwo(d, a *row, ftz bool) {
	for i, u := range a {
		x := float64(math.Float32frombits(u))
		if !(x > -1000 && x < 1000) {
			x = math.Exp2(x)
		} else {
			const whole = 1<<52 + 1<<51 // what is added to it is rounded to a whole number
			t := x*64 + whole
			r := (x*64 - (t - whole)) * (math.Ln2 / 64)
			k := int64(math.Float64bits(t)<<13) >> 13
			square := r * r
			x = (1 + r) + square*((1./2+r*(1./6))+square*(1./24+r*(1./120)))
			x = math.Float64frombits(math.Float64bits(x*roots64[k&63]) + uint64(k>>6)<<52)
		}
		v := bits32(float32(x))
		if ftz {
			v = flush(v)
		}
		d[i] = v
	}
}

var specialNames = []string{"RCP", "RSQ", "SQRT", "EX2", "LG2", "TANH", "SIN", "COS"}

// runSpecial is MUFU, rounded correctly where the chip approximates. The chip
// takes angles in turns, scaled by an FMUL before: sine and cosine of 2 pi x.
func runSpecial(m *machine, o *op) {
	d, a := m.out(o.d, 0), m.in(o.a, 0)
	name := specialNames[o.sub]
	f := specials[name]
	if name == "EX2" {
		powerOfTwo(d, a, o.flags&flagFlush != 0)
		m.commit(o.d, 0)
		return
	}
	for i := range d {
		if o.flags&flagHigh != 0 { // RCP64H, RSQ64H: the upper word of a double
			d[i] = uint32(bits64(f(double(0, a[i]))) >> 32)
			continue
		}
		x := float64(math.Float32frombits(a[i]))
		if name == "SIN" || name == "COS" {
			x *= 2 * math.Pi
		}
		v := f(x)
		if name == "RSQ" && x == 0 {
			v = math.Copysign(math.Inf(1), x)
		}
		u := bits32(float32(v))
		if o.flags&flagFlush != 0 {
			u = flush(u)
		}
		d[i] = u
	}
	m.commit(o.d, 0)
}

// runDouble is DADD, DMUL or DFMA.
func runDouble(m *machine, o *op) {
	a, ah := m.row(o.a), m.in(o.ah, 0)
	b, bh := m.row(o.b), m.in(o.bh, 1)
	c, ch := m.row(o.c), m.in(o.ch, 2)
	low, high := m.out(o.d, 0), m.out(o.d2, 1)
	r := rounding(o.table)
	for i := range low {
		x, y, z := double(a[i], ah[i]), double(b[i], bh[i]), double(c[i], ch[i])
		switch o.sub {
		case 0:
			x = add64(x, y, r)
		case 1:
			if r == nearest {
				x *= y
			} else {
				x = fma64(x, y, 0, r)
			}
		default:
			x = fma64(x, y, z, r)
		}
		u := bits64(x)
		low[i], high[i] = uint32(u), uint32(u>>32)
	}
	m.commit(o.d, 0)
	m.commit(o.d2, 1)
}

// A half says how the two halves of a packed operand are taken: in the order that
// its suffix asks for, with the sign that its modifiers say.
type half struct {
	order  uint8 // 0: both as they are, 1: the lower twice, 2: the upper twice, 3: swapped, 4: a single of 32 bits
	neg    bool
	abs    bool
	bfloat bool
}

func (h half) value(x uint32, k int) float64 {
	switch h.order {
	case 1:
		k = 0
	case 2:
		k = 1
	case 3:
		k = 1 - k
	case 4:
		v := float64(math.Float32frombits(x))
		return h.signed(v)
	}
	x = x >> (16 * k) & 0xffff
	if h.bfloat {
		return h.signed(bfloatValue(x))
	}
	return h.signed(halfValue(x))
}

func (h half) signed(v float64) float64 {
	if h.abs {
		v = math.Abs(v)
	}
	if h.neg {
		v = -v
	}
	return v
}

// runHalf is arithmetic on two 16-bit floats.
func runHalf(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.row(o.a), m.row(o.b), m.row(o.c)
	h := m.p.halves[o.imm]
	p := m.holds(o.p)
	for i := range d {
		var v uint32
		for k := range 2 {
			x, y, z := h[0].value(a[i], k), h[1].value(b[i], k), h[2].value(c[i], k)
			switch o.sub {
			case 0:
				x += y
			case 1:
				x *= y
			case 2:
				x = math.FMA(x, y, z)
			default:
				if less := p>>i&1 != 0; y != y || x == x && less == (x < y || x == y && math.Signbit(x)) {
				} else {
					x = y
				}
			}
			if o.flags&flagSaturate != 0 {
				x = min(max(x, 0), 1)
				if x != x {
					x = 0
				}
			}
			if h[0].bfloat {
				v |= bfloatBits(x) << (16 * k)
			} else {
				u := halfBits(x)
				if o.flags&flagFlush != 0 && u&0x7c00 == 0 {
					u &= 0x8000
				}
				v |= u << (16 * k)
			}
		}
		d[i] = v
	}
	m.commit(o.d, 0)
}

// runHalfWidened is HADD2.F32.
func runHalfWidened(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.row(o.a), m.row(o.b)
	h := m.p.halves[o.imm]
	for i := range d {
		x := float32(h[0].value(a[i], 0) + h[1].value(b[i], 0)) // exact before that
		if o.flags&flagSaturate != 0 {
			if x = min(max(x, 0), 1); x != x {
				x = 0
			}
		}
		d[i] = bits32(x)
	}
	m.commit(o.d, 0)
}

// runHalfCompare compares two pairs of 16-bit floats.
func runHalfCompare(m *machine, o *op) {
	a, b := m.row(o.a), m.row(o.b)
	h := m.p.halves[o.imm]
	var r [2]uint32
	for i := range a {
		for k := range 2 {
			if order(o.table, h[0].value(a[i], k), h[1].value(b[i], k)) {
				r[k] |= 1 << i
			}
		}
	}
	with := m.holds(o.p)
	if o.flags&flagAll != 0 { // H_AND
		both := combine(o.table2, r[0]&r[1], with)
		m.setPred(o.pd2, ^both)
		m.setPred(o.pd, both)
		return
	}
	x, y := combine(o.table2, r[0], with), combine(o.table2, r[1], with)
	m.setPred(o.pd2, y)
	m.setPred(o.pd, x)
}

// runHalfSet is HSET2.
func runHalfSet(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.row(o.a), m.row(o.b)
	h := m.p.halves[o.imm]
	p := m.holds(o.p)
	for i := range d {
		var v uint32
		for k := range 2 {
			if combine(o.table2, uint32(b2i(order(o.table, h[0].value(a[i], k), h[1].value(b[i], k)))), p>>i&1) != 0 {
				if o.flags&flagClear != 0 { // BF
					v |= 0x3c00 << (16 * k)
				} else {
					v |= 0xffff << (16 * k)
				}
			}
		}
		d[i] = v
	}
	m.commit(o.d, 0)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A format is how a number lies in a register.
type format struct {
	float  bool
	bfloat bool
	signed bool
	size   uint8 // bits
}

var formats = map[string]format{
	"U8": {size: 8}, "S8": {signed: true, size: 8}, "U16": {size: 16}, "S16": {signed: true, size: 16},
	"U32": {size: 32}, "S32": {signed: true, size: 32}, "U64": {size: 64}, "S64": {signed: true, size: 64},
	"F16": {float: true, size: 16}, "F32": {float: true, size: 32}, "F64": {float: true, size: 64},
	"BF16": {float: true, bfloat: true, size: 16},
}

// A conversion is from one format to another.
type conversion struct {
	from, to format
	round    rounding
	whole    bool // the result is a whole number (FRND)
	part     uint8
}

func roundWhole(x float64, r rounding) float64 {
	switch r {
	case downward:
		return math.Floor(x)
	case upward:
		return math.Ceil(x)
	case toZero:
		return math.Trunc(x)
	}
	return math.RoundToEven(x)
}

// runConvert is I2F, F2I, F2F, FRND and I2FP.
func runConvert(m *machine, o *op) {
	c := &m.p.conversions[o.imm]
	a, ah := m.in(o.a, 0), m.row(o.a)
	if o.ah.row != rowZero {
		ah = m.in(o.ah, 1)
	}
	low, high := m.out(o.d, 0), m.out(o.d2, 1)
	for i := range low {
		u := c.convert(a[i], ah[i])
		if c.to.float && c.to.size == 32 {
			if o.flags&flagFlush != 0 {
				u = uint64(flush(uint32(u)))
			}
			if o.flags&flagSaturate != 0 {
				u = uint64(saturate(uint32(u)))
			}
		}
		low[i], high[i] = uint32(u), uint32(u>>32)
	}
	m.commit(o.d, 0)
	if c.to.size == 64 {
		m.commit(o.d2, 1)
	}
}

func (c *conversion) convert(lo, hi uint32) uint64 {
	if !c.from.float {
		n := uint64(lo) >> (8 * c.part)
		neg := false
		switch c.from.size {
		case 8:
			n &= 0xff
			if c.from.signed {
				n = uint64(int64(int8(n)))
			}
		case 16:
			n &= 0xffff
			if c.from.signed {
				n = uint64(int64(int16(n)))
			}
		case 32:
			if c.from.signed {
				n = uint64(int64(int32(n)))
			}
		default:
			n = uint64(lo) | uint64(hi)<<32
		}
		if c.from.signed && int64(n) < 0 {
			neg, n = true, -n
		}
		return c.fromInteger(n, neg)
	}
	var x float64
	switch {
	case c.from.size == 64:
		x = double(lo, hi)
	case c.from.size == 32:
		x = float64(math.Float32frombits(lo))
	case c.from.bfloat:
		x = bfloatValue(lo >> (8 * c.part) & 0xffff)
	default:
		x = halfValue(lo >> (8 * c.part) & 0xffff)
	}
	if c.to.float {
		if c.whole {
			x = roundWhole(x, c.round)
		}
		return c.encode(x)
	}
	return c.toInteger(x)
}

// fromInteger converts a size and a sign, rounding once.
func (c *conversion) fromInteger(n uint64, neg bool) uint64 {
	// The upper 54 bits, the last of them set if any below is: exact for all
	// that follows.
	shift := max(0, bits.Len64(n)-53)
	if c.to.size == 64 && c.to.float {
		// Rounded to 53 bits here.
		if c.round == nearest {
			x := float64(n)
			if neg {
				x = -x
			}
			return math.Float64bits(x)
		}
		x, rest := math.Ldexp(float64(n>>shift), shift), 0.0
		if n&(1<<shift-1) != 0 {
			rest = 1
		}
		if neg {
			x, rest = -x, -rest
		}
		return math.Float64bits(round64(x, rest, c.round))
	}
	top := n >> shift
	if n&(1<<shift-1) != 0 {
		top |= 1
	}
	x := math.Ldexp(float64(top), shift)
	if neg {
		x = -x
	}
	return c.encode(x)
}

func (c *conversion) encode(x float64) uint64 {
	switch {
	case c.to.size == 64:
		return bits64(x)
	case c.to.size == 32:
		return uint64(round32(x, c.round))
	case c.to.bfloat:
		return uint64(bfloatBits(x))
	}
	return uint64(halfBits(x))
}

// toInteger converts a float, cut to what the format holds; what is no number
// becomes 0 in 32 bits, and the least or largest number in 64.
func (c *conversion) toInteger(x float64) uint64 {
	if x != x {
		if c.to.size == 64 {
			return 1 << 63
		}
		return 0
	}
	x = roundWhole(x, c.round)
	size := uint(c.to.size)
	if c.to.signed {
		lo, hi := -math.Ldexp(1, int(size-1)), math.Ldexp(1, int(size-1))
		switch {
		case x <= lo:
			return uint64(int64(-1) << (size - 1))
		case x >= hi:
			return 1<<(size-1) - 1
		}
		return uint64(int64(x))
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, int(size)):
		return math.MaxUint64 >> (64 - size)
	}
	return uint64(x)
}

// runPack is F2FP: two singles to a pair of 16-bit floats, the second in the
// lower half.
func runPack(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1)
	for i := range d {
		x, y := float64(math.Float32frombits(a[i])), float64(math.Float32frombits(b[i]))
		if o.flags&flagSaturate != 0 { // RELU
			x, y = max(x, 0), max(y, 0)
		}
		if o.sub == 1 {
			d[i] = bfloatBits(x)<<16 | bfloatBits(y)
		} else {
			d[i] = halfBits(x)<<16 | halfBits(y)
		}
	}
	m.commit(o.d, 0)
}

// runSwizzleAdd is FSWZADD: a sum in which the position in a group of four lanes
// says which operands are negative.
func runSwizzleAdd(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1)
	for i := range d {
		x, y := math.Float32frombits(a[i]), math.Float32frombits(b[i])
		switch o.imm >> (2 * (i & 3)) & 3 {
		case 0: // PP
		case 1: // PN
			y = -y
		case 2: // NP
			x = -x
		default: // ZP
			x = 0
		}
		d[i] = bits32(x + y)
	}
	m.commit(o.d, 0)
}
