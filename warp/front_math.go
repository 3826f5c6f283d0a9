package warp

import (
	"iter"
	"math"
	"sync"

	"example.com/warpsim/warp/internal/elementary"
	"example.com/warpsim/warp/isa"
)

// A Math is a function of numbers, for a front whose kernels compute outside of
// registers: what it gives, and the instructions that a compiler makes of it. Two of the
// same function and width are equal. The zero Math gives 0 and has no instructions.
type Math struct{ f *mathFunction }

type mathFunction struct {
	value func(x, y, z float64) float64 // nil for divisions of integers
	steps []elementary.Step
	wide  bool
}

// MathOf returns a function by its name, for numbers of 32 or 64 bits, and whether there
// is one. Of floats these are exp, exp2, log, log2, sin, cos, sqrt, rsqrt, rcp, div, tanh,
// erf, pow and fma, which give what [Exp] and its like do, and of 32 bits "fast exp",
// "fast log", "fast log2", "fast sin", "fast cos", "fast rcp", "fast div", "fast tanh" and
// "fast pow", as [FastExp] and its like; of integers quotient, remainder, "unsigned
// quotient" and "unsigned remainder", which only have instructions.
func MathOf(name string, bits int) (Math, bool) {
	m, ok := mathFunctions()[mathKey{name, bits}]
	return Math{m}, ok
}

// Apply returns the value for up to three arguments, of which a function takes the first
// ones, with the precision of its width.
func (m Math) Apply(x, y, z float64) float64 {
	if m.f == nil || m.f.value == nil {
		return 0
	}
	return m.f.value(x, y, z)
}

// Ops returns the operations of its instructions, in their order.
func (m Math) Ops() iter.Seq[isa.Op] {
	return func(yield func(isa.Op) bool) {
		if m.f == nil {
			return
		}
		for i := range m.f.steps {
			if !yield(m.f.steps[i].Op) {
				return
			}
		}
	}
}

// BookMath is [Front.Book] for all instructions of a function.
func (f Front) BookMath(m Math, dst, x, y isa.Reg) {
	if m.f == nil {
		return
	}
	f.w.booked += int64(len(m.f.steps))
	f.w.emitSteps(m.f.steps, m.f.wide, dst, x, y)
}

type mathKey struct {
	name string
	bits int
}

var mathFunctions = sync.OnceValue(func() map[mathKey]*mathFunction {
	all := map[mathKey]*mathFunction{}
	add := func(name string, bits int, value func(x, y, z float64) float64, steps []elementary.Step) {
		all[mathKey{name, bits}] = &mathFunction{value: value, steps: steps, wide: bits == 64}
	}
	for _, f := range elementary.Functions() {
		add(f.String(), 32, func(x, y, _ float64) float64 { return float64(f.Single(float32(x), float32(y))) }, f.Steps(false))
		if steps := f.Steps(true); steps != nil {
			add(f.String(), 64, func(x, y, _ float64) float64 { return f.Double(x, y) }, steps)
		}
	}
	fma := func(op isa.Op) []elementary.Step {
		return []elementary.Step{{Op: op, Dst: elementary.Result, A: elementary.X, B: elementary.Y}}
	}
	add("fma", 32, func(x, y, z float64) float64 {
		return float64(elementary.FMA32(float32(x), float32(y), float32(z)))
	}, fma(isa.FFma))
	add("fma", 64, math.FMA, fma(isa.DFma))
	for _, bits := range []int{32, 64} {
		add("quotient", bits, nil, elementary.IntegerSteps(bits, true, false))
		add("remainder", bits, nil, elementary.IntegerSteps(bits, true, true))
		add("unsigned quotient", bits, nil, elementary.IntegerSteps(bits, false, false))
		add("unsigned remainder", bits, nil, elementary.IntegerSteps(bits, false, true))
	}
	return all
})
