// Package page writes runs as one HTML file that needs nothing else.
package page

import (
	_ "embed" // the parts of the page
	"encoding/json"
	"html"
	"io"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/view/internal/tape"
)

//go:embed page.html
var frame string

//go:embed page.css
var style string

//go:embed page.js
var script string

// A Run is what a page shows side by side with others.
type Run struct {
	Tape   *tape.Tape
	Report *warp.Report
	Title  string
}

// Write writes a page of runs.
func Write(w io.Writer, runs []Run) error {
	var all []*run
	var titles []string
	for _, r := range runs {
		all = append(all, build(r.Tape, r.Report, r.Title))
		titles = append(titles, r.Title)
	}
	data, err := json.Marshal(all) // it escapes what would end the script
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(strings.Join(titles, " | ")), "{{style}}", style, "{{script}}", script, "{{data}}", string(data),
	).WriteString(w, frame)
	return err
}
