package docs

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What README gives to copy runs: every command in its blocks that begins with go run or
// go test -run. The tests of the module are what runs this.
func TestReadmeRuns(t *testing.T) {
	switch {
	case testing.Short():
		t.Skip("runs programs and benchmarks")
	case runtime.GOOS == "js" || runtime.GOOS == "wasip1":
		t.Skip("no processes here")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	ran := 0
	for _, m := range fenced.FindAllStringSubmatch(documents(t)["README.md"], -1) {
		if m[1] != "" {
			continue
		}
		for line := range strings.Lines(m[2]) {
			args := strings.Fields(strings.ReplaceAll(strings.TrimSpace(line), "'", ""))
			if !strings.HasPrefix(line, "go run ./") && !strings.HasPrefix(line, "go test -run ") {
				continue
			}
			for i := range args[1:] {
				if args[i] == "-out" {
					args[i+1] = t.TempDir()
				}
			}
			ran++
			c := exec.Command(args[0], args[1:]...)
			c.Dir = root
			out, err := c.CombinedOutput()
			assert.NoError(t, err, "%s%s", line, out)
			switch {
			case strings.Contains(line, " -bench "):
				assert.Contains(t, string(out), "/op", line)
			case args[1] == "test":
				assert.Contains(t, string(out), "--- PASS", line)
			}
		}
	}
	assert.GreaterOrEqual(t, ran, 8)
}
