package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Store is the folder of a sweep's output. The points are cut into shards of
// neighbours. A shard that is done is one file of parts/; one that is being run
// has a file that grows by a row with every point.
type Store struct {
	Dir    string
	Points int64
	Shard  int64 // points of a shard
}

// manifest is what sweep.json says.
type manifest struct {
	Format int             `json:"format"`
	Points int64           `json:"points"`
	Shard  int64           `json:"shard"`
	Sweep  json.RawMessage `json:"sweep"`
}

const (
	manifestName = "sweep.json"
	format       = 1
)

// Open makes the folder of a sweep, or finds it again. Encoded is the sweep in a
// form that is the same for the same sweep. Without resume the folder must be new
// or empty.
func Open(dir string, encoded []byte, points, shard int64, resume bool) (*Store, error) {
	s := &Store{Dir: dir, Points: points, Shard: shard}
	at := filepath.Join(dir, manifestName)
	old, err := os.ReadFile(at)
	switch {
	case err == nil:
		return s, s.again(at, old, encoded, resume)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Path: at, What: "cannot be read: " + cause(err), Fix: "name another folder with -out", Err: err}
	}
	there, err := os.ReadDir(dir)
	switch {
	case err == nil && len(there) > 0:
		return nil, &Error{Path: dir, What: "holds other things than a sweep", Fix: "name a new folder with -out"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Path: dir, What: "cannot be read: " + cause(err), Fix: "name another folder with -out", Err: err}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &Error{Path: dir, What: "cannot be made: " + cause(err), Fix: "name another folder with -out", Err: err}
	}
	text, err := json.MarshalIndent(manifest{format, points, shard, encoded}, "", " ")
	if err != nil {
		return nil, err
	}
	if err := writeWhole(at, append(text, '\n')); err != nil {
		return nil, err
	}
	return s, s.makeParts()
}

func (s *Store) makeParts() error {
	return wrote(s.Dir, os.MkdirAll(filepath.Join(s.Dir, "parts"), 0o755))
}

// again holds the sweep against that of the folder.
func (s *Store) again(at string, old, encoded []byte, resume bool) error {
	var m manifest
	if err := json.Unmarshal(old, &m); err != nil {
		return &Error{Path: at, What: "is damaged: " + err.Error(), Fix: "name a new folder with -out", Err: err}
	}
	if m.Format != format {
		return &Error{Path: at, What: fmt.Sprintf("has format %d, and this program writes %d", m.Format, format), Fix: "name a new folder with -out"}
	}
	differs, err := difference(m.Sweep, encoded)
	switch {
	case err != nil:
		return &Error{Path: at, What: "is damaged: " + err.Error(), Fix: "name a new folder with -out", Err: err}
	case differs != "":
		return &Error{Path: s.Dir, What: "holds the output of another sweep: its " + differs + " differ", Fix: "name another folder with -out; nothing was changed"}
	case !resume:
		return &Error{Path: s.Dir, What: "holds the output of this sweep already", Fix: "go on with -resume, or name another folder with -out"}
	case m.Points != s.Points || m.Shard < 1:
		return &Error{Path: at, What: "is damaged: it has other numbers of points", Fix: "name a new folder with -out"}
	}
	s.Shard = m.Shard
	return s.makeParts()
}

// difference names a field in which two sweeps differ; the title does not count.
func difference(a, b []byte) (string, error) {
	var x, y map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return "", err
	}
	var names []string
	for name := range y {
		var p, q bytes.Buffer
		if x[name] == nil {
			return strings.ToLower(name), nil
		}
		if err := errors.Join(json.Compact(&p, x[name]), json.Compact(&q, y[name])); err != nil {
			return "", err
		}
		if name != "Title" && !bytes.Equal(p.Bytes(), q.Bytes()) {
			names = append(names, strings.ToLower(name))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", "), nil
}

// Shards returns how many shards there are.
func (s *Store) Shards() int64 { return (s.Points + s.Shard - 1) / s.Shard }

// Range returns the points of a shard: from one to before another.
func (s *Store) Range(shard int64) (from, to int64) {
	return shard * s.Shard, min((shard+1)*s.Shard, s.Points)
}

func (s *Store) part(shard int64) string {
	return filepath.Join(s.Dir, "parts", fmt.Sprintf("%07d.jsonl", shard))
}

// Done counts the points of finished shards.
func (s *Store) Done() int64 {
	there, _ := os.ReadDir(filepath.Join(s.Dir, "parts"))
	n := int64(0)
	for _, f := range there {
		var shard int64
		if !strings.HasSuffix(f.Name(), ".jsonl") {
			continue
		}
		if _, err := fmt.Sscanf(f.Name(), "%d.jsonl", &shard); err == nil {
			from, to := s.Range(shard)
			n += max(to-from, 0)
		}
	}
	return n
}

// Kept counts the rows of all shards, finished or not.
func (s *Store) Kept() (int64, error) {
	n := int64(0)
	for shard := range s.Shards() {
		rows, err := s.Some(shard)
		if err != nil {
			return n, err
		}
		n += int64(len(rows))
	}
	return n, nil
}

// Some returns the rows that a shard has, in order.
func (s *Store) Some(shard int64) ([]Row, error) {
	rows, _, err := s.rows(shard)
	return rows, err
}

// rows reads what is there of a shard, in order, and the files of attempts that did
// not finish.
func (s *Store) rows(shard int64) (rows []Row, attempts []string, err error) {
	whole := s.part(shard)
	rows, err = s.read(whole, shard)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return rows, nil, err
	}
	attempts, err = filepath.Glob(globEscape(strings.TrimSuffix(whole, ".jsonl")) + ".*.part")
	if err != nil {
		return nil, nil, err
	}
	seen := map[int64]bool{}
	for _, a := range attempts {
		more, err := s.read(a, shard)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another attempt has finished
		}
		if err != nil {
			return nil, nil, err
		}
		for _, r := range more {
			if !seen[r.Point] {
				seen[r.Point] = true
				rows = append(rows, r)
			}
		}
	}
	sortRows(rows)
	return rows, attempts, nil
}

func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Point, b.Point) })
}

// globEscape keeps the letters of a path from being a pattern.
func globEscape(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// read reads the rows of a file. A last line that was cut off does not count.
func (s *Store) read(path string, shard int64) ([]Row, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &Error{Path: path, What: "cannot be read: " + cause(err), Fix: "mend it, then go on with -resume", Err: err}
	}
	from, to := s.Range(shard)
	var rows []Row
	for line := 1; ; line++ {
		text, rest, whole := bytes.Cut(data, []byte{'\n'})
		if !whole {
			break
		}
		data = rest
		var r Row
		err := json.Unmarshal(text, &r)
		if err == nil && (r.Point < from || r.Point >= to) {
			err = fmt.Errorf("point %d is not one of this file", r.Point)
		}
		if err != nil {
			return nil, &Error{Path: fmt.Sprintf("%s:%d", path, line), What: "is damaged: " + err.Error(),
				Fix: "remove the file, then -resume runs its points again", Err: err}
		}
		rows = append(rows, r)
	}
	if strings.HasSuffix(path, ".jsonl") && int64(len(rows)) != to-from {
		return nil, &Error{Path: path, What: fmt.Sprintf("has %d rows of %d", len(rows), to-from), Fix: "remove the file, then -resume runs its points again"}
	}
	return rows, nil
}

// An Attempt runs a shard. Others may run the same one, as runners do when a
// machine is slow: each has a file of its own, and the rows are the same.
type Attempt struct {
	store    *Store
	shard    int64
	file     *os.File
	attempts []string // that were read
}

// Begin returns the rows that a shard has. If they are all, the attempt is nil.
func (s *Store) Begin(shard int64) ([]Row, *Attempt, error) {
	rows, attempts, err := s.rows(shard)
	if err != nil {
		return nil, nil, err
	}
	from, to := s.Range(shard)
	if int64(len(rows)) == to-from && len(attempts) == 0 {
		return rows, nil, nil
	}
	f, err := os.CreateTemp(filepath.Join(s.Dir, "parts"), fmt.Sprintf("%07d.*.part", shard))
	if err != nil {
		return nil, nil, wrote(s.Dir, err)
	}
	return rows, &Attempt{s, shard, f, attempts}, nil
}

// Add keeps a row: from now on an interruption does not lose it.
func (a *Attempt) Add(r Row) error {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = a.file.Write(append(text, '\n'))
	}
	return wrote(a.file.Name(), err)
}

// Close ends an attempt that does not finish.
func (a *Attempt) Close() error { return wrote(a.file.Name(), a.file.Close()) }

// Finish writes the rows of the whole shard in order, and removes the attempts.
func (a *Attempt) Finish(rows []Row) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range rows {
		if err := e.Encode(&rows[i]); err != nil {
			return err
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	if err := writeWhole(a.store.part(a.shard), b.Bytes()); err != nil {
		return err
	}
	for _, name := range append(a.attempts, a.file.Name()) {
		os.Remove(name) // what stays is not read again
	}
	return nil
}

// Rows yields the rows of all shards in order, for tables. A shard that is not
// finished is an error.
func (s *Store) Rows(yield func(*Row, error) bool) {
	for shard := range s.Shards() {
		rows, err := s.read(s.part(shard), shard)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range rows {
			if !yield(&rows[i], nil) {
				return
			}
		}
	}
}

// WriteSummary keeps lines that the pipeline worked out, under a name.
func (s *Store) WriteSummary(name string, lines []string) error {
	return writeWhole(filepath.Join(s.Dir, "parts", name+".json"), []byte(strings.Join(append(lines, ""), "\n")))
}

// ReadSummary calls read with every line that was kept under a name.
func (s *Store) ReadSummary(name string, read func(line []byte) error) error {
	path := filepath.Join(s.Dir, "parts", name+".json")
	data, err := os.ReadFile(path)
	if err != nil {
		return &Error{Path: path, What: "cannot be read: " + cause(err), Fix: "work it out again with -resume", Err: err}
	}
	for line := range bytes.Lines(data) {
		if err := read(line); err != nil {
			return &Error{Path: path, What: "is damaged: " + err.Error(), Fix: "work it out again with -resume", Err: err}
		}
	}
	return nil
}

// writeWhole writes a file that is there either whole or not at all.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return wrote(path, err)
	}
	_, err = f.Write(data)
	return finish(f, path, err)
}

// finish closes a file under its temporary name and gives it its own, or removes it
// if it could not be written.
func finish(f *os.File, path string, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return wrote(path, err)
}

// cause returns what went wrong without the path, which is told anyway.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// WritePage writes index.html.
func (s *Store) WritePage(write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return writeWhole(filepath.Join(s.Dir, "index.html"), b.Bytes())
}
