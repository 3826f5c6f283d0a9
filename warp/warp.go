package warp

import (
	"strings"
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// A Warp is one warp of a running block: its lanes, registers and masks. A
// kernel gets one for each warp and must not keep it, or anything allocated
// from it, after it returns.
type Warp struct {
	// What every instruction touches stands first.
	base     unsafe.Pointer // of the register file
	rowBytes int
	lanes    int
	cells    []cell // by row
	before   []cell // those of the run before
	active   lane.Mask
	full     bool       // every lane of the warp is active
	common   uint64     // what records have in common: the number of active lanes and the guard, in their places in the first word
	watched  bool       // an observer or source sites want every instruction
	running  bool       // the warp's kernel runs at this moment
	san      *sanitizer // of the block, nil: memory is not watched
	engine   uint64     // its number
	plain    int        // room if the warp is full and memory is not watched, 0 otherwise
	stream              // of its records

	live, all lane.Mask // lanes that have not exited; lanes of the warp
	loopOff   lane.Mask // lanes that have left the innermost loop or its turn
	broken    lane.Mask // lanes that have left the innermost loop
	loops     int       // While loops around the present instruction

	preds, predUndef []lane.Mask
	nextPred         uint8
	uniform          []lane.Mask
	nextUniform      uint8
	raw              bool // an encoded instruction has been issued

	file                   *lane.File
	counts                 [maxOps]int64
	booked                 int64 // instructions of Front.Book
	lanewise               bool  // see Front.PerLane
	laneSteps, laneStepsAt int64 // active lanes added up over the first so many instructions
	conflicts              int64 // passes and turns in shared memory that a conflict-free access would not take

	run         *run
	group       *group
	block       *block
	id          int // in the block
	state       warpState
	waitBarrier int
	waitSite    Site

	passed        lane.Mask // see Front.Passed
	endedAt       int       // releases of barriers of the block before the warp ended
	left          any       // see Front.SetLeft
	judge         func(how any) (past, known bool)
	lock          ThreadLock // of the goroutine that runs the kernel
	firstInactive Site       // of the first shuffle that read a lane which took no part

	co *coroutine // that runs its kernel; nil: before, after, and if the warp is alone

	threadID, globalID Reg[int32] // made on first use
	laneID             Reg[int32]
	position           [3]Reg[int32] // in the block
	sharedUsed         int           // bytes of shared memory declared so far
	sharedCount        int           // declarations so far

	shuffleRule crossbar.Rule
	shl, shr    row.BinaryOp           // as the device takes counts
	rows        int                    // of the register file that a thread of the launch has
	spins       int64                  // 1 more than group.changes when it was found to repeat itself
	locator     func() Site            // see SetLocator
	registers   func(isa.Reg) []uint32 // see Front.SetRegisters
	seen        *seen                  // for Observer.Instr, nil: there is none
	dynamic     Mem[byte]              // see DynamicShared
	frontWords  *strings.Replacer      // see Front.SetWords
	hasDynamic  bool
	route       crossbar.Route
	banks       bankCounter

	scratch  [lane.MaxLanes]uint64
	scratch2 [lane.MaxLanes]uint64

	ops [numKinds]kindOps

	constant      cell      // see constant; its row is scratch2, its kind Words if there is none
	constantUndef lane.Mask // always empty
	operands      *operandCells
	level         int     // from which on loads are served
	memoryBase    isa.Reg // uniform register in the address of an encoded access

	awaits   barrierReduction // of the barrier at which a warp that is driven waits
	awaitsIn isa.Reg
}

// warpState is where a warp is in its life.
type warpState uint8

const (
	stateReady warpState = iota
	stateAtBarrier
	stateAwaitsTurn // before something that depends on the order of blocks
	stateFull       // until the records in its buffer are taken
	stateDone
)

// init makes the warp ready for its first block.
func (w *Warp) init(p *device.Profile, bufLen int) error {
	rows := min(p.Limits.RegistersPerLane, isa.MaxRows)
	f, err := lane.NewFile(p.Lanes, rows)
	if err != nil {
		return err
	}
	w.file = f
	w.lanes = p.Lanes
	w.rowBytes = p.Lanes * 4
	w.base = unsafe.Pointer(unsafe.SliceData(lane.Row[byte](f, 0)))
	w.cells, w.before = w.newCells(), w.newCells()
	w.all = lane.FirstN(p.Lanes)
	for k := range numKinds {
		w.ops[k] = opsOf(k, p.Lanes)
	}
	w.constant = cell{w: w, p: unsafe.Pointer(&w.scratch2), undef: &w.constantUndef, kind: Words}
	w.shuffleRule = p.Rules.Shuffle
	w.shl, w.shr = row.Shl, row.Shr
	if p.Rules.ShiftCounts == device.CountsCut {
		w.shl, w.shr = row.ShlCut, row.ShrCut
	}
	w.preds = make([]lane.Mask, isa.MaxPredicates)
	w.predUndef = make([]lane.Mask, isa.MaxPredicates)
	for i := range w.predUndef {
		w.predUndef[i] = w.all
	}
	w.uniform = make([]lane.Mask, isa.MaxUniform)
	w.buf = make([]isa.Instr, bufLen)
	return nil
}

// newCells returns the cells of the rows of the register file.
func (w *Warp) newCells() []cell {
	cells := make([]cell, w.file.Rows())
	undef := w.file.UndefinedRows()
	for i := range cells {
		cells[i] = cell{p: unsafe.Add(w.base, i*w.rowBytes), undef: &undef[i], row: uint16(i)}
	}
	return cells
}

// begin makes the warp ready for another block, with the given lanes alive.
func (w *Warp) begin(b *block, id int, live lane.Mask) {
	w.block, w.id, w.san, w.spins = b, id, b.san, 0
	w.engine = b.group.run.engine.number
	// Registers that somebody has kept from the run before are of the other cells.
	w.forget(0)
	w.cells, w.before = w.before, w.cells
	w.rows = min(b.group.run.registers, w.file.Rows())
	if w.raw {
		// Encoded instructions name any row and predicate.
		w.file.Reset()
		for i := range w.predUndef {
			w.predUndef[i] = w.all
		}
		w.raw = false
	}
	w.file.Release(0)
	w.laneSteps, w.laneStepsAt = 0, 0
	w.live, w.loopOff, w.broken = live, lane.Mask{}, lane.Mask{}
	w.setActive(live)
	w.setGuard(0)
	w.conflicts = 0
	w.nextPred, w.nextUniform = 0, 0
	clear(w.counts[:])
	w.booked, w.lanewise = 0, false
	w.threadID, w.globalID, w.laneID, w.position = Reg[int32]{}, Reg[int32]{}, Reg[int32]{}, [3]Reg[int32]{}
	w.sharedUsed, w.sharedCount = 0, 0
	w.locator, w.registers, w.frontWords, w.hasDynamic = nil, nil, nil, false
	w.left, w.judge = nil, nil
	w.firstInactive, w.loops, w.passed = Site{}, 0, lane.Mask{}
	w.state = stateReady
}

func (w *Warp) setActive(m lane.Mask) {
	w.countLanes()
	w.active = m
	w.full = m == w.all
	w.setPlain()
	w.common = w.common&^0xff00 | uint64(m.Count())<<8
}

// countLanes books the active lanes of the instructions since they changed last.
func (w *Warp) countLanes() {
	made := w.made()
	w.laneSteps += (made - w.laneStepsAt) * int64(w.common>>8&0xff)
	w.laneStepsAt = made
}

// setPlain works out plain.
func (w *Warp) setPlain() {
	w.plain = w.room
	if !w.full || w.san != nil {
		w.plain = 0
	}
}

// Width returns the number of lanes of a warp.
func (w *Warp) Width() int { return w.lanes }

// ID returns the number of the warp in its block.
func (w *Warp) ID() int { return w.id }

// BlockIndex returns the number of the block in the grid, X fastest.
func (w *Warp) BlockIndex() int { return w.block.index }

// BlockThreads returns the number of threads of a block.
func (w *Warp) BlockThreads() int { return w.run.threads }

// BlockWarps returns the number of warps of a block.
func (w *Warp) BlockWarps() int { return w.run.warps }

// GridBlocks returns the number of blocks of the grid.
func (w *Warp) GridBlocks() int { return w.run.blocks }

// Launch returns the launch that the warp is part of.
func (w *Warp) Launch() Launch { return w.run.launch }

// Active returns the lanes that take part in the next instruction.
func (w *Warp) Active() lane.Mask { return w.active }

// Live returns the lanes that exist in this block and have not exited.
func (w *Warp) Live() lane.Mask { return w.live }

// Device returns the profile of the device; it must not be changed.
func (w *Warp) Device() *device.Profile { return w.run.engine.profile }

// A Mark is a state of register allocation, for Release.
type Mark struct {
	rows          int
	preds, unifor uint8
}

// Mark notes which registers are allocated now.
func (w *Warp) Mark() Mark { return Mark{w.file.Mark(), w.nextPred, w.nextUniform} }

// Release gives back all registers allocated since the mark was taken: rows,
// predicates and mask registers. They must not be used any more: an instruction that
// is given one of the registers ends the kernel with a fault of kind WrongWarp, unless
// another register has its place by then.
func (w *Warp) Release(m Mark) {
	w.forget(m.rows)
	w.file.Release(m.rows)
	w.nextPred, w.nextUniform = min(w.nextPred, m.preds), min(w.nextUniform, m.unifor)
	for _, special := range w.specials() {
		if special.cell != nil && int(special.row) >= m.rows {
			*special = Reg[int32]{}
		}
	}
}

// specials are the registers that are made on first use.
func (w *Warp) specials() [6]*Reg[int32] {
	return [...]*Reg[int32]{&w.threadID, &w.globalID, &w.laneID, &w.position[0], &w.position[1], &w.position[2]}
}

// endBody gives back what a body of If or While has allocated, but for registers
// made on first use, which the rest of the kernel has too.
func (w *Warp) endBody(m Mark) {
	if w.file.Mark() > m.rows {
		for _, special := range w.specials() {
			if special.cell != nil {
				m.rows = max(m.rows, int(special.row)+1)
			}
		}
	}
	w.Release(m)
}

// Pred takes a predicate register; its lanes are undefined. A warp has 63; one
// more ends the kernel with a fault of kind RegisterFile. Devices have fewer,
// and their compilers spill to registers: that cost is not modelled.
func (w *Warp) Pred() Pred {
	if int(w.nextPred) >= isa.MaxPredicates-1 {
		w.raise(Fault{Kind: RegisterFile, Detail: "no predicate register left",
			Advice: "release predicates with Mark and Release"})
		panic(abort{})
	}
	p := Pred{w, w.nextPred}
	w.nextPred++
	w.preds[p.id], w.predUndef[p.id] = lane.Mask{}, w.all
	return p
}

// hiddenPred is the predicate that instruction sequences of the engine's own
// write on the way to their result.
const hiddenPred = isa.MaxPredicates - 1

// MaskReg takes a register for one set of lanes; it starts empty. A warp has
// 63; one more ends the kernel with a fault of kind RegisterFile.
func (w *Warp) MaskReg() MaskReg {
	if int(w.nextUniform) >= isa.MaxUniform-1 {
		w.raise(Fault{Kind: RegisterFile, Detail: "no mask register left",
			Advice: "release mask registers with Mark and Release"})
		panic(abort{})
	}
	m := MaskReg{w, w.nextUniform}
	w.nextUniform++
	w.uniform[m.id] = lane.Mask{}
	return m
}

// hiddenUniform is the uniform register that the engine's own sequences write.
const hiddenUniform = isa.MaxUniform - 1
