package steps

import (
	"math"
	"strconv"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/view/internal/tape"
)

// Value returns the text of what a lane holds after a step. Where the kernel does
// not say what its registers are, the instruction does: floats are what float
// instructions make, everything else is an integer.
func Value(s *tape.Step, lane int) string {
	if lane >= len(s.Values) {
		return ""
	}
	x, kind := s.Values[lane], s.Kind
	if kind >= warp.Words {
		switch s.Instr.Op {
		case isa.FAdd, isa.FMul, isa.FFma, isa.FMinMax, isa.Special:
			kind = warp.Float32
		case isa.DAdd, isa.DMul, isa.DFma:
			kind = warp.Float64
		default:
			kind = warp.Int32
			if s.Instr.Dst.IsPair() {
				kind = warp.Int64
			}
		}
	}
	switch kind {
	case warp.Float32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(x))), 'g', 6, 32)
	case warp.Float64:
		return strconv.FormatFloat(math.Float64frombits(x), 'g', 8, 64)
	case warp.Int8:
		return strconv.FormatInt(int64(int8(x)), 10)
	case warp.Int16:
		return strconv.FormatInt(int64(int16(x)), 10)
	case warp.Int32:
		return strconv.FormatInt(int64(int32(x)), 10)
	case warp.Int64:
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatUint(x, 10)
}
