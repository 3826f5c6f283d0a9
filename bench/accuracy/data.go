package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"
)

//go:embed testdata
var testdata embed.FS

// A program is a listing with the body of a kernel so many times.
type program struct {
	*sass.Program
	name   string
	repeat int
}

// instr returns a line of the program.
func (p *program) instr(index int) *sass.Instr { return &p.Function().Code[index] }

// readsClock reports whether a line reads the cycle counter for a measurement: all
// 64 bits of it, as the programs do around what they measure.
func readsClock(in *sass.Instr) bool {
	return in.Op == "CS2R" && len(in.Mods) == 0 && strings.Contains(in.String(), "SR_CLOCKLO")
}

// argumentType returns the type of the program's argument, which is also that of
// its result: each program begins by adding the thread's number to it.
func (p *program) argumentType() warp.Kind {
	for i := range p.Function().Code {
		in := p.instr(i)
		has := func(m string) bool { return slices.Contains(in.Mods, m) }
		switch {
		case in.Op == "I2F" && has("F64"):
			return warp.Float64
		case (in.Op == "I2FP" || in.Op == "I2F") && has("U32") && !has("RZ"): // those are of divisions
			return warp.Float32
		}
	}
	return warp.Uint32
}

// A program is known by its name and repeat count.
type programs map[string]map[int]*program

func loadPrograms(file string) (programs, error) {
	data, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		return nil, err
	}
	list, err := parseListing(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all := programs{}
	for _, f := range list.Functions {
		name, n, err := programName(f.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		p, err := f.Program()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all.add(&program{p, name, n})
	}
	return all, nil
}

// parseListing reads a listing, gzipped or not.
func parseListing(r io.Reader) (*sass.Listing, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(2); string(head) != "\x1f\x8b" {
		return sass.Parse(b)
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return sass.Parse(z)
}

// add puts a program to the others.
func (p programs) add(x *program) {
	if p[x.name] == nil {
		p[x.name] = map[int]*program{}
	}
	p[x.name][x.repeat] = x
}

// programName takes "name x2" apart, or the mangled name of timed<name, 2>(...).
func programName(heading string) (name string, repeat int, err error) {
	full, rest, mangled := strings.Cut(sass.Demangle(heading), "timed<")
	if mangled {
		full, _, _ = strings.Cut(rest, ">(")
	}
	at, gap := strings.LastIndex(full, ", "), len(", ")
	if !mangled {
		full = heading
		at, gap = strings.LastIndex(full, " x"), len(" x")
	}
	if at > 0 {
		repeat, err = strconv.Atoi(full[at+gap:])
	}
	if repeat < 1 || err != nil {
		return "", 0, fmt.Errorf("%q is no heading", heading)
	}
	return strings.ReplaceAll(full[:at], ", ", ","), repeat, nil
}

// A row is one recorded figure.
type row struct {
	kernel   string // as in the file
	kind     string // "kernel", "latency" or "interval"
	threads  int
	hardware float64 // cycles; of the whole block where both are recorded
	first    float64 // cycles of the first warp
}

// readCSV returns the rows of a file without its header: of so many cells at least.
func readCSV(file string, cells int) ([][]string, error) {
	data, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		return nil, err
	}
	var out [][]string
	sc := bufio.NewScanner(bytes.NewReader(data))
	for sc.Scan() {
		line := sc.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, ",")
		if len(f) < cells {
			return nil, fmt.Errorf("%s: a row of %d cells, and there are at least %d: %.60q", file, len(f), cells, line)
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no rows", file)
	}
	return out[1:], sc.Err()
}

func kernelRows() ([]row, error) { return kernelsOf("kernels.csv") }

// secondRows are those of the second set of kernels that have a listing.
func secondRows() ([]row, error) {
	rows, err := kernelsOf("kernels2.csv")
	rows = slices.DeleteFunc(rows, func(r row) bool { return strings.HasPrefix(r.kernel, "cub_") })
	for i := range rows {
		rows[i].kind = "kernel2"
	}
	return rows, err
}

func kernelsOf(file string) ([]row, error) {
	lines, err := readCSV(file, 4)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, f := range lines {
		r, err := kernelRow(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// kernelRow is a row of a kernel's name, which may have commas, its threads, and the
// cycles of the first warp and of the block.
func kernelRow(f []string) (row, error) {
	n := len(f) - 3
	if n < 1 {
		return row{}, fmt.Errorf("a row has a kernel, its threads, and cycles of the first warp and of the block: %.60q", strings.Join(f, ","))
	}
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	r := row{kernel: strings.Trim(strings.Join(f[:n], ","), `"`), kind: "kernel"}
	var err error
	if r.threads, err = strconv.Atoi(f[n]); err != nil || r.threads < 1 || r.threads > maxThreads {
		return r, fmt.Errorf("%s: %.30q is no number of threads from 1 to %d", r.kernel, f[n], maxThreads)
	}
	for i, c := range []*float64{&r.first, &r.hardware} {
		if *c, err = strconv.ParseFloat(f[n+1+i], 64); err != nil || !(*c > 0) || math.IsInf(*c, 0) {
			return r, fmt.Errorf("%s, %d threads: %.30q is no number of cycles", r.kernel, r.threads, f[n+1+i])
		}
	}
	return r, nil
}

func latencyRows() ([]row, error) { return stepRows("latency.csv") }

func furtherRows() ([]row, error) { return stepRows("further.csv") }

func stepRows(file string) ([]row, error) {
	lines, err := readCSV(file, 4)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, f := range lines {
		r := row{kernel: f[1], kind: f[0]}
		warps, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, err
		}
		r.threads = 32 * warps
		if r.first, err = strconv.ParseFloat(f[3], 64); err != nil {
			return nil, err
		}
		r.hardware = r.first
		if len(f) > 4 && f[4] != "" {
			if r.hardware, err = strconv.ParseFloat(f[4], 64); err != nil {
				return nil, err
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// stepCode gives the name of the program of a step of latency.csv and its
// argument, as the measuring program passes it.
func stepCode(kind, step string) (name string, seed int) {
	seed = 1
	if step == "lds" || strings.HasPrefix(step, "iadd_lds") || strings.HasPrefix(step, "iadd_match") {
		seed = 0
	}
	if rest, ok := strings.CutPrefix(step, "iadd_lds"); ok { // iadd_lds64_stride2
		bits, stride, _ := strings.Cut(rest, "_stride")
		n, _ := strconv.Atoi(bits)
		name = fmt.Sprintf("lds_stride<%s,%d>", stride, n/8)
	} else if rest, ok := strings.CutPrefix(step, "sts_stride"); ok {
		name = "sts_stride<" + rest + ">"
	} else if rest, ok := strings.CutPrefix(step, "iadd_match_any_groups"); ok {
		name = "match_any_groups<" + strings.TrimSuffix(rest, "_and") + ">"
	} else {
		name = step
		if s, ok := map[string]string{
			"iadd_xor": "iadd", "xor_shf": "xor_", "fadd": "fadd_", "fmul": "fmul_", "ffma": "ffma_", "fmnmx_fadd": "fmax_",
			"dadd": "dadd_", "dfma": "dfma_", "setp_bar_red_popc": "bar_red_popc", "setp_bar_red_and_selp": "bar_red_and_selp",
		}[step]; ok {
			name = s
		}
	}
	if kind == "interval" {
		name = "interval/" + name
	}
	return name, seed
}

// furtherCode does the same for further.csv.
func furtherCode(kind, step string) (name string, seed int) {
	seed = 1
	if kind != "slots" && strings.HasPrefix(step, "lds") {
		seed = 0
	}
	if kind == "further" {
		for _, pre := range []string{"atoms_way", "atoms_bank", "atoms_cas", "atoms_exch", "reds_way"} {
			if n, ok := strings.CutPrefix(step, pre); ok {
				step = pre + "<" + n + ">"
			}
		}
		for i, s := range []string{"not_taken", "taken", "divergent"} {
			step = strings.Replace(step, "_"+s, fmt.Sprintf("<%d>", i), 1)
		}
		switch step {
		case "sts64":
			step = "sts_wide<8>"
		case "sts128":
			step = "sts_wide<16>"
		}
	}
	if kind == "loop" && step == "bar" {
		step = "barl"
	}
	return kind + "/" + step, seed
}
