package half

// A Float16 is a float of 16 bits as in IEEE 754: 10 bits of fraction, up to 65,504. The zero value is 0.
type Float16 struct{ bits uint16 }

// Float16Of returns the nearest Float16.
func Float16Of(x float64) Float16 { return Float16{ieee.bits(x)} }

// Float16FromBits returns the number of these bits.
func Float16FromBits(bits uint16) Float16 { return Float16{bits} }

// Bits returns the bits of the number.
func (a Float16) Bits() uint16 { return a.bits }

// Float64 returns the same number.
func (a Float16) Float64() float64 { return ieee.value(a.bits) }

// Add returns a + b.
func (a Float16) Add(b Float16) Float16 { return Float16Of(sum(a.Float64(), b.Float64())) }

// Sub returns a - b.
func (a Float16) Sub(b Float16) Float16 { return Float16Of(sum(a.Float64(), -b.Float64())) }

// Mul returns a*b.
func (a Float16) Mul(b Float16) Float16 { return Float16Of(a.Float64() * b.Float64()) }

// FMA returns a*b + c, rounded once.
func (a Float16) FMA(b, c Float16) Float16 {
	return Float16Of(sum(a.Float64()*b.Float64(), c.Float64()))
}

// Min returns the lesser one: the number beside a NaN, and -0 is below +0.
func (a Float16) Min(b Float16) Float16 { return Float16Of(least(a.Float64(), b.Float64())) }

// Max returns the greater one, see Min.
func (a Float16) Max(b Float16) Float16 { return Float16Of(greatest(a.Float64(), b.Float64())) }

// A BFloat16 is the upper half of a float32: 7 bits of fraction, and its range. The zero value is 0.
type BFloat16 struct{ bits uint16 }

// BFloat16Of returns the nearest BFloat16.
func BFloat16Of(x float64) BFloat16 { return BFloat16{brain.bits(x)} }

// BFloat16FromBits returns the number of these bits.
func BFloat16FromBits(bits uint16) BFloat16 { return BFloat16{bits} }

// Bits returns the bits of the number.
func (a BFloat16) Bits() uint16 { return a.bits }

// Float64 returns the same number.
func (a BFloat16) Float64() float64 { return brain.value(a.bits) }

// Add returns a + b.
func (a BFloat16) Add(b BFloat16) BFloat16 { return BFloat16Of(sum(a.Float64(), b.Float64())) }

// Sub returns a - b.
func (a BFloat16) Sub(b BFloat16) BFloat16 { return BFloat16Of(sum(a.Float64(), -b.Float64())) }

// Mul returns a*b.
func (a BFloat16) Mul(b BFloat16) BFloat16 { return BFloat16Of(a.Float64() * b.Float64()) }

// FMA returns a*b + c, rounded once.
func (a BFloat16) FMA(b, c BFloat16) BFloat16 {
	return BFloat16Of(sum(a.Float64()*b.Float64(), c.Float64()))
}

// Min returns the lesser one: the number beside a NaN, and -0 is below +0.
func (a BFloat16) Min(b BFloat16) BFloat16 { return BFloat16Of(least(a.Float64(), b.Float64())) }

// Max returns the greater one, see Min.
func (a BFloat16) Max(b BFloat16) BFloat16 { return BFloat16Of(greatest(a.Float64(), b.Float64())) }
