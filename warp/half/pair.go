package half

// A Pair is two floats in one register of 32 bits, as half2 and bfloat162 of CUDA are;
// operations do each with that of the other operand in the same place.
type Pair[T single[T]] struct{ Low, High T }

// A single is a float that is no pair.
type single[T any] interface {
	Float16 | BFloat16
	Add(T) T
	Sub(T) T
	Mul(T) T
	FMA(b, c T) T
	Min(T) T
	Max(T) T
	Float64() float64
}

// Add returns a + b.
func (a Pair[T]) Add(b Pair[T]) Pair[T] { return Pair[T]{a.Low.Add(b.Low), a.High.Add(b.High)} }

// Sub returns a - b.
func (a Pair[T]) Sub(b Pair[T]) Pair[T] { return Pair[T]{a.Low.Sub(b.Low), a.High.Sub(b.High)} }

// Mul returns a*b.
func (a Pair[T]) Mul(b Pair[T]) Pair[T] { return Pair[T]{a.Low.Mul(b.Low), a.High.Mul(b.High)} }

// FMA returns a*b + c, rounded once.
func (a Pair[T]) FMA(b, c Pair[T]) Pair[T] {
	return Pair[T]{a.Low.FMA(b.Low, c.Low), a.High.FMA(b.High, c.High)}
}

// Min returns the lesser of each, see [Float.Min].
func (a Pair[T]) Min(b Pair[T]) Pair[T] { return Pair[T]{a.Low.Min(b.Low), a.High.Min(b.High)} }

// Max returns the greater of each.
func (a Pair[T]) Max(b Pair[T]) Pair[T] { return Pair[T]{a.Low.Max(b.Low), a.High.Max(b.High)} }
