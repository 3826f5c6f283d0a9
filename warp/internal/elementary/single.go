package elementary

import "math"

// Single returns the function's result in single precision; y counts for functions
// of two arguments only.
func (f Function) Single(x, y float32) float32 {
	switch f {
	case Exp:
		return exp32(x)
	case Exp2:
		return exp2of32(x)
	case Log:
		return log32(x)
	case Log2:
		return log2of32(x)
	case Sin:
		return sincos32(x, 0)
	case Cos:
		return sincos32(x, 1)
	case Sqrt:
		return float32(math.Sqrt(float64(x)))
	case Rsqrt:
		return rsqrt32(x)
	case Rcp:
		return 1 / x
	case Div:
		return x / y
	case Tanh:
		return tanh32(x)
	case Erf:
		return erf32(x)
	case Pow:
		return float32(math.Pow(float64(x), float64(y)))
	case FastExp:
		return fastExp2(x * math.Log2E)
	case FastLog:
		return fastLog2(x) * math.Ln2
	case FastLog2:
		return fastLog2(x)
	case FastSin:
		return unitSin(x * float32(1/(2*math.Pi)))
	case FastCos:
		return unitCos(x * float32(1/(2*math.Pi)))
	case FastRcp:
		return fastDiv(1, x)
	case FastDiv:
		return fastDiv(x, y)
	case FastTanh:
		return float32(math.Tanh(float64(x)))
	case FastPow:
		return fastExp2(float32(fastLog2(x) * y))
	}
	return float32(math.NaN())
}

// fromBits has the constants that the compiler writes as bits.
func fromBits(b uint32) float32 { return math.Float32frombits(b) }

func abs(x float32) float32 { return fromBits(math.Float32bits(x) &^ (1 << 31)) }

// withSign returns x with the sign of s.
func withSign(x, s float32) float32 {
	return fromBits(math.Float32bits(x)&^(1<<31) | math.Float32bits(s)&(1<<31))
}

// horner evaluates a polynomial, its first coefficient that of the highest power.
func horner(x float32, coefficients ...float32) float32 {
	v := coefficients[0]
	for _, c := range coefficients[1:] {
		v = FMA32(v, x, c)
	}
	return v
}

// exp32 splits the argument into n*log(2) and a rest: n goes into the exponent.
func exp32(x float32) float32 {
	a := FMA32(x, fromBits(0x3bbb989d), 0.5)
	if !(a > 0) { // saturated, NaN as 0
		a = 0
	} else if a > 1 {
		a = 1
	}
	// 252 a plus 1.5 * 2^23 + 1, rounded down: an integer in the low bits.
	n := float32(math.Floor(float64(a)*252)) + 12582913
	back := n - 12583039
	r := FMA32(x, fromBits(0x3fb8aa3b), -back)
	r = FMA32(x, fromBits(0x32a57060), r)
	return fromBits(math.Float32bits(n)<<23) * unitExp2(r)
}

func exp2of32(x float32) float32 {
	if x < -126 {
		e := unitExp2(x * 0.5)
		return e * e
	}
	return unitExp2(x)
}

// fastExp2 is exp2of32 by another order of the same steps.
func fastExp2(x float32) float32 { return exp2of32(x) }

// splitLog returns the parts of an argument of a logarithm: f - 1 for a
// significand f near 1, and the exponent.
func splitLog(x float32, from uint32) (scaled, f, e float32) {
	k := float32(0)
	if !(x >= smallest) {
		x *= 1 << 23
		k = -23
	}
	b := math.Float32bits(x)
	m := (b - from) & 0xff800000
	return x, fromBits(b-m) - 1, FMA32(float32(int32(m)), 0x1p-23, k)
}

// endLog puts in what infinities, NaN, negative arguments and zero give.
func endLog(x, v float32) float32 {
	if math.Float32bits(x) >= 0x7f800000 {
		inf := float32(math.Inf(1))
		v = FMA32(x, inf, inf)
	}
	if x == 0 {
		v = float32(math.Inf(-1))
	}
	return v
}

func log32(x float32) float32 {
	x, f, e := splitLog(x, 0x3f2aaaab)
	q := horner(f, -fromBits(0x3e055027), 0.14084610342979431152, -0.12148627638816833496, 0.13980610668659210205,
		-0.16684235632419586182, 0.20012299716472625732, -0.24999669194221496582, 0.33333182334899902344, -0.5)
	v := FMA32(f, float32(f*q), f)
	return endLog(x, FMA32(e, 0.69314718246459960938, v))
}

func log2of32(x float32) float32 {
	x, f, e := splitLog(x, 0x3f3504f3)
	q := horner(f, fromBits(0x3dc6b27f), -0.16845393180847167969, 0.1716887056827545166, -0.17900948226451873779, 0.20512372255325317383,
		-0.24046532809734344482, 0.28857114911079406738, -0.36067417263984680176, 0.48089820146560668945, -0.72134751081466674805)
	v := FMA32(f, 1.4426950216293334961, float32(f*float32(f*q)))
	return endLog(x, float32(e+v))
}

func fastLog2(x float32) float32 {
	if abs(x) < smallest {
		return unitLog2(x*(1<<24)) - 24
	}
	return unitLog2(x)
}

// sincos32 is the sine of x plus so many quarters of a turn.
func sincos32(x float32, quarters int32) float32 {
	r, q := reduceAngle(x)
	q += quarters
	s := r * r
	odd := q&1 != 0
	c2, c1, c0, base := fromBits(0xb94d4153), fromBits(0x3c0885e4), -fromBits(0x3e2aaaa8), r
	if odd { // the cosine
		c2, c1, c0, base = FMA32(s, fromBits(0x37cbac00), -0.0013887860113754868507), 0.041666727513074874878, -0.4999999701976776123, 1
	}
	p := FMA32(s, FMA32(s, c2, c1), c0)
	v := FMA32(p, FMA32(base, s, 0), base)
	if q&2 != 0 {
		v = FMA32(v, -1, 0)
	}
	return v
}

func rsqrt32(x float32) float32 {
	if abs(x) < smallest {
		return unitRsqrt(x*(1<<24)) * 4096
	}
	return unitRsqrt(x)
}

func fastDiv(x, y float32) float32 {
	if abs(y) < smallest {
		x, y = x*(1<<24), y*(1<<24)
	}
	return unitRcp(y) * x
}

func tanh32(x float32) float32 {
	if abs(x) < 0.60000002384185791016 {
		s := x * x
		return FMA32(float32(FMA32(s, horner(s, fromBits(0x3c80f082), -0.052303962409496307373, 0.1331529766321182251, -0.33332768082618713379), 0)), x, x)
	}
	e := unitExp2(abs(x) * 2.8853900432586669922)
	v := FMA32(unitRcp(e+1), -2, 1)
	if abs(x) >= 9.010913848876953125 {
		v = 1
	}
	return withSign(v, x)
}

func erf32(x float32) float32 {
	large := abs(x) >= 1.0029599666595458984
	if !large {
		s := x * x
		q := horner(s, 8.4834944573231041431e-05, -0.00082130916416645050049, 0.0052134888246655464172, -0.026868773624300956726,
			0.11284004896879196167, -0.37612664699554443359, 0.12837915122509002686)
		return FMA32(q, x, x)
	}
	a := abs(x)
	q := horner(a, fromBits(0x38eb4c3a), -fromBits(0x3aae005b), fromBits(0x3c09919f), -fromBits(0x3d24d99a),
		fromBits(0x3e235519), fromBits(0x3f69b4f9), fromBits(0x3f210a14))
	return withSign(1-unitExp2(FMA32(q, -a, -a)), x)
}
