package warp

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersion(t *testing.T) {
	assert.NotEmpty(t, Version())
	const module, hash = "example.org/sim", "0123456789abcdef0123456789abcdef01234567"
	revision := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: hash}}
	pseudo := "v0.0.0-20260102030405-0123456789ab"
	for want, info := range map[string]*debug.BuildInfo{
		"(devel)":              {Main: debug.Module{Path: module}},
		"v1.2.3":               {Main: debug.Module{Path: module, Version: "v1.2.3"}},
		"(devel) 0123456789ab": {Main: debug.Module{Path: module, Version: "(devel)"}, Settings: revision},
		pseudo:                 {Main: debug.Module{Path: module, Version: pseudo}, Settings: revision},
		// As a dependency: the revision is not the module's.
		"v1.2.4": {Main: debug.Module{Path: "example.org/mine", Version: "(devel)"}, Settings: revision,
			Deps: []*debug.Module{{Path: module, Version: "v1.2.4"}}},
		"v0.0.0 => ../sim": {Main: debug.Module{Path: module + "/nested", Version: "v9"},
			Deps: []*debug.Module{{Path: "example.org/other", Version: "v7"}, {Path: module, Version: "v0.0.0", Replace: &debug.Module{Path: "../sim"}}}},
	} {
		assert.Equal(t, want, versionOf(info, module))
	}
}
