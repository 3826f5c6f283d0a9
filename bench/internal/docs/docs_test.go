// Package docs holds the project's documents to its code: their links lead somewhere,
// their code compiles, and their commands name what is there.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

// documents are the project's pages in Markdown, by their path below the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name == "testdata" || strings.HasPrefix(name, ".") && name != ".."):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".md"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			short, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			all[filepath.ToSlash(short)] = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, all, "README.md")
	return all
}

// fenced matches a block of code: its language and its text.
var fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// inline matches code in a line.
var inline = regexp.MustCompile("`[^`\n]+`")

// prose is a page without its code.
func prose(page string) string {
	return inline.ReplaceAllString(fenced.ReplaceAllString(page, ""), "code")
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// anchorOf is the anchor that a heading gets.
func anchorOf(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// Every link to a file leads to one, and every link to a heading to such a heading.
func TestLinks(t *testing.T) {
	pages := documents(t)
	anchors := map[string]map[string]bool{}
	for name, text := range pages {
		anchors[name] = map[string]bool{}
		for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
			if h := strings.TrimLeft(line, "#"); h != line {
				anchors[name][anchorOf(strings.TrimSpace(h))] = true
			}
		}
	}
	links := 0
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(prose(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
				_, err := os.Stat(filepath.Join(root, target))
				assert.NoError(t, err, "%s links to %s", name, m[1])
			}
			if anchor != "" {
				assert.True(t, anchors[target][anchor], "%s links to %s, where there is no such heading", name, m[1])
			}
		}
	}
	assert.Greater(t, links, 20)
}

var (
	goRun   = regexp.MustCompile(`\bgo run (\./[\w/]+|\.)( |$)`)
	goBench = regexp.MustCompile(`\bgo test .*-bench '?([\w$|/-]+)'?.* (\./[\w./]+|\.)( |$)`)
)

// Every command that runs a program or a benchmark of the project names one that is there.
func TestCommands(t *testing.T) {
	// What is in a module of its own is run from there.
	modules, err := filepath.Glob(root + "/*/*/go.mod")
	require.NoError(t, err)
	for i := range modules {
		modules[i] = filepath.Dir(modules[i])
	}
	commands := 0
	for name, text := range documents(t) {
		dir := filepath.Join(root, filepath.Dir(name))
		bases := append([]string{root, dir}, modules...)
		for _, line := range strings.Split(text, "\n") {
			for _, part := range strings.Split(line, "`") {
				part = strings.TrimSpace(part)
				if m := goRun.FindStringSubmatch(part); m != nil {
					commands++
					there := false
					for _, base := range bases {
						there = there || holds(t, base, m[1], "package main\n")
					}
					assert.True(t, there, "%s: %s", name, part)
				}
				if m := goBench.FindStringSubmatch(part); m != nil && m[1] != "." {
					commands++
					for _, b := range strings.Split(m[1], "|") {
						b, _, _ = strings.Cut(b, "/")
						b = "func Benchmark" + strings.TrimSuffix(b, "$")
						assert.True(t, holds(t, root, m[2], b) || holds(t, dir, m[2], b), "%s: %s", name, part)
					}
				}
			}
		}
	}
	assert.Greater(t, commands, 10)
}

// holds tells whether a file of a folder contains a text.
func holds(t *testing.T, base, dir, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(base, dir, "*.go"))
	require.NoError(t, err)
	for _, f := range files {
		code, err := os.ReadFile(f)
		require.NoError(t, err)
		if strings.Contains(strings.ReplaceAll(string(code), "\r\n", "\n"), text) {
			return true
		}
	}
	return false
}

// The README in Chinese has the same code and commands, in the same order, and the same
// sections, tables and figures.
func TestReadmeInChinese(t *testing.T) {
	pages := documents(t)
	en, zh := pages["README.md"], pages["README.zh-CN.md"]
	require.NotEmpty(t, zh)
	assert.Equal(t, fenced.FindAllString(en, -1), fenced.FindAllString(zh, -1))
	count := func(page, start string) int {
		n := 0
		for line := range strings.Lines(fenced.ReplaceAllString(page, "")) {
			if strings.HasPrefix(line, start) {
				n++
			}
		}
		return n
	}
	for _, start := range []string{"## ", "| ", "!["} {
		assert.Equal(t, count(en, start), count(zh, start), "lines that begin with %q", start)
	}
	percent := regexp.MustCompile(`[\d.,]+ %|\b\d,\d{3}\b`)
	assert.Equal(t, percent.FindAllString(en, -1), percent.FindAllString(zh, -1))
}

// The tables to port by name functions that there are.
func TestNamesOfTables(t *testing.T) {
	pages := documents(t)
	api := func(name string) string {
		text, err := os.ReadFile(root + "/bench/internal/api/testdata/" + name + ".txt")
		require.NoError(t, err)
		return string(text)
	}
	for page, c := range map[string]struct{ api, name string }{
		"warp/NAMES.md":         {"warp", `(?:warp|w|a|e)\.([A-Z]\w+)`},
		"intrinsics/README.md":  {"intrinsics", `\bt\.([A-Z]\w+)\(`},
		"intrinsics/PORTING.md": {"intrinsics", `\b(?:intrinsics|t)\.([A-Z]\w+)\(`},
	} {
		listed := api(c.api)
		names := 0
		for line := range strings.Lines(pages[page]) {
			if !strings.HasPrefix(line, "| ") {
				continue
			}
			for _, m := range regexp.MustCompile(c.name).FindAllStringSubmatch(line, -1) {
				names++
				assert.Regexp(t, `(?m)^(?:func |const |type |var )(?:\([^)]*\) )?`+m[1]+`\b`, listed, "%s", page)
			}
		}
		assert.Greater(t, names, 2, page)
	}
}

// The table of samples names every test of a sample and none that is not there, and stops
// of the tour.
func TestSamples(t *testing.T) {
	page := documents(t)["examples/tour/README.md"]
	files, err := filepath.Glob(root + "/intrinsics/sample_*_test.go")
	require.NoError(t, err)
	tests := map[string]bool{}
	for _, f := range files {
		code, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func (TestSample\w+)\(`).FindAllSubmatch(code, -1) {
			tests[string(m[1])] = false
		}
	}
	tour, err := os.ReadFile(root + "/examples/tour/main.go")
	require.NoError(t, err)
	for line := range strings.Lines(page) {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 || strings.HasPrefix(line, "| sample") {
			continue
		}
		for _, m := range inline.FindAllString(cells[1], -1) {
			name := strings.Trim(m, "`")
			assert.Contains(t, tests, name)
			tests[name] = true
		}
		for _, m := range inline.FindAllString(cells[3], -1) {
			assert.Contains(t, string(tour), `{"`+strings.Trim(m, "`")+`", `)
		}
	}
	for name, named := range tests {
		assert.True(t, named, "%s stands in no table", name)
	}
	assert.Greater(t, len(tests), 20)
}
