package docs

import (
	"bytes"
	"errors"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flagLine matches the line of a flag in what -h prints.
var flagLine = regexp.MustCompile(`(?m)^  -([\w-]+)`)

// Every command of the module tells of itself in one shape, and ends with one set of codes.
// What is in a module of its own has a test there.
func TestCommandsAreAlike(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	module := strings.TrimSpace(run(t, "go", "list", "-m"))
	commands := strings.Fields(run(t, "go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, module+"/..."))
	require.Greater(t, len(commands), 7)
	bin := t.TempDir() + string(filepath.Separator)
	run(t, "go", append([]string{"build", "-ldflags=-s -w", "-o", bin}, commands...)...)
	for _, command := range commands {
		name := path.Base(command)
		t.Run(name, func(t *testing.T) {
			program := bin + name
			if runtime.GOOS == "windows" {
				program += ".exe"
			}
			call := func(args ...string) (code int, out, errs string) {
				t.Helper()
				var stdout, stderr bytes.Buffer
				c := exec.Command(program, args...)
				c.Dir, c.Stdout, c.Stderr = bin, &stdout, &stderr
				if err := c.Run(); !errors.As(err, new(*exec.ExitError)) {
					require.NoError(t, err)
				}
				return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
			}
			code, help, errs := call("-h")
			assert.Zero(t, code)
			assert.Empty(t, errs)
			assert.Regexp(t, `^Usage: `+name+` \[flags\]( [\[\]A-Z]+)?\n\n[A-Z]`, help)
			assert.Regexp(t, `\n\nExamples:\n(  .*\n)*  `+name+`.*\n`, help)
			assert.Regexp(t, `\n\nExit codes: 0 done, 1 [^.]+, 2 wrong usage\.\n$`, help)
			flags := map[string]bool{}
			for _, m := range flagLine.FindAllStringSubmatch(help, -1) {
				assert.False(t, flags[m[1]], "-%s twice", m[1])
				flags[m[1]] = true
			}
			assert.True(t, flags["version"])
			assert.True(t, flags["h"])
			// What the examples give is there.
			_, examples, _ := strings.Cut(help, "\nExamples:\n")
			for _, line := range strings.Split(examples, "\n") {
				given := regexp.MustCompile(` -([a-z][\w-]*)`).FindAllStringSubmatch(line, -1)
				if strings.HasPrefix(line, "  "+name) {
					for _, m := range given {
						assert.True(t, flags[m[1]], line)
					}
				}
			}

			code, out, errs := call("-version")
			assert.Zero(t, code)
			assert.Empty(t, errs)
			assert.Regexp(t, `^`+name+` warpsim \S.*\n$`, out)

			wrong := [][]string{{"-no-such-flag"}, {"one", "more"}}
			if flags["device"] {
				wrong = append(wrong, []string{"-device", "toaster"})
			}
			for flag := range flags {
				if flag != "h" && flag != "version" {
					code, _, errs := call("-"+flag+"=", "one", "more")
					assert.Equal(t, 2, code, "-%s: %s", flag, errs)
					assert.NotContains(t, errs, "not defined", "-%s stands in the help", flag)
				}
			}
			for _, args := range wrong {
				code, out, errs := call(args...)
				assert.Equal(t, 2, code, args)
				assert.Empty(t, out, args)
				assert.Regexp(t, `^`+name+`: (?s).*\n`+name+` -h shows the flags\n$`, errs, args)
			}
		})
	}
}
