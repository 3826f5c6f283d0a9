package device

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whoever adds a field to the format must give it a default: a file that is good
// today stays good. This is the list of what a file without a base must say.
func TestRequiredFieldsAreThoseOfTheFirstFormat(t *testing.T) {
	var required []string
	var walk func(at string, fields []field)
	walk = func(at string, fields []field) {
		for _, f := range fields {
			path := join(at, f.name)
			switch {
			case f.optional:
			case f.parts != nil:
				walk(path, f.parts)
			case path == "rules", path == "limits":
				walk(path, fieldsOf(f.value))
			default:
				required = append(required, path)
			}
		}
	}
	walk("", fieldsOf(valueOf(new(Profile))))
	assert.Equal(t, []string{
		"name", "lanes",
		"rules.operands.shuffle", "rules.reads.inactive", "rules.masks.participation", "rules.threads.independent",
		"limits.multiprocessors", "limits.clockMHz", "limits.threadsPerBlock", "limits.sharedPerBlock", "limits.registersPerLane",
	}, required)
}

func TestDefaultsFollowFromWhatIsGiven(t *testing.T) {
	p, err := Parse("tiny.json", smallest(t))
	require.NoError(t, err)
	l := &p.Limits
	assert.Equal(t, "tiny", p.Title)
	assert.Equal(t, "unknown", p.Vendor)
	assert.Equal(t, []int{16, 64, 16}, []int{l.WarpsPerMultiprocessor, l.ThreadsPerMultiprocessor, l.BlocksPerMultiprocessor})
	assert.Equal(t, []int{4096, 0, 4096, 1}, []int{l.SharedStatic, l.SharedReserved, l.SharedPerMultiprocessor, l.SharedUnit})
	assert.Equal(t, []int{32 * 64, 1}, []int{l.RegistersPerMultiprocessor, l.RegisterUnit})
	assert.Equal(t, Dim{1<<31 - 1, 65535, 65535}, l.Grid)
	assert.Equal(t, Dim{64, 64, 64}, l.Block)
	assert.Equal(t, Banks{32, 4, 4, 0}, p.Shared)
	assert.Equal(t, 32, p.Rules.MaskBits)
	assert.Equal(t, CountsClamped, p.Rules.ShiftCounts)
	assert.Equal(t, ExitedError, p.Rules.BarrierExited)
	pr, ok := p.Source("limits.warpsPerMultiprocessor")
	assert.True(t, ok)
	assert.Equal(t, Provenance{"16", true, Derived, "not given: as many as threadsPerMultiprocessor gives, or the largest block has"}, pr)
	pr, _ = p.Source("shared.banks")
	assert.Equal(t, Estimated, pr.Status, "a default is an estimate")

	text := strings.Replace(string(smallest(t)), `"threadsPerBlock": 64`, `"threadsPerBlock": 64, "threadsPerMultiprocessor": 256`, 1)
	p, err = Parse("tiny.json", []byte(text))
	require.NoError(t, err)
	assert.Equal(t, 64, p.Limits.WarpsPerMultiprocessor)
}

func TestFormatNumber(t *testing.T) {
	for text, what := range map[string]string{
		"1": "", "2": "2", "0": "0", "1.5": "1.5", "-1": "-1", `"1"`: "is a text, not a number",
		`{"value": 1, "status": "vendor", "source": "x"}`: "",
	} {
		_, err := Parse("f.json", []byte(strings.Replace(string(smallest(t)), "{", `{"format": `+text+",", 1)))
		if what == "" {
			assert.NoError(t, err, text)
			continue
		}
		var pe *ProfileError
		if assert.ErrorAs(t, err, &pe, text) {
			assert.Equal(t, "format", pe.Path, text)
			assert.Equal(t, what, pe.What, text)
			assert.Equal(t, []int{1, 12}, []int{pe.Line, pe.Column}, text)
		}
	}
	_, err := Parse("f.json", []byte(strings.Replace(string(smallest(t)), "{", `{"format": 9,`, 1)))
	assert.EqualError(t, err, "device profile f.json:1:12: format: 9; this version reads format 1")
}

func TestRetiredFieldsAreNamed(t *testing.T) {
	text := strings.Replace(string(smallest(t)), `"multiprocessors": 1`, `"multiprocessors": 1, "predicates": 7`, 1)
	_, err := Parse("f.json", []byte(text))
	assert.ErrorContains(t, err, "limits.predicates: no longer a field; remove it; nothing obeyed it")
}

func TestDerivedProfileSaysOnlyWhatDiffers(t *testing.T) {
	doc := readmeBlock(t, "## A profile that says only what differs\n\n```json\n")
	p, err := Parse("half.json", doc)
	require.NoError(t, err)
	base, err := Lookup("h200")
	require.NoError(t, err)
	assert.Equal(t, []string{"half-h200", "half-h200", "h200", "NVIDIA"}, []string{p.Name, p.Title, p.Base, p.Vendor})
	assert.Empty(t, p.Aliases)
	assert.Equal(t, 66, p.Limits.Multiprocessors)
	assert.Equal(t, base.Limits.ClockMHz, p.Limits.ClockMHz)

	// A number that differs has its own source, the others that of the base.
	down := p.Timing.Ops["shfl.down"]
	assert.Equal(t, 48, down.Latency)
	assert.Equal(t, base.Timing.Ops["shfl.down"].OperandLatency, down.OperandLatency)
	pr, _ := p.Source("timing.ops.shfl.down.latency")
	assert.Equal(t, Provenance{"48", true, Estimated, "twice as slow"}, pr)
	pr, _ = p.Source("timing.ops.shfl.down.portCycles")
	assert.Equal(t, Measured, pr.Status)

	// null has removed an instruction with its sources.
	assert.NotContains(t, p.Timing.Ops, "redux")
	assert.Contains(t, base.Timing.Ops, "redux", "the base is untouched")
	_, ok := p.Source("timing.ops.redux.latency")
	assert.False(t, ok)
	assert.Equal(t, 24, base.Timing.Ops["shfl.down"].Latency)

	// The sources are those of the numbers that are there.
	assert.Equal(t, base.Summary().Total()-base.Summary("timing.ops.redux").Total(), p.Summary().Total())
}

func TestDerivedNumbersFollowTheirOrigin(t *testing.T) {
	p, err := Parse("tiny.json", smallest(t))
	require.NoError(t, err)
	q, err := With(p, `{"limits": {"threadsPerBlock": {"value": 128, "status": "estimated", "source": "twice"}}}`)
	require.NoError(t, err)
	assert.Equal(t, "tiny-changed", q.Name)
	assert.Equal(t, 32, q.Limits.WarpsPerMultiprocessor)
	assert.Equal(t, 32*128, q.Limits.RegistersPerMultiprocessor)
	assert.Equal(t, 64, p.Limits.ThreadsPerBlock)

	// What is given stays.
	h, _ := Lookup("h200")
	_, err = With(h, `{"limits": {"threadsPerBlock": {"value": 4096, "status": "estimated", "source": "more"}}}`)
	assert.EqualError(t, err, "device profile (changes): limits.threadsPerBlock: 4096 is more than the 2048 of threadsPerMultiprocessor; correct one of the two")
}

func TestListsAreReplaced(t *testing.T) {
	h, _ := Lookup("h200")
	q, err := With(h, `{"rules": {"collectives": {"status": "estimated", "source": "x", "redux": ["u32.add"], "voteUniform": false}}}`)
	require.NoError(t, err)
	assert.Equal(t, []string{"u32.add"}, q.Rules.Redux)
	assert.True(t, q.Rules.Match)
	assert.Greater(t, len(h.Rules.Redux), 1)
	var left []string
	for path := range q.Provenance() {
		if under(path, "rules.collectives.redux") {
			left = append(left, path)
		}
	}
	assert.Equal(t, []string{"rules.collectives.redux[0]"}, left)
	assert.False(t, slices.Equal(h.Rules.Redux, q.Rules.Redux))
}

func TestWithRefuses(t *testing.T) {
	h, _ := Lookup("h200")
	for changes, want := range map[string]string{
		`{"base": "mi300x"}`:                "base: given; remove it",
		`{"lanes": 64}`:                     "lanes: number without source",
		`{"limits": {"threads": 3}}`:        "limits.threads: unknown field",
		`{"timing": {"ops": {"redux": 3}}}`: "timing.ops.redux: is a number, not an object",
		`{"timing": {"ops": {"new": {"status": "vendor", "source": "x", "latency": 3}}}}`: "timing.ops.new.pipe: missing",
		`{"timing": {"subPartitions": null}}`:                                             "timing.subPartitions: is null, not a number",
		`{`:                                                                               "malformed JSON",
	} {
		_, err := With(h, changes)
		var pe *ProfileError
		require.ErrorAs(t, err, &pe, changes)
		assert.Equal(t, "(changes)", pe.File)
		assert.ErrorContains(t, err, want)
	}
	_, err := With(nil, `{}`)
	assert.ErrorContains(t, err, "base: nil")
	_, err = Parse("x.json", []byte(`{"base": "h20", "name": "x"}`))
	assert.EqualError(t, err, `device profile x.json:1:10: base: unknown device "h20"; did you mean h200?`)
	_, err = Parse("x.json", []byte(`{"base": "h200"}`))
	assert.EqualError(t, err, `device profile x.json:1:1: name: missing; add it`)
}

func TestBarrierAndBranchOfABaseCanBeRemoved(t *testing.T) {
	h, _ := Lookup("h200")
	q, err := With(h, `{"timing": {"branch": null, "barrier": {"status": "estimated", "source": "x", "shadow": 7}}}`)
	require.NoError(t, err)
	assert.Nil(t, q.Timing.Branch)
	assert.Equal(t, 7, q.Timing.Barrier.Shadow)
	assert.Equal(t, h.Timing.Barrier.ReleaseLatency, q.Timing.Barrier.ReleaseLatency)
	assert.NotEqual(t, 7, h.Timing.Barrier.Shadow)
	assert.NotNil(t, h.Timing.Branch)
}
