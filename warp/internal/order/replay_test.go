package order_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/internal/order"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

func scheduler(t testing.TB, name string) *order.Scheduler {
	p, err := device.Lookup(name)
	require.NoError(t, err)
	table, err := timing.Compile(&p.Timing, p.Lanes)
	require.NoError(t, err)
	return order.New(table, p.Limits.RegistersPerLane)
}

// A machine runs records with values: each result is a mixture of the op and what it
// was made of, addresses are small numbers, so that accesses meet.
type machine struct {
	regs   map[isa.Reg]uint64
	memory map[[3]int]uint64
	seen   []string // what nothing may cross, and volatile accesses, with all they find

	// Where records have addresses: what registers hold of those.
	bases     map[isa.Reg]int // arrays
	addresses map[isa.Reg]address
}

// An address is an index into an array.
type address struct {
	array int
	index uint64
}

func newMachine() *machine {
	return &machine{regs: map[isa.Reg]uint64{}, memory: map[[3]int]uint64{}}
}

// newAddressed returns a machine that finds elements of global memory by addresses only.
func newAddressed() *machine {
	m := newMachine()
	m.bases, m.addresses = map[isa.Reg]int{}, map[isa.Reg]address{}
	return m
}

// runFor runs a record that stands for another one, or is it.
func (m *machine) runFor(in, whose isa.Instr) {
	switch {
	case !in.Implied():
		m.run(in)
	case in.Op == isa.LoadConst: // a guard says when, not whether
		array, _, _ := whose.C.Place()
		m.write(in.Dst, 1, 0)
		m.bases[in.Dst] = array
	case in.Guard != 0:
		m.seen = append(m.seen, "an index under a guard is not added for all that need it")
	default:
		array, ok := m.bases[in.B]
		if !ok {
			m.seen = append(m.seen, fmt.Sprint(in.B, " is no address of an array"))
		}
		index := m.read(in.A, 1)
		m.write(in.Dst, 1, 0)
		m.addresses[in.Dst] = address{array, index}
	}
}

// index returns the index of an access.
func (m *machine) index(in *isa.Instr, space, array int) uint64 {
	if space == 0 || m.addresses == nil {
		return m.read(in.A, 1)
	}
	a, ok := m.addresses[in.A]
	if !ok || a.array != array {
		m.seen = append(m.seen, fmt.Sprintf("%v is no address in array %d, but %v", in.A, array, a))
	}
	return a.index
}

func mix(xs ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, x := range xs {
		h ^= x
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 29
	}
	return h
}

func (m *machine) reg(r isa.Reg) uint64 {
	r &^= 1 << 15
	if v, ok := m.regs[r]; ok {
		return v
	}
	return mix(uint64(r))
}

// read returns the value of an operand of n registers.
func (m *machine) read(r isa.Reg, n int) uint64 {
	if r == isa.NoReg {
		return 0
	}
	if r.IsPlace() {
		return uint64(r)
	}
	if r.IsPair() {
		n = max(n, 2)
	}
	v := m.reg(r)
	for k := 1; k < n; k++ {
		v = mix(v, m.reg(r+isa.Reg(k)))
	}
	return v
}

func (m *machine) write(r isa.Reg, n int, v uint64) {
	if r == isa.NoReg {
		return
	}
	if r.IsPair() {
		n = max(n, 2)
	}
	for k := range n {
		m.set(r&^(1<<15)+isa.Reg(k), mix(v, uint64(k)))
	}
}

func (m *machine) set(r isa.Reg, v uint64) {
	m.regs[r] = v
	delete(m.bases, r)
	delete(m.addresses, r)
}

func (m *machine) run(in isa.Instr) {
	if in.Guard != 0 && m.reg(isa.Predicate(int(in.Guard)-1))&1 == 0 {
		return
	}
	rows := max(1, (in.MemBytes()+3)/4)
	space := 0
	switch in.Op {
	case isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal:
		space = 1
	}
	cell := func() [3]int {
		array, offset, known := in.C.Place()
		if !known {
			offset = 7
		}
		return [3]int{space, array, int(m.index(&in, space, array)%3) + offset}
	}
	switch in.Op {
	case isa.LoadShared, isa.LoadGlobal:
		c := cell()
		v := m.memory[c]
		m.write(in.Dst, rows, v)
		if in.MemLevel() > 0 {
			m.seen = append(m.seen, fmt.Sprint("load", c, v))
		}
	case isa.StoreShared, isa.StoreGlobal:
		m.memory[cell()] = m.read(in.B, rows)
		if in.MemLevel() > 0 {
			m.seen = append(m.seen, fmt.Sprint("store", cell(), m.memory[cell()]))
		}
	case isa.AtomicShared, isa.AtomicGlobal:
		c := cell()
		old, v := m.memory[c], m.read(in.B, rows)
		m.write(in.Dst, rows, old)
		m.memory[c] = mix(old, v)
		m.seen = append(m.seen, fmt.Sprint("atomic", c, m.memory[c]))
	case isa.Mov:
		m.set(in.Dst&^(1<<15), m.read(in.A, 1))
	case isa.Select:
		from := in.A
		if m.reg(in.C)&1 == 0 {
			from = in.B
		}
		m.set(in.Dst&^(1<<15), m.read(from, 1))
	case isa.WarpSync, isa.BarSync, isa.Branch, isa.ReadClock, isa.Fence:
		var all []string
		for c, v := range m.memory {
			all = append(all, fmt.Sprint(c, v))
		}
		slices.Sort(all)
		m.seen = append(m.seen, fmt.Sprint(in.Op, m.read(in.A, 1), all))
	default:
		v := mix(uint64(in.Op), uint64(in.Aux), m.read(in.A, 1), m.read(in.B, 1), m.read(in.C, 1))
		m.write(in.Dst, 1, v)
		m.write(in.Dst2, 1, mix(v, 99))
	}
}

// A writer makes random records.
type writer struct {
	*rand.Rand
	rows, preds int
}

func (w *writer) row() isa.Reg  { return isa.Row(w.IntN(w.rows)) }
func (w *writer) pred() isa.Reg { return isa.Predicate(w.IntN(w.preds)) }
func (w *writer) pair() isa.Reg { return isa.RowPair(w.IntN(w.rows/2) * 2) }

func (w *writer) instr() isa.Instr {
	in := isa.Instr{Active: 32}
	place := isa.Place(uint64(w.IntN(3)), w.IntN(4))
	if w.IntN(8) == 0 {
		place = isa.Place(uint64(w.IntN(3)), 1000)
	}
	level := 0
	if w.IntN(6) == 0 {
		level = 1
	}
	bytes := []int{4, 4, 4, 8, 16}[w.IntN(5)]
	aligned := isa.Row(w.IntN(w.rows/4) * 4)
	switch w.IntN(16) {
	case 0, 1:
		in.Op, in.Dst, in.A, in.C, in.Aux, in.Count = isa.LoadShared, aligned, w.row(), place, isa.MemAux(bytes, level), 1
	case 2:
		in.Op, in.Dst, in.A, in.C, in.Aux, in.Count = isa.LoadGlobal, aligned, w.row(), place, isa.MemAux(bytes, level), 1
	case 3:
		in.Op, in.B, in.A, in.C, in.Aux, in.Count = isa.StoreShared, aligned, w.row(), place, isa.MemAux(bytes, level), 1
	case 4:
		in.Op, in.B, in.A, in.C, in.Aux, in.Count = isa.StoreGlobal, aligned, w.row(), place, isa.MemAux(bytes, level), 1
	case 5:
		if w.IntN(3) == 0 {
			in.Op, in.Dst, in.B, in.A, in.C, in.Aux = isa.AtomicShared, w.row(), w.row(), w.row(), place, isa.MemAux(4, 0)
		} else {
			in.Op, in.Dst, in.A = isa.Mov, w.row(), w.row()
		}
	case 6:
		in.Op, in.Dst, in.A, in.B = isa.FCmp, w.pred(), w.row(), w.row()
	case 7:
		in.Op, in.Dst, in.A, in.B, in.C = isa.Select, w.row(), w.row(), w.row(), w.pred()
	case 8:
		in.Op, in.Dst, in.A, in.B = isa.DAdd, w.pair(), w.pair(), w.pair()
	case 9: // a shuffle of 64 bits
		in.Op, in.Dst, in.A = isa.ShflXor, w.row(), w.row()
		if w.IntN(4) == 0 {
			in.Dst2 = w.pred()
		}
	case 10:
		in.Op, in.Dst, in.A = isa.Ballot, isa.Uniform(w.IntN(3)), w.pred()
	case 11:
		in.Op, in.Dst, in.A = isa.Popc, w.row(), isa.Uniform(w.IntN(3))
	default:
		in.Op, in.Dst, in.A, in.B, in.C = isa.FFma, w.row(), w.row(), w.row(), w.row()
	}
	if in.Op.Computes() && in.Op != isa.DAdd && w.IntN(4) > 0 {
		in.Aux = uint8(1 + w.IntN(2))
		if in.Op == isa.FFma && w.IntN(2) == 0 {
			in.B, in.C = isa.Constant(uint64(w.IntN(4))), isa.NoReg
		}
	}
	if w.IntN(5) == 0 && in.Op != isa.Select {
		in.Guard = uint8(w.IntN(w.preds)) + 1
	}
	return in
}

func (w *writer) program(n int) []isa.Instr {
	var out []isa.Instr
	for len(out) < n {
		switch w.IntN(60) {
		case 0:
			out = append(out, isa.Instr{Op: isa.WarpSync, Active: 32})
		case 1:
			out = append(out, isa.Instr{Op: isa.BarSync, Active: 32})
		case 2:
			out = append(out, isa.Instr{Op: isa.Branch, Active: 32, A: w.pred(), Aux: isa.BranchTaken})
		case 3:
			out = append(out, isa.Instr{Op: isa.ReadClock, Active: 32, Dst: isa.Row(200)})
		case 4:
			out = append(out, isa.Instr{Op: isa.Fence, Active: 32})
		case 5: // both halves of a shuffle
			d, s := w.pair()&^(1<<15), w.pair()&^(1<<15)
			out = append(out, isa.Instr{Op: isa.ShflXor, Active: 32, Dst: d + 1, A: s + 1}, isa.Instr{Op: isa.ShflXor, Active: 32, Dst: d, A: s})
		default:
			out = append(out, w.instr())
		}
	}
	return out
}

func programs() int {
	if testing.Short() {
		return 60
	}
	return 300
}

// Any order gives what the order as written gives: in every register that the kernel
// names, in memory, and at each point that nothing crosses.
func TestOrderKeepsValues(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "s4000"} {
		s := scheduler(t, name)
		for seed := range uint64(programs()) {
			w := &writer{rand.New(rand.NewPCG(seed, 7)), 8 + 8*int(seed%3), 2 + int(seed%4)}
			recs := w.program(20 + w.IntN(700))
			written, ordered, known := newMachine(), newMachine(), (*order.Known)(nil)
			if seed%2 == 1 {
				ordered, known = newAddressed(), &order.Known{}
			}
			for _, in := range recs {
				written.run(in)
			}
			count := make([]int, len(recs))
			middle := w.IntN(len(recs)) // what a warp has comes in parts
			for _, part := range [...][2]int{{0, middle}, {middle, len(recs)}} {
				out, from := s.Order(recs[part[0]:part[1]], nil, nil, known)
				require.Len(t, from, len(out))
				for i, in := range out {
					whose := part[0] + int(from[i])
					ordered.runFor(in, recs[whose])
					if !in.Implied() {
						count[whose]++
					}
				}
			}
			for i := range count {
				require.True(t, count[i] == 1 || count[i] == 0 && recs[i].Aux != 0 && recs[i].Op.Computes(), "seed %d: record %d", seed, i)
			}
			for i := range min(len(written.seen), len(ordered.seen)) {
				require.Equal(t, written.seen[i], ordered.seen[i], "%s seed %d: what is seen at walls", name, seed)
			}
			require.Equal(t, len(written.seen), len(ordered.seen), "%s seed %d", name, seed)
			require.True(t, maps.Equal(written.memory, ordered.memory), "%s seed %d: memory", name, seed)
			for r := range isa.NumRegs {
				if v, ok := written.regs[isa.Reg(r)]; ok {
					require.Equal(t, v, ordered.reg(isa.Reg(r)), "%s seed %d: %v", name, seed, isa.Reg(r))
				}
			}
		}
	}
}
