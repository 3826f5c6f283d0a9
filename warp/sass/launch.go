package sass

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"

	"example.com/warpsim/warp"
)

// An Arg is one argument of a kernel.
type Arg struct {
	bytes   []byte
	align   int
	kind    argKind
	text    string
	regions []region
}

type argKind uint8

const (
	argInteger argKind = iota
	argFloat
	argPointer
	argStruct
)

// Value is an argument of the type of C that T is: int for an int32, long long for an
// int64, char for an int8, float for a float32, and so on. A bool of C is an int8.
func Value[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](v T) Arg {
	switch v := any(v).(type) {
	case int8:
		return number(1, uint64(v), argInteger, "char", v)
	case uint8:
		return number(1, uint64(v), argInteger, "unsigned char", v)
	case int16:
		return number(2, uint64(v), argInteger, "short", v)
	case uint16:
		return number(2, uint64(v), argInteger, "unsigned short", v)
	case int32:
		return number(4, uint64(v), argInteger, "int", v)
	case uint32:
		return number(4, uint64(v), argInteger, "unsigned int", v)
	case int64:
		return number(8, uint64(v), argInteger, "long long", v)
	case uint64:
		return number(8, v, argInteger, "unsigned long long", v)
	case float32:
		return number(4, uint64(math.Float32bits(v)), argFloat, "float", v)
	}
	d := any(v).(float64)
	return number(8, math.Float64bits(d), argFloat, "double", d)
}

// Pointer is a pointer to an address in memory that other arguments, or Memory,
// give; 0 is the null pointer.
func Pointer(at uint64) Arg {
	if at == 0 {
		return number(8, 0, argPointer, "null", "pointer")
	}
	return number(8, at, argPointer, "pointer", fmt.Sprintf("%#x", at))
}

// Struct is an argument of a class type: its bytes, and to how many they are
// aligned.
func Struct(data []byte, align int) Arg {
	return Arg{bytes: data, align: max(align, 1), kind: argStruct, text: fmt.Sprintf("struct of %d bytes", len(data))}
}

// Buffer is a pointer to an array of global memory, see warp.Global, which the
// kernel can reach by it.
func Buffer[T any](m warp.Mem[T]) Arg {
	at, _ := m.Address()
	a := number(8, at, argPointer, "pointer", fmt.Sprintf("to %d elements at %#x", m.Len(), at))
	b := warp.Bytes(m)
	base, _ := b.Address()
	a.regions = []region{{base: base, mem: b, data: b.Data()}}
	return a
}

// number is an argument of so many bytes; its text is its type and its value.
func number(n int, v uint64, k argKind, name string, value any) Arg {
	b := binary.LittleEndian.AppendUint64(nil, v)
	return Arg{bytes: b[:n], align: n, kind: k, text: fmt.Sprint(name, " ", value)}
}

// A Launch is one run of a program.
type Launch struct {
	Blocks, Threads warp.Dim
	Args            []Arg
	// Shared is the dynamic shared memory of a block in bytes, on top of what the
	// kernel declares.
	Shared int
	// StaticShared is what it declares. 0 leaves it to the listing; one that does
	// not say lets a kernel use what a block can have.
	StaticShared int
	// Memory is further global memory that the kernel reaches by pointers in
	// memory or in structs.
	Memory []Arg
	// Constants are what constant banks hold, by number, in place of what the listing
	// says: 3 the variables of the module in constant memory, 2 the compiler's own.
	Constants map[int][]byte
	// Variables are what bank 4 points to, by offset: the variables of the module
	// in global memory. One that is read and not given is VariableBytes of zeros.
	Variables map[int]Arg
	// Trace, if it is not nil, is told of each instruction before it is executed, by
	// its index in Function.Code, in the order of the records that a warp issues. Of
	// an instruction that is one with the next it is told once. A run on several
	// processors calls it from all of them.
	Trace func(block, warp, index int)
	// Lines, if it is not nil, gets what each line of the listing did.
	Lines *[]LineCount
}

// VariableBytes is the size of a module variable that a launch does not give.
const VariableBytes = 64 << 10

// A LineCount is what one line of a listing did, over all warps.
type LineCount struct {
	Issued    int64 // by warps
	Lanes     int64 // active at that, whether the guard held or not
	Guarded   int64 // of these, those in which the guard held
	Divergent int64 // branches in which lanes parted
	Sectors   int64 // of global memory that accesses touched
	Accesses  int64 // of shared memory with a lane that takes part
	Passes    int64 // through its banks
}

func (c *LineCount) add(o *LineCount) {
	c.Issued += o.Issued
	c.Lanes += o.Lanes
	c.Guarded += o.Guarded
	c.Divergent += o.Divergent
	c.Sectors += o.Sectors
	c.Accesses += o.Accesses
	c.Passes += o.Passes
}

// A launch is a Launch made ready for an engine.
type launch struct {
	p               *Program
	blocks, threads warp.Dim
	shared          int
	rows            []row
	systems         [][]row // special registers of the threads, by warp
	banks           [32][]byte
	regions         []region
	counts          bool
	trace           func(block, warp, index int)

	mu       sync.Mutex
	idle     []*machine
	machines []*machine
}

// reservedShared is what the system keeps at the start of a block's shared memory.
func reservedShared(arch int) int {
	if arch == 0 || arch >= 80 {
		return 1024
	}
	return 0
}

// Run launches a program on an engine, as warp.Engine.Run does a kernel. Errors of
// the launch are *ArgumentError, those of the run what the engine says.
func Run(ctx context.Context, e *warp.Engine, p *Program, l Launch) (*warp.Report, error) {
	k, err := p.Kernel(e, l)
	if err != nil {
		return &warp.Report{}, err
	}
	return k.Run(ctx)
}

// A Kernel is a program with its arguments, ready to be launched again and again.
type Kernel struct {
	l      *launch
	engine *warp.Engine
	shape  warp.Launch
	lines  *[]LineCount
}

// Kernel makes a launch ready.
func (p *Program) Kernel(e *warp.Engine, l Launch) (*Kernel, error) {
	if e == nil || e.Device() == nil {
		return nil, &ArgumentError{"engine", "nil", "make one with warp.New"}
	}
	if p == nil || p.f == nil {
		return nil, &ArgumentError{"program", "nil or zero", "decode one from a Function"}
	}
	dev := e.Device()
	if dev.Lanes != lanes {
		return nil, &ArgumentError{"device", dev.Name, fmt.Sprintf("listings are of warps of %d lanes, and this device has %d", lanes, dev.Lanes)}
	}
	k := &Kernel{engine: e, lines: l.Lines}
	x := &launch{p: p, blocks: l.Blocks, threads: l.Threads, counts: l.Lines != nil, trace: l.Trace}
	k.l = x
	args, err := p.arguments(&l)
	if err != nil {
		return nil, err
	}
	if err := x.fillBanks(e, &l, args); err != nil {
		return nil, err
	}
	x.rows = make([]row, len(p.constants))
	for i, c := range p.constants {
		v := c.value
		if c.bank >= 0 {
			v = 0
			if b := x.banks[c.bank]; c.offset+4 <= len(b) {
				v = binary.LittleEndian.Uint32(b[c.offset:])
			}
		}
		for j := range x.rows[i] {
			x.rows[i][j] = v
		}
	}
	if n := l.Threads.Count(); n > 0 && n <= dev.Limits.ThreadsPerBlock { // or else the run is refused
		x.systemRows((n + lanes - 1) / lanes)
	}
	static := l.StaticShared
	if static == 0 {
		static = max(p.f.Shared, 0)
	}
	reserved := reservedShared(p.f.Arch)
	if l.Shared < 0 || l.StaticShared < 0 {
		return nil, &ArgumentError{"shared memory", fmt.Sprint(min(l.Shared, l.StaticShared)), "must not be negative"}
	}
	limit := dev.Limits.SharedPerBlock
	if n := static + l.Shared; n > limit {
		return nil, &ArgumentError{"shared memory", fmt.Sprint(n), fmt.Sprintf("a block of %s has %d bytes", dev.Name, limit)}
	}
	if p.usesShared() {
		if x.shared = static + l.Shared; static == 0 && p.f.Shared < 0 {
			x.shared = min(limit, l.Shared+max(dev.Limits.SharedStatic, 16<<10)) // it does not say
		}
		x.shared += min(reserved, dev.Limits.SharedReserved)
	}
	k.shape = warp.Launch{Blocks: l.Blocks, Threads: l.Threads, Shared: static + l.Shared, Registers: p.f.UsedRegisters()}
	return k, nil
}

func (p *Program) usesShared() bool {
	for i := range p.f.Code {
		switch p.f.Code[i].Op {
		case "LDS", "STS", "ATOMS", "LD", "ST", "ATOM", "LDGSTS":
			return true
		}
	}
	return false
}

// Run runs the kernel.
func (k *Kernel) Run(ctx context.Context) (*warp.Report, error) {
	l := k.l
	report, err := k.engine.Run(ctx, k.shape, l.warp)
	if k.lines != nil {
		out := make([]LineCount, len(l.p.ops))
		for _, m := range l.machines {
			for i := range m.lines {
				out[i].add(&m.lines[i])
			}
			clear(m.lines)
		}
		*k.lines = out
	}
	return report, err
}

// warp is the kernel of one warp.
func (l *launch) warp(w *warp.Warp) {
	m := l.take()
	w.Front().SetLocator(m.locate)
	m.begin(w)
	m.run()
	m.w = nil
	l.giveBack(m)
}

// take returns a machine; one that an error ended stays with the launch, for what
// it has counted.
func (l *launch) take() *machine {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		m := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return m
	}
	m := &machine{l: l, p: l.p, told: l.counts || l.trace != nil}
	m.locate, m.named = m.site, m.words
	m.file = make([]row, firstConstant+len(l.rows))
	copy(m.file[firstConstant:], l.rows)
	m.predUndef = (*[predSink + 1]uint32)(m.undef[firstConstant:])
	if l.counts {
		m.lines = make([]LineCount, len(l.p.ops))
	}
	l.machines = append(l.machines, m)
	return m
}

func (l *launch) giveBack(m *machine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, m)
}

// arguments lays out the arguments and holds them against what the kernel's name
// says of its parameters, or against what its code reads.
func (p *Program) arguments(l *Launch) ([]byte, error) {
	params, known := parameters(p.f.Name)
	if known && len(params) != len(l.Args) {
		what := "too few"
		if len(l.Args) > len(params) {
			what = "too many"
		}
		return nil, &ArgumentError{"arguments", fmt.Sprint(len(l.Args)),
			fmt.Sprintf("%s: %s has %d parameters (%s)", what, baseName(p.f.Name, true), len(params), strings.Join(params, ", "))}
	}
	var out []byte
	for i, a := range l.Args {
		if known {
			if err := fits(params[i], &a); err != "" {
				return nil, &ArgumentError{fmt.Sprintf("argument %d", i+1), a.text, err}
			}
		}
		for len(out)%a.align != 0 {
			out = append(out, 0)
		}
		out = append(out, a.bytes...)
	}
	if need := p.argEnd - p.base; need > (len(out)+7)&^7 {
		return nil, &ArgumentError{"arguments", fmt.Sprintf("%d bytes", len(out)),
			fmt.Sprintf("too few: %s reads %d bytes of them", p.f.title(), need)}
	}
	return out, nil
}

// parameters returns the types of a kernel's parameters, if its name is mangled.
func parameters(name string) ([]string, bool) {
	full, base, ok := demangle(name)
	if !ok {
		return nil, false
	}
	at := strings.LastIndex(full, base+"(")
	if at < 0 {
		return nil, false
	}
	inner := strings.TrimSuffix(full[at+len(base)+1:], ")")
	if inner == "" {
		return nil, true
	}
	var out []string
	depth, from := 0, 0
	for i := range len(inner) {
		switch inner[i] {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(inner[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(inner[from:])), true
}

var parameterSizes = map[string]struct {
	size int
	kind argKind
}{
	"bool": {1, argInteger}, "char": {1, argInteger}, "signed char": {1, argInteger}, "unsigned char": {1, argInteger},
	"short": {2, argInteger}, "unsigned short": {2, argInteger}, "int": {4, argInteger}, "unsigned int": {4, argInteger},
	"long": {8, argInteger}, "unsigned long": {8, argInteger}, "long long": {8, argInteger}, "unsigned long long": {8, argInteger},
	"float": {4, argFloat}, "double": {8, argFloat},
}

// fits says what is wrong with an argument for a parameter of a type, nothing if
// it fits.
func fits(typ string, a *Arg) string {
	if strings.HasSuffix(typ, "*") || strings.HasSuffix(typ, "&") {
		if a.kind != argPointer {
			return fmt.Sprintf("the parameter is a pointer (%s): pass a buffer or a null pointer", typ)
		}
		return ""
	}
	want, ok := parameterSizes[strings.TrimSuffix(typ, " const")]
	switch {
	case !ok:
		return "" // a class, or a type that depends on one
	case a.kind == argPointer:
		return fmt.Sprintf("the parameter is of type %s, and no pointer", typ)
	case a.kind != want.kind || len(a.bytes) != want.size:
		return fmt.Sprintf("the parameter is of type %s: pass a number of that type", typ)
	}
	return ""
}

// fillBanks makes the constant banks and gathers the memory that can be reached.
func (x *launch) fillBanks(e *warp.Engine, l *Launch, args []byte) error {
	p := x.p
	b := make([]byte, p.base+(len(args)+15)&^15)
	put := func(at int, v uint64, n int) {
		full := binary.LittleEndian.AppendUint64(nil, v)
		copy(b[at:min(at+n, len(b))], full)
	}
	t, g := l.Threads, l.Blocks
	shape := shapeOffsets(p.f.Arch)
	for i, v := range []int{t.X, max(t.Y, 1), max(t.Z, 1), g.X, max(g.Y, 1), max(g.Z, 1)} {
		put(shape[i/3]+4*(i%3), uint64(v), 4)
	}
	put(shape[2], LocalBytes, 4) // where the stack of local memory begins
	if p.f.Arch < blackwell {
		put(0x18, uint64(sharedWindow)<<32, 8)
		put(0x20, uint64(localWindow)<<32, 8)
	}
	copy(b[p.base:], args)
	x.banks[0] = b
	for i := range l.Args {
		x.reach(fmt.Sprintf("argument %d", i+1), &l.Args[i])
	}
	for i := range l.Memory {
		x.reach(fmt.Sprintf("memory %d", i+1), &l.Memory[i])
	}
	for bank, data := range p.f.Constants {
		x.banks[bank] = data
	}
	for bank, data := range l.Constants {
		if bank < 1 || bank >= len(x.banks) {
			return &ArgumentError{"constant bank", fmt.Sprint(bank), "banks are numbered from 1 to 31 here; bank 0 is the launch's"}
		}
		x.banks[bank] = data
	}
	if err := x.fillVariables(e, l); err != nil {
		return err
	}
	for bank, read := range p.banks {
		if read && x.banks[bank] == nil {
			return &ArgumentError{"constant bank", fmt.Sprint(bank), "the kernel reads it: give its contents in Constants"}
		}
	}
	return nil
}

// fillVariables makes bank 4, which holds addresses.
func (x *launch) fillVariables(e *warp.Engine, l *Launch) error {
	if !x.p.banks[4] || x.banks[4] != nil {
		return nil
	}
	size := 0
	for _, at := range x.p.variables {
		size = max(size, at+8)
	}
	for at, a := range l.Variables {
		if at < 0 || at > 1<<16 || a.kind != argPointer {
			return &ArgumentError{fmt.Sprintf("variable at %#x", at), a.text, "give a buffer at an offset from 0 to 0x10000"}
		}
		size = max(size, at+8)
	}
	b := make([]byte, size)
	for at, a := range l.Variables {
		copy(b[at:], a.bytes)
		x.reach(fmt.Sprintf("variable %#x", at), &a)
	}
	for _, at := range x.p.variables {
		if _, given := l.Variables[at]; given {
			continue
		}
		m, err := warp.Global(e, make([]uint64, VariableBytes/8))
		if err != nil {
			return err
		}
		a := Buffer(m)
		copy(b[at:], a.bytes)
		x.reach(fmt.Sprintf("variable %#x", at), &a)
	}
	x.banks[4] = b
	return nil
}

// reach adds the memory that an argument points to.
func (x *launch) reach(name string, a *Arg) {
	for _, r := range a.regions {
		r.name = name
		known := false
		for i := range x.regions {
			if o := &x.regions[i]; o.base == r.base {
				known = true
				if len(r.data) > len(o.data) {
					*o = r
				}
			}
		}
		if !known {
			x.regions = append(x.regions, r)
		}
	}
}
