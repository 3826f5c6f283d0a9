package flow

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/warpsim/warp/device"
)

// A session is what the parts of a pipeline that run in one process share: a turn
// for every point that may run at a time, and the way to stop.
type session struct {
	ctx       context.Context
	cancel    context.CancelCauseFunc
	turns     chan struct{}
	kept, run atomic.Int64 // points that were there, and that this process ran
	active    sync.WaitGroup

	mu       sync.Mutex
	err      error // the first
	profiles map[string]*device.Profile
}

// sessions has those of this process by their names: Beam sends functions between
// machines as data, and their copies find what they share by name.
var sessions sync.Map

func sessionOf(id string, workers int) *session {
	if s, ok := sessions.Load(id); ok {
		return s.(*session)
	}
	s := &session{turns: make(chan struct{}, max(workers, 1)), profiles: make(map[string]*device.Profile)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	found, there := sessions.LoadOrStore(id, s)
	if there {
		s.cancel(nil)
	}
	return found.(*session)
}

// fail ends the session with an error, the first of which counts.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.ctx.Err() == nil {
		s.err = err
	}
	s.cancel(err)
}

func (s *session) first() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// mostProfiles bounds how many profiles are kept for the next points.
const mostProfiles = 256

// profile returns the profile under a key, made once for the points that share it.
func (s *session) profile(dev int, combination int64, make func() (*device.Profile, error)) (*device.Profile, error) {
	key := fmt.Sprint(dev, " ", combination)
	s.mu.Lock()
	p := s.profiles[key]
	s.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.profiles) >= mostProfiles {
		clear(s.profiles)
	}
	s.profiles[key] = p
	return p, nil
}
