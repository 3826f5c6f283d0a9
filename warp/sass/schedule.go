package sass

import (
	"fmt"
	"slices"

	"example.com/warpsim/warp/isa"
)

// A Hazard is a dependence that a schedule does not protect. Nothing on the chip
// notices: the reader gets an old value.
type Hazard struct {
	Function string
	// From is the line that writes a register, or reads what is overwritten, To
	// the one that comes too early. Both are indices in Function.Code.
	From, To         int
	FromText, ToText string
	FromLine, ToLine int    // of the text
	Register         string // that it is about
	Kind             HazardKind
	Cycles, Need     int // from one to the other, and how many it takes; of StallTooShort
	Scoreboard       int // that is not waited for, NoBarrier if there is none
}

// A HazardKind is what is wrong.
type HazardKind uint8

// The kinds.
const (
	// StallTooShort: the stall counts between are less than the result takes.
	StallTooShort HazardKind = iota
	// NotWaited: a result of variable latency is read, or overwritten, and its
	// scoreboard not waited for.
	NotWaited
	// Overwritten: a source of an instruction of variable latency is written
	// before that has read it for sure.
	Overwritten
)

// Error says what is wrong, with both lines.
func (h *Hazard) Error() string {
	at := fmt.Sprintf("sass: %s: line %d %q", h.Function, h.ToLine, h.ToText)
	from := fmt.Sprintf("line %d %q", h.FromLine, h.FromText)
	board := "and that has no scoreboard to wait for"
	if h.Scoreboard != NoBarrier {
		board = fmt.Sprintf("without waiting for scoreboard %d", h.Scoreboard)
	}
	switch h.Kind {
	case StallTooShort:
		return fmt.Sprintf("%s uses %s %d cycles after %s, and it takes %d", at, h.Register, h.Cycles, from, h.Need)
	case NotWaited:
		return fmt.Sprintf("%s uses %s of %s %s", at, h.Register, from, board)
	}
	return fmt.Sprintf("%s writes %s, which %s reads, %s", at, h.Register, from, board)
}

// A unit is where an instruction is executed, as far as distances are concerned.
type unit uint8

const (
	unitALU unit = iota
	unitFMA
	unitWide // IMAD.WIDE
	unitHalf
	unitDouble // FP64 and HFMA2.MMA
	unitXU     // MUFU and the like, LDC, branches
	unitMemory
	unitUniform
	unitUniformMove // UMOV, ULDC, VOTEU
	unitClock       // CS2R of 64 bits
)

// unitOf returns where an instruction is executed.
func unitOf(in *Instr) unit {
	switch in.Op {
	case "FFMA", "FADD", "FMUL", "VIADD", "FFMA32I", "FMUL32I", "FADD32I", "FSWZADD", "IDP":
		return unitFMA
	case "IMAD":
		if in.has("WIDE") || in.has("HI") {
			return unitWide
		}
		return unitFMA
	case "HFMA2":
		if in.has("MMA") {
			return unitDouble
		}
		return unitHalf
	case "HADD2", "HMUL2", "HSETP2", "HSET2", "HMNMX2":
		return unitHalf
	case "DADD", "DMUL", "DFMA", "DSETP":
		return unitDouble
	case "MUFU", "POPC", "I2F", "F2I", "F2F", "FRND", "LDC", "FCHK", "BREV", "FLO", "S2R", "S2UR", "B2R", "R2UR",
		"BRA", "BRX", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK", "WARPSYNC", "JMP", "JMX", "NOP", "MATCH", "REDUX", "BMOV":
		return unitXU
	case "LDG", "LDS", "LDL", "LD", "STG", "STS", "STL", "ST", "ATOMG", "ATOMS", "ATOM", "RED", "REDG", "SHFL", "BAR":
		return unitMemory
	case "UMOV", "ULDC", "VOTEU", "LDCU":
		return unitUniformMove
	case "CS2R":
		if !in.has("32") {
			return unitClock
		}
	}
	if in.Op[0] == 'U' {
		return unitUniform
	}
	return unitALU
}

// isBranch reports whether an instruction goes elsewhere.
func isBranch(in *Instr) bool {
	switch in.Op {
	case "BRA", "BRX", "CALL", "RET", "EXIT", "JMP", "JMX", "BREAK", "BSYNC", "WARPSYNC":
		return true
	}
	return false
}

// queue tells the queues whose results come back in order: 0 for none.
func queue(in *Instr) int {
	switch in.Op {
	case "LDS":
		return 1
	case "SHFL":
		return 2
	}
	switch {
	case unitOf(in) == unitDouble:
		return 3
	case slowMath(in):
		return 4
	}
	return 0
}

// slowMath reports whether an instruction is of the unit for functions and conversions.
func slowMath(in *Instr) bool {
	switch in.Op {
	case "MUFU", "POPC", "I2F", "F2I", "F2F", "FRND", "BREV", "FLO", "FCHK":
		return true
	}
	return false
}

// memoryQueue reports whether an instruction reads its sources before a later one
// of the same queue writes.
func memoryQueue(in *Instr) bool { return unitOf(in) == unitMemory && in.Op != "BAR" }

// held is how many cycles a source is held that no barrier protects.
func held(in *Instr) int {
	switch in.Op {
	case "LDS", "SHFL":
		return 9
	case "LDG", "LD", "LDL":
		return 11
	case "STS", "ATOMS":
		return 12
	case "STG", "ST", "STL", "RED", "REDG", "ATOMG", "ATOM":
		return 14
	case "LDC":
		return 29
	}
	return 0
}

// variable reports whether a result is waited for by a scoreboard. Doubles are, but where
// the chip has as many units for them as compilers count on, which their listings show.
func (c *checker) variable(in *Instr) bool {
	switch unitOf(in) {
	case unitMemory:
		return true
	case unitDouble:
		arch := c.f.Arch
		return in.Op != "HFMA2" && arch != 0 && (arch < hopper || arch >= 120)
	case unitXU:
		return !isBranch(in) && in.Op != "NOP" && in.Op != "BSSY" && in.Op != "BMOV"
	}
	return false
}

// part is which operand of a consumer, or result of a producer, a register is.
type part uint8

const (
	partWhole part = iota
	partLow        // of a wide product, or its addend
	partHigh
)

// fixedDistance is the least distance from a producer of known latency to a consumer
// of its register. The numbers are those of the compiler: its listings, of whatever
// architecture, never go below them.
func fixedDistance(from, to unit, result, operand part) int {
	column := 0 // ALU, FMA, W.lo, W.hi, CS2R 64, FP16, FP64
	switch from {
	case unitFMA:
		column = 1
	case unitWide:
		column = 2
		if result == partHigh {
			column = 3
		}
	case unitClock:
		column = 4
	case unitHalf:
		column = 5
	case unitDouble:
		column = 6
	}
	row := [7]int{4, 5, 3, 5, 6, 5, 10}
	switch to {
	case unitFMA:
		row = [7]int{5, 4, 2, 4, 6, 5, 10}
	case unitWide:
		switch operand {
		case partLow:
			row = [7]int{5, 4, 2, 4, 6, 5, 10}
		case partHigh:
			row = [7]int{3, 2, 2, 2, 4, 3, 8}
		default:
			row = [7]int{5, 4, 4, 6, 6, 5, 10}
		}
	case unitHalf:
		row = [7]int{5, 5, 3, 5, 6, 4, 10}
	case unitDouble:
		row = [7]int{6, 6, 6, 6, 6, 6, 6}
	case unitXU:
		row = [7]int{4, 4, 4, 4, 4, 4, 6}
	case unitMemory:
		row = [7]int{5, 5, 5, 5, 5, 5, 7}
	}
	return row[column]
}

// predicateDistance is the least distance from a producer to the reader of a
// predicate.
func predicateDistance(arch int, from unit, to *Instr, guard bool) int {
	u := unitOf(to)
	if guard || u == unitMemory || u == unitXU || to.Op == "VOTE" || to.Op == "VOTEU" {
		switch {
		case from == unitDouble:
			return 14
		case arch != 0 && arch < ampere:
			return 12
		}
		return 13
	}
	fma := func(u unit) bool { return u == unitFMA || u == unitWide }
	switch {
	case from == unitDouble:
		return 6
	case fma(from) == fma(u):
		return 4
	}
	return 5
}

// uniformDistance is the least distance from a producer to the reader of a uniform
// register.
func uniformDistance(from unit, to *Instr) int {
	u := unitOf(to)
	if from == unitUniformMove {
		switch {
		case to.Op == "ULDC":
			return 5
		case isBranch(to):
			return 3
		}
		return 2
	}
	switch {
	case to.Op == "UMOV":
		return 7
	case to.Op == "ULDC":
		return 12
	case isBranch(to):
		return 10
	case u == unitMemory:
		return 9
	case u == unitUniform:
		return 4
	}
	return 6
}

// A pending is a result, or a source, that later lines have to mind.
type pending struct {
	register uint16 // a row, or firstPredicateKey and a predicate
	from     int
	age      int  // cycles since it was issued
	source   bool // it is read
	part     part
}

const (
	firstPredicateKey = 1 << 12
	oldest            = 64 // cycles after which nothing of known latency matters
)

// CheckSchedule holds the control codes of a function against its dependences, and
// returns those that they do not protect: a stall count that is too short, a
// scoreboard that is not waited for. It follows all ways through the code but for
// branches through registers. A function without encoded words, or with lines that
// are not known, is an error.
func (f *Function) CheckSchedule() ([]Hazard, error) {
	p, err := f.Program()
	if err != nil {
		return nil, err
	}
	if !p.coded {
		return nil, &Error{f.Name, -1, f.Line, "", "the listing has no encoded words, and so no control codes"}
	}
	c := checker{p: p, f: f, in: make([][]pending, len(f.Code)), found: map[[4]int]*Hazard{}}
	c.findReturns()
	work := []int{0}
	seen := make([]bool, len(f.Code))
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		seen[i] = true
		out := c.step(i)
		for _, next := range c.successors(i) {
			if c.join(next, out) || !seen[next] {
				if !slices.Contains(work, next) {
					work = append(work, next)
				}
			}
		}
	}
	var all []Hazard
	for _, h := range c.found {
		all = append(all, *h)
	}
	slices.SortFunc(all, func(a, b Hazard) int {
		if a.To != b.To {
			return a.To - b.To
		}
		if a.From != b.From {
			return a.From - b.From
		}
		return int(a.Kind) - int(b.Kind)
	})
	return all, nil
}

type checker struct {
	p       *Program
	f       *Function
	in      [][]pending // before each line
	returns [][]int     // of each RET, the lines that it goes to
	found   map[[4]int]*Hazard
}

// findReturns finds where each RET goes to: to behind the calls from whose target it is
// reached, or to behind any if from none.
func (c *checker) findReturns() {
	n := len(c.f.Code)
	c.returns = make([][]int, n)
	var all []int
	for call := range n - 1 {
		if c.f.Code[call].Op != "CALL" {
			continue
		}
		all = append(all, call+1)
		if !c.direct(call) {
			continue
		}
		work, seen := []int{int(c.p.ops[call].target)}, make([]bool, n)
		for len(work) > 0 {
			i := work[len(work)-1]
			work = work[:len(work)-1]
			if seen[i] {
				continue
			}
			seen[i] = true
			next := c.successors(i)
			switch c.f.Code[i].Op {
			case "RET":
				c.returns[i] = append(c.returns[i], call+1)
				next = nil
				if c.f.Code[i].Guarded && i+1 < n {
					next = []int{i + 1}
				}
			case "CALL": // which comes back
				next = []int{min(i+1, n-1)}
			}
			work = append(work, next...)
		}
	}
	for i := range n {
		if c.f.Code[i].Op == "RET" && c.returns[i] == nil {
			c.returns[i] = all
		}
	}
}

// direct reports whether a CALL goes to an address that it has itself.
func (c *checker) direct(i int) bool {
	in := &c.f.Code[i]
	return len(in.Operands) == 1 && in.Operands[0].Kind != Register
}

// successors returns the lines that may come next.
func (c *checker) successors(i int) []int {
	in, o := &c.f.Code[i], &c.p.ops[i]
	next := []int{}
	if i+1 < len(c.f.Code) {
		next = append(next, i+1)
	}
	conditional := in.Guarded || o.p.pred != predTrue
	switch in.Op {
	case "EXIT", "KILL":
		if !conditional {
			return nil
		}
	case "BRA", "JMP":
		if conditional || in.has("DIV") {
			return append(next, int(o.target))
		}
		return []int{int(o.target)}
	case "CALL":
		if c.direct(i) {
			return []int{int(o.target)}
		}
		return next
	case "RET":
		if conditional {
			return append(next, c.returns[i]...)
		}
		return c.returns[i]
	case "BRX", "JMX":
		if !conditional {
			return nil
		}
	}
	return next
}

// join adds what is pending on one way to a line to what is on the others, and
// reports whether that is news.
func (c *checker) join(i int, more []pending) (news bool) {
	for _, m := range more {
		k := slices.IndexFunc(c.in[i], func(p pending) bool {
			return p.register == m.register && p.from == m.from && p.source == m.source && p.part == m.part
		})
		switch {
		case k < 0:
			c.in[i] = append(c.in[i], m)
			news = true
		case m.age < c.in[i][k].age:
			c.in[i][k].age = m.age
			news = true
		}
	}
	return news
}

func (c *checker) report(kind HazardKind, from, to, cycles, need int, register uint16) {
	key := [4]int{int(kind), from, to, int(register)}
	if h := c.found[key]; h != nil && h.Cycles <= cycles {
		return
	}
	a, b := &c.f.Code[from], &c.f.Code[to]
	board := int(a.Control.WriteBarrier)
	if kind == Overwritten {
		board = int(a.Control.ReadBarrier)
	}
	name := ""
	if register >= firstPredicateKey {
		k := uint8(register - firstPredicateKey)
		name = fmt.Sprintf("P%d", k)
		if k >= predUniform {
			name = fmt.Sprintf("UP%d", k-predUniform)
		}
	} else if r := rowReg(register); r != isa.NoReg {
		name = r.String()
		if r.IsUniform() {
			name = "UR" + name[1:]
		}
	}
	c.found[key] = &Hazard{c.f.Name, from, to, a.String(), b.String(), a.Line, b.Line, name, kind, cycles, need, board}
}

// waits reports whether line i waits for a scoreboard.
func (c *checker) waits(i int, board uint8) bool {
	return board != NoBarrier && c.f.Code[i].Control.Wait>>board&1 != 0
}

// step checks a line and returns what is pending behind it.
func (c *checker) step(i int) []pending {
	in, o := &c.f.Code[i], &c.p.ops[i]
	state := c.clear(i, c.in[i])
	reads, writes := map[uint16]part{}, map[uint16]part{}
	for _, r := range o.reads {
		p := partWhole
		if unitOf(in) == unitWide {
			switch r {
			case o.ch.row:
				p = partHigh
			case o.c.row:
				p = partLow
			}
			if r == o.a.row || r == o.b.row {
				p = partWhole
			}
		}
		reads[r] = p
	}
	for _, r := range o.writes {
		writes[r] = partLow
		if r == o.d2 {
			writes[r] = partHigh
		}
	}
	preds := map[uint8]bool{} // true: as a guard
	for _, p := range o.readsP {
		preds[p] = false
	}
	if o.guard != predTrue {
		preds[o.guard] = true
	}
	written := map[uint16]bool{}
	for r := range writes {
		written[r] = true
	}
	for _, p := range o.writesP {
		written[firstPredicateKey+uint16(p)] = true
	}
	for _, p := range state {
		from := &c.f.Code[p.from]
		if p.source {
			if written[p.register] {
				c.overwrites(i, &p)
			}
			continue
		}
		operand, used := reads[p.register]
		guard, usedP := false, false
		if p.register >= firstPredicateKey {
			guard, usedP = preds[uint8(p.register-firstPredicateKey)], false
			_, usedP = preds[uint8(p.register-firstPredicateKey)]
		}
		if c.variable(from) {
			if used || usedP || written[p.register] && !(memoryQueue(in) && memoryQueue(from)) {
				c.report(NotWaited, p.from, i, p.age, 0, p.register)
			}
			continue
		}
		if !used && !usedP {
			continue
		}
		need := 0
		switch {
		case p.register >= firstPredicateKey+predUniform:
			need = 4
			switch u := unitOf(in); {
			case isBranch(in):
				need = 9
			case guard && u != unitUniform && u != unitUniformMove:
				need = 11
			case u != unitUniform && u != unitUniformMove:
				need = 6
			}
		case p.register >= firstPredicateKey:
			need = predicateDistance(c.f.Arch, unitOf(from), in, guard)
		case p.register >= rowUniform:
			need = uniformDistance(unitOf(from), in)
		default:
			need = fixedDistance(unitOf(from), unitOf(in), p.part, operand)
		}
		if p.age < need {
			c.report(StallTooShort, p.from, i, p.age, need, p.register)
		}
	}
	// Behind the line.
	stall := int(in.Control.Stall)
	if stall == 0 {
		stall = oldest // no short wait
	}
	out := state[:0]
	for _, p := range state {
		if written[p.register] && !in.Guarded && !p.source {
			continue
		}
		p.age = min(p.age+stall, oldest)
		if p.age >= oldest && (!p.source && !c.variable(&c.f.Code[p.from]) || p.source && c.f.Code[p.from].Control.ReadBarrier == NoBarrier) {
			continue
		}
		out = append(out, p)
	}
	for r, part := range writes {
		out = append(out, pending{register: r, from: i, age: min(stall, oldest), part: part})
	}
	for _, p := range o.writesP {
		out = append(out, pending{register: firstPredicateKey + uint16(p), from: i, age: min(stall, oldest)})
	}
	if c.variable(in) {
		for r := range reads {
			if r < rowUniform { // the others are read at issue
				out = append(out, pending{register: r, from: i, age: min(stall, oldest), source: true})
			}
		}
	}
	return out
}

// clear drops what line i waits for: results and sources whose scoreboard it names,
// and what came before them in a queue that keeps its order.
func (c *checker) clear(i int, state []pending) []pending {
	out := make([]pending, 0, len(state)+8)
	done := map[int]bool{} // lines that are through
	youngest := [5]int{oldest + 1, oldest + 1, oldest + 1, oldest + 1, oldest + 1}
	reached := oldest + 1 // of memory instructions: sources of those before have been read
	for _, p := range state {
		from := &c.f.Code[p.from]
		w := c.variable(from) && c.waits(i, from.Control.WriteBarrier)
		r := c.waits(i, from.Control.ReadBarrier)
		if w || r {
			if memoryQueue(from) {
				reached = min(reached, p.age)
			}
		}
		if w {
			done[p.from] = true
			if q := queue(from); q > 0 {
				youngest[q] = min(youngest[q], p.age)
			}
		}
	}
	for _, p := range state {
		from := &c.f.Code[p.from]
		switch {
		case c.variable(from) && done[p.from]:
		case p.source && c.waits(i, from.Control.ReadBarrier):
		case p.source && memoryQueue(from) && p.age >= reached:
		case !p.source && c.variable(from) && queue(from) > 0 && p.age >= youngest[queue(from)]:
		default:
			out = append(out, p)
		}
	}
	return out
}

// overwrites checks a line that writes what an instruction of variable latency
// reads.
func (c *checker) overwrites(i int, p *pending) {
	in, from := &c.f.Code[i], &c.f.Code[p.from]
	switch {
	case memoryQueue(in) && memoryQueue(from):
	case c.variable(in) && from.Control.ReadBarrier == NoBarrier:
	case from.Control.ReadBarrier != NoBarrier:
		c.report(Overwritten, p.from, i, p.age, 0, p.register)
	case p.age < held(from):
		c.report(Overwritten, p.from, i, p.age, held(from), p.register)
	}
}
