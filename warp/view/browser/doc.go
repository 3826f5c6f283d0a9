// Package browser holds tests of the pages and pictures of package view in a browser.
// They are a module of their own, since they need one, and are left out with a line
// where there is none.
package browser
