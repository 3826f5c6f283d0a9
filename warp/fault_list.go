package warp

import (
	"runtime"

	"example.com/warpsim/lane"
)

// maxFaults bounds what one run keeps: faults of one kind at one site are one
// entry, so a correct program of any size stays far below.
const maxFaults = 1000

// A faultList is faults grouped by kind and source line.
type faultList struct {
	list []Fault
	at   map[faultKey]int
}

type faultKey struct {
	kind FaultKind
	site Site
}

// add books f, which has happened f.Count times. The first fault of a kind and
// line stands for those that follow. always says to keep it beyond maxFaults.
func (l *faultList) add(f Fault, always bool) {
	key := faultKey{f.Kind, f.Site}
	if i, ok := l.at[key]; ok {
		old := &l.list[i]
		old.Count += f.Count
		old.Lanes = old.Lanes.Or(f.Lanes)
		return
	}
	if len(l.list) >= maxFaults && !always {
		return
	}
	if l.at == nil {
		l.at = map[faultKey]int{}
	}
	l.at[key] = len(l.list)
	l.list = append(l.list, f)
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
	g.faults.add(f, fatal)
	return fatal
}

// repeated counts a warning that the group has noted at this line already, which
// is what a loop comes to, and reports whether it had. It neither allocates nor
// looks up names, as noting one does.
func (w *Warp) repeated(kind FaultKind, lanes lane.Mask) bool {
	g := w.group
	if w.locator != nil || len(g.faults.list) == 0 {
		return false
	}
	site := g.warmSite()
	i, noted := g.faults.at[faultKey{kind, site}]
	if !noted {
		return false
	}
	f := &g.faults.list[i]
	f.Count++
	f.Lanes = f.Lanes.Or(lanes)
	if kind == ReadInactive && w.firstInactive == (Site{}) {
		w.firstInactive = site
	}
	return true
}

// warmSite is callSite with a memory for program counters.
func (g *group) warmSite() Site {
	var pcs [16]uintptr
	for _, pc := range pcs[:runtime.Callers(3, pcs[:])] {
		site, known := g.siteOf[pc]
		if !known {
			if g.siteOf == nil {
				g.siteOf = map[uintptr]Site{}
			}
			fr, _ := runtime.CallersFrames([]uintptr{pc}).Next()
			if fr.Function != "" && !engineFrame(enginePath(), fr.Function, fr.File) {
				site = Site{fr.File, fr.Line, fr.Function}
			}
			g.siteOf[pc] = site
		}
		if site != (Site{}) {
			return site
		}
	}
	return callSite()
}
