package device

import (
	"fmt"
	"math"
	"strings"
)

// A Demand is what one block asks of a multiprocessor.
type Demand struct {
	Threads   int // of the block, at least 1
	Registers int // 32-bit registers of a thread; 0: not stated, so they limit nothing
	Shared    int // bytes of shared memory of the block
}

// A Resource is something that blocks share on a multiprocessor.
type Resource uint8

// The resources.
const (
	Threads Resource = iota
	Warps
	Blocks
	Registers
	SharedMemory

	resources = int(SharedMemory) + 1
)

var resourceNames = [resources]string{"threads", "warps", "blocks", "registers", "shared memory"}

// String returns the name of the resource, such as "shared memory".
func (r Resource) String() string {
	if int(r) < resources {
		return resourceNames[r]
	}
	return fmt.Sprintf("resource(%d)", uint8(r))
}

// A Bound is what one resource allows.
type Bound struct {
	Resource Resource
	// Field is the number of the profile that bounds it.
	Field string
	// PerBlock is what a block takes, in what the resource is given out in, and
	// Have what the multiprocessor has. A block that asks for none of a resource
	// takes 0.
	PerBlock, Have int
	// Blocks is how many blocks find room, math.MaxInt if any number does.
	Blocks int

	warps, parts int // of a block, and how many have their own share of Have
}

// needs is what n blocks take, with what the shares have left over.
func (b *Bound) needs(n int) int {
	if b.parts == 0 {
		return n * b.PerBlock
	}
	return up(n*b.warps, b.parts) * (b.PerBlock / b.warps)
}

// An Occupancy is how many blocks are resident on one multiprocessor, and why no
// more.
type Occupancy struct {
	Demand Demand
	// Blocks and Warps are resident at most.
	Blocks, Warps int
	// MaxWarps is what the multiprocessor has room for.
	MaxWarps int
	// Bounds are all resources, in the order of their constants.
	Bounds [resources]Bound
}

// Share is the part of the warps that the multiprocessor has room for, from 0 to
// 1: what vendors call occupancy.
func (o *Occupancy) Share() float64 { return float64(o.Warps) / float64(o.MaxWarps) }

// LimitedBy returns the resources that have no room for one more block.
func (o *Occupancy) LimitedBy() []Resource {
	var list []Resource
	for _, b := range o.Bounds {
		if b.Blocks == o.Blocks {
			list = append(list, b.Resource)
		}
	}
	return list
}

// Missing is how much more of a resource the multiprocessor would have to have
// for one more block, 0 if it has enough.
func (o *Occupancy) Missing(r Resource) int {
	if int(r) >= len(o.Bounds) {
		return 0
	}
	b := &o.Bounds[r]
	if b.Blocks > o.Blocks {
		return 0
	}
	return max(0, b.needs(o.Blocks+1)-b.Have)
}

// String returns what limits in one line: "3 blocks, 24 of 64 warps (38 %);
// limited by registers: 20,480 a block of 65,536, 16,384 short of one more".
func (o *Occupancy) String() string {
	var b strings.Builder
	plural := "s"
	if o.Blocks == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "%d block%s, %d of %d warps (%.0f %%)", o.Blocks, plural, o.Warps, o.MaxWarps, 100*o.Share())
	sep := "; limited by "
	for _, r := range o.LimitedBy() {
		x := &o.Bounds[r]
		fmt.Fprintf(&b, "%s%v: %s a block of %s, %s short of one more", sep, r, grouped(x.PerBlock), grouped(x.Have), grouped(o.Missing(r)))
		sep = "; "
	}
	return b.String()
}

// grouped writes a number with a comma between its thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// A LimitError says which limit of a device a block breaks.
type LimitError struct {
	Device   string   // the name of the profile
	Resource Resource // what the block asks too much of
	Field    string   // the number of the profile that it breaks, such as "limits.registersPerLane"
	Asked    int      // what the block takes
	Limit    int      // the value of the number
}

// Error returns one line with the demand, the limit and its name.
func (e *LimitError) Error() string {
	return fmt.Sprintf("a block takes %s of %v, and %s has %s (%s)", grouped(e.Asked), e.Resource, e.Device, grouped(e.Limit), e.Field)
}

// Occupancy returns how many blocks of a kind a multiprocessor holds at once. It
// counts as the vendors' calculators do: warps are whole, the registers of a warp
// are rounded up to limits.registerUnit and come from the share of one
// sub-partition, and shared memory is rounded up to limits.sharedUnit, with
// limits.sharedReserved on top for each block.
//
// A block that breaks a limit is a *LimitError.
func (p *Profile) Occupancy(d Demand) (Occupancy, error) {
	l := &p.Limits
	lanes := max(p.Lanes, 1)
	warps := (max(d.Threads, 1) + lanes - 1) / lanes
	shared := 0
	if d.Shared > 0 {
		shared = up(d.Shared, l.SharedUnit)
	}
	parts := max(1, p.Timing.SubPartitions)
	perWarp := up(d.Registers*lanes, l.RegisterUnit)
	for _, c := range []struct {
		resource Resource
		field    string
		asked    int
		limit    int
	}{
		{Threads, "threadsPerBlock", d.Threads, l.ThreadsPerBlock},
		{Threads, "threadsPerMultiprocessor", warps * lanes, l.ThreadsPerMultiprocessor},
		{Warps, "warpsPerMultiprocessor", warps, l.WarpsPerMultiprocessor},
		{Registers, "registersPerLane", d.Registers, l.RegistersPerLane},
		{Registers, "registersPerMultiprocessor", (warps + parts - 1) / parts * parts * perWarp, l.RegistersPerMultiprocessor},
		{SharedMemory, "sharedPerBlock", d.Shared, l.SharedPerBlock},
		{SharedMemory, "sharedPerMultiprocessor", shared + l.SharedReserved, l.SharedPerMultiprocessor},
	} {
		if c.asked > c.limit {
			return Occupancy{}, &LimitError{p.Name, c.resource, "limits." + c.field, c.asked, c.limit}
		}
	}
	o := Occupancy{Demand: d, MaxWarps: l.WarpsPerMultiprocessor, Blocks: math.MaxInt}
	o.Bounds = [resources]Bound{
		{Resource: Threads, Field: "limits.threadsPerMultiprocessor", PerBlock: warps * lanes, Have: l.ThreadsPerMultiprocessor},
		{Resource: Warps, Field: "limits.warpsPerMultiprocessor", PerBlock: warps, Have: l.WarpsPerMultiprocessor},
		{Resource: Blocks, Field: "limits.blocksPerMultiprocessor", PerBlock: 1, Have: l.BlocksPerMultiprocessor},
		{Resource: Registers, Field: "limits.registersPerMultiprocessor", PerBlock: warps * perWarp, Have: l.RegistersPerMultiprocessor, warps: warps, parts: parts},
		{Resource: SharedMemory, Field: "limits.sharedPerMultiprocessor", PerBlock: shared + l.SharedReserved, Have: l.SharedPerMultiprocessor},
	}
	for i := range o.Bounds {
		b := &o.Bounds[i]
		switch {
		case b.PerBlock == 0:
			b.Blocks = math.MaxInt
		case b.Resource == Registers:
			b.Blocks = parts * (b.Have / parts / perWarp) / warps
		default:
			b.Blocks = b.Have / b.PerBlock
		}
		o.Blocks = min(o.Blocks, b.Blocks)
	}
	o.Warps = o.Blocks * warps
	return o, nil
}

// RegistersFor is how many registers a thread of a block of that many threads can
// have, so that the block still finds room on a multiprocessor.
func (p *Profile) RegistersFor(threads int) int {
	l := &p.Limits
	lanes, parts := max(p.Lanes, 1), max(1, p.Timing.SubPartitions)
	warps := (max(threads, 1) + lanes - 1) / lanes
	share := l.RegistersPerMultiprocessor / parts / ((warps + parts - 1) / parts)
	unit := max(l.RegisterUnit, 1)
	return min(l.RegistersPerLane, share/unit*unit/lanes)
}

// up rounds n up to a multiple of unit.
func up(n, unit int) int {
	unit = max(unit, 1)
	return (n + unit - 1) / unit * unit
}
