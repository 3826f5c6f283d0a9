package timing_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page on embedding shows the file beside this one.
func TestEmbeddingPageShowsWhatRuns(t *testing.T) {
	page, err := os.ReadFile("EMBEDDING.md")
	require.NoError(t, err)
	code, err := os.ReadFile("example_embedding_test.go")
	require.NoError(t, err)
	page, code = bytes.ReplaceAll(page, []byte("\r"), nil), bytes.ReplaceAll(code, []byte("\r"), nil)
	_, code, _ = bytes.Cut(code, []byte("package timing_test\n\n"))
	_, shown, ok := strings.Cut(string(page), "```go\n")
	require.True(t, ok)
	shown, _, _ = strings.Cut(shown, "```")
	require.Equal(t, string(code), shown)
	require.LessOrEqual(t, strings.Count(shown[:strings.Index(shown, "func Example")], "\n"), 40)
}
