package flow

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Beam finds the functions of a coder again by their names, so each type has its
// own. Values travel as JSON.
func encodeRow(v result.Row) ([]byte, error)          { return json.Marshal(v) }
func decodeRow(data []byte) (v result.Row, err error) { err = json.Unmarshal(data, &v); return }
func encodeRows(v Rows) ([]byte, error)               { return json.Marshal(v) }
func decodeRows(data []byte) (v Rows, err error)      { err = json.Unmarshal(data, &v); return }
func encodeSample(v Sample) ([]byte, error)           { return json.Marshal(v) }
func decodeSample(data []byte) (v Sample, err error)  { err = json.Unmarshal(data, &v); return }
func encodeSums(v Sums) ([]byte, error)               { return json.Marshal(v) }
func decodeSums(data []byte) (v Sums, err error)      { err = json.Unmarshal(data, &v); return }

func registerCoder[T any](encode func(T) ([]byte, error), decode func([]byte) (T, error)) {
	beam.RegisterType(reflect.TypeFor[T]())
	beam.RegisterCoder(reflect.TypeFor[T](), encode, decode)
}

// Rows are the rows that a combination has left.
type Rows struct{ List []result.Row }

// A Sample is one row's share of a curve.
type Sample struct {
	At     float64 // the value along which the curve goes
	Cycles int64
	Failed bool
}

// A Sum is what all rows at one value of a curve add up to. Whole numbers, so that
// the order of adding does not matter.
type Sum struct {
	At     float64
	Cycles int64
	Runs   int64
	Failed int64
}

// Sums are a curve, by rising values.
type Sums struct{ List []Sum }

// A CurveKey tells curves apart.
type CurveKey struct {
	// Along is what the curve goes along: "size", or a number.
	Along                string
	Device, Kernel, Type string
	Size                 int64 // 0 along sizes
	// Values are those of the other numbers, where each combination has a curve
	// of its own; nil if the curve adds them up.
	Values []float64 `json:",omitempty"`
}

// keyFn gives every row that has figures its key.
type keyFn struct {
	common
	By []string
}

// Setup is called by Beam before the first element.
func (f *keyFn) Setup() error { return f.common.Setup() }

// ProcessElement is called for every row.
func (f *keyFn) ProcessElement(r result.Row, emit func(string, result.Row)) error {
	if r.Error != "" {
		return nil
	}
	cells := make([]any, len(f.By))
	for i, name := range f.By {
		cells[i] = Field(f.sweep, &r, name)
	}
	key, err := json.Marshal(cells)
	if err != nil {
		return err
	}
	emit(string(key), r)
	return nil
}

// Field returns what a row has under one of the sweep's fields.
func Field(s *plan.Sweep, r *result.Row, name string) any {
	switch name {
	case "device":
		return r.Device
	case "kernel":
		return r.Kernel
	case "type":
		return r.Type
	case "size":
		return r.Size
	case "seed":
		return r.Seed
	case "repetition":
		return r.Repetition
	}
	for i, n := range s.Numbers {
		if n.Name == name {
			return r.Values[i]
		}
	}
	return nil
}

// bestFn keeps the row of the least measure; of equals that of fewer cycles, fewer
// instructions, the lower number.
type bestFn struct{ Least string }

func (f *bestFn) CreateAccumulator() Rows { return Rows{} }

func (f *bestFn) AddInput(a Rows, r result.Row) Rows {
	if len(a.List) == 0 || f.less(&r, &a.List[0]) {
		return Rows{[]result.Row{r}}
	}
	return a
}

func (f *bestFn) MergeAccumulators(a, b Rows) Rows {
	for _, r := range b.List {
		a = f.AddInput(a, r)
	}
	return a
}

func (f *bestFn) ExtractOutput(a Rows) Rows { return a }

func (f *bestFn) less(a, b *result.Row) bool {
	return cmp.Or(cmp.Compare(Measure(a, f.Least), Measure(b, f.Least)), cmp.Compare(a.Cycles, b.Cycles),
		cmp.Compare(a.Instructions, b.Instructions), cmp.Compare(a.Point, b.Point)) < 0
}

// Measure returns one of the measures of a row by its name.
func Measure(r *result.Row, name string) float64 {
	switch name {
	case "instructions":
		return float64(r.Instructions)
	case "conflicts":
		return float64(r.Conflicts)
	case "cost":
		return r.Cost
	}
	return float64(r.Cycles)
}

// paretoFn keeps the rows that no other beats: that has no more cycles and no more
// cost. Of equals the lower number stays.
type paretoFn struct{}

func (f *paretoFn) CreateAccumulator() Rows { return Rows{} }

// AddInput keeps the list by rising cycles, and so by falling cost.
func (f *paretoFn) AddInput(a Rows, r result.Row) Rows {
	i, _ := slices.BinarySearchFunc(a.List, r, func(x, y result.Row) int {
		return cmp.Or(cmp.Compare(x.Cycles, y.Cycles), cmp.Compare(x.Cost, y.Cost), cmp.Compare(x.Point, y.Point))
	})
	if i > 0 && a.List[i-1].Cost <= r.Cost {
		return a
	}
	j := i
	for j < len(a.List) && a.List[j].Cost >= r.Cost {
		j++
	}
	list := make([]result.Row, 0, len(a.List)+1)
	return Rows{append(append(append(list, a.List[:i]...), r), a.List[j:]...)}
}

func (f *paretoFn) MergeAccumulators(a, b Rows) Rows {
	for _, r := range b.List {
		a = f.AddInput(a, r)
	}
	return a
}

func (f *paretoFn) ExtractOutput(a Rows) Rows { return a }

// curveFn gives every row to the curves it is on.
type curveFn struct{ common }

// Setup is called by Beam before the first element.
func (f *curveFn) Setup() error { return f.common.Setup() }

// ProcessElement is called for every row.
func (f *curveFn) ProcessElement(r result.Row, emit func(string, Sample)) error {
	for _, c := range curvesOf(f.sweep, &r) {
		key, err := json.Marshal(c.key)
		if err != nil {
			return err
		}
		emit(string(key), Sample{c.at, r.Cycles, r.Error != ""})
	}
	return nil
}

type place struct {
	key CurveKey
	at  float64
}

func curvesOf(s *plan.Sweep, r *result.Row) []place {
	var list []place
	key := CurveKey{Device: r.Device, Kernel: r.Kernel, Type: r.Type}
	if !s.Each || r.Varied < 0 {
		k := key
		k.Along = "size"
		list = append(list, place{k, float64(r.Size)})
	}
	key.Size = r.Size
	for i, n := range s.Numbers {
		if s.Each && r.Varied >= 0 && r.Varied != i {
			continue
		}
		k := key
		k.Along = n.Name
		list = append(list, place{k, r.Values[i]})
		if !s.Each && len(s.Numbers) > 1 {
			k.Values = slices.Delete(slices.Clone(r.Values), i, i+1)
			if i == 0 || s.Crossover != nil && s.Crossover.Along == n.Name {
				list = append(list, place{k, r.Values[i]})
			}
		}
	}
	if s.Crossover != nil && s.Crossover.Along == "size" && len(s.Numbers) > 0 && !s.Each {
		list = append(list, place{CurveKey{Along: "size", Device: r.Device, Kernel: r.Kernel, Type: r.Type, Values: r.Values}, float64(r.Size)})
	}
	return list
}

// sumFn adds up the samples of a curve.
type sumFn struct{}

func (f *sumFn) CreateAccumulator() Sums { return Sums{} }

func (f *sumFn) AddInput(a Sums, s Sample) Sums {
	if s.Failed {
		return add(a, Sum{At: s.At, Failed: 1})
	}
	return add(a, Sum{At: s.At, Cycles: s.Cycles, Runs: 1})
}

func (f *sumFn) MergeAccumulators(a, b Sums) Sums {
	for _, s := range b.List {
		a = add(a, s)
	}
	return a
}

func (f *sumFn) ExtractOutput(a Sums) Sums { return a }

func add(a Sums, s Sum) Sums {
	i, there := slices.BinarySearchFunc(a.List, s, func(x, y Sum) int { return cmp.Compare(x.At, y.At) })
	if !there {
		return Sums{slices.Insert(a.List, i, s)}
	}
	x := &a.List[i]
	x.Cycles, x.Runs, x.Failed = x.Cycles+s.Cycles, x.Runs+s.Runs, x.Failed+s.Failed
	return a
}

// A Line is what the pipeline works out for one key.
type Line struct {
	Key  json.RawMessage
	Rows []result.Row `json:",omitempty"`
	Sums []Sum        `json:",omitempty"`
}

// linesFn writes what is left of the rows of a key.
type linesFn struct{}

// ProcessElement is called for every key.
func (*linesFn) ProcessElement(key string, rows Rows, emit func(string)) error {
	return emitLine(Line{Key: json.RawMessage(key), Rows: rows.List}, emit)
}

// curveLinesFn writes a curve.
type curveLinesFn struct{}

// ProcessElement is called for every key.
func (*curveLinesFn) ProcessElement(key string, sums Sums, emit func(string)) error {
	return emitLine(Line{Key: json.RawMessage(key), Sums: sums.List}, emit)
}

func emitLine(l Line, emit func(string)) error {
	text, err := json.Marshal(l)
	if err == nil {
		emit(string(text))
	}
	return err
}

// keepFn keeps lines in the output.
type keepFn struct {
	common
	Name string
}

// ProcessElement is called once.
func (f *keepFn) ProcessElement(_ int, lines func(*string) bool) error {
	var all []string
	for s := ""; lines(&s); {
		all = append(all, s)
	}
	slices.Sort(all)
	err := f.Store.WriteSummary(f.Name, all)
	if err != nil {
		sessionOf(f.Session, f.Workers).fail(err)
	}
	return err
}
