package timing

import (
	"errors"
	"fmt"

	"example.com/warpsim/warp/internal/frozen"
	"example.com/warpsim/warp/isa"
)

const snapshotMagic = "WSmp"

// A SnapshotProblem is why a snapshot is refused.
type SnapshotProblem uint8

// The problems. Each is an error that errors.Is finds in a SnapshotError.
const (
	// SnapshotDamaged: the bytes are not those of a snapshot of this kind.
	SnapshotDamaged SnapshotProblem = iota
	// SnapshotVersion: another version of this package made it, or one for another kind
	// of processor.
	SnapshotVersion
	// SnapshotProfile: it was made with other numbers of a profile, or another Config.
	SnapshotProfile
)

var snapshotProblems = [...]string{
	"the bytes are damaged, or no such snapshot: make it again",
	"made by another version, or for another kind of processor: make it again with this one, or read it with that one",
	"made with other costs or another Config: restore it with those that it was made with",
}

func (p SnapshotProblem) Error() string {
	if int(p) < len(snapshotProblems) {
		return snapshotProblems[p]
	}
	return fmt.Sprintf("snapshot problem(%d)", uint8(p))
}

// A SnapshotError says why a snapshot is refused.
type SnapshotError struct {
	Problem SnapshotProblem
	Offset  int // of the byte from which on it is not understood
}

func (e *SnapshotError) Error() string {
	return fmt.Sprintf("timing: snapshot, byte %d: %v", e.Offset, e.Problem)
}

// Unwrap returns the problem.
func (e *SnapshotError) Unwrap() error { return e.Problem }

// refused is the error of Restore for one of package frozen.
func refused(err error) error {
	var e *frozen.Error
	if !errors.As(err, &e) {
		return err
	}
	return &SnapshotError{[...]SnapshotProblem{SnapshotDamaged, SnapshotVersion, SnapshotProfile}[e.Problem], e.Offset}
}

// subject stands for what a snapshot needs besides its bytes.
func (m *Multiprocessor) subject() uint64 {
	x := struct {
		costs     uint64
		scheduler Scheduler
		told      [2]bool
		memory    bool
	}{frozen.Hash(m.table), m.config.Scheduler, [2]bool{m.config.Sites}, m.memory != nil}
	return frozen.Hash(&x)
}

// Snapshot returns the multiprocessor as it stands, as bytes that Restore takes: the
// time, blocks, what their warps wait for, totals, and the records that they were fed
// and have not issued. What is the host's is not in it: the memory behind Config.Memory,
// observers, records to come. Snapshots are read by the same version of this package on
// processors with words of the same size and order. It is an error after Run has
// returned one.
func (m *Multiprocessor) Snapshot() ([]byte, error) {
	switch {
	case m.err != nil:
		return nil, m.err
	case m.table == nil:
		return nil, field("Snapshot", isa.Invalid, "a multiprocessor that New has not made")
	}
	m.recall.lose()
	for _, w := range m.warps {
		w.trim()
	}
	return frozen.Append(nil, snapshotMagic, m.subject(), m), nil
}

// trim forgets the records that have been issued.
func (w *warp) trim() {
	w.recs = w.recs[w.next:]
	w.sites = w.sites[min(w.next, len(w.sites)):]
	w.before += int64(w.next)
	w.next = 0
}

// Restore returns the multiprocessor of a snapshot: it goes on to the same cycles,
// totals and issues as the one that was written down. The table and the Config's
// Scheduler and Sites have to be those of that one, and there has to be a Memory if
// there was one. A kernel that is a Go function is not in a snapshot: a host that
// computes records as they are needed runs it again up to where it was, which
// Multiprocessor.Issued tells. Bytes that do not fit are a *SnapshotError.
func Restore(t *Table, c Config, snapshot []byte) (*Multiprocessor, error) {
	m, err := New(t, c)
	if err != nil {
		return nil, err
	}
	if err := frozen.Read(snapshot, snapshotMagic, m.subject(), m); err != nil {
		return nil, refused(err)
	}
	for i, w := range m.warps {
		w.sub = &m.subs[i%len(m.subs)]
	}
	m.due = m.recall.reset()
	return m, nil
}

// Clone returns a multiprocessor that stands where this one does and shares nothing
// with it, with a Config that fits as for Restore: give it a memory of its own.
func (m *Multiprocessor) Clone(c Config) (*Multiprocessor, error) {
	b, err := m.Snapshot()
	if err != nil {
		return nil, err
	}
	return Restore(&Table{*m.table}, c, b)
}
