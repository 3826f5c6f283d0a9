package message

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// A Progress keeps one line of a terminal up to date. Work that ends within
// half a second shows nothing.
type Progress struct {
	w     io.Writer
	next  time.Time
	width int // of the line on the screen
}

func NewProgress(w io.Writer) *Progress {
	return &Progress{w: w, next: time.Now().Add(500 * time.Millisecond)}
}

// Update shows what line returns, at most five times a second.
func (p *Progress) Update(line func() string) {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	p.show(line())
}

func (p *Progress) show(text string) {
	n := utf8.RuneCountInString(text)
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", max(0, p.width-n)))
	p.width = n
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.width > 0 {
		p.show("")
		fmt.Fprint(p.w, "\r")
	}
}
