package sass

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A region is an array of global memory that a launch can reach.
type region struct {
	base uint64
	mem  warp.Mem[byte]
	data []byte
	name string
}

// find returns the region that n bytes at an address lie in, nil if none.
func (m *machine) find(at uint64, n int) *region {
	if r := m.region; r != nil {
		if off := at - r.base; off < uint64(len(r.data)) && off+uint64(n) <= uint64(len(r.data)) {
			return r
		}
	}
	for i := range m.l.regions {
		r := &m.l.regions[i]
		if off := at - r.base; off < uint64(len(r.data)) && off+uint64(n) <= uint64(len(r.data)) {
			m.region = r
			return r
		}
	}
	return nil
}

// space is where an access goes.
type space uint8

const (
	global space = iota
	shared
	local
)

// addresses works out the address of each lane that takes part, and whether the
// access is one run of bytes.
func (m *machine) addresses(o *op) {
	a := &m.addr
	base := uint64(o.imm)
	if o.b.row != rowZero {
		base += uint64(m.row(o.b)[0])
		if o.flags&flagWideUniform != 0 {
			base += uint64(m.row(o.bh)[0]) << 32
		}
	}
	low := m.row(o.a)
	if m.exec == everybody && space(o.table) != local {
		m.everyAddress(o, base, low)
		return
	}
	switch {
	case o.flags&flagWideAddress != 0:
		high := m.row(o.ah)
		for i := range low {
			a[i] = base + (uint64(low[i]) | uint64(high[i])<<32)
		}
	case o.flags&flagSigned != 0:
		for i := range low {
			a[i] = base + uint64(int64(int32(low[i])))
		}
	default:
		for i := range low {
			a[i] = base + uint64(low[i])*uint64(o.scale)
		}
	}
	if space(o.table) != global {
		for i := range low {
			a[i] &= math.MaxUint32 >> 8 // the top byte names a block of the cluster
		}
		if space(o.table) == local {
			for i := range low {
				a[i] = uint64(uint32(base) + low[i])
			}
		}
	}
	x := &m.access
	x.Lanes, x.Bytes, x.Run = mask(m.exec), int(o.bytes), false
	n := uint64(o.bytes)
	if m.exec == everybody {
		start, run, or, most := a[0], true, uint64(0), uint64(0)
		for i := range lanes {
			v := a[i]
			or |= v
			most = max(most, v)
			if v != start+uint64(i)*n {
				run = false
			}
		}
		x.Run, m.odd, m.most = run, or&(n-1) != 0, most
		return
	}
	or, most := uint64(0), uint64(0)
	for y := m.exec; y != 0; y &= y - 1 {
		v := a[bits.TrailingZeros32(y)&31]
		or |= v
		most = max(most, v)
	}
	m.odd, m.most = or&(n-1) != 0, most
	first := bits.TrailingZeros32(m.exec)
	if span := m.exec >> first; span&(span+1) != 0 {
		return
	}
	last := 31 - bits.LeadingZeros32(m.exec)
	start := a[first&31] - uint64(first)*n
	run := true
	for i := first; i <= last; i++ {
		if a[i&31] != start+uint64(i)*n {
			run = false
			break
		}
	}
	x.Run = run
}

// everyAddress is addresses for a full warp on global or shared memory, in one walk.
func (m *machine) everyAddress(o *op, base uint64, low *row) {
	n := uint64(o.bytes)
	a := &m.addr
	high := m.row(o.ah) // zeros if addresses have one word
	scale, sign := uint64(o.scale), uint64(0)
	switch {
	case o.flags&flagWideAddress != 0:
		scale = 1
	case o.flags&flagSigned != 0:
		scale, sign = 1, 1<<31
	}
	keep := uint64(math.MaxUint64)
	if space(o.table) == shared {
		keep = math.MaxUint32 >> 8 // the top byte names a block of the cluster
	}
	or, most, gap := uint64(0), uint64(0), uint64(0)
	next := uint64(0)
	for i := range low {
		v := (uint64(low[i]) ^ sign - sign) * scale
		v = (v + base + uint64(high[i])<<32) & keep
		a[i] = v
		or |= v
		most = max(most, v)
		gap |= v ^ next
		if next = v + n; i == 0 {
			gap = 0
		}
	}
	x := &m.access
	x.Lanes, x.Bytes, x.Run = mask(m.exec), int(n), gap == 0
	m.odd, m.most = or&(n-1) != 0, most
}

// checkAccess raises faults of undefined and odd addresses.
func (m *machine) checkAccess(o *op, what string) {
	u := m.undef[o.a.row]
	if o.flags&flagWideAddress != 0 {
		u |= m.undef[o.ah.row]
	}
	u |= m.predUndef[o.guard]
	if u&m.exec != 0 {
		m.undefined("address", u)
	}
	if !m.odd {
		return
	}
	n := uint64(o.bytes)
	var odd uint32
	for x := m.exec; x != 0; x &= x - 1 {
		if l := bits.TrailingZeros32(x) & 31; m.addr[l]&(n-1) != 0 {
			odd |= 1 << l
		}
	}
	if odd != 0 {
		l := bits.TrailingZeros32(odd)
		m.w.Fail(warp.Fault{Kind: warp.OutOfBounds, Lanes: mask(odd),
			Detail: fmt.Sprintf("%s of %d bytes at %#x, which is no multiple of that", what, n, m.addr[l]),
			Advice: "align the address to the size of the access"}, nil)
		m.f.Abort()
	}
}

// runLoad is a load from any space.
func runLoad(m *machine, o *op) {
	rec := o.rec
	if m.exec == 0 {
		m.f.Put(&rec, lane.Mask{})
		return
	}
	if m.quick && o.survey && m.quickLoad(o) {
		return
	}
	m.addresses(o)
	m.checkAccess(o, "load")
	m.access.Kind, m.access.Volatile = warp.LoadAccess, o.flags&flagVolatile != 0
	var unset lane.Mask
	switch space(o.table) {
	case shared:
		unset = m.loadShared(o)
		rec.Count = m.passes()
		m.conflicts(o, rec.Count)
	case local:
		m.loadLocal(o)
	default:
		if o.flags&flagVolatile != 0 {
			m.f.OrderBlocks()
		} else {
			m.f.OrderAccess()
		}
		m.loadGlobal(o)
		m.sectors(o, &rec)
	}
	m.define(o)
	if !unset.Empty() {
		for _, r := range o.writes {
			m.undef[r] |= uint32(unset.Lo)
			m.undefBits[r] = everybody
		}
		m.undef[rowSink] = 0
	}
	m.f.Put(&rec, mask(m.exec))
}

func (m *machine) sectors(o *op, rec *isa.Instr) {
	if !m.timed {
		return
	}
	n, level := m.f.Sectors(&m.access), isa.LevelL1
	if o.rec.Op == isa.AtomicGlobal || o.rec.Op == isa.ReduceGlobal || m.access.Volatile {
		level = isa.LevelL2
	}
	rec.Count = uint16(n)
	rec.Aux = isa.MemAux(int(o.bytes), level) | o.rec.Aux&isa.AuxFloat
	if m.lines != nil {
		m.lines[o.index].Sectors += int64(n)
	}
}

func (m *machine) passes() uint16 {
	n, _ := m.f.SharedPasses(&m.access)
	return uint16(n)
}

func (m *machine) conflicts(o *op, passes uint16) {
	if m.lines != nil {
		m.lines[o.index].Passes += int64(passes)
		m.lines[o.index].Accesses++
	}
}

// value puts what a lane loads into the rows of its result.
func (m *machine) value(o *op, l int, from []byte) {
	switch o.bytes {
	case 1:
		v := uint32(from[0])
		if o.flags&flagSignExtend != 0 {
			v = uint32(int32(int8(v)))
		}
		m.file[o.d][l] = v
	case 2:
		v := uint32(binary.LittleEndian.Uint16(from))
		if o.flags&flagSignExtend != 0 {
			v = uint32(int32(int16(v)))
		}
		m.file[o.d][l] = v
	default:
		for i := range int(o.words) {
			m.file[m.rowOf(o.d, i)][l] = binary.LittleEndian.Uint32(from[4*i:])
		}
	}
}

// rowOf returns the row i behind one that results go to.
func (m *machine) rowOf(d uint16, i int) uint16 {
	if d == rowSink {
		return d
	}
	return d + uint16(i)
}

func (m *machine) loadGlobal(o *op) {
	n := int(o.bytes)
	first := bits.TrailingZeros32(m.exec) & 31
	if m.access.Run {
		last := 31 - bits.LeadingZeros32(m.exec)
		if r := m.find(m.addr[first], n*(last-first+1)); r != nil {
			m.watch(r, nil)
			from := r.data[m.addr[first]-r.base:]
			if n == 4 {
				loadWords(m.file[o.d][first:last+1], from)
				return
			}
			for l := first; l <= last; l++ {
				m.value(o, l, from[n*(l-first):])
			}
			return
		}
	}
	m.watchAll(nil)
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		r := m.find(m.addr[l], n)
		if r != nil {
			m.value(o, l, r.data[m.addr[l]-r.base:])
			continue
		}
		var data [16]byte
		if s := m.f.Space(); s == nil || !s.Load(m.addr[l], data[:n]) {
			m.nowhere("load", o)
		}
		m.value(o, l, data[:])
	}
}

// watch tells of an access to one region, watchAll of one to any.
func (m *machine) watch(r *region, values []byte) {
	if m.f.Watched() {
		m.f.Watch(&m.access, r.mem, values)
	}
}

func (m *machine) watchAll(values []byte) {
	if !m.f.Watched() {
		return
	}
	all := m.access.Lanes
	for left := m.exec; left != 0; {
		l := bits.TrailingZeros32(left) & 31
		r := m.find(m.addr[l], m.access.Bytes)
		if r == nil {
			left &^= 1 << l
			continue
		}
		same := uint32(0)
		for x := left; x != 0; x &= x - 1 {
			if k := bits.TrailingZeros32(x) & 31; m.addr[k]-r.base < uint64(len(r.data)) {
				same |= 1 << k
			}
		}
		m.access.Lanes = mask(same)
		m.f.Watch(&m.access, r.mem, values)
		left &^= same
	}
	m.access.Lanes = all
}

// nowhere ends the kernel: an address is in no array.
func (m *machine) nowhere(what string, o *op) {
	var bad uint32
	for x := m.exec; x != 0; x &= x - 1 {
		if l := bits.TrailingZeros32(x) & 31; m.find(m.addr[l], int(o.bytes)) == nil {
			bad |= 1 << l
		}
	}
	at := m.addr[bits.TrailingZeros32(bad)&31]
	where := "none of the arrays of the launch"
	if at < 1<<16 {
		where += " (a null pointer?)"
	} else if r := m.near(at); r != nil {
		if d := at - r.base; at >= r.base {
			where += fmt.Sprintf(": %s has %d bytes at %#x, and this is %d beyond their end", r.name, len(r.data), r.base, d-uint64(len(r.data)))
		} else {
			where += fmt.Sprintf(": %s has %d bytes at %#x, and this is %d before them", r.name, len(r.data), r.base, r.base-at)
		}
	}
	m.f.OutOfBounds(what, mask(bad), at, int(o.bytes), where)
}

// near returns the region that an address is next to.
func (m *machine) near(at uint64) *region {
	var best *region
	distance := uint64(1 << 40)
	for i := range m.l.regions {
		r := &m.l.regions[i]
		d := r.base - at
		if at >= r.base {
			d = at - r.base
			if end := r.base + uint64(len(r.data)); at >= end {
				d = at - end
			}
		}
		if d < distance {
			best, distance = r, d
		}
	}
	return best
}

// sharedBounds ends the kernel if an access leaves the block's shared memory.
func (m *machine) sharedBounds(o *op, what string) {
	limit := uint64(len(m.mem))
	if m.most+uint64(o.bytes) <= limit {
		return
	}
	var bad uint32
	for x := m.exec; x != 0; x &= x - 1 {
		if l := bits.TrailingZeros32(x) & 31; m.addr[l]+uint64(o.bytes) > limit {
			bad |= 1 << l
		}
	}
	if bad != 0 {
		m.f.OutOfBounds(what, mask(bad), m.addr[bits.TrailingZeros32(bad)&31], int(o.bytes),
			fmt.Sprintf("shared memory beyond the %d bytes of the block", limit))
	}
}

func (m *machine) loadShared(o *op) (unset lane.Mask) {
	m.sharedBounds(o, "load")
	if m.f.Watched() {
		unset = m.f.Watch(&m.access, m.shared, nil)
	}
	if o.bytes >= 4 && o.d != rowSink {
		// Where all lanes read the same, one reads for them.
		if m.most == m.addr[0] && m.exec == everybody && m.uniform() {
			for k := range uint64(o.words) {
				v := binary.LittleEndian.Uint32(m.mem[m.addr[0]+4*k:])
				broadcastRow(&m.file[uint64(o.d)+k], v)
			}
			return unset
		}
		for k := range uint64(o.words) {
			d := &m.file[uint64(o.d)+k]
			if m.exec == everybody && littleEndian {
				gatherWords(d, unsafe.Pointer(unsafe.SliceData(m.mem)), int(4*k), (*[lanes]uint64)(m.addr[:]))
				continue
			}
			for x := m.exec; x != 0; x &= x - 1 {
				l := bits.TrailingZeros32(x) & 31
				d[l] = binary.LittleEndian.Uint32(m.mem[m.addr[l]+4*k:])
			}
		}
		return unset
	}
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		m.value(o, l, m.mem[m.addr[l]:])
	}
	return unset
}

// loadWords and storeWords move words between lanes and memory.
func loadWords(d []uint32, from []byte) {
	if !littleEndian {
		for i := range d {
			d[i] = binary.LittleEndian.Uint32(from[4*i:])
		}
		return
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), 4*len(d)), from)
}

func storeWords(to []byte, v []uint32) {
	if !littleEndian {
		for i, x := range v {
			binary.LittleEndian.PutUint32(to[4*i:], x)
		}
		return
	}
	copy(to, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v)))
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// uniform reports whether all lanes have one address.
func (m *machine) uniform() bool {
	first := m.addr[0]
	for _, a := range m.addr[:lanes] {
		if a != first {
			return false
		}
	}
	return true
}

// stored raises a fault if what is stored is undefined; but a function saves the
// registers that it has to keep on the stack, whatever is in them.
func (m *machine) stored(o *op) {
	if space(o.table) == local {
		return
	}
	u := uint32(0)
	for i := range max(1, int(o.words)) {
		if r := o.c.row + uint16(i); o.c.row < firstConstant && o.c.row != rowZero {
			u |= m.undef[r]
		}
	}
	if u&m.exec != 0 {
		m.undefined("value stored to memory", u)
	}
}

// word returns word i of what is stored.
func (m *machine) word(o *op, i int) *row {
	if o.c.row == rowZero || o.c.row >= firstConstant {
		return m.row(o.c)
	}
	return &m.file[o.c.row+uint16(i)]
}

func (m *machine) put32(o *op, l int, to []byte) {
	switch o.bytes {
	case 1:
		to[0] = byte(m.word(o, 0)[l])
	case 2:
		binary.LittleEndian.PutUint16(to, uint16(m.word(o, 0)[l]))
	default:
		for i := range int(o.words) {
			binary.LittleEndian.PutUint32(to[4*i:], m.word(o, i)[l])
		}
	}
}

// gathered puts what is stored where Watch can see it.
func (m *machine) gathered(o *op) []byte {
	n := int(o.bytes)
	for l := range lanes {
		m.put32(o, l, m.values[n*l:])
	}
	return m.values[:n*lanes]
}

// runStore is a store to any space.
func runStore(m *machine, o *op) {
	rec := o.rec
	if m.exec == 0 {
		m.f.Put(&rec, lane.Mask{})
		return
	}
	if m.quick && o.survey && m.quickStore(o) {
		return
	}
	m.addresses(o)
	m.checkAccess(o, "store")
	m.stored(o)
	m.access.Kind, m.access.Volatile = warp.StoreAccess, false
	switch space(o.table) {
	case shared:
		m.sharedBounds(o, "store")
		if m.f.Watched() {
			m.f.Watch(&m.access, m.shared, m.gathered(o))
		}
		for x := m.exec; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x) & 31
			m.put32(o, l, m.mem[m.addr[l]:])
		}
		rec.Count = m.passes()
		m.conflicts(o, rec.Count)
	case local:
		m.storeLocal(o)
	default:
		m.f.OrderAccess()
		m.storeGlobal(o)
		m.sectors(o, &rec)
	}
	m.f.Put(&rec, mask(m.exec))
}

func (m *machine) storeGlobal(o *op) {
	n := int(o.bytes)
	first := bits.TrailingZeros32(m.exec) & 31
	if m.access.Run && n == 4 {
		last := 31 - bits.LeadingZeros32(m.exec)
		if r := m.find(m.addr[first], n*(last-first+1)); r != nil {
			if m.f.Watched() {
				m.watch(r, m.gathered(o))
			}
			to := r.data[m.addr[first]-r.base:][:4*(last-first+1)]
			m.f.Overwrites(to)
			storeWords(to, m.word(o, 0)[first:last+1])
			return
		}
	}
	if m.f.Watched() {
		m.watchAll(m.gathered(o))
	}
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		r := m.find(m.addr[l], n)
		if r == nil {
			var data [16]byte
			m.put32(o, l, data[:])
			if s := m.f.Space(); s == nil || !s.Store(m.addr[l], data[:n]) {
				m.nowhere("store", o)
			}
			continue
		}
		to := r.data[m.addr[l]-r.base:]
		m.f.Overwrites(to[:n])
		m.put32(o, l, to)
	}
}

// LocalBytes is the local memory of a thread, whose stack pointer starts at its
// end.
const LocalBytes = 16 << 10

func (m *machine) localBounds(o *op, what string) {
	if m.local == nil {
		m.local = make([]byte, LocalBytes*lanes)
	}
	var bad uint32
	for x := m.exec; x != 0; x &= x - 1 {
		if l := bits.TrailingZeros32(x) & 31; m.addr[l]+uint64(o.bytes) > LocalBytes {
			bad |= 1 << l
		}
	}
	if bad != 0 {
		m.f.OutOfBounds(what, mask(bad), m.addr[bits.TrailingZeros32(bad)&31], int(o.bytes),
			fmt.Sprintf("local memory beyond the %d bytes of a thread", LocalBytes))
	}
}

func (m *machine) loadLocal(o *op) {
	m.localBounds(o, "load")
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		m.value(o, l, m.local[l*LocalBytes+int(m.addr[l]):])
	}
}

func (m *machine) storeLocal(o *op) {
	m.localBounds(o, "store")
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		m.put32(o, l, m.local[l*LocalBytes+int(m.addr[l]):])
	}
}

// Operations of atomics.
const (
	atomAdd uint8 = iota
	atomMin
	atomMax
	atomInc
	atomDec
	atomAnd
	atomOr
	atomXor
	atomExch
	atomCAS
	atomPopcInc
)

// Types of atomics.
const (
	atomU32 uint8 = iota
	atomS32
	atomU64
	atomS64
	atomF32
	atomF64
	atomF16x2
	atomBF16x2
)

// runAtomic is an atomic on global or shared memory, lane by lane in ascending
// order.
func runAtomic(m *machine, o *op) {
	rec := o.rec
	if m.exec == 0 {
		m.f.Put(&rec, lane.Mask{})
		return
	}
	if m.quick && o.survey && m.quickAtomic(o) {
		return
	}
	m.addresses(o)
	m.checkAccess(o, "atomic")
	if o.sub>>4 != atomPopcInc {
		m.stored(o)
	}
	m.access.Kind, m.access.Volatile = warp.AtomicAccess, false
	var unset lane.Mask
	n := int(o.bytes)
	if space(o.table) == shared {
		m.sharedBounds(o, "atomic")
		if m.f.Watched() {
			unset = m.f.Watch(&m.access, m.shared, m.gathered(o))
		}
		if n == 4 && littleEndian && (o.sub>>4 == atomPopcInc || o.sub>>4 == atomAdd && o.table2 <= atomS32) {
			m.addShared(o)
		} else {
			for x := m.exec; x != 0; x &= x - 1 {
				l := bits.TrailingZeros32(x) & 31
				m.modify(o, l, m.mem[m.addr[l]:][:n])
			}
		}
		rec.Count = m.passes()
		m.conflicts(o, rec.Count)
	} else {
		m.f.OrderBlocks()
		if m.f.Watched() {
			m.watchAll(m.gathered(o))
		}
		for x := m.exec; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x) & 31
			if r := m.find(m.addr[l], n); r != nil {
				m.modify(o, l, r.data[m.addr[l]-r.base:][:n])
				continue
			}
			var data [16]byte
			s := m.f.Space()
			if s == nil || !s.Load(m.addr[l], data[:n]) {
				m.nowhere("atomic", o)
			}
			m.modify(o, l, data[:n])
			if !s.Store(m.addr[l], data[:n]) {
				m.nowhere("atomic", o)
			}
		}
		m.sectors(o, &rec)
	}
	m.define(o)
	if !unset.Empty() {
		for _, r := range o.writes {
			m.undef[r] |= uint32(unset.Lo)
		}
		m.undef[rowSink] = 0
	}
	m.f.Put(&rec, mask(m.exec))
}

// addShared adds words in shared memory, lane by lane: what most atomics there do. The
// addresses have been held against the bounds.
func (m *machine) addShared(o *op) {
	p := unsafe.Pointer(unsafe.SliceData(m.mem))
	d, v, one := &m.file[o.d], m.word(o, 0), b2i(o.sub>>4 == atomPopcInc)
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		at := (*uint32)(unsafe.Add(p, m.addr[l]))
		old := *at
		if one == 1 {
			*at = old + 1
		} else {
			*at = old + v[l]
		}
		d[l] = old
	}
}

// modify does the operation of one lane.
func (m *machine) modify(o *op, l int, at []byte) {
	kind := o.table2
	if len(at) == 8 {
		old := binary.LittleEndian.Uint64(at)
		v := uint64(m.word(o, 0)[l]) | uint64(m.word(o, 1)[l])<<32
		if o.sub>>4 == atomCAS {
			// The value to compare with comes first, what to store behind it.
			same := old == v
			if same {
				s := m.swap(o, l)
				binary.LittleEndian.PutUint64(at, s)
			}
			if o.flags&flagTells != 0 {
				m.swapped(o, l, same)
				return
			}
		} else {
			binary.LittleEndian.PutUint64(at, combine64(o.sub>>4, kind, old, v))
		}
		m.file[o.d][l] = uint32(old)
		m.file[m.rowOf(o.d, 1)][l] = uint32(old >> 32)
		return
	}
	old := binary.LittleEndian.Uint32(at)
	v := m.word(o, 0)[l]
	switch o.sub >> 4 {
	case atomCAS:
		same := old == v
		if same {
			binary.LittleEndian.PutUint32(at, m.row(o.ch)[l])
		}
		if o.flags&flagTells != 0 {
			m.swapped(o, l, same)
			return
		}
	case atomPopcInc:
		binary.LittleEndian.PutUint32(at, old+1)
	default:
		binary.LittleEndian.PutUint32(at, combine32(o.sub>>4, kind, old, v))
	}
	m.file[o.d][l] = old
}

// swapped writes whether a compare and swap (CAST) has stored: a number, or a predicate.
func (m *machine) swapped(o *op, l int, yes bool) {
	v := uint32(b2i(yes))
	m.pred[o.pd] = m.pred[o.pd]&^(1<<l) | v<<l
	m.predUndef[o.pd] &^= 1 << l
	m.file[o.d][l] = v
	if o.words == 2 {
		m.file[m.rowOf(o.d, 1)][l] = 0
	}
}

// swap returns the 64 bits that a compare and swap stores.
func (m *machine) swap(o *op, l int) uint64 {
	hi := o.ch
	if hi.row != rowZero && hi.row < firstConstant {
		hi.row++
	}
	return uint64(m.row(o.ch)[l]) | uint64(m.row(hi)[l])<<32
}

func combine32(what, kind uint8, old, v uint32) uint32 {
	switch kind {
	case atomF32:
		x, y := math.Float32frombits(old), math.Float32frombits(v)
		switch what {
		case atomAdd:
			return bits32(x + y)
		case atomMin:
			return bits32(minFloat(x, y))
		case atomMax:
			return bits32(maxFloat(x, y))
		}
		return v
	case atomF16x2, atomBF16x2:
		var out uint32
		for s := 0; s < 32; s += 16 {
			f, b := halfValue, halfBits
			if kind == atomBF16x2 {
				f, b = bfloatValue, bfloatBits
			}
			x, y := f(old>>s), f(v>>s)
			switch what {
			case atomMin:
				x = math.Min(x, y)
			case atomMax:
				x = math.Max(x, y)
			default:
				x += y
			}
			out |= b(x) << s
		}
		return out
	case atomS32:
		switch what {
		case atomMin:
			return uint32(min(int32(old), int32(v)))
		case atomMax:
			return uint32(max(int32(old), int32(v)))
		}
	}
	return combined(what, old, v)
}

func combine64(what, kind uint8, old, v uint64) uint64 {
	switch kind {
	case atomF64:
		return bits64(math.Float64frombits(old) + math.Float64frombits(v))
	case atomS64:
		switch what {
		case atomMin:
			return uint64(min(int64(old), int64(v)))
		case atomMax:
			return uint64(max(int64(old), int64(v)))
		}
	}
	return combined(what, old, v)
}

// combined is what an atomic makes of numbers without a sign, and of those whose sign
// makes no difference.
func combined[T uint32 | uint64](what uint8, old, v T) T {
	switch what {
	case atomAdd:
		return old + v
	case atomMin:
		return min(old, v)
	case atomMax:
		return max(old, v)
	case atomInc:
		if old >= v {
			return 0
		}
		return old + 1
	case atomDec:
		if old == 0 || old > v {
			return v
		}
		return old - 1
	case atomAnd:
		return old & v
	case atomOr:
		return old | v
	case atomXor:
		return old ^ v
	}
	return v
}
