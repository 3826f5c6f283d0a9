package sass

import (
	"fmt"
	"math/bits"
)

// Forms of operations: which of their sources is an immediate, a constant, or a uniform
// register.
const (
	formsAll     = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7
	formsTwo     = 1<<1 | 1<<4 | 1<<5 | 1<<6 // for those with two sources
	formsUniform = 1<<1 | 1<<4 | 1<<2
)

var encodings map[uint16]encoding

func init() {
	encodings = map[uint16]encoding{
		// By their lower nine bits.
		0x002: {"MOV", formsTwo, encodedMOV}, 0x007: {"SEL", formsTwo, encodedSEL}, 0x008: {"FSEL", formsTwo, encodedSEL},
		0x009: {"FMNMX", formsTwo, encodedFMNMX}, 0x00b: {"FSETP", formsTwo, encodedFSETP}, 0x00c: {"ISETP", formsTwo, encodedISETP},
		0x010: {"IADD3", formsAll, encodedIADD3}, 0x011: {"LEA", formsAll, encodedLEA}, 0x012: {"LOP3", formsAll, encodedLOP3},
		0x016: {"PRMT", formsAll, encodedPRMT}, 0x017: {"IMNMX", formsTwo, encodedMinMax}, 0x019: {"SHF", formsAll, encodedSHF},
		0x020: {"FMUL", formsTwo | 1<<2 | 1<<7, encodedFMUL}, 0x021: {"FADD", formsTwo | 1<<2 | 1<<3 | 1<<7, encodedFADD}, 0x023: {"FFMA", formsAll, encodedFFMA},
		0x024: {"IMAD", formsAll, encodedIMAD}, 0x025: {"IMAD", formsAll, encodedIMAD}, 0x027: {"IMAD", formsAll, encodedIMAD},
		0x028: {"DMUL", formsTwo, encodedDouble}, 0x029: {"DADD", formsTwo | 1<<2 | 1<<3 | 1<<7, encodedDouble}, 0x02a: {"DSETP", formsTwo | 1<<2 | 1<<3 | 1<<7, encodedDSETP}, 0x02b: {"DFMA", formsAll, encodedDouble},
		0x031: {"HFMA2", 1 << 2, encodedHFMA2}, 0x035: {"HFMA2", 1 << 2, encodedHFMA2}, 0x036: {"VIADD", formsTwo, encodedVIADD}, 0x048: {"VIMNMX", formsTwo, encodedMinMax}, 0x046: {"VIADDMNMX", formsAll, encodedMinMax},
		0x045: {"I2FP", formsTwo, encodedI2FP}, 0x106: {"I2F", formsTwo, encodedI2F}, 0x112: {"I2F", formsTwo, encodedI2F}, 0x105: {"F2I", formsTwo, encodedF2I},
		0x100: {"FLO", formsTwo, encodedFLO}, 0x101: {"BREV", formsTwo, encodedOne}, 0x109: {"POPC", formsTwo, encodedOne},
		0x102: {"FCHK", formsTwo, encodedFCHK}, 0x108: {"MUFU", formsTwo, encodedMUFU},
		0x013: {"IABS", formsTwo, encodedOne}, 0x107: {"FRND", formsTwo, encodedFRND}, 0x113: {"FRND", formsTwo, encodedFRND},
		0x104: {"F2F", formsTwo, encodedF2F}, 0x110: {"F2F", formsTwo, encodedF2F}, 0x111: {"F2I", formsTwo, encodedF2I},
		0x0bd: {"UFLO", formsTwo, encodedFLO}, 0x0bf: {"UPOPC", formsTwo, encodedOne},
		// Three forms that have the number of another beside them.
		0x235: {"IADD", 0, encodedIADD}, 0x835: {"IADD", 0, encodedIADD}, 0xc35: {"IADD", 0, encodedIADD},
		// Of the uniform datapath.
		0x082: {"UMOV", formsTwo, encodedUMOV}, 0x090: {"UIADD3", formsUniform, encodedIADD3}, 0x091: {"ULEA", formsUniform, encodedLEA},
		0x092: {"ULOP3", formsUniform, encodedLOP3}, 0x099: {"USHF", formsUniform, encodedSHF}, 0x0a4: {"UIMAD", formsUniform, encodedIMAD}, 0x0a5: {"UIMAD", formsUniform, encodedIMAD},
		0x08c: {"UISETP", formsUniform, encodedISETP}, 0x087: {"USEL", formsUniform, encodedSEL},
		// By all of them.
		0x81c: {"PLOP3", 0, encodedPLOP3}, 0x89c: {"UPLOP3", 0, encodedPLOP3}, 0x803: {"P2R", 0, encodedP2R}, 0x804: {"R2P", 0, encodedR2P}, 0x806: {"VOTE", 0, encodedVOTE}, 0x886: {"VOTEU", 0, encodedVOTE},
		0x389: {"SHFL", 0, encodedSHFL}, 0x589: {"SHFL", 0, encodedSHFL}, 0x989: {"SHFL", 0, encodedSHFL}, 0xf89: {"SHFL", 0, encodedSHFL},
		0x3a1: {"MATCH", 0, encodedMATCH}, 0x3c4: {"REDUX", 0, encodedREDUX}, 0x3c2: {"R2UR", 0, encodedR2UR},
		0x919: {"S2R", 0, encodedS2R}, 0x9c3: {"S2UR", 0, encodedS2R}, 0x805: {"CS2R", 0, encodedS2R},
		0xb82: {"LDC", 0, encodedLDC}, 0xab9: {"ULDC", 0, encodedLDC}, 0x7ac: {"LDCU", 0, encodedLDCU},
		0x381: {"LDG", 0, encodedLDG}, 0x386: {"STG", 0, encodedSTG}, 0x981: {"LDG", 0, encodedLDG}, 0x986: {"STG", 0, encodedSTG}, 0x985: {"ST", 0, encodedSTG},
		0x984: {"LDS", 0, encodedLDS}, 0x388: {"STS", 0, encodedSTS}, 0x988: {"STS", 0, encodedSTS}, 0x983: {"LDL", 0, encodedLDS}, 0x387: {"STL", 0, encodedSTS},
		0x9a8: {"ATOMG", 0, encodedAtomic}, 0x98e: {"REDG", 0, encodedAtomic}, 0x9a3: {"ATOMG", 0, encodedAtomic}, 0x9a6: {"REDG", 0, encodedAtomic}, 0xf8c: {"ATOMS", 0, encodedATOMS}, 0x38c: {"ATOMS", 0, encodedATOMS}, 0x98c: {"ATOMS", 0, encodedATOMS}, 0x38d: {"ATOMS", 0, encodedSwap},
		0xb1d: {"BAR", 0, encodedBAR}, 0x91d: {"BAR", 0, encodedBAR}, 0x31c: {"B2R", 0, encodedB2R}, 0x82f: {"ELECT", 0, encodedELECT}, 0x918: {"NOP", 0, nothingEncoded}, 0x945: {"BSSY", 0, encodedBSSY}, 0x941: {"BSYNC", 0, encodedBSYNC}, 0x942: {"BREAK", 0, encodedBSYNC},
		0x355: {"BMOV", 0, encodedBMOV}, 0x356: {"BMOV", 0, encodedToBarrier}, 0x949: {"BRX", 0, encodedBRX}, 0x946: {"YIELD", 0, nothingEncoded}, 0x547: {"BRA", 0, encodedBRAU}, 0x947: {"BRA", 0, encodedBRA}, 0x944: {"CALL", 0, encodedCALL}, 0x950: {"RET", 0, encodedRET}, 0x94d: {"EXIT", 0, encodedEXIT},
		0x948: {"WARPSYNC", 0, encodedWARPSYNC}, 0x348: {"WARPSYNC", 0, encodedWARPSYNC}, 0x91b: {"ENDCOLLECTIVE", 0, nothingEncoded},
		0x992: {"MEMBAR", 0, encodedMEMBAR}, 0x9ab: {"ERRBAR", 0, nothingEncoded}, 0x5ab: {"CGAERRBAR", 0, nothingEncoded}, 0x98f: {"CCTL", 0, encodedCCTL},
	}
}

func nothingEncoded(*wordDecoder) {}

// datapath says whether an operation is of the uniform datapath.
func (d *wordDecoder) datapath() bool { return d.in.Op[0] == 'U' || d.in.Op == "LDCU" }

func (d *wordDecoder) dst() {
	if d.datapath() {
		d.add(d.ugpr(16))
		return
	}
	d.add(d.gpr(16))
}

func encodedMOV(d *wordDecoder) {
	if d.arch >= blackwell {
		d.flag(80, "64")
	}
	d.dst()
	d.add(d.middle(asUnsigned, false)...)
	if m := d.w.bits(72, 4); m != 15 {
		d.add(Operand{Kind: Integer, Value: int64(m)})
	}
}

func encodedUMOV(d *wordDecoder) {
	d.dst()
	d.add(d.middle(asUnsigned, true)...)
}

func (d *wordDecoder) floats() how {
	if d.in.Op[0] == 'F' {
		return asSingle
	}
	return asUnsigned
}

func encodedSEL(d *wordDecoder) {
	s := d.floats()
	d.dst()
	d.add(d.register(atFirst, s, d.datapath()))
	d.add(d.middle(s, d.datapath())...)
	d.add(d.test(87))
}

func encodedFMNMX(d *wordDecoder) {
	d.flag(80, "FTZ")
	d.flag(81, "NAN")
	d.dst()
	d.add(d.register(atFirst, asSingle, false))
	d.add(d.middle(asSingle, false)...)
	d.add(d.test(87))
}

func encodedFSETP(d *wordDecoder) {
	d.one(76, 4, floatCompares...)
	d.flag(80, "FTZ")
	d.one(74, 2, joins...)
	d.add(d.pred(81), d.pred(84), d.register(atFirst, asSingle, false))
	d.add(d.middle(asSingle, false)...)
	d.add(d.test(87))
}

func encodedDSETP(d *wordDecoder) {
	d.one(76, 4, floatCompares...)
	d.one(74, 2, joins...)
	d.add(d.pred(81), d.pred(84), d.register(atFirst, asDouble, false))
	d.add(d.middle(asDouble, false)...)
	d.add(d.test(87))
}

func encodedISETP(d *wordDecoder) {
	uniform := d.datapath()
	d.one(76, 3, integerCompares...)
	if !d.w.bit(73) {
		d.mod("U32")
	}
	if d.arch >= blackwell && d.w.bit(80) { // of 64 bits
		if d.w.bit(73) {
			d.mod("S64")
		} else {
			d.in.Mods[len(d.in.Mods)-1] = "U64"
		}
	}
	d.one(74, 2, joins...)
	d.flag(72, "EX")
	p := d.pred
	if uniform {
		p = d.upred
	}
	d.add(p(81), p(84), d.register(atFirst, asUnsigned, uniform))
	d.add(d.middle(asSigned, uniform)...)
	with := p(87)
	with.Not = d.w.bit(90)
	d.add(with)
	if d.w.bit(72) {
		low := p(68)
		low.Not = d.w.bit(71)
		d.add(low)
	}
}

func encodedIADD3(d *wordDecoder) {
	uniform := d.datapath()
	d.flag(74, "X")
	d.dst()
	if d.arch >= blackwell { // they are written always
		p := d.pred
		if uniform {
			p = d.upred
		}
		d.add(p(81), p(84))
	} else {
		d.carry(81, uniform)
		d.carry(84, uniform)
	}
	first := len(d.in.Operands)
	d.add(d.register(atFirst, asUnsigned, uniform))
	d.add(d.second(asSigned, uniform)...)
	d.add(d.third(asSigned, uniform)...)
	d.negated(first)
	if d.w.bit(74) {
		for i := first; i < len(d.in.Operands); i++ { // with carries it is a complement
			o := &d.in.Operands[i]
			o.Neg, o.Not = false, o.Neg
		}
		p, q := d.test(87), d.test(77)
		if uniform {
			p.Kind, q.Kind = UniformPredicate, UniformPredicate
		}
		d.add(p, q)
	}
}

// encodedIADD is the sum of 64 bits, whose one form another operation had before.
func encodedIADD(d *wordDecoder) {
	if d.arch < blackwell {
		d.in.Op = "HFMA2"
		d.mod("MMA")
		d.halves()
		return
	}
	d.mod("64")
	d.dst()
	first := len(d.in.Operands)
	d.add(d.register(atFirst, asUnsigned, false))
	d.add(d.middle(asSigned, false)...)
	d.negated(first)
}

func encodedVIADD(d *wordDecoder) {
	d.dst()
	first := len(d.in.Operands)
	d.add(d.register(atFirst, asUnsigned, false))
	d.add(d.middle(asUnsigned, false)...)
	d.negated(first)
}

func encodedIMAD(d *wordDecoder) {
	uniform := d.datapath()
	wide, high := d.w.bits(0, 9)&^0x80 == 0x25, d.w.bits(0, 9) == 0x27
	signed := d.w.bit(73)
	s := asSigned
	a := d.register(atFirst, asUnsigned, uniform)
	b, c := d.second(s, uniform), d.third(s, uniform)
	x := d.w.bit(74)
	zero := func(o Operand) bool {
		return (o.Kind == Register || o.Kind == UniformRegister) && o.Number == Zero && !o.Neg
	}
	name := "" // of what it comes to
	switch {
	case wide || high || x || uniform:
	case zero(a) && zero(b[0]) && c[0].Kind != UniformRegister:
		name = "MOV"
	case b[0].Kind == Integer && b[0].Value == 1:
		name = "IADD"
	case b[0].Kind == Integer && bits.OnesCount32(uint32(b[0].Value)) == 1 && zero(c[0]) && !signed:
		name = "SHL"
	}
	d.mod(name)
	if wide {
		d.mod("WIDE")
	}
	if high {
		d.mod("HI")
	}
	if !signed && !x {
		d.mod("U32")
	}
	if x {
		if !signed && (wide || high) {
			d.mod("U32")
		}
		d.mod("X")
	}
	d.dst()
	d.carry(81, uniform)
	first := len(d.in.Operands)
	d.add(a)
	d.add(b...)
	d.add(c...)
	d.negated(first)
	d.in.Operands[first].Neg = false
	if x {
		d.in.Operands[first+2].Not, d.in.Operands[first+2].Neg = d.in.Operands[first+2].Neg, false
		d.add(d.test(87))
	}
}

func encodedLEA(d *wordDecoder) {
	uniform := d.datapath()
	high, extend := d.w.bit(80), d.w.bit(73)
	d.flag(80, "HI")
	d.flag(74, "X")
	d.flag(73, "SX32")
	d.dst()
	d.carry(81, uniform)
	first := len(d.in.Operands)
	d.add(d.register(atFirst, asUnsigned, uniform))
	d.add(d.second(asUnsigned, uniform)...)
	d.negated(first)
	if high && !extend {
		d.add(d.third(asUnsigned, uniform)...)
	}
	d.add(Operand{Kind: Integer, Value: int64(d.w.bits(75, 5))})
	if d.w.bit(74) {
		for i := first; i < first+2; i++ {
			o := &d.in.Operands[i]
			o.Neg, o.Not = false, o.Neg
		}
		p := d.test(87)
		if uniform {
			p.Kind = UniformPredicate
		}
		d.add(p)
	}
}

func encodedLOP3(d *wordDecoder) {
	uniform := d.datapath()
	d.mod("LUT")
	d.carry(81, uniform)
	d.dst()
	d.add(d.register(atFirst, asUnsigned, uniform))
	d.add(d.second(asUnsigned, uniform)...)
	d.add(d.third(asUnsigned, uniform)...)
	p := d.test(87)
	if uniform {
		p.Kind = UniformPredicate
	}
	d.add(Operand{Kind: Integer, Value: int64(d.w.bits(72, 8))}, p)
}

func encodedPLOP3(d *wordDecoder) {
	d.mod("LUT")
	table := d.w.bits(64, 3) | d.w.bits(72, 5)<<3
	predicates := []Operand{d.pred(81), d.pred(84), d.test(87), d.test(77), d.test(68)}
	if d.datapath() {
		for i := range predicates {
			predicates[i].Kind = UniformPredicate
		}
	} else if d.w.bit(67) {
		predicates[4].Kind = UniformPredicate
	}
	d.add(predicates...)
	d.add(Operand{Kind: Integer, Value: int64(table)}, Operand{Kind: Integer, Value: int64(d.w.bits(16, 8))})
}

func encodedPRMT(d *wordDecoder) {
	d.one(72, 3, "-", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16")
	d.dst()
	d.add(d.register(atFirst, asUnsigned, false))
	d.add(d.second(asUnsigned, false)...)
	d.add(d.third(asUnsigned, false)...)
}

func encodedSHF(d *wordDecoder) {
	uniform := d.datapath()
	d.one(76, 1, "L", "R")
	d.flag(75, "W")
	d.one(73, 2, "S64", "U64", "S32", "U32")
	d.flag(80, "HI")
	d.dst()
	d.add(d.register(atFirst, asUnsigned, uniform))
	d.add(d.second(asUnsigned, uniform)...)
	d.add(d.third(asUnsigned, uniform)...)
}

func encodedMinMax(d *wordDecoder) {
	s := asSigned
	signed := 72
	if d.in.Op == "IMNMX" {
		signed = 73
	}
	switch {
	case !d.w.bit(signed):
		d.mod("U32")
		s = asUnsigned
	case d.arch >= 120 && d.in.Op == "VIMNMX":
		d.mod("S32")
	}
	d.dst()
	if d.arch >= blackwell && d.arch < 120 && d.in.Op == "VIMNMX" {
		d.add(d.pred(81), d.pred(84))
	}
	d.add(d.register(atFirst, asUnsigned, false))
	if d.in.Op == "VIADDMNMX" {
		d.add(d.second(asUnsigned, false)...)
		d.add(d.third(asUnsigned, false)...)
		at := 63
		if f := d.form(); f == 2 || f == 3 || f == 7 {
			at = 75
		}
		if o := &d.in.Operands[2]; o.Kind != Integer {
			o.Neg = d.w.bit(at)
		}
	} else {
		d.add(d.middle(s, false)...)
	}
	d.add(d.test(87))
}

func encodedFADD(d *wordDecoder) {
	d.flag(80, "FTZ")
	d.flag(77, "SAT")
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.register(atFirst, asSingle, false))
	d.add(d.middle(asSingle, false)...)
	if d.form() == 1 { // it is kept as a third source
		d.in.Operands[2].Reuse = d.w.bit(124)
	}
}

func encodedFMUL(d *wordDecoder) {
	d.flag(80, "FTZ")
	d.one(84, 3, "D8", "D4", "D2", "", "-", "M2", "M4", "M8")
	d.flag(77, "SAT")
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.register(atFirst, asSingle, false))
	d.add(d.middle(asSingle, false)...)
}

func encodedFFMA(d *wordDecoder) {
	d.flag(80, "FTZ")
	d.flag(77, "SAT")
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.register(atFirst, asSingle, false))
	d.add(d.second(asSingle, false)...)
	d.add(d.third(asSingle, false)...)
}

func encodedDouble(d *wordDecoder) {
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.register(atFirst, asDouble, false))
	switch {
	case d.in.Op == "DADD" && d.form() == 1:
		d.add(d.register(atThird, asDouble, false))
	case d.in.Op != "DFMA":
		d.add(d.middle(asDouble, false)...)
	default:
		d.add(d.second(asDouble, false)...)
		d.add(d.third(asDouble, false)...)
	}
}

// halves is the form of packed halves in three registers, as they are.
func (d *wordDecoder) halves() {
	if d.form() != 1 || d.w.bits(60, 2)|d.w.bits(72, 19) != 0 {
		d.bad = d.in.Op + ": signs and choices of halves are not known by their encoding"
	}
	d.dst()
	d.add(d.register(atFirst, asUnsigned, false), d.register(atSecond, asUnsigned, false), d.register(atThird, asUnsigned, false))
}

// encodedHFMA2 is the one form that compilers make constants with.
func encodedHFMA2(d *wordDecoder) {
	if d.w.bits(0, 9) == 0x35 {
		d.mod("MMA")
	}
	d.dst()
	d.add(d.register(atFirst, asHalves, false))
	d.add(d.second(asHalves, false)...)
	d.add(d.third(asHalves, false)...)
}

func encodedI2FP(d *wordDecoder) {
	d.mod("F32")
	d.one(74, 1, "U32", "S32")
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.middle(asUnsigned, false)...)
}

func encodedI2F(d *wordDecoder) {
	d.one(75, 2, "F16", "", "-", "F64")
	if d.w.bit(74) {
		d.one(84, 3, "S8", "S16", "-", "S64")
	} else {
		d.one(84, 3, "U8", "U16", "U32", "U64")
	}
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.middle(asUnsigned, false)...)
}

// floatSize adds the name of a float by its size.
func (d *wordDecoder) floatSize(at int, single string) { d.one(at, 2, "", "F16", single, "F64") }

func encodedF2I(d *wordDecoder) {
	d.flag(80, "FTZ")
	if d.w.bit(72) {
		d.one(75, 2, "S8", "S16", "-", "S64")
	} else {
		d.one(75, 2, "U8", "U16", "U32", "U64")
	}
	d.floatSize(84, "-")
	d.one(78, 2, "-", "FLOOR", "CEIL", "TRUNC")
	d.flag(77, "NTZ")
	d.dst()
	d.add(d.middle(asSingle, false)...)
}

func encodedF2F(d *wordDecoder) {
	d.floatSize(75, "F32")
	d.floatSize(84, "F32")
	d.one(78, 2, floatRoundings...)
	d.dst()
	d.add(d.middle(asSingle, false)...)
}

func encodedFRND(d *wordDecoder) {
	d.floatSize(75, "-")
	d.one(78, 2, "-", "FLOOR", "CEIL", "TRUNC")
	d.dst()
	d.add(d.middle(asSingle, false)...)
}

func encodedOne(d *wordDecoder) {
	d.dst()
	d.add(d.middle(asUnsigned, d.datapath())...)
	d.in.Operands[1].Not = d.w.bit(63) && d.form() == 1
}

func encodedFLO(d *wordDecoder) {
	if !d.w.bit(73) {
		d.mod("U32")
	}
	d.flag(74, "SH")
	d.carry(81, d.datapath())
	d.dst()
	d.add(d.middle(asUnsigned, d.datapath())...)
	last := &d.in.Operands[len(d.in.Operands)-1]
	last.Not = d.w.bit(63) && d.form() == 1
}

func encodedFCHK(d *wordDecoder) {
	d.add(d.pred(81), d.register(atFirst, asSingle, false))
	d.add(d.middle(asSingle, false)...)
}

func encodedMUFU(d *wordDecoder) {
	d.one(74, 4, "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH")
	d.flag(80, "F16")
	d.dst()
	d.add(d.middle(asSingle, false)...)
}

// allPredicates is PR.
var allPredicates = Operand{Kind: Special, Text: "PR"}

func encodedP2R(d *wordDecoder) {
	d.one(76, 2, "-", "B1", "B2", "B3")
	d.dst()
	d.add(allPredicates, d.register(atFirst, asUnsigned, false))
	d.add(d.middle(asUnsigned, false)...)
}

func encodedR2P(d *wordDecoder) {
	d.one(76, 2, "-", "B1", "B2", "B3")
	d.add(allPredicates, d.register(atFirst, asUnsigned, false))
	d.add(d.middle(asUnsigned, false)...)
}

func encodedVOTE(d *wordDecoder) {
	d.one(72, 2, "ALL", "ANY", "EQ")
	to := d.gpr(16)
	if d.in.Op == "VOTEU" {
		to = d.ugpr(16)
	}
	if to.Number != Zero {
		d.add(to)
	}
	p := d.pred(81)
	if d.in.Op == "VOTEU" {
		p = d.upred(81)
	}
	d.add(p, d.test(87))
}

func encodedSHFL(d *wordDecoder) {
	d.one(58, 2, "IDX", "UP", "DOWN", "BFLY")
	d.add(d.pred(81))
	d.dst()
	d.add(d.register(atFirst, asUnsigned, false))
	if d.form() == 1 || d.form() == 2 {
		d.add(d.register(atSecond, asUnsigned, false))
	} else {
		d.add(Operand{Kind: Integer, Value: int64(d.w.bits(53, 5))})
	}
	if d.form() == 1 || d.form() == 4 {
		d.add(d.register(atThird, asUnsigned, false))
	} else {
		d.add(Operand{Kind: Integer, Value: int64(d.w.bits(40, 13))})
	}
}

func encodedMATCH(d *wordDecoder) {
	d.one(79, 1, "ALL", "ANY")
	d.flag(73, "U64")
	if !d.w.bit(79) {
		d.add(d.pred(81))
	}
	d.dst()
	d.add(d.register(atFirst, asUnsigned, false))
}

func encodedREDUX(d *wordDecoder) {
	d.one(78, 3, "-", "OR", "XOR", "SUM", "MIN", "MAX")
	d.flag(73, "S32")
	d.add(d.ugpr(16), d.register(atFirst, asUnsigned, false))
}

func encodedR2UR(d *wordDecoder) {
	d.add(d.ugpr(16), d.register(atFirst, asUnsigned, false))
}

var encodedRegisters = map[uint64]string{
	0x2f: "SR_SWINHI", 0x00: "SR_LANEID", 0x20: "SR_TID", 0x21: "SR_TID.X", 0x22: "SR_TID.Y", 0x23: "SR_TID.Z",
	0x25: "SR_CTAID.X", 0x26: "SR_CTAID.Y", 0x27: "SR_CTAID.Z",
	0x38: "SR_EQMASK", 0x39: "SR_LTMASK", 0x3a: "SR_LEMASK", 0x3b: "SR_GTMASK", 0x3c: "SR_GEMASK",
	0x43: "SR_VIRTUALSMID", 0x50: "SR_CLOCKLO", 0x51: "SR_CLOCKHI", 0x52: "SR_GLOBALTIMERLO", 0x53: "SR_GLOBALTIMERHI",
	0x88: "SR_CgaCtaId", 0xff: "SRZ",
}

func encodedS2R(d *wordDecoder) {
	name, ok := encodedRegisters[d.w.bits(72, 8)]
	if !ok {
		d.bad = fmt.Sprintf("unknown special register %#x", d.w.bits(72, 8))
	}
	if d.in.Op == "CS2R" && !d.w.bit(80) {
		d.mod("32")
	}
	if d.in.Op == "S2UR" {
		d.add(d.ugpr(16))
	} else {
		d.add(d.gpr(16))
	}
	d.add(Operand{Kind: Special, Text: name})
}

// width is what a memory access is wide of a lane.
func (d *wordDecoder) width() { d.one(73, 3, "U8", "S8", "U16", "S16", "-", "64", "128") }

func encodedLDCU(d *wordDecoder) {
	d.width()
	d.dst()
	if d.ugpr(24).Number != Zero {
		d.bad = "LDCU: a register in its address is not known by its encoding"
	}
	d.add(Operand{Kind: Constant, Bank: int(d.w.bits(54, 5)), Value: d.w.signed(37, 17), offset: true})
}

func encodedLDC(d *wordDecoder) {
	uniform := d.datapath()
	if !uniform {
		d.one(78, 2, "-", "IL", "IS", "ISL")
	}
	d.width()
	d.dst()
	o := Operand{Kind: Constant, Bank: int(d.w.bits(54, 5)), Value: d.w.signed(38, 16), offset: true}
	if base := d.gpr(24); !uniform && (base.Number != Zero || o.Value == 0) {
		o.Base = &base
		o.offset = o.Value != 0
	}
	d.add(o)
}

// scope adds who a memory access is ordered with.
func (d *wordDecoder) scope() {
	v := d.w.bits(77, 4)
	if d.arch < ampere {
		switch v {
		case 7:
			d.mod("SYS")
		case 10:
			d.mod("STRONG", "GPU")
		case 11:
			d.mod("STRONG", "SYS")
		default:
			d.bad = fmt.Sprintf("%s: unknown order %d", d.in.Op, v)
		}
		return
	}
	switch v {
	case 0:
	case 4:
		d.mod("CONSTANT")
	case 5:
		d.mod("STRONG", "SM")
	case 7:
		d.mod("STRONG", "GPU")
	case 10:
		d.mod("STRONG", "SYS")
	default:
		d.bad = fmt.Sprintf("%s: unknown order %d", d.in.Op, v)
	}
}

// evict adds what the caches do with a line.
func (d *wordDecoder) evict() { d.one(84, 3, "EF", "-", "EL", "LU", "EU", "NA") }

// address is one in memory. uniform is where its uniform register is, 0 for none.
func (d *wordDecoder) address(uniform int) Operand {
	o := Operand{Kind: Address, Value: d.w.signed(40, 24)}
	o.offset = o.Value != 0
	base := d.gpr(24)
	o.Base = &base
	base.Reuse = d.w.bit(122)
	if uniform > 0 && d.w.bit(91) {
		u := d.ugpr(uniform)
		o.UniformBase = &u
		if base.Number == Zero {
			o.Base = nil
		}
	}
	return o
}

// shared is an address of shared memory. Before hopper its register may be scaled, and
// is not written if it is RZ beside an offset.
func (d *wordDecoder) shared(uniform int) Operand {
	o := d.address(uniform)
	if d.arch >= hopper || o.Base == nil {
		return o
	}
	if scale := d.w.bits(78, 2); scale > 0 {
		o.Base.Suffixes = []string{[]string{"X4", "X8", "X16"}[scale-1]}
	}
	if o.Base.Number == Zero && o.offset {
		o.Base = nil
	}
	return o
}

// described is an address of global memory with its descriptor, which is written from
// hopper on; before ampere there is none, but maybe a uniform register to add.
func (d *wordDecoder) described(at int) Operand {
	if d.arch < ampere {
		o := d.address(at)
		if o.Base != nil && o.UniformBase != nil {
			o.Base.Suffixes = []string{"U32"}
			if d.w.bit(90) {
				o.Base.Suffixes = []string{"64"}
			}
		}
		return o
	}
	o := d.address(0)
	atomic := d.in.Op != "LDG" && d.in.Op != "STG" && d.in.Op != "ST"
	if d.w.bit(76) || d.w.bit(72) && atomic {
		o.Base.Suffixes = []string{"64"}
	}
	if d.arch >= blackwell && d.in.Op == "ATOMG" { // the highest bit is no part of it
		o.Value = d.w.signed(40, 23)
		o.offset = o.Value != 0
	}
	if d.arch < hopper {
		if !d.w.bit(91) {
			d.bad = d.in.Op + ": an address without a descriptor is not known by its encoding"
		}
		return o
	}
	u := d.ugpr(at)
	o.Descriptor, o.Text = &u, "desc"
	return o
}

func encodedLDG(d *wordDecoder) {
	d.flag(72, "E")
	d.evict()
	d.width()
	d.scope()
	d.dst()
	d.carry(81, false)
	d.add(d.described(32))
}

func encodedSTG(d *wordDecoder) {
	d.flag(72, "E")
	d.evict()
	d.width()
	d.scope()
	d.add(d.described(64), d.register(atSecond, asUnsigned, false))
}

func encodedLDS(d *wordDecoder) {
	if d.arch < ampere && d.in.Op == "LDS" {
		d.flag(76, "U")
	}
	d.width()
	d.dst()
	d.add(d.shared(32))
}

func encodedSTS(d *wordDecoder) {
	d.width()
	d.add(d.shared(64), d.register(atSecond, asUnsigned, false))
}

func encodedAtomic(d *wordDecoder) {
	d.flag(72, "E")
	ops, n := []string{"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"}, 4
	if d.in.Op == "REDG" {
		ops, n = ops[:8], 3
		if d.arch < hopper {
			d.in.Op = "RED"
		}
	}
	d.one(87, n, ops...)
	switch op, kind := d.w.bits(0, 9), d.w.bits(73, 4); {
	case op == 0x1a6 || op == 0x1a3: // of floats
		switch kind {
		case 9:
			d.mod("F32", "FTZ", "RN")
		case 15:
			d.mod("F64", "RN")
		default:
			d.bad = fmt.Sprintf("%s: unknown type %d of floats", d.in.Op, kind)
		}
	case d.arch < hopper && kind == 3:
		d.mod("F32", "FTZ", "RN")
	case d.arch < hopper && kind == 6:
		d.mod("F64", "RN")
	case d.arch >= blackwell: // the fourth bit says something else
		d.one(73, 3, "-", "S32", "64")
	default:
		d.one(73, 4, "-", "S32", "64")
	}
	d.scope()
	if d.in.Op == "ATOMG" {
		d.add(d.pred(81))
		d.dst()
	}
	d.add(d.described(64), d.register(atSecond, asUnsigned, false))
}

func encodedATOMS(d *wordDecoder) {
	if d.w.bits(0, 12) == 0xf8c {
		d.mod("POPC", "INC", "32")
		d.dst()
		o := d.address(0)
		if u := d.ugpr(64); d.w.bit(91) {
			o.UniformBase = &u
		}
		d.add(o)
		return
	}
	d.one(87, 4, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH")
	d.one(73, 3, "-", "S32", "64")
	d.dst()
	d.add(d.shared(64), d.register(atSecond, asUnsigned, false))
}

// encodedSwap is the compare and swap of 32 bits in shared memory.
func encodedSwap(d *wordDecoder) {
	if d.w.bits(73, 3) != 0 {
		d.bad = "ATOMS.CAS: only 32 bits are known by their encoding"
	}
	d.mod("CAS")
	d.dst()
	d.add(d.shared(0), d.register(atSecond, asUnsigned, false), d.register(atThird, asUnsigned, false))
}

func encodedBAR(d *wordDecoder) {
	d.one(77, 2, "SYNC", "ARV", "RED")
	reduces := d.w.bits(77, 2) == 2
	if reduces {
		d.one(74, 2, "POPC", "AND", "OR")
	}
	d.flag(80, "DEFER_BLOCKING")
	d.add(Operand{Kind: Integer, Value: int64(d.w.bits(54, 4))})
	if d.form() == 4 { // how many threads
		d.add(d.register(atSecond, asUnsigned, false))
	}
	if reduces {
		d.add(d.test(87))
	}
}

func encodedBSSY(d *wordDecoder) {
	d.reconvergent()
	d.add(d.barrier(16), Operand{Kind: Integer, Value: int64(d.in.Address) + 16 + 4*d.w.signed(34, 30)})
}

// reconvergent says that all lanes are known to come to a convergence barrier.
func (d *wordDecoder) reconvergent() {
	if d.arch >= blackwell {
		d.flag(73, "RECONVERGENT")
	}
}

func encodedBSYNC(d *wordDecoder) {
	if d.in.Op == "BSYNC" {
		d.reconvergent()
	}
	if p := d.test(87); p.Number != Zero || p.Not {
		d.add(p)
	}
	d.add(d.barrier(16))
}

func encodedBRA(d *wordDecoder) {
	switch {
	case d.arch >= hopper && d.w.bit(91):
		d.mod("DIV")
		d.add(d.ugpr(24))
	case d.arch >= hopper:
	case d.w.bit(33):
		if d.w.bit(32) {
			d.mod("CONV")
		} else {
			d.mod("DIV")
		}
		if d.arch >= ampere {
			u := d.ugpr(24)
			u.Not = d.w.bit(30)
			d.add(u)
		}
	case d.w.bit(32):
		d.mod("U")
	}
	if p := d.test(87); p.Number != Zero || p.Not {
		d.add(p)
	}
	d.add(d.target())
}

// encodedBRAU is a branch by a uniform predicate.
func encodedBRAU(d *wordDecoder) {
	d.mod("U")
	p := d.upred(24)
	p.Not = d.w.bit(27)
	d.add(p, d.target())
}

func encodedCALL(d *wordDecoder) {
	d.mod("REL")
	d.flag(86, "NOINC")
	d.add(d.target())
}

func encodedRET(d *wordDecoder) {
	d.mod("REL")
	d.flag(86, "NODEC")
	t := d.target()
	d.add(d.gpr(24), t)
}

func encodedEXIT(d *wordDecoder) {
	if p := d.test(87); p.Number != Zero || p.Not {
		d.add(p)
	}
}

func encodedWARPSYNC(d *wordDecoder) {
	switch {
	case d.arch < hopper && d.form() == 1:
		d.add(d.register(atSecond, asUnsigned, false))
		return
	case d.arch < hopper:
		d.add(d.immediate(asUnsigned)...)
		return
	case d.form() == 1 && !d.w.bit(86):
		d.add(d.gpr(24))
		return
	case d.form() == 1:
		d.mod("COLLECTIVE")
		d.add(d.gpr(24), d.target())
		return
	}
	d.mod("ALL")
}

func encodedBRX(d *wordDecoder) {
	t := d.target()
	t.Value -= int64(d.in.Address) + 16
	d.add(d.gpr(24), t)
}

func encodedB2R(d *wordDecoder) {
	if !d.w.bit(78) {
		d.bad = "B2R: only RESULT is known by its encoding"
	}
	d.mod("RESULT")
	d.dst()
	d.carry(81, false)
}

func encodedELECT(d *wordDecoder) { d.add(d.pred(81), d.ugpr(16), d.test(87)) }

func encodedToBarrier(d *wordDecoder) {
	d.mod("32")
	d.add(d.barrier(24), d.register(atSecond, asUnsigned, false))
}

// encodedBMOV is a convergence barrier's lanes in a register.
func encodedBMOV(d *wordDecoder) {
	d.mod("32")
	d.flag(84, "CLEAR")
	d.dst()
	d.add(d.barrier(24))
}

func encodedMEMBAR(d *wordDecoder) {
	d.one(79, 2, "SC", "ALL")
	d.one(76, 3, "CTA", "SM", "GPU", "SYS", "", "VC")
}

func encodedCCTL(d *wordDecoder) {
	if d.w.bits(87, 4) != 4 {
		d.bad = "CCTL: only IVALL is known by its encoding"
	}
	d.mod("IVALL")
}
