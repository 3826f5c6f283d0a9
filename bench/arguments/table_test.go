package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/stretchr/testify/require"
	"testing"
)

// A packageData is what go list says of a package.
type packageData struct {
	ImportPath, Name, Export, Dir string
	Standard                      bool
	Module                        *struct{ Path, Dir string }
}

// listPackages asks the go command for the packages of the module and all that
// they need, compiled.
func listPackages(t *testing.T) (own []packageData, exports map[string]string) {
	root := output(t, ".", "go", "list", "-m", "-f", "{{.Dir}}")
	data := output(t, strings.TrimSpace(root), "go", "list", "-export", "-deps", "-json=ImportPath,Name,Export,Dir,Standard,Module", "./...")
	exports = map[string]string{}
	module := strings.TrimSpace(output(t, ".", "go", "list", "-m"))
	for d := json.NewDecoder(strings.NewReader(data)); ; {
		var p packageData
		err := d.Decode(&p)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Path == module && p.Name != "main" &&
			!strings.Contains(p.ImportPath+"/", "/internal/") && p.Export != "" && isLibrary(strings.TrimPrefix(p.ImportPath, module)) {
			own = append(own, p)
		}
	}
	return own, exports
}

// isLibrary tells the packages that others import from benchmarks and examples.
func isLibrary(p string) bool {
	return !strings.HasPrefix(p, "/bench/") && !strings.HasPrefix(p, "/examples/")
}

func output(t *testing.T, dir, name string, args ...string) string {
	c := exec.Command(name, args...)
	c.Dir = dir
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	require.NoError(t, err, "%s %v: %s", name, args, &errs)
	return string(out)
}

// A writer writes the Go source of the table.
type writer struct {
	t       *testing.T
	b       bytes.Buffer
	imports map[string]string // path to name
	makers  map[string]string // type to what makes one
	special []types.Type      // floats of 16 bits, alone and in pairs, and rows of a table
	missing []string          // what has no instantiation
	n       int               // functions
}

// qualify names the package of a type as the table imports it.
func (w *writer) qualify(p *types.Package) string {
	if name, ok := w.imports[p.Path()]; ok {
		return name
	}
	name := strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(p.Path())
	w.imports[p.Path()] = name
	return name
}

// typeString names a type; one with an argument that has no exported name goes by its
// alias.
func (w *writer) typeString(t types.Type) string {
	text := types.TypeString(t, w.qualify)
	for _, s := range w.special {
		if a, ok := s.(*types.Alias); ok {
			text = strings.ReplaceAll(text, types.TypeString(types.Unalias(a), w.qualify), types.TypeString(a, w.qualify))
		}
	}
	return text
}

// candidates are what type parameters become: the first that their constraint
// takes, those of single packages last, and then each of further that the last of them takes.
var (
	candidates = []types.Type{
		types.Typ[types.Int32], types.Typ[types.Float32], types.Typ[types.Uint32], types.NewArray(types.Typ[types.Int32], 2),
	}
	further = []types.Type{types.Typ[types.Float64], types.NewArray(types.Typ[types.Uint32], 3), types.Typ[types.String]}
)

// instances returns the lists of type arguments to try a declaration with.
func (w *writer) instances(what string, generic types.Type, params *types.TypeParamList) [][]types.Type {
	if params.Len() == 0 {
		return [][]types.Type{nil}
	}
	var found [][]types.Type
	fits := func(args []types.Type) bool {
		_, err := types.Instantiate(types.NewContext(), generic, args, true)
		return err == nil
	}
	var search func(args []types.Type) bool
	search = func(args []types.Type) bool {
		if len(args) == params.Len() {
			if fits(args) {
				found = append(found, slices.Clone(args))
				return true
			}
			return false
		}
		for _, c := range slices.Concat(candidates, w.special) {
			if search(append(args, c)) {
				return true
			}
		}
		return false
	}
	search(nil)
	if len(found) == 0 {
		w.missing = append(w.missing, what)
		return nil
	}
	first := found[0]
	for _, c := range further {
		args := slices.Clone(first)
		args[len(args)-1] = c
		if !slices.EqualFunc(args, first, types.Identical) && fits(args) {
			found = append(found, args)
		}
	}
	return found
}

func (w *writer) list(args []types.Type) string {
	if len(args) == 0 {
		return ""
	}
	var s []string
	for _, a := range args {
		s = append(s, w.typeString(a))
	}
	return "[" + strings.Join(s, ", ") + "]"
}

// note notes the types of a signature that only type arguments can make values of.
func (w *writer) note(t types.Type, depth int) {
	if depth > 6 {
		return
	}
	switch t := t.(type) {
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for i := range tuple.Len() {
				w.note(tuple.At(i).Type(), depth+1)
			}
		}
	case *types.Slice:
		w.note(t.Elem(), depth+1)
	case *types.Array:
		w.note(t.Elem(), depth+1)
	case *types.Pointer:
		w.note(t.Elem(), depth+1)
	case *types.Struct:
		for i := range t.NumFields() {
			if t.Field(i).Exported() {
				w.note(t.Field(i).Type(), depth+1)
			}
		}
	case *types.Alias:
		w.note(types.Unalias(t), depth+1)
	case *types.Named:
		if t.TypeArgs().Len() == 1 && t.Obj().Pkg() != nil {
			arg := t.TypeArgs().At(0)
			a := w.typeString(arg)
			switch base, name := path.Base(t.Obj().Pkg().Path()), t.Obj().Name(); {
			case !plain(arg):
			case base == "warp" && (name == "Reg" || name == "Mem"):
				w.makers[w.typeString(t)] = fmt.Sprintf("make%s[%s]", name, a)
			case base == "intrinsics" && name == "Array":
				w.makers["*"+w.typeString(t)] = fmt.Sprintf("makeArray[%s]", a)
			case base == "reduce" && name == "Op":
				w.makers[w.typeString(t)] = fmt.Sprintf("makeOp[%s]", a)
			case base == "reduce" && name == "Algorithm":
				w.makers[w.typeString(t)] = fmt.Sprintf("makeReduction[%s]", a)
			case base == "scan" && name == "Algorithm":
				w.makers[w.typeString(t)] = fmt.Sprintf("makeScan[%s]", a)
			}
		}
		w.note(t.Underlying(), depth+1)
	}
}

// plain reports whether a register can hold a type: without pointers, and not too
// large.
func plain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0 && u.Info()&types.IsComplex == 0 && u.Kind() != types.Uintptr
	case *types.Array:
		return u.Len() > 0 && u.Len() <= 4 && plain(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !plain(u.Field(i).Type()) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return false
}

// aliased reports whether a generic type is what an alias in special stands for.
func (w *writer) aliased(t *types.Named) bool {
	return slices.ContainsFunc(w.special, func(s types.Type) bool {
		a, ok := s.(*types.Alias)
		if !ok {
			return false
		}
		n, ok := types.Unalias(a).(*types.Named)
		return ok && n.Origin() == t
	})
}

func (w *writer) declare(pkg *types.Package) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		if !o.Exported() {
			continue
		}
		what := pkg.Path()[strings.IndexByte(pkg.Path(), '/')+1:] + "." + name
		switch o := o.(type) {
		case *types.Func:
			sig := o.Type().(*types.Signature)
			for _, args := range w.instances(what, sig, sig.TypeParams()) {
				inst := types.Type(sig)
				if args != nil {
					inst, _ = types.Instantiate(types.NewContext(), sig, args, true)
				}
				w.note(inst, 0)
				fmt.Fprintf(&w.b, "\tfunctions = append(functions, function{%q, %s.%s%s})\n", what+w.list(args), w.qualify(pkg), name, w.list(args))
				w.n++
			}
		case *types.TypeName:
			named, ok := o.Type().(*types.Named)
			if !ok || o.IsAlias() || w.aliased(named) {
				continue
			}
			if iface, ok := named.Underlying().(*types.Interface); ok && iface.NumMethods() >= 0 {
				continue
			}
			for _, args := range w.instances(what, named, named.TypeParams()) {
				inst := types.Type(named)
				if args != nil {
					inst, _ = types.Instantiate(types.NewContext(), named, args, true)
				}
				w.note(inst, 0)
				for i := range types.NewMethodSet(types.NewPointer(inst)).Len() {
					w.note(types.NewMethodSet(types.NewPointer(inst)).At(i).Type(), 0)
				}
				fmt.Fprintf(&w.b, "\tnamed = append(named, reflect.TypeFor[%s.%s%s]())\n", w.qualify(pkg), name, w.list(args))
			}
		}
	}
}

// writeTable writes the Go file that names every exported function, instantiated
// if it is generic, and every exported type of the module's public packages.
func writeTable(t *testing.T) []byte {
	own, exports := listPackages(t)
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(p string) (io.ReadCloser, error) { return os.Open(exports[p]) })
	w := &writer{t: t, imports: map[string]string{}, makers: map[string]string{}}
	var packages []*types.Package
	for _, p := range own {
		pkg, err := imp.Import(p.ImportPath)
		require.NoError(t, err)
		packages = append(packages, pkg)
		switch pkg.Name() {
		case "warp":
			w.special = append(w.special, pkg.Scope().Lookup("OpRow").Type())
		case "half":
			single := pkg.Scope().Lookup("Float16").Type()
			pair, err := types.Instantiate(nil, pkg.Scope().Lookup("Pair").Type(), []types.Type{single}, true)
			require.NoError(t, err)
			w.special = append(w.special, single, pair)
		}
	}
	for _, pkg := range packages {
		w.declare(pkg)
	}
	require.Empty(t, w.missing, "no candidate fits the type parameters of these: add one")
	var makers []string
	for typ, m := range w.makers {
		makers = append(makers, fmt.Sprintf("\tmakers[reflect.TypeFor[%s]()] = %s\n", typ, m))
	}
	sort.Strings(makers)
	var out bytes.Buffer
	out.WriteString("package arguments\n\nimport (\n\t\"reflect\"\n")
	var imports []string
	for p, name := range w.imports {
		imports = append(imports, fmt.Sprintf("\t%s %q\n", name, p))
	}
	sort.Strings(imports)
	out.WriteString(strings.Join(imports, "") + ")\n\nfunc init() {\n")
	out.Write(w.b.Bytes())
	out.WriteString(strings.Join(makers, ""))
	out.WriteString("}\n")
	return out.Bytes()
}
