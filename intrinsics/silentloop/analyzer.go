package silentloop

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports loops of kernels with turns that the scheduler may not see.
var Analyzer = &analysis.Analyzer{
	Name:      "silentloop",
	Doc:       "find loops of warpsim kernels with turns that pass no call of the thread\n\nLanes that part in such a loop do not meet turn by turn, unless it runs over Thread.Loop.",
	URL:       "https://pkg.go.dev/example.com/warpsim/intrinsics/silentloop",
	Run:       run,
	FactTypes: []analysis.Fact{(*asksFact)(nil)},
}

// An asksFact marks a function that calls a function of the thread on every way
// through it.
type asksFact struct{}

func (*asksFact) AFact()         {}
func (*asksFact) String() string { return "always asks" }

// A pkg is what is known of the package under analysis.
type pkg struct {
	*analysis.Pass
	bodies map[types.Object]*ast.FuncDecl
	lits   map[types.Object]*ast.FuncLit // of variables that are set once
	asks   map[types.Object]bool         // functions looked at so far
}

func run(pass *analysis.Pass) (any, error) {
	p := &pkg{Pass: pass, bodies: map[types.Object]*ast.FuncDecl{}, lits: map[types.Object]*ast.FuncLit{}, asks: map[types.Object]bool{}}
	if !p.usesThreads() {
		return nil, nil
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				p.bodies[pass.TypesInfo.Defs[fn.Name]] = fn
			}
		}
		p.findLiterals(f)
	}
	for obj := range p.bodies {
		if p.alwaysAsks(obj) {
			pass.ExportObjectFact(obj, &asksFact{})
		}
	}
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			p.kernels(d)
		}
	}
	return nil, nil
}

// usesThreads reports whether the package can hold kernels at all.
func (p *pkg) usesThreads() bool {
	for _, i := range p.Pkg.Imports() {
		if isIntrinsics(i) {
			return true
		}
	}
	return false
}

// kernels looks at the outermost functions below n that have a thread.
func (p *pkg) kernels(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch f := n.(type) {
		case *ast.FuncDecl:
			if f.Body != nil && p.hasThread(f.Type) {
				p.check(f.Type, f.Body)
				return false
			}
		case *ast.FuncLit:
			if p.hasThread(f.Type) {
				p.check(f.Type, f.Body)
				return false
			}
		}
		return true
	})
}

// check reports the loops of a function with a thread.
func (p *pkg) check(typ *ast.FuncType, body *ast.BlockStmt) {
	v := p.varying(typ, body)
	labels := map[ast.Stmt]string{}
	followed := map[ast.Stmt]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		for i, s := range statements(n) {
			if l, ok := s.(*ast.LabeledStmt); ok {
				s = l.Stmt
			}
			followed[s] = i+1 < len(statements(n))
		}
		switch s := n.(type) {
		case *ast.LabeledStmt:
			labels[s.Stmt] = s.Label.Name
		case *ast.ForStmt:
			if !p.checkLoop(v, typ, s, labels[s]) {
				p.checkEnd(v, typ, s, labels[s], followed[s])
			}
		case *ast.RangeStmt:
			if !p.overLoop(s) {
				p.checkLoop(v, typ, s, labels[s])
			}
		}
		return true
	})
}

// checkLoop reports a loop if it has silent turns, and whether it has.
func (p *pkg) checkLoop(v *lanes, typ *ast.FuncType, loop ast.Stmt, label string) bool {
	body := loopBody(loop)
	if !p.anyAsk(body) || !v.branches(loop) {
		return false
	}
	w := walk{pkg: p, counts: true}
	if f, ok := loop.(*ast.ForStmt); ok && (w.exprAsks(f.Cond) || w.stmtAsks(f.Post)) {
		return false // each turn passes a call at its begin or end
	}
	out := w.block(body.List)
	if !out.falls && !out.continues[""] && !(label != "" && out.continues[label]) {
		return false
	}
	p.report(typ, loop, label, "a turn of this loop may pass no call of the thread where lanes differ: lanes do not meet turn by turn; let it run over Thread.Loop")
	return true
}

// report reports a loop, with what it is over Thread.Loop.
func (p *pkg) report(typ *ast.FuncType, loop ast.Stmt, label, message string) {
	d := analysis.Diagnostic{Pos: loop.Pos(), End: loopBody(loop).Lbrace, Message: message}
	if t := p.threadName(typ); t != "" {
		if edits, ok := p.rewrite(loop, label, t); ok {
			d.SuggestedFixes = []analysis.SuggestedFix{{Message: fmt.Sprintf("range over %s.Loop()", t), TextEdits: edits}}
		}
	}
	p.Report(d)
}

func loopBody(loop ast.Stmt) *ast.BlockStmt {
	switch s := loop.(type) {
	case *ast.ForStmt:
		return s.Body
	case *ast.RangeStmt:
		return s.Body
	}
	return nil
}

// isIntrinsics reports whether a package is intrinsics or one below it.
func isIntrinsics(p *types.Package) bool {
	return p != nil && (p.Path() == intrinsicsPath || strings.HasPrefix(p.Path(), intrinsicsPath+"/"))
}

const intrinsicsPath = "example.com/warpsim/intrinsics"
