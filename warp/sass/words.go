package sass

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A word is an encoded instruction: 128 bits.
type word struct{ low, high uint64 }

// bits returns n bits, up to 64, from a place on.
func (w word) bits(at, n int) uint64 {
	v := w.low >> at
	switch {
	case at >= 64:
		v = w.high >> (at - 64)
	case at > 0:
		v |= w.high << (64 - at)
	}
	if n < 64 {
		v &= 1<<n - 1
	}
	return v
}

func (w word) bit(at int) bool { return w.bits(at, 1) != 0 }

func (w word) signed(at, n int) int64 { return int64(w.bits(at, n)<<(64-n)) >> (64 - n) }

// Decode takes an encoded instruction of an architecture, 90 for sm_90, apart: the one
// at an address, low word first. It is printed as the disassembler prints it. What is
// known was checked against listings of sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 and
// sm_120; others are taken for the newest of these before them, and sm_70 and sm_72 for
// sm_75. One that it does not know, which is each that Function.Program does not know
// and some that it does, is an *Error, as is any of an architecture before sm_70.
func Decode(arch, address int, words [2]uint64) (Instr, error) {
	d := wordDecoder{w: word{words[0], words[1]}, arch: arch}
	d.in = Instr{Address: address, Words: words, HasWords: true, Control: controlOf(words[1])}
	if arch < 70 {
		return d.in, &Error{"", address, 0, fmt.Sprintf("%#016x %#016x", words[0], words[1]), fmt.Sprintf("encodings of sm_%d are not known: only those of sm_70 and later", arch)}
	}
	f, ok := encodings[uint16(words[0]&0xfff)]
	if !ok {
		f, ok = encodings[uint16(words[0]&0x1ff)] // whose operands are told by their form
		ok = ok && f.forms>>(words[0]>>9&7)&1 != 0
	}
	if !ok {
		return d.in, &Error{"", address, 0, fmt.Sprintf("%#016x %#016x", words[0], words[1]), fmt.Sprintf("unknown encoding: operation %#x", words[0]&0xfff)}
	}
	d.in.Guard = d.pred(12)
	d.in.Guard.Not = d.w.bit(15)
	d.in.Guarded = d.in.Guard.Number != Zero || d.in.Guard.Not
	d.in.Op = f.name
	f.decode(&d)
	if d.bad != "" {
		return d.in, &Error{"", address, 0, fmt.Sprintf("%#016x %#016x", words[0], words[1]), d.bad}
	}
	return d.in, nil
}

// An encoding is the name of an operation, in which forms it comes if it is known by
// the lower nine bits of its number, and what its fields are.
type encoding struct {
	name   string
	forms  uint8
	decode func(d *wordDecoder)
}

type wordDecoder struct {
	w    word
	arch int
	in   Instr
	bad  string
}

// Architectures from which on words, or how they are printed, differ.
const (
	ampere    = 80  // global memory has a descriptor, which is printed from hopper on
	hopper    = 90  // the lowest byte of a branch's offset stands apart
	blackwell = 100 // uniform registers have numbers of eight bits
)

func (d *wordDecoder) mod(m ...string) {
	for _, x := range m {
		if x != "" {
			d.in.Mods = append(d.in.Mods, x)
		}
	}
}

// flag adds a part of the name if a bit is set.
func (d *wordDecoder) flag(at int, m string) {
	if d.w.bit(at) {
		d.mod(m)
	}
}

// one adds the part of the name that a field says: nothing for "-".
func (d *wordDecoder) one(at, n int, names ...string) {
	v := d.w.bits(at, n)
	if v >= uint64(len(names)) || names[v] == "" {
		d.bad = fmt.Sprintf("%s: nothing is known of %d in bits %d to %d", d.in.Op, v, at, at+n-1)
		return
	}
	if names[v] != "-" {
		d.mod(names[v])
	}
}

func (d *wordDecoder) add(o ...Operand) { d.in.Operands = append(d.in.Operands, o...) }

func numbered(kind OperandKind, n, zero uint64) Operand {
	if n == zero {
		return Operand{Kind: kind, Number: Zero}
	}
	return Operand{Kind: kind, Number: int(n)}
}

func (d *wordDecoder) gpr(at int) Operand { return numbered(Register, d.w.bits(at, 8), 255) }

func (d *wordDecoder) ugpr(at int) Operand {
	if d.arch < blackwell {
		return numbered(UniformRegister, d.w.bits(at, 6), 63)
	}
	n := d.w.bits(at, 8)
	if n >= 63 && n != 255 {
		d.bad = fmt.Sprintf("%s: UR%d: only uniform registers to UR62 are known", d.in.Op, n)
	}
	return numbered(UniformRegister, n, 255)
}

func (d *wordDecoder) pred(at int) Operand { return numbered(Predicate, d.w.bits(at, 3), 7) }

// test is a predicate with its negation in the bit behind.
func (d *wordDecoder) test(at int) Operand {
	p := d.pred(at)
	p.Not = d.w.bit(at + 3)
	return p
}

func (d *wordDecoder) upred(at int) Operand { return numbered(UniformPredicate, d.w.bits(at, 3), 7) }

// carry adds a predicate that is written if there is one.
func (d *wordDecoder) carry(at int, uniform bool) {
	p := d.pred(at)
	if uniform {
		p = d.upred(at)
	}
	if p.Number != Zero {
		d.add(p)
	}
}

// An how says how the value of an operand is written.
type how uint8

const (
	asUnsigned how = iota // 0xffffffff
	asSigned              // -0x1
	asSingle
	asDouble // the upper half of a double
	asHalves
)

// Where the three sources have their signs and whether they are kept.
const (
	atFirst  = 24
	atSecond = 32
	atThird  = 64
)

// register is a source in a register, with its signs.
func (d *wordDecoder) register(at int, s how, uniform bool) Operand {
	o := d.gpr(at)
	if uniform {
		o = d.ugpr(at)
	}
	neg, abs, reuse := 72, 73, 122
	switch at {
	case atSecond:
		neg, abs, reuse = 63, 62, 123
	case atThird:
		neg, abs, reuse = 75, 74, 124
	}
	o.Reuse = d.w.bit(reuse)
	if s >= asSingle {
		o.Neg, o.Abs = d.w.bit(neg), d.w.bit(abs)
	}
	return o
}

// immediate is a value of 32 bits.
func (d *wordDecoder) immediate(s how) []Operand {
	v := uint32(d.w.bits(32, 32))
	switch s {
	case asSigned:
		return []Operand{{Kind: Integer, Value: int64(int32(v))}}
	case asSingle:
		return []Operand{floatOperand(float64(math.Float32frombits(v)))}
	case asDouble:
		return []Operand{floatOperand(math.Float64frombits(uint64(v) << 32))}
	case asHalves:
		return []Operand{floatOperand(halfValue(v >> 16)), floatOperand(halfValue(v & 0xffff))}
	}
	return []Operand{{Kind: Integer, Value: int64(v)}}
}

// floatOperand writes a number as the disassembler does.
func floatOperand(x float64) Operand {
	o := Operand{Kind: Float}
	size := math.Abs(x)
	switch {
	case x != x:
		if o.Text = "+QNAN "; math.Signbit(x) {
			o.Text = "-QNAN "
		}
	case math.IsInf(x, 0):
		if o.Text = "+INF "; x < 0 {
			o.Text = "-INF "
		}
	case size >= 1e10:
		o.Text = strconv.FormatFloat(x, 'e', 20, 64)
	case size >= 1e-4:
		t := strconv.FormatFloat(x, 'f', 19-int(math.Floor(math.Log10(size))), 64)
		if o.Text = t; strings.Contains(t, ".") {
			o.Text = strings.TrimRight(strings.TrimRight(t, "0"), ".")
		}
	case x == 0:
		if o.Text = "0"; math.Signbit(x) {
			o.Text = "-0"
		}
	default:
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 19, 64), "e")
		o.Text = strings.TrimRight(strings.TrimRight(digits, "0"), ".") + "e" + exponent
	}
	return o
}

// constant is c[bank][offset] of an operand.
func (d *wordDecoder) constant() Operand {
	return Operand{Kind: Constant, Bank: int(d.w.bits(54, 5)), Value: int64(d.w.bits(40, 14)) * 4, offset: true}
}

// second and third are what the form says of the second and third source; narrow ones
// have theirs in the same place whatever the form.
func (d *wordDecoder) second(s how, uniform bool) []Operand {
	switch d.form() {
	case 2, 3, 7:
		o := d.register(atThird, s, uniform)
		o.Reuse = d.w.bit(123) // it is kept as the second, wherever it stands
		return []Operand{o}
	}
	return d.middle(s, uniform)
}

func (d *wordDecoder) third(s how, uniform bool) []Operand {
	switch d.form() {
	case 2, 3, 7:
		return d.middle(s, uniform)
	}
	return []Operand{d.register(atThird, s, uniform)}
}

func (d *wordDecoder) form() uint64 { return d.w.bits(9, 3) }

// middle is the source in bits 32 and up.
func (d *wordDecoder) middle(s how, uniform bool) []Operand {
	switch d.form() {
	case 2, 4:
		return d.immediate(s)
	case 3, 5:
		o := d.constant()
		if s >= asSingle {
			o.Neg, o.Abs = d.w.bit(63), d.w.bit(62)
		}
		return []Operand{o}
	case 6, 7:
		o := d.register(atSecond, s, true)
		o.Reuse = false
		return []Operand{o}
	}
	return []Operand{d.register(atSecond, s, uniform)}
}

// negated puts signs to the integers among operands.
func (d *wordDecoder) negated(first int) {
	for i := first; i < len(d.in.Operands); i++ {
		o := &d.in.Operands[i]
		at := [3]int{72, 63, 75}[i-first]
		switch f := d.form(); {
		case i-first == 1 && (f == 2 || f == 3 || f == 7):
			at = 75
		case i-first == 2 && (f == 2 || f == 3 || f == 7):
			at = 63
		}
		if o.Kind != Integer {
			o.Neg = d.w.bit(at)
		}
	}
}

var integerCompares = []string{"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"}

var floatCompares = []string{"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"}

var joins = []string{"AND", "OR", "XOR"}

var floatRoundings = []string{"-", "RM", "RP", "RZ"}

// target is the address of a branch.
func (d *wordDecoder) target() Operand {
	v := d.w.signed(34, 48)
	if d.arch >= hopper { // the lowest byte is elsewhere
		v = v<<8 | int64(d.w.bits(16, 8))
	}
	return Operand{Kind: Integer, Value: int64(d.in.Address) + 16 + 4*v}
}

// barrier is a convergence barrier.
func (d *wordDecoder) barrier(at int) Operand {
	return Operand{Kind: Special, Text: fmt.Sprintf("B%d", d.w.bits(at, 4))}
}
