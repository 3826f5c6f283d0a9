package memprobe

import (
	"math/bits"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
)

// Records are the next instructions of a warp. Registers: row 0 is a running sum, rows 1
// and 2 an address, rows from 4 on what is loaded.
type Records struct {
	recs         []isa.Instr
	lines        []isa.Line
	line, sector int // bytes
}

const (
	sum   = 0
	index = 1
	first = 4
)

func newRecords(p *device.Profile) *Records {
	return &Records{line: memory.LineBytes(&p.Memory), sector: p.Memory.SectorBytes}
}

func (r *Records) reset() { r.recs, r.lines = r.recs[:0], r.lines[:0] }

// op adds arithmetic.
func (r *Records) op(op isa.Op, dst, a, b isa.Reg) {
	r.recs = append(r.recs, isa.Instr{Op: op, Active: 32, Dst: dst, A: a, B: b})
}

// steps are n additions, each of which waits for the one before.
func (r *Records) steps(n int) {
	for range n {
		r.op(isa.IAdd, isa.Row(index), isa.Row(index), isa.NoReg)
	}
}

// turn is the end of a loop's turn.
func (r *Records) turn() {
	r.op(isa.ICmp, isa.Predicate(0), isa.Row(index), isa.NoReg)
	r.recs = append(r.recs, isa.Instr{Op: isa.Branch, Active: 32, A: isa.Predicate(0), Aux: isa.BranchTaken, Count: isa.LoopBranch})
}

func (r *Records) clock() {
	r.recs = append(r.recs, isa.Instr{Op: isa.ReadClock, Active: 32, Dst: isa.RowPair(60)})
}
func (r *Records) barrier() { r.recs = append(r.recs, isa.Instr{Op: isa.BarSync, Active: 32}) }
func (r *Records) fence(scope uint8) {
	r.recs = append(r.recs, isa.Instr{Op: isa.Fence, Active: 32, Aux: scope})
}

// lanes are the addresses of an access: n lanes, of so many bytes each.
type lanes struct {
	at       uint64 // of lane 0
	step     uint64 // from lane to lane
	n, bytes int
}

// access adds the access, and returns its number of sectors.
func (r *Records) access(l lanes, kind isa.Op) int {
	begin, sectors := len(r.lines), 0
	words := [isa.MaxSectors * 8]map[uint64]bool{}
	type touched struct{ lanes, most, word int }
	var lines []touched
	count := map[uint64]int{}
	for i := range l.n {
		a := l.at + uint64(i)*l.step
		number := a / uint64(r.line)
		k := begin
		for k < len(r.lines) && r.lines[k].Number() != number {
			k++
		}
		if k == len(r.lines) {
			r.lines = append(r.lines, isa.MakeLine(number, 0, 0, 0, 0))
			lines = append(lines, touched{})
		}
		for b := a; b < a+uint64(l.bytes); b += 4 {
			r.lines[k] |= isa.Line(1) << (b % uint64(r.line) / uint64(r.sector))
			bank := b / 4 % 32
			if words[bank] == nil {
				words[bank] = map[uint64]bool{}
			}
			words[bank][b/4] = true
		}
		x := &lines[k-begin]
		x.lanes++
		if count[a]++; count[a] > x.most {
			x.most, x.word = count[a], int(a/4%32)
		}
	}
	passes := 1
	for _, w := range words {
		passes = max(passes, len(w))
	}
	for i := range lines {
		x := &r.lines[begin+i]
		sectors += bits.OnesCount8(x.Sectors())
		switch {
		case kind == isa.AtomicGlobal || kind == isa.ReduceGlobal:
			*x = isa.MakeLine(x.Number(), x.Sectors(), lines[i].lanes, lines[i].most, lines[i].word)
		case kind == isa.StoreGlobal && l.step != uint64(l.bytes):
			*x = x.WithPartial(bits.OnesCount8(x.Sectors()))
		case kind == isa.LoadGlobal && i == 0:
			*x = x.WithPasses(passes)
		}
	}
	r.lines[len(r.lines)-1] = r.lines[len(r.lines)-1].End()
	return sectors
}

// loadRun is a load of 32 lanes behind each other: access without maps.
func (r *Records) loadRun(dst int, at uint64, bytes, level int) {
	from, to := at, at+uint64(32*bytes)
	for a := from; a < to; {
		line := a / uint64(r.line)
		end := min(to, (line+1)*uint64(r.line))
		lo, hi := a%uint64(r.line)/uint64(r.sector), (end-1)%uint64(r.line)/uint64(r.sector)
		x := isa.MakeLine(line, uint8(1<<(hi+1)-1<<lo), 0, 0, 0)
		if a == from {
			x = x.WithPasses(max(1, bytes/4))
		}
		if end == to {
			x = x.End()
		}
		r.lines = append(r.lines, x)
		a = end
	}
	r.recs = append(r.recs, isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: isa.Row(dst), A: isa.RowPair(index), Aux: isa.MemAux(bytes, level), Count: uint16(32 * bytes / r.sector)})
}

// storeRun is likewise a store of row src.
func (r *Records) storeRun(src int, at uint64, bytes int) {
	r.loadRun(src, at, bytes, isa.LevelL1)
	x := &r.recs[len(r.recs)-1]
	x.Op, x.Dst, x.B = isa.StoreGlobal, isa.NoReg, isa.Row(src)
	for i := len(r.lines) - (32*bytes+r.line-1)/r.line; i < len(r.lines); i++ {
		r.lines[i] = r.lines[i].WithPartial(0)
	}
}

// load is a load of any addresses.
func (r *Records) load(dst int, l lanes, level int) {
	n := r.access(l, isa.LoadGlobal)
	r.recs = append(r.recs, isa.Instr{Op: isa.LoadGlobal, Active: uint8(l.n), Dst: isa.Row(dst), A: isa.RowPair(index), Aux: isa.MemAux(l.bytes, level), Count: uint16(n)})
}

// atomic is an atomic on any addresses, with a result in row dst if that is not 0.
func (r *Records) atomic(dst int, l lanes, float bool) {
	op, to := isa.ReduceGlobal, isa.NoReg
	if dst > 0 {
		op, to = isa.AtomicGlobal, isa.Row(dst)
	}
	n := r.access(l, op)
	aux := isa.MemAux(l.bytes, isa.LevelL2)
	if float {
		aux |= isa.AuxFloat
	}
	r.recs = append(r.recs, isa.Instr{Op: op, Active: uint8(l.n), Dst: to, A: isa.RowPair(index), B: isa.Row(sum), Aux: aux, Count: uint16(n)})
}

// combined is an atomic of integers on a word that the compiler knows to be one for the
// warp: the first lane does it for all (the listing in bench/accuracy/testdata/combine.sass.gz).
func (r *Records) combined(dst int, l lanes) {
	all, leader := isa.Uniform(1), isa.Uniform(2)
	l.n = 1
	r.op(isa.Ballot, all, isa.NoReg, isa.NoReg)
	r.op(isa.UniformALU, leader, all, isa.NoReg)
	r.op(isa.Popc, isa.Row(sum), all, isa.NoReg)
	r.op(isa.ICmp, isa.Predicate(1), isa.Row(index+1), leader)
	r.atomic(dst, l, false)
	r.recs[len(r.recs)-1].Guard = 2
	if dst > 0 {
		r.op(isa.Logic, isa.Row(first-1), all, isa.NoReg)
		r.op(isa.Popc, isa.Row(first-1), isa.Row(first-1), isa.NoReg)
		r.op(isa.ShflIdx, isa.Row(dst), isa.Row(dst), leader)
		r.op(isa.IAdd, isa.Row(dst), isa.Row(dst), isa.Row(first-1))
	}
}
