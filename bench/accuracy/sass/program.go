// Package sass makes wide kernels of listings of machine code that a chip really
// ran: each instruction of a listing is one that the engine issues, with the
// registers that the listing names, and computes what it computed on the chip.
package sass

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.com/warpsim/warp"
)

// A Program is the listing of one kernel.
type Program struct {
	// Name is the kernel's, Repeat how often its body was unrolled.
	Name   string
	Repeat int
	Code   []Instr

	at    map[int]int // index of an address
	steps []step      // of Code, once decoded
	rows  int         // registers that Code names
}

// An Instr is one line of a listing, taken apart.
type Instr struct {
	PC   int
	Text string

	op      string   // first part of the name, such as ISETP
	mods    []string // the others
	guard   operand
	guarded bool
	args    []operand
}

type operandKind uint8

const (
	none operandKind = iota
	reg
	ureg
	pred
	upred // uniform predicate
	imm
	constant // c[bank][offset]
	address  // [R1+UR2+8]
	other
)

type operand struct {
	kind operandKind
	n    int // register or predicate number; -1: RZ, URZ or PT
	neg  bool
	inv  bool // ~ or !
	val  uint32
	text string // of an immediate
	base int    // address: register, -1 none
	ub   int    // address: uniform register, -1 none
}

// Parse reads listings: a line "== name xN" begins a program, each other line
// is an address and an instruction.
func Parse(r io.Reader) ([]*Program, error) {
	var all []*Program
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		text := sc.Text()
		if head, ok := strings.CutPrefix(text, "== "); ok {
			name, times, ok := strings.Cut(head, " x")
			n, err := strconv.Atoi(times)
			if !ok || err != nil {
				return nil, fmt.Errorf("sass: line %d: %q is no heading", line, text)
			}
			all = append(all, &Program{Name: name, Repeat: n, at: map[int]int{}})
			continue
		}
		if text == "" {
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("sass: line %d: instruction before the first heading", line)
		}
		p := all[len(all)-1]
		in, err := parseInstr(text)
		if err != nil {
			return nil, fmt.Errorf("sass: line %d: %w", line, err)
		}
		p.at[in.PC] = len(p.Code)
		p.Code = append(p.Code, in)
		for _, o := range in.args {
			p.rows = max(p.rows, o.n+4, o.base+2) // a load of 16 bytes takes four
		}
	}
	return all, sc.Err()
}

func parseInstr(text string) (Instr, error) {
	at, rest, ok := strings.Cut(text, " ")
	pc, err := strconv.ParseInt(at, 16, 32)
	if !ok || err != nil {
		return Instr{}, fmt.Errorf("%q has no address", text)
	}
	in := Instr{PC: int(pc), Text: rest}
	if strings.HasPrefix(rest, "@") {
		g, tail, _ := strings.Cut(rest[1:], " ")
		in.guard, in.guarded, rest = parseOperand(g), true, tail
	}
	name, args, _ := strings.Cut(rest, " ")
	parts := strings.Split(name, ".")
	in.op, in.mods = parts[0], parts[1:]
	for _, a := range strings.Split(args, ",") {
		if a = strings.TrimSpace(a); a == "" {
			continue
		}
		// "desc[UR4][R2.64]" and "B0, 0x110" are for nobody here.
		in.args = append(in.args, parseOperand(a))
	}
	return in, nil
}

func (in *Instr) has(mod string) bool {
	for _, m := range in.mods {
		if m == mod {
			return true
		}
	}
	return false
}

func parseOperand(s string) operand {
	o := operand{kind: other, base: -1, ub: -1}
	if i := strings.Index(s, "["); i >= 0 && strings.HasSuffix(s, "]") {
		if strings.HasPrefix(s, "c[") {
			o.kind = constant
			inner := s[strings.LastIndex(s, "[")+1 : len(s)-1]
			if v, err := strconv.ParseUint(inner, 0, 32); err == nil {
				o.val = uint32(v)
			}
			return o
		}
		o.kind = address
		inner := s[strings.LastIndex(s, "[")+1 : len(s)-1]
		for _, part := range strings.Split(inner, "+") {
			part, _, _ = strings.Cut(part, ".")
			switch {
			case part == "RZ" || part == "URZ":
			case strings.HasPrefix(part, "UR"):
				o.ub = number(part[2:])
			case strings.HasPrefix(part, "R"):
				o.base = number(part[1:])
			default:
				v, err := strconv.ParseInt(part, 0, 64)
				if err != nil {
					o.kind = other
				}
				o.val = uint32(v)
			}
		}
		return o
	}
	for {
		switch {
		case strings.HasPrefix(s, "-") && len(s) > 1 && (s[1] == 'R' || s[1] == 'U'):
			o.neg, s = true, s[1:]
			continue
		case strings.HasPrefix(s, "~"), strings.HasPrefix(s, "!"):
			o.inv, s = !o.inv, s[1:]
			continue
		}
		break
	}
	o.text = s
	s, _, _ = strings.Cut(s, ".") // .reuse, .64
	switch {
	case s == "RZ":
		o.kind, o.n = reg, -1
	case s == "URZ":
		o.kind, o.n = ureg, -1
	case s == "PT" || s == "UPT":
		o.kind, o.n = pred, -1
	case strings.HasPrefix(s, "UP") && number(s[2:]) >= 0:
		o.kind, o.n = upred, number(s[2:])
	case strings.HasPrefix(s, "UR") && number(s[2:]) >= 0:
		o.kind, o.n = ureg, number(s[2:])
	case strings.HasPrefix(s, "R") && number(s[1:]) >= 0:
		o.kind, o.n = reg, number(s[1:])
	case strings.HasPrefix(s, "P") && number(s[1:]) >= 0:
		o.kind, o.n = pred, number(s[1:])
	default:
		if v, err := strconv.ParseInt(s, 0, 64); err == nil {
			o.kind, o.val = imm, uint32(v)
		} else if _, err := strconv.ParseFloat(o.text, 64); err == nil {
			o.kind = imm // see float
		}
	}
	return o
}

// float returns the value of a floating-point immediate.
func (o operand) float() float64 {
	v, _ := strconv.ParseFloat(o.text, 64)
	return v
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// arg returns an operand, or none.
func (in *Instr) arg(i int) operand {
	if i < len(in.args) {
		return in.args[i]
	}
	return operand{kind: other, base: -1, ub: -1, n: -1}
}

// ReadsClock reports whether the instruction reads the cycle counter for a
// measurement: all 64 bits of it, as the programs do around what they measure.
func (in *Instr) ReadsClock() bool {
	return in.op == "CS2R" && wide(in) && strings.Contains(in.Text, "SR_CLOCKLO")
}

// ArgumentType returns the type of the program's argument, which is also that of
// its result: each program begins by adding the thread's number to it.
func (p *Program) ArgumentType() warp.Kind {
	for i := range p.Code {
		switch in := &p.Code[i]; {
		case in.op == "I2FP" && in.has("U32"):
			return warp.Float32
		case in.op == "I2F" && in.has("F64"):
			return warp.Float64
		}
	}
	return warp.Uint32
}
