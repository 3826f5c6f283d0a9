package device

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	names := Names()
	assert.Equal(t, []string{
		"a100", "adreno-660", "adreno-660-128", "apple-m1-max", "b200", "h100", "h200", "k40",
		"mi100", "mi250x", "mi300x", "mi355x", "mi50", "mtt-m1000", "mtt-s3000", "mtt-s4000", "mtt-s5000", "mtt-s80",
		"p100", "rtx3080", "rtx4090", "rx5700xt", "rx5700xt-wave64", "rx6900xt", "rx6900xt-wave64",
		"rx7900xt", "rx7900xt-wave64", "rx9070xt", "rx9070xt-wave64", "t4", "v100", "xe", "xe-32", "xe-8",
	}, names)
	names[0] = "changed"
	assert.Equal(t, "a100", Names()[0], "callers get a copy")
}

func TestLookupTakesOtherSpellings(t *testing.T) {
	for spelling, name := range map[string]string{
		"h200": "h200", "H200": "h200", "NVIDIA H200": "h200", "nvidia-h200": "h200", "sm_90": "h200",
		"MI300X": "mi300x", "mi300": "mi300x", "AMD Instinct MI300X": "mi300x", "gfx942": "mi300x",
		"S5000": "mtt-s5000", "mtt s4000": "mtt-s4000", "MTT M1000": "mtt-m1000", "Moore Threads MTT S5000": "mtt-s5000",
		"custom-16": "custom-16", "Custom-128": "custom-128",
	} {
		p, err := Lookup(spelling)
		if assert.NoError(t, err, spelling) {
			assert.Equal(t, name, p.Name, spelling)
		}
	}
}

func TestNoSpellingStandsForTwoDevices(t *testing.T) {
	seen := map[string]string{}
	for _, name := range Names() {
		p, err := Lookup(name)
		require.NoError(t, err)
		for _, s := range append([]string{name, p.Title}, p.Aliases...) {
			if other, ok := seen[fold(s)]; ok && other != name {
				t.Errorf("%q is %s and %s", s, other, name)
			}
			seen[fold(s)] = name
		}
	}
}

func TestUnknownDevice(t *testing.T) {
	for name, near := range map[string][]string{
		"h300":      {"h100", "h200"},
		"h20":       {"h200"},
		"mi300a":    {"mi300x"},
		"mtt-s400":  {"mtt-s4000", "mtt-s3000", "mtt-s5000"},
		"nvidia2h0": {"b200", "h200", "k40"},
		"custom":    {"custom-N (N lanes)"},
		"":          nil,
		"zx81":      nil,
	} {
		_, err := Lookup(name)
		var ue *UnknownDeviceError
		require.ErrorAs(t, err, &ue, name)
		assert.Equal(t, name, ue.Name)
		assert.Equal(t, near, ue.Near, name)
		assert.Equal(t, Names(), ue.Known)
	}
	_, err := Lookup("h300")
	assert.EqualError(t, err, `unknown device "h300"; did you mean h100 or h200?`)
	_, err = Lookup("zx81")
	assert.EqualError(t, err, `unknown device "zx81"; known are `+strings.Join(Names(), ", ")+` and custom-N for N lanes`)

	var we *WidthError
	_, err = Lookup("custom-3")
	assert.True(t, errors.As(err, &we))
	_, err = Lookup("custom--2")
	assert.True(t, errors.As(err, &we))
}

// Looking a device up again copies it, and reads no file again.
func TestLookupAgainIsCheap(t *testing.T) {
	first, err := Lookup("h200")
	require.NoError(t, err)
	assert.Less(t, testing.AllocsPerRun(100, func() {
		p, _ := Lookup("h200")
		if p.Name != first.Name {
			t.Error("another profile")
		}
	}), 1000.0)
}

func TestProvenance(t *testing.T) {
	p, err := Lookup("h200")
	require.NoError(t, err)
	var paths []string
	for path, pr := range p.Provenance() {
		paths = append(paths, path)
		got, ok := p.Source(path)
		assert.True(t, ok)
		assert.Equal(t, pr, got)
	}
	assert.True(t, slices.IsSorted(paths))
	assert.Contains(t, paths, "rules.operands.shuffle")
	for range p.Provenance() {
		break // stopping early is allowed
	}

	lanes, ok := p.Source("lanes")
	assert.True(t, ok)
	assert.Equal(t, "32", lanes.Value)
	assert.Equal(t, Measured, lanes.Status)
	shuffle, _ := p.Source("rules.operands.shuffle")
	assert.Equal(t, "ptx", shuffle.Value)
	assert.False(t, shuffle.Number)
	_, ok = p.Source("limits")
	assert.False(t, ok, "a group is no value")
}

func TestSummary(t *testing.T) {
	p, err := Parse("tiny.json", smallest(t))
	require.NoError(t, err)
	p.SetSource("limits.grid.x", Provenance{"65535", true, Measured, "counted"})
	p.SetSource("limits.grid.y", Provenance{"1", true, Vendor, "said"})

	s := p.Summary("limits.grid", "limits.grid.x", "lanes", "lanes", "rules.operands", "limits.depth")
	assert.Equal(t, 5, s.Total())
	assert.Equal(t, 1, s.Of(Measured))
	assert.Equal(t, 1, s.Of(Vendor))
	assert.Equal(t, 2, s.Of(Estimated), "grid.z and lanes")
	assert.Equal(t, 1, s.Unsourced(), "there is no limits.depth")
	assert.Equal(t, "5 numbers: 1 measured, 1 vendor, 2 estimated, 1 unsourced", s.String())

	// 1 width, 1 mask, 1 reach, 15 limits, 6 dimensions, 3 of the banks, 3 of the memory.
	assert.Equal(t, 30, p.Summary().Total())
	assert.Equal(t, "0 numbers", p.Summary("rules.operands").String(), "a rule is no number")
	assert.Zero(t, s.Of(0))
	assert.Zero(t, s.Of(99))
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		if _, err := Lookup("mi300x"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupAlias(b *testing.B) {
	for b.Loop() {
		if _, err := Lookup("AMD Instinct MI300X"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := files.ReadFile("profiles/mi300x.json")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Parse("mi300x.json", data); err != nil {
			b.Fatal(err)
		}
	}
}
