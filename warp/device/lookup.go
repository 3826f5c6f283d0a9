package device

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed profiles/*.json
var files embed.FS

// customPrefix starts the names of the devices that Custom makes.
const customPrefix = "custom-"

// A catalog holds the built-in devices. It is made once and never changed.
type catalog struct {
	names []string                            // sorted
	load  map[string]func() (*Profile, error) // by name, each parsed when first asked for
	byKey func() map[string]string            // folded aliases and titles to names

	custom [8]func() (*Profile, error) // by log2 of the lanes
}

// builtin returns the catalog. Profiles name others as their base, hence init.
var builtin func() *catalog

func init() { builtin = sync.OnceValue(newCatalog) }

func newCatalog() *catalog {
	c := &catalog{load: make(map[string]func() (*Profile, error))}
	entries, _ := files.ReadDir("profiles") // of embedded files: cannot fail
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		if name == "custom" {
			continue // the model of Custom, no device by itself
		}
		c.names = append(c.names, name)
		c.load[name] = sync.OnceValues(func() (*Profile, error) { return parseFile(name) })
	}
	slices.Sort(c.names)
	c.byKey = sync.OnceValue(c.keys)
	for i := range c.custom {
		c.custom[i] = sync.OnceValues(func() (*Profile, error) { return makeCustom(1 << i) })
	}
	return c
}

func parseFile(name string) (*Profile, error) {
	data, err := files.ReadFile(path.Join("profiles", name+".json"))
	if err != nil {
		return nil, &ProfileError{File: name + ".json", What: "cannot read", Err: err}
	}
	return Parse(name+".json", data)
}

// keys parses all devices for their other names.
func (c *catalog) keys() map[string]string {
	m := make(map[string]string)
	for _, name := range c.names {
		p, err := c.load[name]()
		if err != nil {
			continue // Lookup of the name itself reports it
		}
		for _, s := range append([]string{name, p.Title, p.Vendor + name}, p.Aliases...) {
			m[fold(s)] = name
		}
	}
	return m
}

// Names returns the names of the built-in devices, sorted. Beside them, Lookup
// takes "custom-N" for N lanes.
func Names() []string { return slices.Clone(builtin().names) }

// Lookup returns a built-in device by its name, its title or another usual
// spelling, whatever the case and punctuation: "h200", "H200" and "NVIDIA
// H200" are one device. "custom-16" is the device that Custom(16) makes.
//
// An unknown name is an *UnknownDeviceError with the names most like it; a
// custom width that cannot be is a *WidthError. The profile is the caller's own.
func Lookup(name string) (*Profile, error) {
	c := builtin()
	if load, ok := c.load[name]; ok {
		return own(load())
	}
	if width, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(name)), customPrefix); ok {
		if n, err := strconv.Atoi(width); err == nil {
			return Custom(n)
		}
	}
	if full, ok := c.byKey()[fold(name)]; ok {
		return own(c.load[full]())
	}
	return nil, &UnknownDeviceError{Name: name, Near: c.near(name), Known: Names()}
}

// own returns a copy of a profile that others have too.
func own(p *Profile, err error) (*Profile, error) {
	if err != nil {
		return nil, err
	}
	return p.Clone(), nil
}

// near returns the names of devices with a spelling like name.
func (c *catalog) near(name string) []string {
	var keys []string
	for k := range c.byKey() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	keys = append(keys, "custom")
	var out []string
	for _, k := range nearest(name, keys) {
		full := c.byKey()[k]
		if k == "custom" {
			full = fmt.Sprintf("%sN (N lanes)", customPrefix)
		}
		if !slices.Contains(out, full) {
			out = append(out, full)
		}
	}
	return out
}
