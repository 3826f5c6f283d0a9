package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"example.com/warpsim/warp/view"
)

// write writes all files and returns their names.
func write(ctx context.Context, o options, all []shown) ([]string, error) {
	var names []string
	put := func(name string, f func(w io.Writer) error) error {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			return err
		}
		names = append(names, name)
		return os.WriteFile(filepath.Join(o.out, name), b.Bytes(), 0o666)
	}
	var others []*view.Recording
	for _, s := range all[1:] {
		others = append(others, s.recording)
	}
	if err := put("page.html", func(w io.Writer) error { return all[0].recording.WritePage(w, others...) }); err != nil {
		return nil, err
	}
	for i, s := range all {
		r, prefix := s.recording, prefixOf(i)
		files := []struct {
			name string
			f    func(w io.Writer) error
		}{
			{"source.txt", r.WriteSource},
			{"profile.pb.gz", r.WriteProfile},
			{"steps.txt", func(w io.Writer) error { return r.WriteSteps(w, false) }},
			{"lanes.txt", func(w io.Writer) error { return r.WriteSteps(w, true) }},
			{"report.json", func(w io.Writer) error {
				e := json.NewEncoder(w)
				e.SetIndent("", "  ")
				return e.Encode(r.Report())
			}},
			{"roofline.svg", func(w io.Writer) error {
				c := r.Roofline()
				return c.WriteSVG(w)
			}},
		}
		for _, x := range files {
			if err := put(prefix+x.name, x.f); err != nil {
				return nil, err
			}
		}
		for _, p := range view.Pictures() {
			if err := put(prefix+p.String()+".svg", func(w io.Writer) error { return r.WritePicture(w, p) }); err != nil {
				return nil, err
			}
		}
		names = append(names, s.trace)
	}
	k, err := lookup(all[0].kernel)
	if err != nil {
		return nil, err
	}
	chart, err := sizes(ctx, k, o.devices)
	if err != nil || chart == nil {
		return names, err
	}
	return names, put("sizes.svg", chart.WriteSVG)
}
