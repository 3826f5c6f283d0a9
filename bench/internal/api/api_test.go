// Package api holds the list of all exported names of the library, and the test
// that tells when it changes.
package api

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the listing anew")

const root = "../../.."

// The exported names of each package are those of the listing. A change of the
// API is one of the listing too, so that nobody makes it unawares:
//
//	go test ./bench/internal/api -update
func TestAPIIsAsListed(t *testing.T) {
	listed, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	found := map[string]string{}
	for dir := range packages(t) {
		text := listing(t, dir)
		if text != "" {
			found[filepath.Join("testdata", strings.ReplaceAll(dir, "/", "-")+".txt")] = text
		}
	}
	if *update {
		for _, old := range listed {
			require.NoError(t, os.Remove(old))
		}
		for file, text := range found {
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		}
		return
	}
	require.ElementsMatch(t, listed, slices.Collect(maps.Keys(found)), "packages; -update lists them anew")
	for file, text := range found {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		was := strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n")
		is := strings.Split(text, "\n")
		for _, l := range was {
			if !slices.Contains(is, l) {
				t.Errorf("%s: gone: %s", file, l)
			}
		}
		for _, l := range is {
			if !slices.Contains(was, l) {
				t.Errorf("%s: new: %s", file, l)
			}
		}
	}
}

// packages returns the folders of the library, by path below its root.
func packages(t *testing.T) map[string]bool {
	dirs := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if d.IsDir() {
			switch name := d.Name(); {
			case name == "testdata", name == "internal", dir == "bench", dir == "examples", dir != "." && strings.HasPrefix(name, "."):
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && dir != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			dirs[filepath.ToSlash(filepath.Dir(dir))] = true
		}
		return nil
	}))
	return dirs
}

// listing returns the exported declarations of a package, a line each.
func listing(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	require.NoError(t, err)
	lines := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if f.Name.Name == "main" {
			return ""
		}
		ast.FileExports(f)
		for _, d := range f.Decls {
			for _, l := range declared(fset, d) {
				lines[l] = true
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "\n") + "\n"
}

// declared returns the lines of one declaration.
func declared(fset *token.FileSet, d ast.Decl) (lines []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && !ast.IsExported(receiver(d.Recv.List[0].Type)) {
			return nil
		}
		d.Body = nil
		lines = append(lines, oneLine(fset, d))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						lines = append(lines, d.Tok.String()+" "+n.Name)
					}
				}
			case *ast.TypeSpec:
				structure, ok := s.Type.(*ast.StructType)
				if !ok {
					lines = append(lines, "type "+oneLine(fset, s))
					continue
				}
				fields := structure.Fields.List
				s.Type = &ast.StructType{Fields: &ast.FieldList{}}
				name := oneLine(fset, s)
				lines = append(lines, "type "+name)
				for _, f := range fields {
					for _, n := range f.Names {
						if n.IsExported() {
							lines = append(lines, fmt.Sprintf("field %s.%s %s", s.Name.Name, n.Name, oneLine(fset, f.Type)))
						}
					}
				}
			}
		}
	}
	return lines
}

func oneLine(fset *token.FileSet, node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, fset, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// What go doc shows of a package is made to be read: it has sections, names that lead
// on, a word on what is stable, and examples that run.
func TestPackagesAreDocumented(t *testing.T) {
	listed, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	for _, file := range listed {
		dir := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".txt"), "-", "/")
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		require.NoError(t, err)
		text, examples := "", 0
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			if !strings.HasSuffix(file, "_test.go") {
				text += f.Doc.Text()
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
					examples++
				}
			}
		}
		for what, right := range map[string]bool{
			"a heading":        strings.Contains(text, "\n# "),
			"a link to a name": link.MatchString(text),
			"what is stable":   strings.Contains(text, "stable") || strings.Contains(text, "minor version"),
			"an example":       examples > 0,
		} {
			if !right {
				t.Errorf("package %s has nothing of this: %s", dir, what)
			}
		}
	}
}

// link matches a name in brackets, as [Mask.Lanes] or [timing.Reason].
var link = regexp.MustCompile(`\[\*?([a-z]+\.)?[A-Z][A-Za-z.]*\]`)
