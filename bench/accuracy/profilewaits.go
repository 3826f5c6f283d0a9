package main

import (
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/timing"
)

// A wait is what warps wait for, as far as the profiler and the model tell it apart.
type wait int

const (
	waitMemory  wait = iota // a result from global memory
	waitResult              // a result of another instruction of unknown latency
	waitBarrier             // a barrier of the block
	waitControl             // a fixed distance to the next instruction, or a branch
	waitQueue               // a place in the queue of a unit that sub-partitions share
	waitPipe                // a pipe of arithmetic
	waitIssue               // others that were issued
	waitDrain               // stores under way, behind the last instruction
	waitFetch               // constants and instructions that were not there

	numWaits
)

func (w wait) String() string {
	return [numWaits]string{"memory", "result", "barrier", "control", "queue", "pipe", "issue", "drain", "fetch"}[w]
}

// chipWaits is what the profiler's reasons are. Those that are not here (gmma, misc,
// sleeping) are below 0.2 warps in all launches.
var chipWaits = map[string]wait{
	"stall_long_scoreboard":    waitMemory,
	"stall_membar":             waitMemory,
	"stall_short_scoreboard":   waitResult,
	"stall_barrier":            waitBarrier,
	"stall_wait":               waitControl,
	"stall_branch_resolving":   waitControl,
	"stall_mio_throttle":       waitQueue,
	"stall_lg_throttle":        waitQueue,
	"stall_tex_throttle":       waitQueue,
	"stall_math_pipe_throttle": waitPipe,
	"stall_not_selected":       waitIssue,
	"stall_dispatch_stall":     waitIssue,
	"stall_drain":              waitDrain,
	"stall_imc_miss":           waitFetch,
	"stall_no_instruction":     waitFetch,
}

// reasonWaits is what the model's reasons are. A warp that is Finished is not there any
// more on the chip.
var reasonWaits = map[timing.Reason]wait{
	timing.Memory:       waitMemory,
	timing.Dependency:   waitResult,
	timing.PortBusy:     waitResult,
	timing.BankConflict: waitResult,
	timing.Barrier:      waitBarrier,
	timing.Control:      waitControl,
	timing.PipeBusy:     waitPipe,
	timing.NotSelected:  waitIssue,
	timing.Drained:      waitDrain,
}

// sharedUnits are instructions for units that the sub-partitions share, as listings begin
// them: those that wait for a pipe, or for others' conflicts to pass, wait in its queue.
var sharedUnits = []string{"LD", "ST", "RED", "ATOM", "SHFL", "S2", "MUFU", "POPC", "MATCH", "F2", "I2"}

// A waitShares is the part of the waiting that goes into each.
type waitShares [numWaits]float64

func modelWaits(r *warp.Report) (s waitShares) {
	all := r.Waits()
	for reason, w := range reasonWaits {
		s[w] += float64(all.Of(reason))
	}
	for _, l := range r.Lines() {
		if !forSharedUnit(l.Site.Func) {
			// The pipes take a warp in two cycles: in one of them it was issued, in place of
			// those that wait.
			n := float64(l.Cycles.Of(timing.PipeBusy)) / 2
			s[waitPipe] -= n
			s[waitIssue] += n
			continue
		}
		for _, reason := range []timing.Reason{timing.PipeBusy, timing.BankConflict} {
			n := float64(l.Cycles.Of(reason))
			s[reasonWaits[reason]] -= n
			s[waitQueue] += n
		}
	}
	s.scale()
	return s
}

// forSharedUnit reports whether an instruction goes to a unit that sub-partitions share.
// text is as in a listing, behind its address.
func forSharedUnit(text string) bool {
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "0x") || strings.HasPrefix(word, "@") {
			continue // address, guard
		}
		for _, begin := range sharedUnits {
			if strings.HasPrefix(word, begin) {
				return true
			}
		}
		return false
	}
	return false
}

// scale makes the sum 1.
func (s *waitShares) scale() {
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	if sum == 0 {
		return
	}
	for i := range s {
		s[i] /= sum
	}
}

// largest is what most of the waiting is for.
func (s *waitShares) largest() wait {
	most := waitMemory
	for w := range numWaits {
		if s[w] > s[most] {
			most = w
		}
	}
	return most
}
