package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"example.com/warpsim/bench/accuracy/sass"
)

//go:embed testdata
var testdata embed.FS

// A program is known by its name and repeat count.
type programs map[string]map[int]*sass.Program

func loadPrograms(file string) (programs, error) {
	data, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	list, err := sass.Parse(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all := programs{}
	for _, p := range list {
		if all[p.Name] == nil {
			all[p.Name] = map[int]*sass.Program{}
		}
		all[p.Name][p.Repeat] = p
	}
	return all, nil
}

// A row is one recorded figure.
type row struct {
	kernel   string // as in the file
	kind     string // "kernel", "latency" or "interval"
	threads  int
	hardware float64 // cycles; of the whole block where both are recorded
	first    float64 // cycles of the first warp
}

func readCSV(file string) ([][]string, error) {
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
		out = append(out, strings.Split(line, ","))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no rows", file)
	}
	return out[1:], sc.Err()
}

func kernelRows() ([]row, error) {
	lines, err := readCSV("kernels.csv")
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, f := range lines {
		r := row{kernel: f[0], kind: "kernel"}
		if r.threads, err = strconv.Atoi(f[1]); err != nil {
			return nil, err
		}
		if r.first, err = strconv.ParseFloat(f[2], 64); err != nil {
			return nil, err
		}
		if r.hardware, err = strconv.ParseFloat(f[3], 64); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func latencyRows() ([]row, error) { return stepRows("latency.csv") }

func furtherRows() ([]row, error) { return stepRows("further.csv") }

func stepRows(file string) ([]row, error) {
	lines, err := readCSV(file)
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
