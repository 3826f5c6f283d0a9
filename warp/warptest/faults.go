package warptest

import (
	"strings"
	"testing"

	"example.com/warpsim/warp"
)

// NoFaults fails the test for every fault of a run that is an error or a warning,
// with who, what, the rule and what to do; a mistake in a loop is one entry with
// a count. Lints are logged. The report is that of Engine.Run, in whose Config
// Sanitize finds races and Sites names both lines of one.
func NoFaults(t testing.TB, r *warp.Report) {
	t.Helper()
	if r == nil {
		t.Errorf("no report: it is nil")
		return
	}
	if bad := Text(r, warp.SeverityWarning); bad != "" {
		t.Errorf("on %s:\n%s", r.Device, bad)
		return
	}
	if lints := Text(r, warp.SeverityLint); lints != "" {
		t.Logf("on %s:\n%s", r.Device, lints)
	}
}

// Text returns the faults of a report from a severity up, worst first, for
// people; "" if there are none, or there is no report.
func Text(r *warp.Report, from warp.Severity) string {
	var parts []string
	if r == nil {
		return ""
	}
	for s := warp.SeverityError; s >= max(from, warp.SeverityLint); s-- {
		for i := range r.Faults {
			if f := &r.Faults[i]; f.Severity == s {
				parts = append(parts, f.Explain())
			}
		}
	}
	return strings.Join(parts, "\n")
}

// Kinds returns the kinds of the faults of a report, each once, in the order of
// the report; none without a report.
func Kinds(r *warp.Report) []warp.FaultKind {
	var kinds []warp.FaultKind
	if r == nil {
		return nil
	}
	seen := map[warp.FaultKind]bool{}
	for i := range r.Faults {
		if k := r.Faults[i].Kind; !seen[k] {
			seen[k] = true
			kinds = append(kinds, k)
		}
	}
	return kinds
}
