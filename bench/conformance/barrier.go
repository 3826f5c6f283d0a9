package main

import "fmt"

// checkBarrier recomputes the predicates that the recorded kernel made from the
// seed: p0 is zero for about one thread in eight and otherwise any odd number,
// p1 is 1 for about one in 256, p2 is 4 and p3 is 0 everywhere.
func checkBarrier(l layer, r *record) ([]result, error) {
	threads, seed := r.number("threads"), uint32(r.number("seed"))
	if threads < 1 || threads > 1024 {
		r.fail("threads", fmt.Sprintf("%d is not a size of a block", threads))
	}
	if r.err != nil {
		return nil, nil
	}
	p := make([][4]int32, threads)
	for t := range p {
		h := uint32(t)*2654435761 ^ seed
		h ^= h >> 13
		h *= 0x85ebca6b
		h ^= h >> 16
		if h&7 != 0 {
			p[t][0] = int32(h | 1)
		}
		if h&255 == 1 {
			p[t][1] = 1
		}
		p[t][2] = 4
	}
	var results []result
	for _, c := range []struct {
		column    string
		predicate int
	}{{"count_p0", 0}, {"count_p1", 1}, {"and_p0", 0}, {"and_p2", 2}, {"or_p1", 1}, {"or_p3", 3}} {
		row := make([]int32, threads)
		for t := range row {
			row[t] = p[t][c.predicate]
		}
		count, and, or, err := l.barrier(row)
		if err != nil {
			return nil, err
		}
		got := count
		switch c.column[0] {
		case 'a':
			got = map[bool]int{true: 1}[and]
		case 'o':
			got = map[bool]int{true: 1}[or]
		}
		results = append(results, result{c.column, fmt.Sprint(r.number(c.column)), fmt.Sprint(got)})
	}
	return results, nil
}
