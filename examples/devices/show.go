package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"example.com/warpsim/warp/device"
)

func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// showList lists the built-in devices with how well their numbers are known.
func showList(w io.Writer, asJSON bool) error {
	all := []listed{}
	t := table(w)
	fmt.Fprintln(t, "device\ttitle\tlanes\tmultiprocessors\tMHz\tnumbers")
	for _, name := range device.Names() {
		p, err := device.Lookup(name)
		if err != nil {
			return err
		}
		all = append(all, listedOf(p))
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%v\n", name, p.Title, p.Lanes, p.Limits.Multiprocessors, p.Limits.ClockMHz, p.Summary())
	}
	if asJSON {
		return writeJSON(w, all)
	}
	fmt.Fprintln(t, "custom-N\ta neutral device of N lanes, a power of two up to 128\tN")
	return t.Flush()
}

// showDevice lists every value of a device that has a source.
func showDevice(w io.Writer, name string, asJSON bool) error {
	p, err := find(name)
	if err != nil {
		return err
	}
	if asJSON {
		d := described{listed: listedOf(p), Vendor: p.Vendor, Architecture: p.Architecture, Language: p.Language, Base: p.Base}
		for path, pr := range p.Provenance() {
			d.Values = append(d.Values, value{path, pr.Value, pr.Status.String(), pr.Source})
		}
		return writeJSON(w, d)
	}
	fmt.Fprintf(w, "%s: %s (%s, %s, %s)\n", p.Name, p.Title, p.Vendor, p.Architecture, p.Language)
	if p.Base != "" {
		fmt.Fprintf(w, "derived from %s\n", p.Base)
	}
	fmt.Fprintf(w, "%v\n\n", p.Summary())
	t := table(w)
	fmt.Fprintln(t, "value of\tis\tstatus\tsource")
	for path, pr := range p.Provenance() {
		fmt.Fprintf(t, "%s\t%s\t%v\t%s\n", path, pr.Value, pr.Status, pr.Source)
	}
	return t.Flush()
}

// showDifference lists the values that two devices do not share.
func showDifference(w io.Writer, a, b string, asJSON bool) error {
	p, err := find(a)
	if err != nil {
		return err
	}
	q, err := find(b)
	if err != nil {
		return err
	}
	pv, qv := maps.Collect(p.Provenance()), maps.Collect(q.Provenance())
	paths := slices.Concat(slices.Collect(maps.Keys(pv)), slices.Collect(maps.Keys(qv)))
	slices.Sort(paths)
	paths = slices.Compact(paths)
	t := table(w)
	fmt.Fprintf(t, "value of\t%s\t\t%s\t\n", p.Name, q.Name)
	d := difference{Devices: [2]string{p.Name, q.Name}, Differ: []differs{}}
	for _, path := range paths {
		x, hasX := pv[path]
		y, hasY := qv[path]
		if hasX && hasY && x.Value == y.Value {
			d.Same++
			continue
		}
		d.Differ = append(d.Differ, differs{path, [2]*value{valueOf(x, hasX), valueOf(y, hasY)}})
		fmt.Fprintf(t, "%s\t%s\t%s\n", path, side(x, hasX), side(y, hasY))
	}
	if asJSON {
		return writeJSON(w, d)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d values are the same, %d differ\n", d.Same, len(d.Differ))
	return err
}

func side(pr device.Provenance, has bool) string {
	if !has {
		return "-\t"
	}
	return fmt.Sprintf("%s\t%v", pr.Value, pr.Status)
}

// showOccupancy says how many blocks share a multiprocessor of a device, of all
// that are built in if name is empty.
func showOccupancy(w io.Writer, name string, d device.Demand, asJSON bool) error {
	all := []fit{}
	names := device.Names()
	if name != "" {
		names = []string{name}
	}
	t := table(w)
	for _, n := range names {
		p, err := find(n)
		if err != nil {
			return err
		}
		o, err := p.Occupancy(d)
		var le *device.LimitError
		switch {
		case errors.As(err, &le):
			all = append(all, fit{Device: p.Name, Error: le.Error()})
			fmt.Fprintf(t, "%s\tdoes not fit: %v\n", p.Name, le)
		case err != nil:
			return err
		default:
			all = append(all, fitOf(p, &o))
			fmt.Fprintf(t, "%s\t%v\n", p.Name, &o)
		}
	}
	if asJSON {
		return writeJSON(w, all)
	}
	return t.Flush()
}
