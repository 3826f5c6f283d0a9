package sass

import (
	"strings"

	"example.com/warpsim/warp/isa"
)

// direction returns the rounding that the name asks for.
func (d *decoder) direction() rounding {
	r := nearest
	for _, m := range d.in.Mods {
		if x, ok := roundings[m]; ok {
			r = x
		}
	}
	return r
}

// exact reports whether an operation on floats is the common one.
func (d *decoder) exact() bool {
	r := d.direction()
	d.o.table = uint8(r)
	d.flag("FTZ", flagFlush)
	d.flag("SAT", flagSaturate)
	return r == nearest && d.o.flags == 0
}

func decodeFADD(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(single), d.src(single)
	o.run, o.sub = runFloat, 0
	if d.exact() {
		o.run = runFADD
	}
}

var scales = map[string]int64{"D2": -1, "D4": -2, "D8": -3, "M2": 1, "M4": 2, "M8": 3}

func decodeFMUL(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(single), d.src(single)
	for _, m := range d.in.Mods {
		o.imm += scales[m]
	}
	o.run, o.sub = runFloat, 1
	if d.exact() && o.imm == 0 {
		o.run = runFMUL
	}
}

func decodeFFMA(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b, o.c = d.src(single), d.src(single), d.src(single)
	o.run, o.sub = runFloat, 2
	if d.exact() {
		o.run = runFFMA
	}
}

func decodeFMNMX(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(single), d.src(single)
	o.p = d.srcPred()
	d.flag("FTZ", flagFlush)
	d.flag("NAN", flagUnordered)
	o.run = runFMNMX
}

func decodeFCHK(d *decoder) {
	o := d.o
	o.pd = d.dstPred()
	o.a, o.b = d.src(single), d.src(single)
	o.run = runFCHK
}

func decodeFSWZADD(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(single), d.src(single)
	x := d.take()
	codes := map[byte]int64{'P': 0, 'N': 1, 'M': 2, 'Z': 3} // one letter a lane
	if x.Kind == Special && len(x.Text) == 4 {
		for i := range 4 {
			c, ok := codes[x.Text[i]]
			if !ok {
				d.fail("%s is no swizzle", x)
			}
			o.imm |= c << (2 * i)
		}
	} else {
		d.fail("%s is no swizzle", x)
	}
	o.run = runSwizzleAdd
}

func decodeMUFU(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	found := false
	for i, name := range specialNames {
		if d.has(name) || d.has(name+"64H") {
			o.sub, found = uint8(i), true
		}
		if d.has(name + "64H") {
			o.flags |= flagHigh
		}
	}
	if !found {
		d.fail("MUFU does not say which function")
	}
	d.flag("FTZ", flagFlush)
	if o.flags&flagHigh != 0 {
		o.a = d.src(doubles)
	} else {
		o.a = d.src(single)
	}
	o.run = runSpecial
}

func decodeDouble(d *decoder) {
	o := d.o
	o.d, o.d2 = d.dstPair()
	o.a, o.ah = d.srcPair(doubles)
	o.b, o.bh = d.srcPair(doubles)
	switch d.in.Op {
	case "DMUL":
		o.sub = 1
	case "DFMA":
		o.sub = 2
		o.c, o.ch = d.srcPair(doubles)
	}
	o.table = uint8(d.direction())
	o.run = runDouble
}

// half takes an operand of two 16-bit floats.
func (d *decoder) half() (source, half) {
	x := d.take()
	h := half{neg: x.Neg, abs: x.Abs, bfloat: d.has("BF16_V2")}
	for _, s := range x.Suffixes {
		switch s {
		case "H0_H0":
			h.order = 1
		case "H1_H1":
			h.order = 2
		case "H1_H0":
		case "H0_H1":
			h.order = 3
		case "F32":
			h.order = 4
		case "H0_NH1", "64":
			d.fail("%s has an order that is not known", x)
		}
	}
	return d.source(x, packed), h
}

// pairNext reports whether two float immediates follow, which make one operand.
func (d *decoder) pairNext() bool {
	i, ops := d.next, d.in.Operands
	number := func(k int) bool {
		return k < len(ops) && (ops[k].Kind == Float || ops[k].Kind == Integer)
	}
	return number(i) && number(i+1)
}

// halfPair takes two immediates, the upper one first.
func (d *decoder) halfPair() source {
	value := func() uint32 {
		x := d.take()
		v := x.double()
		if x.Kind == Integer {
			v = float64(x.Value)
		}
		if x.Neg {
			v = -v
		}
		if d.has("BF16_V2") {
			return bfloatBits(v)
		}
		return halfBits(v)
	}
	hi := value()
	return d.p.immediate(hi<<16 | value())
}

func (d *decoder) halves(n int) (src [3]source, h [3]half) {
	for i := range src {
		src[i] = source{row: rowZero}
	}
	for i := range n {
		if d.pairNext() {
			src[i] = d.halfPair()
			h[i].bfloat = d.has("BF16_V2")
			continue
		}
		src[i], h[i] = d.half()
	}
	d.o.imm = int64(len(d.p.halves))
	d.p.halves = append(d.p.halves, h)
	return src, h
}

func decodeHalf(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	n := 2
	switch strings.TrimSuffix(d.in.Op, "_32I") {
	case "HMUL2":
		o.sub = 1
	case "HFMA2":
		o.sub, n = 2, 3
	case "HMNMX2":
		o.sub = 3
	}
	src, h := d.halves(n)
	o.a, o.b, o.c = src[0], src[1], src[2]
	if o.sub == 3 {
		o.p = d.srcPred()
	}
	d.flag("SAT", flagSaturate)
	d.flag("FTZ", flagFlush)
	o.run = runHalf
	if d.has("F32") { // the sum of the lower halves as a float of 32 bits
		if o.sub != 0 {
			d.fail("%s with a result of 32 bits is not known", d.in.Op)
		}
		o.run = runHalfWidened
	}
	if o.sub == 2 && o.a.row == rowZero && o.b.row == rowZero && h[0].neg && o.c.row >= firstConstant {
		o.a, o.run = o.c, runMove // two constants, a common way to load a register
	} else if o.sub == 2 && o.a.row == rowZero && o.b.row == rowZero && h[0].neg && o.c.row == rowZero {
		o.a, o.run = o.c, runMove
	}
}

func decodeHSETP2(d *decoder) {
	o := d.o
	o.pd, o.pd2 = d.dstPred(), d.dstPred()
	src, _ := d.halves(2)
	o.a, o.b = src[0], src[1]
	o.p = d.srcPred()
	d.flag("H_AND", flagAll)
	o.table = pick(d, compares, "")
	o.table2 = pick(d, combinations, "AND")
	o.run = runHalfCompare
}

func decodeHSET2(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	src, _ := d.halves(2)
	o.a, o.b = src[0], src[1]
	o.p = d.srcPred()
	d.flag("BF", flagClear)
	o.table = pick(d, compares, "")
	o.table2 = pick(d, combinations, "AND")
	o.run = runHalfSet
}

func decodeConvert(d *decoder) {
	o := d.o
	var c conversion
	var types []format
	for _, m := range d.in.Mods {
		if f, ok := formats[m]; ok {
			types = append(types, f)
		}
		switch m {
		case "FLOOR":
			c.round = downward
		case "CEIL":
			c.round = upward
		case "TRUNC":
			c.round = toZero
		case "B1", "B2", "B3":
			c.part = m[1] - '0'
		default:
			if r, ok := roundings[m]; ok {
				c.round = r
			}
		}
	}
	// The result's format comes first; what is not written is 32 bits.
	switch d.in.Op {
	case "I2F", "I2FP", "UI2F":
		c.to, c.from = formats["F32"], formats["S32"]
		for _, t := range types {
			if t.float {
				c.to = t
			} else {
				c.from = t
			}
		}
	case "F2I", "UF2I":
		c.to, c.from = formats["S32"], formats["F32"]
		for _, t := range types {
			if t.float {
				c.from = t
			} else {
				c.to = t
			}
		}
	case "I2I":
		d.fail("unknown instruction")
	default:
		c.to, c.from = formats["F32"], formats["F32"]
		c.whole = d.in.Op == "FRND"
		switch {
		case len(types) == 2:
			c.to, c.from = types[0], types[1]
		case len(types) == 1:
			c.to, c.from = types[0], types[0]
		}
	}
	d.flag("FTZ", flagFlush)
	d.flag("SAT", flagSaturate)
	if c.to.size == 64 {
		o.d, o.d2 = d.dstPair()
	} else {
		o.d = d.dst(1)
	}
	s := integer
	if c.from.float {
		s = single
	}
	if c.from.size == 64 {
		if c.from.float {
			s = doubles
		}
		o.a, o.ah = d.srcPair(s)
	} else {
		x := d.peek()
		if c.from.float && c.from.size == 16 {
			s = packed
		}
		o.a = d.src(s)
		if x != nil && x.has("H1") || x != nil && x.has("H1_H1") {
			c.part = 2
		}
		if s == packed && x != nil && (x.Neg || x.Abs) {
			d.fail("a sign of a 16-bit operand of a conversion is not known")
		}
	}
	o.imm = int64(len(d.p.conversions))
	d.p.conversions = append(d.p.conversions, c)
	o.run = runConvert
}

func decodeF2FP(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(single), d.src(single)
	if d.peek() != nil { // a third one, RZ
		d.src(single)
	}
	if d.has("BF16") {
		o.sub = 1
	}
	d.flag("RELU", flagSaturate)
	o.run = runPack
}

var shuffleOps = map[string]isa.Op{"IDX": isa.ShflIdx, "UP": isa.ShflUp, "DOWN": isa.ShflDown, "BFLY": isa.ShflXor}

func decodeSHFL(d *decoder) {
	o := d.o
	o.rec.Op = pick(d, shuffleOps, "")
	o.sub = uint8(o.rec.Op - isa.ShflIdx)
	t := d.test(*d.take())
	if t.pred != predTrue {
		o.pd = t.pred
		o.writesP = append(o.writesP, t.pred)
		o.rec.Aux = 1
	}
	o.d = d.dst(1)
	d.writesReg(d.predReg(t.pred))
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	o.run, o.class = runShuffle, books
	if by, ok := d.p.known(o.b); ok {
		if seg, ok := d.p.known(o.c); ok {
			o.route = routeOf(o.sub, by, seg)
		}
	}
}

func decodeVOTE(d *decoder) {
	o := d.o
	o.sub = pick(d, map[string]uint8{"ANY": voteAny, "ALL": voteAll, "EQ": voteEqual}, "")
	if d.predicateNext() {
		o.pd = d.dstPred()
		o.rec.Op = isa.Vote
	} else {
		o.d = d.dst(1)
		if d.in.Op == "VOTEU" {
			o.uniform = true
		}
		if len(d.in.Operands) == 3 {
			o.pd = d.dstPred()
		}
	}
	o.p = d.srcPred()
	o.run, o.class = runVote, books
}

func decodeELECT(d *decoder) {
	o := d.o
	o.pd = d.dstPred()
	if x := d.peek(); x != nil && x.Kind != Predicate {
		o.d = d.dst(1)
	}
	if d.peek() != nil {
		d.srcPred()
	}
	o.run, o.class = runElect, books
}

func decodeMATCH(d *decoder) {
	o := d.o
	if d.has("ALL") {
		o.sub, o.rec.Op = voteAll, isa.MatchAll
		x := d.take()
		t := d.test(*x)
		if t.pred != predTrue {
			o.pd = t.pred
			o.writesP = append(o.writesP, t.pred)
		}
		o.d = d.dst(1)
		d.writesReg(d.predReg(t.pred))
		if o.d != rowSink {
			o.rec.Dst, o.rec.Dst2 = rowReg(o.d), d.predReg(t.pred)
		}
	} else {
		o.d = d.dst(1)
	}
	if d.has("U64") {
		o.a, o.ah = d.srcPair(integer)
	} else {
		o.a = d.src(integer)
	}
	o.run, o.class = runMatch, books
}

func decodeREDUX(d *decoder) {
	o := d.o
	o.sub = pick(d, reductions, "AND")
	o.d = d.dst(1)
	o.uniform = false
	o.a = d.src(integer)
	d.flag("S32", flagSigned)
	o.run, o.class = runReduce, books
}
