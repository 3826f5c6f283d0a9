package sass

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

const lanes = 32

const everybody = ^uint32(0)

// Rows of a machine's file. Uniform registers are rows whose lanes are equal, so
// that one code serves both datapaths. Rows from firstConstant on are those of
// the launch: immediates and constants.
const (
	rowZero       = 255 // RZ and URZ, read
	rowSink       = 256 // and written
	rowUniform    = 257
	firstConstant = rowUniform + 63 + 1 // a pair may begin at the last
)

// Predicates of a machine: P0 to P6 and PT, then those of the uniform datapath.
const (
	predTrue    = 7
	predUniform = 8
	predSink    = 16 // PT, written
)

type row = [lanes]uint32

// A machine is one warp that runs a program.
type machine struct {
	w *warp.Warp
	f warp.Front
	l *launch
	p *Program

	active uint32 // lanes of the path that runs
	exec   uint32 // of these, those whose guard holds
	pc     int
	live   uint32 // lanes that have not exited
	paths  []path // the others
	spins  int    // backward branches since another path ran

	pred [predSink + 1]uint32
	// undef are the lanes in which a row is undefined, and from firstConstant on
	// those in which a predicate is: predUndef. undefBits are the bits of a row that
	// are undefined in some of them.
	undef     [firstConstant + predSink + 1]uint32
	predUndef *[predSink + 1]uint32
	undefBits [firstConstant]uint32

	file    []row  // registers, then the constants of the launch
	tmp     [4]row // results of a part of the lanes
	changed [3]row // operands with a sign or complement
	joined  [16][lanes]uint32
	addr    [lane.MaxLanes]uint64
	access  warp.Access
	sources [lane.MaxLanes]uint8 // of the last shuffle
	odd     bool                 // some address of it is no multiple of its size
	most    uint64               // the highest address
	values  [lanes * 16]byte
	region  *region              // of the last access
	execs   [stretchLimit]uint32 // lanes that took part in the ops of a stretch
	known   [surveys + 1]survey  // the last of lanes that are not all
	quick   bool                 // accesses are of no interest to anybody

	shared  warp.Mem[byte]
	mem     []byte // its bytes
	local   []byte // of all lanes, one behind the other; nil: not used so far
	barrier warp.BarrierResult
	locate  func() warp.Site // site, and words: made once
	named   func(r isa.Reg) []uint32
	lines   []LineCount
	told    bool // of every instruction
	timed   bool // counts are of use
}

// A path is lanes that run, or wait, together.
type path struct {
	mask uint32
	need uint32 // lanes that it waits for
	pc   int32
	wait waitKind
	bar  uint8
}

type waitKind uint8

const (
	ready waitKind = iota
	atSync
	atWarpSync
	atBlockBarrier
)

// begin makes the machine ready for a warp.
func (m *machine) begin(w *warp.Warp) {
	m.w, m.f = w, w.Front()
	m.timed = m.f.Timed() || m.lines != nil
	m.live = uint32(w.Live().Lo)
	m.active, m.pc = m.live, m.p.entry
	m.paths, m.spins = m.paths[:0], 0
	m.region = nil
	m.forget()
	m.quick = !m.timed && !m.f.Watched() && !m.f.Observed() && littleEndian
	clear(m.file[:m.p.rows])
	for i := range m.p.rows {
		m.undef[i], m.undefBits[i] = everybody, everybody
	}
	clear(m.undef[rowZero:])
	for i := rowUniform; i < rowUniform+m.p.uniforms; i++ {
		m.file[i] = row{}
	}
	m.system()
	m.pred = [predSink + 1]uint32{}
	m.pred[predTrue], m.pred[predUniform+7] = everybody, everybody
	for i := range predTrue {
		m.predUndef[i] = everybody
	}
	m.shared = m.f.SharedMemory(m.l.shared)
	m.mem = m.shared.Data()
	if m.local != nil {
		clear(m.local)
	}
	m.access = warp.Access{At: &m.addr}
	if m.f.Observed() {
		m.f.SetRegisters(m.named)
	}
}

// words returns a register for observers, nil if a record's name is none of a row.
func (m *machine) words(r isa.Reg) []uint32 {
	i := r.Index() - 1
	if r.IsPredicate() || r.IsUniform() || i < 0 || i >= rowZero {
		return nil
	}
	return m.file[i][:]
}

// An op is an instruction made ready.
type op struct {
	run   func(m *machine, o *op)
	class class
	// guard is the predicate that lanes must have, or with guardNot must not.
	guard    uint8
	guardNot bool
	uniform  bool // executed for all lanes if for any
	rec      isa.Instr
	index    int32
	leader   int32 // whose addresses are, but for the offset, those of this op
	survey   bool  // such addresses are looked at as a whole
	slot     uint8 // where what is known of them is kept
	stretch  uint8 // how many ops from here on only compute; 0: not worth while

	d, d2      uint16 // rows written; d2 is the upper half of a result of 64 bits
	pd, pd2    uint8  // predicates written
	a, b, c    source
	ah, bh, ch source // upper halves
	p, q, r    test   // predicates read
	imm        int64
	table      uint8 // of logic
	table2     uint8
	sub        uint8 // what the op's name says beside
	scale      uint8 // of the register of an address
	flags      uint16
	target     int32
	bytes      uint8 // of a memory access, a lane
	words      uint8

	route *route // of a shuffle whose operands are constants
	// generic is what an access with generic addresses does, and windows what it is in
	// shared and in local memory; of a copy the first is the store.
	generic func(m *machine, o *op)
	windows [2]*op
	reads   []uint16 // rows
	writes  []uint16
	readsP  []uint8
	writesP []uint8
	// minds are what is read, the guard included, and sets what is written, as places
	// of machine.undef; more says that there are too many of them.
	minds [6]uint16
	sets  [4]uint16
	more  bool
}

// mind makes minds and sets.
func (o *op) mind() {
	fill := func(slots []uint16, rows []uint16, preds []uint8, rest uint16) {
		n := 0
		add := func(at uint16) {
			for _, x := range slots[:n] {
				if x == at {
					return
				}
			}
			if n == len(slots) {
				o.more = true
				return
			}
			slots[n] = at
			n++
		}
		for _, r := range rows {
			add(r)
		}
		for _, p := range preds {
			if p != predTrue && p != predSink {
				add(firstConstant + uint16(p))
			}
		}
		for ; n < len(slots); n++ {
			slots[n] = rest
		}
	}
	fill(o.minds[:], o.reads, append([]uint8{o.guard}, o.readsP...), rowZero)
	fill(o.sets[:], o.writes, o.writesP, rowSink)
	for _, w := range o.windows {
		if w != nil {
			w.mind()
		}
	}
}

// class says what has to be done about an op beside running it.
type class uint8

const (
	plain    class = iota // it computes; the rest is the same for all
	books                 // it books itself
	silent                // it has no record of its own
	controls              // it books itself, and says what comes next
)

// A source is a row and what is done to its values.
type source struct {
	row uint16
	mod uint8
}

const (
	asIs   uint8 = iota
	negInt       // -x
	not          // ^x
	negBit       // sign flipped
	absBit       // sign cleared
	negAbs       // sign set
)

// A test is a predicate read.
type test struct {
	pred uint8
	not  bool
}

func (m *machine) holds(t test) uint32 {
	v := m.pred[t.pred]
	if t.not {
		return ^v
	}
	return v
}

// row returns a source's values as they are.
func (m *machine) row(s source) *row {
	return &m.file[s.row]
}

// in returns a source's values; k numbers the sources that are in use together.
func (m *machine) in(s source, k int) *row {
	if s.mod == asIs {
		return &m.file[s.row]
	}
	return m.change(s, k)
}

// change puts a sign or complement to a source's values.
func (m *machine) change(s source, k int) *row {
	r, t := &m.file[s.row], &m.changed[k]
	switch s.mod {
	case negInt:
		for i, x := range r {
			t[i] = -x
		}
	case not:
		for i, x := range r {
			t[i] = ^x
		}
	case negBit:
		for i, x := range r {
			t[i] = x ^ 1<<31
		}
	case absBit:
		for i, x := range r {
			t[i] = x &^ (1 << 31)
		}
	default:
		for i, x := range r {
			t[i] = x | 1<<31
		}
	}
	return t
}

// out returns where a result goes: to the row itself, or to k of tmp if only some
// lanes take part. commit puts it into the row.
func (m *machine) out(d uint16, k int) *row {
	if m.exec == everybody {
		return &m.file[d]
	}
	return &m.tmp[k]
}

func (m *machine) commit(d uint16, k int) {
	if m.exec == everybody {
		return
	}
	m.blend(&m.file[d], &m.tmp[k])
}

// blend copies the lanes that take part.
func (m *machine) blend(d, t *row) {
	exec := m.exec
	if vectors {
		vectorBlend(d, t, exec)
		return
	}
	first := bits.TrailingZeros32(exec) & 31
	if span := exec >> first; span&(span+1) == 0 { // one behind the other
		last := bits.Len32(exec)
		copy(d[first:last], t[first:last])
		return
	}
	for x := exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		d[l] = t[l]
	}
}

// setPred gives a predicate the values of v in the lanes that take part.
func (m *machine) setPred(p uint8, v uint32) {
	m.pred[p] = m.pred[p]&^m.exec | v&m.exec
}

// run runs the program to its end.
func (m *machine) run() {
	code, told := m.p.ops, m.told
	for m.active != 0 {
		o := &code[m.pc]
		if o.stretch > 0 && !told && m.runStretch(int(o.stretch)) {
			continue
		}
		exec := m.guarded(o)
		m.exec = exec
		if told {
			m.tell(o)
		}
		switch o.class {
		case plain:
			m.compute(o)
			m.f.Put(&o.rec, mask(exec))
			m.pc++
		case books, silent:
			o.run(m, o)
			m.pc++
		default:
			o.run(m, o)
		}
	}
}

// guarded returns the lanes of the path whose guard holds.
func (m *machine) guarded(o *op) uint32 {
	if o.guardNot {
		return m.active &^ m.pred[o.guard]
	}
	return m.active & m.pred[o.guard]
}

// compute runs a plain op for the lanes that take part.
func (m *machine) compute(o *op) {
	if m.exec == 0 {
		return
	}
	if o.uniform {
		m.exec = everybody
	}
	o.run(m, o)
	m.define(o)
}

// define books what an op has made undefined, or defined: a result is undefined
// in the lanes in which a source or the guard is.
func (m *machine) define(o *op) {
	if !o.more && m.loose(o) == 0 {
		out := ^m.exec
		m.undef[o.sets[0]] &= out
		m.undef[o.sets[1]] &= out
		m.undef[o.sets[2]] &= out
		m.undef[o.sets[3]] &= out
		return
	}
	u := m.predUndef[o.guard]
	for _, r := range o.reads {
		u |= m.undef[r]
	}
	for _, p := range o.readsP {
		u |= m.predUndef[p]
	}
	exec := m.exec
	if u &= exec; u == 0 {
		for _, r := range o.writes {
			m.undef[r] &^= exec
		}
		for _, p := range o.writesP {
			m.predUndef[p] &^= exec
		}
		return
	}
	m.spread(o, u)
}

// loose returns the lanes in which something that an op reads is undefined: of all that
// it minds.
func (m *machine) loose(o *op) uint32 {
	c, e := &o.minds, &m.undef
	return e[c[0]] | e[c[1]] | e[c[2]] | e[c[3]] | e[c[4]] | e[c[5]]
}

// spread is define for results of which some are undefined in the lanes of u.
func (m *machine) spread(o *op, u uint32) {
	which := everybody
	if o.flags&flagBitwise != 0 {
		if which = m.looseBits(o); which == 0 {
			u = 0
		}
	}
	for _, r := range o.writes {
		m.setUndefined(r, u, which)
	}
	for _, p := range o.writesP {
		m.predUndef[p] = m.predUndef[p]&^m.exec | u
	}
	m.undef[rowSink] = 0
	m.predUndef[predSink] = 0
}

// setUndefined makes bits of a row undefined in the lanes of u, and the others
// that take part defined.
func (m *machine) setUndefined(r uint16, u, which uint32) {
	rest := m.undef[r] &^ m.exec
	if rest == 0 {
		m.undefBits[r] = which
	} else {
		m.undefBits[r] |= which
	}
	m.undef[r] = rest | u
}

// looseBits returns the bits of a bitwise result that undefined bits of its
// sources decide.
func (m *machine) looseBits(o *op) uint32 {
	if o.flags&flagMove != 0 {
		return m.undefBits[o.reads[0]]
	}
	// Whatever a bit of a source is, the result's is the same where the other
	// two are constants that say so.
	value := func(s source) (v, known uint32) {
		switch {
		case s.row >= firstConstant || s.row == rowZero:
			return m.in(s, 0)[0], everybody
		case m.undef[s.row]&m.exec == 0:
			return 0, 0 // defined, but different from lane to lane
		}
		return 0, 0
	}
	loose := func(s source) uint32 {
		if s.row >= firstConstant || m.undef[s.row]&m.exec == 0 {
			return 0
		}
		return m.undefBits[s.row]
	}
	src := [3]source{o.a, o.b, o.c}
	var v, known, bad [3]uint32
	for i, s := range src {
		v[i], known[i] = value(s)
		bad[i] = loose(s)
	}
	var out uint32
	for i := range 3 {
		if bad[i] == 0 {
			continue
		}
		j, k := (i+1)%3, (i+2)%3
		matters := uint32(0)
		for combo := range 4 {
			x, y := uint32(combo&1), uint32(combo>>1)
			index := func(self uint32) uint32 {
				var bit [3]uint32
				bit[i], bit[j], bit[k] = self, x, y
				return bit[0]<<2 | bit[1]<<1 | bit[2]
			}
			if o.table>>index(0)&1 == o.table>>index(1)&1 {
				continue
			}
			// The bits at which the others can be x and y.
			at := everybody
			at &= ^known[j] | ^(v[j] ^ -x)
			at &= ^known[k] | ^(v[k] ^ -y)
			matters |= at
		}
		out |= bad[i] & matters
	}
	return out
}

// undefined raises a fault if any row or predicate is undefined in a lane that
// takes part.
func (m *machine) undefined(what string, u uint32) {
	if u &= m.exec; u != 0 {
		m.f.Put(&isa.Instr{Op: isa.Nop}, lane.Mask{Lo: uint64(m.exec)})
		m.w.Fail(warp.Fault{Kind: warp.UndefinedUse, Lanes: lane.Mask{Lo: uint64(u)}, Detail: "undefined " + what,
			Advice: "give the register a value in these lanes first; lanes that take no part in an instruction have none from it"}, nil)
	}
}

// site is the present line of the listing, for faults.
func (m *machine) site() warp.Site {
	if m.pc >= len(m.p.ops) {
		return warp.Site{}
	}
	return m.p.sites[m.pc]
}

// tell books an instruction for the lines of the listing, and tells the host of it.
func (m *machine) tell(o *op) {
	if f := m.l.trace; f != nil && o.class != silent {
		f(m.w.BlockIndex(), m.w.ID(), int(o.index))
	}
	if m.lines == nil {
		return
	}
	c := &m.lines[o.index]
	c.Issued++
	c.Lanes += int64(bits.OnesCount32(m.active))
	c.Guarded += int64(bits.OnesCount32(m.exec))
}
