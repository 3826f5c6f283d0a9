package device

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSmallestProfileIsValidAndSmallest(t *testing.T) {
	text := smallest(t)
	p, err := Parse("tiny.json", text)
	require.NoError(t, err)
	assert.Equal(t, 4, p.Lanes)

	// Without any one of its fields it is none.
	var root map[string]any
	require.NoError(t, json.Unmarshal(text, &root))
	var fields int
	var drop func(m map[string]any, at string)
	drop = func(m map[string]any, at string) {
		for k, v := range m {
			path := join(at, k)
			fields++
			delete(m, k)
			data, err := json.Marshal(root)
			require.NoError(t, err)
			_, err = Parse("tiny.json", data)
			var pe *ProfileError
			if assert.ErrorAs(t, err, &pe, path) && k != "source" && k != "status" && k != "value" {
				assert.Equal(t, path, pe.Path)
				assert.Equal(t, "missing", pe.What)
			}
			m[k] = v
			if inner, ok := v.(map[string]any); ok {
				drop(inner, path)
			}
		}
	}
	drop(root, "")
	assert.Greater(t, fields, 25)
}

// everything is a profile that gives every field but the costs.
//
//go:embed testdata/everything.json
var everything []byte

func TestNothingIsFilledInWhereEverythingIsGiven(t *testing.T) {
	p, err := Parse("everything.json", everything)
	require.NoError(t, err)
	assert.Empty(t, p.filled)
	for path, pr := range p.Provenance() {
		assert.NotContains(t, pr.Source, "not given", path)
	}
}

func TestParseRefusesContradictions(t *testing.T) {
	for _, c := range []struct{ from, to, path, what string }{
		{`"name": "tiny"`, `"name": ""`, "name", "empty"},
		{`"value": 4`, `"value": 3`, "lanes", "power of two"},
		{`"value": 4`, `"value": 0`, "lanes", "at least one lane"},
		{`"value": 4`, `"value": 256`, "lanes", "a lane mask holds 128"},
		{`"bits": 32`, `"bits": 31`, "rules.masks.bits", "31 bits"},
		{`"redux": []`, `"redux": ["f64.add"]`, "rules.collectives.redux[0]", `"f64.add" is unknown`},
		{`"redux": []`, `"redux": ["i32.add","i32.add"]`, "rules.collectives.redux[1]", "given twice"},
		{`"routes": []`, `"routes": ["teleport"]`, "rules.collectives.routes[0]", `"teleport" is unknown`},
		{`"add": []`, `"add": ["f16"]`, "rules.atomics.add[0]", `"f16" is unknown`},
		{`"clockMHz": 1000`, `"clockMHz": 0`, "limits.clockMHz", "0"},
		{`"namedBarriers": 1`, `"namedBarriers": 0`, "limits.namedBarriers", "0"},
		{`"x": 65535`, `"x": 0`, "limits.grid.x", "0"},
		{`"threadsPerBlock": 64`, `"threadsPerBlock": 65`, "limits.threadsPerBlock", "65 is more than the 64"},
		{`"warpsPerMultiprocessor": 16`, `"warpsPerMultiprocessor": 15`, "limits.threadsPerBlock", "16 is more than the 15"},
		{`"sharedStatic": 4096`, `"sharedStatic": 4097`, "limits.sharedStatic", "4097 is more than the 4096"},
		{`"sharedReserved": 0`, `"sharedReserved": 1`, "limits.sharedPerBlock", "4096 is more than the 4095"},
		{`"registersPerLane": 32`, `"registersPerLane": 4096`, "limits.registersPerLane", "4096 is more than the 2048"},
		{`"banks": 4`, `"banks": 5`, "shared.banks", "5"},
		{`"sectorBytes": 32`, `"sectorBytes": 33`, "memory.sectorBytes", "33"},
		{`"sectorBytes": 32`, `"sectorBytes": 256`, "memory.sectorBytes", "256 is more than the 128"},
		{`"lineBytes": 128`, `"lineBytes": 0`, "memory.lineBytes", "0"},
		{`"groupLanes": 4`, `"groupLanes": 0`, "shared.groupLanes", "0"},
	} {
		text := everything
		require.True(t, bytes.Contains(text, []byte(c.from)), c.from)
		_, err := Parse("tiny.json", bytes.Replace(text, []byte(c.from), []byte(c.to), 1))
		var pe *ProfileError
		if !assert.ErrorAs(t, err, &pe, c.to) {
			continue
		}
		assert.Equal(t, "tiny.json", pe.File)
		assert.Equal(t, c.path, pe.Path, c.to)
		assert.Contains(t, pe.What, c.what, c.to)
		assert.NotEmpty(t, pe.Fix+errorFix(pe), c.to)
	}
}

// errorFix is the advice that the cause carries.
func errorFix(pe *ProfileError) string {
	if pe.Err != nil {
		return pe.Err.Error()
	}
	return ""
}

func TestValidateSeesRulesThatDoNotExist(t *testing.T) {
	p, err := Parse("tiny.json", smallest(t))
	require.NoError(t, err)
	p.Rules.Shuffle = 9
	assert.EqualError(t, p.Validate(), `device profile: rules.operands.shuffle: no such rule: 9; use one of [ptx hip musa]`)
	assert.Equal(t, "rule(9)", p.Rules.Shuffle.String())
}

func TestParseNamesTheData(t *testing.T) {
	p, err := Parse("tiny.json", smallest(t))
	require.NoError(t, err)
	assert.Equal(t, "tiny", p.Name)

	_, err = Parse("dir/bad.json", []byte(`{"name": 1}`))
	assert.EqualError(t, err, "device profile dir/bad.json:1:10: name: is a number, not a text; give a text")

	_, err = Parse("big.json", bytes.Repeat([]byte(" "), maxProfileBytes+1))
	assert.ErrorContains(t, err, "more than 1048576 bytes")
}

// FuzzParse holds Parse to its word: a valid profile or a *ProfileError with
// something in it.
func FuzzParse(f *testing.F) {
	f.Add(smallest(f))
	f.Add(everything)
	for _, name := range []string{"h200", "custom"} {
		data, err := files.ReadFile("profiles/" + name + ".json")
		require.NoError(f, err)
		f.Add(data)
	}
	for _, s := range []string{"", "{", "[]", "null", `{"name":{"value":"x"}}`, `{"lanes":{"value":1e400,"status":"vendor","source":"x"}}`, `{"timing":{"ops":{"":{}}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("fuzz.json", data)
		if err == nil {
			require.NoError(t, p.Validate())
			require.NoError(t, p.Clone().Validate())
			return
		}
		var pe *ProfileError
		require.ErrorAs(t, err, &pe)
		require.Equal(t, "fuzz.json", pe.File)
		require.NotEmpty(t, pe.What)
		lines := bytes.Count(data, []byte("\n")) + 1
		require.LessOrEqual(t, pe.Line, lines)
	})
}
