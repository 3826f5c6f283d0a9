package sass

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A Program is a function made ready to run. It is safe for concurrent use.
type Program struct {
	f           *Function
	ops         []op
	sites       []warp.Site
	steps       []step      // of the ops that compute
	recs        []isa.Instr // of all
	at          map[int]int // index by address
	entry       int
	rows        int // registers that are used
	uniforms    int // and of the uniform ones
	constants   []constantRow
	constantAt  map[constantRow]uint16
	systems     []int // of these, special registers
	halves      [][3]half
	conversions []conversion
	banks       [32]bool // that are read
	variables   []int    // offsets in bank 4 that are read
	base        int      // of the arguments in bank 0
	argEnd      int      // up to where they are read
	coded       bool     // the listing has control codes
	scratch     int      // rows that copies go through
}

// A constantRow is what all warps of a launch read: a word of a constant bank, or an
// immediate; or what they read of themselves: a special register of that number.
type constantRow struct {
	bank   int // or one of these
	offset int
	value  uint32
}

const (
	immediateBank = -1
	systemBank    = -2
)

// Function returns the function that the program was made of.
func (p *Program) Function() *Function { return p.f }

// argumentBase returns where the arguments lie in constant bank 0.
func argumentBase(arch int) int {
	switch {
	case arch == 0 || arch >= 90 && arch < 100:
		return 0x210
	case arch >= 100:
		return 0x380
	case arch >= 70:
		return 0x160
	}
	return 0x140
}

// shapeOffsets returns where constant bank 0 has the numbers of threads and blocks in three
// dimensions, and the stack.
func shapeOffsets(arch int) [3]int {
	if arch >= blackwell {
		return [3]int{0x360, 0x370, 0x37c}
	}
	return [3]int{0, 0xc, 0x28}
}

// blackwellDescriptor is where listings of sm_100 and later have that of global memory.
const blackwellDescriptor = 0x358

// Program decodes the function for execution. Instructions that it does not know,
// operands that they cannot have, branches to nowhere, and lines that Parse could not
// read are Errors: all of them.
func (f *Function) Program() (*Program, error) {
	p := &Program{f: f, at: f.at, base: argumentBase(f.Arch), constantAt: map[constantRow]uint16{}, rows: 2}
	if f.Arch != 0 && f.Arch < 70 {
		return nil, Errors{{f.Name, -1, f.Line, "", fmt.Sprintf("compiled for sm_%d: only sm_70 and later are known", f.Arch)}}
	}
	p.coded = true
	for i := range f.Code {
		p.coded = p.coded && f.Code[i].HasWords
	}
	errs := slices.Clone(f.broken)
	p.ops = make([]op, len(f.Code))
	p.sites = make([]warp.Site, len(f.Code))
	for i := range f.Code {
		in := &f.Code[i]
		d := decoder{p: p, f: f, in: in, o: &p.ops[i], index: i}
		p.sites[i] = siteOf(f, in)
		if err := d.decode(); err != nil {
			errs = append(errs, &Error{f.Name, in.Address, in.Line, in.String(), err.Error()})
		}
		p.ops[i].mind()
		if p.coded {
			p.ops[i].rec.SetControl(f.schedule(i))
		}
	}
	if n := len(f.Code); n == 0 {
		errs = append(errs, &Error{f.Name, -1, f.Line, "", "the function has no instructions"})
	} else if last := &f.Code[n-1]; len(errs) == 0 && !ends(last) {
		errs = append(errs, &Error{f.Name, last.Address, last.Line, last.String(),
			"the function goes on behind its last line: the listing was cut off"})
	}
	if p.scratch > 0 && p.rows > firstScratch && len(errs) == 0 {
		errs = append(errs, &Error{f.Name, -1, f.Line, "", fmt.Sprintf("LDGSTS beside more than %d registers is not known", firstScratch)})
	}
	p.rows = min(p.rows, rowZero)
	if len(errs) == 0 {
		p.leaders()
		p.stretches()
	}
	return p, errs.orNil()
}

// siteOf returns a line of a listing as faults name it: by its source line, or by
// its address in place of a line's number.
func siteOf(f *Function, in *Instr) warp.Site {
	text := fmt.Sprintf("%#04x %s", in.Address, in)
	if in.Source.File != "" {
		return warp.Site{File: in.Source.File, Line: in.Source.Line, Func: text}
	}
	return warp.Site{File: f.title(), Line: in.Address, Func: text}
}

// title is how faults and errors call a function that may have no name.
func (f *Function) title() string {
	if f.Name == "" {
		return "listing"
	}
	return baseName(f.Name, true)
}

// ends reports whether nothing runs past an instruction.
func ends(in *Instr) bool {
	switch in.Op {
	case "NOP": // padding
		return true
	case "EXIT", "BRA", "RET", "BRX", "JMP", "JMX", "KILL", "BPT", "CALL":
		return !in.Guarded
	}
	return false
}

// schedule returns what the control code of a line says. The one of B2R is part of
// that of the barrier whose result it fetches, as they are one for the engine. The
// scoreboard of LDGDEPBAR is taken by the copies before it, whose end it stands for, and
// DEPBAR waits for one as others do by a bit, if for all that have taken it.
func (f *Function) schedule(i int) (stall, write, read, wait uint8) {
	in := &f.Code[i]
	c := in.Control
	write, wait = c.WriteBarrier, c.Wait
	switch in.Op {
	case "BAR":
		if fetch := f.fetches(i); in.has("RED") && fetch >= 0 {
			write = f.Code[fetch].Control.WriteBarrier
		}
	case "LDGSTS":
		for k := i + 1; k < len(f.Code) && write == NoBarrier; k++ {
			if f.Code[k].Op == "LDGDEPBAR" {
				write = f.Code[k].Control.WriteBarrier
				break
			}
		}
	case "LDGDEPBAR":
		write = NoBarrier
	case "DEPBAR":
		if ops := in.Operands; len(ops) == 2 && ops[1].Kind == Integer && ops[1].Value == 0 {
			if n, err := strconv.Atoi(strings.TrimPrefix(ops[0].Text, "SB")); err == nil && n >= 0 && n < NoBarrier-1 {
				wait |= 1 << n
			}
		}
	}
	return c.Stall, write, c.ReadBarrier, wait
}
