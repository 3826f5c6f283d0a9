package device

import "fmt"

// A Dim is a size or a position in up to three dimensions. In a size, Y and Z of
// zero count as one.
type Dim struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// Count returns the number of elements, 0 if X is not positive.
func (d Dim) Count() int {
	if d.X <= 0 || d.Y < 0 || d.Z < 0 {
		return 0
	}
	return d.X * max(d.Y, 1) * max(d.Z, 1)
}

// String returns the size as people write it: 4x2x1 as "4x2".
func (d Dim) String() string {
	switch {
	case d.Z > 1:
		return fmt.Sprintf("%dx%dx%d", d.X, max(d.Y, 1), d.Z)
	case d.Y > 1:
		return fmt.Sprintf("%dx%d", d.X, d.Y)
	}
	return fmt.Sprint(d.X)
}
