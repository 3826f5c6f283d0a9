package record

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
)

const (
	magic   = "WSrecord"
	version = 1
	// most is how long a frame may be, before and after it is compressed.
	most = 1 << 28
	// whole is how many records a frame has at most.
	whole = 1 << 16

	// full is from how many bytes on a frame is written.
	full = 1 << 16

	kindRecords = 1
	kindEnd     = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An Error is a file that cannot be read from a byte on.
type Error struct {
	Offset int64  // of the frame that is wrong, from the start of the file
	Reason string // and what to do
	Err    error  // what the reader beneath said, nil if that was nothing
}

func (e *Error) Error() string {
	s := fmt.Sprintf("record: byte %d: %s", e.Offset, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// A Header says what the records are of.
type Header struct {
	Device string     // that they were made for
	Lanes  int        // of a warp
	Shape  grid.Shape // what grid.Begin needs to time them
	Note   string     `json:",omitempty"` // anything
}

// A Chunk is some of the records of a warp, one after the other.
type Chunk struct {
	Block, Warp int
	grid.Chunk
	Last bool // the warp has no more
}

// A Writer writes a file. It holds one frame in memory.
type Writer struct {
	w       io.Writer
	header  Header
	begun   bool
	err     error
	body    []byte
	out     bytes.Buffer
	flate   *flate.Writer
	records int64
}

// NewWriter returns a Writer of a file with a header, whose Shape Record fills in.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if w == nil {
		return nil, errors.New("record: nil: give NewWriter somewhere to write to")
	}
	f, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	return &Writer{w: w, header: h, flate: f}, err
}

// Write writes a chunk. The order of chunks is that of each warp; warps may come in any.
// It copies what it needs.
func (w *Writer) Write(c *Chunk) error {
	if w.w == nil {
		return errors.New("record: a Writer that NewWriter has not made")
	}
	if c == nil {
		return errors.New("record: nil: give Write a chunk")
	}
	if c.Block < 0 || c.Warp < 0 || len(c.Sites) > 0 && len(c.Sites) != len(c.Recs) {
		return fmt.Errorf("record: a chunk of block %d warp %d with %d records and %d sites", c.Block, c.Warp, len(c.Recs), len(c.Sites))
	}
	rest := *c
	for len(rest.Recs) > whole {
		part := rest
		part.Recs, rest.Recs, part.Last = rest.Recs[:whole], rest.Recs[whole:], false
		if len(rest.Sites) > 0 {
			part.Sites, rest.Sites = rest.Sites[:whole], rest.Sites[whole:]
		}
		n := 0
		for i := range part.Recs {
			if part.Recs[i].TouchesLines() && n < len(rest.Lines) {
				for n++; n < len(rest.Lines) && !rest.Lines[n-1].Last(); n++ {
				}
			}
		}
		part.Lines, rest.Lines = rest.Lines[:n], rest.Lines[n:]
		w.frame(&part)
	}
	w.frame(&rest)
	return w.err
}

func (w *Writer) begin() {
	if w.begun || w.err != nil {
		return
	}
	w.begun = true
	_, w.err = w.w.Write(append([]byte(magic[:7]), version))
	b, err := json.Marshal(w.header)
	if w.err == nil {
		w.err = err
	}
	w.put(b)
}

func (w *Writer) frame(c *Chunk) {
	w.begin()
	b := append(w.body, kindRecords)
	b = binary.AppendUvarint(b, uint64(c.Block))
	b = binary.AppendUvarint(b, uint64(c.Warp))
	last := uint64(0)
	if c.Last {
		last = 1
	}
	b = binary.AppendUvarint(b, last)
	b = binary.AppendUvarint(b, uint64(len(c.Recs)))
	b = binary.AppendUvarint(b, uint64(len(c.Sites)))
	b = binary.AppendUvarint(b, uint64(len(c.Lines)))
	for i := range c.Recs {
		in := &c.Recs[i]
		b = append(b, byte(in.Op), in.Active, in.Guard, in.Aux)
		for _, x := range [...]uint16{uint16(in.Dst), uint16(in.Dst2), uint16(in.A), uint16(in.B), uint16(in.C), in.Count} {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
	}
	for _, s := range c.Sites {
		b = binary.AppendUvarint(b, uint64(s))
	}
	before := uint64(0)
	for _, l := range c.Lines {
		b = binary.AppendVarint(b, int64(l.Number()-before))
		b = binary.AppendUvarint(b, uint64(l)&(1<<30-1))
		before = l.Number()
	}
	w.records += int64(len(c.Recs))
	if w.body = b; len(b) >= full {
		w.flush()
	}
}

// flush writes the chunks that wait for a frame to be full.
func (w *Writer) flush() {
	if len(w.body) > 0 {
		w.put(w.body)
		w.body = w.body[:0]
	}
}

// put writes a frame.
func (w *Writer) put(body []byte) {
	if w.err != nil {
		return
	}
	w.out.Reset()
	w.out.Write(make([]byte, 8))
	w.flate.Reset(&w.out)
	if _, w.err = w.flate.Write(body); w.err == nil {
		w.err = w.flate.Close()
	}
	b := w.out.Bytes()
	binary.LittleEndian.PutUint32(b, uint32(len(b)-8))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[8:], castagnoli))
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

// Close ends the file, without closing what it is written to, and returns the first
// error that there was.
func (w *Writer) Close() error {
	if w.w == nil {
		return errors.New("record: a Writer that NewWriter has not made")
	}
	w.begin()
	w.flush()
	w.put(binary.AppendUvarint([]byte{kindEnd}, uint64(w.records)))
	return w.err
}

// A Reader reads a file frame by frame.
type Reader struct {
	r       io.Reader
	at      int64 // the next frame
	header  Header
	body    bytes.Buffer
	inflate io.ReadCloser
	chunk   Chunk
	start   int64  // of the present frame
	rest    []byte // of its body
	records int64
	err     error
}

// NewReader reads the header of a file. What it reads should be buffered. A file that is
// none, or of a later version, is an *Error.
func NewReader(r io.Reader) (*Reader, error) {
	if r == nil {
		return nil, &Error{0, "nil: give NewReader something to read", nil}
	}
	x := &Reader{r: r, inflate: flate.NewReader(bytes.NewReader(nil))}
	var first [8]byte
	if _, err := io.ReadFull(r, first[:]); err != nil || string(first[:7]) != magic[:7] {
		return nil, &Error{0, "no file of records", err}
	}
	if first[7] == 0 || first[7] > version {
		return nil, &Error{7, fmt.Sprintf("version %d, and this one reads up to %d: use a later one", first[7], version), nil}
	}
	x.at = 8
	b, err := x.frame()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &x.header); err != nil {
		return nil, &Error{8, "the header cannot be read", err}
	}
	return x, nil
}

// Header returns the header of the file.
func (r *Reader) Header() Header { return r.header }

func (r *Reader) bad(reason string, err error) error { return &Error{r.at, reason, err} }

const damaged = "the file is damaged from here on: record it again"

// frame returns the body of the next frame.
func (r *Reader) frame() ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, r.bad("the file ends before its end: it was cut off, or not closed", io.ErrUnexpectedEOF)
		}
		return nil, r.bad("the file cannot be read", err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > most {
		return nil, r.bad(damaged, nil)
	}
	var in bytes.Buffer
	in.Grow(int(min(n, 1<<16)))
	if _, err := io.CopyN(&in, r.r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, r.bad("the file ends before its end: it was cut off, or not closed", io.ErrUnexpectedEOF)
		}
		return nil, r.bad("the file cannot be read", err)
	}
	if crc32.Checksum(in.Bytes(), castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, r.bad(damaged, nil)
	}
	if err := r.inflate.(flate.Resetter).Reset(&in, nil); err != nil {
		return nil, r.bad(damaged, err)
	}
	r.body.Reset()
	if k, err := io.Copy(&r.body, io.LimitReader(r.inflate, most)); err != nil || k == most {
		return nil, r.bad(damaged, err)
	}
	r.at += int64(n) + 8
	return r.body.Bytes(), nil
}

// Next returns the next chunk, io.EOF after the last. It is valid until the next call. A
// damaged file is an *Error, and there is no reading on behind it.
func (r *Reader) Next() (*Chunk, error) {
	if r.r == nil {
		return nil, &Error{0, "a Reader that NewReader has not made", nil}
	}
	if r.err != nil {
		return nil, r.err
	}
	c, err := r.next()
	r.err = err
	return c, err
}

func (r *Reader) next() (*Chunk, error) {
	if len(r.rest) == 0 {
		var err error
		r.start = r.at
		if r.rest, err = r.frame(); err != nil {
			return nil, err
		}
	}
	start, b := r.start, r.rest
	bad := &Error{start, damaged, nil}
	if len(b) == 0 {
		return nil, bad
	}
	kind, b := b[0], b[1:]
	short := false
	number := func() uint64 {
		n, k := binary.Uvarint(b)
		if k <= 0 {
			short = true
			return 0
		}
		b = b[k:]
		return n
	}
	if kind == kindEnd {
		if n := number(); short || n != uint64(r.records) {
			return nil, &Error{start, fmt.Sprintf("the file has %d records and should have %d: some are missing", r.records, n), nil}
		}
		return nil, io.EOF
	}
	block, warp, last, recs, sites, lines := number(), number(), number(), number(), number(), number()
	if kind != kindRecords || short || block > 1<<31 || warp > 1<<16 || recs > whole || sites > recs || lines > uint64(len(b)) || recs*16 > uint64(len(b)) {
		return nil, bad
	}
	c := &r.chunk
	c.Block, c.Warp, c.Last = int(block), int(warp), last != 0
	c.Recs, c.Sites, c.Lines = c.Recs[:0], c.Sites[:0], c.Lines[:0]
	for range recs {
		at := func(i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }
		c.Recs = append(c.Recs, isa.Instr{
			Op: isa.Op(b[0]), Active: b[1], Guard: b[2], Aux: b[3],
			Dst: isa.Reg(at(4)), Dst2: isa.Reg(at(6)), A: isa.Reg(at(8)), B: isa.Reg(at(10)), C: isa.Reg(at(12)), Count: at(14),
		})
		b = b[16:]
	}
	for range sites {
		c.Sites = append(c.Sites, uint32(number()))
	}
	line := uint64(0)
	for range lines {
		d, k := binary.Varint(b)
		if k <= 0 {
			return nil, bad
		}
		b = b[k:]
		line += uint64(d)
		c.Lines = append(c.Lines, isa.Line(line<<30|number()&(1<<30-1)))
	}
	if short {
		return nil, bad
	}
	r.rest = b
	r.records += int64(recs)
	return c, nil
}
