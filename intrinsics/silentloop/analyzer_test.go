package silentloop_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"example.com/warpsim/intrinsics/silentloop"
)

// The loops of testdata, with what is offered for each in the golden file.
func TestAnalyzer(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), silentloop.Analyzer, "devicefuncs", "kernels")
}

// Packages without kernels cost nothing and report nothing.
func TestOtherPackages(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), silentloop.Analyzer, "nokernels")
}
