// Package plan reads what a sweep runs: which devices and numbers of their
// profiles, kernels, sizes, types, seeds and repetitions. Points have numbers from 0,
// and each is made from its number alone, so that a sweep of any size takes no
// memory.
package plan

import (
	"encoding/json"
	"fmt"
	"math"

	"example.com/warpsim/warp/device"
)

// A Sweep is what a sweep file says, with defaults filled in.
type Sweep struct {
	Title       string
	Devices     []Device
	Numbers     []Number
	Each        bool // one number at a time, not every combination
	Kernels     []string
	Sizes       []int64
	Types       []string
	Repetitions int64
	Seeds       []int64
	Best        Best
	Pareto      Pareto
	Crossover   *Crossover // nil: not asked for

	combinations, points int64
}

// A Device is a built-in device, perhaps with numbers of its profile set.
type Device struct {
	Name, Base string
	Set        []Weight

	profile *device.Profile
}

// A Number is one or more fields of a profile that get the same value.
type Number struct {
	Name   string
	Paths  []string // '*' stands for letters without a dot
	Values []float64
}

// Best asks for the row of the least measure for each key.
type Best struct {
	By    []string
	Least string
}

// Pareto asks for the rows that no other of the same key beats in cycles and cost.
type Pareto struct {
	By   []string
	Cost []Weight
}

// A Weight is a field and what one of it counts, or, in a device, its value.
type Weight struct {
	Name   string
	Weight float64
}

// A Crossover asks from which value of a number, or which size, on the second
// kernel takes no more cycles than the first.
type Crossover struct {
	Between []string
	Along   string
}

var (
	fixedFields  = []string{"device", "kernel", "type", "size", "seed", "repetition"}
	measures     = []string{"cycles", "instructions", "conflicts", "cost"}
	costMeasures = []string{"instructions", "conflicts"}
)

// Fields returns the names of what tells points apart: those of every sweep, then
// the numbers.
func (s *Sweep) Fields() []string {
	names := append([]string(nil), fixedFields...)
	for _, n := range s.Numbers {
		names = append(names, n.Name)
	}
	return names
}

// Encode writes the sweep in a form that is the same for the same sweep.
func (s *Sweep) Encode() ([]byte, error) { return json.MarshalIndent(s, "", " ") }

// Len returns how many points the sweep has.
func (s *Sweep) Len() int64 { return s.points }

// mostPoints is beyond what anybody can run.
const mostPoints = 1 << 40

func (s *Sweep) count() error {
	s.combinations = 1
	total := float64(1)
	for _, n := range s.Numbers {
		if s.Each {
			s.combinations += int64(len(n.Values))
			total += float64(len(n.Values))
		} else {
			s.combinations *= int64(len(n.Values))
			total *= float64(len(n.Values))
		}
	}
	for _, n := range []int{len(s.Devices), len(s.Kernels), len(s.Sizes), len(s.Types), len(s.Seeds), int(s.Repetitions)} {
		total *= float64(n)
	}
	if total > mostPoints {
		return fmt.Errorf("%.3g points, and a sweep has at most %.3g", total, float64(mostPoints))
	}
	s.points = int64(total)
	return nil
}

// A Point is what one run is a function of.
type Point struct {
	Number       int64
	Device       int // in Sweep.Devices
	Combination  int64
	Kernel, Type string
	Size         int64
	Seed         int64
	Repetition   int64
	// Values has the value of each of Sweep.Numbers.
	Values []float64
	// Varied is which number differs from the device's own if they are varied one
	// at a time, -1 for none.
	Varied int
}

// At returns a point. Points whose devices and numbers are the same are
// neighbours.
func (s *Sweep) At(number int64) Point {
	p := Point{Number: number, Varied: -1}
	rest := number
	digit := func(n int64) int64 {
		d := rest % n
		rest /= n
		return d
	}
	p.Repetition = digit(s.Repetitions)
	p.Seed = s.Seeds[digit(int64(len(s.Seeds)))]
	p.Size = s.Sizes[digit(int64(len(s.Sizes)))]
	p.Type = s.Types[digit(int64(len(s.Types)))]
	p.Kernel = s.Kernels[digit(int64(len(s.Kernels)))]
	p.Combination = digit(s.combinations)
	p.Device = int(rest)
	p.Values = make([]float64, len(s.Numbers))
	c := p.Combination
	if !s.Each {
		for i := len(s.Numbers) - 1; i >= 0; i-- {
			n := int64(len(s.Numbers[i].Values))
			p.Values[i] = s.Numbers[i].Values[c%n]
			c /= n
		}
		return p
	}
	c-- // 0 is the device as it is
	for i, n := range s.Numbers {
		if c >= 0 && c < int64(len(n.Values)) {
			p.Values[i], p.Varied = n.Values[c], i
		} else {
			p.Values[i] = s.own(p.Device, i)
		}
		c -= int64(len(n.Values))
	}
	return p
}

// own returns what a number is on a device as it is.
func (s *Sweep) own(d, number int) float64 {
	p := s.Devices[d].profile
	paths, err := resolve(p, s.Numbers[number].Paths[0])
	if err != nil {
		return math.NaN() // was checked when the sweep was read
	}
	return value(p, paths[0])
}

// Profile returns the device of a point.
func (s *Sweep) Profile(p Point) (*device.Profile, error) {
	base := s.Devices[p.Device].profile
	var changes []change
	for i, n := range s.Numbers {
		if s.Each && i != p.Varied {
			continue
		}
		for _, pattern := range n.Paths {
			paths, err := resolve(base, pattern)
			if err != nil {
				return nil, err
			}
			changes = append(changes, change{paths, p.Values[i]})
		}
	}
	profile, err := apply(base, changes)
	if err != nil {
		return nil, refused(err)
	}
	return profile, nil
}

// Cost returns what a point costs by the weights of the sweep.
func (s *Sweep) Cost(p Point, profile *device.Profile, instructions, conflicts int64) float64 {
	sum := 0.0
next:
	for _, w := range s.Pareto.Cost {
		switch w.Name {
		case "instructions":
			sum += w.Weight * float64(instructions)
			continue
		case "conflicts":
			sum += w.Weight * float64(conflicts)
			continue
		}
		for i, n := range s.Numbers {
			if n.Name == w.Name {
				sum += w.Weight * p.Values[i]
				continue next
			}
		}
		paths, err := resolve(profile, w.Name)
		if err != nil {
			return math.NaN()
		}
		for _, path := range paths {
			sum += w.Weight * value(profile, path)
		}
	}
	return sum
}
