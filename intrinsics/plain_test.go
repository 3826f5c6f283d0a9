package intrinsics_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// Random per-lane kernels of plain Go: loops in which every turn passes a call, and,
// in every other program, loops over Loop whose turns may be silent as well. They have
// to be compiled, as loops are read from machine code: plainPrograms is the Go text of
// the first programs that randomProgram makes, and the test runs each on many data.
// The reference runs the program itself with sets of lanes, as structured
// reconvergence means it.

var (
	update   = flag.Bool("update", false, "write plain_programs_test.go anew")
	programs = flag.Int("programs", 0, "how many random programs TestManyPrograms compiles and runs")
	first    = flag.Int("first", 0, "the first program of plainPrograms, if it is not 0")
)

// numPlain is how many programs are compiled at a time.
const numPlain = 400

// A plain is one thread of a random kernel.
type plain struct {
	t *thread
	x uint32
}

// m lets the lanes that are here meet: x takes in who they are.
func (p *plain) m(k uint32) { p.x = hash(p.x^k, fold(intrinsics.Ballot(p.t, true))) }

// mc is a mark in a condition.
func (p *plain) mc(k uint32) bool { p.m(k); return p.c(k) }

// more is a mark in the condition of a loop.
func (p *plain) more(k uint32, n int) bool { p.m(k); return n > 0 }

// c and n are conditions and numbers by the lane's data.
func (p *plain) c(k uint32) bool { return hash(p.x, k)%3 == 0 }
func (p *plain) n(k uint32) int  { return int(hash(p.x, k) % 4) }

type piece uint8

const (
	pieceMark piece = iota
	pieceIf
	pieceSwitch
	pieceFor    // i < n
	pieceWhile  // k > 0
	pieceDo     // leaves at the end of a turn
	pieceLoop   // over Loop
	pieceCond   // with a mark in its condition
	pieceMid    // leaves in its midst
	pieceBreak  // of the loop that many loops out
	pieceNext   // continue, likewise
	pieceReturn // from the function
	pieceCall   // of another function
	pieceSelf   // of the function itself
	pieceAnd    // if, with a mark in the second part of its condition
	pieceLit    // of a function literal
)

// A node is a statement of a random program.
type node struct {
	piece piece
	k     uint32 // of its data
	out   int    // loops further out
	label string
	arms  [][]*node // bodies
	fn    *function
}

// A function is one of a program; the first is the kernel.
type function struct {
	name string
	body []*node
	deep bool // it calls itself, with one less
}

// A maker makes random programs.
type maker struct {
	r      *rand.Rand
	name   string
	loops  []*node // around the present place
	left   int     // marks that may still come
	marked []bool  // a mark has been passed in this turn of the loop for sure
	fns    []*function
	depth  int
	labels int
	silent bool // makes loops over Loop as well
}

// randomProgram returns the functions of program i.
func randomProgram(i int) []*function {
	m := &maker{r: rand.New(rand.NewPCG(uint64(i), 77)), name: fmt.Sprintf("plain%d", i), left: 24, silent: i%2 == 1}
	m.function(false)
	return m.fns
}

func (m *maker) function(deep bool) *function {
	f := &function{name: m.name, deep: deep}
	if len(m.fns) > 0 {
		f.name = fmt.Sprintf("%sf%d", m.name, len(m.fns))
	}
	m.fns = append(m.fns, f)
	loops, marked := m.loops, m.marked
	m.loops, m.marked = nil, nil
	f.body = m.block(3-len(m.fns), f)
	if deep {
		self := &node{piece: pieceIf, k: m.r.Uint32(), arms: [][]*node{{{piece: pieceSelf, fn: f}}, nil}}
		at := m.r.IntN(len(f.body) + 1)
		f.body = append(f.body[:at:at], append([]*node{self}, f.body[at:]...)...)
	}
	f.body = append(f.body, m.mark())
	m.loops, m.marked = loops, marked
	return f
}

func (m *maker) mark() *node {
	m.left--
	return &node{piece: pieceMark, k: m.r.Uint32()}
}

// block makes statements. Those of a loop's body pass a mark in every turn.
func (m *maker) block(depth int, f *function) (b []*node) {
	n := 1 + m.r.IntN(4)
	for range n {
		s := m.statement(depth, f)
		b = append(b, s)
		if s.piece == pieceMark && len(m.marked) > 0 && m.depth == 0 {
			m.marked[len(m.marked)-1] = true
		}
		if s.piece == pieceBreak || s.piece == pieceNext || s.piece == pieceReturn {
			break
		}
	}
	return b
}

func (m *maker) statement(depth int, f *function) *node {
	k := m.r.Uint32()
	inLoop := len(m.loops) > 0
	switch n := m.r.IntN(26); {
	case n < 4 && depth > 0:
		arms := [][]*node{m.arm(depth-1, f), nil}
		if m.r.IntN(2) == 0 {
			arms[1] = m.arm(depth-1, f)
		}
		return &node{piece: pieceIf, k: k, arms: arms}
	case n < 5 && depth > 0:
		return &node{piece: pieceSwitch, k: k, arms: [][]*node{m.arm(depth-1, f), m.arm(depth-1, f), m.arm(depth-1, f)}}
	case n < 6 && depth > 0:
		m.left--
		arms := [][]*node{m.arm(depth-1, f), nil}
		if m.r.IntN(2) == 0 {
			arms[1] = m.arm(depth-1, f)
		}
		return &node{piece: pieceAnd, k: k, arms: arms}
	case n < 11 && depth > 0 && m.left > 0:
		return m.loop(depth, f, k)
	case n < 16 && inLoop:
		// A way out, mostly in a branch, with or without something before it.
		return m.leave(k)
	case n < 17:
		return &node{piece: pieceIf, k: k, arms: [][]*node{{m.mark(), {piece: pieceReturn}}, nil}}
	case n < 18 && depth > 0 && m.left > 0:
		loops, marked, d := m.loops, m.marked, m.depth
		m.loops, m.marked, m.depth = nil, nil, 0
		lit := &function{body: m.block(depth-1, f)}
		m.loops, m.marked, m.depth = loops, marked, d
		return &node{piece: pieceLit, fn: lit}
	case n < 20 && len(m.fns) < 3 && m.left > 0:
		return &node{piece: pieceCall, k: k, fn: m.function(m.r.IntN(2) == 0)}
	}
	return m.mark()
}

// arm makes one side of a branch.
func (m *maker) arm(depth int, f *function) []*node {
	m.depth++
	defer func() { m.depth-- }()
	return m.block(depth, f)
}

func (m *maker) loop(depth int, f *function, k uint32) *node {
	l := &node{piece: []piece{pieceFor, pieceWhile, pieceDo, pieceCond, pieceMid}[m.r.IntN(5)], k: k}
	if m.silent && m.r.IntN(4) > 0 {
		l.piece = pieceLoop
	}
	m.labels++
	l.label = fmt.Sprintf("loop%d", m.labels)
	m.loops = append(m.loops, l)
	m.marked = append(m.marked, l.piece == pieceCond)
	d := m.depth
	m.depth = 0
	if l.piece == pieceMid {
		l.arms = [][]*node{m.block(depth-1, f)}
	}
	body := m.block(depth-1, f)
	switch {
	case l.piece == pieceLoop || m.marked[len(m.marked)-1]:
	case m.r.IntN(2) == 0 && !leaves(body):
		body = append(body, m.mark())
	default:
		body = append([]*node{m.mark()}, body...)
	}
	m.depth = d
	m.loops, m.marked = m.loops[:len(m.loops)-1], m.marked[:len(m.marked)-1]
	if l.piece == pieceMid && endsByWayOut(body) {
		body = append(body, m.mark()) // see Converged lanes in the package's document
	}
	l.arms = append(l.arms, body)
	return l
}

// leaves reports whether control does not come to the end of a block.
func leaves(b []*node) bool {
	if len(b) == 0 {
		return false
	}
	p := b[len(b)-1].piece
	return p == pieceBreak || p == pieceNext || p == pieceReturn
}

// endsByWayOut reports whether a mark before a way out may be the last thing in a block.
func endsByWayOut(b []*node) bool {
	last := b[len(b)-1]
	if last.piece >= pieceFor && last.piece <= pieceMid {
		return false
	}
	for _, arm := range last.arms {
		if arm != nil && (leaves(arm) && len(arm) > 1 || endsByWayOut(arm)) {
			return true
		}
	}
	return false
}

// leave makes a branch with a way out of a loop or its turn.
func (m *maker) leave(k uint32) *node {
	out := m.r.IntN(len(m.loops))
	if m.r.IntN(3) > 0 {
		out = 0
	}
	way := &node{piece: pieceBreak, out: out, label: m.loops[len(m.loops)-1-out].label}
	// A turn may end early if it has passed a mark, and the loop looks at its end.
	if i := len(m.loops) - 1 - out; (m.marked[i] || m.loops[i].piece == pieceLoop) && m.loops[i].piece != pieceDo && (m.loops[i].piece != pieceMid || m.loops[i].arms != nil) && m.r.IntN(2) == 0 {
		way.piece = pieceNext
	}
	arm := []*node{way}
	if m.r.IntN(3) == 0 {
		arm = []*node{m.mark(), way}
	}
	return &node{piece: pieceIf, k: k, arms: [][]*node{arm, nil}}
}

// A writer writes programs as Go.
type writer struct {
	strings.Builder
	used map[string]bool // labels
}

func (w *writer) function(f *function) {
	w.used = map[string]bool{}
	var find func(b []*node, depth int)
	find = func(b []*node, depth int) {
		for _, n := range b {
			if n.piece == pieceBreak || n.piece == pieceNext {
				w.used[n.label] = w.used[n.label] || n.out > 0 || depth > 0
			}
			for _, a := range n.arms {
				d := depth
				switch {
				case n.piece == pieceSwitch:
					d++
				case n.piece >= pieceFor && n.piece <= pieceMid:
					d = 0
				}
				find(a, d)
			}
		}
	}
	find(f.body, 0)
	fmt.Fprintf(w, "\nfunc %s(p *plain, d int) {\n", f.name)
	w.block(f.body, f)
	w.WriteString("}\n")
}

func (w *writer) block(b []*node, f *function) {
	for _, n := range b {
		switch n.piece {
		case pieceMark:
			fmt.Fprintf(w, "p.m(%#x)\n", n.k)
		case pieceIf, pieceAnd:
			cond := fmt.Sprintf("p.c(%#x)", n.k)
			if n.piece == pieceAnd {
				cond = fmt.Sprintf("p.c(%#x) && p.mc(%#x)", n.k, ^n.k)
			}
			if len(n.arms[0]) == 1 && n.arms[0][0].piece == pieceSelf {
				cond = "d > 0 && " + cond
			}
			fmt.Fprintf(w, "if %s {\n", cond)
			w.block(n.arms[0], f)
			if n.arms[1] != nil {
				w.WriteString("} else {\n")
				w.block(n.arms[1], f)
			}
			w.WriteString("}\n")
		case pieceSwitch:
			fmt.Fprintf(w, "switch p.n(%#x) {\n", n.k)
			for i, a := range n.arms {
				if i == len(n.arms)-1 {
					w.WriteString("default:\n")
				} else {
					fmt.Fprintf(w, "case %d:\n", i)
				}
				w.block(a, f)
			}
			w.WriteString("}\n")
		case pieceLit:
			w.WriteString("func() {\n")
			w.block(n.fn.body, f)
			w.WriteString("}()\n")
		case pieceFor, pieceWhile, pieceDo, pieceLoop, pieceCond, pieceMid:
			if n.piece == pieceLoop {
				fmt.Fprintf(w, "n%s := p.n(%#x)\n", n.label, n.k)
			}
			if w.used[n.label] {
				fmt.Fprintf(w, "%s:\n", n.label)
			}
			head := "for i, n := 0, p.n(%#x); i < n; i++ {\n"
			switch n.piece {
			case pieceWhile:
				head = "for k := p.n(%#x); k > 0; k-- {\n"
			case pieceDo, pieceMid:
				head = "for n := p.n(%#x); ; n-- {\n"
			case pieceCond:
				head = "for n := p.n(%#[1]x); p.more(%#[1]x, n); n-- {\n"
			}
			if n.piece == pieceLoop {
				fmt.Fprintf(w, "for i := range p.t.Loop() {\nif i >= n%s {\nbreak\n}\n", n.label)
			} else {
				fmt.Fprintf(w, head, n.k)
			}
			w.block(n.arms[0], f)
			if n.piece == pieceMid {
				w.WriteString("if n <= 0 {\nbreak\n}\n")
				w.block(n.arms[1], f)
			}
			if n.piece == pieceDo && !leaves(n.arms[0]) {
				w.WriteString("if n <= 0 {\nbreak\n}\n")
			}
			w.WriteString("}\n")
		case pieceBreak, pieceNext:
			w.WriteString(map[piece]string{pieceBreak: "break", pieceNext: "continue"}[n.piece])
			if w.used[n.label] {
				w.WriteString(" " + n.label)
			}
			w.WriteString("\n")
		case pieceReturn:
			w.WriteString("return\n")
		case pieceCall:
			fmt.Fprintf(w, "%s(p, p.n(%#x))\n", n.fn.name, n.k)
		case pieceSelf:
			fmt.Fprintf(w, "%s(p, d-1)\n", f.name)
		}
	}
}

// goText returns numPlain programs from one on as a Go file.
func goText(t testing.TB, from int) string {
	w := &writer{}
	w.WriteString("// Code generated by go test -run PlainPrograms -update; DO NOT EDIT.\n\npackage intrinsics_test\n")
	w.WriteString("\nvar plainPrograms = []func(p *plain, d int){\n")
	for i := range numPlain {
		fmt.Fprintf(w, "plain%d,\n", from+i)
	}
	w.WriteString("}\n")
	for i := range numPlain {
		for _, f := range randomProgram(from + i) {
			w.function(f)
		}
	}
	out, err := format.Source([]byte(w.String()))
	require.NoError(t, err)
	return string(out)
}

// A masked runs a program with sets of lanes.
type masked struct {
	x     []uint32
	marks int64
}

// An activation is one call of a function, for some lanes.
type activation struct {
	fn       *function
	d        map[int]int
	returned lane.Mask
	loops    []*turns
}

// turns are the lanes that have left a loop, and its present turn.
type turns struct {
	loop         *node
	broken, next lane.Mask
}

func (a *activation) off() lane.Mask {
	m := a.returned
	for _, l := range a.loops {
		m = m.Or(l.broken).Or(l.next)
	}
	return m
}

func (a *activation) loopOf(label string) *turns {
	for _, l := range a.loops {
		if l.loop.label == label {
			return l
		}
	}
	return nil
}

func (m *masked) call(f *function, active lane.Mask, d map[int]int) {
	m.block(&activation{fn: f, d: d}, f.body, active)
}

// mark lets lanes meet.
func (m *masked) mark(active lane.Mask, k uint32) {
	if active.Empty() {
		return
	}
	m.marks++
	for l := range active.Lanes() {
		m.x[l] = hash(m.x[l]^k, fold(active))
	}
}

func (m *masked) block(a *activation, b []*node, active lane.Mask) {
	for _, n := range b {
		active = active.AndNot(a.off())
		if active.Empty() {
			return
		}
		number := map[int]int{}
		for l := range active.Lanes() {
			number[l] = int(hash(m.x[l], n.k) % 4)
		}
		switch n.piece {
		case pieceMark:
			m.mark(active, n.k)
		case pieceIf, pieceAnd:
			yes := where(active, func(l int) bool { return hash(m.x[l], n.k)%3 == 0 })
			if len(n.arms[0]) == 1 && n.arms[0][0].piece == pieceSelf {
				yes = where(yes, func(l int) bool { return a.d[l] > 0 })
			}
			if n.piece == pieceAnd {
				m.mark(yes, ^n.k)
				yes = where(yes, func(l int) bool { return hash(m.x[l], ^n.k)%3 == 0 })
			}
			m.block(a, n.arms[0], yes)
			m.block(a, n.arms[1], active.AndNot(yes))
		case pieceSwitch:
			for i, arm := range n.arms {
				m.block(a, arm, where(active, func(l int) bool { return min(number[l], len(n.arms)-1) == i }))
			}
		case pieceLit:
			m.call(n.fn, active, a.d)
		case pieceFor, pieceWhile, pieceDo, pieceLoop, pieceCond, pieceMid:
			l := &turns{loop: n}
			a.loops = append(a.loops, l)
			for turn := 0; ; turn++ {
				l.next = lane.Mask{}
				in := active.AndNot(a.off())
				if in.Empty() {
					break
				}
				goesOn := func(l int) bool { return turn < number[l] }
				switch n.piece {
				case pieceCond:
					m.mark(in, n.k)
				case pieceDo:
					goesOn = func(l int) bool { return turn <= number[l] }
				case pieceMid:
					m.block(a, n.arms[0], in)
					in = in.AndNot(a.off())
				}
				l.broken = l.broken.Or(where(in, func(l int) bool { return !goesOn(l) }))
				in = in.AndNot(l.broken)
				m.block(a, n.arms[len(n.arms)-1], in)
			}
			a.loops = a.loops[:len(a.loops)-1]
		case pieceBreak:
			l := a.loopOf(n.label)
			l.broken = l.broken.Or(active)
		case pieceNext:
			l := a.loopOf(n.label)
			l.next = l.next.Or(active)
		case pieceReturn:
			a.returned = a.returned.Or(active)
		case pieceCall:
			m.call(n.fn, active, number)
		case pieceSelf:
			d := map[int]int{}
			for l := range active.Lanes() {
				d[l] = a.d[l] - 1
			}
			m.call(a.fn, active, d)
		}
	}
}

// againstMasked runs one program on one set of data, and compares values and the
// number of instructions with those of the reference.
func againstMasked(t testing.TB, program int, seed uint64, device string, c warp.Config) (same bool) {
	e := engine(t, device, c)
	n := e.Device().Lanes
	ref := masked{x: by(n, func(l int) uint32 { return hash(uint32(l), uint32(seed)) })}
	ref.call(randomProgram(program)[0], lane.FirstN(n), nil)
	got, r, err := try(e, n, func(t *thread) uint32 {
		p := &plain{t, hash(uint32(t.Lane()), uint32(seed))}
		plainPrograms[program-*first](p, 0)
		return p.x
	})
	require.NoError(t, err)
	return slices.Equal(ref.x, got) && ref.marks == r.Instructions
}

// TestPlainPrograms holds kernels of plain Go to structured reconvergence: values, and
// how many instructions they are.
func TestPlainPrograms(t *testing.T) {
	readsCode(t)
	if *first == 0 {
		text := goText(t, 0)
		const file = "plain_programs_test.go"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		}
		have, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, string(have), "run it with -update")
	}
	turns := 6
	if testing.Short() {
		turns = 1
	}
	other := map[int]int{}
	for i := range turns * numPlain {
		device := []string{"pascal", "mi300x", "h200", "mtt-s4000", "mtt-s5000", "hip32", "custom-128"}[i%7]
		if program := *first + i%numPlain; !againstMasked(t, program, uint64(i), device, values) {
			other[program]++
		}
	}
	require.Empty(t, other, "programs in which lanes meet otherwise, and under how many data")
}

// In lockstep a seed chooses the order of the sides of branches only: lanes meet as ever.
func TestPlainProgramsExplored(t *testing.T) {
	readsCode(t)
	for i := range numPlain {
		device := []string{"pascal", "mi300x", "hip32"}[i%3]
		c := warp.Config{ValuesOnly: true, Seed: uint64(i) + 1}
		require.True(t, againstMasked(t, *first+i, uint64(i), device, c), "program %d on %s", i, device)
	}
}

// TestManyPrograms compiles and runs as many random programs as -programs says, numPlain
// at a time, each on six data:
//
//	go test ./intrinsics -run TestManyPrograms -programs 4000 -timeout 1h
func TestManyPrograms(t *testing.T) {
	readsCode(t)
	if *programs == 0 {
		t.Skip("-programs says how many")
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	for from := numPlain; from < numPlain+*programs; from += numPlain {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			dir := t.TempDir()
			text, overlay := filepath.Join(dir, "programs.go"), filepath.Join(dir, "overlay.json")
			require.NoError(t, os.WriteFile(text, []byte(goText(t, from)), 0o644))
			replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "plain_programs_test.go"): text}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(overlay, replace, 0o644))
			out, err := exec.Command("go", "test", "-overlay", overlay, "-run", "^TestPlainPrograms$", "-v", ".", "-first", fmt.Sprint(from)).CombinedOutput()
			t.Log(string(out))
			require.NoError(t, err)
		})
	}
}
