package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp/device"
)

// A question is which of two kernels that do the same job a user should take.
type question struct {
	asks string
	a, b string
	// many compares one item a thread of a with several of b, with as many threads a
	// block; otherwise both have the same grid.
	many bool
}

var questions = []question{
	{"histogram: shared or global", "histogram_shared_u32", "histogram_global_u32", false},
	{"sum: hybrid or tree", "reduce_hybrid_f32", "reduce_tree_f32", false},
	{"sum: hybrid or an atomic a warp", "reduce_hybrid_f32", "reduce_warp_atomics_f32", false},
	{"sum: hybrid or an atomic a warp", "reduce_strided_hybrid_f32", "reduce_warp_atomics_f32", false},
	{"sum: tree or an atomic a warp", "reduce_tree_f32", "reduce_warp_atomics_f32", false},
	{"transpose: padded or not", "transpose_tile_padded_f32", "transpose_tile_conflicts_f32", false},
	{"transpose: a tile or none", "transpose_tile_padded_f32", "transpose_naive_f32", false},
	{"sum: one item a thread or many", "reduce_hybrid_f32", "reduce_strided_hybrid_f32", true},
	{"saxpy: one item a thread or many", "saxpy_f32", "saxpy_strided_f32", true},
	{"count: plainly or an atomic a warp", "count_plain_u32", "count_warp_u32", false},
	{"compact: plainly or an atomic a warp", "compact_plain_s32", "compact_warp_s32", false},
	{"count: plainly or a total a thread", "count_plain_u32", "count_private_u32", false},
}

// manyItems is from how many items a thread on it has many.
const manyItems = 8

// timerStepNS is the step of the chip's timer.
const timerStepNS = 32

// An answer is a question with two rows.
type answer struct {
	question
	a, b       gridRow
	simA, simB float64 // ns
}

// answersOf are the pairs of rows that the questions ask about. Pairs that differ on the chip
// by no more than 5 %, or than two steps of its timer, have no answer.
func answersOf(rows []gridRow) (all []answer) {
	for _, q := range questions {
		for _, a := range rows {
			for _, b := range rows {
				if a.Kernel != q.a || b.Kernel != q.b || a.N != b.N || a.Threads != b.Threads || a.cold != b.cold {
					continue
				}
				if q.many && (itemsAThread(a.Case) > 1 || itemsAThread(b.Case) < manyItems) || !q.many && a.Blocks != b.Blocks {
					continue
				}
				slow, fast := max(a.spanNS, b.spanNS), min(a.spanNS, b.spanNS)
				if slow > 1.05*fast && slow > fast+2*timerStepNS {
					all = append(all, answer{question: q, a: a, b: b})
				}
			}
		}
	}
	return all
}

func itemsAThread(c gridkernels.Case) int {
	threads := c.Blocks * c.Threads
	return (c.Items() + threads - 1) / threads
}

// right reports whether the model prefers the kernel that the chip does.
func (x *answer) right() bool {
	return (x.a.spanNS < x.b.spanNS) == (x.simA < x.simB) && x.simA != x.simB
}

// answerAll runs the kernels of all answers, as a user writes them.
func answerAll(p *device.Profile, answers []answer) error {
	most := 1
	for i := range answers {
		most = max(most, answers[i].a.Items(), answers[i].b.Items())
	}
	in, err := gridkernels.NewInputs(most)
	if err != nil {
		return err
	}
	type key struct {
		gridkernels.Case
		cold bool
	}
	times := map[key]float64{}
	span := func(r gridRow) float64 {
		k := key{r.Case, r.cold}
		if t, ok := times[k]; ok || err != nil {
			return t
		}
		var g gridResult
		g, err = runGrid(p, in, r)
		times[k] = g.simNS
		return g.simNS
	}
	for i := range answers {
		x := &answers[i]
		x.simA, x.simB = span(x.a), span(x.b)
	}
	return err
}

// runQuestions prints which of two kernels the model and the chip prefer, of a kernel, of a
// number of threads and of up to most items, if those are given: the wrong answers first,
// and of those the ones that cost most.
func runQuestions(out io.Writer, p *device.Profile, kernel string, threads, most int) error {
	rows, err := gridRows(firstGrids)
	if err != nil {
		return err
	}
	more, err := gridRows("counting.csv")
	if err != nil {
		return err
	}
	rows = append(rows, more...)
	rows = slices.DeleteFunc(rows, func(r gridRow) bool {
		return threads != 0 && r.Threads != threads || most != 0 && r.Items() > most
	})
	answers := slices.DeleteFunc(answersOf(rows), func(x answer) bool {
		return kernel != "" && x.a.Kernel != kernel && x.b.Kernel != kernel
	})
	if len(answers) == 0 {
		return fmt.Errorf("no question about that kernel and size")
	}
	if err := answerAll(p, answers); err != nil {
		return err
	}
	reportAnswers(out, answers)
	return nil
}

func reportAnswers(out io.Writer, answers []answer) {
	if rows, ok := out.(*jsonRows); ok {
		rows.addAnswers(answers)
		return
	}
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(x, y answer) int {
		if x.right() != y.right() {
			if y.right() {
				return -1
			}
			return 1
		}
		return cmp.Compare(y.cost(), x.cost())
	})
	fmt.Fprintf(out, "%-36s %9s %8s %-5s %27s %27s  %9s  %9s\n", "question", "n", "threads", "state", "blocks, chip us, simulated", "blocks, chip us, simulated", "chip", "simulated")
	right := 0
	var names []string
	of := map[string]*[2]int{}
	for _, x := range sorted {
		mark := ""
		if of[x.asks] == nil {
			of[x.asks] = &[2]int{}
			names = append(names, x.asks)
		}
		of[x.asks][1]++
		if x.right() {
			right++
			of[x.asks][0]++
		} else {
			mark = " *"
		}
		state := (&gridResult{gridRow: x.a}).state()
		fmt.Fprintf(out, "%-36s %9d %8d %-5s %7d %9.3f %9.3f %7d %9.3f %9.3f  %8.2fx  %8.2fx%s\n", x.asks, x.a.N, x.a.Threads, state,
			x.a.Blocks, x.a.spanNS/1e3, x.simA/1e3, x.b.Blocks, x.b.spanNS/1e3, x.simB/1e3, x.b.spanNS/x.a.spanNS, x.simB/x.simA, mark)
	}
	slices.Sort(names)
	fmt.Fprintln(out)
	for _, n := range names {
		fmt.Fprintf(out, "%s %d of %d\n", n+strings.Repeat(" ", max(0, 36-len(n))), of[n][0], of[n][1])
	}
	fmt.Fprintf(out, "answered as the chip does: %d of %d, %.1f %%; the others are marked *\n", right, len(answers), 100*float64(right)/float64(len(answers)))
}

// cost is how many times as long the slower one takes on the chip.
func (x *answer) cost() float64 {
	return max(x.a.spanNS, x.b.spanNS) / min(x.a.spanNS, x.b.spanNS)
}
