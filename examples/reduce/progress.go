package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A progress keeps one line of a terminal up to date. Work that ends within
// half a second shows nothing.
type progress struct {
	w     io.Writer
	next  time.Time
	width int // of the line on the screen
}

func newProgress(w io.Writer) *progress {
	return &progress{w: w, next: time.Now().Add(500 * time.Millisecond)}
}

// update shows what line returns, at most five times a second.
func (p *progress) update(line func() string) {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	p.show(line())
}

func (p *progress) show(text string) {
	n := utf8.RuneCountInString(text)
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", max(0, p.width-n)))
	p.width = n
}

// clear removes the line.
func (p *progress) clear() {
	if p.width > 0 {
		p.show("")
		fmt.Fprint(p.w, "\r")
	}
}

// thousands writes n with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
