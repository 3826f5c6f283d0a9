package device

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/lane"
)

// Custom returns a neutral device with warps of the given number of lanes: a
// power of two from 1 to 128. Its lanes run independently, its masks name every
// lane, it has every collective but hardware reductions, and a block may have
// 1024 threads whatever the width. Its numbers are estimates, alike for all
// widths, so that two widths can be compared.
//
// Another number of lanes is a *WidthError with the reason. The profile is
// the caller's own.
func Custom(lanes int) (*Profile, error) {
	if lanes < 1 || lanes > lane.MaxLanes || lanes&(lanes-1) != 0 {
		return nil, &WidthError{Lanes: lanes}
	}
	return own(builtin().custom[bits.TrailingZeros(uint(lanes))]())
}

// makeCustom sets the width in the model profile and what follows from it.
func makeCustom(lanes int) (*Profile, error) {
	p, err := parseFile("custom")
	if err != nil {
		return nil, err
	}
	p.Name = fmt.Sprintf("%s%d", customPrefix, lanes)
	p.Title = fmt.Sprintf("Custom device, %d lanes", lanes)
	set := func(path string, field *int, v int, status Status, source string) {
		*field = v
		p.SetSource(path, Provenance{Value: fmt.Sprint(v), Number: true, Status: status, Source: source})
	}
	l := &p.Limits
	set("lanes", &p.Lanes, lanes, Estimated, "chosen by the caller")
	set("rules.collectives.permuteLanes", &p.Rules.PermuteLanes, lanes, Derived, "the whole warp")
	set("rules.masks.bits", &p.Rules.MaskBits, max(32, lanes), Derived, "as many as the warp has lanes, 32 at least")
	set("limits.warpsPerMultiprocessor", &l.WarpsPerMultiprocessor, max(l.WarpsPerMultiprocessor, l.ThreadsPerBlock/lanes), Derived,
		"64, or as many as the largest block has")
	set("limits.threadsPerMultiprocessor", &l.ThreadsPerMultiprocessor, l.WarpsPerMultiprocessor*lanes, Derived, "warps times lanes")
	set("limits.registersPerMultiprocessor", &l.RegistersPerMultiprocessor, l.ThreadsPerMultiprocessor*32, Derived, "32 a thread")
	if err := p.Validate(); err != nil {
		return nil, inFile(err, p.Name)
	}
	return p, nil
}
