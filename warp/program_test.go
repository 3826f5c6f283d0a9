package warp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// Random structured programs run on the engine, and lane by lane in a plain
// interpreter that knows of no masks. A lane's program uses four variables of
// its own and its number, so that lanes can be run one after the other.

const variables = 4

// A stmt is one statement. Conditions compare a variable with another modulo a
// small number, so that lanes part often.
type stmt struct {
	kind    stmtKind
	op      int // of an assignment
	d, a, b int // variables
	k       int32
	body    []stmt
	other   []stmt
	limit   int // most turns of a loop
}

type stmtKind uint8

const (
	assign stmtKind = iota
	ifOnly
	ifElse
	where
	whereNot
	while
	breakIf
	continueIf
	exitIf
)

// A generator makes a random program, all choices from next.
type generator struct {
	next  func(n int) int
	left  int // statements that may still be made
	depth int
	loops int
}

func (g *generator) block() []stmt {
	var out []stmt
	for range 1 + g.next(4) {
		if g.left <= 0 {
			break
		}
		out = append(out, g.stmt())
	}
	return out
}

func (g *generator) stmt() stmt {
	g.left--
	s := stmt{d: g.next(variables), a: g.next(variables), b: g.next(variables), k: int32(g.next(7) + 1), op: g.next(5)}
	kinds := []stmtKind{assign, assign, assign}
	if g.depth < 5 {
		kinds = append(kinds, ifOnly, ifElse, ifElse, where, whereNot, while, while)
	}
	if g.loops > 0 {
		kinds = append(kinds, breakIf, breakIf, continueIf, continueIf)
	}
	if g.next(4) == 0 {
		kinds = append(kinds, exitIf)
	}
	s.kind = kinds[g.next(len(kinds))]
	g.depth++
	switch s.kind {
	case ifOnly, where, whereNot:
		s.body = g.block()
	case ifElse:
		s.body, s.other = g.block(), g.block()
	case while:
		g.loops++
		s.limit = 1 + g.next(5)
		s.body = g.block()
		g.loops--
	}
	g.depth--
	return s
}

// holds is the condition of a statement.
func (s *stmt) holds(v *[variables]int32) bool { return (v[s.a]+s.k)&3 > v[s.b]&3 }

func (s *stmt) value(v *[variables]int32) int32 {
	switch s.op {
	case 0:
		return v[s.a] + v[s.b]
	case 1:
		return v[s.a] - v[s.b]*s.k
	case 2:
		return v[s.a] ^ v[s.b]>>1
	case 3:
		return v[s.a] + s.k
	}
	return s.k
}

// leave is how control leaves a block of a lane's program.
type leave uint8

const (
	goOn leave = iota
	leaveTurn
	leaveLoop
	leaveKernel
)

// scalar runs a block for one lane.
func scalar(block []stmt, v *[variables]int32) leave {
	for i := range block {
		s := &block[i]
		yes := s.holds(v)
		how := goOn
		switch s.kind {
		case assign:
			v[s.d] = s.value(v)
		case ifOnly, where:
			if yes {
				how = scalar(s.body, v)
			}
		case whereNot:
			if !yes {
				how = scalar(s.body, v)
			}
		case ifElse:
			if yes {
				how = scalar(s.body, v)
			} else {
				how = scalar(s.other, v)
			}
		case while:
			for n := 0; n < s.limit && s.holds(v); n++ {
				if how = scalar(s.body, v); how >= leaveLoop {
					break
				}
			}
			if how != leaveKernel {
				how = goOn
			}
		case breakIf:
			if yes {
				return leaveLoop
			}
		case continueIf:
			if yes {
				return leaveTurn
			}
		case exitIf:
			if yes {
				return leaveKernel
			}
		}
		if how != goOn {
			return how
		}
	}
	return goOn
}

// wide runs a block on the engine.
type wide struct {
	w     *warp.Warp
	v     [variables]warp.Reg[int32]
	t, u  warp.Reg[int32]
	p     warp.Pred
	never warp.Pred
}

func (x *wide) cond(s *stmt) warp.Pred {
	warp.AddImm(x.t, x.v[s.a], s.k)
	warp.AndImm(x.t, x.t, 3)
	warp.AndImm(x.u, x.v[s.b], 3)
	warp.Gt(x.p, x.t, x.u)
	return x.p
}

func (x *wide) block(block []stmt) {
	for i := range block {
		s := &block[i]
		if x.w.Active().Empty() {
			return // no lane is left here: a compiler's branch would jump over the rest
		}
		d, a, b := x.v[s.d], x.v[s.a], x.v[s.b]
		switch s.kind {
		case assign:
			switch s.op {
			case 0:
				warp.Add(d, a, b)
			case 1:
				warp.MulImm(x.t, b, s.k)
				warp.Sub(d, a, x.t)
			case 2:
				warp.ShrImm(x.t, b, 1)
				warp.Xor(d, a, x.t)
			case 3:
				warp.AddImm(d, a, s.k)
			default:
				warp.Set(d, s.k)
			}
		case ifOnly:
			x.w.If(x.cond(s), func() { x.block(s.body) })
		case ifElse:
			x.w.IfElse(x.cond(s), func() { x.block(s.body) }, func() { x.block(s.other) })
		case where:
			x.w.Where(x.cond(s), func() { x.block(s.body) })
		case whereNot:
			x.w.WhereNot(x.cond(s), func() { x.block(s.body) })
		case while:
			n := 0
			x.w.While(func() warp.Pred {
				if n++; n > s.limit {
					return x.never
				}
				return x.cond(s)
			}, func() { x.block(s.body) })
		case breakIf:
			x.w.Break(x.cond(s))
		case continueIf:
			x.w.Continue(x.cond(s))
		case exitIf:
			x.w.Exit(x.cond(s))
		}
	}
}

// start gives lane l its variables.
func start(l int) [variables]int32 {
	return [variables]int32{int32(l), int32(l*l%13 - 4), int32(l >> 2), 5}
}

func (s stmt) text(indent string) string {
	cond := fmt.Sprintf("v%d+%d ? v%d", s.a, s.k, s.b)
	line := map[stmtKind]string{
		assign: fmt.Sprintf("v%d = op%d(v%d, v%d, %d)", s.d, s.op, s.a, s.b, s.k), ifOnly: "if " + cond, ifElse: "if else " + cond,
		where: "where " + cond, whereNot: "where not " + cond, while: fmt.Sprintf("while %s, %d turns", cond, s.limit),
		breakIf: "break if " + cond, continueIf: "continue if " + cond, exitIf: "exit if " + cond,
	}[s.kind]
	out := indent + line + "\n"
	for _, b := range s.body {
		out += b.text(indent + "  ")
	}
	if len(s.other) > 0 {
		out += indent + "else\n"
	}
	for _, b := range s.other {
		out += b.text(indent + "  ")
	}
	return out
}

func text(block []stmt) string {
	var b strings.Builder
	for _, s := range block {
		b.WriteString(s.text(""))
	}
	return b.String()
}

// runProgram compares the two for every lane of a warp, which may be partial.
func runProgram(t testing.TB, e *warp.Engine, program []stmt, threads int) {
	t.Helper()
	lanes := e.Device().Lanes
	want := make([][variables]int32, threads)
	var alive lane.Mask
	for l := range want {
		want[l] = start(l)
		if scalar(program, &want[l]) != leaveKernel {
			alive = alive.With(l)
		}
	}
	_, err := e.Run(context.Background(), one(threads), func(w *warp.Warp) {
		x := &wide{w: w, t: warp.Alloc[int32](w), u: warp.Alloc[int32](w), p: w.Pred(), never: w.Pred()}
		for i := range x.v {
			x.v[i] = warp.Alloc[int32](w)
			warp.SetLanes(x.v[i], func(l int) int32 { return start(l)[i] })
		}
		warp.SetPred(x.never, lane.Mask{})
		defer func() { // also when all lanes have exited
			got := make([][variables]int32, threads)
			for l := range got {
				for i := range x.v {
					got[l][i] = x.v[i].Lanes()[l]
				}
			}
			if !slices.Equal(got, want) || w.Live() != alive {
				for l := range got {
					if got[l] != want[l] {
						t.Errorf("lane %d of %d: %v, want %v", l, lanes, got[l], want[l])
						break
					}
				}
				t.Errorf("live lanes %s, want %s, after\n%s", w.Live(), alive, text(program))
			}
		}()
		x.block(program)
		if w.Active() != alive {
			t.Errorf("active lanes %s at the end, want %s, after\n%s", w.Active(), alive, text(program))
		}
	})
	require.NoError(t, err, text(program))
}

func TestRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var engines []*warp.Engine
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-8"} {
		engines = append(engines, engine(t, name, warp.Config{ValuesOnly: len(engines)%2 == 0}))
	}
	for i := range 1000 {
		g := generator{next: r.IntN, left: 5 + i%40}
		program := g.block()
		e := engines[i%len(engines)]
		runProgram(t, e, program, 1+r.IntN(e.Device().Lanes))
		if t.Failed() {
			return
		}
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add([]byte("any bytes are a program"), uint8(31))
	f.Add([]byte{3, 1, 2, 3, 4, 5, 9, 8, 7, 6, 5, 4, 3, 2, 1, 9, 9, 9, 1, 2, 3, 7, 7}, uint8(4))
	f.Fuzz(func(t *testing.T, data []byte, threads uint8) {
		at := 0
		g := generator{left: 60, next: func(n int) int {
			if at >= len(data) {
				return 0
			}
			at++
			return int(data[at-1]) % n
		}}
		program := g.block()
		e := engine(t, []string{"h200", "mi300x", "mtt-m1000"}[int(threads)%3], warp.Config{})
		runProgram(t, e, program, int(threads)%e.Device().Lanes+1)
	})
}
