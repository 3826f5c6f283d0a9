package half

// A Float16x2 is two of Float16 in one register of 32 bits; operations do each with
// that of the other operand in the same place.
type Float16x2 struct{ Low, High Float16 }

// Add returns a + b.
func (a Float16x2) Add(b Float16x2) Float16x2 { return Float16x2{a.Low.Add(b.Low), a.High.Add(b.High)} }

// Sub returns a - b.
func (a Float16x2) Sub(b Float16x2) Float16x2 { return Float16x2{a.Low.Sub(b.Low), a.High.Sub(b.High)} }

// Mul returns a*b.
func (a Float16x2) Mul(b Float16x2) Float16x2 { return Float16x2{a.Low.Mul(b.Low), a.High.Mul(b.High)} }

// FMA returns a*b + c, rounded once.
func (a Float16x2) FMA(b, c Float16x2) Float16x2 {
	return Float16x2{a.Low.FMA(b.Low, c.Low), a.High.FMA(b.High, c.High)}
}

// Min returns the lesser of each, see Float16.Min.
func (a Float16x2) Min(b Float16x2) Float16x2 { return Float16x2{a.Low.Min(b.Low), a.High.Min(b.High)} }

// Max returns the greater of each.
func (a Float16x2) Max(b Float16x2) Float16x2 { return Float16x2{a.Low.Max(b.Low), a.High.Max(b.High)} }

// A BFloat16x2 is two of BFloat16 in one register of 32 bits; operations do each with
// that of the other operand in the same place.
type BFloat16x2 struct{ Low, High BFloat16 }

// Add returns a + b.
func (a BFloat16x2) Add(b BFloat16x2) BFloat16x2 {
	return BFloat16x2{a.Low.Add(b.Low), a.High.Add(b.High)}
}

// Sub returns a - b.
func (a BFloat16x2) Sub(b BFloat16x2) BFloat16x2 {
	return BFloat16x2{a.Low.Sub(b.Low), a.High.Sub(b.High)}
}

// Mul returns a*b.
func (a BFloat16x2) Mul(b BFloat16x2) BFloat16x2 {
	return BFloat16x2{a.Low.Mul(b.Low), a.High.Mul(b.High)}
}

// FMA returns a*b + c, rounded once.
func (a BFloat16x2) FMA(b, c BFloat16x2) BFloat16x2 {
	return BFloat16x2{a.Low.FMA(b.Low, c.Low), a.High.FMA(b.High, c.High)}
}

// Min returns the lesser of each, see BFloat16.Min.
func (a BFloat16x2) Min(b BFloat16x2) BFloat16x2 {
	return BFloat16x2{a.Low.Min(b.Low), a.High.Min(b.High)}
}

// Max returns the greater of each.
func (a BFloat16x2) Max(b BFloat16x2) BFloat16x2 {
	return BFloat16x2{a.Low.Max(b.Low), a.High.Max(b.High)}
}
