package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/bench/sweep/kernel"
	"example.com/warpsim/warp/device"
	"go.yaml.in/yaml/v3"
)

// Read reads a sweep file, YAML or JSON, and holds it against the devices and
// kernels. Errors are of type [*Error] and tell the line.
func Read(file string, data []byte) (*Sweep, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		e := &Error{File: file, What: strings.TrimPrefix(err.Error(), "yaml: "), Fix: "correct the YAML", Err: err}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.What = m[2]
		}
		return nil, e
	}
	if len(doc.Content) == 0 {
		return nil, &Error{File: file, What: "the file is empty", Fix: "name devices, kernels and sizes; the README has a file to begin with"}
	}
	s := &Sweep{Types: []string{"i32"}, Repetitions: 1, Seeds: []int64{1}}
	r := reader{sweep: s}
	root := node{doc.Content[0], file, ""}
	if err := r.read(root); err != nil {
		return nil, err
	}
	return s, r.check(root)
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// A reader keeps where things stood, for what can only be checked once all is read.
type reader struct {
	sweep     *Sweep
	devices   []node
	numbers   []node
	kernels   []node
	types     node
	best      node
	pareto    node
	crossover node
}

func (r *reader) read(root node) error {
	s := r.sweep
	whole := func(v *[]int64, least float64) func(node) error {
		return func(n node) (err error) {
			if *v, err = n.whole(least); err != nil {
				return err
			}
			if v := twice(*v); v != nil {
				return n.fail(fmt.Sprintf("%d is given twice", *v), "remove one")
			}
			return nil
		}
	}
	return root.object(
		field{"title", func(n node) (err error) { s.Title, err = n.text(); return }},
		field{"devices", func(n node) error { return n.list(r.device) }},
		field{"numbers", func(n node) error { return n.list(r.number) }},
		field{"vary", func(n node) error {
			if n.Value != "grid" && n.Value != "each" {
				return n.fail(fmt.Sprintf("unknown way %q", n.Value), "write grid for every combination, or each for one number at a time")
			}
			s.Each = n.Value == "each"
			return nil
		}},
		field{"kernels", func(n node) error { return n.list(r.kernel) }},
		field{"sizes", whole(&s.Sizes, 1)},
		field{"types", func(n node) (err error) { r.types = n; s.Types, err = n.texts(); return }},
		field{"repetitions", func(n node) error {
			v, err := n.whole(1)
			if err == nil && (n.Kind != yaml.ScalarNode || len(v) != 1) {
				err = n.fail("not one number", "write how many repetitions each point has")
			}
			if err == nil {
				s.Repetitions = v[0]
			}
			return err
		}},
		field{"seeds", whole(&s.Seeds, 0)},
		field{"best", func(n node) error {
			r.best = n
			return n.object(
				field{"by", func(n node) (err error) { s.Best.By, err = n.texts(); return }},
				field{"least", func(n node) (err error) { s.Best.Least, err = n.text(); return }})
		}},
		field{"pareto", func(n node) error {
			r.pareto = n
			return n.object(
				field{"by", func(n node) (err error) { s.Pareto.By, err = n.texts(); return }},
				field{"cost", r.cost})
		}},
		field{"crossover", func(n node) error {
			r.crossover = n
			s.Crossover = new(Crossover)
			return n.object(
				field{"between", func(n node) (err error) { s.Crossover.Between, err = n.texts(); return }},
				field{"along", func(n node) (err error) { s.Crossover.Along, err = n.text(); return }})
		}},
	)
}

func (r *reader) device(n node) error {
	if n.Kind == yaml.MappingNode {
		var d Device
		err := n.object(
			field{"base", func(n node) (err error) { d.Base, err = n.text(); return }},
			field{"name", func(n node) (err error) { d.Name, err = n.text(); return }},
			field{"set", func(n node) error {
				if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
					return n.fail("not an object", "write fields of the profile and their values")
				}
				for i := 0; i < len(n.Content); i += 2 {
					key := n.Content[i].Value
					v, err := n.child(n.Content[i+1], join(n.path, key)).number()
					if err != nil {
						return err
					}
					d.Set = append(d.Set, Weight{key, v})
				}
				return nil
			}})
		switch {
		case err != nil:
			return err
		case d.Base == "":
			return n.fail("no base", "name the device that the others derive from")
		case d.Name == "":
			return n.fail("no name", "give the changed device a name of its own")
		}
		return r.addDevice(n, d)
	}
	name, err := n.text()
	if err != nil {
		return err
	}
	if name == "all" {
		name = "*"
	}
	if !strings.ContainsAny(name, "*?[") {
		return r.addDevice(n, Device{Name: name, Base: name})
	}
	found := false
	for _, known := range device.Names() {
		ok, err := path.Match(name, known)
		if err != nil {
			return n.caused(err, "correct the pattern")
		}
		if ok {
			found = true
			if err := r.addDevice(n, Device{Name: known, Base: known}); err != nil {
				return err
			}
		}
	}
	if !found {
		return n.fail(fmt.Sprintf("no device is like %q", name), "known are "+list(device.Names())+" and custom-N for N lanes")
	}
	return nil
}

func (r *reader) addDevice(n node, d Device) error {
	p, err := device.Lookup(d.Base)
	if err != nil {
		return n.caused(err, "")
	}
	if d.Name == d.Base {
		d.Name = p.Name
	}
	d.Base = p.Name
	for i := range r.sweep.Devices {
		if r.sweep.Devices[i].Name == d.Name {
			return n.fail(fmt.Sprintf("device %s is given twice", d.Name), "remove one, or give it another name")
		}
	}
	if len(d.Set) > 0 {
		var set []change
		for _, w := range d.Set {
			paths, err := resolve(p, w.Name)
			if err != nil {
				return n.caused(err, "")
			}
			set = append(set, change{paths, w.Weight})
		}
		if p, err = apply(p, set); err != nil {
			return n.caused(refused(err), "correct set")
		}
	}
	d.profile = p
	r.sweep.Devices, r.devices = append(r.sweep.Devices, d), append(r.devices, n)
	return nil
}

func (r *reader) number(n node) error {
	var v Number
	err := n.object(
		field{"name", func(n node) (err error) { v.Name, err = n.text(); return }},
		field{"paths", func(n node) (err error) { v.Paths, err = n.texts(); return }},
		field{"values", func(n node) (err error) { v.Values, err = n.values(); return }})
	switch {
	case err != nil:
		return err
	case len(v.Paths) == 0:
		return n.fail("no paths", "name fields of the profile, such as shared.banks")
	case len(v.Values) == 0:
		return n.fail("no values", "give a list of values, or from and to")
	}
	if v.Name == "" {
		v.Name = v.Paths[0]
	}
	if twice := twice(v.Values); twice != nil {
		return n.fail(fmt.Sprintf("the value %g is given twice", *twice), "remove one")
	}
	if slices.Contains(fixedFields, v.Name) || slices.Contains(measures, v.Name) {
		return n.fail(fmt.Sprintf("the name %s is that of a column", v.Name), "take another")
	}
	for _, o := range r.sweep.Numbers {
		if o.Name == v.Name {
			return n.fail(fmt.Sprintf("two numbers are called %s", v.Name), "give one another name")
		}
	}
	r.sweep.Numbers, r.numbers = append(r.sweep.Numbers, v), append(r.numbers, n)
	return nil
}

// twice returns a value that is in a list twice, nil if none is.
func twice[T comparable](values []T) *T {
	seen := make(map[T]bool, len(values))
	for i, v := range values {
		if seen[v] {
			return &values[i]
		}
		seen[v] = true
	}
	return nil
}

func (r *reader) kernel(n node) error {
	add := func(names ...string) error {
		for _, name := range names {
			if slices.Contains(r.sweep.Kernels, name) {
				return n.fail(fmt.Sprintf("kernel %s is given twice", name), "remove one")
			}
			r.sweep.Kernels, r.kernels = append(r.sweep.Kernels, name), append(r.kernels, n)
		}
		return nil
	}
	if n.Kind == yaml.MappingNode {
		pkg := ""
		if err := n.object(field{"package", func(n node) (err error) { pkg, err = n.text(); return }}); err != nil {
			return err
		}
		names := kernel.Of(pkg)
		if len(names) == 0 {
			return n.fail(fmt.Sprintf("this program has no kernels of package %q", pkg),
				"import the package in a program of your own that calls program.Main, as examples/ownkernel does")
		}
		return add(names...)
	}
	name, err := n.text()
	if err != nil {
		return err
	}
	if _, ok := kernel.Lookup(name); ok {
		return add(name)
	}
	if !strings.ContainsAny(name, "*?[") {
		return n.fail(fmt.Sprintf("unknown kernel %q", name), nearest(name, kernel.Names()))
	}
	var names []string
	for _, known := range kernel.Names() {
		ok, err := path.Match(name, known)
		if err != nil {
			return n.caused(err, "correct the pattern")
		}
		if ok {
			names = append(names, known)
		}
	}
	if len(names) == 0 {
		return n.fail(fmt.Sprintf("no kernel is like %q", name), "known are "+list(kernel.Names()))
	}
	return add(names...)
}

func (r *reader) cost(n node) error {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return n.fail("not an object", "write what costs and its weight, such as shared.banks: 1")
	}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i].Value
		v, err := n.child(n.Content[i+1], join(n.path, key)).number()
		if err != nil {
			return err
		}
		r.sweep.Pareto.Cost = append(r.sweep.Pareto.Cost, Weight{key, v})
	}
	return nil
}

// check holds what was read against the devices, kernels and itself.
func (r *reader) check(root node) error {
	s := r.sweep
	switch {
	case len(s.Devices) == 0:
		return root.fail("no devices", "add devices, such as [h200, mi300x] or all")
	case len(s.Kernels) == 0:
		return root.fail("no kernels", "add kernels, such as [grid/reduce/*]; -kernels lists them")
	case len(s.Sizes) == 0:
		return root.fail("no sizes", "add sizes, such as [32, 64] or {from: 32, to: 1024, times: 2}")
	case s.Each && len(s.Numbers) == 0:
		return root.fail("vary: each without numbers", "add numbers, or remove it")
	}
	if t := twice(s.Types); t != nil {
		return r.types.fail(fmt.Sprintf("%s is given twice", *t), "remove one")
	}
	for i, name := range s.Kernels {
		k, _ := kernel.Lookup(name)
		for _, t := range s.Types {
			if !slices.Contains(k.Types, t) {
				at := r.kernels[i]
				if r.types.Node != nil {
					at = r.types
				}
				return at.fail(fmt.Sprintf("kernel %s has no type %q", name, t), "it has "+list(k.Types))
			}
		}
	}
	if err := r.checkNumbers(); err != nil {
		return err
	}
	if err := r.checkTables(); err != nil {
		return err
	}
	if err := s.count(); err != nil {
		return root.caused(err, "cut it into several sweeps")
	}
	return nil
}

// checkNumbers tries every value of every number on every device.
func (r *reader) checkNumbers() error {
	s := r.sweep
	for d := range s.Devices {
		p := s.Devices[d].profile
		for i := range s.Numbers {
			n, at := &s.Numbers[i], r.numbers[i]
			var all []string
			for _, pattern := range n.Paths {
				paths, err := resolve(p, pattern)
				if err != nil {
					return at.caused(err, "")
				}
				all = append(all, paths...)
			}
			if t := twice(all); t != nil {
				return at.fail(*t+" is named twice", "name every field once")
			}
			for j := range i {
				for _, pattern := range s.Numbers[j].Paths {
					others, _ := resolve(p, pattern)
					for _, o := range others {
						if slices.Contains(all, o) {
							return at.fail(fmt.Sprintf("%s is varied by %s as well", o, s.Numbers[j].Name), "leave it to one of them")
						}
					}
				}
			}
			for _, v := range n.Values {
				if _, err := apply(p, []change{{all, v}}); err != nil {
					return at.fail(fmt.Sprintf("%s refuses %s = %g: %v", s.Devices[d].Name, n.Name, v, refused(err)), "leave the value or the device out")
				}
			}
		}
	}
	return nil
}

// refused cuts an error of a profile down to what is of use here: the place in
// the generated changes is not.
func refused(err error) error {
	var p *device.ProfileError
	if !errors.As(err, &p) {
		return err
	}
	c := *p
	c.File, c.Line, c.Column = "", 0, 0
	return errors.New(strings.TrimPrefix(c.Error(), "device profile: "))
}

func (r *reader) checkTables() error {
	s := r.sweep
	fields := s.Fields()
	by := func(at node, names []string) error {
		for _, name := range names {
			if !slices.Contains(fields, name) {
				return at.fail(fmt.Sprintf("by: unknown field %q", name), nearest(name, fields))
			}
		}
		return nil
	}
	if len(s.Best.By) == 0 {
		s.Best.By = []string{"device", "type", "size"}
	}
	if s.Best.Least == "" {
		s.Best.Least = "cycles"
	}
	if err := by(r.best, s.Best.By); err != nil {
		return err
	}
	if !slices.Contains(measures, s.Best.Least) {
		return r.best.fail(fmt.Sprintf("least: unknown measure %q", s.Best.Least), nearest(s.Best.Least, measures))
	}
	if len(s.Pareto.By) == 0 {
		s.Pareto.By = []string{"type", "size"}
	}
	if err := by(r.pareto, s.Pareto.By); err != nil {
		return err
	}
	if len(s.Pareto.Cost) == 0 {
		s.Pareto.Cost = []Weight{{"instructions", 1}}
	}
	for _, w := range s.Pareto.Cost {
		if slices.Contains(costMeasures, w.Name) || slices.ContainsFunc(s.Numbers, func(n Number) bool { return n.Name == w.Name }) {
			continue
		}
		for _, d := range s.Devices {
			if _, err := resolve(d.profile, w.Name); err != nil {
				return r.pareto.fail("cost: "+err.Error(), "")
			}
		}
	}
	return r.checkCrossover()
}

func (r *reader) checkCrossover() error {
	c := r.sweep.Crossover
	if c == nil {
		return nil
	}
	if len(c.Between) != 2 || c.Between[0] == c.Between[1] {
		return r.crossover.fail("between does not name two kernels", "name two of "+list(r.sweep.Kernels))
	}
	for _, name := range c.Between {
		if !slices.Contains(r.sweep.Kernels, name) {
			return r.crossover.fail(fmt.Sprintf("between: the sweep has no kernel %q", name), nearest(name, r.sweep.Kernels))
		}
	}
	along := []string{"size"}
	for _, n := range r.sweep.Numbers {
		along = append(along, n.Name)
	}
	if !slices.Contains(along, c.Along) {
		return r.crossover.fail(fmt.Sprintf("along: %q is not a number of the sweep", c.Along), nearest(c.Along, along))
	}
	return nil
}

// Decode reads what [Sweep.Encode] wrote: a sweep that was checked before, perhaps
// by another process.
func Decode(data []byte) (*Sweep, error) {
	s := new(Sweep)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		p, err := device.Lookup(d.Base)
		if err != nil {
			return nil, err
		}
		var set []change
		for _, w := range d.Set {
			paths, err := resolve(p, w.Name)
			if err != nil {
				return nil, err
			}
			set = append(set, change{paths, w.Weight})
		}
		if d.profile, err = apply(p, set); err != nil {
			return nil, err
		}
	}
	return s, s.count()
}
