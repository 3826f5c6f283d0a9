package memory

import (
	"errors"

	"example.com/warpsim/warp/internal/frozen"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

const snapshotMagic = "WSme"

// subject stands for what a snapshot needs besides its bytes.
func (s *System) subject() uint64 {
	x := struct {
		params params
		fronts int
	}{s.params, len(s.fronts)}
	return frozen.Hash(&x)
}

// Snapshot returns the memory as it stands, as bytes that Restore takes: what its caches
// hold, and what is on its way. With the snapshots of the multiprocessors
// (timing.Multiprocessor.Snapshot) a device goes on from there. Snapshots are read by the
// same version of this package on processors with words of the same size and order.
func (s *System) Snapshot() ([]byte, error) {
	if s.lineBytes == 0 {
		return nil, &timing.Error{Field: "Snapshot", Op: isa.Invalid, Reason: "a memory that New has not made"}
	}
	return frozen.Append(nil, snapshotMagic, s.subject(), s), nil
}

// Restore makes the memory, which New has made of the same profile for as many
// multiprocessors, that of a snapshot. Its Fronts stay those that they are. Bytes that do
// not fit are a *timing.SnapshotError; of a memory that is damaged midway, Reset helps.
func (s *System) Restore(snapshot []byte) error {
	if s.lineBytes == 0 {
		return &timing.Error{Field: "Restore", Op: isa.Invalid, Reason: "a memory that New has not made"}
	}
	var e *frozen.Error
	if errors.As(frozen.Read(snapshot, snapshotMagic, s.subject(), s), &e) {
		return &timing.SnapshotError{Problem: [...]timing.SnapshotProblem{timing.SnapshotDamaged, timing.SnapshotVersion, timing.SnapshotProfile}[e.Problem], Offset: e.Offset}
	}
	return nil
}
