package device

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp/isa"
)

// smallest returns the profile that the README gives as the smallest one.
func smallest(t testing.TB) []byte {
	t.Helper()
	return readmeBlock(t, "## The smallest valid profile\n\n```json\n")
}

// readmeBlock returns the block of code that follows a text in the README.
func readmeBlock(t testing.TB, after string) []byte {
	t.Helper()
	doc, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(doc), after)
	require.True(t, ok)
	text, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	return []byte(text)
}

func everyName() []string {
	names := Names()
	for n := 1; n <= lane.MaxLanes; n *= 2 {
		names = append(names, fmt.Sprintf("custom-%d", n))
	}
	return names
}

func TestBuiltInProfiles(t *testing.T) {
	for _, name := range everyName() {
		t.Run(name, func(t *testing.T) {
			p, err := Lookup(name)
			require.NoError(t, err)
			assert.Equal(t, name, p.Name)
			require.NoError(t, p.Validate())
			for path, pr := range p.Provenance() {
				assert.NotEmpty(t, pr.Source, path)
				assert.NotEmpty(t, pr.Value, path)
				assert.Contains(t, statusNames, pr.Status.String(), path)
			}
			assert.Zero(t, p.Summary().Unsourced())

			l := &p.Limits
			assert.Equal(t, l.WarpsPerMultiprocessor*p.Lanes, l.ThreadsPerMultiprocessor)
			assert.Zero(t, l.ThreadsPerBlock%p.Lanes, "the largest block is whole warps")
			assert.LessOrEqual(t, l.RegistersPerLane, isa.MaxRows)
			// Collectives that the rules offer have a price, and the others none.
			if len(p.Timing.Ops) > 0 {
				for op, offered := range map[isa.Op]bool{
					isa.Redux: len(p.Rules.Redux) > 0, isa.MatchAny: p.Rules.Match, isa.MatchAll: p.Rules.Match,
					isa.Elect: p.Rules.Elect, isa.RowMove: slices.Contains(p.Rules.Routes, "dpp"), isa.Permute: slices.Contains(p.Rules.Routes, "permute"),
					isa.ReadLane: slices.Contains(p.Rules.Routes, "readlane"), isa.WriteLane: slices.Contains(p.Rules.Routes, "readlane"),
					isa.PermLane: slices.Contains(p.Rules.Routes, "permlane"),
				} {
					_, priced := p.Timing.Ops[op.String()]
					assert.Equal(t, offered, priced, "%v", op)
				}
			}
		})
	}
}

// Every number of the files themselves has a source, whatever the loader says.
func TestEveryNumberInTheFilesHasASource(t *testing.T) {
	entries, err := files.ReadDir("profiles")
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("profiles", e.Name()))
		require.NoError(t, err)
		var root any
		require.NoError(t, json.Unmarshal(data, &root))
		numbers := 0
		var walk func(at string, v any, sourced bool)
		walk = func(at string, v any, sourced bool) {
			switch v := v.(type) {
			case float64:
				numbers++
				assert.True(t, sourced, "%s: %s", e.Name(), at)
			case []any:
				for i, x := range v {
					walk(fmt.Sprintf("%s[%d]", at, i), x, sourced)
				}
			case map[string]any:
				src, _ := v["source"].(string)
				sourced = sourced || strings.TrimSpace(src) != ""
				for k, x := range v {
					if at == "" && k == "format" {
						continue // a number of the file, not of the device
					}
					if at == "" && k == "format" {
						continue // a number of the file, not of the device
					}
					walk(at+"."+k, x, sourced)
				}
			}
		}
		walk("", root, false)
		p, err := Parse(e.Name(), data)
		require.NoError(t, err)
		if p.Base == "" {
			assert.Equal(t, numbers, p.Summary().Total()-len(p.filled), "the loader sees every number of %s", e.Name())
		}
	}
}

// What the recorded runs and the vendors say, against the profiles.
func TestKnownFacts(t *testing.T) {
	for _, c := range []struct {
		name                                    string
		lanes, sms, warps, blocks, shared, regs int
		shuffle                                 crossbar.Rule
		who                                     Participation
		maskBits                                int
	}{
		{"h200", 32, 132, 64, 32, 227 << 10, 65536, crossbar.CutToWarp, ByMask, 32},
		{"mi300x", 64, 304, 32, 32, 64 << 10, 131072, crossbar.Uncut, ByActive, 64},
		{"mtt-s5000", 32, 56, 96, 16, 192 << 10, 131072, crossbar.CutTo7, ByMask, 32},
		{"mtt-s4000", 128, 56, 48, 16, 28 << 10, 131072, crossbar.CutTo7, ByMask, 32},
	} {
		p, err := Lookup(c.name)
		require.NoError(t, err)
		l, r := &p.Limits, &p.Rules
		assert.Equal(t, []int{c.lanes, c.sms, c.warps, c.blocks, c.shared, c.regs},
			[]int{p.Lanes, l.Multiprocessors, l.WarpsPerMultiprocessor, l.BlocksPerMultiprocessor, l.SharedPerBlock, l.RegistersPerMultiprocessor}, c.name)
		assert.Equal(t, c.shuffle, r.Shuffle, c.name)
		assert.Equal(t, c.who, r.Participation, c.name)
		assert.Equal(t, c.maskBits, r.MaskBits, c.name)
		assert.Equal(t, 1024, l.ThreadsPerBlock, c.name)
	}

	h, _ := Lookup("h200")
	assert.Equal(t, ChipZero, h.Rules.ChipInactive)
	assert.True(t, slices.Contains(h.Rules.Redux, "u32.max"))
	assert.False(t, slices.Contains(h.Rules.Redux, "f32.min"), "a later generation's")
	assert.True(t, slices.Contains(h.Rules.AtomicAdd, "f64"))

	// A 32-bit mask cannot name 128 lanes: it names those of the own group.
	s, _ := Lookup("mtt-s4000")
	assert.Equal(t, MaskOfGroup, s.Rules.MaskScope)
}

func TestCustomWidths(t *testing.T) {
	base, err := Custom(32)
	require.NoError(t, err)
	for n := 1; n <= lane.MaxLanes; n *= 2 {
		p, err := Custom(n)
		require.NoError(t, err)
		assert.Equal(t, n, p.Lanes)
		assert.Equal(t, 1024, p.Limits.ThreadsPerBlock)
		assert.GreaterOrEqual(t, p.Rules.MaskBits, n, "a mask names every lane")
		assert.Empty(t, cmp.Diff(base.Timing, p.Timing), "two widths differ in nothing but the width")
		for _, at := range []string{"lanes", "limits.warpsPerMultiprocessor", "rules.masks.bits"} {
			pr, ok := p.Source(at)
			assert.True(t, ok, at)
			if at == "lanes" {
				assert.Equal(t, fmt.Sprint(n), pr.Value)
			}
		}
	}
	for n, reason := range map[int]string{
		0: "at least one lane", -1: "at least one lane", 3: "power of two; use 2 or 4",
		48: "use 32 or 64", 127: "use 64 or 128", 129: "a lane mask holds 128", 256: "a lane mask holds 128",
	} {
		_, err := Custom(n)
		var we *WidthError
		require.ErrorAs(t, err, &we, "%d lanes", n)
		assert.Equal(t, n, we.Lanes)
		assert.ErrorContains(t, err, reason)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	for _, name := range everyName() {
		p, err := Lookup(name)
		require.NoError(t, err)
		c := p.Clone()
		assert.True(t, reflect.DeepEqual(p, c))
		before := p.Clone()

		scramble(reflect.ValueOf(c).Elem())
		c.SetSource("lanes", Provenance{"7", true, Measured, "changed"})
		assert.True(t, reflect.DeepEqual(before, p), "%s changed with its clone", name)
	}
}

// scramble changes every value below v in place.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				scramble(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			v.SetMapIndex(k, reflect.Value{})
		}
	case reflect.String:
		v.SetString(v.String() + "!")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64, reflect.Float32:
		v.SetFloat(v.Float() + 1)
	default:
		if v.CanInt() {
			v.SetInt(v.Int() + 1)
		} else {
			v.SetUint(v.Uint() + 1)
		}
	}
}
