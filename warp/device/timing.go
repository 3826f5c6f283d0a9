package device

// Timing is what instructions cost on one multiprocessor, in cycles: the
// parameters of the model in package timing. It is plain data; that package
// says what each number does and refuses, by name, a kernel that needs a number
// which is not here.
//
// A warp issues in order. Each sub-partition issues one instruction a cycle,
// from one of the warps that live in it. An instruction occupies its pipe for
// an interval, may queue for a port that all sub-partitions share, and its
// result is ready for a reader after a latency that depends on both pipes.
type Timing struct {
	// Lanes is the width of the warp for which the latencies below stand.
	// Wider warps take further passes of each datapath.
	Lanes int `json:"lanes,omitempty" most:"128"`
	// SubPartitions is how many schedulers a multiprocessor has. Warp slot w
	// lives in sub-partition w mod SubPartitions.
	SubPartitions int `json:"subPartitions,omitempty" most:"64"`
	// GuardDelay is what a predicate takes longer to reach the issue stage
	// (guards of instructions, votes, barriers) than to reach a select.
	GuardDelay int `json:"guardDelay,omitempty"`
	// OverwriteDelay is how many cycles after the result of an instruction of
	// known latency is ready an instruction of variable latency may be issued
	// that writes the same register.
	OverwriteDelay int `json:"overwriteDelay,omitempty"`

	// Banks is how many register banks a sub-partition has: row r lies in bank
	// r mod Banks. Each reads and writes one row a cycle, so that instructions
	// hold each other up. 0: all rows can be read and written at any time.
	Banks int `json:"banks,omitempty"`
	// Stay says that the scheduler stays with the warp that it issued from last
	// while that can issue in the very next cycle, rather than go to the one
	// that has been ready longest.
	Stay bool `json:"stay,omitempty"`

	// Pipes are the datapaths of a sub-partition by name.
	Pipes map[string]Pipe `json:"pipes,omitempty"`
	// Ops are the instructions that the device has, by isa.Op name. An op that
	// is not here is not available.
	Ops map[string]OpTiming `json:"ops,omitempty"`

	// Barrier is nil on devices without block barriers.
	Barrier *BarrierTiming `json:"barrier,omitempty"`
	// Branch is nil if branches are not available.
	Branch *BranchTiming `json:"branch,omitempty"`
	// Global is nil if there are no numbers for global memory.
	Global *GlobalTiming `json:"global,omitempty"`
	// Dispatch is nil if blocks follow each other without delay.
	Dispatch *DispatchTiming `json:"dispatch,omitempty"`
}

// A Pipe is a datapath that each sub-partition has.
type Pipe struct {
	// Lanes is how many lanes enter the pipe in a cycle. A warp of 32 lanes
	// holds a pipe of 16 lanes for two cycles.
	Lanes int `json:"lanes" most:"4096"`
	// OperandDelay is how many cycles longer an operand takes that another
	// pipe of known latency has made.
	OperandDelay int `json:"operandDelay,omitempty"`
	// Variable reports that results are awaited through a scoreboard: no
	// reader sees them earlier or later than another one.
	Variable bool `json:"variable,omitempty"`
	// Queue is for how many cycles of work the pipe takes instructions before
	// it can start them.
	Queue int `json:"queue,omitempty" most:"65536"`
	// Gap is the least distance of two instructions of one warp in this pipe.
	Gap int `json:"gap,omitempty"`
	// WriteLead is how many cycles before its readers may be issued a result is
	// written to its register bank. Such results come back in order and give
	// way to those of known latency. 0: they are written at any time.
	WriteLead int `json:"writeLead,omitempty"`
	// Port names the unit shared by all sub-partitions that instructions of
	// the pipe go through, empty for none. Instructions of one port are served
	// one after the other, in the order of their issue.
	Port string `json:"port,omitempty"`
}

// OpTiming is what one instruction costs.
type OpTiming struct {
	// Pipe names the datapath.
	Pipe string `json:"pipe"`
	// Latency is the number of cycles from issue to the issue of a reader in
	// the same pipe, for results awaited through a scoreboard of any reader.
	Latency int `json:"latency"`
	// Elsewhere replaces Latency for readers in other pipes, before their
	// OperandDelay. 0: Latency.
	Elsewhere int `json:"elsewhere,omitempty"`
	// Lanes replaces the Lanes of the pipe. 0: those of the pipe.
	Lanes int `json:"lanes,omitempty"`
	// Beats is how many registers the instruction hands to the pipe, one after
	// the other: it holds the pipe for as many times the passes that Lanes
	// asks for. 0: one. WordBeats are added for each 4-byte word a lane after
	// the first, OperandBeats if the record's B is a register.
	Beats        int `json:"beats,omitempty"`
	WordBeats    int `json:"wordBeats,omitempty"`
	OperandBeats int `json:"operandBeats,omitempty"`
	// PortCycles is how long the port of the pipe is busy with one warp of
	// Timing.Lanes lanes. 0: the instruction does not use the port.
	PortCycles int `json:"portCycles,omitempty"`
	// Next is how many cycles after this one the next instruction of the warp
	// can be issued. 0: one.
	Next int `json:"next,omitempty"`

	// Settle is how many cycles after the latest result of known latency is
	// ready this can be issued: at a point where paths join, whoever reads next
	// must find all of them.
	Settle int `json:"settle,omitempty"`

	// Turnaround is added for the first of these after the warp has stored to
	// shared memory or passed a barrier.
	Turnaround int `json:"turnaround,omitempty"`
	// ReadDelay is from when on after its issue the instruction reads its
	// operands, one by one in two cycles each. 0: all of them at issue. See
	// Timing.Banks.
	ReadDelay int `json:"readDelay,omitempty"`
	// Release is from when on after its issue the sources may be written, for
	// records with a control code, which ask.
	Release int `json:"release,omitempty"`
	// PredicateLatency is added for the predicate that the instruction leaves
	// beside its result.
	PredicateLatency int `json:"predicateLatency,omitempty"`
	// OperandLatency is added if the record's B is a register (a shuffle by a
	// lane number that is no constant).
	OperandLatency int `json:"operandLatency,omitempty"`
	// WordLatency is added for each 4-byte word a lane after the first.
	WordLatency int `json:"wordLatency,omitempty"`

	// The following say what isa.Instr.Count (bank passes, conflicting lanes,
	// distinct values, crossbar passes) adds. Counts of 0 and 1 add nothing.
	CountLatency int `json:"countLatency,omitempty"` // latency for each count after the first
	CountCycles  int `json:"countCycles,omitempty"`  // the pipe is busy at least this long times the count
	CountPort    int `json:"countPort,omitempty"`    // the port is busy at least this long times the count
}

// BarrierTiming is what block barriers cost.
type BarrierTiming struct {
	// Port names the unit that counts arrivals.
	Port string `json:"port"`
	// ArriveCycles is how long the unit takes for the arrival of a warp.
	ArriveCycles int `json:"arriveCycles"`
	// ReleaseLatency is the time from the end of the last arrival to the next
	// instruction of the warps that waited.
	ReleaseLatency int `json:"releaseLatency"`
	// Shadow is how many cycles after a barrier a warp still issues
	// instructions of known latency that touch neither memory nor control
	// flow; later ones wait for the release.
	Shadow int `json:"shadow,omitempty"`
	// ResultCycles is how long the unit takes to hand one warp the result of a
	// reduction, ResultLatency the time from release to the result, the unit's
	// included.
	ResultCycles  int `json:"resultCycles,omitempty"`
	ResultLatency int `json:"resultLatency,omitempty"`
	// PredicateLatency is added for results that are predicates.
	PredicateLatency int `json:"predicateLatency,omitempty"`
	// FetchLatency is the time from release until a warp has fetched its result as far as
	// the unit is concerned, which takes what it asks next from then on.
	FetchLatency int `json:"fetchLatency,omitempty"`
}

// BranchTiming is the least distance from a branch to the next instruction of
// its warp.
type BranchTiming struct {
	NotTaken  int `json:"notTaken"`
	Taken     int `json:"taken"`
	Divergent int `json:"divergent"`
}

// GlobalTiming is what global memory costs. Bandwidths are those of one
// multiprocessor while all of them are at work.
type GlobalTiming struct {
	L1   LevelTiming `json:"l1"`
	L2   LevelTiming `json:"l2"`
	DRAM LevelTiming `json:"dram"`
	// First, Way, Second, Main and Atomics say what happens when many accesses
	// meet. Each may be nil: then package memory makes do with the levels.
	// Third is nil for a device that has no such level.
	First   *FirstTiming  `json:"first,omitempty"`
	Way     *WayTiming    `json:"way,omitempty"`
	Second  *SecondTiming `json:"second,omitempty"`
	Third   *ThirdTiming  `json:"third,omitempty"`
	Main    *MainTiming   `json:"main,omitempty"`
	Atomics *AtomicTiming `json:"atomics,omitempty"`
	// Fence is what fences for more than a block wait for; nil: they wait for nothing.
	Fence *FenceTiming `json:"fence,omitempty"`
	// Constants is what constants wait for that are read for the first time; nil: nothing.
	Constants *ConstantsTiming `json:"constants,omitempty"`
}

// ConstantsTiming is what reading a line of constants takes longer the first time in a
// kernel. Each sub-partition has two caches, one for loads to registers and one for the
// uniform datapath, and the multiprocessor a larger one, which has the parameters of the
// kernel (bank 0) from the start.
type ConstantsTiming struct {
	LoadLatency    int `json:"loadLatency"`    // from that of the multiprocessor, to a register
	UniformLatency int `json:"uniformLatency"` // likewise to a uniform register
	// BankLatency is what comes on top for lines of other banks, of which BankLines come
	// at a time.
	BankLatency int `json:"bankLatency"`
	BankLines   int `json:"bankLines" most:"4096"`
}

// FirstTiming is the first level of one multiprocessor.
type FirstTiming struct {
	Bytes int `json:"bytes" most:"16777216"` // that it holds when no block has shared memory
	Ways  int `json:"ways" most:"4096"`
	// Total is what cache and shared memory have together. 0: each has its own.
	Total int `json:"total" most:"16777216"`
	// AccessCycles is how long one instruction occupies it at least, LineCycles
	// how long each line. PipeCycles is how long each line occupies the unit of
	// the sub-partition.
	AccessCycles float64 `json:"accessCycles"`
	LineCycles   float64 `json:"lineCycles"`
	PipeCycles   float64 `json:"pipeCycles"`
	// TagBanks says which bank of the tags looks for a line, all of which do so at the
	// same time: each mask makes one bit of the bank's number, the parity of the bits of
	// the line's number that it has. None: there is one bank. At most four masks.
	TagBanks []int `json:"tagBanks,omitempty" most:"1073741823"`
}

// WayTiming is the way from the multiprocessors to the second level and back.
type WayTiming struct {
	// What one multiprocessor sends and gets takes: the request of a line, a
	// sector of a store, the mask of a request that does not write all bytes of its
	// sectors, a sector (or one of several lanes that want one word) of an atomic, and a
	// sector that comes back.
	RequestCycles float64 `json:"requestCycles"`
	StoreCycles   float64 `json:"storeCycles"`
	PartialCycles float64 `json:"partialCycles,omitempty"`
	AtomicCycles  float64 `json:"atomicCycles"`
	ReturnCycles  float64 `json:"returnCycles"`
	// Groups is among how many ports the multiprocessors are divided, which take
	// that long for a sector of a store (a mask takes as much), and for one that comes
	// back. What comes back of a line does so in packets of ReturnSectors, the last of
	// which need not be full. 0: of one.
	Groups            int     `json:"groups" most:"4096"`
	GroupStoreCycles  float64 `json:"groupStoreCycles"`
	GroupReturnCycles float64 `json:"groupReturnCycles"`
	ReturnSectors     int     `json:"returnSectors,omitempty" most:"8"`
	// Posted is how many sectors of stores of one multiprocessor may be under way (a
	// mask counts as one). If they are of reductions, lanes that want one word count like
	// sectors, and there may be PostedReductions of them, PostedSlice to one slice; 0: as
	// many.
	Posted           int `json:"posted" most:"4096"`
	PostedReductions int `json:"postedReductions,omitempty" most:"4096"`
	PostedSlice      int `json:"postedSlice,omitempty" most:"4096"`
	// Before the way is a buffer of BufferSectors, and before that a queue: Queue is how
	// many instructions wait there before the load/store units do, QueueRows how many
	// registers with what they write; 0: any number.
	BufferSectors int `json:"bufferSectors,omitempty" most:"4096"`
	Queue         int `json:"queue" most:"4096"`
	QueueRows     int `json:"queueRows,omitempty" most:"4096"`
}

// SecondTiming is the second level.
type SecondTiming struct {
	Bytes int `json:"bytes" most:"1073741824"` // of all parts together
	Ways  int `json:"ways" most:"4096"`
	// Parts is into how many parts it is divided; each serves its share of the
	// multiprocessors, and keeps what they want, in so many slices.
	Parts  int `json:"parts" most:"64"`
	Slices int `json:"slices" most:"4096"`
	// SectorCycles is how long a sector occupies its slice, FarLatency what a
	// line takes longer that another part has.
	SectorCycles float64 `json:"sectorCycles"`
	FarLatency   int     `json:"farLatency"`
	// FarMissLatency is what a line takes longer that lies in the memory behind another
	// part. 0: FarLatency.
	FarMissLatency int `json:"farMissLatency,omitempty"`
	// HomeBytes is how much of the memory in a row belongs to one part: what is behind
	// it, and its atomics. 0: a line.
	HomeBytes int `json:"homeBytes,omitempty" most:"1073741824"`
	// HomeMask says which of two parts: the parity of the bits that it has of the number of
	// that piece of memory. 0: none in particular.
	HomeMask int `json:"homeMask,omitempty" most:"1073741823"`
	// SliceLatency is how much further the furthest slice is than the nearest one, and
	// PlaceLatency how much further the multiprocessor that is placed worst is from all of
	// them than the one placed best. The latency of the profile is that of the latter, on
	// average over slices.
	SliceLatency int `json:"sliceLatency,omitempty"`
	PlaceLatency int `json:"placeLatency,omitempty"`
	// FarCycles is how long a sector occupies the way between two parts.
	FarCycles float64 `json:"farCycles"`
}

// ThirdTiming is a cache before the memory, which all that comes from there and goes
// there stays in. Each channel of the memory has its part of it.
type ThirdTiming struct {
	Bytes int `json:"bytes" most:"1073741824"`
	Ways  int `json:"ways" most:"4096"`
	// Latency is the time from issue to result of a load of one sector that it has.
	Latency int `json:"latency"`
	// SectorCycles is how long a sector, read or written, occupies its part of the cache.
	SectorCycles float64 `json:"sectorCycles"`
}

// MainTiming is the memory behind the last level.
type MainTiming struct {
	Channels int `json:"channels" most:"4096"`
	// ChannelBytes is how much of the memory in a row belongs to one. 0: a line.
	ChannelBytes int `json:"channelBytes,omitempty" most:"1073741824"`
	// ReadCycles and WriteCycles are how long a sector occupies its channel.
	ReadCycles  float64 `json:"readCycles"`
	WriteCycles float64 `json:"writeCycles"`
	// TurnCycles is what a channel loses when it writes after reading and reads again.
	// It writes when it has nothing to read, or so many sectors wait to be written.
	TurnCycles   float64 `json:"turnCycles,omitempty"`
	WriteSectors int     `json:"writeSectors,omitempty" most:"4096"`
	// QueueSectors is how many sectors may wait for a channel until it takes no more to
	// be written: a store that would push out another one waits. 0: any number.
	QueueSectors int `json:"queueSectors,omitempty" most:"65536"`
	// RefreshCycles is how long the lines of a bank cannot be read while it is refreshed,
	// which it is every RefreshEvery cycles. The latency of the profile has what that
	// costs on average. 0: nothing is known of it.
	RefreshCycles int `json:"refreshCycles,omitempty" most:"1073741824"`
	RefreshEvery  int `json:"refreshEvery,omitempty" most:"1073741824"`
}

// AtomicTiming is what atomics on global memory cost at the second level.
type AtomicTiming struct {
	// SectorCycles is how long the atomics on one sector occupy its slice.
	SectorCycles float64 `json:"sectorCycles"`
	// IntegerCycles and FloatCycles are the distance of two operations on one
	// word. On different words of a line, ScatteredCycles is that of two of them,
	// or DenseCycles that of two whole sectors.
	IntegerCycles   float64 `json:"integerCycles"`
	FloatCycles     float64 `json:"floatCycles"`
	ScatteredCycles float64 `json:"scatteredCycles"`
	DenseCycles     float64 `json:"denseCycles"`
	// ReturnLatency is what an atomic with a result takes longer than a load.
	ReturnLatency int `json:"returnLatency"`
}

// FenceTiming is how long a warp stays at a fence: Latency at least, and After behind the
// end of the last store or reduction that it has under way, one warp of a multiprocessor
// after the other.
type FenceTiming struct {
	DeviceLatency int `json:"deviceLatency"` // for the threads of the device
	DeviceAfter   int `json:"deviceAfter"`
	SystemLatency int `json:"systemLatency"` // for the host and other devices as well
	SystemAfter   int `json:"systemAfter"`
}

// DispatchTiming is how blocks come to multiprocessors.
type DispatchTiming struct {
	// Order is the order in which the multiprocessors get their first blocks;
	// empty: by number.
	Order []int `json:"order,omitempty" most:"4095"`
	// Begins is when each multiprocessor starts its first block, in cycles from the
	// first of all, by its number. Without it Spread is within how many cycles all of
	// them do. StartCycles is the distance of two blocks of one multiprocessor.
	Begins      []int `json:"begins,omitempty" most:"65535"`
	Spread      int   `json:"spread"`
	StartCycles int   `json:"startCycles"`
	// RefillLatency is the time from the end of a block to the start of the one
	// that takes its place, RefillCycles the distance of two such starts on the
	// whole device.
	RefillLatency int     `json:"refillLatency"`
	RefillCycles  float64 `json:"refillCycles"`
}

// LevelTiming is what one level of the memory costs.
type LevelTiming struct {
	// Latency is the time from issue to result of a load of one sector.
	Latency int `json:"latency"`
	// SectorCycles is how long one 32-byte sector occupies the way from this
	// level.
	SectorCycles float64 `json:"sectorCycles"`
}
