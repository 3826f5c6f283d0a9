package isa

// Computes reports whether the op only computes in registers: arithmetic,
// logic, conversions, moves, and the host's own. Memory, collectives, barriers, control and
// special registers do more.
func (o Op) Computes() bool { return o >= Nop && o <= Special || o >= User0 && o < NumOps }
