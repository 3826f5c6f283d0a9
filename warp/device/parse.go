package device

import (
	"errors"
	"fmt"
)

const maxProfileBytes = 1 << 20

// Parse reads a profile from JSON, fills in what may be left out and validates
// it. The name stands for the data in errors. Every error is a *ProfileError that
// says where in the data it is: malformed JSON, an unknown, repeated or missing
// field, a value of the wrong type, a number that is negative, too large or
// without source, a status that does not exist, or values that contradict each
// other.
func Parse(name string, data []byte) (*Profile, error) {
	if len(data) > maxProfileBytes {
		return nil, &ProfileError{File: name, What: fmt.Sprintf("more than %d bytes", maxProfileBytes), Fix: "a profile takes a few thousand"}
	}
	root, err := parseTree(name, data)
	if err != nil {
		return nil, err
	}
	d := decoder{file: name, data: data}
	if n := root.get("format"); n != nil && n.kind == numberNode && n.text != fmt.Sprint(Format) {
		return nil, d.fail(n.start, "format", n.text, fmt.Sprintf("this version reads format %d", Format))
	}
	base, err := d.base(root)
	if err != nil {
		return nil, err
	}
	if base, err = d.inherit(root, base); err != nil {
		return nil, err
	}
	p, err := d.profile(root, base)
	if err != nil {
		return nil, err
	}
	if root.get("name") == nil {
		return nil, d.fail(root.start, "name", "missing", "add it")
	}
	if err := p.finish(name); err != nil {
		return nil, err
	}
	return p, nil
}

// inFile adds the file's name to a *ProfileError that has none.
func inFile(err error, name string) error {
	var pe *ProfileError
	if errors.As(err, &pe) && pe.File == "" {
		c := *pe
		c.File = name
		return &c
	}
	return err
}
