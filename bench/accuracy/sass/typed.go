package sass

import (
	"math"
	"math/bits"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// typed returns the call of one of the engine's typed functions that a line
// stands for, nil if there is none: conversions, and functions of one register
// that only the chip has.
func typed(in *Instr) func(m *machine) {
	if len(in.args) != 2 || in.args[0].kind != reg || in.args[0].n < 0 || in.args[1].scalar() || !plain(in.args[1]) {
		return nil
	}
	d, a := in.args[0].n, in.args[1].n
	switch in.op {
	case "I2FP":
		if in.has("S32") {
			return func(m *machine) { warp.Convert(as[float32](m, d), as[int32](m, a)) }
		}
		return func(m *machine) { warp.Convert(as[float32](m, d), m.regs[a]) }
	case "F2I":
		return func(m *machine) { warp.Convert(as[int32](m, d), as[float32](m, a)) }
	case "FLO":
		return func(m *machine) {
			warp.Map1(m.regs[d], m.regs[a], isa.Clz, func(x uint32) uint32 { return uint32(bits.Len32(x)) - 1 })
		}
	case "MUFU":
		f := map[string]func(float64) float64{"EX2": math.Exp2, "RCP": func(x float64) float64 { return 1 / x }}[in.mods[0]]
		if f == nil {
			return nil
		}
		// Rounded correctly, where the chip approximates.
		return func(m *machine) {
			warp.Map1(as[float32](m, d), as[float32](m, a), isa.Special, func(x float32) float32 { return float32(f(float64(x))) })
		}
	}
	return nil
}

// as returns a register as one of another type of 32 bits.
func as[T any](m *machine, n int) warp.Reg[T] { return warp.View[T](m.regs[n]) }
