package warp

import (
	"fmt"

	"example.com/warpsim/lane"
)

// maxFaults bounds what one run keeps: faults of one kind at one site are one
// entry a member mask, so a correct program of any size stays far below. With
// more than maxMasks masks at a site, those that follow are counted with the last.
const (
	maxFaults = 1000
	maxMasks  = 64
)

// A faultList is faults grouped by kind, severity, source line and member mask.
type faultList struct {
	list []Fault
	next []int // by entry: the next of the same key, with another mask; 0: none
	at   map[faultKey]int
}

type faultKey struct {
	kind     FaultKind
	severity Severity
	site     Site
}

// find returns the entry that faults of a key and a mask are booked with, and the
// last of the key if there is none, -1 if that neither.
func (l *faultList) find(key faultKey, mask lane.Mask) (i int, found bool) {
	i, known := l.at[key]
	if !known {
		return -1, false
	}
	for n := 1; l.list[i].Mask != mask; n++ {
		if n == maxMasks {
			return i, true
		}
		if l.next[i] == 0 {
			return i, false
		}
		i = l.next[i]
	}
	return i, true
}

// again books that f has happened another n times. The lanes of other warps and
// masks are not those of the entry.
func (f *Fault) again(n, block, warp int, lanes, missing, mask lane.Mask) {
	f.Count += n
	if f.Block == block && f.Warp == warp && f.Mask == mask {
		f.Lanes = f.Lanes.Or(lanes)
		f.Missing = f.Missing.Or(missing)
	}
}

// add books f, which has happened f.Count times. The first fault of a kind, line
// and mask stands for those that follow; it is returned, nil for those. always says to
// keep it beyond maxFaults.
func (l *faultList) add(f Fault, always bool) (added *Fault) {
	key := faultKey{f.Kind, f.Severity, f.Site}
	i, found := l.find(key, f.Mask)
	if found {
		l.list[i].again(f.Count, f.Block, f.Warp, f.Lanes, f.Missing, f.Mask)
		return nil
	}
	if len(l.list) >= maxFaults && !always {
		return nil
	}
	if l.at == nil {
		l.at = map[faultKey]int{}
	}
	if i < 0 {
		l.at[key] = len(l.list)
	} else {
		l.next[i] = len(l.list)
	}
	l.list = append(l.list, f)
	l.next = append(l.next, 0)
	return &l.list[len(l.list)-1]
}

// merge adds the faults of o.
func (l *faultList) merge(o *faultList) {
	for _, f := range o.list {
		l.add(f, f.Kind.final())
	}
}

// note books a fault of the group and reports whether the run must end.
func (g *group) note(f Fault) (fatal bool) {
	fatal = f.Severity == SeverityError && (g.run.engine.config.Faults == Strict || f.Kind.final())
	f.Count = 1
	added := g.faults.add(f, fatal)
	if o := g.run.engine.config.Observer; added != nil && o != nil && o.Fault != nil {
		return !g.told(o.Fault, added) || fatal
	}
	return fatal
}

// told tells an observer of a fault, and reports whether that has returned: if not, it
// is what the run ends with.
func (g *group) told(observe func(*Fault), f *Fault) (returned bool) {
	defer func() {
		if !returned {
			p := recover()
			if p == nil {
				p = "runtime.Goexit was called"
			}
			g.err = &ConfigError{"Config.Observer.Fault", "a function that does not return", fmt.Sprint(p)}
		}
	}()
	observe(f)
	return true
}

// repeated counts a fault that the group has noted at this line and with this mask
// already, which is what a loop comes to, and reports whether it had, or none is to
// be noted. It neither allocates nor looks up names, as noting one does.
func (w *Warp) repeated(kind FaultKind, lanes, missing, mask lane.Mask) bool {
	return w.repeatedAs(SeverityNone, kind, lanes, missing, mask)
}

// repeatedAs is repeated for a fault of another severity than that of its kind.

func (w *Warp) repeatedAs(severity Severity, kind FaultKind, lanes, missing, mask lane.Mask) bool {
	g := w.group
	if severity == SeverityNone {
		severity = faultKinds[kind].severity
	}
	if w.run.engine.config.Faults == Off && !kind.final() {
		return true // nobody notes it
	}
	if len(g.faults.list) == 0 {
		return false
	}
	var site Site
	if w.locator != nil {
		site = w.locator()
	} else {
		site = g.warmSite()
	}
	i, noted := g.faults.find(faultKey{kind, severity, site}, mask)
	if !noted {
		return false
	}
	g.faults.list[i].again(1, w.block.index, w.id, lanes, missing, mask)
	if kind == ReadInactive && w.firstInactive == (Site{}) {
		w.firstInactive = site
	}
	return true
}
