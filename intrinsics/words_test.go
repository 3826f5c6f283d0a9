package intrinsics

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wideWords are names of the wide front, which mean nothing to who writes per lane.
var wideWords = regexp.MustCompile(`SyncBlock|\bIf\b|\bWhere\b|\bWhile\b|\bw\.|MaskReg|mask register|CountMask|\bRank\b|\bMark\b|\bRelease\b|\bpredicate|\bkernel that uses them`)

// Whatever the engine advises, in a fault of any kind, this package says in its own
// words: all texts of advice in the engine's source are looked at.
func TestAdviceInOwnWords(t *testing.T) {
	files, err := filepath.Glob("../warp/*.go")
	require.NoError(t, err)
	seen, foreign := 0, 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		check := func(e ast.Expr) {
			ast.Inspect(e, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				seen++
				own := ownNames.Replace(text)
				if own != text {
					foreign++
				}
				if !onlyWide[text] {
					require.NotRegexp(t, wideWords, own, "%s: advice %q", file, text)
				}
				return true
			})
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Advice" {
					check(n.Value)
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if s, ok := l.(*ast.SelectorExpr); ok && s.Sel.Name == "Advice" && i < len(n.Rhs) {
						check(n.Rhs[i])
					}
				}
			}
			return true
		})
	}
	require.Greater(t, seen, 40)
	require.Greater(t, foreign, 5)
}

// onlyWide are texts of mistakes that kernels per lane cannot make.
var onlyWide = map[string]bool{
	"call it in the body of a While":               true, // loops are Go's
	"release predicates with Mark and Release":     true, // there are none
	"release mask registers with Mark and Release": true,
}
