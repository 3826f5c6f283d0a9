package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"example.com/warpsim/warp/device"
)

// A change gives fields of a profile a value.
type change struct {
	paths []string
	value float64
}

// resolve returns the number fields of a profile that a pattern names.
func resolve(p *device.Profile, pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, "*?[") {
		if pr, ok := p.Source(pattern); ok && pr.Number {
			return []string{pattern}, nil
		}
	}
	glob := strings.ReplaceAll(pattern, ".", "/")
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fmt.Errorf("field %q: %w", pattern, err)
	}
	var found, known []string
	for at, pr := range p.Provenance() {
		if !pr.Number || strings.Contains(at, "[") {
			continue
		}
		known = append(known, at)
		if ok, _ := path.Match(glob, strings.ReplaceAll(at, ".", "/")); ok {
			found = append(found, at)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("unknown field %q: the profile of %s has no such number; %s", pattern, p.Name, nearest(pattern, known))
	}
	return found, nil
}

// value returns a number of a profile, NaN if it has none there.
func value(p *device.Profile, at string) float64 {
	pr, ok := p.Source(at)
	if !ok {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(pr.Value, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// apply returns a profile with changes; without any, the profile itself.
func apply(p *device.Profile, changes []change) (*device.Profile, error) {
	if len(changes) == 0 {
		return p, nil
	}
	root := map[string]any{"name": p.Name}
	for _, c := range changes {
		for _, at := range c.paths {
			keys := keys(at)
			m := root
			for _, k := range keys[:len(keys)-1] {
				next, ok := m[k].(map[string]any)
				if !ok {
					next = make(map[string]any)
					m[k] = next
				}
				m = next
			}
			m[keys[len(keys)-1]] = map[string]any{
				"value":  json.Number(strconv.FormatFloat(c.value, 'f', -1, 64)),
				"status": "estimated", "source": "a value of the sweep",
			}
		}
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	return device.With(p, string(text))
}

// keys cuts a path into the keys of the profile's file. Names of operations have
// dots of their own.
func keys(at string) []string {
	const ops = "timing.ops."
	last := strings.LastIndexByte(at, '.')
	if strings.HasPrefix(at, ops) && last > len(ops) {
		return []string{"timing", "ops", at[len(ops):last], at[last+1:]}
	}
	return strings.Split(at, ".")
}
