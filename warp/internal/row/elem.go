package row

// An Elem is the type of the lanes of a row, for functions that are given rows
// without their type.
type Elem uint8

// The elements, in the order of the engine's kinds of registers.
const (
	Int8 Elem = iota
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
)

// A VectorOp is one of the operations that VectorBinary knows, with the element.
// 0 is none.
type VectorOp uint8
