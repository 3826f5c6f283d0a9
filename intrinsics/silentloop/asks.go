package silentloop

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// isThread reports whether t is *intrinsics.Thread.
func isThread(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Thread" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == intrinsicsPath
}

func (p *pkg) hasThread(f *ast.FuncType) bool {
	for _, field := range f.Params.List {
		if isThread(p.TypesInfo.TypeOf(field.Type)) {
			return true
		}
	}
	return false
}

// threadName returns the name of a function's thread, "" if it has none.
func (p *pkg) threadName(f *ast.FuncType) string {
	for _, field := range f.Params.List {
		if isThread(p.TypesInfo.TypeOf(field.Type)) && len(field.Names) > 0 && field.Names[0].Name != "_" {
			return field.Names[0].Name
		}
	}
	return ""
}

// quiet are the functions of intrinsics that take a thread or a group and never
// stop a lane.
var quiet = map[string]bool{
	"Brev": true, "Clz": true, "Ffs": true, "Fns": true,
	"Popc": true, "LaneMaskEq": true, "LaneMaskGe": true, "LaneMaskGt": true, "LaneMaskLe": true,
	"LaneMaskLt": true, "Dynamic": true, "ThisThreadBlock": true, "TiledPartition": true,
}

// groupAsks are the methods of groups and blocks of threads that stop a lane.
var groupAsks = map[string]bool{"Sync": true, "All": true, "Any": true, "Ballot": true, "BallotMask": true, "InvokeOne": true}

// libraryAsks reports whether a function of intrinsics always stops a lane.
func libraryAsks(f *types.Func) bool {
	sig := f.Signature()
	if r := sig.Recv(); r != nil {
		if isThread(r.Type()) {
			return f.Name() == "Fail"
		}
		return groupAsks[f.Name()] || takesThread(sig)
	}
	return !quiet[f.Name()] && (takesThread(sig) || takesGroup(sig))
}

func takesThread(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && isThread(sig.Params().At(0).Type())
}

func takesGroup(sig *types.Signature) bool {
	if sig.Params().Len() == 0 {
		return false
	}
	n, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Named)
	return ok && n.Obj().Name() == "Group" && isIntrinsics(n.Obj().Pkg())
}

// callAsks reports whether a call always stops a lane.
func (p *pkg) callAsks(call *ast.CallExpr) bool {
	if f := typeutil.StaticCallee(p.TypesInfo, call); f != nil {
		return p.alwaysAsks(f.Origin())
	}
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return p.alwaysAsks(p.TypesInfo.ObjectOf(f))
	case *ast.FuncLit:
		return p.bodyAsks(f.Body)
	}
	return false
}

// alwaysAsks reports whether every way through a function stops a lane. One that
// calls itself on the way does not count as stopping there.
func (p *pkg) alwaysAsks(obj types.Object) bool {
	if obj == nil {
		return false
	}
	if f, ok := obj.(*types.Func); ok && isIntrinsics(f.Pkg()) && f.Pkg() != p.Pkg {
		return libraryAsks(f)
	}
	if asks, seen := p.asks[obj]; seen {
		return asks
	}
	p.asks[obj] = false
	switch {
	case p.bodies[obj] != nil:
		p.asks[obj] = p.bodyAsks(p.bodies[obj].Body)
	case p.lits[obj] != nil:
		p.asks[obj] = p.bodyAsks(p.lits[obj].Body)
	case obj.Pkg() != nil && obj.Pkg() != p.Pkg:
		p.asks[obj] = p.ImportObjectFact(obj, new(asksFact))
	}
	return p.asks[obj]
}

func (p *pkg) bodyAsks(b *ast.BlockStmt) bool {
	w := walk{pkg: p, counts: true}
	out := w.block(b.List)
	return !out.falls && !out.returns
}

// anyAsk reports whether some call below n may stop a lane. A function that takes
// the thread and may or may not does.
func (p *pkg) anyAsk(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		if p.callAsks(call) {
			found = true
			return false
		}
		if f := typeutil.StaticCallee(p.TypesInfo, call); f != nil && isIntrinsics(f.Pkg()) {
			return true
		}
		for _, a := range call.Args {
			if isThread(p.TypesInfo.TypeOf(a)) {
				found = true
			}
		}
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
			if lit := p.lits[p.TypesInfo.ObjectOf(id)]; lit != nil && !(lit.Pos() <= call.Pos() && call.End() <= lit.End()) && p.anyAsk(lit.Body) {
				found = true
			}
		}
		return !found
	})
	return found
}

// overLoop reports whether a loop runs over Thread.Loop.
func (p *pkg) overLoop(s *ast.RangeStmt) bool {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := typeutil.StaticCallee(p.TypesInfo, call)
	return f != nil && f.Name() == "Loop" && f.Signature().Recv() != nil && isThread(f.Signature().Recv().Type())
}

// findLiterals notes the variables that are set once, to a function literal.
func (p *pkg) findLiterals(f *ast.File) {
	sets := map[types.Object]int{}
	set := func(id ast.Expr, v ast.Expr) {
		name, ok := id.(*ast.Ident)
		if !ok {
			return
		}
		obj := p.TypesInfo.ObjectOf(name)
		if obj == nil {
			return
		}
		sets[obj]++
		if lit, ok := v.(*ast.FuncLit); ok {
			p.lits[obj] = lit
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for i, l := range s.Lhs {
				if len(s.Rhs) == len(s.Lhs) {
					set(l, s.Rhs[i])
				} else {
					set(l, nil)
				}
			}
		case *ast.ValueSpec:
			for i, name := range s.Names {
				if i < len(s.Values) {
					set(name, s.Values[i])
				}
			}
		case *ast.UnaryExpr:
			if s.Op == token.AND {
				set(s.X, nil)
			}
		}
		return true
	})
	for obj, n := range sets {
		if n > 1 {
			delete(p.lits, obj)
		}
	}
}
