package main

import (
	"fmt"
	"io"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

// explain prints what warp 0 issued between its last two clock readings, and
// what it waited for.
func (s *set) explain(out io.Writer, p *device.Profile, r row, repeat int) error {
	c, err := s.code(r)
	if err != nil {
		return err
	}
	l := c.launch(0, r.threads)
	switch repeat {
	case 0, c.few.repeat:
	case c.many.repeat:
		l = c.launch(1, r.threads)
	default:
		return fmt.Errorf("%s was measured with %d and %d repeats, not %d", r.kernel, c.few.repeat, c.many.repeat, repeat)
	}
	b, err := newBench(p, s.scheduler)
	if err != nil {
		return err
	}
	type line struct {
		timing.Issue
		text string
	}
	var lines []line // from the last clock reading but one on
	var last []line  // up to the last
	_, err = b.run(l, func(i *timing.Issue, index int) {
		if i.Warp != 0 {
			return
		}
		in := l.program.instr(index)
		lines = append(lines, line{*i, in.String()})
		if readsClock(in) {
			last, lines = lines, []line{{*i, in.String()}}
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d threads, %d times: warp 0\n%6s %5s  %-46s %s\n", r.kernel, r.threads, l.program.repeat, "cycle", "wait", "instruction", "waited for")
	var total timing.Cycles
	for n, i := range last {
		if n == 0 {
			i.Waits = timing.Cycles{}
			i.Waits.Count(timing.Issued, 1)
		}
		total.Add(&i.Waits)
		why := ""
		for k, n := range i.Waits.All() {
			if k != timing.Issued {
				why += fmt.Sprintf("%s %d  ", k, n)
			}
		}
		if i.Waits.Of(timing.Dependency)+i.Waits.Of(timing.Memory)+i.Waits.Of(timing.PortBusy)+i.Waits.Of(timing.BankConflict) > 0 && i.WaitedFor != 0 {
			why += "on " + i.WaitedFor.String()
		}
		fmt.Fprintf(out, "%6d %5d  %-46s %s\n", i.Cycle-last[0].Cycle, i.Waits.Total()-1, i.text, why)
	}
	fmt.Fprintf(out, "in all %d:", total.Total()-1)
	for k, n := range total.All() {
		fmt.Fprintf(out, " %s %d", k, n)
	}
	fmt.Fprintln(out)
	return nil
}
