package input

import (
	"errors"
	"io"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// Classes of bytes in a list of numbers.
const (
	inNumber = iota
	inSpace
	inLine // end of line
	inComma
	inComment
)

var byteClass = func() (class [256]uint8) {
	for _, c := range " \t\r\v\f" {
		class[c] = inSpace
	}
	class['\n'] = inLine
	class[','] = inComma
	class['#'] = inComment
	return class
}()

// A tokenizer cuts a text into numbers: separated by white space, or by one
// comma with or without it; # starts a comment that ends with the line. The
// texts it returns are valid until the next call.
type tokenizer struct {
	r        io.Reader
	buf      []byte
	at, n    int   // the unread part is buf[at:n]
	err      error // what the reader said when it ended
	line     int
	column   int // of the last text
	lineAt   int // where in buf the line starts, may be negative
	numbers  int
	comments int
	comma    bool // a comma since the last number
}

// tokenizerBuffer also bounds the length of one number.
const tokenizerBuffer = 128 << 10

func newTokenizer(r io.Reader) *tokenizer {
	return &tokenizer{r: r, buf: make([]byte, tokenizerBuffer), line: 1}
}

var errTooLong = errors.New("no separator for too long")

// next returns the text of the next number, io.EOF after the last one,
// ErrMissing at a comma without a number before it, errTooLong, or what the
// reader returns.
func (t *tokenizer) next() ([]byte, error) {
	comment := false
	for {
		if t.at == t.n && !t.fill(t.at) {
			return nil, t.err
		}
		c := t.buf[t.at]
		class := byteClass[c]
		if comment && class != inLine {
			t.at++
			continue
		}
		switch class {
		case inNumber:
			return t.number()
		case inLine:
			comment = false
			t.line++
			t.lineAt = t.at + 1
		case inComma:
			if t.comma || t.numbers == 0 {
				t.column = t.at - t.lineAt + 1
				return nil, number.ErrMissing
			}
			t.comma = true
		case inComment:
			comment = true
			t.comments++
		}
		t.at++
	}
}

func (t *tokenizer) number() ([]byte, error) {
	start, at := t.at, t.at
	for {
		for at < t.n && byteClass[t.buf[at]] == inNumber {
			at++
		}
		if at < t.n {
			break
		}
		if start == 0 && t.n == len(t.buf) {
			t.column = start - t.lineAt + 1
			return t.buf[:start+80], errTooLong
		}
		length := at - start
		if !t.fill(start) {
			if t.err != io.EOF {
				return nil, t.err
			}
			start = t.at
			at = t.n
			break
		}
		start, at = 0, length
	}
	t.column = start - t.lineAt + 1
	t.at = at
	t.numbers++
	t.comma = false
	return t.buf[start:at], nil
}

// fill moves buf[from:n] to the front and reads behind it. It returns false at
// the end of the input.
func (t *tokenizer) fill(from int) bool {
	if t.err != nil {
		return false
	}
	copy(t.buf, t.buf[from:t.n])
	t.n -= from
	t.lineAt -= from
	t.at = 0
	for range 100 {
		n, err := t.r.Read(t.buf[t.n:])
		t.n += n
		if err != nil {
			t.err = err
		}
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	t.err = io.ErrNoProgress
	return false
}

// readText reads a list of numbers.
func readText(r io.Reader, source string, s sink, k number.Kind) (Data, error) {
	t := newTokenizer(r)
	for {
		text, err := t.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.add(text)
			if err == nil {
				continue
			}
		}
		return Data{}, t.explain(source, string(text), k, err)
	}
	if t.numbers == 0 {
		return Data{}, &emptyError{Source: source, Comments: t.comments}
	}
	d := s.dataset()
	d.Source = source
	return d, nil
}

func (t *tokenizer) explain(source, text string, k number.Kind, reason error) error {
	at := position{Source: source, Line: t.line, Column: t.column}
	switch {
	case !message.Printable(text):
		return &inputError{Source: at.String(), What: "this is binary data, not text", Err: number.ErrNotNumber}
	case reason == errTooLong:
		return &inputError{Source: at.String(), What: "this is no list of numbers: " + message.Shorten(text) + " goes on without a separator", Err: reason}
	case isNumberReason(reason):
		hint := typeHint(reason, k)
		if reason == number.ErrNotNumber && t.numbers == 1 {
			hint = "if this is a CSV file with a header, name a column with -column"
		}
		return &numberError{position: at, Text: text, Kind: k, Reason: reason, Hint: hint}
	}
	return readError(source, reason)
}

func isNumberReason(err error) bool {
	return err == number.ErrNotNumber || err == number.ErrNotInteger || err == number.ErrRange || err == number.ErrTiny || err == number.ErrMissing
}

// typeHint says which -type would take a number that k does not.
func typeHint(reason error, k number.Kind) string {
	switch {
	case k == number.Any && reason != number.ErrTiny: // a guess takes whatever some type takes
		return ""
	case reason == number.ErrNotInteger:
		return "use -type f32 or f64"
	case (reason == number.ErrRange || reason == number.ErrTiny) && k == number.F32:
		return "use -type f64"
	case reason == number.ErrTiny:
		return "write 0 if that is meant"
	case reason == number.ErrRange && k.Bits() == 32 && !k.Float():
		return "use a wider -type, or i32 or i64 for negative numbers"
	case reason == number.ErrRange && !k.Float():
		return "use -type f64, which rounds"
	}
	return ""
}

// readError says that the input broke off.
func readError(source string, err error) error {
	return &inputError{Source: source, What: "reading failed: " + err.Error(), Err: err}
}
