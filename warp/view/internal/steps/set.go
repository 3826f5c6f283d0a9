package steps

import (
	"fmt"
	"strings"
)

// The ways to write a set of threads that lane l, thread t, holds: as they are, by
// their distance from t, and as all from t on or up to t. A run of lanes whose sets
// read alike in one of them is written once.
type form uint8

const (
	absolute form = iota
	relative
	fromOwn // t..c
	toOwn   // c..t
	numForms
)

// write returns the set in a form, "" if it has none in it.
func write(set []int, t int, f form, lane bool) string {
	if len(set) == 0 {
		if f == absolute {
			return "a constant"
		}
		return ""
	}
	last := set[len(set)-1]
	whole := last-set[0] == len(set)-1 && len(set) > 1
	own := "t"
	if lane {
		own = "l"
	}
	switch f {
	case fromOwn:
		if whole && set[0] == t {
			return fmt.Sprintf("%s..%d", own, last)
		}
		return ""
	case toOwn:
		if whole && last == t {
			return fmt.Sprintf("%d..%s", set[0], own)
		}
		return ""
	}
	number := func(n int) string { return fmt.Sprint(n) }
	if f == relative {
		number = func(n int) string {
			if n == t {
				return own
			}
			return fmt.Sprintf("%s%+d", own, n-t)
		}
	}
	var parts []string
	for i := 0; i < len(set); {
		n := progression(set[i:])
		switch {
		case n > 3 && set[i+1]-set[i] == 1:
			parts = append(parts, number(set[i])+".."+number(set[i+n-1]))
		case n > 3:
			parts = append(parts, fmt.Sprintf("%s..%s by %d", number(set[i]), number(set[i+n-1]), set[i+1]-set[i]))
		default:
			n = 1
			parts = append(parts, number(set[i]))
		}
		i += n
	}
	return strings.Join(parts, ", ")
}

// progression returns how many of the first numbers of a set follow each other at
// one distance.
func progression(set []int) int {
	n := 1
	for n < len(set) && (n == 1 || set[n]-set[n-1] == set[1]-set[0]) {
		n++
	}
	return n
}

// List returns a set in short, "" for an empty one.
func List(set []int) string {
	if len(set) == 0 {
		return ""
	}
	return write(set, 0, absolute, true)
}

// A group is a run of lanes whose sets are written once.
type group struct {
	first, last int
	text        string
}

// fold cuts lanes into as few runs as it takes to write their sets. set returns
// that of a lane, and false for a lane that is left out; base is the thread of
// lane 0.
func fold(lanes, base int, set func(l int) ([]int, bool)) []group {
	var out []group
	for l := 0; l < lanes; {
		s, ok := set(l)
		if !ok {
			l++
			continue
		}
		best := group{l, l, write(s, base+l, absolute, base == 0)}
		for f := range numForms {
			text := write(s, base+l, f, base == 0)
			if text == "" {
				continue
			}
			last := l
			for last+1 < lanes {
				n, ok := set(last + 1)
				if !ok || write(n, base+last+1, f, base == 0) != text {
					break
				}
				last++
			}
			if last > best.last {
				best = group{l, last, text}
			}
		}
		out = append(out, best)
		l = best.last + 1
	}
	return out
}
