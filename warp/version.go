package warp

import (
	"reflect"
	"runtime/debug"
	"strings"
)

// Version returns which version of the module a program was built with: what the go
// command recorded, such as v1.2.3 or, for a commit without a tag, the pseudo-version
// with time and revision; (devel) where it recorded none, as in tests and programs that
// go run builds, with the revision behind it if that is known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unversioned
	}
	module := strings.TrimSuffix(reflect.TypeFor[Engine]().PkgPath(), "/warp")
	return versionOf(info, module)
}

const unversioned = "(devel)"

// versionOf finds a module's version among what a program was built of. The revision is
// of the main module.
func versionOf(info *debug.BuildInfo, module string) string {
	version, revision := unversioned, ""
	if info.Main.Path == module {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value[:min(len(s.Value), 12)]
			}
		}
	}
	for _, d := range info.Deps {
		if d.Path != module {
			continue
		}
		version = d.Version
		if r := d.Replace; r != nil { // by a folder, which has no version, or another module
			version += " => " + strings.TrimSpace(r.Path+" "+r.Version)
		}
	}
	if revision != "" && !strings.Contains(version, revision) {
		version += " " + revision
	}
	return version
}
