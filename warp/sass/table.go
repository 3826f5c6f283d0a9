package sass

import (
	"strings"

	"example.com/warpsim/warp/isa"
)

const (
	widths      = "U8 S8 U16 S16 32 64 128 U"
	cacheParts  = "E EF EL EU EN LU NA CONSTANT STRONG WEAK SYS GPU CTA SM CTA MMIO PRIVATE CONSTANT BYPASS LTC64B LTC128B LTC256B SCOPE VC"
	floatParts  = "FTZ SAT RN RM RP RZ"
	comparison  = "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T"
	combination = "AND OR XOR"
	halfParts   = "MMA F32 BF16_V2 FTZ SAT F32 FMZ RELU"
	typeParts   = "U8 S8 U16 S16 U32 S32 U64 S64 F16 F32 F64 BF16"
)

// table has all instructions that run.
var table map[string]entry

func init() {
	table = map[string]entry{
		// Moves.
		"MOV": {isa.Mov, decodeMOV, "64"}, "UMOV": {isa.UniformMov, decodeMOV, ""},
		"MOV32I": {isa.Mov, decodeMOV, ""},
		"SEL":    {isa.Select, decodeSEL, "64"}, "USEL": {isa.UniformALU, decodeSEL, ""},
		"FSEL": {isa.Select, decodeSEL, "FTZ"},
		"PRMT": {isa.Logic, decodePRMT, "F4E B4E RC8 ECL ECR RC16"}, "UPRMT": {isa.UniformALU, decodePRMT, "F4E B4E RC8 ECL ECR RC16"},
		"R2UR": {isa.ReadLane, decodeR2UR, "FILL OR"},
		"S2R":  {isa.ReadSpecial, decodeS2R, ""}, "S2UR": {isa.ReadSpecialUniform, decodeS2R, ""}, "CS2R": {isa.ReadClock, decodeS2R, "32"},
		"LDC": {isa.LoadConst, decodeLDC, "U8 S8 U16 S16 64 IL IS ISL"}, "ULDC": {isa.UniformMov, decodeLDC, "U8 S8 U16 S16 64"}, "LDCU": {isa.UniformMov, decodeLDC, "U8 S8 U16 S16 64 128"},
		// Integers.
		"IADD3": {isa.IAdd, decodeIADD3, "X"}, "UIADD3": {isa.UniformALU, decodeIADD3, "X 64"},
		"VIADD": {isa.IMul, decodeIADD, ""}, "IADD": {isa.IAdd, decodeIADD, "64"}, "IADD32I": {isa.IAdd, decodeIADD, ""},
		"IMUL": {isa.IMul, decodeIMUL, "HI U32 S32"}, "IMUL32I": {isa.IMul, decodeIMUL, "HI U32 S32"}, "ISCADD": {isa.IAdd, decodeLEA, ""}, "ISCADD32I": {isa.IAdd, decodeLEA, ""},
		"SHL": {isa.Shift, decodeSHL, "W U32 S32"}, "SHR": {isa.Shift, decodeSHL, "W U32 S32"}, "USHL": {isa.UniformALU, decodeSHL, "W U32 S32"}, "USHR": {isa.UniformALU, decodeSHL, "W U32 S32"},
		"LOP": {isa.Logic, decodeLOP, "AND OR XOR PASS_B"}, "LOP32I": {isa.Logic, decodeLOP, "AND OR XOR PASS_B"}, "ULOP": {isa.UniformALU, decodeLOP, "AND OR XOR PASS_B"}, "ULOP32I": {isa.UniformALU, decodeLOP, "AND OR XOR PASS_B"},
		"PSETP": {isa.Logic, decodePSETP, combination}, "UPSETP": {isa.UniformALU, decodePSETP, combination},
		"HADD2_32I": {isa.HFma, decodeHalf, halfParts}, "HMUL2_32I": {isa.HFma, decodeHalf, halfParts}, "HFMA2_32I": {isa.HFma, decodeHalf, halfParts},
		"UVIADD": {isa.UniformALU, decodeIADD, ""},
		"IMAD":   {isa.IMul, decodeIMAD, "MOV IADD SHL U32 S32 WIDE HI X"}, "UIMAD": {isa.UniformALU, decodeIMAD, "MOV IADD SHL U32 S32 WIDE HI X"},
		"LEA": {isa.IAdd, decodeLEA, "HI X SX32"}, "ULEA": {isa.UniformALU, decodeLEA, "HI X SX32"},
		"SHF": {isa.Shift, decodeSHF, "L R W U32 S32 U64 S64 HI"}, "USHF": {isa.UniformALU, decodeSHF, "L R W U32 S32 U64 S64 HI"},
		"LOP3": {isa.Logic, decodeLOP3, "LUT PAND POR"}, "ULOP3": {isa.UniformALU, decodeLOP3, "LUT PAND POR"},
		"PLOP3": {isa.Logic, decodePLOP3, "LUT"}, "UPLOP3": {isa.UniformALU, decodePLOP3, "LUT"},
		"ISETP": {isa.ICmp, decodeISETP, comparison + " " + combination + " U32 S32 U64 S64 EX"}, "UISETP": {isa.UniformALU, decodeISETP, comparison + " " + combination + " U32 S32 U64 S64 EX"},
		"IMNMX": {isa.IMinMax, decodeMinMax, "U32 S32"}, "VIMNMX": {isa.IMinMax, decodeMinMax, "U32 S32 RELU"}, "UIMNMX": {isa.UniformALU, decodeMinMax, "U32 S32"},
		"VIMNMX3": {isa.IMinMax, decodeMinMax, "U32 S32 RELU"}, "VIADDMNMX": {isa.IMinMax, decodeMinMax, "U32 S32 RELU"},
		"POPC": {isa.Popc, one(oneCount), ""}, "UPOPC": {isa.UniformALU, one(oneCount), ""},
		"BREV": {isa.Brev, one(oneReverse), ""}, "UBREV": {isa.UniformALU, one(oneReverse), ""},
		"FLO": {isa.Clz, one(oneLeading), "U32 S32 SH"}, "UFLO": {isa.UniformALU, one(oneLeading), "U32 S32 SH"},
		"IABS": {isa.IAdd, one(oneAbs), ""}, "BMSK": {isa.Shift, one(oneMask), "W C"}, "UBMSK": {isa.UniformALU, one(oneMask), "W C"},
		"SGXT": {isa.Shift, one(oneExtend), "W C U32 S32"}, "USGXT": {isa.UniformALU, one(oneExtend), "W C U32 S32"},
		"VABSDIFF": {isa.IAdd, decodeVABSDIFF, "U32 S32"},
		"IDP":      {isa.IMul, decodeIDP, "4A 2A LO HI U8 S8 U16 S16 U32"},
		"P2R":      {isa.Logic, decodeP2R, "B1 B2 B3"}, "R2P": {isa.Logic, decodeR2P, "B1 B2 B3"},
		// Floats.
		"FADD": {isa.FAdd, decodeFADD, floatParts}, "FMUL": {isa.FMul, decodeFMUL, floatParts + " D2 D4 D8 M2 M4 M8"}, "FFMA": {isa.FFma, decodeFFMA, floatParts},
		"FADD32I": {isa.FAdd, decodeFADD, floatParts}, "FMUL32I": {isa.FMul, decodeFMUL, floatParts}, "FFMA32I": {isa.FFma, decodeFFMA, floatParts},
		"FMNMX": {isa.FMinMax, decodeFMNMX, "FTZ NAN"}, "FSETP": {isa.FCmp, decodeFSETP, comparison + " " + combination + " FTZ"},
		"FSET": {isa.FCmp, decodeFSET, comparison + " " + combination + " FTZ BF"}, "FCHK": {isa.Special, decodeFCHK, "DIVIDE"},
		"FSWZADD": {isa.FAdd, decodeFSWZADD, "FTZ NDV"},
		"MUFU":    {isa.Special, decodeMUFU, "RCP RSQ SQRT EX2 LG2 TANH SIN COS RCP64H RSQ64H FTZ"},
		"DADD":    {isa.DAdd, decodeDouble, "RN RM RP RZ"}, "DMUL": {isa.DMul, decodeDouble, "RN RM RP RZ"}, "DFMA": {isa.DFma, decodeDouble, "RN RM RP RZ"},
		"DSETP": {isa.DCmp, decodeDSETP, comparison + " " + combination},
		"HADD2": {isa.HFma, decodeHalf, halfParts}, "HMUL2": {isa.HFma, decodeHalf, halfParts}, "HFMA2": {isa.HFma, decodeHalf, halfParts},
		"HMNMX2": {isa.HFma, decodeHalf, halfParts + " NAN"},
		"HSETP2": {isa.HFma, decodeHSETP2, comparison + " " + combination + " FTZ H_AND BF16_V2"}, "HSET2": {isa.HFma, decodeHSET2, comparison + " " + combination + " FTZ BF BF16_V2"},
		// Conversions.
		"I2F": {isa.Special, decodeConvert, typeParts + " RN RM RP RZ B1 B2 B3 RP"}, "F2I": {isa.Special, decodeConvert, typeParts + " FTZ NTZ CEIL FLOOR TRUNC ROUND"},
		"F2F": {isa.Special, decodeConvert, typeParts + " FTZ SAT RN RM RP RZ"}, "FRND": {isa.Special, decodeConvert, typeParts + " FTZ CEIL FLOOR TRUNC ROUND"},
		"I2FP": {isa.Convert, decodeConvert, typeParts + " RN RM RP RZ"}, "I2I": {isa.Convert, decodeConvert, typeParts + " SAT"},
		"UI2F": {isa.UniformALU, decodeConvert, typeParts + " RN RM RP RZ"}, "UF2I": {isa.UniformALU, decodeConvert, typeParts + " FTZ NTZ CEIL FLOOR TRUNC ROUND"},
		"F2FP": {isa.Convert, decodeF2FP, "F16 BF16 F32 PACK_AB RELU RN RZ"}, "F2IP": {isa.Convert, nil, ""},
		// Between lanes.
		"SHFL": {isa.ShflIdx, decodeSHFL, "IDX UP DOWN BFLY"}, "VOTE": {isa.Ballot, decodeVOTE, "ALL ANY EQ"}, "VOTEU": {isa.Ballot, decodeVOTE, "ALL ANY EQ"},
		"MATCH": {isa.MatchAny, decodeMATCH, "ALL ANY U64"}, "REDUX": {isa.Redux, decodeREDUX, "SUM MIN MAX AND OR XOR S32 U32"}, "CREDUX": {isa.Redux, decodeREDUX, "MIN MAX S32 U32"},
		"ELECT": {isa.Elect, decodeELECT, ""},
		// Memory.
		"LDG": {isa.LoadGlobal, load(global), widths + " " + cacheParts}, "LD": {isa.LoadGlobal, loadGeneric, widths + " " + cacheParts},
		"LDS": {isa.LoadShared, load(shared), widths}, "LDL": {isa.LoadGlobal, load(local), widths + " LU"},
		"STG": {isa.StoreGlobal, store(global), widths + " " + cacheParts}, "ST": {isa.StoreGlobal, storeGeneric, widths + " " + cacheParts},
		"STS": {isa.StoreShared, store(shared), widths}, "STL": {isa.StoreGlobal, store(local), widths + " EL EF"},
		"ATOMG": {isa.AtomicGlobal, atomic(global), atomicParts}, "ATOM": {isa.AtomicGlobal, atomicGeneric, atomicParts},
		"RED": {isa.ReduceGlobal, atomic(global), atomicParts}, "REDG": {isa.ReduceGlobal, atomic(global), atomicParts},
		"ATOMS":  {isa.AtomicShared, atomic(shared), atomicParts},
		"MEMBAR": {isa.Fence, decodeFence, "SC ALL GPU SYS CTA VC"}, "ERRBAR": {isa.Nop, nothing, ""}, "CGAERRBAR": {isa.Nop, nothing, ""},
		"CCTL": {isa.Nop, ignore, "IVALL IV U C D PF1 PF1.5 PF2 WB WBALL RS RSLB E IVALLP"}, "CCTLL": {isa.Nop, ignore, "IVALL IV U WB WBALL"},
		"DEPBAR": {isa.Nop, ignore, "LE"}, "LDGDEPBAR": {isa.Nop, nothing, ""}, "LDGSTS": {isa.LoadGlobal, decodeLDGSTS, widths + " " + cacheParts}, "QSPC": {isa.Logic, decodeQSPC, "E S L G"},
		"FENCE": {isa.Fence, decodeFence, "VIEW ASYNC"},
		// Control.
		"NOP": {isa.WarpSync, nothing, ""}, "NANOSLEEP": {isa.Nop, decodeYield, ""}, "YIELD": {isa.Nop, decodeYield, ""},
		"PREEXIT": {isa.Nop, nothing, ""}, "ACQBULK": {isa.Nop, nothing, ""}, "PMTRIG": {isa.Nop, ignore, ""}, "WARPGROUP": {isa.Nop, nil, ""},
		"BAR": {isa.BarSync, decodeBAR, "SYNC ARV RED POPC AND OR DEFER_BLOCKING SYNCALL"}, "B2R": {isa.Nop, decodeB2R, "RESULT BAR"},
		"BRA": {isa.Branch, decodeBRA, "DIV CONV U INC DEC"}, "BRX": {isa.Branch, decodeIndirect, "INC DEC"}, "JMP": {isa.Branch, decodeBRA, "U INC DEC"}, "JMX": {isa.Branch, decodeIndirect, "INC DEC"},
		"CALL": {isa.Branch, decodeCALL, "REL ABS NOINC INC"}, "RET": {isa.Branch, decodeIndirect, "REL ABS NODEC DEC"},
		"EXIT": {isa.Exit, decodeEXIT, "KEEPREFCOUNT NO_ATEXIT"}, "KILL": {isa.Exit, decodeEXIT, ""}, "BPT": {isa.Nop, decodeTrap, "TRAP INT DRAIN PAUSE"},
		"BSSY": {isa.PushSync, decodeBSSY, "RECONVERGENT RELIABLE"}, "BSYNC": {isa.Reconverge, decodeBSYNC, "RECONVERGENT RELIABLE"}, "BREAK": {isa.Reconverge, decodeBREAK, "RELIABLE"},
		"WARPSYNC": {isa.Reconverge, decodeWARPSYNC, "ALL COLLECTIVE EXCLUSIVE"}, "ENDCOLLECTIVE": {isa.Nop, nothing, ""}, "BMOV": {isa.Mov, decodeBMOV, "32 64 CLEAR PQUAD"},
	}
	for name, e := range table {
		if e.decode == nil {
			delete(table, name)
		}
	}
}

const atomicParts = cacheParts + " 64 128 U32 S32 U64 S64 F32 F64 F16x2 BF16x2 BF16_V2 ADD MIN MAX INC DEC AND OR XOR EXCH SAFEADD CAS CAST SPIN POPC 32 FTZ RN NOFTZ ACQUIRE RELEASE"

// nothing is an instruction without operands that only takes time, ignore one
// whose operands are of no matter.
func nothing(d *decoder) {
	d.o.run = func(*machine, *op) {}
}

func ignore(d *decoder) {
	nothing(d)
	d.next = len(d.in.Operands)
}

func decodeFence(d *decoder) {
	switch {
	case d.has("SYS"):
		d.o.rec.Aux = isa.FenceSystem
	case d.has("GPU"):
		d.o.rec.Aux = isa.FenceDevice
	}
	d.o.run = runFence
}

func runFence(m *machine, _ *op) { m.f.FenceMemory() }

func decodeYield(d *decoder) {
	ignore(d)
	d.o.run, d.o.class = runYield, controls
}

func decodeMOV(d *decoder) {
	o := d.o
	if d.has("64") {
		o.d, o.d2 = d.dstPair()
		if o.a, o.ah = d.srcPair(integer); o.a.mod != asIs {
			d.fail("a sign in a move of 64 bits is not known")
		}
		o.run = runMovePair
		return
	}
	o.d = d.dst(1)
	o.a = d.src(integer)
	if x := d.peek(); x != nil && x.Kind == Integer { // a mask of bytes, all of them
		d.small(15)
	}
	o.run, o.flags = runMove, flagBitwise|flagMove
	if len(o.reads) == 0 {
		o.flags = 0
	}
}

func decodeSEL(d *decoder) {
	o := d.o
	if d.has("64") {
		o.d, o.d2 = d.dstPair()
		o.a, o.ah = d.srcPair(integer)
		o.b, o.bh = d.srcPair(integer)
		if o.a.mod != asIs || o.b.mod != asIs {
			d.fail("a sign in a choice of 64 bits is not known")
		}
		o.p = d.srcPred()
		o.run = runSelect64
		return
	}
	o.d = d.dst(1)
	s := integer
	if d.in.Op == "FSEL" {
		s = single
	}
	o.a, o.b = d.src(s), d.src(s)
	o.p = d.srcPred()
	o.run = runSelect
}

func decodeVABSDIFF(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	if !d.has("U32") {
		o.flags |= flagSigned
	}
	o.run = runAbsDiff
}

func decodePRMT(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	for _, m := range d.in.Mods {
		o.sub = permutes[m]
	}
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	o.run = runPermute
}

func decodeR2UR(d *decoder) {
	o := d.o
	if d.predicateNext() {
		d.dstPred()
	}
	o.d = d.dst(1)
	o.a = d.src(integer)
	o.run, o.class = runToUniform, books
}

func decodeS2R(d *decoder) {
	o := d.o
	words := 1
	if d.in.Op == "CS2R" && !d.has("32") {
		words = 2
	}
	o.d = d.dst(words)
	if words == 2 && o.d != rowSink {
		o.d2 = o.d + 1
	}
	x := d.take()
	sub, ok := systemRegisters[x.Text]
	if x.Kind != Special || !ok {
		d.fail("unknown special register %s", x)
	}
	if o.run = runMove; words == 2 {
		o.run = runMovePair
	}
	if strings.HasPrefix(x.Text, "SR_Cga") && o.rec.Op == isa.ReadSpecial {
		o.rec.Count = 2
	}
	if sub != sysZero { // values do not depend on time: clocks are 0
		o.a = d.p.constantSource(constantRow{bank: systemBank, value: uint32(sub)})
	}
}

func decodeLDC(d *decoder) {
	o := d.o
	words := 1
	o.bytes, o.words = 4, 1
	switch {
	case d.has("64"):
		words = 2
	case d.has("128"):
		words = 4
	case d.has("U8"), d.has("S8"):
		o.bytes = 1
	case d.has("U16"), d.has("S16"):
		o.bytes = 2
	}
	if words > 1 {
		o.bytes, o.words = uint8(4*words), uint8(words)
	}
	if d.has("S8") || d.has("S16") {
		o.flags |= flagSignExtend
	}
	o.d = d.dst(words)
	x := d.take()
	if x.Kind != Constant || x.BankRegister {
		d.fail("%s is no constant", x)
		return
	}
	o.imm, o.sub = x.Value, uint8(x.Bank)
	base := x.Base
	if base == nil {
		base = x.UniformBase
	}
	if base != nil && base.Number != Zero {
		o.a = d.source(base, integer)
		d.p.banks[x.Bank] = true
	} else {
		d.bank(x.Bank, int(x.Value), int(o.bytes))
		o.rec.Count = isa.ConstantLine(x.Bank, int(x.Value))
		if o.bytes >= 4 && o.words <= 2 { // a move, as all lanes read the same
			o.a = d.constant(x, 0)
			o.run = runMove
			if o.words == 2 {
				o.ah = d.constant(x, 1)
				o.d2 = rowSink
				if o.d != rowSink {
					o.d2 = o.d + 1
				}
				o.run = runMovePair
			}
			return
		}
	}
	o.run = runLoadConstant
}

func decodeIADD3(d *decoder) {
	o := d.o
	if d.has("64") {
		decodeAdd64(d)
		return
	}
	o.d = d.dst(1)
	o.pd = d.optionalPred()
	o.pd2 = d.optionalPred()
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	if d.has("X") {
		o.p = d.optionalSrcPred()
		o.q = test{pred: predTrue, not: true}
		if d.peek() != nil {
			o.q = d.srcPred()
		}
		o.flags |= flagCarry
	}
	switch {
	case o.flags&flagCarry != 0 || o.pd != predSink || o.pd2 != predSink:
		o.run = runAdd3Carry
	case o.c.row == rowZero:
		o.run = runAdd
	default:
		o.run = runAdd3
	}
}

// decodeAdd64 is the sum of two or three register pairs.
func decodeAdd64(d *decoder) {
	o := d.o
	o.d, o.d2 = d.dstPair()
	for d.predicateNext() {
		if d.dstPred() != predSink || d.has("X") {
			d.fail("a sum of 64 bits with carries is not known")
		}
	}
	o.a, o.ah = d.srcPair(integer)
	o.b, o.bh = d.srcPair(integer)
	if d.peek() != nil {
		o.c, o.ch = d.srcPair(integer)
	}
	for _, s := range []source{o.a, o.b, o.c} {
		if s.mod == not {
			d.fail("a complement in a sum of 64 bits is not known")
		}
	}
	o.run = runAdd64
}

func decodeIADD(d *decoder) {
	o := d.o
	if d.has("64") {
		decodeAdd64(d)
		return
	}
	o.d = d.dst(1)
	o.a, o.b = d.src(integer), d.src(integer)
	o.run = runAdd
}

func decodeIMAD(d *decoder) {
	o := d.o
	wide, high := d.has("WIDE"), d.has("HI")
	if !d.has("U32") && (wide || high) {
		o.flags |= flagSigned
	}
	if wide {
		o.d, o.d2 = d.dstPair()
	} else {
		o.d = d.dst(1)
	}
	o.pd = d.optionalPred()
	o.a, o.b = d.src(integer), d.src(integer)
	if wide || high { // the high word of a product and a pair
		o.c, o.ch = d.srcPair(integer)
	} else {
		o.c = d.src(integer)
	}
	if d.has("X") {
		o.p = d.srcPred()
		o.flags |= flagCarry
		if d.peek() != nil {
			d.srcPred()
		}
	}
	o.run = runMulAdd
	switch {
	case wide:
		o.run = runMulWide
		o.rec.Count = 2
	case high:
		o.flags |= flagHigh
		o.run = runMulWide
		o.rec.Count = 2 // words of the product that are worked out
	case o.a.row == rowZero || o.b.row == rowZero:
		if !d.has("X") { // it moves
			o.a, o.run = o.c, runMove
			if len(o.reads) == 1 && o.a.row == o.reads[0] {
				o.flags |= flagBitwise | flagMove
			}
		}
	}
}

func decodeLEA(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.pd = d.optionalPred()
	o.a, o.b = d.src(integer), d.src(integer)
	if d.has("HI") {
		o.flags |= flagHigh
		if d.has("SX32") {
			o.flags |= flagSignExtend
		} else {
			o.c = d.src(integer)
		}
	}
	o.imm = d.small(31)
	if d.has("X") {
		o.p = d.srcPred()
		o.flags |= flagCarry
	}
	o.run = runScaled
}

func decodeSHF(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	d.flag("L", flagLeft)
	d.flag("HI", flagHigh)
	d.flag("W", flagWrap)
	if d.has("S32") || d.has("S64") {
		o.flags |= flagSigned
	}
	if d.has("U64") || d.has("S64") {
		o.bytes = 8
	}
	if d.has("L") == d.has("R") {
		d.fail("neither left nor right")
	}
	o.run = runFunnel
}

func decodeLOP3(d *decoder) {
	o := d.o
	o.pd = d.optionalPred()
	o.d = d.dst(1)
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	o.table = uint8(d.small(255))
	o.p = d.srcPred()
	o.run = runLogic
	o.flags = flagBitwise
	if o.pd != predSink {
		o.flags |= flagCarry
	}
}

func decodePLOP3(d *decoder) {
	o := d.o
	o.pd = d.dstPred()
	o.pd2 = d.dstPred()
	o.p, o.q, o.r = d.srcPred(), d.srcPred(), d.srcPred()
	o.table = uint8(d.small(255))
	o.table2 = uint8(d.small(255))
	o.run = runPredicateLogic
}

func decodeISETP(d *decoder) {
	o := d.o
	o.pd, o.pd2 = d.dstPred(), d.dstPred()
	long := d.has("U64") || d.has("S64")
	if long {
		o.a, o.ah = d.srcPair(integer)
		o.b, o.bh = d.srcPair(integer)
		if o.a.mod != asIs || o.b.mod != asIs || d.has("EX") {
			d.fail("this form of a compare of 64 bits is not known")
		}
	} else {
		o.a, o.b = d.src(integer), d.src(integer)
	}
	o.p = d.srcPred()
	if !d.has("U32") && !d.has("U64") {
		o.flags |= flagSigned
	}
	if d.has("EX") {
		o.q = d.srcPred()
		o.flags |= flagHigh
	}
	o.table = pick(d, compares, "")
	o.table2 = pick(d, combinations, "AND")
	if o.run = runCompare; long {
		o.run = runCompare64
	}
}

func decodeFSETP(d *decoder) {
	o := d.o
	o.pd, o.pd2 = d.dstPred(), d.dstPred()
	o.a, o.b = d.src(single), d.src(single)
	o.p = d.srcPred()
	d.flag("FTZ", flagFlush)
	o.table = pick(d, compares, "")
	o.table2 = pick(d, combinations, "AND")
	o.run = runFloatCompare
}

func decodeFSET(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(single), d.src(single)
	o.p = d.srcPred()
	d.flag("FTZ", flagFlush)
	o.table = pick(d, compares, "")
	o.table2 = pick(d, combinations, "AND")
	o.imm = -1
	if d.has("BF") {
		o.imm = 0x3f800000
	}
	o.run = runSet
}

func decodeDSETP(d *decoder) {
	o := d.o
	o.pd, o.pd2 = d.dstPred(), d.dstPred()
	o.a, o.ah = d.srcPair(doubles)
	o.b, o.bh = d.srcPair(doubles)
	o.p = d.srcPred()
	o.table = pick(d, compares, "")
	o.table2 = pick(d, combinations, "AND")
	o.run = runDoubleCompare
}

func decodeMinMax(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	for d.predicateNext() { // which of the values it was
		if d.dstPred() != predSink {
			d.fail("a predicate that tells which value was chosen is not known")
		}
	}
	o.a, o.b = d.src(integer), d.src(integer)
	switch d.in.Op {
	case "VIADDMNMX":
		o.sub = 1
		o.c = d.src(integer)
	case "VIMNMX3":
		o.sub = 2
		o.c = d.src(integer)
	}
	o.p = d.srcPred()
	if !d.has("U32") {
		o.flags |= flagSigned
	}
	d.flag("RELU", flagSaturate)
	o.run = runMinMax
}

func one(what uint8) func(d *decoder) {
	return func(d *decoder) {
		o := d.o
		if d.predicateNext() {
			o.pd = d.dstPred()
		}
		o.d = d.dst(1)
		if d.predicateNext() {
			o.pd = d.dstPred()
			o.flags |= flagCarry
		}
		o.a = d.src(integer)
		o.sub, o.run = what, runOne
		switch what {
		case oneLeading:
			signed := !d.has("U32") && !strings.HasPrefix(d.in.Op, "U") || d.has("S32")
			switch {
			case d.has("SH") && signed:
				o.sub = oneLeadingShiftSigned
			case d.has("SH"):
				o.sub = oneLeadingShift
			case signed:
				o.sub = oneLeadingSigned
			}
		case oneMask, oneExtend:
			o.b = d.src(integer)
			d.flag("W", flagWrap)
			if !d.has("U32") {
				o.flags |= flagSigned
			}
		}
	}
}

func decodeIDP(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	if d.has("2A") {
		o.sub = 1
		if d.has("HI") {
			o.sub = 2
		}
	}
	k := 0
	for _, m := range d.in.Mods {
		switch m {
		case "S8", "S16":
			o.imm |= 1 << k
			k++
		case "U8", "U16":
			k++
		}
	}
	o.a, o.b, o.c = d.src(integer), d.src(integer), d.src(integer)
	o.run = runDot
}

// byteOf returns which byte of a register predicates are packed into.
func byteOf(d *decoder) int64 {
	for i, m := range []string{"B1", "B2", "B3"} {
		if d.has(m) {
			return int64(i + 1)
		}
	}
	return 0
}

// allPredicates takes PR.
func (d *decoder) allPredicates() {
	if x := d.take(); x.Kind != Special || x.Text != "PR" {
		d.fail("%s is not PR", x)
	}
}

func decodeP2R(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	d.allPredicates()
	o.a = d.src(integer)
	x := d.peek()
	o.b = d.src(integer)
	o.imm = byteOf(d)
	if x != nil && x.Kind == Integer {
		for k := range 7 {
			if x.Value>>k&1 != 0 {
				d.readsReg(isa.Predicate(k))
			}
		}
	}
	o.run, o.class = runFromPredicates, books
}

func decodeR2P(d *decoder) {
	o := d.o
	d.allPredicates()
	o.a = d.src(integer)
	o.b = d.src(integer)
	o.imm = byteOf(d)
	o.run, o.class = runToPredicates, books
}
