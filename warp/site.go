package warp

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"example.com/warpsim/warp/internal/stack"
	"example.com/warpsim/warp/timing"
)

// A Site is a place in the source of a kernel. The zero Site is unknown.
type Site struct {
	File string // full path
	Line int
	Func string
}

// String returns file:line without the folders, "unknown" for the zero Site.
func (s Site) String() string {
	if s.File == "" {
		return "unknown"
	}
	return fmt.Sprintf("%s:%d", s.File[strings.LastIndexByte(s.File, '/')+1:], s.Line)
}

// compare orders sites by file, line and function.
func (s Site) compare(o Site) int {
	return cmp.Or(cmp.Compare(s.File, o.File), s.Line-o.Line, cmp.Compare(s.Func, o.Func))
}

// callSite returns where the kernel is.
func (w *Warp) callSite() Site {
	if w.locator != nil {
		return w.locator()
	}
	return callSite()
}

// callSite returns the innermost frame outside the engine's own packages.
func callSite() Site {
	var pcs [48]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	engine := enginePath()
	for {
		fr, more := frames.Next()
		if fr.Function != "" && !engineFrame(engine, fr.Function, fr.File) {
			return Site{fr.File, fr.Line, fr.Function}
		}
		if !more {
			return Site{}
		}
	}
}

// sitesKnown is what a group remembers of program counters. Resolving one takes
// microseconds, finding those on the stack some nanoseconds each.
type sitesKnown struct {
	of     map[uintptr]Site // the zero Site for what belongs to the engine
	number map[Site]uint32  // in the present run
	recent [128]struct {    // by a hash of the program counter
		pc uintptr
		id uint32 // in the present run, 0 for what belongs to the engine
	}
}

// forget makes it fit for another run. What program counters stand for stays.
func (k *sitesKnown) forget() {
	if k.number != nil {
		clear(k.number)
		clear(k.recent[:])
	}
}

// at returns the innermost place outside the engine that a program counter, a
// return address, stands for.
func (k *sitesKnown) at(pc uintptr) Site {
	site, known := k.of[pc]
	if known {
		return site
	}
	// Calls that were inlined are found between two addresses only.
	frames := runtime.CallersFrames([]uintptr{pc, 0})
	engine := enginePath()
	for more := true; more && site == (Site{}); {
		var fr runtime.Frame
		if fr, more = frames.Next(); fr.Function != "" && !engineFrame(engine, fr.Function, fr.File) {
			site = Site{fr.File, fr.Line, fr.Function}
		}
	}
	if k.of == nil {
		k.of = map[uintptr]Site{}
	}
	k.of[pc] = site
	return site
}

// warmSite is callSite for what asks often.
func (w *Warp) warmSite() Site {
	if w.locator != nil {
		return w.locator()
	}
	return w.group.warmSite()
}

// warmSite is callSite with a memory for program counters.
func (g *group) warmSite() Site {
	var pcs [stack.Depth]uintptr
	for _, pc := range pcs[:stack.Callers(&pcs)] {
		if site := g.places.at(pc); site != (Site{}) {
			return site
		}
	}
	return callSite()
}

// siteNumber returns the number of the source line of the kernel that is
// executing, 0 if none is known.
func (w *Warp) siteNumber() uint32 {
	g := w.group
	if w.locator != nil {
		return g.numberOf(w.locator())
	}
	var pcs [stack.Depth]uintptr
	for _, pc := range pcs[:stack.Callers(&pcs)] {
		k := &g.places.recent[uint64(pc)*0x9E3779B97F4A7C15>>(64-7)]
		if k.pc != pc {
			k.pc, k.id = pc, g.numberOf(g.places.at(pc))
		}
		if k.id != 0 {
			return k.id
		}
	}
	return 0
}

// numberOf returns the number of a place in the run.
func (g *group) numberOf(s Site) uint32 {
	id, known := g.places.number[s]
	if !known {
		id = g.run.numberOf(s)
		if g.places.number == nil {
			g.places.number = map[Site]uint32{}
		}
		g.places.number[s] = id
	}
	return id
}

// numberOf returns the number of a place, and gives it one if it has none. The
// unknown place is number 0.
func (r *run) numberOf(s Site) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.sites, s)
	if i < 0 {
		i = len(r.sites)
		r.sites = append(r.sites, s)
	}
	return uint32(i)
}

// orderSites numbers the sites by place: the order in which blocks on several
// processors came to them is nobody's business.
func (r *run) orderSites() {
	order := make([]int, len(r.sites)) // old numbers by new number
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order[1:], func(a, b int) int { return r.sites[a].compare(r.sites[b]) })
	if r.err != nil { // blocks that have not counted have been there, too
		t := r.totals.bySite
		order = slices.DeleteFunc(order, func(old int) bool { return old > 0 && (old >= len(t) || t[old].Count == 0) })
	}
	sites := make([]Site, len(order))
	bySite := make([]timing.SiteTotals, len(order))
	for i, old := range order {
		sites[i] = r.sites[old]
		if old < len(r.totals.bySite) {
			bySite[i] = r.totals.bySite[old]
		}
	}
	r.sites, r.totals.bySite = sites, bySite
}

// enginePath returns the import path of this package, read off a function's
// name so that it need not be written down.
func enginePath() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndexByte(name, '/')
	return name[:slash+1+strings.IndexByte(name[slash+1:], '.')]
}

// engineFrame reports whether a function belongs to the engine or to the Go
// runtime and not to a kernel. Tests of the engine are kernels.
func engineFrame(engine, fn, file string) bool {
	if strings.HasPrefix(fn, "runtime.") || file == "<autogenerated>" {
		return true
	}
	root := engine[:strings.LastIndexByte(engine, '/')]
	if !strings.HasPrefix(fn, root) || strings.HasSuffix(file, "_test.go") {
		return false
	}
	if rest, ok := strings.CutPrefix(fn, engine); ok {
		return rest == "" || rest[0] == '.' || strings.HasPrefix(rest, "/internal/")
	}
	// What the engine calls may call it back: the loop over the lanes of a mask.
	switch pkg, _, _ := strings.Cut(fn[len(root):], "."); pkg {
	case "/lane", "/crossbar", "/vote":
		return true
	}
	return false
}
