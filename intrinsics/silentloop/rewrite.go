package silentloop

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// rewrite returns the edits that let a loop run over the Loop of the thread named
// t, and whether there are such. A loop that declares variables by turn keeps
// them: a clause before the loop would outlive it, so that a loop with one gets
// a block of its own.
func (p *pkg) rewrite(loop ast.Stmt, label, t string) ([]analysis.TextEdit, bool) {
	switch s := loop.(type) {
	case *ast.ForStmt:
		return p.rewriteFor(s, label, t)
	case *ast.RangeStmt:
		return p.rewriteRange(s, t)
	}
	return nil, false
}

func (p *pkg) rewriteFor(s *ast.ForStmt, label, t string) ([]analysis.TextEdit, bool) {
	stop := ""
	if s.Cond != nil {
		stop = fmt.Sprintf("if !(%s) {\nbreak\n}\n", p.text(s.Cond))
	}
	head := func(text string) analysis.TextEdit {
		return analysis.TextEdit{Pos: s.For, End: s.Body.Lbrace + 1, NewText: []byte(text)}
	}
	if s.Init == nil && s.Post == nil {
		return []analysis.TextEdit{head(fmt.Sprintf("for range %s.Loop() {\n%s", t, stop))}, true
	}
	if i := p.counter(s); i != "" {
		return []analysis.TextEdit{head(fmt.Sprintf("for %s := range %s.Loop() {\n%s", i, t, stop))}, true
	}
	if label != "" || p.captured(s) {
		return nil, false // the block would part it from its label, or the turns share a variable
	}
	init, post, turn := "", "", ""
	if s.Init != nil {
		init = p.text(s.Init) + "\n"
	}
	if s.Post != nil {
		turn = "turn := "
		post = fmt.Sprintf("if turn > 0 {\n%s\n}\n", p.text(s.Post))
	}
	return []analysis.TextEdit{
		head(fmt.Sprintf("{\n%sfor %srange %s.Loop() {\n%s%s", init, turn, t, post, stop)),
		{Pos: s.Body.Rbrace + 1, End: s.Body.Rbrace + 1, NewText: []byte("\n}")},
	}, true
}

// counter returns the name of the variable of a loop that counts from 0 by one
// and is not set in the body.
func (p *pkg) counter(s *ast.ForStmt) string {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return ""
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	if zero, isLit := init.Rhs[0].(*ast.BasicLit); !ok || !isLit || zero.Value != "0" {
		return ""
	}
	post, ok := s.Post.(*ast.IncDecStmt)
	if !ok || post.Tok != token.INC || p.text(post.X) != id.Name {
		return ""
	}
	if p.isSet(p.TypesInfo.Defs[id], s.Body) {
		return ""
	}
	return id.Name
}

// isSet reports whether a variable may be set in a body.
func (p *pkg) isSet(obj types.Object, body *ast.BlockStmt) bool {
	set := false
	is := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.Ident)
		return ok && p.TypesInfo.ObjectOf(x) == obj
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				set = set || is(l)
			}
		case *ast.IncDecStmt:
			set = set || is(x.X)
		case *ast.UnaryExpr:
			set = set || x.Op == token.AND && is(x.X)
		}
		return !set
	})
	return set
}

// captured reports whether a function literal in a loop uses a variable that the
// loop declares: it has another one in each turn.
func (p *pkg) captured(s *ast.ForStmt) bool {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return false
	}
	own := map[types.Object]bool{}
	for _, l := range init.Lhs {
		if id, ok := l.(*ast.Ident); ok {
			own[p.TypesInfo.Defs[id]] = true
		}
	}
	found := false
	ast.Inspect(s.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			ast.Inspect(lit, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && own[p.TypesInfo.Uses[id]] {
					found = true
				}
				return true
			})
		}
		return true
	})
	return found
}

// rewriteRange handles loops over integers, arrays and slices that have a name
// and are not set in the loop: they are then looked at in each turn.
func (p *pkg) rewriteRange(s *ast.RangeStmt, t string) ([]analysis.TextEdit, bool) {
	if s.Key != nil && s.Tok != token.DEFINE {
		return nil, false
	}
	if id, ok := s.X.(*ast.Ident); ok && p.isSet(p.TypesInfo.ObjectOf(id), s.Body) {
		return nil, false
	}
	key := "turn"
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
		key = id.Name
	}
	var limit, value string
	switch x := p.TypesInfo.TypeOf(s.X).Underlying().(type) {
	case *types.Basic:
		if x.Info()&types.IsInteger == 0 || !simple(s.X) {
			return nil, false
		}
		if k := x.Kind(); k != types.Int && k != types.UntypedInt {
			return nil, false // the variable has the type of the limit
		}
		limit = p.text(s.X)
	case *types.Slice, *types.Array:
		if !simple(s.X) {
			return nil, false
		}
		limit = "len(" + p.text(s.X) + ")"
		if id, ok := s.Value.(*ast.Ident); ok && id.Name != "_" {
			value = fmt.Sprintf("%s := %s[%s]\n", id.Name, p.text(s.X), key)
		}
	default:
		return nil, false
	}
	text := fmt.Sprintf("for %s := range %s.Loop() {\nif %s >= %s {\nbreak\n}\n%s", key, t, key, limit, value)
	return []analysis.TextEdit{{Pos: s.For, End: s.Body.Lbrace + 1, NewText: []byte(text)}}, true
}

// simple reports whether an expression is a name or a number.
func simple(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	}
	return false
}

// text returns the source of a node.
func (p *pkg) text(n ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, p.Fset, n); err != nil {
		return ""
	}
	return b.String()
}
