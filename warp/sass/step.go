package sass

import (
	"reflect"
	"unsafe"
)

// A step is an operation that only computes, in the form in which vector instructions
// do it: which kernel of theirs, and its operands as offsets. The kernels are the same
// operations as the functions of ops that stand beside them in forms, which are what
// defines them, and what runs where there are no vectors.
type step struct {
	kernel             uint32    // 0: there is none
	d, d2, a, b, c, ch uint32    // rows, in bytes from the first
	imm                uint32    // a number of bits to shift by, or where in logicMasks
	guard, p, q        uint32    // predicates that are read
	pd, pd2            uint32    // and written
	guardNot, pNot     uint32    // all ones: they have to be off
	qNot               uint32    //
	uniform            uint32    // all ones: for all lanes if for any
	how                uint32    // how a compare is combined with p
	minds              [6]uint16 // as those of the op
	sets               [4]uint16
	k                  [8]uint32 // of the kernel: what is flipped, kept, added
	route              *route    // of a shuffle
}

const rowBytes = 4 * lanes

// Kernels of vector instructions, in the order of their table.
const (
	kernelNone    uint32 = iota
	kernelPassed         // nothing, if no lane takes part
	kernelShuffle        // of a full warp by a route
	kernelMove
	kernelMovePair   // ch to d2 as well
	kernelAdd        // a + b
	kernelAdd3       // a + b + c
	kernelAddTurned  // a^k0 + b^k1 + c^k2 + k3
	kernelAddCarry   // a^k2 + b^k1, and one where k3 or p&k0 is on; carries to pd
	kernelMulAdd     // a * b + c^k2 + k3
	kernelMulWideS   // a * b + c:ch, of 64 bits
	kernelMulWideU   //
	kernelMulHighS   // the upper word of a * b, + c
	kernelMulHighU   //
	kernelScaled     // a<<imm + b^k1 + k3
	kernelScaledC    // the same with carries, as kernelAddCarry
	kernelScaledHigh // of c:a
	kernelScaledHighC
	kernelScaledSign // a>>imm, signed, + b^k1 + k3
	kernelScaledSignC
	kernelLeftBy // a shifted by b&k0, which may be 32 and more
	kernelRightBy
	kernelRightSignedBy
	kernelFunnelLeft  // the upper word of c:a shifted left by the smaller of b&k0 and k1
	kernelFunnelRight // the lower word of c:a shifted right by that
	kernelAnd
	kernelOr
	kernelXor
	kernelLogic
	kernelLogicTest  // and pd where the result is not zero, or p holds
	kernelCompare    // a^k0 with b^k0, as numbers with a sign
	kernelFloatOrder // a&k4^k5 with b&k6^k7
	kernelFAdd       // a&k0^k1 + b&k2^k3
	kernelFMul
	kernelFFma // a&k0^k1 * b&k2^k3 + c&k4^k5
	kernelFAddPlain
	kernelFMulPlain
	kernelFFmaPlain
	kernelFMin // of a&k0^k1 and b&k2^k3
	kernelFMax
	kernelSelect // a where p holds, else b
	kernelMinS
	kernelMaxS
	kernelMinU
	kernelMaxU
	kernelAbs
	kernelFromSigned // the float of a number
	kernelReciprocal
	kernelRoot
	kernels
)

// forms has, by the function that an op runs, how its step is filled in: what returns
// kernelNone has no form in vectors.
var forms = map[uintptr]func(p *Program, o *op, s *step) uint32{
	entryOf(runMove):         moveStep,
	entryOf(runMovePair):     movePairStep,
	entryOf(runAdd):          addStep,
	entryOf(runAdd3):         addStep,
	entryOf(runAdd3Carry):    addCarryStep,
	entryOf(runMulAdd):       mulAddStep,
	entryOf(runMulWide):      mulWideStep,
	entryOf(runScaled):       scaledStep,
	entryOf(runFunnel):       funnelStep,
	entryOf(runLogic):        logicStep,
	entryOf(runCompare):      compareStep,
	entryOf(runFloatCompare): floatCompareStep,
	entryOf(runFADD):         floatStep(kernelFAdd, kernelFAddPlain),
	entryOf(runFMUL):         floatStep(kernelFMul, kernelFMulPlain),
	entryOf(runFFMA):         floatStep(kernelFFma, kernelFFmaPlain),
	entryOf(runFMNMX):        floatMinMaxStep,
	entryOf(runSelect):       selectStep,
	entryOf(runMinMax):       minMaxStep,
	entryOf(runOne):          oneStep,
	entryOf(runSpecial):      specialStep,
	entryOf(runConvert):      convertStep,
}

// entryOf tells functions apart.
func entryOf(run func(*machine, *op)) uintptr { return reflect.ValueOf(run).Pointer() }

// step returns the form of an op for vector instructions.
func (o *op) step(p *Program) step {
	s := step{
		d: rowBytes * uint32(o.d), d2: rowBytes * uint32(o.d2), ch: rowBytes * uint32(o.ch.row),
		a: rowBytes * uint32(o.a.row), b: rowBytes * uint32(o.b.row), c: rowBytes * uint32(o.c.row),
		guard: uint32(o.guard), p: uint32(o.p.pred), q: uint32(o.q.pred), pd: uint32(o.pd), pd2: uint32(o.pd2),
		guardNot: ones(o.guardNot), pNot: ones(o.p.not), qNot: ones(o.q.not), uniform: ones(o.uniform),
		minds: o.minds, sets: o.sets,
	}
	if o.route != nil && !o.more {
		s.route, s.kernel = o.route, kernelShuffle
	}
	if fill := forms[entryOf(o.run)]; fill != nil && !o.more && o.class == plain {
		s.kernel = fill(p, o, &s)
	}
	return s
}

// ones returns a word of ones if b, else zeros.
func ones(b bool) uint32 { return -uint32(b2i(b)) }

func plainly(sources ...source) bool {
	for _, s := range sources {
		if s.mod != asIs {
			return false
		}
	}
	return true
}

func moveStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a) {
		return kernelNone
	}
	return kernelMove
}

func movePairStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a, o.ah) {
		return kernelNone
	}
	s.ch = rowBytes * uint32(o.ah.row)
	return kernelMovePair
}

// turn notes what is flipped of an operand of a sum, and what is added for it.
func (s *step) turn(flip int, x source) (one uint32) {
	f, n := turned(x.mod)
	s.k[flip] = f
	return uint32(n)
}

func addStep(_ *Program, o *op, s *step) uint32 {
	switch {
	case !plainly(o.a, o.b, o.c):
		s.k[3] = s.turn(0, o.a) + s.turn(1, o.b) + s.turn(2, o.c)
		return kernelAddTurned
	case o.c.row == rowZero:
		return kernelAdd
	}
	return kernelAdd3
}

// carry fills in what the kernels that carry have in common, where the sum has an
// additional one, and reports whether they do it: there is one carry at most.
func (s *step) carry(o *op, one uint32) bool {
	s.k[0], s.k[3] = ones(o.flags&flagCarry != 0), -one
	never := o.p.pred == predTrue && o.p.not
	return one == 0 || one == 1 && (o.flags&flagCarry == 0 || never)
}

func addCarryStep(_ *Program, o *op, s *step) uint32 {
	one := s.turn(2, o.a) + s.turn(1, o.b)
	none := o.flags&flagCarry == 0 || o.q.pred == predTrue && o.q.not
	if o.c.row != rowZero || o.c.mod != asIs || !none || !s.carry(o, one) {
		return kernelNone
	}
	return kernelAddCarry
}

func mulAddStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a, o.b) || o.flags&flagCarry != 0 {
		return kernelNone
	}
	s.k[3] = s.turn(2, o.c)
	return kernelMulAdd
}

func mulWideStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a, o.b, o.c) || o.flags&flagCarry != 0 || o.pd != predSink {
		return kernelNone
	}
	kernel := kernelMulWideS
	if o.flags&flagHigh != 0 {
		if o.c.row != rowZero { // a pair
			return kernelNone
		}
		kernel = kernelMulHighS
	}
	return kernel + uint32(b2i(o.flags&flagSigned == 0))
}

func scaledStep(_ *Program, o *op, s *step) uint32 {
	n := uint32(o.imm & 31)
	high, extend := o.flags&flagHigh != 0, o.flags&flagSignExtend != 0
	one := s.turn(1, o.b)
	if !plainly(o.a, o.c) || !s.carry(o, one) {
		return kernelNone
	}
	kernel := kernelScaled
	s.imm = n
	switch {
	case extend && n == 0:
		return kernelNone
	case extend:
		s.imm, kernel = 32-n, kernelScaledSign
	case high && n == 0:
		s.a = s.c
	case high:
		kernel = kernelScaledHigh
	}
	if o.pd != predSink || o.flags&flagCarry != 0 {
		return kernel + 1
	}
	s.k[3] = one
	return kernel
}

func funnelStep(_ *Program, o *op, s *step) uint32 {
	left, high, signed := o.flags&flagLeft != 0, o.flags&flagHigh != 0, o.flags&flagSigned != 0
	if !plainly(o.a, o.b, o.c) {
		return kernelNone
	}
	s.k[0], s.k[1] = everybody, 32
	if o.bytes == 8 {
		s.k[1] = 63
	}
	if o.flags&flagWrap != 0 {
		s.k[0] = (s.k[1] - 1) | 31 // 31 or 63
	}
	switch {
	case left && high:
		return kernelFunnelLeft
	case left:
		return kernelLeftBy
	case high && signed:
		s.a = s.c
		return kernelRightSignedBy
	case high:
		s.a = s.c
		return kernelRightBy
	case !signed:
		return kernelFunnelRight
	}
	return kernelNone
}

func logicStep(_ *Program, o *op, s *step) uint32 {
	// A complement is part of the table.
	t := o.table
	for i, x := range []source{o.a, o.b, o.c} {
		switch x.mod {
		case asIs:
		case not:
			bit := uint(4) >> i
			var turned uint8
			for k := range uint(8) {
				turned |= t >> (k ^ bit) & 1 << k
			}
			t = turned
		default:
			return kernelNone
		}
	}
	s.imm = uint32(t) * uint32(unsafe.Sizeof(logicMasks[0]))
	if o.flags&flagCarry != 0 {
		return kernelLogicTest
	}
	switch t {
	case 0xc0:
		return kernelAnd
	case 0xfc:
		return kernelOr
	case 0x3c:
		return kernelXor
	}
	return kernelLogic
}

// logicMasks has, for each truth table, the function of c for each value of a and b:
// c & x ^ y.
var logicMasks = func() (t [256][8]uint32) {
	for i := range t {
		for k := range 4 {
			zero, one := uint32(i>>(2*k)&1), uint32(i>>(2*k+1)&1)
			t[i][2*k], t[i][2*k+1] = -(zero ^ one), -zero
		}
	}
	return t
}()

// when fills in which outcomes of a compare count, and how they are combined.
func (s *step) when(o *op, t uint8) {
	for i := range 4 {
		s.k[i] = -uint32(t >> i & 1)
	}
	s.how = uint32(o.table2)
}

func compareStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a, o.b) {
		return kernelNone
	}
	t := o.table & (less | equal | greater)
	if o.flags&flagHigh != 0 {
		t |= equal
	}
	s.when(o, t)
	if o.flags&flagSigned == 0 {
		s.k[4] = 1 << 31
	}
	return kernelCompare
}

// signs fills in what of a float's bits is kept, and what is flipped.
func (s *step) signs(i int, x source) (plain bool) {
	s.k[i], s.k[i+1] = everybody, 0
	switch x.mod {
	case negBit:
		s.k[i+1] = 1 << 31
	case absBit:
		s.k[i] = 1<<31 - 1
	case negAbs:
		s.k[i], s.k[i+1] = 1<<31-1, 1<<31
	}
	return x.mod == asIs
}

func floatCompareStep(_ *Program, o *op, s *step) uint32 {
	if o.flags&flagFlush != 0 {
		return kernelNone
	}
	s.when(o, o.table)
	s.signs(4, o.a)
	s.signs(6, o.b)
	return kernelFloatOrder
}

func floatStep(signed, unsigned uint32) func(_ *Program, o *op, s *step) uint32 {
	return func(_ *Program, o *op, s *step) uint32 {
		a, b, c := s.signs(0, o.a), s.signs(2, o.b), s.signs(4, o.c)
		if a && b && c {
			return unsigned
		}
		return signed
	}
}

func floatMinMaxStep(_ *Program, o *op, s *step) uint32 {
	if o.flags&(flagFlush|flagUnordered) != 0 || o.p.pred != predTrue {
		return kernelNone
	}
	s.signs(0, o.a)
	s.signs(2, o.b)
	return kernelFMin + uint32(b2i(o.p.not))
}

func selectStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a, o.b) {
		return kernelNone
	}
	return kernelSelect
}

func minMaxStep(_ *Program, o *op, s *step) uint32 {
	if !plainly(o.a, o.b) || o.sub != 0 || o.flags&flagSaturate != 0 || o.p.pred != predTrue {
		return kernelNone
	}
	kernel := kernelMinS + uint32(b2i(o.p.not))
	if o.flags&flagSigned == 0 {
		kernel += kernelMinU - kernelMinS
	}
	return kernel
}

func oneStep(_ *Program, o *op, s *step) uint32 {
	if o.sub != oneAbs || !plainly(o.a) || o.flags&flagCarry != 0 {
		return kernelNone
	}
	return kernelAbs
}

func specialStep(_ *Program, o *op, s *step) uint32 {
	if o.flags&(flagHigh|flagFlush) != 0 {
		return kernelNone
	}
	s.signs(0, o.a)
	switch specialNames[o.sub] {
	case "RCP":
		return kernelReciprocal
	case "SQRT":
		return kernelRoot
	}
	return kernelNone
}

func convertStep(p *Program, o *op, _ *step) uint32 {
	c := &p.conversions[o.imm]
	if c.from != formats["S32"] || c.to != formats["F32"] || c.round != nearest || c.part != 0 || c.whole ||
		!plainly(o.a) || o.flags&flagSaturate != 0 {
		return kernelNone
	}
	return kernelFromSigned
}
