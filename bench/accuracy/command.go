package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// A usageError is what is wrong with the flags.
type usageError struct{ error }

// exit says what went wrong, and returns the exit code.
func exit(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usageError{}):
		fmt.Fprintf(stderr, "accuracy: %v\naccuracy -h shows the flags\n", err)
		return exitUsage
	}
	fmt.Fprintln(stderr, "accuracy:", err)
	return exitFailed
}

// usage prints what -h shows.
func usage(f *flag.FlagSet, out io.Writer) error {
	fmt.Fprint(out, "Usage: accuracy [flags]\n\nHolds simulated cycles against those that a chip took.\n\n")
	f.SetOutput(out)
	f.PrintDefaults()
	_, err := fmt.Fprint(out, `  -h	print this

Examples:
  accuracy                                 whole kernels
  accuracy -second -json                   a second set, as JSON
  accuracy -grids -n 140000                whole grids of up to so many items
  accuracy -profile -n 140000              what those count and wait for
  accuracy -questions -n 140000            which of two kernels is faster
  accuracy -kernel NAME -explain           where warp 0 waited
  accuracy -rows FILE -listings FILE       a recorded set of your own

Exit codes: 0 done, 1 a kernel failed or there is no such row, 2 wrong usage.
`)
	return err
}

// jsonRows takes rows in place of the text of reports, which it drops.
type jsonRows struct {
	reports int
	rows    []any
}

func (j *jsonRows) Write(b []byte) (int, error) { return len(b), nil }

func (j *jsonRows) add(results []result) {
	j.reports++
	for _, r := range results {
		j.rows = append(j.rows, struct {
			Report    int     `json:"report"` // which of those that the text prints, from 1
			Kernel    string  `json:"kernel"`
			Kind      string  `json:"kind"`
			Threads   int     `json:"threads"`
			Hardware  float64 `json:"hardware"`  // cycles
			Simulated float64 `json:"simulated"` // cycles
			Error     float64 `json:"error"`     // relative
			Close     bool    `json:"close"`     // not marked * in the text
		}{j.reports, r.kernel, r.kind, r.threads, r.hardware, r.simulated, r.error(), r.close()})
	}
}

func (j *jsonRows) addGrids(results []gridResult) {
	for _, r := range results {
		j.rows = append(j.rows, struct {
			Kernel    string  `json:"kernel"`
			N         int     `json:"n"`
			Blocks    int     `json:"blocks"`
			Threads   int     `json:"threads"`
			State     string  `json:"state"`
			Hardware  float64 `json:"hardwareNS"`
			Simulated float64 `json:"simulatedNS"`
			Error     float64 `json:"error"`
			Close     bool    `json:"close"`
			Block     float64 `json:"hardwareBlock"`  // median cycles of a block
			SimBlock  float64 `json:"simulatedBlock"` // the same
		}{r.Kernel, r.N, r.Blocks, r.Threads, r.state(), r.spanNS, r.simNS, r.error(), r.close(), r.block, r.simBlock})
	}
}

func (j *jsonRows) addProfile(results []*profileResult) {
	for _, r := range results {
		type count struct {
			Hardware  int64   `json:"hardware"`
			Simulated int64   `json:"simulated"`
			Error     float64 `json:"error"` // relative
			Close     bool    `json:"close"`
		}
		type share struct {
			Hardware  float64 `json:"hardware"` // of the time that warps wait
			Simulated float64 `json:"simulated"`
		}
		counts, waits := map[string]count{}, map[string]share{}
		for i, c := range counters {
			counts[c.name] = count{r.counts[i], r.simCounts[i], r.error(i), r.close(i)}
		}
		for w := range numWaits {
			waits[w.String()] = share{r.waits[w], r.simWaits[w]}
		}
		j.rows = append(j.rows, struct {
			Kernel   string           `json:"kernel"`
			N        int              `json:"n"`
			Blocks   int              `json:"blocks"`
			Threads  int              `json:"threads"`
			Counts   map[string]count `json:"counts"`
			Waits    map[string]share `json:"waits"`
			SameWait bool             `json:"sameLargestWait"`
		}{r.Kernel, r.N, r.Blocks, r.Threads, counts, waits, r.sameWait()})
	}
}

func (j *jsonRows) addAnswers(answers []answer) {
	for _, x := range answers {
		type kernel struct {
			Kernel    string  `json:"kernel"`
			Blocks    int     `json:"blocks"`
			Hardware  float64 `json:"hardwareNS"`
			Simulated float64 `json:"simulatedNS"`
		}
		j.rows = append(j.rows, struct {
			Question string    `json:"question"`
			N        int       `json:"n"`
			Threads  int       `json:"threads"`
			State    string    `json:"state"`
			Kernels  [2]kernel `json:"kernels"`
			Right    bool      `json:"right"`
		}{x.asks, x.a.N, x.a.Threads, (&gridResult{gridRow: x.a}).state(), [2]kernel{
			{x.a.Kernel, x.a.Blocks, x.a.spanNS, x.simA}, {x.b.Kernel, x.b.Blocks, x.b.spanNS, x.simB}}, x.right()})
	}
}

// write writes the rows, if there are any.
func (j *jsonRows) write(to io.Writer) error {
	if len(j.rows) == 0 {
		return nil
	}
	e := json.NewEncoder(to)
	e.SetIndent("", "  ")
	return e.Encode(j.rows)
}
