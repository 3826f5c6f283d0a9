package device

import (
	"slices"
	"strings"
)

// fold brings a device name to the form in which spellings compare: lower
// case, letters and digits only.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

// nearest returns the names that differ from name in few letters, at most
// three, best first.
func nearest(name string, known []string) []string {
	type candidate struct {
		name string
		dist int
	}
	var near []candidate
	for _, k := range known {
		if d := distance(fold(name), fold(k)); d <= max(1, min(len(name), len(k))/3) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.dist - b.dist })
	var out []string
	for _, c := range near[:min(3, len(near))] {
		out = append(out, c.name)
	}
	return out
}

// maxNameLen bounds the names that are compared letter by letter.
const maxNameLen = 64

// distance is the number of letters to insert, remove, replace or swap with
// their neighbour to turn a into b (optimal string alignment).
func distance(a, b string) int {
	if len(a) > maxNameLen || len(b) > maxNameLen {
		return max(len(a), len(b))
	}
	var rows [3][maxNameLen + 1]int
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
