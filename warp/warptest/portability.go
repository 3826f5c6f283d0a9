package warptest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A Verdict says how a program does on a device.
type Verdict uint8

// The verdicts.
const (
	Right     Verdict = iota // the result is what was wanted, and nothing is undefined
	Wrong                    // everything is defined, and the result is another one
	Undefined                // the program does what the device's language does not define
	Failed                   // the device cannot run it, or its run does not end well
)

var verdictNames = [...]string{"right", "wrong", "undefined", "failed"}

// String returns the verdict in one word.
func (v Verdict) String() string { return verdictNames[v&3] }

// An Outcome is what a program does on one device.
type Outcome struct {
	Device  string
	Lanes   int
	Verdict Verdict
	Result  any
	// Detail says why a program is not right: the first fault, or the elements
	// that differ.
	Detail string
	Faults []warp.Fault
	// Parts is the first place in the kernel at which a thread computed something
	// else than on the first device where the program is right; unknown if there
	// is none. A wide kernel parts from that on a warp of another width where
	// its Go code does.
	Parts warp.Site
}

// A Table is what a program does on a list of devices.
type Table []Outcome

// maxTrace bounds the instructions of all threads that are compared.
const maxTrace = 1 << 22

// Compare runs a program on each device and holds it against the result that it
// must have on all of them. c gives what else the engines are to have; its
// Device, Faults, Sanitize, Sites and Observer are not used. A nil context or program
// is a *warp.ConfigError.
func Compare(ctx context.Context, devices []*device.Profile, c warp.Config, want any, p Program) (Table, error) {
	if err := runnable(ctx, p); err != nil {
		return nil, err
	}
	table := make(Table, len(devices))
	traces := make([]*trace, len(devices))
	reference := -1
	for i, d := range devices {
		o := &table[i]
		traces[i] = newTrace()
		c.Device, c.Faults, c.Sanitize, c.Sites, c.ValuesOnly = d, warp.Collect, true, true, true
		c.Observer = &warp.Observer{Instr: traces[i].note}
		e, err := warp.New(c)
		if err != nil {
			return nil, err
		}
		o.Device, o.Lanes = d.Name, d.Lanes
		result, r, err := p(ctx, e)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.judge(result, r, err, want)
		if r != nil {
			traces[i].place = r.Site
		}
		if o.Verdict == Right && reference < 0 {
			reference = i
		}
	}
	for i := range table {
		if reference >= 0 && table[i].Verdict != Right {
			table[i].Parts = traces[i].parts(traces[reference])
		}
	}
	return table, nil
}

func (o *Outcome) judge(result any, r *warp.Report, err error, want any) {
	o.Result = result
	if r != nil {
		o.Faults = r.Faults
	}
	worst := warp.Fault{}
	for _, f := range o.Faults {
		if f.Severity > worst.Severity {
			worst = f
		}
	}
	var f *warp.Fault
	switch {
	case errors.Is(err, warp.Unsupported):
		o.Verdict, o.Detail = Failed, err.Error()
	case worst.Severity == warp.SeverityError:
		o.Verdict, o.Detail = Undefined, worst.Error()
	case errors.As(err, &f):
		o.Verdict, o.Detail = Undefined, f.Error()
	case err != nil:
		o.Verdict, o.Detail = Failed, err.Error()
	case !reflect.DeepEqual(result, want):
		o.Verdict = Wrong
		o.Detail = fmt.Sprintf("%s, not %s", short(result, want), short(want, result))
		if worst.Severity > warp.SeverityNone {
			o.Detail += "; " + worst.Error()
		}
	case worst.Severity == warp.SeverityWarning:
		o.Detail = worst.Error()
	}
}

// Portability fails the test unless a program gives the result that is wanted on
// every device, and shows on which it is right, wrong or undefined and where it
// parts from the devices on which it is right.
func Portability(t testing.TB, devices []*device.Profile, want any, p Program) Table {
	t.Helper()
	table, err := Compare(context.Background(), devices, warp.Config{}, want, p)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, o := range table {
		if o.Verdict != Right {
			t.Error("\n" + table.String())
			break
		}
	}
	return table
}

// String returns the table in columns: device, lanes, verdict, the line at which
// it parts from the first device on which the program is right, and why.
func (t Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "device\tlanes\tverdict\tparts at\twhy")
	for _, o := range t {
		parts := "-"
		if o.Parts != (warp.Site{}) {
			parts = o.Parts.String()
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", o.Device, o.Lanes, o.Verdict, parts, o.Detail)
	}
	w.Flush()
	return b.String()
}

// Devices returns the profiles of devices by name, and fails the test if one is
// not known. Without names it returns all that are built in.
func Devices(t testing.TB, names ...string) []*device.Profile {
	t.Helper()
	if len(names) == 0 {
		names = device.Names()
	}
	var all []*device.Profile
	for _, n := range names {
		p, err := device.Lookup(n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
