package silentloop

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// A lanes says which variables of a function may differ from lane to lane.
type lanes struct {
	*pkg
	vary map[types.Object]bool
	more bool // something was added in this pass
}

// alike are the functions of intrinsics whose result is the same for all lanes
// that meet in them.
var alike = map[string]bool{
	"WarpSize": true, "BlockDim": true, "GridDim": true, "BlockIdx": true, "WarpID": true, "AllLanes": true,
	"HasReduce": true, "Lockstep": true, "Len": true, "Shared": true, "Dynamic": true, "Loop": true,
	"All": true, "AllSync": true, "Any": true, "AnySync": true, "UniSync": true, "Ballot": true, "BallotSync": true,
	"SyncThreadsAnd": true, "SyncThreadsOr": true, "SyncThreadsCount": true,
	"ReduceAddSync": true, "ReduceMinSync": true, "ReduceMaxSync": true, "ReduceAndSync": true, "ReduceOrSync": true, "ReduceXorSync": true,
	"ThisThreadBlock": true, "Dim": true, "GroupIndex": true, "Size": true,
}

// varying finds the variables of a function with a thread that may differ. What
// a kernel captures is its argument and the same for all.
func (p *pkg) varying(typ *ast.FuncType, body *ast.BlockStmt) *lanes {
	v := &lanes{pkg: p, vary: map[types.Object]bool{}}
	others := false
	for _, f := range typ.Params.List {
		if !isThread(p.TypesInfo.TypeOf(f.Type)) {
			others = true
		}
	}
	if others { // a function that kernels call
		for _, f := range typ.Params.List {
			for _, name := range f.Names {
				if !isThread(p.TypesInfo.TypeOf(f.Type)) {
					v.vary[p.TypesInfo.Defs[name]] = true
				}
			}
		}
	}
	for v.more = true; v.more; {
		v.more = false
		v.stmt(body, false)
	}
	return v
}

// mark notes that the variable that e is, or is a part of, differs.
func (v *lanes) mark(e ast.Expr) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			if obj := v.TypesInfo.ObjectOf(x); obj != nil && x.Name != "_" && !v.vary[obj] {
				v.vary[obj], v.more = true, true
			}
			return
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return
		}
	}
}

// expr reports whether the value of an expression may differ.
func (v *lanes) expr(n ast.Node) bool {
	differs := false
	ast.Inspect(n, func(n ast.Node) bool {
		if differs {
			return false
		}
		switch e := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			differs = v.vary[v.TypesInfo.ObjectOf(e)]
		case *ast.CallExpr:
			f := typeutil.StaticCallee(v.TypesInfo, e)
			if f != nil && isIntrinsics(f.Pkg()) && alike[f.Name()] {
				return false
			}
			if f != nil && f.Signature().Recv() != nil && isThread(f.Signature().Recv().Type()) {
				differs = true
			}
			for _, a := range e.Args {
				if isThread(v.TypesInfo.TypeOf(a)) || isGroup(v.TypesInfo.TypeOf(a)) {
					differs = true
				}
			}
			if sel, ok := e.Fun.(*ast.SelectorExpr); ok && isGroup(v.TypesInfo.TypeOf(sel.X)) {
				differs = true
			}
			if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && v.lits[v.TypesInfo.ObjectOf(id)] != nil {
				differs = true // a closure may read what differs
			}
		}
		return !differs
	})
	return differs
}

// isGroup reports whether t is a type of a package below intrinsics, as the
// groups of threads are.
func isGroup(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && isIntrinsics(n.Obj().Pkg()) && n.Obj().Pkg().Path() != intrinsicsPath
}

// stmt marks what the statements below n set. apart says that not all lanes may
// run them.
func (v *lanes) stmt(n ast.Node, apart bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for i, l := range s.Lhs {
				r := s.Rhs[0]
				if len(s.Rhs) == len(s.Lhs) {
					r = s.Rhs[i]
				}
				if apart || v.expr(r) || v.expr(indexOf(l)) {
					v.mark(l)
				}
			}
		case *ast.ValueSpec:
			for i, name := range s.Names {
				if i < len(s.Values) && v.expr(s.Values[i]) || len(s.Values) == 1 && v.expr(s.Values[0]) {
					v.mark(name)
				}
			}
		case *ast.IncDecStmt:
			if apart {
				v.mark(s.X)
			}
		case *ast.IfStmt:
			if s.Init != nil {
				v.stmt(s.Init, apart)
			}
			inside := apart || v.expr(s.Cond)
			v.stmt(s.Body, inside)
			if s.Else != nil {
				v.stmt(s.Else, inside)
			}
			return false
		case *ast.SwitchStmt:
			if s.Init != nil {
				v.stmt(s.Init, apart)
			}
			v.stmt(s.Body, apart || v.conditions(s))
			return false
		case *ast.ForStmt:
			if s.Init != nil {
				v.stmt(s.Init, apart)
			}
			inside := apart || v.exits(s)
			v.stmt(s.Body, inside)
			if s.Post != nil {
				v.stmt(s.Post, inside)
			}
			return false
		case *ast.RangeStmt:
			inside := apart || v.exits(s)
			for _, e := range []ast.Expr{s.Key, s.Value} {
				if e != nil && (apart || v.expr(s.X)) {
					v.mark(e)
				}
			}
			v.stmt(s.Body, inside)
			return false
		}
		return true
	})
}

// indexOf returns the index of an element that is set, or an expression that
// does not differ.
func indexOf(e ast.Expr) ast.Expr {
	if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		return x.Index
	}
	return &ast.BadExpr{}
}

// conditions reports whether a condition of the statement itself may differ.
func (v *lanes) conditions(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.IfStmt:
		return v.expr(s.Cond)
	case *ast.ForStmt:
		return s.Cond != nil && v.expr(s.Cond)
	case *ast.RangeStmt:
		return v.expr(s.X)
	case *ast.SwitchStmt:
		if s.Tag != nil && v.expr(s.Tag) {
			return true
		}
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if v.expr(e) {
					return true
				}
			}
		}
	}
	return false
}

// exits reports whether lanes may leave a loop, or a turn of it, apart: its own
// condition may differ, or one that a statement in it depends on which leaves a
// loop.
func (v *lanes) exits(loop ast.Stmt) bool {
	if v.conditions(loop) {
		return true
	}
	found := false
	ast.Inspect(loopBody(loop), func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok || found {
			return !found
		}
		if v.conditions(s) {
			ast.Inspect(s, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.BranchStmt, *ast.ReturnStmt:
					found = true
				case *ast.FuncLit:
					return false
				}
				return !found
			})
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// branches reports whether some condition in a loop, or its own, may differ: if
// not, lanes stay together.
func (v *lanes) branches(loop ast.Stmt) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr: // && and || are branches too
			if v.expr(s) && (s.Op.String() == "&&" || s.Op.String() == "||") {
				found = true
			}
		case ast.Stmt:
			if v.conditions(s) {
				found = true
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(s.Fun).(*ast.Ident); ok {
				if lit := v.lits[v.TypesInfo.ObjectOf(id)]; lit != nil && !(lit.Pos() <= s.Pos() && s.End() <= lit.End()) {
					ast.Inspect(lit.Body, func(n ast.Node) bool {
						if st, ok := n.(ast.Stmt); ok && v.conditions(st) {
							found = true
						}
						return !found
					})
				}
			}
		}
		return !found
	})
	return found
}
