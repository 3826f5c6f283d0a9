package sass

import (
	"strconv"
	"strings"

	"example.com/warpsim/warp/isa"
)

// convergence takes a convergence barrier, B0 to B15.
func (d *decoder) convergence() {
	x := d.take()
	n, err := strconv.Atoi(strings.TrimPrefix(x.Text, "B"))
	if x.Kind != Special || err != nil || !strings.HasPrefix(x.Text, "B") || n < 0 || n > 15 {
		d.fail("%s is no convergence barrier", x)
		return
	}
	d.o.sub = uint8(n)
}

func decodeBSSY(d *decoder) {
	d.convergence()
	d.target()
	if d.o.run = runBSSY; d.o.guard != predTrue || d.o.guardNot {
		d.o.run, d.o.class = runBSSYGuarded, books
	}
}

func decodeBSYNC(d *decoder) {
	d.convergence()
	d.o.run, d.o.class = runBSYNC, controls
}

func decodeBREAK(d *decoder) {
	d.o.p = d.optionalSrcPred()
	d.convergence()
	d.o.run, d.o.class = runBREAK, controls
}

func decodeWARPSYNC(d *decoder) {
	o := d.o
	o.run, o.class = runWARPSYNC, controls
	if d.has("ALL") {
		o.flags |= flagAll
	} else {
		o.a = d.src(integer)
		o.rec.A, o.rec.B = isa.NoReg, isa.NoReg
	}
	if x := d.peek(); x != nil && (x.Kind == Integer || x.Kind == Label) {
		d.target() // where the lanes go on, the next instruction but for the collective between
	}
}

func decodeBRA(d *decoder) {
	o := d.o
	o.run, o.class = runBRA, controls
	switch {
	case d.has("DIV"):
		o.run = runBRADIV
		d.converged()
	case d.has("CONV"):
		o.run = runBRACONV
		d.converged()
	case d.predicateNext():
		o.p = d.srcPred()
	}
	d.target()
}

// converged takes the lanes that a branch is about: all, before sm_80.
func (d *decoder) converged() {
	if len(d.in.Operands) > 1 {
		d.o.a = d.src(integer)
	} else {
		d.o.a = d.p.immediate(everybody)
	}
}

func decodeCALL(d *decoder) {
	if x := d.peek(); x != nil && x.Kind == Register {
		decodeIndirect(d)
		return
	}
	d.o.run, d.o.class = runBRA, controls
	d.target()
}

// decodeIndirect is a branch to a register and an address.
func decodeIndirect(d *decoder) {
	o := d.o
	o.run, o.class = runIndirect, controls
	x := d.take()
	row := d.rowNumber(x, 1)
	o.a = source{row: row}
	if row != rowZero {
		o.reads = append(o.reads, row)
	}
	if y := d.peek(); y != nil {
		switch d.take(); y.Kind {
		case Integer, Label:
			o.imm = y.Value
			if d.in.Op == "BRX" {
				o.imm += int64(d.in.Address) + 16
			}
		default:
			d.fail("%s is no address", y)
		}
	}
}

func decodeEXIT(d *decoder) {
	o := d.o
	o.p = d.optionalSrcPred()
	o.run, o.class = runEXIT, controls
}

func decodeTrap(d *decoder) {
	d.next = len(d.in.Operands)
	d.o.run, d.o.class = runTrap, controls
}

func decodeBMOV(d *decoder) {
	o := d.o
	d.flag("CLEAR", flagClear)
	if x := d.peek(); x != nil && x.Kind == Special {
		d.convergence()
		o.a = d.src(integer)
		o.flags |= flagToBarrier
	} else {
		o.d = d.dst(1)
		d.convergence()
	}
	o.run = runBMOV
}

func decodeBAR(d *decoder) {
	o := d.o
	o.run, o.class = runBAR, controls
	if d.has("SYNCALL") {
		return
	}
	o.a = d.src(integer)
	if x := d.peek(); x != nil && x.Kind != Predicate {
		o.b = d.src(integer)
	}
	o.rec.A, o.rec.B, o.rec.C = isa.NoReg, isa.NoReg, isa.NoReg
	switch {
	case d.has("ARV"):
		o.flags |= flagArrive
		o.rec.Op = isa.BarArrive
	case d.has("RED"):
		o.flags |= flagReduce
		o.rec.Op = isa.BarRed
		o.p = d.srcPred()
		// An instruction behind fetches the result, and has no record.
		if fetch := d.f.fetches(d.index); fetch >= 0 {
			for i := range d.f.Code[fetch].Operands {
				x := &d.f.Code[fetch].Operands[i]
				switch {
				case x.Kind == Register && x.Number != Zero:
					d.writesReg(isa.Row(x.Number))
				case x.Kind == Predicate && x.Number != Zero:
					d.writesReg(isa.Predicate(x.Number))
				}
			}
		} else {
			d.fail("no B2R follows")
		}
	}
}

// fetches returns the line that fetches the result of a barrier, -1 for none: a B2R
// before anything that branches, or another barrier.
func (f *Function) fetches(barrier int) int {
	for i := barrier + 1; i < len(f.Code); i++ {
		switch in := &f.Code[i]; {
		case in.Op == "B2R":
			return i
		case in.Op == "BAR" || isBranch(in):
			return -1
		}
	}
	return -1
}

func decodeB2R(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.pd = d.optionalPred()
	for i := d.index - 1; i >= 0; i-- {
		if in := &d.f.Code[i]; in.Op == "BAR" {
			o.sub = uint8(b2i(in.has("AND")))
			break
		}
	}
	o.run, o.class = runB2R, silent
}
