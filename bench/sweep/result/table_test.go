package result

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTablesInThreeFormatsSayTheSame(t *testing.T) {
	dir := t.TempDir()
	columns := []Column{{"size", Whole}, {"kernel", Text}, {"banks", Real}, {"error", Text}}
	err := WriteTable(dir, "rows", columns, func(yield func([]any, error) bool) {
		_ = yield([]any{int64(32), `a "b", <c>`, 0.5, nil}, nil) && yield([]any{int64(64), nil, nil, "does\nnot fit"}, nil)
	})
	require.NoError(t, err)
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	assert.Equal(t, "size,kernel,banks,error\n32,\"a \"\"b\"\", <c>\",0.5,\n64,,,\"does\nnot fit\"\n", read("rows.csv"))
	assert.Equal(t, "{\"size\":32,\"kernel\":\"a \\\"b\\\", \\u003cc\\u003e\",\"banks\":0.5}\n{\"size\":64,\"error\":\"does\\nnot fit\"}\n", read("rows.jsonl"))

	type row struct {
		Size   *int64   `parquet:"size"`
		Kernel *string  `parquet:"kernel"`
		Banks  *float64 `parquet:"banks"`
		Error  *string  `parquet:"error"`
	}
	got, err := parquet.ReadFile[row](filepath.Join(dir, "rows.parquet"))
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, row{new(int64(32)), new(`a "b", <c>`), new(0.5), nil}, got[0])
	assert.Equal(t, row{new(int64(64)), nil, nil, new("does\nnot fit")}, got[1])

	there, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, there, 3, "no temporary file stays")
}

// An error while rows are read leaves what was there as it was.
func TestTableIsThereWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rows.csv"), []byte("before"), 0o644))
	broken := errors.New("broken")
	err := WriteTable(dir, "rows", []Column{{"size", Whole}}, func(yield func([]any, error) bool) {
		_ = yield([]any{int64(1)}, nil) && yield(nil, broken)
	})
	assert.Equal(t, broken, err)
	there, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, there, 1)
	data, err := os.ReadFile(filepath.Join(dir, "rows.csv"))
	require.NoError(t, err)
	assert.Equal(t, "before", string(data))
}

func TestFullDiskIsToldAndNothingIsLost(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	a := &Attempt{store: &Store{Dir: t.TempDir(), Points: 1, Shard: 1}, file: full}
	err = a.Add(Row{})
	assert.ErrorIs(t, err, syscall.ENOSPC)
	assert.EqualError(t, err, "/dev/full: cannot be written: no space left on device; nothing that was done is lost: make room or mend it, then go on with -resume")
}
