package sass

import (
	"example.com/warpsim/warp/isa"
)

// size notes how many bytes a lane accesses.
func (d *decoder) size() (words int) {
	o := d.o
	o.bytes = 4
	switch {
	case d.has("U8"), d.has("S8"):
		o.bytes = 1
	case d.has("U16"), d.has("S16"):
		o.bytes = 2
	case d.has("64"):
		o.bytes = 8
	case d.has("128"):
		o.bytes = 16
	}
	if d.has("S8") || d.has("S16") {
		o.flags |= flagSignExtend
	}
	words = max(1, int(o.bytes)/4)
	o.words = uint8(words)
	return words
}

// address takes an address; the descriptor in front of it says nothing here.
func (d *decoder) address(s space) {
	o := d.o
	o.table, o.scale = uint8(s), 1
	x := d.take()
	if x.Kind != Address {
		d.fail("%s is no address", x)
		return
	}
	o.imm = x.Value
	if b := x.Base; b != nil {
		words := 1
		if b.has("64") || s == global && !b.has("U32") && (d.has("E") || d.in.Op == "ATOMG" || d.in.Op == "REDG" || d.in.Op == "RED") {
			words = 2
		}
		if b.has("U32") && x.UniformBase == nil {
			words = 1
		}
		for suffix, n := range map[string]uint8{"X4": 4, "X8": 8, "X16": 16} {
			if b.has(suffix) {
				o.scale = n
			}
		}
		row := d.rowNumber(b, words)
		if row != rowZero {
			o.a = source{row: row}
			o.reads = append(o.reads, row)
			r := isa.Row(int(row))
			if words == 2 {
				o.ah = source{row: row + 1}
				o.reads = append(o.reads, row+1)
				o.flags |= flagWideAddress
				r = isa.RowPair(int(row))
			}
			o.rec.A = r
		}
	}
	if u := x.UniformBase; u != nil && u.Number != Zero {
		words := 1
		if s == global {
			words = 2
			o.flags |= flagWideUniform
		}
		row := d.rowNumber(u, words)
		o.b = source{row: row}
		if words == 2 {
			o.bh = source{row: row + 1}
		}
		o.rec.C = rowReg(row)
	}
}

func (d *decoder) memoryAux() {
	d.o.rec.Aux = isa.MemAux(int(d.o.bytes), isa.LevelL1)
	d.o.class = books
}

// surveyed reports whether the addresses of an access are looked at as a whole.
func surveyed(o *op, s space) bool {
	return o.scale == 1 && (s == global || s == shared && o.bytes >= 4)
}

func load(s space) func(d *decoder) {
	return func(d *decoder) {
		o := d.o
		words := d.size()
		if d.has("STRONG") && !d.has("SM") && !d.has("CTA") || d.has("MMIO") {
			o.flags |= flagVolatile
		}
		o.d = d.dst(words)
		if d.predicateNext() {
			d.dstPred()
		}
		d.address(s)
		d.optionalSrcPred()
		d.memoryAux()
		o.run = runLoad
		o.survey = surveyed(o, s) && o.flags&flagVolatile == 0 && o.d != rowSink
	}
}

// data takes what is stored, of so many words.
func (d *decoder) data(words int) {
	o := d.o
	x := d.take()
	if x.Kind != Register && x.Kind != UniformRegister {
		d.fail("%s is no register", x)
		return
	}
	row := d.rowNumber(x, words)
	o.c = source{row: row}
	if row == rowZero {
		return
	}
	for i := range words {
		o.reads = append(o.reads, row+uint16(i))
	}
	o.rec.B = rowReg(row)
}

func store(s space) func(d *decoder) {
	return func(d *decoder) {
		words := d.size()
		d.address(s)
		d.data(words)
		d.memoryAux()
		d.o.run = runStore
		d.o.survey = surveyed(d.o, s)
	}
}

var atomicOps = map[string]uint8{
	"ADD": atomAdd, "MIN": atomMin, "MAX": atomMax, "INC": atomInc, "DEC": atomDec,
	"AND": atomAnd, "OR": atomOr, "XOR": atomXor, "EXCH": atomExch, "CAS": atomCAS, "CAST": atomCAS, "SAFEADD": atomAdd,
}

var atomicTypes = map[string]uint8{
	"U32": atomU32, "S32": atomS32, "U64": atomU64, "S64": atomS64, "F32": atomF32, "F64": atomF64, "F16x2": atomF16x2, "BF16x2": atomBF16x2, "BF16_V2": atomBF16x2,
}

func atomic(s space) func(d *decoder) {
	return func(d *decoder) {
		o := d.o
		what := atomAdd
		kind := atomU32
		switch {
		case d.has("POPC"):
			what = atomPopcInc
		default:
			what = pick(d, atomicOps, "")
		}
		for _, m := range d.in.Mods {
			if k, ok := atomicTypes[m]; ok {
				kind = k
			}
		}
		o.bytes, o.words = 4, 1
		if d.has("64") || kind == atomU64 || kind == atomS64 || kind == atomF64 {
			o.bytes, o.words = 8, 2
			if kind == atomU32 {
				kind = atomU64
			}
		}
		if d.has("128") || d.has("SPIN") && what == atomCAS && s != shared {
			d.fail("this form is not known")
		}
		o.table2, o.sub = kind, what<<4
		if o.rec.Op != isa.ReduceGlobal {
			if d.has("CAST") {
				o.flags |= flagTells
			}
			if d.predicateNext() {
				if p := d.dstPred(); o.flags&flagTells != 0 {
					o.pd = p
				}
			}
			if x := d.peek(); x == nil || x.Kind != Address || o.flags&flagTells == 0 { // from sm_100 on it only writes a predicate
				o.d = d.dst(int(o.words))
			}
		}
		d.address(s)
		if what != atomPopcInc {
			d.data(int(o.words))
		}
		if what == atomCAS {
			x := d.take()
			row := d.rowNumber(x, int(o.words))
			o.ch = source{row: row}
			if row != rowZero {
				for i := range int(o.words) {
					o.reads = append(o.reads, row+uint16(i))
				}
				// The record names what is stored as the operand, and what is
				// compared with as the third.
				if o.rec.C == isa.NoReg {
					o.rec.C = o.rec.B
				}
				o.rec.B = rowReg(row)
			}
		}
		d.optionalSrcPred()
		d.memoryAux()
		if kind >= atomF32 {
			o.rec.Aux |= isa.AuxFloat
		}
		o.run = runAtomic
		o.survey = surveyed(o, s) && s == global && o.bytes == 4 && what < atomExch && kind != atomF16x2 && kind != atomBF16x2
	}
}
