package half

// A Float is a float of 16 bits, a [Float16] or a [BFloat16]. The zero value is 0.
type Float[F format] struct{ bits uint16 }

// A Float16 is a float as in IEEE 754: 10 bits of fraction, up to 65,504.
type Float16 = Float[ieee]

// A BFloat16 is the upper half of a float32: 7 bits of fraction, and its range.
type BFloat16 = Float[brain]

// Of returns the nearest number of a type.
func Of[T Float16 | BFloat16](x float64) T {
	var zero T
	if _, ok := any(zero).(Float16); ok {
		return T(of[ieee](x))
	}
	return T(of[brain](x))
}

// FromBits returns the number of these bits.
func FromBits[T Float16 | BFloat16](bits uint16) T { return T{bits} }

func of[F format](x float64) Float[F] {
	var f F
	return Float[F]{f.layout().bits(x)}
}

// Bits returns the bits of the number.
func (a Float[F]) Bits() uint16 { return a.bits }

// Float64 returns the same number.
func (a Float[F]) Float64() float64 {
	var f F
	return f.layout().value(a.bits)
}

// Add returns a + b.
func (a Float[F]) Add(b Float[F]) Float[F] { return of[F](sum(a.Float64(), b.Float64())) }

// Sub returns a - b.
func (a Float[F]) Sub(b Float[F]) Float[F] { return of[F](sum(a.Float64(), -b.Float64())) }

// Mul returns a*b.
func (a Float[F]) Mul(b Float[F]) Float[F] { return of[F](a.Float64() * b.Float64()) }

// FMA returns a*b + c, rounded once.
func (a Float[F]) FMA(b, c Float[F]) Float[F] {
	return of[F](sum(a.Float64()*b.Float64(), c.Float64()))
}

// Min returns the lesser one: the number beside a NaN, and -0 is below +0.
func (a Float[F]) Min(b Float[F]) Float[F] { return of[F](least(a.Float64(), b.Float64())) }

// Max returns the greater one, see Min.
func (a Float[F]) Max(b Float[F]) Float[F] { return of[F](greatest(a.Float64(), b.Float64())) }
