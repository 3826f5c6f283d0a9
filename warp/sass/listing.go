package sass

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Listing is what a file of disassembled code holds.
type Listing struct {
	Functions []*Function
}

// A Function is one kernel, or function that kernels call, of a listing.
type Function struct {
	Name string // as it is in the file, mangled as a rule
	Arch int    // 90 for sm_90; 0 if the file does not say
	Line int    // of its heading
	Code []Instr
	// Registers and Shared are what the file says of registers a thread and
	// bytes of static shared memory, -1 if it does not.
	Registers, Shared int
	// Constants are what the file says that constant banks hold, by number, but for
	// bank 0. Only what nvdisasm prints without -c has them.
	Constants map[int][]byte

	at     map[int]int // index by address
	broken Errors      // of lines that Parse could not read
}

// An Instr is one line of a listing, taken apart.
type Instr struct {
	Address int
	Line    int // of the text
	// Guard is the predicate that lanes must have to take part, PT if none is
	// written.
	Guard    Operand
	Guarded  bool
	Op       string   // the first part of the name, such as ISETP
	Mods     []string // the other parts
	Operands []Operand
	// Words are the encoded instruction, low word first, where the listing has
	// it, and Control what they say of the schedule.
	Words    [2]uint64
	HasWords bool
	Control  Control
	// Source is the line of the source that it was compiled from, if the listing
	// says so.
	Source Source
}

// A Source is a place in a source file; the zero Source is unknown.
type Source struct {
	File string
	Line int
}

// String returns the instruction as the disassembler writes it.
func (in *Instr) String() string {
	var b strings.Builder
	if in.Guarded {
		b.WriteByte('@')
		in.Guard.write(&b)
		b.WriteByte(' ')
	}
	b.WriteString(in.Op)
	for _, m := range in.Mods {
		b.WriteByte('.')
		b.WriteString(m)
	}
	for i := range in.Operands {
		switch {
		case i == 0, in.spaced() && (in.Operands[i].Kind == Integer || in.Operands[i].Kind == Label) && in.Operands[i-1].Kind == Register:
			b.WriteByte(' ')
		default:
			b.WriteString(", ")
		}
		in.Operands[i].write(&b)
	}
	return strings.TrimRight(b.String(), " ")
}

// spaced reports whether a register and what is added to it stand side by side.
func (in *Instr) spaced() bool {
	switch in.Op {
	case "RET", "BRX", "JMX", "CALL":
		return true
	}
	return false
}

func (in *Instr) has(mod string) bool {
	for _, m := range in.Mods {
		if m == mod {
			return true
		}
	}
	return false
}

// Parse reads a listing as cuobjdump -sass and nvdisasm -c print it, with or
// without the encoded words. Two plainer forms are read as well: a line
// "== NAME" in place of a heading, or none, and an address without comment marks
// before an instruction. What is wrong with it is Errors, all of them, and the
// listing that comes with them is what could be read: a function with wrong lines has
// the others, and Function.Program refuses it for them. A reader that fails gives its
// own error and no listing, and a nil one is an *ArgumentError.
func Parse(r io.Reader) (*Listing, error) {
	if r == nil {
		return nil, &ArgumentError{"reader", "nil", "open the listing's file"}
	}
	p := parser{list: &Listing{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), 1<<22)
	for sc.Scan() {
		p.line++
		p.read(sc.Text())
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("sass: line %d: %w", p.line+1, err)
	}
	p.finish()
	return p.list, p.errs.orNil()
}

type parser struct {
	list    *Listing
	f       *Function // under way
	line    int
	arch    int
	open    bool // the last instruction lacks its second word
	source  Source
	labels  map[string]int    // of f
	waiting []string          // labels of the next instruction
	shared  map[string]int    // static shared memory by function
	section string            // of data under way
	data    map[string][]byte // of sections of constants
	infos   map[string]int    // registers by function
	errs    Errors
}

func (p *parser) bad(address int, text, format string, args ...any) {
	e := &Error{Address: address, Line: p.line, Text: text, Reason: fmt.Sprintf(format, args...)}
	if p.f != nil {
		e.Function = p.f.Name
	}
	p.keep(e)
}

// keep notes an error, and that the function under way is not whole.
func (p *parser) keep(e *Error) {
	p.errs = append(p.errs, e)
	if p.f != nil {
		p.f.broken = append(p.f.broken, e)
	}
}

// read takes one line.
func (p *parser) read(line string) {
	s := strings.TrimSpace(line)
	switch {
	case s == "":
	case strings.HasPrefix(s, "/*"):
		if _, rest, ok := strings.Cut(s, "*/"); ok && strings.HasPrefix(strings.TrimSpace(rest), ".") {
			p.constants(strings.TrimSpace(rest)) // data
			return
		}
		p.commented(s)
	case strings.HasPrefix(s, "//##"):
		p.readSource(s)
	case strings.HasPrefix(s, "//"):
	case strings.HasPrefix(s, "== "):
		p.begin(strings.TrimSpace(s[3:]))
	case strings.HasPrefix(s, "Function :"):
		p.begin(strings.TrimSpace(s[len("Function :"):]))
	case strings.HasPrefix(s, ".text.") && strings.HasSuffix(s, ":"):
		p.begin(strings.TrimSuffix(s[len(".text."):], ":"))
	case strings.HasPrefix(s, ".L") && strings.HasSuffix(s, ":"),
		strings.HasPrefix(s, "$") && strings.HasSuffix(s, ":"):
		p.waiting = append(p.waiting, strings.TrimSuffix(s, ":"))
	case s[0] == '.':
		p.directive(s)
	case strings.HasPrefix(s, "code for sm_"):
		p.arch = archOf(s[len("code for sm_"):])
	case strings.HasPrefix(s, "arch = sm_"):
		p.arch = archOf(s[len("arch = sm_"):])
	default:
		at, rest, ok := strings.Cut(s, " ")
		if !ok || len(at) < 4 {
			return
		}
		if v, err := strconv.ParseUint(at, 16, 31); err == nil {
			rest, _, _ = strings.Cut(strings.TrimSpace(rest), "//")
			p.instruction(int(v), strings.TrimSpace(rest), "", false)
		}
	}
}

func archOf(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	v, _ := strconv.Atoi(s[:n])
	return v
}

// directive is a line of an assembler's.
func (p *parser) directive(s string) {
	f := strings.Fields(s)
	arg := ""
	if len(f) > 1 {
		arg = f[1]
	}
	switch f[0] {
	case ".target":
		if rest, ok := strings.CutPrefix(arg, "sm_"); ok {
			p.arch = archOf(rest)
		}
	case ".section":
		p.section, _, _ = strings.Cut(arg, ",")
		if !strings.HasPrefix(p.section, ".text.") {
			p.end()
		}
	case ".sectioninfo":
		if _, n, ok := strings.Cut(s, "SHI_REGISTERS="); ok {
			if name, ok := strings.CutPrefix(p.section, ".text."); ok {
				if p.infos == nil {
					p.infos = map[string]int{}
				}
				p.infos[name] = archOf(n)
			}
		}
	case ".byte", ".short", ".word", ".dword":
		p.constants(s)
	case ".zero":
		p.constants(s)
		if name, ok := strings.CutPrefix(p.section, ".nv.shared."); ok {
			if p.shared == nil {
				p.shared = map[string]int{}
			}
			n, _ := strconv.Atoi(arg)
			p.shared[name] += n
		}
	}
}

// constants keeps the data of a line if it belongs to a bank of constants: numbers, as
// addresses are not known.
func (p *parser) constants(s string) {
	if !strings.HasPrefix(p.section, constantSection) {
		return
	}
	kind, rest, _ := strings.Cut(strings.ReplaceAll(s, "\t", " "), " ")
	size, ok := map[string]int{".byte": 1, ".short": 2, ".word": 4, ".dword": 8}[kind]
	if p.data == nil {
		p.data = map[string][]byte{}
	}
	data := p.data[p.section]
	if kind == ".zero" {
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if ok = err == nil && n >= 0 && n <= 1<<16; ok {
			data = append(data, make([]byte, n)...)
		}
	} else {
		for x := range strings.SplitSeq(rest, ",") {
			v, err := strconv.ParseUint(strings.TrimSpace(x), 0, 64)
			ok = ok && err == nil
			data = append(data, binary.LittleEndian.AppendUint64(nil, v)[:max(size, 1)]...)
		}
	}
	if !ok || len(data) > 1<<16 {
		data = nil
		p.section = "" // what a line of it says is not known, so nothing of it is
	}
	p.data[p.section] = data
}

const constantSection = ".nv.constant"

// constantsOf returns what the banks of constants of a function hold. Bank 0 is the
// launch's, and bank 4 has addresses.
func (p *parser) constantsOf(name string) map[int][]byte {
	var out map[int][]byte
	for section, data := range p.data {
		number, of, own := strings.Cut(strings.TrimPrefix(section, constantSection), ".")
		bank, err := strconv.Atoi(number)
		if err != nil || bank == 0 || bank == 4 || bank > 31 || own && of != name || len(data) == 0 {
			continue
		}
		if out == nil {
			out = map[int][]byte{}
		}
		out[bank] = data
	}
	return out
}

// readSource is //## File "NAME", line N of nvdisasm -g.
func (p *parser) readSource(s string) {
	_, rest, ok := strings.Cut(s, "File \"")
	if !ok {
		return
	}
	file, rest, ok := strings.Cut(rest, "\"")
	_, n, ok2 := strings.Cut(rest, "line ")
	if ok && ok2 {
		p.source = Source{file, archOf(n)}
	}
}

// begin starts a function.
func (p *parser) begin(name string) {
	p.end()
	p.f = &Function{Name: name, Arch: p.arch, Line: p.line, Registers: -1, Shared: -1, at: map[int]int{}}
	p.labels, p.waiting, p.source = map[string]int{}, []string{name}, Source{}
}

// end completes the function under way.
func (p *parser) end() {
	f := p.f
	if f == nil {
		return
	}
	if p.open {
		p.open = false
		last := &f.Code[len(f.Code)-1]
		p.bad(last.Address, last.String(), "its second word is missing: the listing was cut off")
	}
	for i := range f.Code {
		in := &f.Code[i]
		for k := range in.Operands {
			if o := &in.Operands[k]; o.Kind == Label {
				at, ok := p.labels[labelName(o.Text)]
				if !ok {
					p.keep(&Error{f.Name, in.Address, in.Line, in.String(), "no such label in the function"})
					continue
				}
				o.Value = int64(at)
			}
		}
	}
	switch {
	case len(f.Code) > 0:
		p.list.Functions = append(p.list.Functions, f)
	default:
		p.errs = append(p.errs, &Error{f.Name, -1, f.Line, "", "the function has no instructions: the listing was cut off"})
	}
	p.f = nil
}

// labelName returns the label in `(.L_x_1).
func labelName(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(s, "`"), "("), ")")
}

func (p *parser) finish() {
	p.end()
	for _, f := range p.list.Functions {
		if n, ok := p.shared[f.Name]; ok {
			f.Shared = n
		}
		if n, ok := p.infos[f.Name]; ok {
			f.Registers = n
		}
		f.Constants = p.constantsOf(f.Name)
	}
	if len(p.list.Functions) == 0 && len(p.errs) == 0 {
		p.line = 0
		p.bad(-1, "", "no instructions found: this is no listing of cuobjdump -sass or nvdisasm -c")
	}
}

// commented is a line that begins with a comment: an address before an
// instruction, or the second word of one.
func (p *parser) commented(s string) {
	inner, rest, ok := strings.Cut(s[2:], "*/")
	inner = strings.TrimSpace(inner)
	if !ok {
		p.bad(-1, clip(s), "the comment is not closed: the listing was cut off")
		return
	}
	if strings.HasPrefix(inner, "0x") {
		p.word(inner)
		return
	}
	at, err := strconv.ParseUint(inner, 16, 31)
	if err != nil {
		return // some other comment
	}
	if before, after, ok := strings.Cut(rest, "(*"); ok { // where a branch may go
		_, after, _ = strings.Cut(after, "*)")
		rest = before + after
	}
	text, comment, ok := strings.Cut(rest, ";")
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if !ok {
		p.bad(int(at), clip(text), "no semicolon: the listing was cut off")
		return
	}
	word := ""
	if _, c, ok := strings.Cut(comment, "/*"); ok {
		c, _, ok = strings.Cut(c, "*/")
		if word = strings.TrimSpace(c); !ok || !strings.HasPrefix(word, "0x") {
			p.bad(int(at), clip(text), "its first word is cut off")
			return
		}
	}
	p.instruction(int(at), text, word, true)
}

// clip shortens a line for an error.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}

// word is the second word of the last instruction.
func (p *parser) word(s string) {
	if !p.open {
		return // control words of older architectures, say
	}
	p.open = false
	v, err := strconv.ParseUint(s, 0, 64)
	in := &p.f.Code[len(p.f.Code)-1]
	if err != nil || len(s) != 18 {
		p.bad(in.Address, in.String(), "its second word is no word of 64 bits")
		return
	}
	in.Words[1], in.HasWords = v, true
	in.Control = controlOf(v)
}

func (p *parser) instruction(at int, text, word string, strict bool) {
	if p.f == nil {
		p.begin("")
		p.f.Line = p.line
	}
	if p.open {
		last := &p.f.Code[len(p.f.Code)-1]
		p.open = false
		p.bad(last.Address, last.String(), "its second word is missing")
	}
	in := Instr{Address: at, Line: p.line, Source: p.source}
	if err := in.parse(text); err != nil {
		if strict || letter(text[0]) || text[0] == '@' {
			p.bad(at, clip(text), "%v", err)
		}
		return
	}
	if word != "" {
		v, err := strconv.ParseUint(word, 0, 64)
		if err != nil || len(word) != 18 {
			p.bad(at, clip(text), "its first word is no word of 64 bits")
			return
		}
		in.Words[0] = v
		p.open = true
	}
	if len(p.f.Code) > 0 && at <= p.f.Code[len(p.f.Code)-1].Address {
		p.bad(at, clip(text), "the address does not rise")
		return
	}
	for _, l := range p.waiting {
		p.labels[l] = at
	}
	p.waiting = p.waiting[:0]
	p.f.at[at] = len(p.f.Code)
	p.f.Code = append(p.f.Code, in)
}

// parse takes an instruction's text apart.
func (in *Instr) parse(text string) error {
	s := strings.TrimRight(strings.TrimSpace(text), " ;")
	if strings.HasPrefix(s, "@") {
		g, rest, ok := cutSpace(s[1:])
		if !ok {
			return fmt.Errorf("a guard and nothing else")
		}
		o, err := parseOperand(g)
		if err != nil {
			return err
		}
		if o.Kind != Predicate && o.Kind != UniformPredicate {
			return fmt.Errorf("%s is no predicate", g)
		}
		in.Guard, in.Guarded, s = o, true, rest
	} else {
		in.Guard = Operand{Kind: Predicate, Number: Zero}
	}
	name, rest, _ := cutSpace(s)
	for i := range len(name) {
		if c := name[i]; !letter(c) && !digit(c) && c != '.' && c != '_' {
			return fmt.Errorf("%q is no name of an instruction", name)
		}
	}
	if name == "" || !letter(name[0]) {
		return fmt.Errorf("no instruction")
	}
	parts := strings.Split(name, ".")
	in.Op, in.Mods = parts[0], parts[1:]
	return in.parseOperands(rest)
}

func cutSpace(s string) (before, after string, ok bool) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimSpace(s[i:]), true
}

func (in *Instr) parseOperands(s string) error {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	in.Operands = make([]Operand, 0, 6)
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if in.spaced() {
			if a, b, ok := cutSpace(part); ok && a != "" && a[0] == 'R' {
				if i := strings.Index(b, " "); i >= 0 {
					b = b[:i] // what a disassembler notes behind a branch
				}
				o, err := parseOperand(a)
				if err != nil {
					return err
				}
				in.Operands = append(in.Operands, o)
				part = b
			}
		}
		o, err := parseOperand(part)
		if err != nil {
			return err
		}
		in.Operands = append(in.Operands, o)
	}
	return nil
}

// Find returns the function of that name: the mangled one, the name in the
// source with or without its parameters, or a part that no other function's name
// has. Of one function for several architectures it is the newest. If there is
// none or more than one, the error says which there are.
func (l *Listing) Find(name string) (*Function, error) {
	match := func(fit func(f *Function) bool) []*Function {
		var out []*Function
		for _, f := range l.Functions {
			if !fit(f) {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Name == f.Name {
				if f.Arch > out[n-1].Arch {
					out[n-1] = f
				}
				continue
			}
			out = append(out, f)
		}
		return out
	}
	var found []*Function
	for _, fit := range []func(f *Function) bool{
		func(f *Function) bool { return f.Name == name },
		func(f *Function) bool { return Demangle(f.Name) == name },
		func(f *Function) bool { return baseName(f.Name, true) == name },
		func(f *Function) bool { return baseName(f.Name, false) == name },
		func(f *Function) bool {
			return strings.Contains(f.Name, name) || strings.Contains(Demangle(f.Name), name)
		},
	} {
		if found = match(fit); len(found) > 0 {
			break
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		found = l.Functions
	}
	names := make([]string, 0, shown)
	for i, f := range found {
		if i == shown {
			names = append(names, fmt.Sprintf("and %d more", len(found)-shown))
			break
		}
		names = append(names, baseName(f.Name, true))
	}
	reason := "no function of this name; there are "
	if len(found) > 1 && strings.Contains(Demangle(found[0].Name)+found[0].Name, name) {
		reason = "more than one function has this in its name: "
	}
	return nil, &ArgumentError{"function", strconv.Quote(name), reason + strings.Join(names, ", ")}
}

// UsedRegisters returns how many registers a thread uses: what the file says, or
// else one more than the highest that an instruction names.
func (f *Function) UsedRegisters() int {
	if f.Registers >= 0 {
		return f.Registers
	}
	n := 0
	note := func(o *Operand, words int) {
		if o != nil && o.Kind == Register && o.Number != Zero {
			n = max(n, o.Number+words)
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		words := 1
		switch {
		case in.has("128"):
			words = 4
		case in.has("64"), in.has("WIDE"), in.Op[0] == 'D' && in.Op != "DEPBAR":
			words = 2
		}
		for k := range in.Operands {
			o := &in.Operands[k]
			if o.Kind == Address {
				w := 1
				if o.Base != nil && o.Base.has("64") {
					w = 2
				}
				note(o.Base, w)
				continue
			}
			if k > 0 && in.has("WIDE") && k < len(in.Operands)-1 {
				note(o, 1)
				continue
			}
			note(o, words)
		}
	}
	return n
}
