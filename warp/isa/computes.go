package isa

// Computes reports whether the op only computes in registers: arithmetic,
// logic, conversions, moves. Memory, collectives, barriers, control and special
// registers do more.
func (o Op) Computes() bool { return o >= Nop && o <= Special }
