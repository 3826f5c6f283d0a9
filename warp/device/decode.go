package device

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A decoder fills Go values from a tree, strictly, and notes where each value
// comes from.
//
// A value may be written bare or as a fact: {"value": 24, "status":
// "measured", "source": "..."}. A group, an object that has "status" and
// "source" beside its fields, stands for all bare values below it. A number
// needs either.
//
// Where v holds values already, those of a base, the tree says only what
// differs: objects go on from what is there, lists replace it, and null removes
// an entry of a map.
type decoder struct {
	file    string
	data    []byte
	sources map[string]Provenance
	filled  map[string]bool // of sources, the values that nobody gave
	derived bool            // v holds the values of a base
	partial bool            // so does the part that is being read
}

// An origin is where the bare values of a group come from.
type origin struct {
	status Status
	source string
}

// bare is the origin of numbers that need none, such as that of the format.
var bare = new(origin)

const factFix = `write {"value": ..., "status": ..., "source": "..."}`

func valueOf[T any](p *T) reflect.Value { return reflect.ValueOf(p).Elem() }

// decode fills v from n. from is nil outside of groups.
func (d *decoder) decode(n *node, v reflect.Value, path string, from *origin) error {
	if v.Kind() == reflect.Pointer {
		if d.derived && n.kind == nullNode {
			d.forget(path)
			v.SetZero()
			return nil
		}
		defer d.begin(!v.IsNil())()
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.decode(n, v.Elem(), path, from)
	}
	if v.Kind() == reflect.Uint8 {
		return d.decodeRule(n, v, path, from)
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.decodeStruct(n, fieldsOf(v), path, from)
	case reflect.Map:
		return d.decodeMap(n, v, path, from)
	case reflect.Slice, reflect.Array:
		return d.decodeList(n, v, path, from)
	}
	n, from, err := d.unwrap(n, path, from)
	if err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.String:
		if n.kind != stringNode {
			return d.wrongType(n, path, stringNode)
		}
		v.SetString(n.text)
	case reflect.Bool:
		if n.kind != boolNode {
			return d.wrongType(n, path, boolNode)
		}
		v.SetBool(n.text == "true")
	default:
		if err := d.number(n, v, path, from); err != nil {
			return err
		}
	}
	d.note(n, path, from)
	return nil
}

// unwrap returns the value of a fact with its origin, and anything else as it
// is.
func (d *decoder) unwrap(n *node, path string, from *origin) (*node, *origin, error) {
	if n.kind != objectNode {
		return n, from, nil
	}
	for _, k := range n.keys {
		if k.name != "value" && k.name != "status" && k.name != "source" {
			return nil, nil, d.fail(k.start, join(path, k.name), "unknown field of a value", factFix)
		}
	}
	v := n.get("value")
	if v == nil {
		return nil, nil, d.fail(n.start, path, `a value without "value"`, factFix)
	}
	o, err := d.origin(n, path)
	if err != nil {
		return nil, nil, err
	}
	if v.kind == objectNode {
		return nil, nil, d.fail(v.start, path, "a value cannot be an object", factFix)
	}
	return v, o, nil
}

// origin reads "status" and "source" of a fact or group.
func (d *decoder) origin(n *node, path string) (*origin, error) {
	o := new(origin)
	src := n.get("source")
	switch {
	case src == nil:
		return nil, d.fail(n.start, path, "without source", `add "source": where it comes from, or what it was estimated from`)
	case src.kind != stringNode:
		return nil, d.wrongType(src, join(path, "source"), stringNode)
	case strings.TrimSpace(src.text) == "":
		return nil, d.fail(src.start, join(path, "source"), "empty", "say where it comes from, or what it was estimated from")
	}
	o.source = src.text
	st := n.get("status")
	if st == nil {
		return nil, d.fail(n.start, path, "without status", `add "status": one of `+strings.Join(statusNames, ", "))
	}
	if st.kind != stringNode {
		return nil, d.wrongType(st, join(path, "status"), stringNode)
	}
	if err := o.status.UnmarshalText([]byte(st.text)); err != nil {
		return nil, d.fail(st.start, join(path, "status"), fmt.Sprintf("unknown status %q", st.text), "use one of "+strings.Join(statusNames, ", "))
	}
	return o, nil
}

// begin notes whether the part that is read next has values already, and returns
// what ends it.
func (d *decoder) begin(has bool) (end func()) {
	was := d.partial
	d.partial = was && has
	return func() { d.partial = was }
}

// forget drops the sources of everything at and below a path.
func (d *decoder) forget(path string) {
	maps.DeleteFunc(d.sources, func(at string, _ Provenance) bool { return under(at, path) })
	maps.DeleteFunc(d.filled, func(at string, _ bool) bool { return under(at, path) })
}

// under reports whether a value lies at a path or below it.
func under(at, path string) bool {
	rest, ok := strings.CutPrefix(at, path)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func (d *decoder) note(n *node, path string, from *origin) {
	delete(d.filled, path)
	if from != nil && from != bare {
		d.sources[path] = Provenance{Value: n.text, Number: n.kind == numberNode, Status: from.status, Source: from.source}
	}
}

// decodeRule reads one of the named values of a rule.
func (d *decoder) decodeRule(n *node, v reflect.Value, path string, from *origin) error {
	n, from, err := d.unwrap(n, path, from)
	if err != nil {
		return err
	}
	if n.kind != stringNode {
		return d.wrongType(n, path, stringNode)
	}
	names := ruleNames(v)
	i := slices.Index(names, n.text)
	if i < 0 {
		return d.fail(n.start, path, fmt.Sprintf("%q is none of %s", n.text, strings.Join(names, ", ")), "use one of these")
	}
	v.SetUint(uint64(i + 1))
	d.note(n, path, from)
	return nil
}

// ruleNames returns the names of a rule's values, which count from 1.
func ruleNames(v reflect.Value) (names []string) {
	r := reflect.New(v.Type()).Elem()
	for i := uint64(1); ; i++ {
		r.SetUint(i)
		name := r.Interface().(fmt.Stringer).String()
		if strings.HasPrefix(name, "rule(") {
			return names
		}
		names = append(names, name)
	}
}

func (d *decoder) number(n *node, v reflect.Value, path string, from *origin) error {
	if n.kind != numberNode {
		return d.wrongType(n, path, numberNode)
	}
	if from == nil {
		return d.fail(n.start, path, "number without source", factFix)
	}
	if strings.HasPrefix(n.text, "-") {
		return d.fail(n.start, path, "negative number "+n.text, "give zero or more")
	}
	const tooLarge = "give a smaller one"
	switch {
	case v.CanFloat():
		f, err := strconv.ParseFloat(n.text, 64)
		if err != nil || v.OverflowFloat(f) {
			return d.fail(n.start, path, "number too large: "+n.text, tooLarge)
		}
		v.SetFloat(f)
	case v.CanInt() || v.CanUint():
		u, err := strconv.ParseUint(n.text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return d.fail(n.start, path, "number too large: "+n.text, tooLarge)
		case err != nil:
			return d.fail(n.start, path, "not a whole number: "+n.text, "write it in plain digits")
		case v.CanUint() && !v.OverflowUint(u):
			v.SetUint(u)
		case v.CanInt() && u <= math.MaxInt64 && !v.OverflowInt(int64(u)):
			v.SetInt(int64(u))
		default:
			return d.fail(n.start, path, "number too large: "+n.text, tooLarge)
		}
	default:
		return d.fail(n.start, path, "a field of Go type "+v.Type().String()+" cannot be read from a profile", "")
	}
	return nil
}

// group returns the origin of the bare values below an object: its own if it
// has a source, else that of the group around it.
func (d *decoder) group(n *node, path string, from *origin) (*origin, error) {
	if n.kind != objectNode {
		return nil, d.wrongType(n, path, objectNode)
	}
	if n.get("source") == nil && n.get("status") == nil {
		return from, nil
	}
	return d.origin(n, path)
}

func (d *decoder) decodeStruct(n *node, fields []field, path string, from *origin) error {
	from, err := d.group(n, path, from)
	if err != nil {
		return err
	}
	for i, k := range n.keys {
		if k.name == "source" || k.name == "status" {
			continue
		}
		at := join(path, k.name)
		j := slices.IndexFunc(fields, func(f field) bool { return f.name == k.name })
		if j < 0 {
			return d.unknown(k, at, fields)
		}
		f := fields[j]
		if f.bare {
			err = d.decode(n.vals[i], f.value, at, bare)
		} else if f.parts != nil {
			err = d.decodeStruct(n.vals[i], f.parts, at, from)
		} else {
			err = d.decode(n.vals[i], f.value, at, from)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range fields {
		if !d.partial && !f.optional && n.get(f.name) == nil {
			return d.fail(n.start, join(path, f.name), "missing", "add it")
		}
	}
	return nil
}

func (d *decoder) decodeMap(n *node, v reflect.Value, path string, from *origin) error {
	from, err := d.group(n, path, from)
	if err != nil {
		return err
	}
	if v.IsNil() {
		v.Set(reflect.MakeMapWithSize(v.Type(), len(n.keys)))
	}
	for i, k := range n.keys {
		if k.name == "source" || k.name == "status" {
			continue
		}
		at := join(path, k.name)
		name := reflect.New(v.Type().Key()).Elem()
		if name.Kind() == reflect.String {
			name.SetString(k.name)
		} else {
			return d.fail(k.start, at, "a map of Go type "+v.Type().String()+" cannot be read from a profile", "")
		}
		e := reflect.New(v.Type().Elem()).Elem()
		old := v.MapIndex(name)
		if d.derived && n.vals[i].kind == nullNode {
			d.forget(at)
			v.SetMapIndex(name, reflect.Value{})
			continue
		}
		if old.IsValid() {
			e.Set(old)
		}
		end := d.begin(old.IsValid())
		err := d.decode(n.vals[i], e, at, from)
		end()
		if err != nil {
			return err
		}
		v.SetMapIndex(name, e)
	}
	return nil
}

// decodeList reads a list of bare values, of facts, or one fact whose value is
// a list.
func (d *decoder) decodeList(n *node, v reflect.Value, path string, from *origin) error {
	n, from, err := d.unwrap(n, path, from)
	if err != nil {
		return err
	}
	if n.kind != arrayNode {
		return d.wrongType(n, path, arrayNode)
	}
	d.forget(path)
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(n.vals), len(n.vals)))
	} else if len(n.vals) != v.Len() {
		return d.fail(n.start, path, fmt.Sprintf("%d values", len(n.vals)), fmt.Sprintf("give %d", v.Len()))
	}
	for i, e := range n.vals {
		if err := d.decode(e, v.Index(i), fmt.Sprintf("%s[%d]", path, i), from); err != nil {
			return err
		}
	}
	return nil
}

// A field is a field of a struct by its name in JSON, or, with parts, an
// object of JSON that has no struct of its own: fields tagged "reads.inactive"
// and "reads.chip" are parts of "reads".
type field struct {
	name     string
	optional bool // may be left out; a group if all of its parts may
	bare     bool // a number without source
	value    reflect.Value
	parts    []field
}

func fieldsOf(v reflect.Value) []field {
	var fields []field
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		tag, opts, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if !sf.IsExported() || tag == "-" {
			continue
		}
		if sf.Anonymous && tag == "" && sf.Type.Kind() == reflect.Struct {
			fields = append(fields, fieldsOf(v.Field(i))...)
			continue
		}
		f := field{name: cmp.Or(tag, sf.Name), optional: strings.Contains(opts, "omitempty"), bare: sf.Tag.Get("origin") == "none", value: v.Field(i)}
		fields = addField(fields, f)
	}
	return fields
}

// addField files f, whose name may have dots, below the groups it names.
func addField(fields []field, f field) []field {
	head, rest, dotted := strings.Cut(f.name, ".")
	if !dotted {
		return append(fields, f)
	}
	f.name = rest
	for i := range fields {
		if fields[i].name == head {
			fields[i].parts = addField(fields[i].parts, f)
			fields[i].optional = fields[i].optional && f.optional
			return fields
		}
	}
	return append(fields, field{name: head, optional: f.optional, parts: []field{f}})
}

// retired are the fields that the format had before its first release.
var retired = map[string]string{
	"limits.predicates":       "nothing obeyed it: predicates beyond those of a device are spilled",
	"limits.uniformRegisters": "nothing obeyed it: registers beyond those of a device are spilled",
}

func (d *decoder) unknown(k key, path string, fields []field) error {
	if why, ok := retired[path]; ok {
		return d.fail(k.start, path, "no longer a field", "remove it; "+why)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	fix := "remove it; known here are " + strings.Join(names, ", ")
	if near := nearest(k.name, names); len(near) > 0 {
		fix = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return d.fail(k.start, path, "unknown field", fix)
}

func (d *decoder) wrongType(n *node, path string, want nodeKind) error {
	return d.fail(n.start, path, fmt.Sprintf("is %s, not %s", n.kind, want), "give "+want.String())
}

func (d *decoder) fail(at int, path, what, fix string) error {
	e := &ProfileError{File: d.file, Path: path, What: what, Fix: fix}
	e.Line, e.Column = position(d.data, at)
	return e
}
