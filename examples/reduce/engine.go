package main

import (
	"context"
	"errors"
)

// simulator runs jobs on the warp engine.
type simulator struct{}

func (simulator) Devices() []choice {
	return []choice{{"h200", "32 lanes"}}
}

func (simulator) Algorithms() []choice { return nil }

func (simulator) Reduce(context.Context, job) (outcome, error) {
	return outcome{}, errors.New("the engine is not connected yet")
}
