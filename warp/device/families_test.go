package device

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a profile takes from another device has the status that the profile gives
// it, and says where it was taken from.
func TestInheritedNumbersAreRelabelled(t *testing.T) {
	a, err := Lookup("a100")
	require.NoError(t, err)
	pr, ok := a.Source("timing.ops.popc.latency")
	require.True(t, ok)
	assert.Equal(t, Provenance{"17", true, Estimated, "no figure read for the A100; the H200's, two generations later (h200: measured)"}, pr)
	h, err := Lookup("h100")
	require.NoError(t, err)
	pr, _ = h.Source("timing.ops.convert.latency")
	assert.Equal(t, Estimated, pr.Status, "an estimate does not become better")
	pr, _ = a.Source("timing.ops.lds.latency")
	assert.Equal(t, Published, pr.Status, "its own")

	for text, what := range map[string]string{
		`{"name": "x", "inherited": {"status": "estimated", "source": "y"}}`:                             "inherited: given without a base",
		`{"base": "h200", "name": "x", "inherited": 3}`:                                                  "inherited: is a number, not an object",
		`{"base": "h200", "name": "x", "inherited": {"status": "estimated"}}`:                            "inherited: without source",
		`{"base": "h200", "name": "x", "inherited": {"status": "estimated", "source": "y", "value": 1}}`: "inherited.value: unknown field",
	} {
		_, err := Parse("x.json", []byte(text))
		assert.ErrorContains(t, err, what, text)
	}
	_, err = With(a, `{"inherited": {"status": "estimated", "source": "y"}}`)
	assert.ErrorContains(t, err, "inherited: given; remove it")
}

// No number that is inherited from another chip counts as measured on this one.
func TestOnlyTheH200IsMeasured(t *testing.T) {
	for _, name := range Names() {
		p, err := Lookup(name)
		require.NoError(t, err)
		if n := p.Summary().Of(Measured); name == "h200" {
			assert.Greater(t, n, 100)
		} else {
			assert.Zero(t, n, name)
		}
	}
}

// The ways between lanes that AMD's generations have.
func TestRoutesByGeneration(t *testing.T) {
	for _, c := range []struct {
		name                      string
		bcast, wave, share, xmask bool
		permlane                  bool
		lanes, reach              int
		counts                    ShiftCounts
	}{
		{"mi50", true, true, false, false, false, 64, 64, CountsCut},
		{"mi100", true, true, false, false, false, 64, 64, CountsCut},
		{"mi250x", true, true, true, false, false, 64, 64, CountsCut},
		{"mi300x", true, true, true, false, false, 64, 64, CountsCut},
		{"mi355x", true, true, true, false, true, 64, 64, CountsCut},
		{"rx5700xt", false, false, true, true, true, 32, 32, CountsCut},
		{"rx6900xt-wave64", false, false, true, true, true, 64, 32, CountsCut},
		{"rx7900xt-wave64", false, false, true, true, true, 64, 32, CountsCut},
		{"rx9070xt-wave64", false, false, true, true, true, 64, 64, CountsCut},
		{"h200", false, false, false, false, false, 32, 32, CountsClamped},
	} {
		p, err := Lookup(c.name)
		require.NoError(t, err)
		r := &p.Rules
		assert.Equal(t, []bool{c.bcast, c.wave, c.share, c.xmask, c.permlane},
			[]bool{slices.Contains(r.RowMoves, "row_bcast"), slices.Contains(r.RowMoves, "wave_shl"), slices.Contains(r.RowMoves, "row_share"), slices.Contains(r.RowMoves, "row_xmask"), slices.Contains(r.Routes, "permlane")}, c.name)
		assert.Equal(t, []int{c.lanes, c.reach}, []int{p.Lanes, r.PermuteLanes}, c.name)
		assert.Equal(t, c.counts, r.ShiftCounts, c.name)
		assert.Equal(t, c.permlane, len(r.PermLanes) > 0, c.name)
	}
}

// What its source calls recalled, a guess or not found is an estimate, whatever is made
// of it.
func TestRecalledNumbersAreEstimates(t *testing.T) {
	for _, name := range Names() {
		p, err := Lookup(name)
		require.NoError(t, err)
		for path, pr := range p.Provenance() {
			for _, word := range []string{"recalled", "a guess", "no figure"} {
				if strings.Contains(pr.Source, word) {
					require.Equal(t, Estimated, pr.Status, "%s, %s: %s", name, path, pr.Source)
				}
			}
		}
	}
}
