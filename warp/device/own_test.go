package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What one user does to a profile, others do not see.
func TestProfilesAreOnesOwn(t *testing.T) {
	for _, name := range []string{"h200", "NVIDIA H200", "custom-16"} {
		a, err := Lookup(name)
		require.NoError(t, err)
		want := a.Limits.ClockMHz
		a.Limits.ClockMHz++
		a.Aliases = append(a.Aliases, "mine")
		clear(a.Timing.Ops)
		b, err := Lookup(name)
		require.NoError(t, err)
		assert.Equal(t, want, b.Limits.ClockMHz, name)
		assert.NotContains(t, b.Aliases, "mine", name)
		assert.NotEmpty(t, b.Timing.Ops, name)
	}
}
