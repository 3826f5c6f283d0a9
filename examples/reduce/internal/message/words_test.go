package message

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", -1000: "-1,000", 1234567: "1,234,567", -999: "-999",
		-1 << 63: "-9,223,372,036,854,775,808",
	} {
		assert.Equal(t, want, Thousands(n))
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3},
		{"h200", "h20", 1}, {"ab", "ba", 2}, {"é", "e", 1},
	} {
		assert.Equal(t, c.want, distance(c.a, c.b), c.a+c.b)
		assert.Equal(t, c.want, distance(c.b, c.a), c.b+c.a)
	}
}

func TestManyNamesAreCut(t *testing.T) {
	list := quoteList(make([]string, 50))
	assert.True(t, strings.HasSuffix(list, `"", and 10 more`), list)
}
