package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"strconv"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"
)

// argument makes one of the kernel's arguments of what the flag says.
func argument(e *warp.Engine, s string) (sass.Arg, error) {
	if s == "null" {
		return sass.Pointer(0), nil
	}
	if typ, text, ok := strings.Cut(s, ":"); ok && !strings.Contains(typ, "[") {
		return scalar(typ, text)
	}
	typ, rest, ok := strings.Cut(s, "[")
	length, fill, closed := strings.Cut(rest, "]")
	n, err := strconv.Atoi(length)
	if !ok || !closed || err != nil || n < 0 || n > 1<<30 {
		return sass.Arg{}, fmt.Errorf("%q is no argument such as i32:5, null, f32[1024] or f32[1024]=i*0.5; -h shows more", s)
	}
	switch typ {
	case "f32":
		return buffer(e, n, fill, func(x float64) float32 { return float32(x) })
	case "f64":
		return buffer(e, n, fill, func(x float64) float64 { return x })
	case "i32":
		return buffer(e, n, fill, func(x float64) int32 { return int32(int64(x)) })
	case "u32":
		return buffer(e, n, fill, func(x float64) uint32 { return uint32(int64(x)) })
	case "i64":
		return buffer(e, n, fill, func(x float64) int64 { return int64(x) })
	case "u64":
		return buffer(e, n, fill, func(x float64) uint64 { return uint64(x) })
	case "i16":
		return buffer(e, n, fill, func(x float64) int16 { return int16(int64(x)) })
	case "u8", "i8":
		return buffer(e, n, fill, func(x float64) uint8 { return uint8(int64(x)) })
	}
	return sass.Arg{}, fmt.Errorf("%q is no type: there are f32, f64, i32, u32, i64, u64, i16, i8 and u8", typ)
}

func scalar(typ, text string) (sass.Arg, error) {
	size := map[string]int{"i32": 32, "u32": 32, "i64": 64, "u64": 64, "i16": 16, "i8": 8, "f32": 32, "f64": 64}[typ]
	var err error
	var a sass.Arg
	switch typ {
	case "i32", "i64", "i16", "i8":
		var v int64
		v, err = strconv.ParseInt(text, 0, size)
		switch size {
		case 32:
			a = sass.Value(int32(v))
		case 64:
			a = sass.Value(int64(v))
		case 16:
			a = sass.Value(int16(v))
		default:
			a = sass.Value(int8(v))
		}
	case "u32", "u64":
		var v uint64
		v, err = strconv.ParseUint(text, 0, size)
		if a = sass.Value(v); size == 32 {
			a = sass.Value(uint32(v))
		}
	case "f32", "f64":
		var v float64
		v, err = strconv.ParseFloat(text, size)
		if a = sass.Value(v); size == 32 {
			a = sass.Value(float32(v))
		}
	default:
		return a, fmt.Errorf("%q is no type: there are i32, u32, i64, u64, i16, i8, f32 and f64", typ)
	}
	if err != nil {
		return a, fmt.Errorf("%q is no number of type %s", text, typ)
	}
	return a, nil
}

// buffer makes an array of n elements, by =FORMULA or from @FILE.
func buffer[T any](e *warp.Engine, n int, fill string, of func(float64) T) (sass.Arg, error) {
	data := make([]T, n)
	switch {
	case fill == "":
	case fill[0] == '=':
		f, err := parser.ParseExpr(fill[1:])
		if err != nil {
			return sass.Arg{}, fmt.Errorf("formula %q: %w", fill[1:], err)
		}
		for i := range data {
			v, err := value(f, float64(i))
			if err != nil {
				return sass.Arg{}, fmt.Errorf("formula %q: %w", fill[1:], err)
			}
			data[i] = of(v)
		}
	case fill[0] == '@':
		raw, err := os.ReadFile(fill[1:])
		if err != nil {
			return sass.Arg{}, err
		}
		if len(raw) < binary.Size(data) {
			return sass.Arg{}, fmt.Errorf("%s has %d bytes, and %d elements take %d", fill[1:], len(raw), n, binary.Size(data))
		}
		if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, data); err != nil {
			return sass.Arg{}, err
		}
	default:
		return sass.Arg{}, fmt.Errorf("%q: behind a length come =FORMULA or @FILE", fill)
	}
	m, err := warp.Global(e, data)
	if err != nil {
		return sass.Arg{}, err
	}
	return sass.Buffer(m), nil
}

// value works out a formula of i: numbers, + - * / %, brackets.
func value(x ast.Expr, i float64) (float64, error) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(x.Value, 64)
	case *ast.Ident:
		if x.Name == "i" {
			return i, nil
		}
		return 0, fmt.Errorf("%q is unknown: the index is i", x.Name)
	case *ast.ParenExpr:
		return value(x.X, i)
	case *ast.UnaryExpr:
		v, err := value(x.X, i)
		if x.Op != token.SUB {
			return 0, fmt.Errorf("%s is no sign", x.Op)
		}
		return -v, err
	case *ast.BinaryExpr:
		a, err := value(x.X, i)
		if err != nil {
			return 0, err
		}
		b, err := value(x.Y, i)
		if err != nil {
			return 0, err
		}
		switch x.Op {
		case token.ADD:
			return a + b, nil
		case token.SUB:
			return a - b, nil
		case token.MUL:
			return a * b, nil
		case token.QUO:
			return a / b, nil
		case token.REM:
			return math.Mod(a, b), nil
		}
		return 0, fmt.Errorf("%s is none of + - * / %%", x.Op)
	}
	return 0, fmt.Errorf("only numbers, i, + - * / %% and brackets")
}
