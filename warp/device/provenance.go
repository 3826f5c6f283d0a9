package device

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// A Status says how well a number is known.
type Status uint8

const (
	// Measured on the device itself, by recorded runs.
	Measured Status = iota + 1
	// Published by somebody who measured it.
	Published
	// Vendor: stated by the maker of the device.
	Vendor
	// Simulator: taken from another simulator or a compiler's model.
	Simulator
	// Derived by arithmetic from numbers of the other kinds.
	Derived
	// Estimated, for want of anything better; the source says from what.
	Estimated

	statuses = int(Estimated)
)

var statusNames = []string{"measured", "published", "vendor", "simulator", "derived", "estimated"}

// String returns the status as a profile writes it.
func (s Status) String() string { return enumName(statusNames, uint8(s)) }

// UnmarshalText reads the status from its name; an unknown name is an error
// that lists the known ones.
func (s *Status) UnmarshalText(b []byte) error { return parseEnum(statusNames, b, s) }

// A Provenance says where one value of a profile comes from.
type Provenance struct {
	Value  string // the value as the profile writes it
	Number bool   // whether the value is a number, not a name or true/false
	Status Status
	Source string
}

// Provenance ranges over the values of the profile that carry a source, by
// path ("timing.pipes.alu.latency") in the order of the alphabet.
func (p *Profile) Provenance() iter.Seq2[string, Provenance] {
	return func(yield func(string, Provenance) bool) {
		for _, path := range slices.Sorted(maps.Keys(p.sources)) {
			if !yield(path, p.sources[path]) {
				return
			}
		}
	}
}

// Source says where the value at path comes from, and whether the profile has
// a sourced value there.
func (p *Profile) Source(path string) (Provenance, bool) {
	pr, ok := p.sources[path]
	return pr, ok
}

// SetSource gives the value at path another provenance, for a clone whose
// number was changed. It does not change the number itself.
func (p *Profile) SetSource(path string, pr Provenance) {
	if p.sources == nil {
		p.sources = make(map[string]Provenance)
	}
	p.sources[path] = pr
}

// A Summary counts numbers by status.
type Summary struct {
	counts [statuses + 1]int // by Status; 0: a path with no number
}

// Summary counts the numbers at the given paths, or all numbers of the profile
// if none is given. A path that names a group counts every number below it; a
// number named twice counts once; a path that names no number counts as
// unsourced.
func (p *Profile) Summary(paths ...string) Summary {
	var s Summary
	if len(paths) == 0 {
		for _, pr := range p.sources {
			s.add(pr)
		}
		return s
	}
	seen := make(map[string]bool, len(paths))
	for _, path := range paths {
		if seen[path] {
			continue
		}
		if pr, ok := p.sources[path]; ok {
			seen[path] = true
			s.add(pr)
			continue
		}
		found := false
		for at, pr := range p.sources {
			if under(at, path) {
				found = true
				if !seen[at] {
					seen[at] = true
					s.add(pr)
				}
			}
		}
		if !found {
			seen[path] = true
			s.counts[0]++
		}
	}
	return s
}

func (s *Summary) add(pr Provenance) {
	if pr.Number {
		s.Count(pr.Status)
	}
}

// Count counts one more number of a status; 0 stands for a path that names none.
func (s *Summary) Count(st Status) {
	if int(st) <= statuses {
		s.counts[st]++
	}
}

// Of returns how many numbers have the status.
func (s Summary) Of(st Status) int {
	if st < 1 || int(st) > statuses {
		return 0
	}
	return s.counts[st]
}

// Unsourced returns how many of the asked paths name no number.
func (s Summary) Unsourced() int { return s.counts[0] }

// Total returns how many numbers were counted, the unsourced ones among them.
func (s Summary) Total() int {
	n := 0
	for _, c := range s.counts {
		n += c
	}
	return n
}

// String returns the counts as one line, statuses that do not occur left out:
// "56 numbers: 41 measured, 3 vendor, 12 estimated".
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d numbers", s.Total())
	sep := ": "
	for st, name := range statusNames {
		if n := s.counts[st+1]; n > 0 {
			fmt.Fprintf(&b, "%s%d %s", sep, n, name)
			sep = ", "
		}
	}
	if n := s.counts[0]; n > 0 {
		fmt.Fprintf(&b, "%s%d unsourced", sep, n)
	}
	return b.String()
}
