package timing

// Repeated returns how many stretches a machine did not simulate, since it knew
// what happens in them.
func Repeated(m *Multiprocessor) int64 { return m.recall.repeated }
