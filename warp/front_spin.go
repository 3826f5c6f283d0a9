package warp

// A front whose threads spin on memory finds out with this file whether they can
// ever go on: no other warp of their group can, and nothing has changed.

// Changed notes that the warp has changed memory, or that something else has
// happened that others may wait for.
func (f Front) Changed() { f.w.group.changes++ }

// Changes counts what Changed noted in the warps that share a multiprocessor.
func (f Front) Changes() int64 { return f.w.group.changes }

// Spins notes that the warp only repeats itself until something changes, and
// reports whether all other warps that share the multiprocessor do so as well,
// wait, or are done: then nothing will.
func (f Front) Spins() bool {
	g := f.w.group
	f.w.spins = g.changes + 1
	for _, o := range g.warps[:g.used*g.run.warps] {
		if o != f.w && o.state != stateDone && o.state != stateAtBarrier && o.spins != g.changes+1 {
			return false
		}
	}
	return true
}
