package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	tab := Table{Right: []bool{false, true}}
	tab.Add("name", "n", "x")
	tab.Add("é", "1,000")
	tab.Add("", "7", "right")
	var b strings.Builder
	require.NoError(t, tab.Write(&b))
	assert.Equal(t, "name      n  x\né     1,000\n          7  right\n", b.String())
}
