package sass

import (
	"strconv"
	"strings"
)

// Demangle returns the name that a mangled one of the Itanium rules stands for,
// as far as kernels need them: names, namespaces, templates, and types made of
// built-in ones, classes, pointers and references. Others are returned as they are.
func Demangle(name string) string {
	full, _, ok := demangle(name)
	if !ok {
		return name
	}
	return full
}

// baseName returns the name without parameters and result, with or without
// template arguments.
func baseName(name string, templates bool) string {
	_, base, ok := demangle(name)
	if !ok {
		return name
	}
	if !templates {
		base, _, _ = strings.Cut(base, "<")
	}
	return base
}

func demangle(name string) (full, base string, ok bool) {
	rest, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return "", "", false
	}
	d := demangler{s: rest}
	base = d.name()
	if d.bad {
		return "", "", false
	}
	result := ""
	if strings.HasSuffix(base, ">") {
		result = d.typ() + " "
	}
	var params []string
	for d.s != "" && d.s[0] != '.' && !d.bad {
		params = append(params, d.typ())
	}
	if len(params) == 1 && params[0] == "void" {
		params = nil
	}
	return result + base + "(" + strings.Join(params, ", ") + ")", base, !d.bad
}

type demangler struct {
	s     string
	bad   bool
	depth int
	subs  []string
	args  []string // of the outermost template
}

func (d *demangler) fail() string {
	d.bad, d.s = true, ""
	return ""
}

func (d *demangler) take(prefix string) bool {
	rest, ok := strings.CutPrefix(d.s, prefix)
	if ok {
		d.s = rest
	}
	return ok
}

// name is a name with the arguments of its template.
func (d *demangler) name() string {
	if d.depth++; d.depth > 100 {
		return d.fail()
	}
	defer func() { d.depth-- }()
	if d.take("N") {
		return d.nested()
	}
	n, known := "", false
	switch {
	case d.take("St"):
		n = "std::" + d.sourceName()
	case strings.HasPrefix(d.s, "S"):
		n, known = d.substitution(), true
	default:
		d.take("L")
		n = d.sourceName()
	}
	if strings.HasPrefix(d.s, "I") {
		if !known {
			d.subs = append(d.subs, n)
		}
		n += d.templateArgs()
	}
	return n
}

func (d *demangler) nested() string {
	for d.take("K") || d.take("V") || d.take("r") {
	}
	n := ""
	for !d.take("E") {
		if d.s == "" {
			return d.fail()
		}
		known := false
		switch {
		case d.s[0] == 'I':
			n += d.templateArgs()
		case strings.HasPrefix(d.s, "St"):
			d.take("St")
			n, known = "std", true
		case d.s[0] == 'S':
			n, known = d.substitution(), true
		case d.s[0] == 'T':
			n = d.templateParam()
		default:
			d.take("L")
			part := ""
			if d.take("12_GLOBAL__N_1") {
				part = "(anonymous namespace)"
			} else {
				part = d.sourceName()
			}
			if n != "" {
				n += "::"
			}
			n += part
		}
		if !known && !strings.HasPrefix(d.s, "E") {
			d.subs = append(d.subs, n)
		}
		if d.bad {
			return ""
		}
	}
	return n
}

func (d *demangler) sourceName() string {
	i := 0
	for i < len(d.s) && digit(d.s[i]) {
		i++
	}
	n, err := strconv.Atoi(d.s[:i])
	if err != nil || n > len(d.s)-i || n == 0 {
		return d.fail()
	}
	name := d.s[i : i+n]
	d.s = d.s[i+n:]
	return name
}

func (d *demangler) templateArgs() string {
	d.take("I")
	outer := d.args == nil
	var args []string
	for !d.take("E") {
		if d.bad || d.s == "" {
			return d.fail()
		}
		if d.take("J") { // a pack
			for !d.take("E") {
				if d.bad || d.s == "" {
					return d.fail()
				}
				args = append(args, d.templateArg())
			}
			continue
		}
		args = append(args, d.templateArg())
	}
	if outer {
		d.args = append([]string{}, args...)
	}
	return "<" + strings.Join(args, ", ") + ">"
}

func (d *demangler) templateArg() string {
	if !d.take("L") {
		return d.typ()
	}
	typ := d.typ()
	v, rest, ok := strings.Cut(d.s, "E")
	if !ok {
		return d.fail()
	}
	d.s = rest
	if n, ok := strings.CutPrefix(v, "n"); ok {
		v = "-" + n
	}
	switch typ {
	case "bool":
		return map[string]string{"0": "false", "1": "true"}[v]
	case "int":
		return v
	case "unsigned int":
		return v + "u"
	case "long":
		return v + "l"
	case "unsigned long":
		return v + "ul"
	}
	return "(" + typ + ")" + v
}

func (d *demangler) number() int {
	// base 36, one more than written
	i, n := 0, 0
	for i < len(d.s) && (digit(d.s[i]) || d.s[i] >= 'A' && d.s[i] <= 'Z') {
		c := int(d.s[i] - '0')
		if !digit(d.s[i]) {
			c = int(d.s[i]-'A') + 10
		}
		if n = 36*n + c; n > 1<<20 {
			d.fail()
			return 0
		}
		i++
	}
	if i >= len(d.s) || d.s[i] != '_' {
		d.fail()
		return 0
	}
	d.s = d.s[i+1:]
	if i == 0 {
		return 0
	}
	return n + 1
}

func (d *demangler) substitution() string {
	d.take("S")
	n := d.number()
	if d.bad || n >= len(d.subs) {
		return d.fail()
	}
	return d.subs[n]
}

func (d *demangler) templateParam() string {
	d.take("T")
	n := d.number()
	if d.bad || n >= len(d.args) {
		return d.fail()
	}
	return d.args[n]
}

var builtins = map[byte]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char",
	's': "short", 't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long",
	'x': "long long", 'y': "unsigned long long", 'f': "float", 'd': "double", 'z': "...",
}

func (d *demangler) typ() string {
	if d.depth++; d.depth > 100 || d.s == "" {
		return d.fail()
	}
	defer func() { d.depth-- }()
	c := d.s[0]
	if b, ok := builtins[c]; ok {
		d.s = d.s[1:]
		return b
	}
	t := ""
	switch {
	case c == 'P' || c == 'R' || c == 'O':
		d.s = d.s[1:]
		t = d.typ() + map[byte]string{'P': "*", 'R': "&", 'O': "&&"}[c]
	case c == 'K':
		d.s = d.s[1:]
		t = d.typ() + " const"
	case c == 'V':
		d.s = d.s[1:]
		t = d.typ() + " volatile"
	case strings.HasPrefix(d.s, "Dh"):
		d.s = d.s[2:]
		return "half"
	case c == 'T':
		t = d.templateParam()
	case c == 'S' && !strings.HasPrefix(d.s, "St"):
		t = d.substitution()
		if strings.HasPrefix(d.s, "I") {
			t += d.templateArgs()
			d.subs = append(d.subs, t)
		}
		return t
	default:
		t = d.name()
	}
	if d.bad {
		return ""
	}
	d.subs = append(d.subs, t)
	return t
}
