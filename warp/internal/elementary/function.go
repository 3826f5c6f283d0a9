package elementary

import "fmt"

// A Function is a mathematical function of one or two arguments.
type Function uint8

// The functions. Those with Fast in their name are the short forms of the vendors'
// languages (__expf, __fdividef and so on), single precision only; the others keep
// the accuracy that the language documents.
const (
	Exp   Function = iota // e to the power x
	Exp2                  // 2 to the power x
	Log                   // natural logarithm
	Log2                  // logarithm to base 2
	Sin                   // sine of x in radians
	Cos                   // cosine of x in radians
	Sqrt                  // square root
	Rsqrt                 // 1 / square root
	Rcp                   // 1 / x
	Div                   // x / y
	Tanh                  // hyperbolic tangent
	Erf                   // error function
	Pow                   // x to the power y
	FastExp
	FastLog
	FastLog2
	FastSin
	FastCos
	FastRcp
	FastDiv
	FastTanh
	FastPow

	numFunctions
)

var names = [numFunctions]string{
	"exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "rcp", "div", "tanh", "erf", "pow",
	"fast exp", "fast log", "fast log2", "fast sin", "fast cos", "fast rcp", "fast div", "fast tanh", "fast pow",
}

// String returns the name of the function, such as "exp" or "fast exp".
func (f Function) String() string {
	if f < numFunctions {
		return names[f]
	}
	return fmt.Sprintf("function(%d)", uint8(f))
}

// Functions returns all functions.
func Functions() []Function {
	all := make([]Function, numFunctions)
	for i := range all {
		all[i] = Function(i)
	}
	return all
}
