package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	tab := table{right: []bool{false, true}}
	tab.add("name", "n", "x")
	tab.add("é", "1,000")
	tab.add("", "7", "right")
	var b strings.Builder
	require.NoError(t, tab.write(&b))
	assert.Equal(t, "name      n  x\né     1,000\n          7  right\n", b.String())
}
