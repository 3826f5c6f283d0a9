package docs

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// given are the names that the code of a document takes as given, by what they are.
var given = map[string]string{
	"ctx": "context.Context", "engine": "*warp.Engine", "h200": "*device.Profile", "profile": "*device.Profile",
	"launch": "warp.Launch", "kernel": "warp.Kernel", "program": "warptest.Program", "want": "any",
	"in": "warp.Mem[E]", "data": "[]E", "w": "*warp.Warp", "e": "*warp.Engine", "t": "*testing.T",
	"inSharedMemory": "func(int) warp.Kernel",
}

// elements are the types E of items, where they are not float32.
var elements = map[string]string{"scan/README.md": "int32"}

// Every block of Go code compiles: as declarations, or in a function that is given what
// the text takes as given. A block that is a whole file is a test, and passes.
func TestCodeCompiles(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	module := strings.TrimSpace(run(t, "go", "list", "-m"))
	packages := map[string]string{} // path by name
	for _, p := range strings.Fields(run(t, "go", "list", "-f", "{{if ne .Name \"main\"}}{{.ImportPath}}{{end}}", "std", module+"/...")) {
		if name := path.Base(p); !strings.Contains(p, "internal") && (packages[name] == "" || strings.HasPrefix(p, module)) {
			packages[name] = p
		}
	}
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	temp, blocks, tests := t.TempDir(), 0, []string{}
	pages := documents(t)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for i, m := range fenced.FindAllStringSubmatch(pages[name], -1) {
			if m[1] != "go" {
				continue
			}
			source, as := m[2], "block_test.go" // a whole file is a test
			if !strings.HasPrefix(source, "package ") {
				source, err = compilable(m[2], elements[name], packages)
				as = "block.go"
			}
			if !assert.NoError(t, err, "%s, block %d", name, i) {
				continue
			}
			blocks++
			if as == "block_test.go" {
				tests = append(tests, fmt.Sprintf("block%d", blocks))
			}
			file := filepath.Join(temp, fmt.Sprintf("block%d.go", blocks))
			require.NoError(t, os.WriteFile(file, []byte("// "+name+"\n"+source), 0o644))
			overlay.Replace[filepath.Join(here, fmt.Sprintf("block%d", blocks), as)] = file
		}
	}
	assert.GreaterOrEqual(t, blocks, 9)
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(temp, "overlay.json"), text, 0o644))
	overlaid := []string{"-overlay", filepath.Join(temp, "overlay.json")}
	build := append([]string{"build"}, overlaid...)
	for i := range blocks {
		if block := fmt.Sprintf("block%d", i+1); !slices.Contains(tests, block) {
			build = append(build, "./"+block)
		}
	}
	run(t, "go", build...)
	for _, block := range tests {
		program := filepath.Join(temp, block+".exe")
		run(t, "go", append(append([]string{"test", "-c", "-vet=off", "-o", program}, overlaid...), "./"+block)...)
		run(t, program)
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// compilable makes a file of a block.
func compilable(code, element string, packages map[string]string) (string, error) {
	code = strings.ReplaceAll(code, "{ ... }", "{}")
	var lines []string
	for line := range strings.Lines(code) {
		if before, _, _ := strings.Cut(line, "//"); strings.TrimSpace(before) != "..." {
			lines = append(lines, line)
		}
	}
	code = strings.Join(lines, "")
	if strings.HasPrefix(code, "import (") { // a whole file
		return "package p\n\n" + code, nil
	}
	set := token.NewFileSet()
	decls := "\n" + code
	f, err := parser.ParseFile(set, "", "package p\n"+decls, parser.SkipObjectResolution)
	if err != nil {
		decls = "func _() {\n" + code + "}\n"
		if f, err = parser.ParseFile(set, "", "package p\n"+decls, parser.SkipObjectResolution); err != nil {
			return "", err
		}
		// What a function defines and does not use is no mistake of a document.
		used := ""
		for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
			if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
				for _, l := range a.Lhs {
					if name := l.(*ast.Ident).Name; name != "_" {
						used += "_ = " + name + "\n"
					}
				}
			}
		}
		decls = "func _() {\n" + code + used + "}\n"
	}
	imports := map[string]bool{}
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && given[x.Name] == "" {
				imports[x.Name] = true
			}
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	variables := ""
	for name, typ := range given {
		if names[name] {
			variables += "var " + name + " " + typ + "\n"
			if pkg, _, ok := strings.Cut(strings.TrimLeft(strings.TrimPrefix(typ, "func(int) "), "*"), "."); ok {
				imports[pkg] = true
			}
		}
	}
	if element == "" {
		element = "float32"
	}
	head := "package p\n"
	for name := range imports {
		if p := packages[name]; p != "" {
			head += fmt.Sprintf("import %s %q\n", name, p)
		}
	}
	return head + "type E = " + element + "\n" + variables + decls, nil
}
