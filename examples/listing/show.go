package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"
	"example.com/warpsim/warp/timing"
)

// A line is what one line of the listing did.
type line struct {
	Address     string `json:"address"`
	Instruction string `json:"instruction"`
	Control     string `json:"control,omitempty"`
	Source      string `json:"source,omitempty"`
	Issued      int64  `json:"issued"`
	Lanes       int64  `json:"lanes"`
	Guarded     int64  `json:"guarded"`
	Divergent   int64  `json:"divergent,omitempty"`
	Cycles      int64  `json:"cycles"` // for which it held warps up
	WaitedFor   string `json:"waitedFor,omitempty"`
	Passes      int64  `json:"sharedPasses,omitempty"`
	Sectors     int64  `json:"sectors,omitempty"`
	Hot         bool   `json:"hot,omitempty"`
}

// lines puts counts and cycles together.
func lines(f *sass.Function, r *warp.Report, counts []sass.LineCount, hot int) []line {
	at := map[string]*timing.Cycles{}
	for _, row := range r.Lines() {
		address, _, _ := strings.Cut(row.Site.Func, " ")
		c := row.Cycles
		at[address] = &c
	}
	out := make([]line, len(f.Code))
	for i := range f.Code {
		in, c := &f.Code[i], &counts[i]
		l := line{Address: fmt.Sprintf("%#04x", in.Address), Instruction: in.String(), Issued: c.Issued, Lanes: c.Lanes, Guarded: c.Guarded,
			Divergent: c.Divergent, Passes: c.Passes, Sectors: c.Sectors}
		if in.HasWords {
			l.Control = in.Control.String()
		}
		if in.Source.File != "" {
			l.Source = fmt.Sprintf("%s:%d", in.Source.File, in.Source.Line)
		}
		if x := at[l.Address]; x != nil {
			l.Cycles = int64(x.Total())
			most := timing.Issued
			for reason, n := range x.All() {
				if reason != timing.Issued && (most == timing.Issued || n > x.Of(most)) {
					most = reason
				}
			}
			if most != timing.Issued {
				l.WaitedFor = most.String()
			}
		}
		out[i] = l
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	weight := func(i int) int64 { return max(out[i].Cycles, out[i].Issued) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	for _, i := range order[:min(hot, len(order))] {
		out[i].Hot = weight(i) > 0
	}
	return out
}

func show(out io.Writer, f *sass.Function, r *warp.Report, counts []sass.LineCount, o *options) error {
	all := lines(f, r, counts, o.hot)
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{
			"kernel": sass.Demangle(f.Name), "device": r.Device, "blocks": o.blocks.String(), "threads": o.threads.String(),
			"instructions": r.Instructions, "cycles": r.Cycles, "microseconds": r.Seconds() * 1e6, "lines": all,
		})
	}
	fmt.Fprintf(out, "%s\n%s blocks of %s threads on %s: %d instructions", sass.Demangle(f.Name), o.blocks, o.threads, r.Device, r.Instructions)
	if !o.values {
		fmt.Fprintf(out, ", %d cycles, %.2f us", r.Cycles, r.Seconds()*1e6)
	}
	fmt.Fprintf(out, "\n\n  %-7s %-52s %9s %6s %11s %-14s %8s %8s\n", "address", "instruction", "issued", "lanes", "cycles", "waited for", "passes", "sectors")
	for _, l := range all {
		mark := " "
		if l.Hot {
			mark = "*"
		}
		mean := ""
		if l.Issued > 0 {
			mean = fmt.Sprintf("%.1f", float64(l.Guarded)/float64(l.Issued))
		}
		fmt.Fprintf(out, "%s %-7s %-52s %9s %6s %11s %-14s %8s %8s\n", mark, l.Address, l.Instruction, number(l.Issued), mean, number(l.Cycles), l.WaitedFor, number(l.Passes), number(l.Sectors))
	}
	fmt.Fprintf(out, "\nlanes: those in which the guard held, on average; cycles: those for which the line held up its warps, added up;\npasses through the banks of shared memory and sectors of global memory, added up; * the %d hottest lines\n", o.hot)
	for i := range r.Faults {
		fmt.Fprintln(out, r.Faults[i].Error())
	}
	return nil
}

// number leaves zeros out.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// describe says what a file holds.
func describe(out io.Writer, l *sass.Listing, asJSON bool) error {
	type kernel struct {
		Name         string         `json:"name"`
		Mangled      string         `json:"mangled"`
		Arch         string         `json:"arch,omitempty"`
		Instructions int            `json:"instructions"`
		Registers    int            `json:"registers"`
		Shared       *int           `json:"sharedBytes,omitempty"`
		ControlCodes bool           `json:"controlCodes"`
		Mix          map[string]int `json:"mix"`
		Error        string         `json:"error,omitempty"`
	}
	var all []kernel
	for _, f := range l.Functions {
		k := kernel{Name: sass.Demangle(f.Name), Mangled: f.Name, Instructions: len(f.Code), Registers: f.UsedRegisters(), Mix: map[string]int{}, ControlCodes: true}
		if f.Arch > 0 {
			k.Arch = fmt.Sprintf("sm_%d", f.Arch)
		}
		if f.Shared >= 0 {
			k.Shared = &f.Shared
		}
		for i := range f.Code {
			k.Mix[f.Code[i].Op]++
			k.ControlCodes = k.ControlCodes && f.Code[i].HasWords
		}
		if _, err := f.Program(); err != nil {
			k.Error = err.Error()
		}
		all = append(all, k)
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	for _, k := range all {
		fmt.Fprintf(out, "%s\n  %d instructions, %d registers", k.Name, k.Instructions, k.Registers)
		if k.Shared != nil {
			fmt.Fprintf(out, ", %d bytes of shared memory", *k.Shared)
		}
		if k.Arch != "" {
			fmt.Fprintf(out, ", %s", k.Arch)
		}
		if k.ControlCodes {
			fmt.Fprint(out, ", control codes")
		}
		names := make([]string, 0, len(k.Mix))
		for n := range k.Mix {
			names = append(names, n)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(k.Mix[b]-k.Mix[a], cmp.Compare(a, b)) })
		fmt.Fprint(out, "\n ")
		for _, n := range names {
			fmt.Fprintf(out, " %s %d", n, k.Mix[n])
		}
		fmt.Fprintln(out)
		if k.Error != "" {
			fmt.Fprintln(out, "  cannot run:", k.Error)
		}
	}
	return nil
}
