package intrinsics

import (
	"runtime"
	"strings"

	"example.com/warpsim/warp"
)

// maxDepth is how many calls deep a place is told apart from another.
const maxDepth = 32

// A place is where in a kernel a lane asks for something: the call in the
// kernel's own function, the call in the function that this one calls, and so
// on to the call of the intrinsic.
type place struct {
	calls []call // outermost first
}

// A call is one level of a place.
type call struct {
	file string
	line int
	fn   string
	pc   uintptr
}

// site returns the innermost call, as faults name it.
func (p *place) site() warp.Site {
	if len(p.calls) == 0 {
		return warp.Site{}
	}
	c := p.calls[len(p.calls)-1]
	return warp.Site{File: c.file, Line: c.line, Func: c.fn}
}

// before reports whether p comes before q in source order: at the outermost
// call in which they differ, the one on the earlier line, and on one line the
// one that the compiler put first.
func (p *place) before(q *place) bool {
	for i := range min(len(p.calls), len(q.calls)) {
		a, b := &p.calls[i], &q.calls[i]
		switch {
		case a.pc == b.pc && a.line == b.line:
		case a.file != b.file:
			return a.file < b.file
		case a.line != b.line:
			return a.line < b.line
		default:
			return a.pc < b.pc
		}
	}
	return len(p.calls) < len(q.calls)
}

// resolve makes a place of return addresses, innermost first. Calls inside this
// package and those below it are no part of it.
func resolve(pcs []uintptr) *place {
	p := new(place)
	frames := runtime.CallersFrames(pcs)
	own := packagePath()
	for {
		f, more := frames.Next()
		if f.Function != "" && !ownFrame(own, f.Function, f.File) {
			p.calls = append(p.calls, call{f.File, f.Line, f.Function, f.PC})
		}
		if !more {
			break
		}
	}
	for i, j := 0, len(p.calls)-1; i < j; i, j = i+1, j-1 {
		p.calls[i], p.calls[j] = p.calls[j], p.calls[i]
	}
	return p
}

// packagePath returns the import path of this package, read off a function's
// name so that it need not be written down.
func packagePath() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndexByte(name, '/')
	return name[:slash+1+strings.IndexByte(name[slash+1:], '.')]
}

// ownFrame reports whether a function belongs to this package or the Go runtime
// and not to a kernel. Tests of this package are kernels.
func ownFrame(own, fn, file string) bool {
	if strings.HasPrefix(fn, "runtime.") {
		return true
	}
	if !strings.HasPrefix(fn, own) || strings.HasSuffix(file, "_test.go") {
		return false
	}
	rest := fn[len(own):]
	return rest == "" || rest[0] == '.' || strings.HasPrefix(rest, "/cg.")
}
