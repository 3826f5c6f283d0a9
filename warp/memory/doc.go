// Package memory is the global memory of a device, as the multiprocessors share
// it: a first level for each of them, the way to the second level, its parts and
// slices, a third level where there is one, the memory behind, and atomics. It moves no values; it says when
// accesses are complete.
//
// # Driving it
//
// Nothing that one multiprocessor does is felt by another, or comes back to
// itself, within [System.Window] cycles. So a host lets all multiprocessors run
// for that long, in any order or at the same time, and then calls [System.Exchange] once:
//
//	table, err := timing.Compile(&profile.Timing, profile.Lanes)
//	s, err := memory.New(profile, n)
//	for i := range n {
//		mp[i], err = timing.New(table, timing.Config{Memory: s.Front(i)})
//	}
//	for t := timing.Cycle(0); ; t += s.Window() {
//		for i := range n {
//			err = s.Front(i).Deliver(mp[i])
//			mp[i].Run(t + s.Window())
//			s.Front(i).Close(t + s.Window())
//		}
//		s.Exchange(t)
//	}
//
// Requests are served in the order of time, those of one cycle in the order of
// multiprocessors. The figures do not depend on anything else.
//
// # What was moved
//
// [System.Counts] has the sectors by kind and the time of what they passed, and
// [System.Uses] which part of a run each of these was busy.
//
// # Stability
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package memory
