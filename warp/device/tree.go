package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A node is a JSON value that knows where it stands.
type node struct {
	kind  nodeKind
	start int    // offset of its first byte
	text  string // of a string its value, of another scalar its spelling
	keys  []key  // of an object, in order
	vals  []*node
}

type key struct {
	name  string
	start int
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	arrayNode
	objectNode
)

var nodeKindNames = []string{"null", "true or false", "a number", "a text", "a list", "an object"}

func (k nodeKind) String() string { return nodeKindNames[k] }

// get returns the value under a key of an object, nil if there is none.
func (n *node) get(name string) *node {
	for i, k := range n.keys {
		if k.name == name {
			return n.vals[i]
		}
	}
	return nil
}

// maxDepth bounds how deep a profile nests; a good one nests six deep.
const maxDepth = 16

// parseTree reads one JSON value and nothing after it.
func parseTree(file string, data []byte) (*node, error) {
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		e := &ProfileError{File: file, What: "malformed JSON: " + err.Error(), Fix: "correct the text at this place", Err: err}
		var syn *json.SyntaxError
		if errors.As(err, &syn) {
			// The offset counts the bytes read, the offending one among them.
			e.Line, e.Column = position(data, max(0, int(syn.Offset)-1))
		}
		return nil, e
	}
	t := treeParser{file: file, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	t.dec.UseNumber()
	return t.value("", 0)
}

type treeParser struct {
	file string
	data []byte
	dec  *json.Decoder
}

// value reads the next value. The text is known to be well-formed.
func (t *treeParser) value(path string, depth int) (*node, error) {
	n := &node{start: t.next()}
	if depth > maxDepth {
		return nil, t.fail(n.start, path, "nested too deep", "a profile needs no such depth")
	}
	tok, err := t.dec.Token()
	if err != nil {
		return nil, t.fail(n.start, path, err.Error(), "")
	}
	switch tok := tok.(type) {
	case nil:
		n.text = "null"
	case bool:
		n.kind, n.text = boolNode, fmt.Sprint(tok)
	case json.Number:
		n.kind, n.text = numberNode, tok.String()
	case string:
		n.kind, n.text = stringNode, tok
	case json.Delim:
		n.kind = objectNode
		if tok == '[' {
			n.kind = arrayNode
		}
		if err := t.children(n, path, depth); err != nil {
			return nil, err
		}
		if _, err := t.dec.Token(); err != nil { // the closing delimiter
			return nil, t.fail(n.start, path, err.Error(), "")
		}
	}
	return n, nil
}

func (t *treeParser) children(n *node, path string, depth int) error {
	for t.dec.More() {
		at := fmt.Sprintf("%s[%d]", path, len(n.vals))
		if n.kind == objectNode {
			k := key{start: t.next()}
			tok, err := t.dec.Token()
			if err != nil {
				return t.fail(k.start, path, err.Error(), "")
			}
			k.name, _ = tok.(string)
			at = join(path, k.name)
			if n.get(k.name) != nil {
				return t.fail(k.start, at, "given twice", "remove one")
			}
			n.keys = append(n.keys, k)
		}
		v, err := t.value(at, depth+1)
		if err != nil {
			return err
		}
		n.vals = append(n.vals, v)
	}
	return nil
}

// next returns the offset of the next token.
func (t *treeParser) next() int {
	i := int(t.dec.InputOffset())
	for i < len(t.data) && bytes.IndexByte([]byte(" \t\r\n,:"), t.data[i]) >= 0 {
		i++
	}
	return i
}

func (t *treeParser) fail(at int, path, what, fix string) error {
	e := &ProfileError{File: t.file, Path: path, What: what, Fix: fix}
	e.Line, e.Column = position(t.data, at)
	return e
}

// position turns an offset into line and column, both from 1.
func position(data []byte, at int) (line, column int) {
	at = min(at, len(data))
	before := data[:at]
	return 1 + bytes.Count(before, []byte("\n")), at - bytes.LastIndexByte(before, '\n')
}

// join appends a name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
