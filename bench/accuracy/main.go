// Accuracy holds the simulated cycles against those that a chip took.
package main

import (
	"fmt"
	"math"
	"os"
	"sort"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

type result struct {
	row
	simulated float64
	simFirst  float64
	err       error
}

func (r *result) error() float64 {
	return (r.simulated - r.hardware) / r.hardware
}

func main() {
	p, err := device.Lookup("h200")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	lat := len(os.Args) > 1 && os.Args[1] == "-latency"
	file, rowsOf := "kernels.sass.gz", kernelRows
	if lat && false {
	}
	if lat {
		file, rowsOf = "latency.sass.gz", latencyRows
	}
	if len(os.Args) > 1 && os.Args[1] == "-further" {
		file, rowsOf = "further.sass.gz", furtherRows
	}
	progs, err := loadPrograms(file)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	rows, err := rowsOf()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	sch := timing.LooseRoundRobin
	if os.Getenv("GTO") != "" {
		sch = timing.GreedyThenOldest
	}
	var out []result
	for _, r := range rows {
		name, seed, few, many := r.kernel, uint32(1), 2, 8
		if r.kind == "latency" {
			name, seed = stepCode(r.kind, r.kernel)
			few, many = 32, 96
		}
		if r.kind == "interval" {
			name, seed = stepCode(r.kind, r.kernel)
			few, many = 8, 24
		}
		switch r.kind {
		case "further":
			name, seed = furtherCode(r.kind, r.kernel)
			few, many = 32, 96
		case "loop":
			name, seed = furtherCode(r.kind, r.kernel)
			few, many = 1, 1
		case "share":
			name, seed = furtherCode(r.kind, r.kernel)
			few, many = 8, 40
		}
		f, m := progs[name][few], progs[name][many]
		if f == nil || m == nil {
			fmt.Println("no program", name)
			continue
		}
		s, err := measure(&p.Timing, f, m, r.threads, seed, sch)
		if err != nil {
			fmt.Println(r.kernel, r.threads, err)
			continue
		}
		if r.kind == "interval" {
			s.block /= 8
			s.first /= 8
		}
		out = append(out, result{row: r, simulated: s.block, simFirst: s.first})
	}
	sort.SliceStable(out, func(i, j int) bool { return math.Abs(out[i].error()) > math.Abs(out[j].error()) })
	sum, worst, good := 0.0, 0.0, 0
	for _, r := range out {
		e := math.Abs(r.error())
		sum += e
		worst = math.Max(worst, e)
		tol := 0.03
		if r.kind == "interval" {
			tol = 0.05
		}
		mark := "*"
		if e <= tol || math.Abs(r.simulated-r.hardware) <= 1 {
			good++
			mark = " "
		}
		fmt.Printf("%-9s%-34s %5d %10.3f %10.3f %+8.2f%% %s\n", r.kind, r.kernel, r.threads, r.hardware, r.simulated, 100*r.error(), mark)
	}
	fmt.Printf("mean %.2f%% worst %.2f%% kernels %d within %d\n", 100*sum/float64(len(out)), 100*worst, len(out), good)
}
