package device

import (
	"errors"
	"fmt"
	"io"
)

const maxProfileBytes = 1 << 20

// Load reads a profile of at most 1 MiB from r and parses it as [Parse] does.
// If r has a Name method, as an *os.File has, errors carry that name. An error
// of r comes back inside a *ProfileError.
func Load(r io.Reader) (*Profile, error) {
	name := "(unnamed)"
	if n, ok := r.(interface{ Name() string }); ok {
		name = n.Name()
	}
	data, err := io.ReadAll(io.LimitReader(r, maxProfileBytes+1))
	if err != nil {
		return nil, &ProfileError{File: name, What: "cannot read: " + err.Error(), Err: err}
	}
	return Parse(name, data)
}

// Parse reads a profile from JSON and validates it. The name stands for the
// data in errors. Every error is a *ProfileError that says where in the data
// it is: malformed JSON, an unknown, repeated or missing field, a value of the
// wrong type, a number that is negative, too large or without source, a status
// that does not exist, or values that contradict each other.
func Parse(name string, data []byte) (*Profile, error) {
	p, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, inFile(err, name)
	}
	return p, nil
}

// parse is Parse without the validation.
func parse(name string, data []byte) (*Profile, error) {
	if len(data) > maxProfileBytes {
		return nil, &ProfileError{File: name, What: fmt.Sprintf("more than %d bytes", maxProfileBytes), Fix: "a profile takes a few thousand"}
	}
	root, err := parseTree(name, data)
	if err != nil {
		return nil, err
	}
	p := new(Profile)
	d := decoder{file: name, data: data, sources: make(map[string]Provenance)}
	if err := d.decode(root, valueOf(p), "", nil); err != nil {
		return nil, err
	}
	p.sources = d.sources
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
