package sass

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	Register         OperandKind = iota // R5, RZ
	UniformRegister                     // UR5, URZ
	Predicate                           // P0, PT
	UniformPredicate                    // UP0, UPT
	Integer                             // 0x10, -0x1
	Float                               // 1.5, +INF
	Constant                            // c[0x0][0x210], c[0x4][R2+0x8]
	Address                             // [R2.64+UR4+0x10], desc[UR4][R2.64]
	Special                             // SR_TID.X, B0, SB1, PR: names of what is no register
	Label                               // `(.L_x_1), resolved by the parser
)

// Zero is the number of the register that is always zero, or of the predicate
// that is always true.
const Zero = -1

// An Operand is one operand of an instruction.
type Operand struct {
	Kind   OperandKind
	Number int // of the register or predicate; Zero: RZ, URZ, PT, UPT
	Neg    bool
	Abs    bool
	Not    bool // ~ or !
	Reuse  bool
	// Suffixes stand behind a register, such as 64, H0_H0 or X4.
	Suffixes []string
	// Value is that of an integer, or the address of a label.
	Value int64
	// Bank is that of a constant; BankRegister says that it is in a uniform
	// register of that number (cx).
	Bank         int
	BankRegister bool
	// Base and UniformBase are the registers of an address or of a constant,
	// nil for none; Value is the rest.
	Base, UniformBase *Operand
	// Descriptor is the uniform register of desc[...], nil for none.
	Descriptor *Operand
	offset     bool // the rest is written
	wide       bool // Value is a number of 64 bits without a sign
	// Text is the name of a special operand or label, and how a float is written.
	Text string
}

// String returns the operand as the disassembler writes it.
func (o *Operand) String() string {
	var b strings.Builder
	o.write(&b)
	return b.String()
}

func (o *Operand) write(b *strings.Builder) {
	if o.Neg {
		b.WriteByte('-')
	}
	if o.Not {
		switch o.Kind {
		case Predicate, UniformPredicate:
			b.WriteByte('!')
		default:
			b.WriteByte('~')
		}
	}
	if o.Abs {
		b.WriteByte('|')
	}
	switch o.Kind {
	case Register:
		writeNumber(b, "R", "RZ", o.Number)
	case UniformRegister:
		writeNumber(b, "UR", "URZ", o.Number)
	case Predicate:
		writeNumber(b, "P", "PT", o.Number)
	case UniformPredicate:
		writeNumber(b, "UP", "UPT", o.Number)
	case Integer:
		if o.wide {
			b.WriteString("0x")
			b.WriteString(strconv.FormatUint(uint64(o.Value), 16))
			break
		}
		writeHex(b, o.Value)
	case Float, Special, Label:
		b.WriteString(o.Text)
	case Constant:
		if o.BankRegister {
			b.WriteString("cx[")
			writeNumber(b, "UR", "URZ", o.Bank)
		} else {
			b.WriteString("c[")
			writeHex(b, int64(o.Bank))
		}
		b.WriteByte(']')
		o.writeAddress(b)
	case Address:
		if o.Text != "" {
			b.WriteString(o.Text)
		}
		if o.Descriptor != nil {
			b.WriteByte('[')
			o.Descriptor.write(b)
			b.WriteByte(']')
		}
		o.writeAddress(b)
	}
	if o.Abs {
		b.WriteByte('|')
	}
	for _, s := range o.Suffixes {
		b.WriteByte('.')
		b.WriteString(s)
	}
	if o.Reuse {
		b.WriteString(".reuse")
	}
}

func (o *Operand) writeAddress(b *strings.Builder) {
	b.WriteByte('[')
	sep := false
	for _, r := range []*Operand{o.Base, o.UniformBase} {
		if r != nil {
			if sep {
				b.WriteByte('+')
			}
			r.write(b)
			sep = true
		}
	}
	if o.offset {
		if sep {
			b.WriteByte('+')
		}
		writeHex(b, o.Value)
	}
	b.WriteByte(']')
}

func writeNumber(b *strings.Builder, name, zero string, n int) {
	if n == Zero {
		b.WriteString(zero)
		return
	}
	b.WriteString(name)
	b.WriteString(strconv.Itoa(n))
}

func writeHex(b *strings.Builder, v int64) {
	if v < 0 {
		b.WriteString("-0x")
		b.WriteString(strconv.FormatUint(uint64(-v), 16))
		return
	}
	b.WriteString("0x")
	b.WriteString(strconv.FormatUint(uint64(v), 16))
}

// has reports whether the operand has a suffix.
func (o *Operand) has(suffix string) bool {
	for _, s := range o.Suffixes {
		if s == suffix {
			return true
		}
	}
	return false
}

// parseOperand takes one operand apart.
func parseOperand(s string) (Operand, error) {
	var o Operand
	rest := s
	if x, ok := cutReuse(rest); ok {
		o.Reuse, rest = true, x
	}
	if len(rest) > 1 && rest[0] == '-' && !digit(rest[1]) && !strings.HasPrefix(rest, "-INF") && !strings.HasPrefix(rest, "-QNAN") && !strings.HasPrefix(rest, "-SNAN") {
		o.Neg, rest = true, rest[1:]
	}
	if rest != "" && (rest[0] == '~' || rest[0] == '!') {
		o.Not, rest = true, rest[1:]
	}
	if rest != "" && rest[0] == '|' {
		end := strings.LastIndexByte(rest, '|')
		if end == 0 {
			return o, fmt.Errorf("%q has one bar", s)
		}
		o.Abs = true
		tail := rest[end+1:]
		rest = rest[1:end] + tail
	}
	if rest == "" {
		return o, fmt.Errorf("empty operand")
	}
	switch c := rest[0]; {
	case c == '[' || strings.HasPrefix(rest, "desc[") || strings.HasPrefix(rest, "gdesc["):
		return o, o.parseAddress(rest)
	case strings.HasPrefix(rest, "c[") || strings.HasPrefix(rest, "cx["):
		return o, o.parseConstant(rest)
	case digit(c) || (c == '-' || c == '+') && len(rest) > 1:
		return o, o.parseNumber(rest)
	case c == '`' || c == '(':
		o.Kind, o.Text = Label, rest
		return o, nil
	case strings.HasPrefix(rest, "INF") || strings.HasPrefix(rest, "QNAN"):
		return o, o.parseNumber("+" + rest)
	}
	name, suffixes, _ := strings.Cut(rest, ".")
	if o.parseRegister(name) {
		if suffixes != "" {
			o.Suffixes = strings.Split(suffixes, ".")
		}
		return o, nil
	}
	if !letter(rest[0]) {
		return o, fmt.Errorf("%q is no operand", s)
	}
	for i := range len(rest) {
		if c := rest[i]; !letter(c) && !digit(c) && c != '_' && c != '.' {
			return o, fmt.Errorf("%q is no operand", s)
		}
	}
	o.Kind, o.Text = Special, rest
	return o, nil
}

func cutReuse(s string) (string, bool) { return strings.CutSuffix(s, ".reuse") }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// parseRegister takes a register or predicate.
func (o *Operand) parseRegister(s string) bool {
	switch s {
	case "":
		return false
	case "RZ":
		o.Kind, o.Number = Register, Zero
	case "URZ":
		o.Kind, o.Number = UniformRegister, Zero
	case "PT":
		o.Kind, o.Number = Predicate, Zero
	case "UPT":
		o.Kind, o.Number = UniformPredicate, Zero
	default:
		kind, limit, rest := Register, 255, ""
		switch {
		case strings.HasPrefix(s, "UR"):
			kind, limit, rest = UniformRegister, 63, s[2:]
		case strings.HasPrefix(s, "UP"):
			kind, limit, rest = UniformPredicate, 7, s[2:]
		case s[0] == 'R':
			rest = s[1:]
		case s[0] == 'P':
			kind, limit, rest = Predicate, 7, s[1:]
		default:
			return false
		}
		n := 0
		if rest == "" || len(rest) > 3 {
			return false
		}
		for i := range len(rest) {
			if !digit(rest[i]) {
				return false
			}
			n = 10*n + int(rest[i]-'0')
		}
		if n >= limit {
			return false
		}
		o.Kind, o.Number = kind, n
	}
	return true
}

func (o *Operand) parseNumber(s string) error {
	if v, ok := parseInteger(s); ok {
		o.Kind, o.Value = Integer, v
		return nil
	}
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		if v, err := strconv.ParseUint(rest, 16, 64); err == nil {
			o.Kind, o.Value, o.wide = Integer, int64(v), true
			return nil
		}
	}
	o.Kind, o.Text = Float, s
	switch t := strings.TrimSpace(s); t {
	case "+INF":
		o.Text = "+INF "
	case "-INF":
		o.Text = "-INF "
	case "+QNAN", "-QNAN", "+SNAN", "-SNAN":
		o.Text = t + " "
	default:
		if _, err := strconv.ParseFloat(t, 64); err != nil {
			return fmt.Errorf("%q is no number", s)
		}
		o.Text = t
	}
	return nil
}

// parseInteger takes 0x..., with a sign.
func parseInteger(s string) (int64, bool) {
	neg := strings.HasPrefix(s, "-")
	rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "-"), "0x")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseUint(rest, 16, 63)
	if err != nil {
		return 0, false
	}
	if neg {
		return -int64(v), true
	}
	return int64(v), true
}

// double returns the value of a float; s may be an integer that is written as one.
func (o *Operand) double() float64 {
	switch strings.TrimSpace(o.Text) {
	case "+INF":
		return math.Inf(1)
	case "-INF":
		return math.Inf(-1)
	case "+QNAN", "-QNAN", "+SNAN", "-SNAN":
		return math.NaN()
	}
	v, _ := strconv.ParseFloat(o.Text, 64)
	return v
}

// single returns the bits of a float of 32 bits.
func (o *Operand) single() uint32 {
	switch strings.TrimSpace(o.Text) {
	case "+QNAN":
		return 0x7fffffff
	case "-QNAN":
		return 0xffffffff
	case "+SNAN":
		return 0x7fbfffff
	case "-SNAN":
		return 0xffbfffff
	}
	v, _ := strconv.ParseFloat(o.Text, 32)
	if strings.Contains(o.Text, "INF") {
		v = o.double()
	}
	return math.Float32bits(float32(v))
}

func (o *Operand) parseConstant(s string) error {
	o.Kind = Constant
	open := strings.IndexByte(s, '[')
	end := strings.IndexByte(s, ']')
	if end < 0 || end+1 >= len(s) || s[end+1] != '[' {
		return fmt.Errorf("%q is no constant", s)
	}
	bank := s[open+1 : end]
	if s[1] == 'x' {
		var r Operand
		if bank == "" || !r.parseRegister(bank) || r.Kind != UniformRegister {
			return fmt.Errorf("%q has no bank", s)
		}
		o.BankRegister, o.Bank = true, r.Number
	} else {
		v, ok := parseInteger(bank)
		if !ok || v < 0 || v > 31 {
			return fmt.Errorf("%q has no bank", s)
		}
		o.Bank = int(v)
	}
	rest := s[end+1:]
	close := strings.LastIndexByte(rest, ']')
	if close < 0 {
		return fmt.Errorf("%q is not closed", s)
	}
	if tail := rest[close+1:]; tail != "" {
		if tail[0] != '.' {
			return fmt.Errorf("%q goes on after its end", s)
		}
		o.Suffixes = strings.Split(tail[1:], ".")
	}
	return o.parseInner(rest[1:close])
}

func (o *Operand) parseAddress(s string) error {
	o.Kind = Address
	open := strings.IndexByte(s, '[')
	if open > 0 {
		o.Text = s[:open]
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return fmt.Errorf("%q is not closed", s)
		}
		var d Operand
		if inner := s[open+1 : end]; inner == "" || !d.parseRegister(inner) {
			return fmt.Errorf("%q has no descriptor", s)
		}
		o.Descriptor = &d
		s = s[end+1:]
	}
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return fmt.Errorf("%q is no address", s)
	}
	return o.parseInner(s[1 : len(s)-1])
}

// parseInner takes what stands between the brackets.
func (o *Operand) parseInner(s string) error {
	for part := range strings.SplitSeq(s, "+") {
		if v, ok := parseInteger(part); ok {
			if o.offset {
				return fmt.Errorf("[%s] has two offsets", s)
			}
			o.Value, o.offset = v, true
			continue
		}
		name, suffixes, _ := strings.Cut(part, ".")
		var r Operand
		if name == "" || !r.parseRegister(name) {
			return fmt.Errorf("[%s] is no address", s)
		}
		if suffixes != "" {
			r.Suffixes = strings.Split(suffixes, ".")
		}
		switch {
		case r.Kind == Register && o.Base == nil:
			o.Base = &r
		case r.Kind == UniformRegister && o.UniformBase == nil:
			o.UniformBase = &r
		default:
			return fmt.Errorf("[%s] is no address", s)
		}
	}
	return nil
}
