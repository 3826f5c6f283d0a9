package sass

import (
	"math"
	"math/bits"
)

// Flags of an op. What one means depends on the op.
const (
	flagBitwise     uint16 = 1 << iota // each bit of the result hangs on that bit of the sources
	flagMove                           // of those: it is the first source
	flagWideAddress                    // the address is in two registers
	flagWideUniform                    // its uniform part is
	flagSigned
	flagSignExtend
	flagVolatile
	flagCarry // carries are read
	flagFlush // denormals are zeros
	flagSaturate
	flagHigh
	flagClear
	flagToBarrier = flagSigned
	flagReduce    = flagSignExtend
	flagArrive    = flagVolatile
	flagAll       = flagHigh
	flagWrap      = flagVolatile
	flagLeft      = flagSignExtend
	flagUnordered = flagVolatile
	flagTells     = flagClear
)

func runMove(m *machine, o *op) {
	d, a := m.out(o.d, 0), m.in(o.a, 0)
	*d = *a
	m.commit(o.d, 0)
}

// runMovePair moves 64 bits.
func runMovePair(m *machine, o *op) {
	runMove(m, o)
	d, a := m.out(o.d2, 1), m.in(o.ah, 0)
	*d = *a
	m.commit(o.d2, 1)
}

// runAdd is the addition of two registers, which most are.
func runAdd(m *machine, o *op) {
	d, a, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1)
	addRows(d, a, b)
	m.commit(o.d, 0)
}

func runAdd3(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	add3Rows(d, a, b, c)
	m.commit(o.d, 0)
}

// runSelect64 chooses between register pairs.
func runSelect64(m *machine, o *op) {
	p := m.holds(o.p)
	low, high := m.out(o.d, 0), m.out(o.d2, 1)
	a, ah, b, bh := m.row(o.a), m.row(o.ah), m.row(o.b), m.row(o.bh)
	for i := range low {
		if p>>i&1 != 0 {
			low[i], high[i] = a[i], ah[i]
		} else {
			low[i], high[i] = b[i], bh[i]
		}
	}
	m.commit(o.d, 0)
	m.commit(o.d2, 1)
}

// runAbsDiff is how far two numbers are apart, and a sum.
func runAbsDiff(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	for i := range d {
		x := a[i] - b[i]
		if o.flags&flagSigned != 0 && int32(a[i]) < int32(b[i]) || o.flags&flagSigned == 0 && a[i] < b[i] {
			x = -x
		}
		d[i] = x + c[i]
	}
	m.commit(o.d, 0)
}

// runAdd64 is the sum of register pairs.
func runAdd64(m *machine, o *op) {
	low, high := m.out(o.d, 0), m.out(o.d2, 1)
	term := func(l, h source, i int) uint64 {
		x := uint64(m.file[h.row][i])<<32 | uint64(m.file[l.row][i])
		if l.mod == negInt {
			x = -x
		}
		return x
	}
	for i := range low {
		x := term(o.a, o.ah, i) + term(o.b, o.bh, i) + term(o.c, o.ch, i)
		low[i], high[i] = uint32(x), uint32(x>>32)
	}
	m.commit(o.d, 0)
	m.commit(o.d2, 1)
}

// turned says how an operand is taken in an addition that carries: a negative one is
// the complement and one more.
func turned(mod uint8) (flip uint32, one uint64) {
	switch mod {
	case negInt:
		return everybody, 1
	case not:
		return everybody, 0
	}
	return 0, 0
}

// runAdd3Carry is an addition that reads carries, or leaves them.
func runAdd3Carry(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.row(o.a), m.row(o.b), m.row(o.c)
	var in1, in2 uint32
	if o.flags&flagCarry != 0 {
		in1, in2 = m.holds(o.p), m.holds(o.q)
	}
	xa, one := turned(o.a.mod)
	xb, more := turned(o.b.mod)
	one += more
	xc, more := turned(o.c.mod)
	one += more
	if one <= 1 && o.c.row == rowZero && o.c.mod == asIs && in2 == 0 { // one carry at most
		m.setCarry(o, d, addCarry(d, a, b, xa, xb, one, in1))
		return
	}
	var out1, out2 uint32 // the first lane comes to the lowest bit in the end
	for i := range d {
		s := uint64(a[i]^xa) + uint64(b[i]^xb) + uint64(c[i]^xc) + one + uint64(in1&1) + uint64(in2&1)
		in1, in2 = in1>>1, in2>>1
		d[i] = uint32(s)
		carry := uint32(s >> 32)
		out1 = out1>>1 | (carry|carry>>1)<<31
		out2 = out2>>1 | carry>>1<<31
	}
	m.commit(o.d, 0)
	m.setPred(o.pd, out1)
	m.setPred(o.pd2, out2)
}

// setCarry finishes an addition of two numbers.
func (m *machine) setCarry(o *op, d *row, out uint32) {
	m.commit(o.d, 0)
	m.setPred(o.pd, out)
	m.setPred(o.pd2, 0)
}

func runMulAdd(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	if o.flags&flagCarry != 0 {
		in := m.holds(o.p)
		for i := range d {
			d[i] = a[i]*b[i] + c[i] + in>>i&1
		}
	} else {
		mulAddRows(d, a, b, c)
	}
	m.commit(o.d, 0)
}

// runMulWide is a product and a sum of 64 bits, or with flagHigh the upper half of that.
func runMulWide(m *machine, o *op) {
	a, b := m.in(o.a, 0), m.in(o.b, 1)
	c, ch := m.row(o.c), m.row(o.ch)
	low, high := m.out(o.d, 0), m.out(o.d2, 1)
	signed, upper := o.flags&flagSigned != 0, o.flags&flagHigh != 0
	in := uint32(0)
	if o.flags&flagCarry != 0 {
		in = m.holds(o.p)
	}
	var out uint32
	if !upper && in == 0 && o.c.mod == asIs && o.pd == predSink {
		if signed {
			mulWideSigned(low, high, a, b, c, ch)
		} else {
			mulWideUnsigned(low, high, a, b, c, ch)
		}
		m.commit(o.d, 0)
		m.commit(o.d2, 1)
		return
	}
	for i := range low {
		var p uint64
		if signed {
			p = uint64(int64(int32(a[i])) * int64(int32(b[i])))
		} else {
			p = uint64(a[i]) * uint64(b[i])
		}
		add := uint64(c[i]) | uint64(ch[i])<<32
		switch o.c.mod {
		case negInt:
			add = -add
		case not:
			add = ^add
		}
		s, carry := bits.Add64(p, add, uint64(in>>i&1))
		out |= uint32(carry) << i
		if low[i] = uint32(s); upper {
			low[i] = uint32(s >> 32)
			continue
		}
		high[i] = uint32(s >> 32)
	}
	m.commit(o.d, 0)
	if !upper {
		m.commit(o.d2, 1)
	}
	m.setPred(o.pd, out)
}

// runScaled is LEA: a value shifted left and added to another, or the upper half
// of that.
func runScaled(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.row(o.a), m.row(o.b), m.row(o.c)
	n := uint(o.imm & 31)
	var in, out uint32
	if o.flags&flagCarry != 0 {
		in = m.holds(o.p)
	}
	high, extend := o.flags&flagHigh != 0, o.flags&flagSignExtend != 0
	flip, one := turned(o.b.mod)
	if o.a.mod == asIs && (!extend || n > 0) {
		t := &m.changed[0]
		switch { // the upper half of what is shifted, and then the sum
		case extend:
			shiftSigned(t, a, uint32(32-n))
		case !high:
			shiftLeft(t, a, uint32(n))
		case n == 0:
			t = c
		default:
			funnel(t, a, c, uint32(n))
		}
		if o.pd == predSink && o.flags&flagCarry == 0 && o.b.mod == asIs {
			addRows(d, t, b)
			m.commit(o.d, 0)
			return
		}
		m.setCarry(o, d, addCarry(d, t, b, 0, flip, one, in))
		return
	}
	for i := range d {
		x := uint64(a[i])
		switch {
		case extend:
			x = uint64(int64(int32(a[i])))
		case high:
			x |= uint64(c[i]) << 32
		}
		switch o.a.mod {
		case negInt:
			x = -x
		case not:
			x = ^x
		}
		if x <<= n; high {
			x >>= 32
		}
		s := uint64(uint32(x)) + uint64(b[i]^flip) + one + uint64(in>>i&1)
		d[i] = uint32(s)
		out |= uint32(s>>32&1) << i
	}
	m.commit(o.d, 0)
	m.setPred(o.pd, out)
}

// runFunnel is SHF: the upper or lower word of two words shifted.
func runFunnel(m *machine, o *op) {
	d, lo, by, hi := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	limit := uint32(32)
	if o.bytes == 8 {
		limit = 63
	}
	left, high, signed, wrap := o.flags&flagLeft != 0, o.flags&flagHigh != 0, o.flags&flagSigned != 0, o.flags&flagWrap != 0
	if o.b.row >= firstConstant && by[0] < 32 && left != high { // a shift of one word by a constant
		n := by[0] & 31
		switch {
		case left:
			shiftLeft(d, lo, n)
		case signed:
			shiftSigned(d, hi, n)
		default:
			shiftRight(d, hi, n)
		}
		m.commit(o.d, 0)
		return
	}
	for i := range d {
		n := by[i]
		if wrap {
			n &= limit - 1 | 31
		} else {
			n = min(n, limit)
		}
		x := uint64(hi[i])<<32 | uint64(lo[i])
		switch {
		case left && high:
			d[i] = uint32(x << n >> 32)
		case left:
			d[i] = uint32(x << n)
		case signed && high:
			d[i] = uint32(int64(x) >> 32 >> n)
		case high:
			d[i] = uint32(x >> 32 >> n)
		case signed:
			d[i] = uint32(int64(x) >> n)
		default:
			d[i] = uint32(x >> n)
		}
	}
	m.commit(o.d, 0)
}

// runLogic is three values by a truth table, and whether that is not zero.
func runLogic(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	t := o.table
	switch t {
	case 0xc0:
		andRows(d, a, b)
	case 0xfc:
		orRows(d, a, b)
	case 0x3c:
		xorRows(d, a, b)
	case 0x30:
		for i := range d {
			d[i] = a[i] &^ b[i]
		}
	case 0x33:
		for i := range d {
			d[i] = ^b[i]
		}
	case 0xf8:
		for i := range d {
			d[i] = a[i] | b[i]&c[i]
		}
	case 0xfe:
		for i := range d {
			d[i] = a[i] | b[i] | c[i]
		}
	case 0x80:
		for i := range d {
			d[i] = a[i] & b[i] & c[i]
		}
	case 0x96:
		for i := range d {
			d[i] = a[i] ^ b[i] ^ c[i]
		}
	default:
		// For each of the four values of a and b, the function of c is a
		// constant, c, or its complement: c & x ^ y.
		var x, y [4]uint32
		for k := range 4 {
			zero, one := uint32(t>>(2*k)&1), uint32(t>>(2*k+1)&1)
			y[k], x[k] = -zero, -(zero ^ one)
		}
		for i := range d {
			f0, f1 := c[i]&x[0]^y[0], c[i]&x[1]^y[1]
			f2, f3 := c[i]&x[2]^y[2], c[i]&x[3]^y[3]
			low, high := f0&^b[i]|f1&b[i], f2&^b[i]|f3&b[i]
			d[i] = low&^a[i] | high&a[i]
		}
	}
	if o.flags&flagCarry != 0 { // a predicate is written
		var nonzero uint32
		for _, x := range d {
			nonzero = nonzero>>1 | uint32(-uint64(x)>>63)<<31
		}
		m.setPred(o.pd, nonzero|m.holds(o.p))
	}
	m.commit(o.d, 0)
}

// table3 is a truth table on three sets of lanes.
func table3(t uint8, a, b, c uint32) (v uint32) {
	for k := range 8 {
		if t>>k&1 == 0 {
			continue
		}
		x, y, z := a, b, c
		if k>>2&1 == 0 {
			x = ^x
		}
		if k>>1&1 == 0 {
			y = ^y
		}
		if k&1 == 0 {
			z = ^z
		}
		v |= x & y & z
	}
	return v
}

func runPredicateLogic(m *machine, o *op) {
	a, b, c := m.holds(o.p), m.holds(o.q), m.holds(o.r)
	x, y := table3(o.table, a, b, c), table3(o.table2, a, b, c)
	m.setPred(o.pd, x)
	m.setPred(o.pd2, y)
}

// Compares, as bits: less, equal, greater, unordered.
const (
	less = 1 << iota
	equal
	greater
	unordered
)

var compares = map[string]uint8{
	"F": 0, "LT": less, "EQ": equal, "LE": less | equal, "GT": greater, "NE": less | greater, "GE": greater | equal,
	"NUM": less | equal | greater, "NAN": unordered, "LTU": less | unordered, "EQU": equal | unordered,
	"LEU": less | equal | unordered, "GTU": greater | unordered, "NEU": less | greater | unordered,
	"GEU": greater | equal | unordered, "T": less | equal | greater | unordered,
}

// Combinations of a compare with another predicate.
const (
	and uint8 = iota
	or
	xor
)

var combinations = map[string]uint8{"AND": and, "OR": or, "XOR": xor}

func combine(how uint8, a, b uint32) uint32 {
	switch how {
	case and:
		return a & b
	case or:
		return a | b
	}
	return a ^ b
}

// finish writes what a compare has found, and its opposite.
func (m *machine) finish(o *op, r uint32) {
	with := m.holds(o.p)
	x, y := combine(o.table2, r, with), combine(o.table2, ^r, with)
	m.setPred(o.pd2, y)
	m.setPred(o.pd, x)
}

func runCompare(m *machine, o *op) {
	a, b := m.in(o.a, 0), m.in(o.b, 1)
	below := lessLanes[uint32]
	if o.flags&flagSigned != 0 {
		below = lessLanes[int32]
	}
	t := o.table & (less | equal | greater)
	if o.flags&flagHigh != 0 { // of the upper words: the lower ones decide if they are equal
		r := equalLanes[uint32](a, b) & m.holds(o.q)
		if t&less != 0 {
			r |= below(a, b)
		}
		if t&greater != 0 {
			r |= below(b, a)
		}
		m.finish(o, r)
		return
	}
	r := uint32(0)
	switch t {
	case less:
		r = below(a, b)
	case less | equal:
		r = ^below(b, a)
	case greater:
		r = below(b, a)
	case greater | equal:
		r = ^below(a, b)
	case equal:
		r = equalLanes[uint32](a, b)
	case less | greater:
		r = ^equalLanes[uint32](a, b)
	case less | equal | greater:
		r = everybody
	}
	m.finish(o, r)
}

// runCompare64 is a compare of register pairs.
func runCompare64(m *machine, o *op) {
	a, ah, b, bh := m.row(o.a), m.row(o.ah), m.row(o.b), m.row(o.bh)
	var flip uint64
	if o.flags&flagSigned != 0 {
		flip = 1 << 63
	}
	r := uint32(0)
	for i := range a {
		x, y := uint64(ah[i])<<32|uint64(a[i]), uint64(bh[i])<<32|uint64(b[i])
		t := uint8(greater)
		switch {
		case x == y:
			t = equal
		case x^flip < y^flip:
			t = less
		}
		if o.table&t != 0 {
			r |= 1 << i
		}
	}
	m.finish(o, r)
}

// order returns the lanes in which a compare of two numbers holds.
func order[T float32 | float64](t uint8, x, y T) bool {
	switch {
	case x < y:
		return t&less != 0
	case x == y:
		return t&equal != 0
	case x > y:
		return t&greater != 0
	}
	return t&unordered != 0
}

func (m *machine) floatOrder(o *op) (r uint32) {
	a, b := m.in(o.a, 0), m.in(o.b, 1)
	if o.flags&flagFlush != 0 {
		for i := range a {
			if order(o.table, math.Float32frombits(flush(a[i])), math.Float32frombits(flush(b[i]))) {
				r |= 1 << i
			}
		}
		return r
	}
	if o.table&less != 0 {
		r = lessLanes[float32](a, b)
	}
	if o.table&greater != 0 {
		r |= lessLanes[float32](b, a)
	}
	switch o.table & (equal | unordered) {
	case equal:
		r |= equalLanes[float32](a, b)
	case unordered:
		r |= ^(lessLanes[float32](a, b) | lessLanes[float32](b, a) | equalLanes[float32](a, b))
	case equal | unordered: // neither below nor above
		r |= ^(lessLanes[float32](a, b) | lessLanes[float32](b, a))
	}
	return r
}

func runFloatCompare(m *machine, o *op) { m.finish(o, m.floatOrder(o)) }

// runSet is a compare whose result is a register.
func runSet(m *machine, o *op) {
	r := combine(o.table2, m.floatOrder(o), m.holds(o.p))
	d := m.out(o.d, 0)
	for i := range d {
		d[i] = uint32(o.imm) & -(r >> i & 1)
	}
	m.commit(o.d, 0)
}

func runDoubleCompare(m *machine, o *op) {
	a, b := m.row(o.a), m.row(o.b)
	ah, bh := m.in(o.ah, 0), m.in(o.bh, 1)
	var r uint32
	for i := range a {
		if order(o.table, double(a[i], ah[i]), double(b[i], bh[i])) {
			r |= 1 << i
		}
	}
	m.finish(o, r)
}

func double(lo, hi uint32) float64 { return math.Float64frombits(uint64(hi)<<32 | uint64(lo)) }

func runSelect(m *machine, o *op) {
	a, b := m.in(o.a, 0), m.in(o.b, 1)
	p := m.holds(o.p)
	t := &m.tmp[1]
	switch p {
	case everybody:
		t = a
	case 0:
		t = b
	default:
		if first := bits.TrailingZeros32(p) & 31; p>>first&(p>>first+1) == 0 { // lanes behind each other
			last := bits.Len32(p)
			*t = *b
			copy(t[first:last], a[first:last])
			break
		}
		for i := range t {
			t[i] = b[i] ^ (a[i]^b[i])&-(p&1)
			p >>= 1
		}
	}
	if m.exec == everybody {
		m.file[o.d] = *t
		return
	}
	m.blend(&m.file[o.d], t)
}

// runMinMax is the smaller or larger of two integers, of a sum and an integer, or
// of three.
func runMinMax(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	p := m.holds(o.p)
	for i := range d {
		x, y := a[i], b[i]
		switch o.sub {
		case 1: // VIADDMNMX
			x, y = x+y, c[i]
		case 2: // VIMNMX3
			x = smaller(o, x, y, p>>i&1 != 0)
			y = c[i]
		}
		v := smaller(o, x, y, p>>i&1 != 0)
		if o.flags&flagSaturate != 0 { // RELU
			v = uint32(max(int32(v), 0))
		}
		d[i] = v
	}
	m.commit(o.d, 0)
}

func smaller(o *op, x, y uint32, least bool) uint32 {
	before := x < y
	if o.flags&flagSigned != 0 {
		before = int32(x) < int32(y)
	}
	if before == least {
		return x
	}
	return y
}

// runPermute is PRMT: bytes of two words in any order.
func runPermute(m *machine, o *op) {
	d, a, s, b := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	for i := range d {
		d[i] = permute(o.sub, a[i], s[i], b[i])
	}
	m.commit(o.d, 0)
}

// Modes of PRMT.
var permutes = map[string]uint8{"": 0, "F4E": 1, "B4E": 2, "RC8": 3, "ECL": 4, "ECR": 5, "RC16": 6}

func permute(mode uint8, a, s, b uint32) uint32 {
	x := uint64(b)<<32 | uint64(a)
	if mode != 0 {
		n := s & 3
		switch mode {
		case 1:
			s = [4]uint32{0x3210, 0x4321, 0x5432, 0x6543}[n]
		case 2:
			s = [4]uint32{0x5670, 0x6701, 0x7012, 0x0123}[n]
		case 3:
			s = n * 0x1111
		case 4:
			s = [4]uint32{0x3210, 0x3211, 0x3222, 0x3333}[n]
		case 5:
			s = [4]uint32{0x0000, 0x1110, 0x2210, 0x3210}[n]
		default:
			s = [4]uint32{0x1010, 0x3232, 0x1010, 0x3232}[n]
		}
	}
	var v uint32
	for k := range 4 {
		sel := s >> (4 * k)
		y := uint32(x>>(8*(sel&7))) & 0xff
		if sel&8 != 0 { // its sign, eight times
			y = uint32(int32(int8(y))>>7) & 0xff
		}
		v |= y << (8 * k)
	}
	return v
}

// Functions of one word.
const (
	oneCount uint8 = iota
	oneReverse
	oneLeading
	oneLeadingSigned
	oneAbs
	oneMask
	oneExtend
	oneLeadingShift
	oneLeadingShiftSigned
)

func runOne(m *machine, o *op) {
	d, a := m.out(o.d, 0), m.in(o.a, 0)
	var b *row
	if o.sub == oneMask || o.sub == oneExtend {
		b = m.in(o.b, 1)
	}
	for i := range d {
		x := a[i]
		switch o.sub {
		case oneCount:
			x = uint32(bits.OnesCount32(x))
		case oneReverse:
			x = bits.Reverse32(x)
		case oneLeading, oneLeadingShift, oneLeadingSigned, oneLeadingShiftSigned:
			if (o.sub == oneLeadingSigned || o.sub == oneLeadingShiftSigned) && int32(x) < 0 {
				x = ^x
			}
			n := uint32(bits.Len32(x)) - 1 // all ones if there is none
			if (o.sub == oneLeadingShift || o.sub == oneLeadingShiftSigned) && n != everybody {
				n = 31 - n
			}
			x = n
		case oneAbs:
			if int32(x) < 0 {
				x = -x
			}
		case oneMask: // b ones from bit a on
			from, n := x, b[i]
			if o.flags&flagWrap != 0 {
				from, n = from&31, n&31
			}
			x = uint32((uint64(1)<<min(n, 32) - 1) << min(from, 32))
		case oneExtend: // the low b bits
			n := b[i]
			if o.flags&flagWrap != 0 {
				n &= 31
			}
			switch {
			case n >= 32:
			case n == 0:
				x = 0
			case o.flags&flagSigned != 0:
				x = uint32(int32(x<<(32-n)) >> (32 - n))
			default:
				x = x << (32 - n) >> (32 - n)
			}
		}
		d[i] = x
	}
	if o.flags&flagCarry != 0 {
		var found uint32
		for i, x := range d {
			if x != everybody {
				found |= 1 << i
			}
		}
		m.setPred(o.pd, found)
	}
	m.commit(o.d, 0)
}

// runDot is IDP: products of the bytes, or of a word's halves and bytes, and a
// sum.
func runDot(m *machine, o *op) {
	d, a, b, c := m.out(o.d, 0), m.in(o.a, 0), m.in(o.b, 1), m.in(o.c, 2)
	part := func(x uint32, k int, size uint, signed bool) int32 {
		x >>= uint(k) * size
		if signed {
			return int32(x<<(32-size)) >> (32 - size)
		}
		return int32(x << (32 - size) >> (32 - size))
	}
	for i := range d {
		s := int32(c[i])
		if o.sub == 0 { // 4A
			for k := range 4 {
				s += part(a[i], k, 8, o.imm&1 != 0) * part(b[i], k, 8, o.imm&2 != 0)
			}
		} else { // 2A
			for k := range 2 {
				s += part(a[i], k, 16, o.imm&1 != 0) * part(b[i], k+2*int(o.sub-1), 8, o.imm&2 != 0)
			}
		}
		d[i] = uint32(s)
	}
	m.commit(o.d, 0)
}

// runFromPredicates is P2R.
func runFromPredicates(m *machine, o *op) {
	d, a := m.out(o.d, 0), m.in(o.a, 0)
	shift := uint(o.imm) * 8
	var set [7]uint32
	undef, which := uint32(0), uint32(0)
	keep := m.in(o.b, 1)
	chosen := keep[0]
	for _, x := range keep {
		chosen |= x
	}
	chosen &= 0x7f
	for k := range 7 {
		set[k] = m.pred[k]
		if u := m.predUndef[k] & m.exec; u != 0 && chosen>>k&1 != 0 {
			undef |= u
			which |= 1 << k << shift
		}
	}
	t := &m.tmp[1] // the bits of each lane
	*t = row{}
	for k := range 7 {
		if chosen>>k&1 == 0 || set[k] == 0 {
			continue
		}
		for i, x := 0, set[k]; i < lanes; i++ {
			t[i] |= x & 1 << k << shift
			x >>= 1
		}
	}
	for i := range d {
		d[i] = a[i]&^(keep[i]&0xff<<shift) | t[i]&(keep[i]<<shift)
	}
	m.commit(o.d, 0)
	if r := o.a.row; r < firstConstant && m.undef[r]&m.exec != 0 {
		undef |= m.undef[r] & m.exec
		which |= m.undefBits[r] &^ (chosen << shift)
	}
	if which == 0 {
		undef = 0
	}
	m.setUndefined(o.d, undef, which)
	m.undef[rowSink] = 0
	m.put(o)
}

// runToPredicates is R2P.
func runToPredicates(m *machine, o *op) {
	a, keep := m.in(o.a, 0), m.in(o.b, 1)[0]
	shift := uint(o.imm) * 8
	for k := range 7 {
		if keep>>k&1 == 0 {
			continue
		}
		var v uint32
		for i, x := range a {
			v |= x >> (shift + uint(k)) & 1 << i
		}
		m.setPred(uint8(k), v)
		u := uint32(0)
		if r := o.a.row; r < firstConstant && m.undefBits[r]>>(shift+uint(k))&1 != 0 {
			u = m.undef[r] & m.exec
		}
		m.predUndef[k] = m.predUndef[k]&^m.exec | u
	}
	m.put(o)
}
