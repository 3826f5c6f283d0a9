// Package source puts what source lines cost beside their text.
package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view/internal/tape"
)

// A File is one file of source, or what stands for one.
type File struct {
	Name  string // full path
	Lines []Line // of the functions that did something, with those between
}

// A Line is a line of source.
type Line struct {
	Number       int
	Func, Text   string
	Gap          bool // lines before it are left out
	Instructions int64
	Lanes        int64
	Conflicts    int64
	Cycles       timing.Cycles
}

// Mean returns how many lanes were active on average.
func (l *Line) Mean() float64 {
	if l.Instructions == 0 {
		return 0
	}
	return float64(l.Lanes) / float64(l.Instructions)
}

// Mostly returns the reason with the most cycles, issuing left aside, "" if there is
// none.
func (l *Line) Mostly() string {
	name, most := "", timing.Cycle(0)
	for r, n := range l.Cycles.All() {
		if r != timing.Issued && n > most {
			name, most = r.String(), n
		}
	}
	return name
}

// Files returns the source of what is on a tape: each function that has executed an
// instruction, as a whole where its file can be read, the costliest file first.
func Files(t *tape.Tape) []File {
	at := map[string]map[int]*Line{}
	for i := range t.Rows {
		r := &t.Rows[i]
		s := t.Sites[r.Site]
		if at[s.File] == nil {
			at[s.File] = map[int]*Line{}
		}
		l := at[s.File][s.Line]
		if l == nil {
			l = &Line{Number: s.Line, Func: s.Func}
			at[s.File][s.Line] = l
		}
		l.Instructions += r.Instructions
		l.Lanes += r.Lanes
		l.Conflicts += r.Conflicts
		l.Cycles.Add(&r.Cycles)
	}
	var files []File
	for name, lines := range at {
		files = append(files, File{name, lay(name, lines)})
	}
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(cost(b.Lines), cost(a.Lines)), cmp.Compare(a.Name, b.Name))
	})
	return files
}

func cost(lines []Line) timing.Cycle {
	var n timing.Cycle
	for i := range lines {
		n += lines[i].Cycles.Total()
	}
	return n
}

// lay returns the lines of the functions that have some of at, in their order.
func lay(name string, at map[int]*Line) []Line {
	var text []string
	if data, err := os.ReadFile(name); err == nil {
		text = strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	}
	show := map[int]bool{}
	bodies := functions(name)
	for n := range at {
		show[n] = true
		for _, f := range bodies {
			if f[0] <= n && n <= f[1] {
				for k := f[0]; k <= f[1]; k++ {
					show[k] = true
				}
			}
		}
	}
	var out []Line
	for n := range show {
		l := Line{Number: n}
		if x := at[n]; x != nil {
			l = *x
		}
		if n >= 1 && n <= len(text) {
			l.Text = strings.TrimRight(strings.ReplaceAll(text[n-1], "\t", "    "), " ")
		} else {
			l.Text = l.Func // a listing's function says what stands there
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Line) int { return a.Number - b.Number })
	for i := range out {
		out[i].Gap = i > 0 && out[i].Number != out[i-1].Number+1
	}
	return out
}

// functions returns the first and last lines of the functions of a Go file, none if
// it cannot be read as one.
func functions(name string) [][2]int {
	if filepath.Ext(name) != ".go" {
		return nil
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var all [][2]int
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			all = append(all, [2]int{set.Position(fn.Pos()).Line, set.Position(fn.End()).Line})
		}
	}
	return all
}

// Write writes the source as text.
func Write(w io.Writer, t *tape.Tape) error {
	var b strings.Builder
	var all timing.Cycle
	for i := range t.Rows {
		all += t.Rows[i].Cycles.Total()
	}
	all += t.Rest.Total()
	for _, f := range Files(t) {
		fmt.Fprintf(&b, "%s\n%12s %6s %12s %6s %10s  %-14s\n", Short(f.Name), "cycles", "%", "instructions", "lanes", "conflicts", "mostly by")
		for i := range f.Lines {
			writeLine(&b, &f.Lines[i], all)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%12d %6s of %d cycles of all warps were waited behind their last instruction\n", t.Rest.Total(), share(t.Rest.Total(), all), all)
	_, err := io.WriteString(w, b.String())
	return err
}

// Short returns a file's name with its folder, or what stands for one that is not
// known.
func Short(name string) string {
	if name == "" {
		return "unknown source"
	}
	dir, base := filepath.Split(filepath.ToSlash(name))
	if dir = filepath.Base(dir); dir == "/" || dir == "." {
		return base
	}
	return dir + "/" + base
}

func writeLine(b *strings.Builder, l *Line, all timing.Cycle) {
	if l.Gap {
		fmt.Fprintf(b, "%67s  ...\n", "")
	}
	if l.Instructions == 0 {
		fmt.Fprintf(b, "%67s  %5d  %s\n", "", l.Number, l.Text)
		return
	}
	conflicts := ""
	if l.Conflicts > 0 {
		conflicts = fmt.Sprint(l.Conflicts)
	}
	fmt.Fprintf(b, "%12d %6s %12d %6.1f %10s  %-14s  %5d  %s\n", l.Cycles.Total(), share(l.Cycles.Total(), all), l.Instructions,
		l.Mean(), conflicts, l.Mostly(), l.Number, l.Text)
}

func share(part, all timing.Cycle) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(part)/float64(all))
}
