package flow

import (
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// maxBytes is up to what size a function is read.
const maxBytes = 1 << 20

// A Code is what is known of a program's functions so far. Its methods must not
// be called at the same time.
type Code struct {
	asks  func(name string) bool // what a call always stops for
	own   string                 // how the names of what is no kernel begin
	funcs map[uintptr]*Func
	must  map[uintptr]bool // functions that always call one that asks
}

// New returns a Code for threads that stop at calls: in functions that asks names
// they always do, in those that always call such a one as well, in others they may,
// but not in those whose names begin with own.
func New(asks func(name string) bool, own string) *Code {
	return &Code{asks: asks, own: own, funcs: map[uintptr]*Func{}, must: map[uintptr]bool{}}
}

// Func returns the flow of the function that a call with return address pc is in,
// nil if its code is not understood.
func (c *Code) Func(pc uintptr) *Func {
	f := runtime.FuncForPC(pc - 1)
	if f == nil || !readable || runtime.GOOS == "openbsd" { // where code cannot be read
		return nil
	}
	entry := f.Entry()
	if g, ok := c.funcs[entry]; ok {
		return g
	}
	g := c.read(entry)
	if g != nil {
		for i := range g.blocks {
			b := &g.blocks[i]
			b.must = b.call && c.mustAsk(b.target)
			if f := runtime.FuncForPC(b.target); b.call && b.target != 0 && !b.must && f != nil {
				b.host = strings.HasPrefix(f.Name(), c.own) || strings.HasPrefix(f.Name(), "runtime.")
			}
		}
		g.findLoops()
		g.rank()
	}
	c.funcs[entry] = g
	return g
}

// mustAsk reports whether all ways through the function at entry ask.
func (c *Code) mustAsk(entry uintptr) bool {
	if entry == 0 {
		return false
	}
	if must, ok := c.must[entry]; ok {
		return must
	}
	f := runtime.FuncForPC(entry)
	if f == nil {
		return false
	}
	name := f.Name()
	if c.asks(name) {
		c.must[entry] = true
		return true
	}
	c.must[entry] = false // while it is looked at, and if it calls itself
	if strings.HasPrefix(name, "runtime.") {
		return false
	}
	g := c.read(entry)
	if g == nil {
		return false
	}
	must := true
	seen := make([]bool, len(g.blocks))
	seen[0] = true
	for work := []int32{0}; len(work) > 0 && must; {
		b := &g.blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		if b.call && c.mustAsk(b.target) {
			continue
		}
		must = !b.leaves
		for _, s := range b.succ {
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	c.must[entry] = must
	return must
}

// A block is code that runs from its beginning to its end. A call ends one.
type block struct {
	start, end uintptr
	succ, pred []int32
	call       bool
	must       bool // the call asks for sure
	host       bool // the call never asks
	leaves     bool // the function is left at its end, as a function is
	target     uintptr
	loop       int32  // the innermost around it, -1: none
	rank       int32  // in source order among what is in the same loop
	at         []line // where it ends, if with a call, a branch or a return
	accesses   []access
}

// extent returns where a function ends.
func extent(entry uintptr) uintptr {
	same := func(pc uintptr) bool {
		f := runtime.FuncForPC(pc)
		return f != nil && f.Entry() == entry
	}
	size := uintptr(64)
	for same(entry+size) && size < maxBytes {
		size *= 2
	}
	low, high := size/2, size // the end is after low, and at high at the latest
	if size == 64 {
		low = 0
	}
	for low+1 < high {
		if mid := (low + high) / 2; same(entry + mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return entry + high
}

// bytesAt returns the program's code from one address to another.
func bytesAt(from, to uintptr) []byte {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&from)) // code does not move
	return unsafe.Slice((*byte)(p), to-from)
}

// read returns the blocks of the function at entry, nil if it is not understood.
func (c *Code) read(entry uintptr) *Func {
	end := extent(entry)
	if end-entry >= maxBytes {
		return nil
	}
	list, ok := instructions(entry, end)
	if !ok {
		return nil
	}
	// Where blocks begin.
	first := make(map[uintptr]bool, len(list)/4)
	first[entry] = true
	for i, in := range list {
		if in.target >= entry && in.target < end && in.kind != call {
			first[in.target] = true
		}
		if in.kind != plain && i+1 < len(list) {
			first[list[i+1].at] = true
		}
	}
	g := &Func{Entry: entry, node: map[uintptr]int32{}}
	at := map[uintptr]int32{}
	for i, in := range list {
		if first[in.at] {
			at[in.at] = int32(len(g.blocks))
			g.blocks = append(g.blocks, block{start: in.at, loop: -1})
		}
		b := &g.blocks[len(g.blocks)-1]
		if in.access.what != untouched {
			b.accesses = append(b.accesses, in.access)
		}
		if g.frame == 0 && in.grow > 0 {
			g.frame = in.grow
		}
		b.end = end
		if i+1 < len(list) {
			b.end = list[i+1].at
		}
	}
	if len(at) != len(first) {
		return nil // a branch into the midst of an instruction
	}
	var tables []int32 // blocks that jump by a table
	hidden := map[int32]bool{}
	for i, in := range list {
		if i+1 < len(list) && !first[list[i+1].at] {
			continue
		}
		n := int32(sortedBlock(g.blocks, in.at))
		b := &g.blocks[n]
		next := n + 1
		on := func() {
			if int(next) < len(g.blocks) {
				b.succ = append(b.succ, next)
			}
		}
		goTo := func() {
			if k, ok := at[in.target]; ok {
				b.succ = append(b.succ, k)
			} else {
				b.leaves = true // to another function
			}
		}
		switch in.kind {
		case plain:
			on()
		case jump:
			goTo()
		case branch:
			on()
			goTo()
		case ret:
			b.leaves = true
		case indirectJump:
			tables = append(tables, n)
		case call:
			name := ""
			if f := runtime.FuncForPC(in.target); in.target != 0 && f != nil {
				name = f.Name()
			}
			switch {
			case strings.HasPrefix(name, "runtime.morestack") || doesNotReturn(name):
			case name == "runtime.deferreturn":
				hidden[n] = true
				on()
			default:
				b.call, b.target = true, in.target
				g.node[b.end] = n
				on()
			}
		}
	}
	g.link(tables, hidden)
	return g
}

// sortedBlock returns the block that an instruction is in.
func sortedBlock(blocks []block, at uintptr) int {
	i, found := slices.BinarySearchFunc(blocks, at, func(b block, at uintptr) int {
		return int(int64(b.start) - int64(at))
	})
	if !found {
		i--
	}
	return i
}

// link completes the edges: what no branch leads to is where a table leads. The
// code that runs only after a panic, which ends what is deferred, is neither.
func (g *Func) link(tables []int32, hidden map[int32]bool) {
	if len(tables) > 0 {
		entered := make([]bool, len(g.blocks))
		entered[0] = true
		for i := range g.blocks {
			for _, s := range g.blocks[i].succ {
				entered[s] = true
			}
		}
		for i := range g.blocks {
			if b := &g.blocks[i]; !entered[i] && !hidden[int32(i)] && (len(b.succ) > 0 || b.leaves) {
				for _, t := range tables {
					g.blocks[t].succ = append(g.blocks[t].succ, int32(i))
				}
			}
		}
	}
	for i := range g.blocks {
		for _, s := range g.blocks[i].succ {
			g.blocks[s].pred = append(g.blocks[s].pred, int32(i))
		}
	}
}

// instructions decodes a function.
func instructions(entry, end uintptr) (list []instr, ok bool) {
	code := bytesAt(entry, end)
	var tail [32]byte
	for i := 0; i < len(code); {
		rest := code[i:]
		if len(rest) < 16 {
			copy(tail[:], rest)
			rest = tail[:]
		}
		in, n := decode(rest, entry+uintptr(i))
		if n == 0 || i+n > len(code) {
			return nil, false
		}
		list = append(list, in)
		i += n
	}
	return list, len(list) > 0
}

// doesNotReturn reports whether a function of the Go runtime ends in a panic.
func doesNotReturn(name string) bool {
	rest, ok := strings.CutPrefix(name, "runtime.")
	if !ok {
		return false
	}
	for _, p := range []string{"panic", "gopanic", "goPanic", "throw", "fatal", "block", "unreachable", "racefuncexitpanic"} {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}
