package intrinsics

import (
	"path"
	"reflect"
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
	loop bool // it is the body of a loop of Loop
}

// site returns the innermost call, as faults name it.
func (p *place) site() warp.Site {
	if len(p.calls) == 0 {
		return warp.Site{}
	}
	c := p.calls[len(p.calls)-1]
	return warp.Site{File: c.file, Line: c.line, Func: c.fn}
}

// before reports whether a's place comes before b's in source order: at the
// outermost call in which they differ, the one on the earlier line, and on one
// line the one that the compiler put first. Within one loop of Loop the thread
// with fewer turns comes first.
func (s *scheduler) before(a, b *Thread) bool {
	p, q := s.placeOf(a), s.placeOf(b)
	loop := 0
	for i := range min(len(p.calls), len(q.calls)) {
		x, y := &p.calls[i], &q.calls[i]
		if x.loop && y.loop {
			if a.turn(loop) != b.turn(loop) {
				return a.turn(loop) < b.turn(loop)
			}
			loop++
		}
		switch {
		case x.pc == y.pc && x.line == y.line:
		case x.file != y.file:
			return x.file < y.file
		case x.line != y.line:
			return x.line < y.line
		default:
			return x.pc < y.pc
		}
	}
	return len(p.calls) < len(q.calls)
}

// resolve makes a place of return addresses, innermost first. Calls inside this
// package and those below it are no part of it.
func resolve(pcs []uintptr) *place {
	p := new(place)
	frames := runtime.CallersFrames(pcs)
	own := ownFolder()
	for {
		f, more := frames.Next()
		if f.Function != "" && !ownFrame(own, f.Function, f.File) {
			p.calls = append(p.calls, call{file: f.File, line: f.Line, fn: f.Function, pc: f.PC})
		} else if n := len(p.calls); n > 0 && f.File == own+"/loop.go" {
			p.calls[n-1].loop = true
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

// ownFolder returns where the files of this package are, as the program counts
// them.
func ownFolder() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(file)
}

// enginePath is the import path of the engine, whose frames are on the stack
// when it asks where a kernel is.
var enginePath = reflect.TypeFor[warp.Warp]().PkgPath()

// ownFrame reports whether code belongs to this package, the engine or the Go
// runtime and not to a kernel. In this package the file decides, as closures
// that are inlined bear the name of their new place. Tests are kernels.
func ownFrame(own, fn, file string) bool {
	if strings.HasPrefix(fn, "runtime.") {
		return true
	}
	if strings.HasSuffix(file, "_test.go") {
		return false
	}
	if rest, ok := strings.CutPrefix(fn, enginePath); ok && (rest[0] == '.' || strings.HasPrefix(rest, "/internal/")) {
		return true
	}
	rest, ok := strings.CutPrefix(path.Dir(file), own)
	return ok && (rest == "" || rest == "/cg")
}
