package main

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

func isChase(r row) bool { return strings.HasPrefix(r.kernel, "ldg_") }

// chase measures a chain of 8-byte loads through global memory by one lane: the
// rows for which there is no listing. Each word holds the address of the next.
func (b *bench) chase(r row) (float64, error) {
	const few, many = 8, 24
	stride, ok := map[string]int{ // in bytes
		"ldg_L1_hit": 0,
		"ldg_L2_hit": 256,
		// 65,536 lines of a large array: all of them fit into the second level.
		"ldg_DRAM": 8192,
	}[r.kernel]
	if !ok {
		return 0, fmt.Errorf("no code of %s", r.kernel)
	}
	words := make([]uint32, stride/4*many+2)
	list, err := warp.Global(b.engine, words)
	if err != nil {
		return 0, err
	}
	first, _ := list.Address()
	for i := range many {
		next := first + uint64(stride*(i+1))
		words[stride/4*i], words[stride/4*i+1] = uint32(next), uint32(next>>32)
	}
	cycles := func(n int) (float64, error) {
		var last float64
		b.issued = func(i *timing.Issue) { last = float64(i.Cycle) }
		_, err := b.engine.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(1)}, func(w *warp.Warp) {
			p := warp.Alloc[uint64](w)
			low, high := isa.Row(p.Row()), isa.Row(p.Row()+1)
			at := isa.RowPair(p.Row())
			issue := func(in warp.Instruction) {
				if err := w.Issue(in); err != nil {
					w.Cancel(err)
				}
			}
			issue(warp.Instruction{Op: isa.Mov, Type: warp.Uint32, Dst: low, Imm: int64(uint32(first))})
			issue(warp.Instruction{Op: isa.Mov, Type: warp.Uint32, Dst: high, Imm: int64(first >> 32)})
			for range n {
				issue(warp.Instruction{Op: isa.LoadGlobal, Type: warp.Uint64, Dst: at, A: at, Memory: list})
			}
			issue(warp.Instruction{Op: isa.Mov, Type: warp.Uint32, Dst: low, A: low}) // awaits the last
		})
		return last, err
	}
	var d [2]float64
	for i, n := range []int{few, many} {
		if d[i], err = cycles(n); err != nil {
			return 0, err
		}
	}
	return (d[1] - d[0]) / (many - few), nil
}
