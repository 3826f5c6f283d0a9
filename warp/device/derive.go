package device

import (
	"fmt"
	"slices"
)

// With returns a profile that differs from another in what the changes say, in
// the format of a profile's file: {"limits": {"multiprocessors": {"value": 66,
// "status": "estimated", "source": "what if there were half of them"}}}. Objects
// go on from what the base has, lists replace its lists, and null removes an
// instruction or another entry that may be missing. What the base derived from
// a number that changes is derived anew.
//
// The name is that of the base with "-changed" behind it if the changes give
// none. Errors are as of [Parse].
func With(base *Profile, changes string) (*Profile, error) {
	const file = "(changes)"
	if base == nil {
		return nil, &ProfileError{File: file, Path: "base", What: "nil", Fix: "pass the profile to change"}
	}
	root, err := parseTree(file, []byte(changes))
	if err != nil {
		return nil, err
	}
	d := decoder{file: file, data: []byte(changes)}
	for _, key := range []string{"base", "inherited"} {
		if n := root.get(key); n != nil {
			return nil, d.fail(n.start, key, "given", "remove it: the base is the profile that is changed")
		}
	}
	p, err := d.profile(root, base)
	if err != nil {
		return nil, err
	}
	if p.Name == "" {
		p.Name = base.Name + "-changed"
	}
	return p, p.finish(file)
}

// profile reads a profile that derives from base, or stands alone if that is
// nil.
func (d *decoder) profile(root *node, base *Profile) (*Profile, error) {
	p := new(Profile)
	if base != nil {
		p = base.Clone()
		p.Format, p.Base, p.Name, p.Title, p.Aliases = 0, base.Name, "", "", nil
		d.derived, d.partial = true, true
	}
	d.sources, d.filled = p.sources, p.filled
	if d.sources == nil {
		d.sources = make(map[string]Provenance)
	}
	if err := d.decode(root, valueOf(p), "", nil); err != nil {
		return nil, err
	}
	p.sources = d.sources
	return p, nil
}

// base returns the profile that the one at root derives from, nil if from none.
func (d *decoder) base(root *node) (*Profile, error) {
	n := root.get("base")
	if n == nil {
		return nil, nil
	}
	if n.kind != stringNode {
		return nil, d.wrongType(n, "base", stringNode)
	}
	base, err := Lookup(n.text)
	if err != nil {
		e := d.fail(n.start, "base", err.Error(), "").(*ProfileError)
		e.Err = err
		return nil, e
	}
	return base, nil
}

// inherit takes "inherited" off the root: what the numbers of the base are for a
// device that is not the base. None gets a better status than it had.
func (d *decoder) inherit(root *node, base *Profile) (*Profile, error) {
	i := slices.IndexFunc(root.keys, func(k key) bool { return k.name == "inherited" })
	if i < 0 {
		return base, nil
	}
	k, n := root.keys[i], root.vals[i]
	root.keys, root.vals = slices.Delete(root.keys, i, i+1), slices.Delete(root.vals, i, i+1)
	switch {
	case base == nil:
		return nil, d.fail(k.start, k.name, "given without a base", "add the base, or remove it")
	case n.kind != objectNode:
		return nil, d.wrongType(n, k.name, objectNode)
	}
	o, err := d.origin(n, k.name)
	if err != nil {
		return nil, err
	}
	for _, k := range n.keys {
		if k.name != "status" && k.name != "source" {
			return nil, d.fail(k.start, join("inherited", k.name), "unknown field", "give status and source")
		}
	}
	p := base.Clone()
	for at, pr := range p.sources {
		if !p.filled[at] {
			pr.Source = fmt.Sprintf("%s (%s: %s)", o.source, base.Name, pr.Status)
			pr.Status = max(pr.Status, o.status)
			p.sources[at] = pr
		}
	}
	return p, nil
}

// finish fills in what was left out and validates the profile.
func (p *Profile) finish(file string) error {
	p.fill()
	if err := p.Validate(); err != nil {
		return inFile(err, file)
	}
	return nil
}

// fill gives every value that was left out its default, or what follows from
// the others. They carry a source like those that are given, so that reports
// count them.
func (p *Profile) fill() {
	text := func(field *string, v string) {
		if *field == "" {
			*field = v
		}
	}
	text(&p.Title, p.Name)
	text(&p.Vendor, "unknown")
	text(&p.Architecture, "unknown")
	text(&p.Language, "unknown")

	r := &p.Rules
	rule(&r.ShiftCounts, CountsClamped)
	rule(&r.LeadingZeros, ZerosWidth)
	rule(&r.ChipInactive, ChipUnknown)
	rule(&r.MaskScope, MaskOfWarp)
	rule(&r.BarrierExited, ExitedError)
	if slices.Contains(r.Routes, "dpp") && len(r.RowMoves) == 0 {
		r.RowMoves = slices.Clone(rowMoveNames)
	}
	if slices.Contains(r.Routes, "permlane") && len(r.PermLanes) == 0 {
		r.PermLanes = slices.Clone(permLaneNames)
	}
	p.number("rules.collectives.permuteLanes", &r.PermuteLanes, p.Lanes, Derived, "the whole warp")
	p.number("rules.masks.bits", &r.MaskBits, max(32, p.Lanes), Derived, "as many as the warp has lanes, 32 at least")

	l := &p.Limits
	lanes := max(p.Lanes, 1)
	p.number("limits.warpsPerMultiprocessor", &l.WarpsPerMultiprocessor,
		max(p.orIfGiven("limits.threadsPerMultiprocessor", l.ThreadsPerMultiprocessor)/lanes, (l.ThreadsPerBlock+lanes-1)/lanes), Derived,
		"as many as threadsPerMultiprocessor gives, or the largest block has")
	p.number("limits.threadsPerMultiprocessor", &l.ThreadsPerMultiprocessor, l.WarpsPerMultiprocessor*lanes, Derived, "warps times lanes")
	p.number("limits.blocksPerMultiprocessor", &l.BlocksPerMultiprocessor, l.WarpsPerMultiprocessor, Estimated, "one for each warp")
	p.number("limits.sharedStatic", &l.SharedStatic, l.SharedPerBlock, Estimated, "no limit beside sharedPerBlock")
	p.number("limits.sharedReserved", &l.SharedReserved, 0, Estimated, "nothing")
	p.number("limits.sharedPerMultiprocessor", &l.SharedPerMultiprocessor, l.SharedPerBlock+l.SharedReserved, Estimated, "enough for one block")
	p.number("limits.sharedUnit", &l.SharedUnit, 1, Estimated, "single bytes")
	p.number("limits.registersPerMultiprocessor", &l.RegistersPerMultiprocessor, l.RegistersPerLane*l.ThreadsPerMultiprocessor, Estimated, "enough for all threads")
	p.number("limits.registerUnit", &l.RegisterUnit, 1, Estimated, "single registers")
	p.number("limits.namedBarriers", &l.NamedBarriers, 1, Estimated, "no named ones")
	const most = "as other devices have"
	p.number("limits.grid.x", &l.Grid.X, 1<<31-1, Estimated, most)
	p.number("limits.grid.y", &l.Grid.Y, 65535, Estimated, most)
	p.number("limits.grid.z", &l.Grid.Z, 65535, Estimated, most)
	const whole = "a block may have any shape"
	p.number("limits.block.x", &l.Block.X, l.ThreadsPerBlock, Estimated, whole)
	p.number("limits.block.y", &l.Block.Y, l.ThreadsPerBlock, Estimated, whole)
	p.number("limits.block.z", &l.Block.Z, l.ThreadsPerBlock, Estimated, whole)

	const banks = "as most devices have"
	p.number("shared.banks", &p.Shared.Count, 32, Estimated, banks)
	p.number("shared.bytes", &p.Shared.Bytes, 4, Estimated, banks)
	p.number("shared.groupLanes", &p.Shared.GroupLanes, min(lanes, 32), Estimated, banks)
	p.number("memory.sectorBytes", &p.Memory.SectorBytes, 32, Estimated, banks)
	p.number("memory.lineBytes", &p.Memory.LineBytes, 128, Estimated, banks)
	p.number("memory.l1Bytes", &p.Memory.L1Bytes, 0, Estimated, "no first-level cache")
	if len(p.Timing.Ops) > 0 {
		p.number("timing.lanes", &p.Timing.Lanes, p.Lanes, Derived, "the width of the warp")
	}
}

func rule[T ~uint8](field *T, v T) {
	if *field == 0 {
		*field = v
	}
}

// given reports whether a file gave the number at a path.
func (p *Profile) given(path string) bool {
	_, ok := p.sources[path]
	return ok && !p.filled[path]
}

func (p *Profile) orIfGiven(path string, v int) int {
	if p.given(path) {
		return v
	}
	return 0
}

// number sets a number that no file gave.
func (p *Profile) number(path string, field *int, v int, status Status, why string) {
	if p.given(path) {
		return
	}
	*field = v
	p.SetSource(path, Provenance{Value: fmt.Sprint(v), Number: true, Status: status, Source: "not given: " + why})
	if p.filled == nil {
		p.filled = make(map[string]bool)
	}
	p.filled[path] = true
}
