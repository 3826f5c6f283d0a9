package main

import (
	"fmt"
	"strings"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// A layer is a part of the library that can say what the recordings say, on 32
// lanes. Values come back for all lanes; those of lanes that do not take part
// are the ones given as old.
type layer interface {
	// shuffle runs a shuffle of the lane numbers.
	shuffle(q shuffle) (answer, error)
	// raw runs the shuffle of the instruction set, with the predicate.
	raw(mode crossbar.Mode, b, c []int32) (answer, lane.Mask, error)
	// vote runs all votes, matches and reductions in the lanes of members.
	vote(members lane.Mask, values []uint32) (votes, error)
	// barrier runs block barriers that count, and and or the predicates of
	// all threads of a block.
	barrier(predicates []int32) (count int, and, or bool, err error)
	// tree runs a float reduction or scan over the bits of all lanes.
	tree(algorithm string, bits int, values []uint64) ([]uint64, error)
	// machine returns the engine that runs kernels, nil if there is none.
	machine() *warp.Engine
	// remark says of a recording what a reader of its line should know, ""
	// for nothing.
	remark(name string) string
}

// A shuffle is what to run: one operand, or one per lane.
type shuffle struct {
	mode     crossbar.Mode
	width    int
	operands []int32
	members  lane.Mask
	old      int32 // what the lanes hold before
	mimic    bool  // do what the chip does for what is undefined
}

// An answer is what the lanes hold after a shuffle.
type answer struct {
	values    []int32
	undefined lane.Mask
}

// votes are the results of a vote, in the lanes that have them.
type votes struct {
	all, any, uni      bool
	ballot, active     lane.Mask
	matchAny, matchAll []lane.Mask
	matchAllPred       lane.Mask
	addU, minU, maxU   uint32
	and, or, xor       uint32
	addS, minS, maxS   int32
}

const defaultLayer = "engine"

func layerNames() []string { return []string{"engine", "routing"} }

// newLayer returns the layer of a name: the whole engine, or the crossbar and
// the votes by themselves.
func newLayer(name string) (layer, error) {
	switch name {
	case "engine":
		return newEngine()
	case "routing":
		return &routing{}, nil
	}
	return nil, fmt.Errorf("no layer %q; there is %s", name, strings.Join(layerNames(), " and "))
}
