package sass

import (
	"fmt"
	"math"
	"strings"

	"example.com/warpsim/warp/isa"
)

// A decoder makes one instruction ready. The first error stays.
type decoder struct {
	p     *Program
	f     *Function
	in    *Instr
	o     *op
	index int
	next  int // operand to be taken
	err   error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// An entry of the table of instructions: what they cost, how they are decoded, and
// which parts of their names are known.
type entry struct {
	op     isa.Op
	decode func(d *decoder)
	mods   string
}

func (d *decoder) decode() error {
	in, o := d.in, d.o
	o.index = int32(d.index)
	o.guard, o.d, o.d2, o.pd, o.pd2 = predTrue, rowSink, rowSink, predSink, predSink
	o.p, o.q, o.r = test{pred: predTrue}, test{pred: predTrue}, test{pred: predTrue}
	zero := source{row: rowZero}
	o.a, o.b, o.c, o.ah, o.bh, o.ch = zero, zero, zero, zero, zero, zero
	e, ok := table[in.Op]
	if !ok {
		return fmt.Errorf("unknown instruction")
	}
	for _, m := range in.Mods {
		if !known(e.mods, m) {
			return fmt.Errorf("%s has no form .%s that is known", in.Op, m)
		}
	}
	o.rec.Op = e.op
	if in.Guarded {
		t := d.test(in.Guard)
		o.guard, o.guardNot = t.pred, t.not
		if t.pred == predTrue && t.not || t.pred == predUniform+7 && t.not {
			o.guard, o.guardNot = predTrue, true // never
		}
		if t.pred == predUniform+7 && !t.not {
			o.guard = predTrue
		}
		if r := d.predReg(t.pred); r != isa.NoReg {
			o.rec.Guard = uint8(r - isa.Predicate(0) + 1)
		}
	}
	e.decode(d)
	if d.err == nil && d.next < len(in.Operands) {
		d.fail("more operands than %s has", in.Op)
	}
	if d.err == nil && o.run == nil {
		d.fail("unknown form")
	}
	return d.err
}

func known(mods, m string) bool {
	for k := range strings.FieldsSeq(mods) {
		if k == m {
			return true
		}
	}
	return false
}

// take returns the next operand.
func (d *decoder) take() *Operand {
	if d.next >= len(d.in.Operands) {
		d.fail("an operand is missing")
		return &Operand{Kind: Register, Number: Zero}
	}
	d.next++
	return &d.in.Operands[d.next-1]
}

// peek returns the next operand, nil if there is none.
func (d *decoder) peek() *Operand {
	if d.next >= len(d.in.Operands) {
		return nil
	}
	return &d.in.Operands[d.next]
}

func (d *decoder) has(m string) bool { return d.in.has(m) }

// predicateNext reports whether the next operand is a predicate.
func (d *decoder) predicateNext() bool {
	o := d.peek()
	return o != nil && (o.Kind == Predicate || o.Kind == UniformPredicate)
}

// put notes a register that the record names: of the first free slots.
func put(r isa.Reg, slots ...*isa.Reg) {
	for _, s := range slots {
		if r == isa.NoReg || *s == r {
			return
		}
		if *s == isa.NoReg {
			*s = r
			return
		}
	}
}

func (d *decoder) readsReg(r isa.Reg) { put(r, &d.o.rec.A, &d.o.rec.B, &d.o.rec.C) }

func (d *decoder) writesReg(r isa.Reg) { put(r, &d.o.rec.Dst, &d.o.rec.Dst2) }

func rowReg(row uint16) isa.Reg {
	switch {
	case row < rowZero:
		return isa.Row(int(row))
	case row >= rowUniform && row < firstConstant:
		return isa.Uniform(int(row - rowUniform))
	}
	return isa.NoReg
}

func (d *decoder) predReg(p uint8) isa.Reg {
	switch {
	case p < 7:
		return isa.Predicate(int(p))
	case p >= predUniform && p < predUniform+7:
		return isa.Predicate(int(p))
	}
	return isa.NoReg
}

// read notes that a row is read.
func (d *decoder) read(row uint16) {
	if row < firstConstant && row != rowZero {
		d.o.reads = append(d.o.reads, row)
	}
	d.readsReg(rowReg(row))
}

// rowNumber returns the row of a register operand, and makes the file large enough.
func (d *decoder) rowNumber(x *Operand, size int) uint16 {
	switch x.Kind {
	case Register:
		if x.Number == Zero {
			return rowZero
		}
		if x.Number+size > rowZero {
			d.fail("%s: a value of %d registers does not fit", x, size)
			return rowZero
		}
		d.p.rows = max(d.p.rows, x.Number+size)
		return uint16(x.Number)
	case UniformRegister:
		if x.Number == Zero {
			return rowZero
		}
		if x.Number+size > 63 {
			d.fail("%s: a value of %d registers does not fit", x, size)
			return rowZero
		}
		d.p.uniforms = max(d.p.uniforms, x.Number+size)
		return uint16(rowUniform + x.Number)
	}
	d.fail("%s is no register", x)
	return rowZero
}

// dst takes a register that is written, of so many words.
func (d *decoder) dst(words int) uint16 {
	x := d.take()
	if x.Neg || x.Not || x.Abs {
		d.fail("%s cannot be written", x)
	}
	row := d.rowNumber(x, words)
	if row == rowZero {
		return rowSink
	}
	for i := range words {
		d.o.writes = append(d.o.writes, row+uint16(i))
	}
	if x.Kind == UniformRegister {
		d.o.uniform = true
	}
	r := rowReg(row)
	if words == 2 && x.Kind == Register && !memoryOp(d.o.rec.Op) {
		r = isa.RowPair(int(row))
	}
	d.writesReg(r)
	return row
}

func memoryOp(op isa.Op) bool {
	switch op {
	case isa.LoadShared, isa.LoadGlobal, isa.AtomicShared, isa.AtomicGlobal:
		return true
	}
	return false
}

// dstPair takes a register pair that is written.
func (d *decoder) dstPair() (lo, hi uint16) {
	lo = d.dst(2)
	if lo == rowSink {
		return lo, lo
	}
	return lo, lo + 1
}

// dstPred takes a predicate that is written.
func (d *decoder) dstPred() uint8 {
	t := d.test(*d.take())
	if t.not {
		d.fail("a predicate that is written has no sign")
	}
	if t.pred == predTrue || t.pred == predUniform+7 {
		return predSink
	}
	if t.pred >= predUniform {
		d.o.uniform = true
	}
	d.o.writesP = append(d.o.writesP, t.pred)
	d.writesReg(d.predReg(t.pred))
	return t.pred
}

// optionalPred takes a predicate that is written if one comes next.
func (d *decoder) optionalPred() uint8 {
	if d.predicateNext() {
		return d.dstPred()
	}
	return predSink
}

func (d *decoder) test(x Operand) test {
	n := x.Number
	switch x.Kind {
	case Predicate:
		if n == Zero {
			n = predTrue
		}
	case UniformPredicate:
		if n == Zero {
			n = 7
		}
		n += predUniform
	default:
		d.fail("%s is no predicate", &x)
		return test{pred: predTrue}
	}
	return test{uint8(n), x.Not}
}

// srcPred takes a predicate that is read.
func (d *decoder) srcPred() test {
	t := d.test(*d.take())
	d.o.readsP = append(d.o.readsP, t.pred)
	d.readsReg(d.predReg(t.pred))
	return t
}

// optionalSrcPred takes a predicate that is read if one comes next, PT if not.
func (d *decoder) optionalSrcPred() test {
	if d.predicateNext() {
		return d.srcPred()
	}
	return test{pred: predTrue}
}

// A sort is how the value of an operand is taken.
type sort uint8

const (
	integer sort = iota
	single
	doubles
	packed // two halves
)

// src takes an operand of one word.
func (d *decoder) src(s sort) source {
	x := d.take()
	return d.source(x, s)
}

// constantSource returns the row of a word that all lanes read.
func (p *Program) constantSource(c constantRow) source {
	at, ok := p.constantAt[c]
	if !ok {
		at = uint16(firstConstant + len(p.constants))
		if c.bank == systemBank {
			p.systems = append(p.systems, len(p.constants))
		}
		p.constants = append(p.constants, c)
		p.constantAt[c] = at
	}
	return source{row: at}
}

func (p *Program) immediate(v uint32) source {
	if v == 0 {
		return source{row: rowZero}
	}
	return p.constantSource(constantRow{bank: immediateBank, value: v})
}

// known returns the value of a source that is an immediate.
func (p *Program) known(s source) (uint32, bool) {
	switch {
	case s.mod != asIs:
	case s.row == rowZero:
		return 0, true
	case s.row >= firstConstant:
		c := p.constants[s.row-firstConstant]
		return c.value, c.bank == immediateBank
	}
	return 0, false
}

func (d *decoder) source(x *Operand, s sort) source {
	var v source
	switch x.Kind {
	case Register, UniformRegister:
		v = source{row: d.rowNumber(x, 1)}
		d.read(v.row)
	case Integer:
		v = d.p.immediate(d.word(x))
		if s == single || s == doubles {
			v = d.p.immediate(math.Float32bits(float32(x.Value)))
		}
	case Float:
		switch s {
		case single:
			v = d.p.immediate(x.single())
		case doubles:
			v = d.p.immediate(uint32(bits64(x.double()) >> 32))
		case packed:
			h := halfBits(x.double())
			v = d.p.immediate(h | h<<16)
		default:
			d.fail("%s is no integer", x)
		}
	case Constant:
		v = d.constant(x, 0)
	default:
		d.fail("%s cannot be read", x)
		return source{row: rowZero}
	}
	v.mod = d.mod(x, s)
	return v
}

// word returns an immediate of 32 bits.
func (d *decoder) word(x *Operand) uint32 {
	if x.Value > math.MaxUint32 || x.Value < math.MinInt32 || x.wide {
		d.fail("%s has more than 32 bits", x)
	}
	return uint32(x.Value)
}

// constant returns the word i of a constant operand.
func (d *decoder) constant(x *Operand, i int) source {
	if x.BankRegister || x.Base != nil && x.Base.Number != Zero || x.UniformBase != nil && x.UniformBase.Number != Zero {
		d.fail("%s: a constant in an operand has no register in its address here", x)
		return source{row: rowZero}
	}
	d.bank(x.Bank, int(x.Value), 4*(i+1))
	return d.p.constantSource(constantRow{bank: x.Bank, offset: int(x.Value) + 4*i})
}

// bank notes what is read of a constant bank.
func (d *decoder) bank(bank, offset, n int) {
	d.p.banks[bank] = true
	if offset < 0 || offset > 1<<16 {
		d.fail("a constant bank has no offset %#x", offset)
		return
	}
	if shape := shapeOffsets(d.f.Arch); bank == 0 && d.f.Arch >= blackwell && offset < shape[0] && offset != blackwellDescriptor {
		d.fail("what constant bank 0 has at %#x is not known of sm_%d", offset, d.f.Arch)
	}
	if bank == 0 && offset+n > d.p.base {
		d.p.argEnd = max(d.p.argEnd, offset+n)
	}
	if bank == 4 {
		for at := offset &^ 7; at < offset+n; at += 8 {
			known := false
			for _, o := range d.p.variables {
				known = known || o == at
			}
			if !known {
				d.p.variables = append(d.p.variables, at)
			}
		}
	}
}

func (d *decoder) mod(x *Operand, s sort) uint8 {
	switch {
	case s == packed:
		return asIs
	case s == integer:
		switch {
		case x.Abs:
			d.fail("%s: an integer has no bars", x)
		case x.Neg && x.Not:
			d.fail("%s has two signs", x)
		case x.Neg:
			return negInt
		case x.Not:
			return not
		}
		return asIs
	case x.Not:
		d.fail("%s: a float has no complement", x)
	case x.Neg && x.Abs:
		return negAbs
	case x.Neg:
		return negBit
	case x.Abs:
		return absBit
	}
	return asIs
}

// srcPair takes an operand of two words: an integer, or a double whose sign is in
// the upper one.
func (d *decoder) srcPair(s sort) (lo, hi source) {
	x := d.take()
	switch x.Kind {
	case Register, UniformRegister:
		row := d.rowNumber(x, 2)
		if row == rowZero {
			lo, hi = source{row: row}, source{row: row}
			break
		}
		lo, hi = source{row: row}, source{row: row + 1}
		d.o.reads = append(d.o.reads, row, row+1)
		r := rowReg(row)
		if x.Kind == Register && s == doubles {
			r = isa.RowPair(int(row))
		}
		d.readsReg(r)
	case Integer:
		if s == doubles {
			u := math.Float64bits(float64(x.Value))
			lo, hi = d.p.immediate(uint32(u)), d.p.immediate(uint32(u>>32))
			break
		}
		lo, hi = d.p.immediate(uint32(x.Value)), d.p.immediate(uint32(x.Value>>32))
	case Float:
		u := bits64(x.double())
		lo, hi = d.p.immediate(uint32(u)), d.p.immediate(uint32(u>>32))
	case Constant:
		lo, hi = d.constant(x, 0), d.constant(x, 1)
	default:
		d.fail("%s cannot be read", x)
		lo, hi = source{row: rowZero}, source{row: rowZero}
	}
	if s == doubles {
		hi.mod = d.mod(x, doubles)
	} else {
		lo.mod = d.mod(x, integer)
	}
	return lo, hi
}

// small takes an immediate from 0 to limit.
func (d *decoder) small(limit int64) int64 {
	x := d.take()
	if x.Kind != Integer || x.Value < 0 || x.Value > limit {
		d.fail("%s is no number from 0 to %d", x, limit)
		return 0
	}
	return x.Value
}

// target takes the address that a branch goes to.
func (d *decoder) target() {
	x := d.take()
	if x.Kind != Integer && x.Kind != Label {
		d.fail("%s is no address", x)
		return
	}
	index, ok := d.f.at[int(x.Value)]
	if !ok {
		d.fail("no instruction at %s", x)
		return
	}
	d.o.target = int32(index)
}

// flag sets a flag if the name has a part.
func (d *decoder) flag(m string, f uint16) {
	if d.has(m) {
		d.o.flags |= f
	}
}

// pick returns the value of the last part of the name that is in a table.
func pick[T any](d *decoder, values map[string]T, otherwise string) T {
	found := otherwise
	for _, m := range d.in.Mods {
		if _, ok := values[m]; ok {
			found = m
		}
	}
	v, ok := values[found]
	if !ok {
		d.fail("%s does not say which", d.in.Op)
	}
	return v
}
