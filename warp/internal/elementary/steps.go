package elementary

import (
	"strings"

	"example.com/warpsim/warp/isa"
)

// An Operand is what a step reads or writes.
type Operand uint8

// The operands: the arguments, the result, temporaries from Temp on (64 bits wide
// in double precision) and predicates from Predicate on. None is nothing.
const (
	None Operand = iota
	X
	Y
	Result
	Temp      // up to Predicate
	Predicate = Temp + MaxTemps
)

// How many temporaries and predicates a function uses at most.
const (
	MaxTemps      = 8
	maxPredicates = 3
)

// A Step is one instruction of a function.
type Step struct {
	Op      isa.Op
	Guard   Operand // the predicate that guards it, or None
	Dst     Operand
	A, B, C Operand
	Falls   bool // of a branch: no lane takes it
	Calls   bool // of a branch: to a function of its own
}

// Steps returns the instructions of the function, in single precision if wide is
// not set, otherwise in double; nil for fast forms in double precision.
func (f Function) Steps(wide bool) []Step {
	if f >= numFunctions {
		return nil
	}
	if wide {
		return doubleSteps[f]
	}
	return singleSteps[f]
}

// IntegerSteps returns the instructions of a division of integers, or of its
// remainder, by a divisor that is not known when the kernel is compiled.
func IntegerSteps(bits int, signed, remainder bool) []Step {
	switch {
	case bits > 32:
		return divide64
	case signed && remainder:
		return signedRemainder
	case signed:
		return signedQuotient
	case remainder:
		return unsignedRemainder
	}
	return unsignedQuotient
}

// parse reads steps: an op, its destination and sources, one step after the other
// behind semicolons, a guard in front behind an @. "fall" is a branch that no lane
// takes, "call" one to a function of its own.
func parse(text string) []Step {
	var steps []Step
	for part := range strings.SplitSeq(text, ";") {
		f := strings.Fields(part)
		if len(f) == 0 {
			continue
		}
		var s Step
		if g, ok := strings.CutPrefix(f[0], "@"); ok {
			s.Guard, f = operand(g), f[1:]
		}
		switch f[0] {
		case "fall":
			f[0], s.Falls = "branch", true
		case "call":
			f[0], s.Calls = "branch", true
		}
		op, ok := isa.ParseOp(f[0])
		if !ok {
			panic("elementary: no op " + f[0])
		}
		s.Op = op
		for i, name := range f[1:] {
			*[]*Operand{&s.Dst, &s.A, &s.B, &s.C}[i] = operand(name)
		}
		steps = append(steps, s)
	}
	return steps
}

func operand(name string) Operand {
	switch c := name[0]; {
	case name == "x":
		return X
	case name == "y":
		return Y
	case name == "r":
		return Result
	case name == "-":
		return None
	case c >= 'a' && c < 'a'+MaxTemps:
		return Temp + Operand(c-'a')
	case name == "p" || name == "q" || name == "s":
		return Predicate + Operand(strings.Index("pqs", name))
	}
	panic("elementary: no operand " + name)
}

// chain is the step n times over.
func chain(n int, step string) string { return strings.Repeat(step+";", n) }

var (
	singleSteps = [numFunctions][]Step{
		Exp:   parse("ffma a x; ffma a a; fadd b a; shift a a; ffma b x b; ffma b x b; special c b; fmul r a c"),
		Exp2:  parse("fmul a x; fcmp p x; select a a x p; special r a; @p fmul r r r"),
		Log:   parse("fcmp p x; mov a x; @p fmul a x; iadd b a; icmp q a; logic c b; mov d; iadd e a c; convert c c; fadd e e; select f p; fcmp p a; ffma d e d; ffma f c f;" + chain(7, "ffma d e d") + "fmul d e d; ffma d e d e; ffma r f d; @q ffma r a; select r r p"),
		Log2:  parse("fcmp p x; mov a x; @p fmul a x; iadd b a; icmp q a; logic c b; mov d; iadd e a c; convert c c; fadd e e; select f p; fcmp p a; ffma d e d; ffma f c f;" + chain(8, "ffma d e d") + "fmul d e d; fmul d e d; ffma d e d; fadd r f d; @q ffma r a; select r r p"),
		Sin:   parse("fmul a x; fcmp p x; pushsync; special a a; convert b a; ffma c b x; ffma c b c; ffma c b c; branch - p; reconverge; logic p a; fmul d c c; logic q a; select e p; select f c p; select g p; @p ffma e d e; ffma e d e; ffma h f d; ffma g d e g; ffma r g h f; @q ffma r r"),
		Cos:   parse("fmul a x; fcmp p x; pushsync; special a a; convert b a; ffma c b x; ffma c b c; ffma c b c; branch - p; reconverge; iadd a a; fmul d c c; logic p a; logic q a; select e p; select g p; @p ffma e d e; select f c p; ffma e d e; ffma h f d; ffma g d e g; ffma r g h f; @q ffma r r"),
		Sqrt:  parse("iadd a x; special b x; pushsync; icmp p a; branch - p; fmul c b x; fmul d b; ffma a c c x; ffma r a d c; reconverge"),
		Rsqrt: parse("fcmp p x; mov a x; @p fmul a a; special r a; @p fmul r r"),
		Rcp:   parse("iadd a x; pushsync; logic a a; icmp p a; branch - p; special b x; ffma c b x; fadd c c; ffma r b c b; reconverge"),
		Div:   parse("special a y; pushsync; special p x y; ffma b a y; ffma b a b a; ffma c b x; ffma d c y x; ffma r b d c; branch - p; reconverge"),
		Tanh:  parse("fmul a x; mov b; fmul c x x; mov d; fcmp p x; special a a; ffma b c b; fcmp q x; ffma b c b; fadd e a; ffma b c b; ffma b c b; special e e; ffma d e d; select d d q; logic r d x; @p ffma r b x x"),
		Erf:   parse("mov a; fmul b x x; fcmp p x; select c x b p; select d p; select e p; select f p; select g p; ffma e c d e; select h p; ffma e c e f; select f p; ffma e c e g; ffma e c e h; select g x p; ffma e c e f; ffma e c e f; ffma r e g g; @p special a r; @p fadd a a; @p logic r a x"),
		Pow: parse("fmul a x; fcmp p x; pushsync; fcmp q x; select a a x p; iadd b a; logic b b; select c p; iadd a a b; convert b b; fadd d a; fadd e a; ffma b b c; fadd a e e; special d d; fmul f d a; fadd g e f; fmul h f f; ffma c f b; fadd g g g; ffma a h; fadd b b c; ffma e e f g; ffma a h a; ffma g f b; fmul e d e; ffma a h a; ffma b e g; fmul a h a; ffma d f b; fmul b a; ffma d e b d; ffma a f a d; fadd f c a;" +
			"fmul g f y; fadd c c f; special d g; fadd c a c; ffma e f y g; fcmp p g; ffma e c y e; mov h; special b g; fadd a g d; fcmp q d; fadd e e a; select d q; fcmp q g; ffma h e h; iadd c d; iadd b b d; ffma h e h; mov f; ffma h e h; ffma h e h; ffma h e h; ffma h e h; fmul h h c; fmul r h b; @q select r r p; fcmp p x; fall - p; fcmp q x; fall - q; fcmp q x; fcmp q y; fall - q; fcmp q x; mov r r; branch - q; reconverge"),
		FastExp:  parse("fmul a x; fcmp p a; @p fmul a a; special r a; @p fmul r r r"),
		FastLog:  parse("fcmp p x; mov a x; @p fmul a x; special b a; @p fadd b b; fmul r b"),
		FastLog2: parse("fcmp p x; mov a x; @p fmul a x; special r a; @p fadd r r"),
		FastSin:  parse("fmul a x; special r a"),
		FastCos:  parse("fmul a x; special r a"),
		FastRcp:  parse("fcmp p x; mov a x; select b p; @p fmul a x; special c a; fmul r c b"),
		FastDiv:  parse("fcmp p y; mov a y; select b x p; @p fmul a y; special c a; fmul r c b"),
		FastTanh: parse("special r x"),
		FastPow:  parse("fcmp p x; mov a x; @p fmul a x; special b a; @p fadd b b; fmul b b y; fcmp q b; @q fmul b b; special r b; @q fmul r r r"),
	}

	doubleSteps = [numFunctions][]Step{
		Exp:   parse("mov a; dfma b x a; dadd c b; dfma d c x; dadd e x; pushsync; dfma c c d; fcmp p e; dfma f c;" + chain(10, "dfma f c f") + "imul r b f; branch - p; reconverge"),
		Exp2:  parse("mov a; dadd b x; dadd c b; pushsync; dadd d x c; fcmp p x; dfma f d;" + chain(11, "dfma f d f") + "imul r b f; branch - p; reconverge"),
		Log:   parse("icmp p x; mov a x; pushsync; @p dmul a a; iadd b a; icmp q b; branch - q; logic c a; shift d a; icmp p c; iadd d d; select c c p; dadd e c; special f e; dadd g c;" + chain(20, "umov") + chain(10, "mov") + "dfma h e f; dfma h h h; dfma f f h f; dmul h g f; dfma h g f h; dmul e h h; dfma a e; " + chain(6, "dfma a e a") + "dadd b g h; dadd b b b; dfma b g h b; dmul b f b; dmul a e a; dfma a h a b; dfma c d h; dfma g d c; dadd g g h; dadd a a g; dfma a d a; dadd r c a; reconverge"),
		Log2:  parse("icmp p x; mov a x; pushsync; @p dmul a a; iadd b a; icmp q b; branch - q; logic c a; shift d a; icmp p c; iadd d d; select c c p; dadd e c; special f e; dadd g c;" + chain(20, "umov") + chain(10, "mov") + "dfma h e f; dfma h h h; dfma f f h f; dmul h g f; dfma h g f h; dmul e h h; dfma a e; " + chain(6, "dfma a e a") + "dadd b g h; dadd b b b; dfma b g h b; dmul b f b; dmul a e a; dfma a h a b; dfma c d h; dfma g d c; dadd g g h; dadd a a g; dfma a d a; dfma a a a; dadd r c a; reconverge"),
		Sin:   parse("dcmp p x; pushsync; dmul a x; special b a; convert c b; dfma d c x; dfma d c d; dfma d c d; branch - p; reconverge; imul e b; ldc f e; ldc g e; ldc h e; dmul a d d; select f f;" + chain(8, "umov") + chain(8, "mov") + "dfma f a f;" + chain(5, "dfma f a f") + "dfma r d f d; logic p b; @p dfma r f a; logic q b; @q dadd r r"),
		Cos:   parse("dcmp p x; pushsync; dmul a x; special b a; convert c b; dfma d c x; dfma d c d; dfma d c d; branch - p; reconverge; iadd b b; imul e b; ldc f e; ldc g e; ldc h e; dmul a d d; select f f;" + chain(8, "umov") + chain(8, "mov") + "dfma f a f;" + chain(5, "dfma f a f") + "dfma r d f d; logic p b; @p dfma r f a; logic q b; @q dadd r r"),
		Sqrt:  parse("special a x; iadd b x; mov c; pushsync; icmp p b; dmul d a a; dfma d d x; dfma c d c; dmul d a d; dfma e c d a; dmul f e x; iadd g e; dfma h f f x; dfma r h g f; branch - p; reconverge"),
		Rsqrt: parse("special a x; mov b; iadd c x; pushsync; icmp p c; dmul d a a; dfma d d x; dfma b d b; dmul d a d; dfma r b d a; branch - p; reconverge"),
		Rcp:   parse("special a x; iadd b x; pushsync; fcmp p b; dfma c a x; dfma c c c; dfma c a c a; dfma d c x; dfma r c d c; branch - p; reconverge"),
		Div:   parse("special a y; mov b; pushsync; dfma c a y; dfma c c c; dfma c a c a; dfma d c y; dfma c c d c; dmul d c x; dfma e d y x; dfma r c e d; ffma f y a; fcmp p f; branch - p; reconverge"),
		Tanh:  parse("logic a x; mov b; pushsync; dcmp p a; branch - p; dadd c a a; icmp q a; special d c; fmul d d; special d d; special e d;" + chain(20, "umov") + "dfma f e c; dfma f e f; dfma g f;" + chain(9, "dfma g f g") + "dmul g f g; dadd h g; special a h; dfma b a h; dfma b b b; dfma a a b a; dfma b a h; dfma a a b a; dadd r a a; dadd r r; select r r q; logic r r x; reconverge"),
		Erf:   parse("logic a x; pushsync; dcmp p a; branch - p; dmul b a a; dfma c b;" + chain(18, "dfma c b c") + "dfma r c x x; reconverge"),
		Pow:   parse("dadd a x; pushsync; icmp p x; branch - p; shift b a; logic c a; dadd d c; special e d; dadd f c; dfma g e d; dfma g g g; dfma e e g e; dmul g f e; dfma g f e g; dmul h g g; dfma a h;" + chain(8, "dfma a h a") + "dadd b f g; dadd b b b; dfma b f g b; dmul b e b;" + chain(24, "dfma a a b a") + "dmul c a y; dfma d a y c; dfma e c; dadd e e; dfma f e c; dfma f e f; dfma g f;" + chain(10, "dfma g f g") + "imul r g e; branch - p; reconverge; dcmp p y; branch - p; select r r p; dcmp q x; select r r q"),
	}

	unsignedQuotient  = parse("special a y; icmp p y; special a a; iadd b a; special b b; mov c; imul d b; imul d d y; imul b b d c; imul e b x; iadd d e; imul d y d x; icmp q d y; @q iadd d d y; @q iadd e e; icmp s d y; @s iadd e e; @p logic e y; mov r e")
	unsignedRemainder = parse("special a y; icmp p y; special a a; iadd b a; special b b; mov c; imul d b; imul d d y; imul b b d c; imul e b x; iadd e e; imul e y e x; icmp q e y; @q imul e e y; icmp q e y; @q imul e e y; @p logic e y; mov r e")
	signedQuotient    = parse("iadd a y; iadd b y; special c a; iadd b b; iadd d x; special c c; iadd c c; special e c; mov f; imul g e; imul g g a; imul e e g f; logic h x y; icmp p h; imul e e d; imul g e b d; icmp q a g; @q imul g g a; @q iadd e e; icmp q y; icmp s g a; @s iadd e e; @p iadd e e; @q logic e y; mov r e")
	signedRemainder   = parse("iadd a y; iadd b y; special c a; iadd b b; iadd d x; special c c; iadd c c; special e c; mov f; iadd g e; imul g g a; imul e e g f; imul e e d; imul e e b d; icmp p a e; @p iadd e e a; icmp q y; icmp s a e; @s imul e e a; icmp p x; @p iadd e e; @q logic e y; mov r e")
	divide64          = parse("mov h; call; special a y; special a a; iadd a a; special b a; imul c b y; imul c b y c; imul d b y c; iadd e c; imul f b e; imul g e d; imul f b g f; imul g b g; imul f b e f; iadd f g f; imul g g b; imul c f y; iadd d g; imul c f y c; iadd e c; imul c d y c; imul g f e; iadd e c; imul g f e g; imul h d e; imul g d e g; imul h d e; iadd g h g; iadd h h d; imul a g x; iadd h h; imul a g x a; imul b h x; imul a h x a; imul c h x; iadd b b a; iadd c c; imul a b y; iadd c c; iadd d x a; imul e b y; icmp p d y; imul e c y e; iadd e e x; iadd f d y; iadd g b; icmp p e y; iadd h e y; iadd a c; select g g b p; select f f d p; select a a c p; iadd b g; select h h e p; icmp p f y; iadd c a; icmp q y; icmp p h y; icmp q y; select g b g p; select c c a p; select g g q; select r c q; branch")
)
