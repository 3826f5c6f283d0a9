package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"h200", "h200", 0},
		{"h100", "h200", 1},  // one replaced
		{"h20", "h200", 1},   // one inserted
		{"h2200", "h200", 1}, // one removed
		{"h020", "h200", 1},  // two swapped
		{"kitten", "sitting", 3},
	} {
		assert.Equal(t, c.want, distance(c.a, c.b), "%q to %q", c.a, c.b)
		assert.Equal(t, c.want, distance(c.b, c.a), "%q to %q", c.b, c.a)
	}
}

func TestFold(t *testing.T) {
	assert.Equal(t, "nvidiah200", fold("NVIDIA  H-200!"))
	assert.Equal(t, "", fold("—é"))
}
