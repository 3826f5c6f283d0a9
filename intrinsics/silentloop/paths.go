package silentloop

import (
	"go/ast"
	"go/token"
	"go/types"
)

// An outcome says how control can leave a statement without having passed a call
// that stops a lane. Labels are "" for the innermost statement.
type outcome struct {
	falls, returns    bool
	breaks, continues map[string]bool
}

func (o *outcome) add(kind *map[string]bool, label string) {
	if *kind == nil {
		*kind = map[string]bool{}
	}
	(*kind)[label] = true
}

// also adds the ways of another statement that may run instead.
func (o *outcome) also(b outcome) {
	o.falls = o.falls || b.falls
	o.leave(b)
}

// leave adds the ways that leave b other than by its end.
func (o *outcome) leave(b outcome) {
	o.returns = o.returns || b.returns
	for l := range b.breaks {
		o.add(&o.breaks, l)
	}
	for l := range b.continues {
		o.add(&o.continues, l)
	}
}

// A walk goes through statements in search of ways that pass no call. In loops
// inside the one that is looked at, calls do not count: their turns and those of
// the loop around them cannot be told apart.
type walk struct {
	*pkg
	counts bool
}

var falls = outcome{falls: true}

func (w *walk) block(list []ast.Stmt) outcome {
	out := falls
	for _, s := range list {
		o := w.stmt(s, "")
		out.falls = o.falls
		out.leave(o)
		if !out.falls {
			return out
		}
	}
	return out
}

// stmtAsks reports whether a simple statement always passes a call.
func (w *walk) stmtAsks(s ast.Stmt) bool { return s != nil && !w.stmt(s, "").falls }

func (w *walk) stmt(s ast.Stmt, label string) outcome {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.block(s.List)
	case *ast.LabeledStmt:
		return w.stmt(s.Stmt, s.Label.Name)
	case *ast.IfStmt:
		if s.Init != nil && w.stmtAsks(s.Init) || w.exprAsks(s.Cond) {
			return outcome{}
		}
		out := w.block(s.Body.List)
		if s.Else != nil {
			out.also(w.stmt(s.Else, ""))
		} else {
			out.falls = true
		}
		return out
	case *ast.SwitchStmt:
		if s.Init != nil && w.stmtAsks(s.Init) || w.exprAsks(s.Tag) {
			return outcome{}
		}
		return w.clauses(s.Body.List, label)
	case *ast.TypeSwitchStmt:
		if s.Init != nil && w.stmtAsks(s.Init) || w.stmtAsks(s.Assign) {
			return outcome{}
		}
		return w.clauses(s.Body.List, label)
	case *ast.SelectStmt:
		return w.clauses(s.Body.List, label)
	case *ast.ForStmt:
		if s.Init != nil && w.stmtAsks(s.Init) {
			return outcome{}
		}
		return w.inner(s.Body, label)
	case *ast.RangeStmt:
		if w.exprAsks(s.X) {
			return outcome{}
		}
		return w.inner(s.Body, label)
	case *ast.BranchStmt:
		return w.branch(s)
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			if w.exprAsks(e) {
				return outcome{}
			}
		}
		return outcome{returns: true}
	case *ast.ExprStmt:
		if w.exprAsks(s.X) || isPanic(w.TypesInfo, s.X) {
			return outcome{}
		}
	case *ast.AssignStmt:
		for _, e := range append(append([]ast.Expr(nil), s.Rhs...), s.Lhs...) {
			if w.exprAsks(e) {
				return outcome{}
			}
		}
	case *ast.DeclStmt:
		if w.exprAsksBelow(s) {
			return outcome{}
		}
	case *ast.IncDecStmt:
		if w.exprAsks(s.X) {
			return outcome{}
		}
	case *ast.SendStmt:
		if w.exprAsks(s.Chan) || w.exprAsks(s.Value) {
			return outcome{}
		}
	}
	return falls
}

// inner is the outcome of a loop inside the one that is looked at.
func (w *walk) inner(body *ast.BlockStmt, label string) outcome {
	o := (&walk{pkg: w.pkg}).block(body.List)
	out := falls
	out.returns = w.block(body.List).returns
	for l := range o.breaks {
		if l != "" && l != label {
			out.add(&out.breaks, l)
		}
	}
	for l := range o.continues {
		if l != "" && l != label {
			out.add(&out.continues, l)
		}
	}
	return out
}

// clauses is the outcome of the cases of a switch or select.
func (w *walk) clauses(list []ast.Stmt, label string) outcome {
	var out outcome
	hasDefault := false
	for _, c := range list {
		var body []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			body, hasDefault = c.Body, hasDefault || c.List == nil
		case *ast.CommClause:
			body, hasDefault = c.Body, hasDefault || c.Comm == nil
		}
		through := false
		if n := len(body); n > 0 {
			if b, ok := body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				body, through = body[:n-1], true
			}
		}
		o := w.block(body)
		if o.falls && through {
			o.falls = false // what follows is the next clause, which counts by itself
		}
		out.also(o)
	}
	if !hasDefault {
		out.falls = true
	}
	for _, l := range []string{"", label} {
		if out.breaks[l] {
			delete(out.breaks, l)
			out.falls = true
		}
	}
	return out
}

func (w *walk) branch(s *ast.BranchStmt) outcome {
	label := ""
	if s.Label != nil {
		label = s.Label.Name
	}
	var out outcome
	switch s.Tok {
	case token.BREAK:
		out.add(&out.breaks, label)
	case token.CONTINUE:
		out.add(&out.continues, label)
	case token.GOTO:
		// Forward it leaves what it stands in, as a break does; backward it is
		// a loop of its own, which the scheduler knows nothing of.
		if obj, ok := w.TypesInfo.Uses[s.Label].(*types.Label); ok && obj.Pos() < s.Pos() {
			out.falls = true
		}
	}
	return out
}

// exprAsks reports whether the evaluation of an expression always stops a lane.
func (w *walk) exprAsks(e ast.Expr) bool {
	if e == nil || !w.counts {
		return false
	}
	return w.exprAsksBelow(e)
}

func (w *walk) exprAsksBelow(n ast.Node) bool {
	if !w.counts {
		return false
	}
	asks := false
	ast.Inspect(n, func(n ast.Node) bool {
		if asks {
			return false
		}
		switch e := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if e.Op == token.LAND || e.Op == token.LOR { // the right side may not run
				asks = w.exprAsks(e.X)
				return false
			}
		case *ast.CallExpr:
			if w.callAsks(e) {
				asks = true
				return false
			}
		}
		return true
	})
	return asks
}

func isPanic(info *types.Info, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := info.Uses[id].(*types.Builtin)
	return ok && b.Name() == "panic"
}
