// Package input reads the numbers to reduce: lists and CSV columns from files and
// standard input, or an embedded data set.
package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"example.com/warpsim/examples/reduce/internal/message"
	"example.com/warpsim/examples/reduce/internal/number"
)

// An Source says where the numbers come from.
type Source struct {
	File   string      // "" for standard input if there is any, "-" for it in any case
	Column string      // of a CSV file
	Kind   number.Kind // number.Any to guess

	Stdin    io.Reader
	Notes    io.Writer // remarks for people
	Progress bool      // show progress on Notes
}

const stdinName = "standard input"

// Read returns the numbers of the file, of standard input or, without either,
// of the embedded data set.
func (in Source) Read(ctx context.Context) (Data, error) {
	switch {
	case in.File == "-":
		return in.readStdin(ctx, true)
	case in.File != "":
		return in.readFile(ctx)
	case piped(in.Stdin):
		d, err := in.readStdin(ctx, false)
		var empty *emptyError
		if !errors.As(err, &empty) || empty.Comments > 0 || empty.Header {
			return d, err
		}
		fmt.Fprintln(in.Notes, "reduce: standard input is empty, so the embedded data set is used")
	}
	return readEmbedded(in.Column, in.Kind)
}

// piped reports whether r has numbers to offer without being asked for: a pipe
// or a file, not a terminal and not /dev/null.
func piped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return r != nil
	}
	if f == nil {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	mode := info.Mode()
	switch {
	case mode.IsDir(), mode&fs.ModeCharDevice != 0:
		return false
	case mode.IsRegular():
		return info.Size() > 0
	}
	return true
}

func (in Source) readFile(ctx context.Context) (Data, error) {
	f, err := os.Open(in.File)
	if err != nil {
		return Data{}, openError(in.File, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Data{}, openError(in.File, err)
	}
	if info.IsDir() {
		return Data{}, &inputError{
			Source: in.File, What: "this is a directory",
			Hint: "name a file in it", Err: fs.ErrInvalid,
		}
	}
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return in.parse(ctx, f, in.File, size)
}

func openError(file string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	e := &inputError{Source: file, What: "cannot open: " + err.Error(), Err: err}
	if errors.Is(err, fs.ErrNotExist) {
		e.What = "no such file"
		e.Hint = "-in - reads standard input; without -in the embedded data set is used"
	}
	return e
}

func (in Source) readStdin(ctx context.Context, asked bool) (Data, error) {
	if in.Stdin == nil {
		return Data{}, &emptyError{Source: stdinName}
	}
	r := &patientReader{ctx: ctx, r: in.Stdin, buf: make([]byte, 64<<10)}
	if !asked {
		r.notice, r.limit = in.Notes, stdinLimit
	}
	size := int64(-1)
	if f, ok := in.Stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	return in.parse(ctx, r, stdinName, size)
}

// parse reads numbers from r; size is that of the whole input or negative.
func (in Source) parse(ctx context.Context, r io.Reader, source string, size int64) (Data, error) {
	watch := &watchedReader{ctx: ctx, r: r, source: source, size: size}
	if in.Progress {
		watch.progress = message.NewProgress(in.Notes)
		defer watch.progress.Clear()
	}
	b := bufio.NewReaderSize(watch, tokenizerBuffer)
	if err := sniff(b, source); err != nil {
		return Data{}, err
	}
	if in.Column != "" {
		return readColumn(b, source, in.Column, newSink(in.Kind), in.Kind)
	}
	return readText(b, source, newSink(in.Kind), in.Kind)
}

// sniff refuses what is no text by its first bytes, and skips a byte order
// mark of UTF-8.
func sniff(b *bufio.Reader, source string) error {
	head, err := b.Peek(512)
	if err != nil && err != io.EOF {
		return readError(source, err)
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, err := b.Discard(3)
		return err
	}
	for _, f := range []struct{ magic, what, hint string }{
		{"\x1f\x8b", "this is compressed with gzip", "pipe it: gzip -dc FILE | reduce -in -"},
		{"\x28\xb5\x2f\xfd", "this is compressed with zstd", "pipe it: zstd -dc FILE | reduce -in -"},
		{"\xfd7zXZ\x00", "this is compressed with xz", "pipe it: xz -dc FILE | reduce -in -"},
		{"PK\x03\x04", "this is a zip archive or a spreadsheet", "export the numbers as text or CSV"},
		{"\xff\xfe", "this is UTF-16 text", "convert it to UTF-8"},
		{"\xfe\xff", "this is UTF-16 text", "convert it to UTF-8"},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return &inputError{Source: source, What: f.what, Hint: f.hint, Err: number.ErrNotNumber}
		}
	}
	if at := bytes.IndexByte(head, 0); at >= 0 {
		return &inputError{
			Source: source, What: fmt.Sprintf("this is binary data, not text (byte %d is zero)", at),
			Hint: "convert it to numbers in text form first", Err: number.ErrNotNumber,
		}
	}
	return nil
}

// A watchedReader ends when the context does and shows how far it is.
type watchedReader struct {
	ctx      context.Context
	r        io.Reader
	source   string
	size     int64 // negative if not known
	done     int64
	progress *message.Progress // nil: none
}

func (w *watchedReader) Read(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	n, err := w.r.Read(p)
	w.done += int64(n)
	if w.progress != nil {
		w.progress.Update(func() string {
			if w.size > 0 {
				return fmt.Sprintf("reading %s: %d %% of %s", w.source, min(100, 100*w.done/w.size), megabytes(w.size))
			}
			return fmt.Sprintf("reading %s: %s", w.source, megabytes(w.done))
		})
	}
	return n, err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// How long standard input may stay silent if nobody asked for it: a pipe that
// a parent process left open must not stop the program for ever.
const (
	stdinNotice = 2 * time.Second
	stdinLimit  = 30 * time.Second
)

var errSilent = fmt.Errorf("nothing arrived within %v", stdinLimit)

// A patientReader reads in the background, so that it can be interrupted, and
// until the first byte arrives it says what it waits for and gives up in the
// end. A read that is given up lingers until the input ends or the program does.
type patientReader struct {
	ctx    context.Context
	r      io.Reader
	buf    []byte
	notice io.Writer
	limit  time.Duration // 0: none
	begun  bool
}

func (p *patientReader) Read(b []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	buf := p.buf[:min(len(b), len(p.buf))]
	go func() {
		n, err := p.r.Read(buf)
		done <- result{n, err}
	}()
	var notice, limit <-chan time.Time
	if !p.begun && p.limit > 0 {
		n, l := time.NewTimer(min(stdinNotice, p.limit)), time.NewTimer(p.limit)
		defer n.Stop()
		defer l.Stop()
		notice, limit = n.C, l.C
	}
	for {
		select {
		case res := <-done:
			p.begun = true
			return copy(b, buf[:res.n]), res.err
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		case <-notice:
			notice = nil
			fmt.Fprintln(p.notice, "reduce: waiting for numbers on standard input (for the embedded data set: </dev/null)")
		case <-limit:
			return 0, errSilent
		}
	}
}
