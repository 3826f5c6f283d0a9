package sass

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/warp"
)

// Modes of SHFL.
const (
	shuffleIndex uint8 = iota
	shuffleUp
	shuffleDown
	shuffleXor
)

// runShuffle moves values between lanes: each lane names another by a mode, a
// number, and a segment: bits 0 to 4 of which clamp, bits 8 to 12 of which are a
// mask of the lane bits that stay.
func runShuffle(m *machine, o *op) {
	if m.exec == 0 {
		m.put(o)
		return
	}
	v, by, seg := m.row(o.a), m.row(o.b), m.row(o.c)
	t := &m.tmp[0]
	if m.f.Observed() { // the lanes that are read are found one by one
		m.f.NoteSources(&m.sources)
	} else if m.exec == everybody && o.route != nil && !o.more && m.loose(o) == 0 {
		m.shuffleWhole(o)
		m.put(o)
		return
	}
	var u, bits0 uint32
	if o.a.row < firstConstant {
		u, bits0 = m.undef[o.a.row], m.undefBits[o.a.row]
	}
	var in, undef, stray uint32
	own := m.predUndef[o.guard]
	if o.b.row < firstConstant {
		own |= m.undef[o.b.row]
	}
	if o.c.row < firstConstant {
		own |= m.undef[o.c.row]
	}
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		src, ok := shuffleSource(o.sub, l, by[l], seg[l])
		if ok {
			in |= 1 << l
		} else {
			src = l
		}
		m.sources[l] = uint8(src)
		if m.exec>>src&1 == 0 {
			t[l] = 0
			stray |= 1 << l
			continue
		}
		t[l] = v[src]
		undef |= u >> src & 1 << l
	}
	if stray != 0 {
		m.f.Put(&o.rec, mask(m.exec)) // the lanes of the fault
		m.w.Fail(warp.Fault{Kind: warp.ReadInactive, Lanes: mask(stray),
			Detail: "a shuffle reads lanes that take no part in it; the value is undefined",
			Advice: "let all lanes that are read come to the shuffle"}, nil)
	}
	d := &m.file[o.d]
	if m.exec == everybody {
		*d = *t
	} else {
		m.blend(d, t)
	}
	m.setPred(o.pd, in)
	undef |= stray | own&m.exec
	if stray|own&m.exec != 0 {
		bits0 = everybody
	}
	m.setUndefined(o.d, undef, bits0)
	m.predUndef[o.pd] = m.predUndef[o.pd]&^m.exec | own&m.exec
	m.undef[rowSink], m.predUndef[predSink] = 0, 0
	if stray == 0 { // otherwise the fault has
		m.put(o)
	}
}

// A route is where each lane of a full warp finds its value in a shuffle whose
// operands are the same in all of them.
type route struct {
	from row
	in   uint32 // lanes whose source is in their segment
}

// routeOf works a route out.
func routeOf(mode uint8, by, seg uint32) *route {
	r := new(route)
	for l := range lanes {
		src, ok := shuffleSource(mode, l, by, seg)
		if ok {
			r.in |= 1 << l
		} else {
			src = l
		}
		r.from[l] = uint32(src & 31)
	}
	return r
}

// shuffleSource returns the lane that lane l reads, and whether that is in its segment.
func shuffleSource(mode uint8, l int, by, seg uint32) (src int, ok bool) {
	n, clamp, keep := int(by&31), int(seg&31), int(seg>>8&31)
	least := l & keep
	most := least | clamp&^keep
	switch mode {
	case shuffleUp:
		src = l - n
		return src, src >= most
	case shuffleDown:
		src = l + n
	case shuffleXor:
		src = l ^ n
	default:
		src = least | n&^keep
	}
	return src, src <= most
}

// shuffleWhole is a shuffle of a full warp by operands that are the same in all lanes,
// of a value that is defined.
func (m *machine) shuffleWhole(o *op) {
	r, v := o.route, m.row(o.a)
	t, from := by4(&m.tmp[0]), by4(&r.from)
	for i := range t {
		p, q := &t[i], &from[i]
		p[0], p[1], p[2], p[3] = v[q[0]&31], v[q[1]&31], v[q[2]&31], v[q[3]&31]
	}
	m.file[o.d] = m.tmp[0]
	m.undef[o.d] = 0
	m.pred[o.pd], m.predUndef[o.pd] = r.in, 0
}

// Votes.
const (
	voteAny uint8 = iota
	voteAll
	voteEqual
)

// runVote sets a register to the lanes in which a predicate holds, and another
// predicate to what they say together.
func runVote(m *machine, o *op) {
	p := m.holds(o.p) & m.exec
	if o.d != rowSink {
		d := &m.file[o.d]
		lanes := m.exec
		if o.uniform {
			lanes = everybody
		}
		for x := lanes; x != 0; x &= x - 1 {
			d[bits.TrailingZeros32(x)&31] = p
		}
	}
	yes := uint32(0)
	switch o.sub {
	case voteAny:
		if p != 0 {
			yes = everybody
		}
	case voteAll:
		if p == m.exec {
			yes = everybody
		}
	default:
		if p == 0 || p == m.exec {
			yes = everybody
		}
	}
	exec := m.exec
	u := m.predUndef[o.p.pred]&exec | m.predUndef[o.guard]&exec
	if u != 0 {
		u = exec // what any lane has, all get
	}
	if o.uniform && exec != 0 {
		m.exec = everybody
	}
	if exec != 0 {
		m.setPred(o.pd, yes)
		m.predUndef[o.pd] = m.predUndef[o.pd]&^m.exec | u
		m.setUndefined(o.d, u, everybody)
		m.undef[rowSink], m.predUndef[predSink] = 0, 0
	}
	m.exec = exec
	m.put(o)
}

// runElect chooses the lowest lane that takes part.
func runElect(m *machine, o *op) {
	if m.exec != 0 {
		first := bits.TrailingZeros32(m.exec)
		d := &m.file[o.d]
		for i := range d {
			d[i] = uint32(first)
		}
		m.undef[o.d] = 0
		m.setPred(o.pd, 1<<first)
		m.predUndef[o.pd] &^= m.exec
	}
	m.put(o)
}

// runMatch finds the lanes that hold the same value of 32 or 64 bits.
func runMatch(m *machine, o *op) {
	lo, hi := m.row(o.a), m.row(o.ah)
	t := &m.tmp[0]
	all := uint32(0)
	values := 0
	for left := m.exec; left != 0; {
		first := bits.TrailingZeros32(left) & 31
		same := uint32(0)
		for x := left; x != 0; x &= x - 1 {
			if l := bits.TrailingZeros32(x) & 31; lo[l] == lo[first] && hi[l] == hi[first] {
				same |= 1 << l
			}
		}
		for x := same; x != 0; x &= x - 1 {
			t[bits.TrailingZeros32(x)&31] = same
		}
		if same == m.exec {
			all = everybody
		}
		left &^= same
		values++
	}
	if o.sub == voteAll {
		v := m.exec & all
		for i := range t {
			t[i] = v
		}
	}
	d := &m.file[o.d]
	m.blend(d, t)
	m.setPred(o.pd, all)
	u := uint32(0)
	for _, r := range o.reads {
		u |= m.undef[r] & m.exec
	}
	if u != 0 {
		u = m.exec
	}
	m.setUndefined(o.d, u, everybody)
	m.predUndef[o.pd] = m.predUndef[o.pd]&^m.exec | u
	m.undef[rowSink], m.predUndef[predSink] = 0, 0
	rec := o.rec
	rec.Count = uint16(values)
	m.f.Put(&rec, mask(m.exec))
}

// Reductions.
const (
	reduceSum uint8 = iota
	reduceMin
	reduceMax
	reduceAnd
	reduceOr
	reduceXor
)

var reductions = map[string]uint8{"SUM": reduceSum, "MIN": reduceMin, "MAX": reduceMax, "AND": reduceAnd, "OR": reduceOr, "XOR": reduceXor}

// runReduce combines the values of all lanes into a uniform register.
func runReduce(m *machine, o *op) {
	if m.exec != 0 {
		a := m.row(o.a)
		if o.a.row < firstConstant {
			m.undefined("operand of a reduction", m.undef[o.a.row])
		}
		first := bits.TrailingZeros32(m.exec) & 31
		v := a[first]
		for x := m.exec &^ (1 << first); x != 0; x &= x - 1 {
			y := a[bits.TrailingZeros32(x)&31]
			switch o.sub {
			case reduceSum:
				v += y
			case reduceMin:
				if o.flags&flagSigned != 0 {
					v = uint32(min(int32(v), int32(y)))
				} else {
					v = min(v, y)
				}
			case reduceMax:
				if o.flags&flagSigned != 0 {
					v = uint32(max(int32(v), int32(y)))
				} else {
					v = max(v, y)
				}
			case reduceAnd:
				v &= y
			case reduceOr:
				v |= y
			default:
				v ^= y
			}
		}
		m.broadcast(o.d, v)
	}
	m.put(o)
}

func (m *machine) broadcast(r uint16, v uint32) {
	d := &m.file[r]
	for i := range d {
		d[i] = v
	}
	m.undef[r] = 0
}

// runToUniform is R2UR: the value of the lowest lane.
func runToUniform(m *machine, o *op) {
	if m.exec != 0 {
		first := bits.TrailingZeros32(m.exec) & 31
		if o.a.row < firstConstant && m.undef[o.a.row]>>first&1 != 0 {
			m.undefined("value moved to a uniform register", 1<<first)
		}
		m.broadcast(o.d, m.in(o.a, 0)[first])
	}
	m.put(o)
}

// Special registers.
const (
	sysTidX uint8 = iota
	sysTidY
	sysTidZ
	sysCtaX
	sysCtaY
	sysCtaZ
	sysLane
	sysSM
	sysZero
	sysEqMask
	sysLtMask
	sysLeMask
	sysGtMask
	sysGeMask
	sysNtid
	sysNctaX
	sysNctaY
	sysNctaZ
	sysWarp
	sysSharedWindow
	sysLocalWindow
	sysTid
	sysClusterSize
)

var systemRegisters = map[string]uint8{
	"SR_TID.X": sysTidX, "SR_TID.Y": sysTidY, "SR_TID.Z": sysTidZ, "SR_TID": sysTid,
	"SR_CTAID.X": sysCtaX, "SR_CTAID.Y": sysCtaY, "SR_CTAID.Z": sysCtaZ,
	"SR_LANEID": sysLane, "SR_VIRTUALSMID": sysSM, "SR_SMID": sysSM, "SR_VIRTID": sysSM,
	"SR_CgaCtaId": sysZero, "SR_CLOCKLO": sysZero, "SR_CLOCKHI": sysZero, "SR_CLOCK": sysZero, "SR_CLUSTERID.X": sysCtaX,
	"SR_GLOBALTIMERLO": sysZero, "SR_GLOBALTIMERHI": sysZero, "SRZ": sysZero, "SR_CgaSize": sysClusterSize,
	"SR_EQMASK": sysEqMask, "SR_LTMASK": sysLtMask, "SR_LEMASK": sysLeMask, "SR_GTMASK": sysGtMask, "SR_GEMASK": sysGeMask,
	"SR_NTID": sysNtid, "SR_NCTAID.X": sysNctaX, "SR_NCTAID.Y": sysNctaY, "SR_NCTAID.Z": sysNctaZ,
	"SR_WARPID": sysWarp, "SR_VIRTUALWARPID": sysWarp, "SR_SWINHI": sysSharedWindow, "SR_LWINHI": sysLocalWindow,
	"SR_SWINLO": sysZero, "SR_LWINLO": sysZero,
}

// Upper words of the addresses at which generic accesses find shared and local
// memory.
const (
	sharedWindow = 0x7f000001
	localWindow  = 0x7f000002
)

// threadRow fills a row with a special register that has a value of its own in each lane
// of the warp with that number in its block.
func (l *launch) threadRow(d *row, sub uint8, warp int) {
	x, y := max(l.threads.X, 1), max(l.threads.Y, 1)
	for i := range d {
		t := warp*lanes + i
		switch sub {
		case sysTidX:
			d[i] = uint32(t % x)
		case sysTidY:
			d[i] = uint32(t / x % y)
		case sysTidZ:
			d[i] = uint32(t / (x * y))
		case sysTid:
			d[i] = uint32(t%x | t/x%y<<16 | t/(x*y)<<26)
		case sysLane:
			d[i] = uint32(i)
		case sysEqMask:
			d[i] = 1 << i
		case sysLtMask:
			d[i] = 1<<i - 1
		case sysLeMask:
			d[i] = 1<<(i+1) - 1
		case sysGtMask:
			d[i] = everybody << i << 1
		case sysGeMask:
			d[i] = everybody << i
		}
	}
}

// systemRows makes what special registers have in each lane, for so many warps.
func (l *launch) systemRows(warps int) {
	for warp := range warps {
		rows := make([]row, len(l.p.systems))
		for k, i := range l.p.systems {
			l.threadRow(&rows[k], uint8(l.p.constants[i].value), warp)
		}
		l.systems = append(l.systems, rows)
	}
}

// system fills the rows of special registers for the warp.
func (m *machine) system() {
	for k, i := range m.p.systems {
		d := &m.file[firstConstant+i]
		if v, same := m.blockValue(uint8(m.p.constants[i].value)); same {
			broadcastRow(d, uint32(v))
		} else {
			*d = m.l.systems[m.w.ID()][k]
		}
	}
}

// blockValue returns a special register that has one value in all lanes of a warp, and
// reports whether it is one.
func (m *machine) blockValue(sub uint8) (v int, same bool) {
	l := m.l
	block := m.w.BlockIndex()
	gx, gy := l.blocks.X, max(l.blocks.Y, 1)
	switch sub {
	case sysCtaX:
		v = block % gx
	case sysCtaY:
		v = block / gx % gy
	case sysCtaZ:
		v = block / (gx * gy)
	case sysSM:
		v = m.f.Multiprocessor()
	case sysNtid:
		v = l.threads.Count()
	case sysNctaX:
		v = gx
	case sysNctaY:
		v = gy
	case sysNctaZ:
		v = max(l.blocks.Z, 1)
	case sysWarp:
		v = m.w.ID()
	case sysSharedWindow:
		v = sharedWindow
	case sysLocalWindow:
		v = localWindow
	case sysClusterSize:
		v = 1
	default:
		return 0, false
	}
	return v, true
}

// runLoadConstant is LDC: words of a constant bank, at an address of each lane.
func runLoadConstant(m *machine, o *op) {
	bank := m.l.banks[o.sub]
	at := m.in(o.a, 0)
	base := o.imm
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		from := base + int64(int32(at[l]))
		if from < 0 || from+int64(o.bytes) > int64(len(bank)) {
			m.f.Put(&o.rec, mask(m.exec))
			m.f.OutOfBounds("load", mask(1<<l), uint64(from), int(o.bytes), fmt.Sprintf("constant bank %d, which has %d bytes", o.sub, len(bank)))
		}
		m.value(o, l, bank[from:])
	}
}
