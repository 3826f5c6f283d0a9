package sass

import (
	"math/bits"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// Generic addresses are those of global memory but for two windows, in which the
// block's shared memory and the thread's local memory lie.

// windows makes an access with generic addresses of one to global memory: what it is
// in either window.
func (d *decoder) windows() {
	o := d.o
	sharedOp, localOp := isa.LoadShared, isa.LoadGlobal
	switch o.rec.Op {
	case isa.StoreGlobal:
		sharedOp, localOp = isa.StoreShared, isa.StoreGlobal
	case isa.AtomicGlobal:
		sharedOp = isa.AtomicShared
	}
	for i, s := range []space{shared, local} {
		w := *o
		w.table, w.survey = uint8(s), false
		w.rec.Op = []isa.Op{sharedOp, localOp}[i]
		o.windows[i] = &w
	}
	o.generic, o.run, o.survey = o.run, runGeneric, false
}

// inWindows returns the lanes that take part whose address is in the window of shared
// memory, and in that of local memory.
func (m *machine) inWindows(o *op) (inShared, inLocal uint32) {
	m.addresses(o)
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		switch m.addr[l] >> 32 {
		case sharedWindow:
			inShared |= 1 << l
		case localWindow:
			inLocal |= 1 << l
		}
	}
	return inShared, inLocal
}

// runGeneric is an access whose lanes may go to different memories.
func runGeneric(m *machine, o *op) {
	if m.exec == 0 {
		o.generic(m, o)
		return
	}
	exec := m.exec
	inShared, inLocal := m.inWindows(o)
	if m.exec = exec &^ (inShared | inLocal); m.exec != 0 {
		o.generic(m, o)
	}
	for i, who := range []uint32{inShared, inLocal} {
		if m.exec = who; who == 0 {
			continue
		}
		if i == 1 && o.rec.Op == isa.AtomicGlobal {
			m.f.Put(&o.rec, mask(who))
			m.w.Fail(warp.Fault{Kind: warp.OutOfBounds, Lanes: mask(who), Detail: "an atomic on local memory, which the hardware does not have",
				Advice: "pass an address of global or shared memory"}, nil)
			m.f.Abort()
		}
		w := o.windows[i]
		o.generic(m, w)
	}
	m.exec = exec
}

func loadGeneric(d *decoder) {
	load(global)(d)
	d.windows()
}

func storeGeneric(d *decoder) {
	store(global)(d)
	d.windows()
}

func atomicGeneric(d *decoder) {
	atomic(global)(d)
	d.windows()
}

// decodeQSPC asks which memory a generic address is in.
func decodeQSPC(d *decoder) {
	o := d.o
	o.pd = d.dstPred()
	if x := d.peek(); x != nil && x.Kind == Register {
		d.dst(1)
	}
	o.bytes = 1
	d.address(global)
	switch {
	case d.has("S"):
		o.sub = uint8(shared)
	case d.has("L"):
		o.sub = uint8(local)
	case d.has("G"):
		o.sub = uint8(global)
	default:
		d.fail("QSPC does not say which memory")
	}
	o.run = func(m *machine, o *op) {
		inShared, inLocal := m.inWindows(o)
		switch space(o.sub) {
		case shared:
			m.setPred(o.pd, inShared)
		case local:
			m.setPred(o.pd, inLocal)
		default:
			m.setPred(o.pd, ^(inShared | inLocal))
		}
	}
}

// firstScratch are rows that a copy goes through, above all registers that kernels have.
const firstScratch = 251

// decodeLDGSTS is a copy from global to shared memory: the values are there at once,
// the time is that of the load, which DEPBAR waits for, see Function.schedule.
func decodeLDGSTS(d *decoder) {
	o := d.o
	words := d.size()
	if o.bytes < 4 {
		d.fail("a copy is of 4, 8 or 16 bytes")
		return
	}
	d.address(shared)
	to := *o
	o.a, o.ah, o.b, o.bh = source{row: rowZero}, source{row: rowZero}, source{row: rowZero}, source{row: rowZero}
	o.rec.A, o.rec.C, o.flags, o.scale = isa.NoReg, isa.NoReg, o.flags&^(flagWideAddress|flagWideUniform), 1
	d.address(global)
	o.p = d.optionalSrcPred()
	to.c, to.reads = source{row: firstScratch}, append([]uint16(nil), to.reads...)
	o.windows[0] = &to
	o.d = firstScratch
	d.p.scratch = max(d.p.scratch, words)
	d.memoryAux()
	o.run = runCopy
}

func runCopy(m *machine, o *op) {
	rec := o.rec
	if m.exec == 0 {
		m.f.Put(&rec, lane.Mask{})
		return
	}
	exec, to := m.exec, o.windows[0]
	for i := range int(o.words) {
		m.file[firstScratch+i] = row{}
	}
	// Lanes whose predicate does not hold get zeros.
	if m.exec = exec & m.holds(o.p); m.exec != 0 {
		m.addresses(o)
		m.checkAccess(o, "load")
		m.access.Kind, m.access.Volatile = warp.LoadAccess, false
		m.f.OrderAccess()
		m.loadGlobal(o)
		m.sectors(o, &rec)
	}
	m.exec = exec
	m.addresses(to)
	m.checkAccess(to, "store")
	m.access.Kind, m.access.Volatile = warp.StoreAccess, false
	m.sharedBounds(to, "store")
	if m.f.Watched() {
		m.f.Watch(&m.access, m.shared, m.gathered(to))
	}
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		m.put32(to, l, m.mem[m.addr[l]:])
	}
	m.f.Put(&rec, mask(exec))
}

// Instructions of older tables that newer ones have under another name.

func decodeSHL(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	value, by := d.src(integer), d.src(integer)
	o.a, o.b, o.c = source{row: rowZero}, by, source{row: rowZero}
	d.flag("W", flagWrap)
	if strings.HasSuffix(d.in.Op, "SHL") {
		o.a = value
		o.flags |= flagLeft
	} else {
		o.c = value
		o.flags |= flagHigh
		if !d.has("U32") {
			o.flags |= flagSigned
		}
	}
	o.run = runFunnel
}

// logicTables are those of two values, as tables of three.
var logicTables = map[string]uint8{"AND": 0xc0, "OR": 0xfc, "XOR": 0x3c, "PASS_B": 0xcc}

func decodeLOP(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(integer), d.src(integer)
	o.table = pick(d, logicTables, "")
	o.p = test{pred: predTrue, not: true}
	o.run, o.flags = runLogic, flagBitwise
}

func decodeIMUL(d *decoder) {
	o := d.o
	o.d = d.dst(1)
	o.a, o.b = d.src(integer), d.src(integer)
	o.run = runMulAdd
	if d.has("HI") {
		o.run = runMulWide
		o.flags |= flagHigh
		if !d.has("U32") {
			o.flags |= flagSigned
		}
	}
}

// decodePSETP joins three predicates in two steps.
func decodePSETP(d *decoder) {
	o := d.o
	o.pd, o.pd2 = d.dstPred(), d.dstPred()
	o.p, o.q, o.r = d.srcPred(), d.srcPred(), d.srcPred()
	var how [2]uint8
	n := 0
	for _, m := range d.in.Mods {
		if v, ok := combinations[m]; ok && n < 2 {
			how[n] = v
			n++
		}
	}
	if n != 2 {
		d.fail("%s does not say how", d.in.Op)
	}
	for k := range uint32(8) {
		first := combine(how[0], k>>2&1, k>>1&1)
		o.table |= uint8(combine(how[1], first, k&1) << k)
		o.table2 |= uint8(combine(how[1], first^1, k&1) << k)
	}
	o.run = runPredicateLogic
}
