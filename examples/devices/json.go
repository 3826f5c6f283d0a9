package main

import (
	"encoding/json"
	"io"

	"example.com/warpsim/warp/device"
)

// What -json writes: one value, whose shape depends on what is shown.
type (
	// A listed device is one row of the list.
	listed struct {
		Device          string         `json:"device"`
		Title           string         `json:"title"`
		Lanes           int            `json:"lanes"`
		Multiprocessors int            `json:"multiprocessors"`
		ClockMHz        int            `json:"clockMHz"`
		Numbers         map[string]int `json:"numbers"` // by status
	}

	// A described device is all that is known of one.
	described struct {
		listed
		Vendor       string  `json:"vendor"`
		Architecture string  `json:"architecture"`
		Language     string  `json:"language"`
		Base         string  `json:"base,omitempty"` // of which it is derived
		Values       []value `json:"values"`
	}

	// A value is one of a profile.
	value struct {
		Path   string `json:"path,omitempty"`
		Value  string `json:"value"`
		Status string `json:"status"`
		Source string `json:"source,omitempty"`
	}

	// A difference is what two devices do not share.
	difference struct {
		Devices [2]string `json:"devices"`
		Same    int       `json:"same"`
		Differ  []differs `json:"differ"`
	}

	// Differs is one value of two devices; null is one that a device does not have.
	differs struct {
		Path   string    `json:"path"`
		Values [2]*value `json:"values"`
	}

	// A fit is how many blocks a multiprocessor holds, or why none.
	fit struct {
		Device    string   `json:"device"`
		Blocks    int      `json:"blocks"`
		Warps     int      `json:"warps"`
		MaxWarps  int      `json:"maxWarps,omitempty"`
		LimitedBy []string `json:"limitedBy,omitempty"`
		Error     string   `json:"error,omitempty"`
	}
)

func listedOf(p *device.Profile) listed {
	l := listed{p.Name, p.Title, p.Lanes, p.Limits.Multiprocessors, p.Limits.ClockMHz, map[string]int{}}
	for _, pr := range p.Provenance() {
		if pr.Number {
			l.Numbers[pr.Status.String()]++
		}
	}
	return l
}

// valueOf returns a value without its source, or nothing for one that is not there.
func valueOf(pr device.Provenance, has bool) *value {
	if !has {
		return nil
	}
	return &value{Value: pr.Value, Status: pr.Status.String()}
}

func fitOf(p *device.Profile, o *device.Occupancy) fit {
	f := fit{Device: p.Name, Blocks: o.Blocks, Warps: o.Warps, MaxWarps: o.MaxWarps}
	for _, r := range o.LimitedBy() {
		f.LimitedBy = append(f.LimitedBy, r.String())
	}
	return f
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
