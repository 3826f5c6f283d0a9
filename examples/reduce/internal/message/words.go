// Package message words what the program says to people: counts, lists of names,
// what somebody probably meant, how far a long job is.
package message

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Shorten cuts a text that is too long for a message.
func Shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Printable reports whether s is text: valid UTF-8 without control characters.
func Printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
	})
}

// Plural counts things: 1 lane, 1,024 lanes.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Thousands(int64(n)) + " " + what + "s"
}

// Thousands writes n with commas.
func Thousands(n int64) string {
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
