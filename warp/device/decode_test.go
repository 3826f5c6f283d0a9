package device

import (
	"strings"
	"testing"

	"example.com/warpsim/crossbar"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// part has a field of every shape that a profile may use.
type part struct {
	Count  int            `json:"count"`
	Small  int8           `json:"small,omitempty"`
	Bits   uint16         `json:"bits,omitempty"`
	Ratio  float64        `json:"ratio,omitempty"`
	On     bool           `json:"on,omitempty"`
	Text   string         `json:"text,omitempty"`
	Rule   crossbar.Rule  `json:"rule,omitempty"`
	List   []int          `json:"list,omitempty"`
	Pair   [2]int         `json:"pair,omitempty"`
	Names  map[string]int `json:"names,omitempty"`
	Inner  *Dim           `json:"inner,omitempty"`
	Left   int            `json:"group.left,omitempty"`
	Right  bool           `json:"group.right,omitempty"`
	Hidden int            `json:"-"`
	Dim    `json:"dim,omitempty"`
}

func decodePart(text string) (part, map[string]Provenance, error) {
	var v part
	root, err := parseTree("part.json", []byte(text))
	if err != nil {
		return v, nil, err
	}
	d := decoder{file: "part.json", data: []byte(text), sources: map[string]Provenance{}}
	err = d.decode(root, valueOf(&v), "", nil)
	return v, d.sources, err
}

func TestDecodeShapes(t *testing.T) {
	v, sources, err := decodePart(`{
	  "status": "vendor", "source": "all",
	  "count": {"value": 3, "status": "measured", "source": "here"},
	  "small": 127, "bits": 65535, "ratio": 2.5, "on": true, "text": "word", "rule": "musa",
	  "list": [1, {"value": 2, "status": "derived", "source": "there"}],
	  "pair": {"value": [8, 9], "status": "published", "source": "paper"},
	  "names": {"a.b": 4},
	  "inner": {"status": "estimated", "source": "guess", "x": 5, "y": 6, "z": 7},
	  "group": {"left": 10, "right": true},
	  "dim": {"x": 1, "y": 2, "z": 3}
	}`)
	require.NoError(t, err)
	want := part{
		Count: 3, Small: 127, Bits: 65535, Ratio: 2.5, On: true, Text: "word", Rule: crossbar.CutTo7,
		List: []int{1, 2}, Pair: [2]int{8, 9}, Names: map[string]int{"a.b": 4},
		Inner: &Dim{5, 6, 7},
		Left:  10, Right: true, Dim: Dim{1, 2, 3},
	}
	assert.Empty(t, cmp.Diff(want, v))

	number := func(v string, s Status, src string) Provenance { return Provenance{v, true, s, src} }
	text := func(v string) Provenance { return Provenance{v, false, Vendor, "all"} }
	assert.Empty(t, cmp.Diff(map[string]Provenance{
		"count":       number("3", Measured, "here"),
		"small":       number("127", Vendor, "all"),
		"bits":        number("65535", Vendor, "all"),
		"ratio":       number("2.5", Vendor, "all"),
		"on":          text("true"),
		"text":        text("word"),
		"rule":        text("musa"),
		"list[0]":     number("1", Vendor, "all"),
		"list[1]":     number("2", Derived, "there"),
		"pair[0]":     number("8", Published, "paper"),
		"pair[1]":     number("9", Published, "paper"),
		"names.a.b":   number("4", Vendor, "all"),
		"inner.x":     number("5", Estimated, "guess"),
		"inner.y":     number("6", Estimated, "guess"),
		"inner.z":     number("7", Estimated, "guess"),
		"group.left":  number("10", Vendor, "all"),
		"group.right": text("true"),
		"dim.x":       number("1", Vendor, "all"),
		"dim.y":       number("2", Vendor, "all"),
		"dim.z":       number("3", Vendor, "all"),
	}, sources))
}

func TestDecodeErrors(t *testing.T) {
	const ok = `"status":"measured","source":"s"`
	for _, c := range []struct {
		name, text string
		path, what string
	}{ // § marks the place that the error names
		{"bare number", `{"count": §3}`, "count", "number without source"},
		{"no source", `{"count": §{"value":3,"status":"measured"}}`, "count", "without source"},
		{"empty source", `{"count": {"value":3,"status":"measured","source":§" "}}`, "count.source", "empty"},
		{"source no text", `{"count": {"value":3,"status":"measured","source":§1}}`, "count.source", "is a number, not a text"},
		{"no status", `{"count": §{"value":3,"source":"s"}}`, "count", "without status"},
		{"bad status", `{"count": {"value":3,"status":§"heard","source":"s"}}`, "count.status", `unknown status "heard"`},
		{"status no text", `{"count": {"value":3,"status":§true,"source":"s"}}`, "count.status", "is true or false, not a text"},
		{"no value", `{"count": §{` + ok + `}}`, "count", `a value without "value"`},
		{"extra field of a value", `{"count": {"value":3,` + ok + `,§"note":"x"}}`, "count.note", "unknown field of a value"},
		{"object as value", `{"count": {"value":§{},` + ok + `}}`, "count", "a value cannot be an object"},
		{"negative", "{\n  \"count\": {\"value\":§-4," + ok + `}}`, "count", "negative number -4"},
		{"fraction", `{` + ok + `,"count":§3.5}`, "count", "not a whole number: 3.5"},
		{"exponent", `{` + ok + `,"count":§3e2}`, "count", "not a whole number: 3e2"},
		{"above int8", `{` + ok + `,"count":3,"small":§128}`, "small", "number too large: 128"},
		{"above uint16", `{` + ok + `,"count":3,"bits":§65536}`, "bits", "number too large: 65536"},
		{"above 64 bits", `{` + ok + `,"count":§18446744073709551616}`, "count", "number too large: 18446744073709551616"},
		{"above int64", `{` + ok + `,"count":§9223372036854775808}`, "count", "number too large: 9223372036854775808"},
		{"above float64", `{` + ok + `,"count":3,"ratio":§1e999}`, "ratio", "number too large: 1e999"},
		{"text for number", `{` + ok + `,"count":§"3"}`, "count", "is a text, not a number"},
		{"null for number", `{` + ok + `,"count":§null}`, "count", "is null, not a number"},
		{"number for bool", `{` + ok + `,"count":3,"on":§1}`, "on", "is a number, not true or false"},
		{"number for text", `{` + ok + `,"count":3,"text":§1}`, "text", "is a number, not a text"},
		{"number for rule", `{` + ok + `,"count":3,"rule":§1}`, "rule", "is a number, not a text"},
		{"unknown rule", `{` + ok + `,"count":3,"rule":§"cuda"}`, "rule", `"cuda" is none of ptx, hip, musa`},
		{"object for list", `{` + ok + `,"count":3,"list":§{}}`, "list", `a value without "value"`},
		{"number for list", `{` + ok + `,"count":3,"list":§1}`, "list", "is a number, not a list"},
		{"negative in list", `{` + ok + `,"count":3,"list":[1,§-1]}`, "list[1]", "negative number -1"},
		{"short array", `{` + ok + `,"count":3,"pair":§[1]}`, "pair", "1 values"},
		{"list for object", `{` + ok + `,"count":3,"inner":§[]}`, "inner", "is a list, not an object"},
		{"missing inside", `{` + ok + `,"count":3,"inner":§{"x":1,"y":2}}`, "inner.z", "missing"},
		{"bad map value", `{` + ok + `,"count":3,"names":{"a":§"x"}}`, "names.a", "is a text, not a number"},
		{"missing", `§{` + ok + `}`, "count", "missing"},
		{"unknown", `{` + ok + `,"count":3,§"cuont":4}`, "cuont", "unknown field"},
		{"hidden", `{` + ok + `,"count":3,§"Hidden":4}`, "Hidden", "unknown field"},
		{"unknown in group", `{` + ok + `,"count":3,"group":{§"up":4}}`, "group.up", "unknown field"},
		{"twice", `{` + ok + `,"count":3,§"count":4}`, "count", "given twice"},
		{"group without source", `§{"status":"measured","count":3}`, "", "without source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, ok := strings.Cut(c.text, "§")
			require.True(t, ok)
			_, _, err := decodePart(before + after)
			var pe *ProfileError
			require.ErrorAs(t, err, &pe)
			assert.Equal(t, c.path, pe.Path)
			assert.Equal(t, c.what, pe.What)
			assert.Equal(t, "part.json", pe.File)
			line, column := position([]byte(before), len(before))
			assert.Equal(t, line, pe.Line, "line")
			assert.Equal(t, column, pe.Column, "column")
			assert.NotEmpty(t, pe.Fix)
		})
	}
}

func TestUnknownFieldNamesTheNearOne(t *testing.T) {
	_, _, err := decodePart(`{"status":"measured","source":"s","cuont":4}`)
	assert.EqualError(t, err, `device profile part.json:1:35: cuont: unknown field; did you mean count?`)
}

func TestMalformedJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line, col  int
	}{
		{"empty", "", 1, 1},
		{"cut off", "{\n \"a\": 1", 2, 7},
		{"no comma", "{\n \"a\": 1\n \"b\": 2}", 3, 2},
		{"more after the end", "{}\n\n}", 3, 1},
		{"bad literal", "{\"a\": tru}", 1, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("x.json", []byte(c.text))
			var pe *ProfileError
			require.ErrorAs(t, err, &pe)
			assert.Contains(t, pe.What, "malformed JSON")
			assert.Equal(t, []int{c.line, c.col}, []int{pe.Line, pe.Column})
			assert.NotEmpty(t, pe.Fix)
		})
	}
}

func TestDeepNesting(t *testing.T) {
	text := ""
	for range 40 {
		text += `{"a":`
	}
	text += "1"
	for range 40 {
		text += "}"
	}
	_, err := Parse("deep.json", []byte(text))
	assert.ErrorContains(t, err, "nested too deep")
}
