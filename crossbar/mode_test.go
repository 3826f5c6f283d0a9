package crossbar

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A mode of which some formula was forgotten does what another one does: by each
// rule, with one operand and with one a lane, all modes differ.
func TestModesDiffer(t *testing.T) {
	for _, rule := range []Rule{CutToWarp, Uncut, CutTo7} {
		for name, fill := range map[string]func(*Route, Mode){
			"one operand": func(r *Route, m Mode) { r.Shuffle(rule, m, 32, 16, 3) },
			"by lane":     func(r *Route, m Mode) { r.ShuffleLanes(rule, m, 32, 16, everywhere(32, 3)) },
		} {
			seen := map[[128]uint8]Mode{}
			for m := range NumModes {
				var r Route
				fill(&r, m)
				same, found := seen[*r.Sources()]
				require.False(t, found, "%s, %s: %s is as %s", rule, name, m, same)
				seen[*r.Sources()] = m
			}
		}
	}
}

func everywhere(n int, x int32) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = x
	}
	return all
}
