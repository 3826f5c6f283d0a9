package isa

import "fmt"

// An Op is the class of an instruction as far as time is concerned.
type Op uint8

// The instructions. Where a device has no such instruction, its profile leaves
// the op out and the engine refuses a kernel that needs it, naming the op.
const (
	Invalid Op = iota
	Nop        // takes an issue slot and nothing else
	Mov        // register or immediate to register, on the integer pipe

	IAdd    // 32-bit add, subtract, three-input add
	IMul    // 32-bit multiply and multiply-add (also used as a move or an add)
	IMinMax // 32-bit minimum or maximum
	Logic   // bitwise and, or, xor, not, three-input logic
	Shift   // shifts and funnel shifts
	ICmp    // integer compare into a predicate
	Select  // choose one of two registers by a predicate
	Convert // between integer and floating-point formats

	FAdd    // 32-bit float add, subtract
	FMul    // 32-bit float multiply
	FFma    // 32-bit float fused multiply-add
	FMinMax // 32-bit float minimum or maximum
	FCmp    // 32-bit float compare into a predicate
	HFma    // 16-bit packed float arithmetic

	DAdd // 64-bit float add, subtract
	DMul // 64-bit float multiply
	DFma // 64-bit float fused multiply-add
	DCmp // 64-bit float compare into a predicate

	Popc    // population count
	Brev    // bit reversal
	Clz     // leading zeros, find first set
	Special // reciprocal, square root, exponential, logarithm, sine, cosine

	ShflIdx   // shuffle by source lane
	ShflUp    // shuffle from a lower lane
	ShflDown  // shuffle from a higher lane
	ShflXor   // butterfly shuffle
	Permute   // scatter a value to a named lane
	RowMove   // move within a row of lanes as part of an arithmetic instruction (DPP)
	PermLane  // permutation of rows of lanes, or exchange between two registers
	ReadLane  // one lane's value to a uniform register
	WriteLane // a uniform value to one lane

	Vote     // any, all, uniform into a predicate
	Ballot   // predicate of every lane into a register
	MatchAny // lanes that hold the same value
	MatchAll // whether all lanes hold the same value
	Redux    // hardware reduction into a uniform register
	Elect    // one leader among the members

	LoadShared   // shared memory to register
	StoreShared  // register to shared memory
	AtomicShared // read-modify-write of shared memory
	LoadGlobal   // global memory to register
	StoreGlobal  // register to global memory
	AtomicGlobal // read-modify-write of global memory that returns the old value
	ReduceGlobal // read-modify-write of global memory without a result
	LoadConst    // constant memory to register
	Fence        // memory fence

	BarSync   // block barrier: arrive and wait
	BarArrive // block barrier: arrive only
	BarRed    // block barrier with a reduction of predicates
	WarpSync  // barrier of the lanes of one warp

	Branch     // jump, conditional or not
	PushSync   // announce a point of reconvergence
	Reconverge // wait for the lanes of a point of reconvergence
	Exit       // lanes leave the kernel

	ReadSpecial        // special register (thread number, ...) to register
	ReadSpecialUniform // special register to uniform register
	ReadClock          // cycle counter to register
	UniformMov         // move on the uniform datapath
	UniformALU         // integer arithmetic on the uniform datapath
	UniformToReg       // uniform register to register
	AtomicSharedLoop   // read-modify-write of shared memory by a loop of compare and swap

	// User0 is the first of eight operations of a host's own, "user.0" and so on: what
	// they cost a profile says, and what they do warp.Config.Operations.
	User0
	_
	_
	_
	_
	_
	_
	_

	NumOps // the number of ops, not an op
)

var opNames = [NumOps]string{
	"invalid", "nop", "mov",
	"iadd", "imul", "iminmax", "logic", "shift", "icmp", "select", "convert",
	"fadd", "fmul", "ffma", "fminmax", "fcmp", "hfma",
	"dadd", "dmul", "dfma", "dcmp",
	"popc", "brev", "clz", "special",
	"shfl.idx", "shfl.up", "shfl.down", "shfl.xor", "permute", "rowmove", "permlane", "readlane", "writelane",
	"vote", "ballot", "match.any", "match.all", "redux", "elect",
	"lds", "sts", "atoms", "ldg", "stg", "atomg", "redg", "ldc", "fence",
	"bar.sync", "bar.arrive", "bar.red", "warpsync",
	"branch", "pushsync", "reconverge", "exit",
	"s2r", "s2ur", "clock", "umov", "ualu", "u2r", "atoms.loop",
	"user.0", "user.1", "user.2", "user.3", "user.4", "user.5", "user.6", "user.7",
}

// IsShuffle reports whether the operation is a shuffle: one for each mode of
// crossbar, in their order from ShflIdx on.
func (o Op) IsShuffle() bool { return o >= ShflIdx && o <= ShflXor }

// String returns the short name of the op, as device profiles and reports
// write it.
func (o Op) String() string {
	if o < NumOps {
		return opNames[o]
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// ParseOp returns the op of a short name, and whether there is one. "invalid"
// is no op.
func ParseOp(name string) (Op, bool) {
	for o := Nop; o < NumOps; o++ {
		if opNames[o] == name {
			return o, true
		}
	}
	return Invalid, false
}
