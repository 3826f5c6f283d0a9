package warp

import (
	"encoding/json"
	"fmt"

	"example.com/warpsim/lane"
)

type jsonFault struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Block    int    `json:"block"`
	Warp     int    `json:"warp"`
	Width    int    `json:"width"`
	Lanes    string `json:"lanes,omitempty"`
	LaneMask string `json:"laneMask,omitempty"`
	Missing  string `json:"missing,omitempty"`
	Mask     string `json:"mask,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Func     string `json:"func,omitempty"`
	Detail   string `json:"detail"`
	Rule     string `json:"rule"`
	Advice   string `json:"advice,omitempty"`
	Count    int    `json:"count"`
}

// MarshalJSON returns the fault as an object: kind and severity by name, block,
// warp, the width of the warp, lanes as ranges ("0-3,7") and as a hex mask, the
// lanes that are missing and the member mask in hex if there are any, file, line
// and func of the kernel, detail, rule, advice and count.
func (f *Fault) MarshalJSON() ([]byte, error) {
	o := jsonFault{
		Kind: f.Kind.Name(), Severity: f.Severity.String(), Block: f.Block, Warp: f.Warp, Width: f.Width,
		File: f.Site.File, Line: f.Site.Line, Func: f.Site.Func,
		Detail: f.Detail, Rule: f.Kind.Rule(), Advice: f.Advice, Count: f.Count,
	}
	if !f.Lanes.Empty() {
		o.Lanes, o.LaneMask = f.Lanes.Ranges(), "0x"+f.Lanes.Hex(f.Width)
	}
	if !f.Missing.Empty() {
		o.Missing = "0x" + f.Missing.Hex(f.Width)
	}
	if !f.Mask.Empty() {
		o.Mask = "0x" + f.Mask.Hex(f.Width)
	}
	return json.Marshal(o)
}

// UnmarshalJSON reads what MarshalJSON has written; the error that led to the
// fault is lost. A kind or severity that this version does not have, and a mask
// that is none, are errors; f is unchanged then.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var o jsonFault
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("warp: fault: %w", err)
	}
	r := Fault{Block: o.Block, Warp: o.Warp, Width: o.Width, Site: Site{o.File, o.Line, o.Func},
		Detail: o.Detail, Advice: o.Advice, Count: o.Count}
	for r.Kind.Name() != o.Kind {
		if r.Kind++; r.Kind == numFaultKinds {
			return fmt.Errorf("warp: fault: no kind %q", o.Kind)
		}
	}
	for r.Severity.String() != o.Severity {
		if r.Severity++; int(r.Severity) == len(severityNames) {
			return fmt.Errorf("warp: fault: no severity %q", o.Severity)
		}
	}
	for _, m := range []struct {
		text string
		to   *lane.Mask
	}{{o.LaneMask, &r.Lanes}, {o.Missing, &r.Missing}, {o.Mask, &r.Mask}} {
		if m.text == "" {
			continue
		}
		mask, err := lane.ParseMask(m.text, lane.MaxLanes) // it may name lanes beyond the warp
		if err != nil {
			return fmt.Errorf("warp: fault: %w", err)
		}
		*m.to = mask
	}
	*f = r
	return nil
}
