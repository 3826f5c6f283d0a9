package input

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/number"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestReadFile(t *testing.T) {
	path := writeFile(t, "n.txt", "\xef\xbb\xbf1 2\n3\n") // with a byte order mark
	d, err := Source{File: path, Stdin: strings.NewReader("9 9")}.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2, 3}, d.Values)
	assert.Equal(t, "3 numbers, type i32 (all are integers), from "+path, d.String())

	path = writeFile(t, "n.csv", "a,b\n1,2\n")
	d, err = Source{File: path, Column: "b", Kind: number.F64}.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []float64{2}, d.Values)
	assert.Equal(t, "1 number, type f64, from column b of "+path, d.String())
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ name, content, message string }{
		{"gzip", "\x1f\x8b\x08\x00", "this is compressed with gzip; pipe it: gzip -dc FILE | reduce -in -"},
		{"zstd", "\x28\xb5\x2f\xfd", "this is compressed with zstd; pipe it: zstd -dc FILE | reduce -in -"},
		{"xz", "\xfd7zXZ\x00", "this is compressed with xz; pipe it: xz -dc FILE | reduce -in -"},
		{"zip", "PK\x03\x04", "this is a zip archive or a spreadsheet; export the numbers as text or CSV"},
		{"UTF-16", "\xff\xfe1\x00", "this is UTF-16 text; convert it to UTF-8"},
		{"UTF-16 BE", "\xfe\xff\x001", "this is UTF-16 text; convert it to UTF-8"},
		{"floats", "\x00\x00\x80\x3f", "this is binary data, not text (byte 0 is zero); convert it to numbers in text form first"},
		{"late zero", "12 \x00", "this is binary data, not text (byte 3 is zero); convert it to numbers in text form first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, "f", c.content)
			_, err := Source{File: path}.Read(t.Context())
			var in *inputError
			require.ErrorAs(t, err, &in)
			assert.EqualError(t, err, path+": "+c.message)
		})
	}
	t.Run("missing", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "none.txt")
		_, err := Source{File: path}.Read(t.Context())
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.EqualError(t, err, path+": no such file; -in - reads standard input; without -in the embedded data set is used")
	})
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		_, err := Source{File: dir}.Read(t.Context())
		require.ErrorIs(t, err, fs.ErrInvalid)
		assert.EqualError(t, err, dir+": this is a directory; name a file in it")
	})
	t.Run("empty", func(t *testing.T) {
		path := writeFile(t, "e", "")
		_, err := Source{File: path}.Read(t.Context())
		var empty *emptyError
		require.ErrorAs(t, err, &empty)
	})
	t.Run("through a file", func(t *testing.T) {
		path := filepath.Join(writeFile(t, "f", "1"), "below")
		_, err := Source{File: path}.Read(t.Context())
		var in *inputError
		require.ErrorAs(t, err, &in)
	})
}

func TestStandardInput(t *testing.T) {
	t.Run("piped", func(t *testing.T) {
		d, err := Source{Stdin: strings.NewReader("4 5")}.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int32{4, 5}, d.Values)
		assert.Equal(t, "standard input", d.Source)
	})
	t.Run("named", func(t *testing.T) {
		d, err := Source{File: "-", Column: "x", Stdin: strings.NewReader("x\n4")}.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int32{4}, d.Values)
	})
	t.Run("named and empty", func(t *testing.T) {
		for _, stdin := range []io.Reader{nil, strings.NewReader("")} {
			_, err := Source{File: "-", Stdin: stdin}.Read(t.Context())
			assert.EqualError(t, err, "standard input: no numbers in it: it is empty")
		}
	})
	t.Run("piped and empty", func(t *testing.T) {
		var notes bytes.Buffer
		d, err := Source{Stdin: strings.NewReader(""), Notes: &notes}.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, embeddedName, d.Source)
		assert.Equal(t, "reduce: standard input is empty, so the embedded data set is used\n", notes.String())
	})
	t.Run("piped and only comments", func(t *testing.T) {
		_, err := Source{Stdin: strings.NewReader("# no\n")}.Read(t.Context())
		assert.EqualError(t, err, "standard input: no numbers in it: only comments (1 line)")
	})
	t.Run("piped and wrong", func(t *testing.T) {
		_, err := Source{Stdin: strings.NewReader("1\nx")}.Read(t.Context())
		assert.EqualError(t, err, `standard input:2:1: "x" is not a number`)
	})
	t.Run("the null device", func(t *testing.T) {
		null, err := os.Open(os.DevNull)
		require.NoError(t, err)
		defer null.Close()
		assert.False(t, piped(null))
		d, err := Source{Stdin: null}.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, embeddedName, d.Source)
	})
	t.Run("a closed or missing file", func(t *testing.T) {
		assert.False(t, piped(nil))
		assert.False(t, piped((*os.File)(nil)))
		f, err := os.Open(writeFile(t, "f", "1"))
		require.NoError(t, err)
		assert.True(t, piped(f))
		f.Close()
		assert.False(t, piped(f))
	})
	t.Run("an empty file", func(t *testing.T) {
		f, err := os.Open(writeFile(t, "f", ""))
		require.NoError(t, err)
		defer f.Close()
		assert.False(t, piped(f))
	})
	t.Run("a pipe", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		_, err = w.WriteString("8 9")
		require.NoError(t, err)
		w.Close()
		require.True(t, piped(r))
		d, err := Source{Stdin: r}.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int32{8, 9}, d.Values)
	})
}

// A pipe that nobody writes to neither blocks the program for ever nor makes it
// take other numbers than those meant.
func TestSilentPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var notes bytes.Buffer
		start := time.Now()
		_, err := Source{Stdin: r, Notes: &notes}.Read(t.Context())
		require.ErrorIs(t, err, errSilent)
		assert.Equal(t, stdinLimit, time.Since(start))
		assert.Equal(t, 1, strings.Count(notes.String(), "waiting for numbers on standard input"))
		w.Close()
	})
}

func TestSlowPipe(t *testing.T) {
	for name, asked := range map[string]string{"asked": "-", "not asked": ""} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			go func() {
				if asked != "" {
					time.Sleep(10 * stdinLimit)
				}
				_, _ = io.WriteString(w, "1 ")
				time.Sleep(2 * stdinLimit)
				_, _ = io.WriteString(w, "2")
				w.Close()
			}()
			d, err := Source{File: asked, Stdin: r, Notes: io.Discard}.Read(t.Context())
			require.NoError(t, err, name)
			assert.Equal(t, []int32{1, 2}, d.Values, name)
		})
	}
}

func TestReadingIsInterrupted(t *testing.T) {
	t.Run("while waiting", func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Source{File: "-", Stdin: r}.Read(ctx)
		assert.ErrorIs(t, err, context.Canceled)
	})
	t.Run("in a file", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Source{File: writeFile(t, "f", "1 2")}.Read(ctx)
		assert.ErrorIs(t, err, context.Canceled)
	})
}

func TestEmbeddedData(t *testing.T) {
	d, err := Source{}.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 256, d.Count)
	assert.Equal(t, number.F32, d.Kind)
	// The first row is a chain of two dependent integer operations on
	// two pipes: 4 cycles each and 1 to cross over, twice.
	assert.Equal(t, float32(10), d.Values.([]float32)[0])
	assert.Contains(t, d.About, "measured on an H200")

	d, err = Source{Column: "warps", Kind: number.U32}.Read(t.Context())
	require.NoError(t, err)
	assert.IsType(t, []uint32{}, d.Values)

	_, err = Source{Column: "cycels"}.Read(t.Context())
	assert.EqualError(t, err, embeddedName+`: no column "cycels"; did you mean cycles? (there are kind, step, warps, cycles, block_cycles)`)

	_, err = Source{Kind: number.I32}.Read(t.Context())
	assert.ErrorIs(t, err, number.ErrNotInteger)
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		r := &slowReader{pieces: 10}
		d, err := Source{Progress: true, Notes: &screen}.parse(t.Context(), r, "slow", 20)
		require.NoError(t, err)
		assert.Equal(t, 10, d.Count)
		text := screen.String()
		assert.Contains(t, text, "\rreading slow: 50 % of 0.0 MB")
		assert.True(t, strings.HasSuffix(text, "\r"), "the line is cleared")
	})
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		_, err := Source{Progress: true, Notes: &screen}.parse(t.Context(), strings.NewReader("1 2"), "quick", 3)
		require.NoError(t, err)
		assert.Empty(t, screen.String())
	})
}

// A slowReader gives a number each 300 milliseconds.
type slowReader struct{ pieces int }

func (r *slowReader) Read(p []byte) (int, error) {
	if r.pieces == 0 {
		return 0, io.EOF
	}
	r.pieces--
	time.Sleep(300 * time.Millisecond)
	return copy(p, "1 "), nil
}

func TestErrorsKeepTheirCause(t *testing.T) {
	cause := errors.New("cause")
	assert.ErrorIs(t, &inputError{Err: cause}, cause)
	assert.ErrorIs(t, &numberError{Reason: number.ErrRange}, number.ErrRange)
}
