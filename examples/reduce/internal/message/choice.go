package message

import (
	"fmt"
	"strings"
)

// A ChoiceError says that a name is none of those there are, and which of them
// were probably meant.
type ChoiceError struct {
	What string // what is chosen: "device", "column"
	Got  string
	Have []string
	In   string // where the names come from, may be empty
}

func (e *ChoiceError) Error() string {
	var b strings.Builder
	if e.In != "" {
		b.WriteString(e.In + ": ")
	}
	fmt.Fprintf(&b, "no %s %q", e.What, e.Got)
	if near := nearNames(e.Got, e.Have); len(near) > 0 {
		fmt.Fprintf(&b, "; did you mean %s?", quoteList(near))
	}
	if len(e.Have) == 0 {
		b.WriteString("; there is none")
		return b.String()
	}
	fmt.Fprintf(&b, " (there are %s)", quoteList(e.Have))
	return b.String()
}

// quoteList joins names for a message, quoted where they could be misread, and
// leaves out all but the first forty.
func quoteList(names []string) string {
	const most = 40
	shown := make([]string, 0, len(names))
	for i, name := range names {
		if i == most {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		if name == "" || strings.ContainsAny(name, " ,\"\t") || !Printable(name) {
			name = fmt.Sprintf("%q", name)
		}
		shown = append(shown, name)
	}
	return strings.Join(shown, ", ")
}

// nearNames returns those of have that are most like want: equal but for upper
// and lower case or spaces around, otherwise begun by it or different
// in the fewest letters, two at most and no more than half.
func nearNames(want string, have []string) []string {
	fold := func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
	w := fold(want)
	best := 3
	var near []string
	for _, name := range have {
		h := fold(name)
		d := distance(w, h)
		switch {
		case d > 0 && len(w) >= 3 && strings.HasPrefix(h, w):
			d = 1
		case 2*d > min(len(w), len(h)):
			continue
		}
		if d < best {
			best, near = d, nil
		}
		if d == best {
			near = append(near, name)
		}
	}
	if best > 2 {
		return nil
	}
	return near
}

// distance is the number of single letters to insert, delete or replace that
// turn a into b (Levenshtein).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			cost := diagonal
			if s[i] != t[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(t)]
}
