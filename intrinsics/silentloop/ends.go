package silentloop

import (
	"go/ast"
	"go/token"
	"go/types"
)

// checkEnd reports a loop without a condition at whose end something is run before a
// way out of it, if nothing tells that from what comes behind the loop.
func (p *pkg) checkEnd(v *lanes, typ *ast.FuncType, loop *ast.ForStmt, label string, followed bool) {
	list := loop.Body.List
	if loop.Cond != nil || len(list) == 0 || !v.branches(loop) || !p.wayOut(list[len(list)-1], label) {
		return
	}
	if followed && breaks(list[:len(list)-1], label) {
		return // that way out leads to a later line
	}
	p.report(typ, loop, label, "lanes gather in what is run before the way out at the end of this loop, as if it stood behind the loop; let it run over Thread.Loop")
}

// wayOut reports whether the last thing in a statement at the end of a loop may be a call
// of the thread and a way out of the loop after it.
func (p *pkg) wayOut(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return p.wayOut(s.Stmt, label)
	case *ast.IfStmt:
		if s.Else != nil {
			return p.wayOut(s.Else, label)
		}
		return p.wayOut(s.Body, label)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		clauses := statements(switchBody(s))
		return len(clauses) > 0 && p.armOut(statements(clauses[len(clauses)-1]), label, true)
	case *ast.BlockStmt:
		return p.armOut(s.List, label, false)
	}
	return false
}

// armOut is wayOut for the statements of a branch, inSwitch: one that a plain break leaves.
func (p *pkg) armOut(list []ast.Stmt, label string, inSwitch bool) bool {
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	switch s := last.(type) {
	case *ast.ReturnStmt:
		return p.anyAsk(&ast.BlockStmt{List: list})
	case *ast.BranchStmt:
		switch {
		case s.Tok == token.FALLTHROUGH || s.Tok == token.BREAK && s.Label == nil && inSwitch:
			return false
		case s.Tok == token.CONTINUE && (s.Label == nil || s.Label.Name == label):
			return false
		case s.Tok == token.GOTO:
			if obj, ok := p.TypesInfo.Uses[s.Label].(*types.Label); ok && obj.Pos() < s.Pos() {
				return false
			}
		}
		return p.anyAsk(&ast.BlockStmt{List: list})
	}
	return p.wayOut(last, label)
}

// breaks reports whether some of the statements leaves the loop that they stand in.
func breaks(list []ast.Stmt, label string) bool {
	found := false
	var look func(n ast.Node, plain bool)
	look = func(n ast.Node, plain bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch s := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n {
					look(m, false)
					return false
				}
			case *ast.BranchStmt:
				found = found || s.Tok == token.BREAK && (s.Label == nil && plain || s.Label != nil && s.Label.Name == label)
			}
			return true
		})
	}
	for _, s := range list {
		switch s.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			look(s, false)
		default:
			look(s, true)
		}
	}
	return found
}

// switchBody returns the clauses of a statement that has some.
func switchBody(s ast.Stmt) *ast.BlockStmt {
	switch s := s.(type) {
	case *ast.SwitchStmt:
		return s.Body
	case *ast.TypeSwitchStmt:
		return s.Body
	case *ast.SelectStmt:
		return s.Body
	}
	return nil
}

// statements returns the statements of a block or a clause.
func statements(n ast.Node) []ast.Stmt {
	switch s := n.(type) {
	case *ast.BlockStmt:
		return s.List
	case *ast.CaseClause:
		return s.Body
	case *ast.CommClause:
		return s.Body
	}
	return nil
}
