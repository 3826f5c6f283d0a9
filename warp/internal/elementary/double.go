package elementary

import "math"

// Double returns the function's result in double precision, NaN for fast forms,
// which are there in single precision only; y counts for functions of two
// arguments only.
func (f Function) Double(x, y float64) float64 {
	switch f {
	case Exp:
		return math.Exp(x)
	case Exp2:
		return math.Exp2(x)
	case Log:
		return math.Log(x)
	case Log2:
		return math.Log2(x)
	case Sin:
		return math.Sin(x)
	case Cos:
		return math.Cos(x)
	case Sqrt:
		return math.Sqrt(x)
	case Rsqrt:
		if x == 0 {
			return math.Copysign(math.Inf(1), x)
		}
		return 1 / math.Sqrt(x)
	case Rcp:
		return 1 / x
	case Div:
		return x / y
	case Tanh:
		return math.Tanh(x)
	case Erf:
		return math.Erf(x)
	case Pow:
		return math.Pow(x, y)
	}
	return math.NaN()
}
