package device

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"example.com/warpsim/lane"
)

// Validate reports the first contradiction in the profile as a *ProfileError:
// a width that no warp can have, an empty name, a limit of zero, or limits and
// rules that do not go together. Parse and Lookup have done it; it is for
// profiles changed since.
func (p *Profile) Validate() error {
	if p.Format < 0 || p.Format > Format {
		return invalid("format", fmt.Sprintf("%d", p.Format), fmt.Sprintf("this version reads formats up to %d: use a later one", Format))
	}
	for _, t := range []struct{ path, text string }{
		{"name", p.Name}, {"title", p.Title}, {"vendor", p.Vendor}, {"architecture", p.Architecture}, {"language", p.Language},
	} {
		if t.text == "" {
			return invalid(t.path, "empty", "give a text")
		}
	}
	if p.Lanes < 1 || p.Lanes > lane.MaxLanes || p.Lanes&(p.Lanes-1) != 0 {
		err := &WidthError{Lanes: p.Lanes}
		return &ProfileError{Path: "lanes", What: err.Error(), Err: err}
	}
	if err := p.validateRules(); err != nil {
		return err
	}
	if err := p.validateMemories(); err != nil {
		return err
	}
	if err := p.validateLimits(); err != nil {
		return err
	}
	return p.validateNumbers()
}

func (p *Profile) validateMemories() error {
	for _, n := range []struct {
		path string
		v    int
	}{
		{"shared.banks", p.Shared.Count}, {"shared.bytes", p.Shared.Bytes}, {"shared.groupLanes", p.Shared.GroupLanes},
		{"memory.sectorBytes", p.Memory.SectorBytes}, {"memory.lineBytes", p.Memory.LineBytes},
	} {
		if n.v < 1 || n.v > 1024 || n.v&(n.v-1) != 0 {
			return invalid(n.path, fmt.Sprintf("%d", n.v), "give a power of two from 1 to 1024")
		}
	}
	if n := p.Shared.WideGroups; n < 0 || n > 16 || n&(n-1) != 0 {
		return invalid("shared.wideGroups", fmt.Sprintf("%d", n), "give a power of two up to 16, or leave it out")
	}
	if s, l := p.Memory.SectorBytes, p.Memory.LineBytes; s > l {
		return invalid("memory.sectorBytes", fmt.Sprintf("%d is more than the %d of lineBytes", s, l), "correct one of the two")
	}
	return nil
}

func (p *Profile) validateRules() error {
	r := &p.Rules
	for _, e := range []struct {
		path string
		rule any
	}{
		{"rules.operands.shuffle", r.Shuffle},
		{"rules.shifts.counts", r.ShiftCounts},
		{"rules.bits.leadingZeros", r.LeadingZeros},
		{"rules.reads.inactive", r.Inactive},
		{"rules.reads.chipInactive", r.ChipInactive},
		{"rules.masks.participation", r.Participation},
		{"rules.masks.scope", r.MaskScope},
		{"rules.barriers.exited", r.BarrierExited},
	} {
		v := reflect.ValueOf(e.rule)
		if n, names := v.Uint(), ruleNames(v); n < 1 || n > uint64(len(names)) {
			return invalid(e.path, fmt.Sprintf("no such rule: %d", n), fmt.Sprintf("use one of %v", names))
		}
	}
	switch r.MaskBits {
	case 32, 64, 128:
	default:
		return invalid("rules.masks.bits", fmt.Sprintf("%d bits", r.MaskBits), "a mask type has 32, 64 or 128")
	}
	if n := r.PermuteLanes; n < 0 || n > lane.MaxLanes || n&(n-1) != 0 {
		return invalid("rules.collectives.permuteLanes", fmt.Sprint(n), fmt.Sprintf("give a power of two up to %d, or 0 for the whole warp", lane.MaxLanes))
	}
	for _, l := range []struct {
		path        string
		list, known []string
	}{
		{"rules.collectives.redux", r.Redux, reduxNames},
		{"rules.collectives.routes", r.Routes, routeNames},
		{"rules.collectives.rowMoves", r.RowMoves, rowMoveNames},
		{"rules.collectives.permLanes", r.PermLanes, permLaneNames},
		{"rules.atomics.add", r.AtomicAdd, atomicTypes},
		{"rules.atomics.addShared", r.AtomicAddShared, atomicTypes},
		{"rules.atomics.combined", r.AtomicCombined, combinedNames},
	} {
		for i, s := range l.list {
			at := fmt.Sprintf("%s[%d]", l.path, i)
			if !slices.Contains(l.known, s) {
				return invalid(at, fmt.Sprintf("%q is unknown", s), fmt.Sprintf("use of %v", l.known))
			}
			if slices.Contains(l.list[:i], s) {
				return invalid(at, fmt.Sprintf("%q given twice", s), "remove one")
			}
		}
	}
	return nil
}

var (
	reduxNames = []string{
		"i32.add", "i32.min", "i32.max", "u32.add", "u32.min", "u32.max",
		"b32.and", "b32.or", "b32.xor", "f32.min", "f32.max",
	}
	routeNames   = []string{"dpp", "permlane", "permute", "readlane", "swizzle"}
	rowMoveNames = []string{
		"quad_perm", "row_shl", "row_shr", "row_ror", "row_mirror", "row_half_mirror",
		"row_bcast", "row_share", "row_xmask", "wave_shl", "wave_shr", "wave_rol", "wave_ror",
	}
	permLaneNames = []string{
		"permlane16", "permlanex16", "permlane16_var", "permlanex16_var", "permlane64", "permlane16_swap", "permlane32_swap",
	}
	combinedNames = append([]string{"u64.add"}, reduxNames[:9]...)

	atomicTypes = []string{"i32", "u32", "u64", "f32", "f64"}
)

// mostMultiprocessors is how many a device can have.
const mostMultiprocessors = 4096

func (p *Profile) validateLimits() error {
	l := &p.Limits
	for _, n := range []struct {
		name string
		v    int
		min  int
		most int // that is no slip of the pen: the engine makes room for it
	}{
		{"multiprocessors", l.Multiprocessors, 1, mostMultiprocessors},
		{"clockMHz", l.ClockMHz, 1, 100_000},
		{"threadsPerBlock", l.ThreadsPerBlock, 1, 1 << 16},
		{"threadsPerMultiprocessor", l.ThreadsPerMultiprocessor, 1, 1 << 20},
		{"warpsPerMultiprocessor", l.WarpsPerMultiprocessor, 1, 1 << 16},
		{"blocksPerMultiprocessor", l.BlocksPerMultiprocessor, 1, 1 << 16},
		{"sharedPerBlock", l.SharedPerBlock, 0, 1 << 26},
		{"sharedStatic", l.SharedStatic, 0, 1 << 26},
		{"sharedReserved", l.SharedReserved, 0, 1 << 26},
		{"sharedPerMultiprocessor", l.SharedPerMultiprocessor, 0, 1 << 28},
		{"sharedUnit", l.SharedUnit, 1, 1 << 20},
		{"registersPerLane", l.RegistersPerLane, 1, 1 << 16},
		{"registersPerMultiprocessor", l.RegistersPerMultiprocessor, 1, 1 << 26},
		{"registerUnit", l.RegisterUnit, 1, 1 << 20},
		{"namedBarriers", l.NamedBarriers, 1, 256},
		{"grid.x", l.Grid.X, 1, math.MaxInt32}, {"grid.y", l.Grid.Y, 1, math.MaxInt32}, {"grid.z", l.Grid.Z, 1, math.MaxInt32},
		{"block.x", l.Block.X, 1, 1 << 16}, {"block.y", l.Block.Y, 1, 1 << 16}, {"block.z", l.Block.Z, 1, 1 << 16},
	} {
		if n.v < n.min {
			return invalid("limits."+n.name, fmt.Sprintf("%d", n.v), fmt.Sprintf("give at least %d", n.min))
		}
		if n.v > n.most {
			return invalid("limits."+n.name, fmt.Sprintf("%d", n.v), fmt.Sprintf("give at most %d", n.most))
		}
	}
	warps := (l.ThreadsPerBlock + p.Lanes - 1) / p.Lanes
	for _, c := range []struct {
		name    string
		v, most int
		of      string
	}{
		{"threadsPerBlock", l.ThreadsPerBlock, l.ThreadsPerMultiprocessor, "threadsPerMultiprocessor"},
		{"threadsPerBlock", warps, l.WarpsPerMultiprocessor, "warpsPerMultiprocessor (in warps)"},
		{"sharedStatic", l.SharedStatic, l.SharedPerBlock, "sharedPerBlock"},
		{"sharedPerBlock", l.SharedPerBlock, l.SharedPerMultiprocessor - l.SharedReserved, "sharedPerMultiprocessor less sharedReserved"},
		{"registersPerLane", l.RegistersPerLane, l.RegistersPerMultiprocessor, "registersPerMultiprocessor"},
	} {
		if c.v > c.most {
			return invalid("limits."+c.name, fmt.Sprintf("%d is more than the %d of %s", c.v, c.most, c.of), "correct one of the two")
		}
	}
	return nil
}

func invalid(path, what, fix string) error {
	return &ProfileError{Path: path, What: what, Fix: fix}
}
