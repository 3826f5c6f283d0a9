package costs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the table of features names is there.
func TestFeaturesExist(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	packages := map[string]string{
		"warp": "warp", "reduce": "reduce", "scan": "scan", "tile": "scan/tile", "pack": "scan/pack", "order": "scan/order", "kernels": "examples/kernels", "team": "warp/team",
	}
	names := map[string]map[string]bool{}
	for name, dir := range packages {
		names[name] = exported(t, filepath.Join(root, filepath.FromSlash(dir)))
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "FEATURES.md"))
	require.NoError(t, err)
	found := regexp.MustCompile("`([a-z]+)\\.([A-Za-z]+)`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(found), 100)
	for _, m := range found {
		require.True(t, names[m[1]][m[2]], "%s.%s is not there", m[1], m[2])
	}
}

// exported returns the exported names of a package.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// Every function says what its errors are, in a section of its own, or names the
// function whose sections hold for it too. Functions that only declare, count or
// answer need none.
func TestSections(t *testing.T) {
	plain := regexp.MustCompile(`^New.*Storage$|Fits$|^(Ascending|Descending|By|ClearBins)$`)
	for _, dir := range []string{"tile", "pack", "order"} {
		checkSections(t, filepath.Join("..", "..", dir), plain)
	}
	checkSections(t, filepath.Join("..", "..", "..", "examples", "kernels"), plain)
}

func checkSections(t *testing.T, dir string, plain *regexp.Regexp) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	names := exported(t, dir)
	word := regexp.MustCompile(`[A-Z][A-Za-z]+`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution|parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || plain.MatchString(fn.Name.Name) {
				continue
			}
			doc := fn.Doc.Text()
			if strings.Contains(doc, "  - Errors: ") && (strings.Contains(doc, "  - Threads: ") || strings.Contains(doc, "  - Lanes: ")) {
				continue
			}
			refers := false
			for _, w := range word.FindAllString(doc, -1) {
				refers = refers || w != fn.Name.Name && names[w]
			}
			require.True(t, refers, "%s: the doc of %s has no sections and names no function that has", file, fn.Name.Name)
		}
	}
}
