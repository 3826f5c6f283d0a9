package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// An Error says what is wrong with a sweep file, and where.
type Error struct {
	File string
	Line int // from 1; 0: the whole file
	Path string
	What string // is wrong
	Fix  string // what to do about it
	Err  error  // the cause, if another package found it
}

// Error returns one line with everything that the error knows.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Path != "" {
		b.WriteString(": " + e.Path)
	}
	b.WriteString(": " + e.What)
	if e.Fix != "" {
		b.WriteString("; " + e.Fix)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A node is a value of the file with its place.
type node struct {
	*yaml.Node
	file, path string
}

func (n node) fail(what, fix string) error {
	return &Error{File: n.file, Line: n.Line, Path: n.path, What: what, Fix: fix}
}

func (n node) caused(err error, fix string) error {
	return &Error{File: n.file, Line: n.Line, Path: n.path, What: err.Error(), Fix: fix, Err: err}
}

func (n node) child(c *yaml.Node, path string) node {
	if c.Kind == yaml.AliasNode {
		c = c.Alias
	}
	return node{c, n.file, path}
}

// A field is a key that an object may have.
type field struct {
	name string
	read func(node) error
}

// object reads an object that has no other keys than those of fields.
func (n node) object(fields ...field) error {
	if n.Kind != yaml.MappingNode {
		return n.fail("not an object", "give "+list(fieldNames(fields)))
	}
	seen := map[string]bool{}
next:
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		at := n.child(n.Content[i+1], join(n.path, key.Value))
		at.Line = key.Line
		if seen[key.Value] {
			return at.fail("given twice", "remove one")
		}
		seen[key.Value] = true
		for _, f := range fields {
			if f.name == key.Value {
				if err := f.read(at); err != nil {
					return err
				}
				continue next
			}
		}
		return at.fail("unknown field", nearest(key.Value, fieldNames(fields)))
	}
	return nil
}

func fieldNames(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// list reads a list, or one item that stands for a list of it.
func (n node) list(item func(node) error) error {
	if n.Kind != yaml.SequenceNode {
		return item(n)
	}
	if len(n.Content) == 0 {
		return n.fail("an empty list", "name at least one")
	}
	for i, c := range n.Content {
		if err := item(n.child(c, fmt.Sprintf("%s[%d]", n.path, i))); err != nil {
			return err
		}
	}
	return nil
}

func (n node) text() (string, error) {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return "", n.fail("not a text", "write a name")
	}
	return n.Value, nil
}

func (n node) texts() ([]string, error) {
	var all []string
	return all, n.list(func(n node) error {
		s, err := n.text()
		all = append(all, s)
		return err
	})
}

func (n node) number() (float64, error) {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, n.fail(fmt.Sprintf("%q is not a number", n.Value), "write one such as 32 or 0.5")
	}
	return v, nil
}

// mostValues bounds how many values a range may have.
const mostValues = 1 << 20

// values reads numbers: one, a list, or a range {from, to, step} or {from, to,
// times}.
func (n node) values() ([]float64, error) {
	var all []float64
	if n.Kind != yaml.MappingNode {
		return all, n.list(func(n node) error {
			v, err := n.number()
			all = append(all, v)
			return err
		})
	}
	var from, to, step, times float64
	given := map[string]bool{}
	num := func(v *float64) func(node) error {
		return func(n node) (err error) {
			given[n.path[strings.LastIndexByte(n.path, '.')+1:]] = true
			*v, err = n.number()
			return err
		}
	}
	if err := n.object(field{"from", num(&from)}, field{"to", num(&to)}, field{"step", num(&step)}, field{"times", num(&times)}); err != nil {
		return nil, err
	}
	switch {
	case !given["from"] || !given["to"]:
		return nil, n.fail("a range without from and to", "give both")
	case given["step"] && given["times"]:
		return nil, n.fail("a range with step and times", "give one of them")
	case given["times"] && (times <= 1 || from <= 0):
		return nil, n.fail(fmt.Sprintf("a range from %g that goes on by %g times", from, times), "begin above 0 and go on by more than 1")
	case given["step"] && step <= 0:
		return nil, n.fail(fmt.Sprintf("a range in steps of %g", step), "give a step above 0")
	case from > to:
		return nil, n.fail(fmt.Sprintf("an empty range: from %g is above to %g", from, to), "swap them, or correct one")
	}
	if !given["step"] {
		step = 1
	}
	// By number of steps, so that rounding does not add up.
	for i := 0; ; i++ {
		v := from + float64(i)*step
		if given["times"] {
			v = from * math.Pow(times, float64(i))
		}
		if v > to+1e-12*math.Abs(to) {
			return all, nil
		}
		if i == mostValues {
			return nil, n.fail(fmt.Sprintf("a range of more than %d values", mostValues), "take larger steps")
		}
		all = append(all, v)
	}
}

// whole reads numbers that are whole and at least least.
func (n node) whole(least float64) ([]int64, error) {
	values, err := n.values()
	if err != nil {
		return nil, err
	}
	all := make([]int64, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || v < least || v > 1<<53 {
			return nil, n.fail(fmt.Sprintf("%g is not a whole number from %g on", v, least), "correct it")
		}
		all[i] = int64(v)
	}
	return all, nil
}

// nearest names the known names that are most like one.
func nearest(name string, known []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "known are " + list(known)
}

// list joins names for a sentence, at most the first forty.
func list(names []string) string {
	if len(names) > 40 {
		return strings.Join(names[:40], ", ") + fmt.Sprintf(" and %d more", len(names)-40)
	}
	return strings.Join(names, ", ")
}

// distance is the number of letters to insert, remove or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := corner
			if a[i] != b[j] {
				d++
			}
			corner = row[j+1]
			row[j+1] = min(d, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
