// Package kernels registers the kernels that every sweep can name:
//
//   - grid/reduce/NAME and grid/scan/NAME, with the algorithms of packages reduce
//     and scan: an array of Size items in global memory, start, end and global
//     memory included;
//   - block/reduce/NAME: one block of Size threads (one warp, if the algorithm is
//     one for warps), with an item each in a register.
//
// The operator is the sum. Items are whole numbers from -8 to 7, so that the sum is
// exact in any order.
package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.com/warpsim/bench/sweep/kernel"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
)

type element interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

var types = []string{"i32", "u32", "i64", "u64", "f32", "f64"}

func init() {
	for _, a := range reduce.Algorithms[int32]() {
		register("grid/reduce/"+a.Name, "reduces an array: "+a.Doc, a.Name, byType{
			gridReduce[int32], gridReduce[uint32], gridReduce[int64], gridReduce[uint64], gridReduce[float32], gridReduce[float64]})
		register("block/reduce/"+a.Name, fmt.Sprintf("reduces a %v: %s", a.Scope, a.Doc), a.Name, byType{
			blockReduce[int32], blockReduce[uint32], blockReduce[int64], blockReduce[uint64], blockReduce[float32], blockReduce[float64]})
	}
	for _, a := range scan.Algorithms[int32]() {
		register("grid/scan/"+a.Name, "scans an array: "+a.Doc, a.Name, byType{
			gridScan[int32], gridScan[uint32], gridScan[int64], gridScan[uint64], gridScan[float32], gridScan[float64]})
	}
}

// byType has a function for each of types.
type byType [6]func(context.Context, kernel.Job, string) (kernel.Outcome, error)

func register(name, doc, algorithm string, run byType) {
	kernel.Register(kernel.Kernel{Name: name, Doc: doc, Types: types,
		Run: func(ctx context.Context, j kernel.Job) (kernel.Outcome, error) {
			for i, t := range types {
				if t == j.Type {
					return run[i](ctx, j, algorithm)
				}
			}
			return kernel.Outcome{}, fmt.Errorf("no kernel %s for elements of type %s", name, j.Type)
		}})
}

// items draws the data of a job.
func items[T element](j kernel.Job) []T {
	r := rand.New(rand.NewPCG(j.Seed, uint64(j.Repetition)))
	data := make([]T, j.Size)
	for i := range data {
		data[i] = T(int8(r.IntN(16))) - 8
	}
	return data
}

// engine simulates with one worker: a sweep has its runs side by side.
func engine(j kernel.Job) (*warp.Engine, error) {
	return warp.New(warp.Config{Device: j.Device, Workers: 1})
}

func gridReduce[T element](ctx context.Context, j kernel.Job, algorithm string) (kernel.Outcome, error) {
	a, err := reduce.Lookup[T](algorithm)
	if err != nil {
		return kernel.Outcome{}, err
	}
	e, err := engine(j)
	if err != nil {
		return kernel.Outcome{}, err
	}
	got, report, err := reduce.Grid(ctx, e, items[T](j), reduce.Sum[T](), a, reduce.Shape{})
	if err != nil {
		return kernel.Outcome{}, err
	}
	return kernel.From(report, fmt.Sprint(got))
}

func gridScan[T element](ctx context.Context, j kernel.Job, algorithm string) (kernel.Outcome, error) {
	a, err := scan.Lookup[T](algorithm)
	if err != nil {
		return kernel.Outcome{}, err
	}
	e, err := engine(j)
	if err != nil {
		return kernel.Outcome{}, err
	}
	got, report, err := scan.Grid(ctx, e, items[T](j), reduce.Sum[T](), a, scan.Shape{})
	if err != nil {
		return kernel.Outcome{}, err
	}
	return kernel.From(report, fmt.Sprint(got[len(got)-1]))
}

func blockReduce[T element](ctx context.Context, j kernel.Job, algorithm string) (kernel.Outcome, error) {
	a, err := reduce.Lookup[T](algorithm)
	if err != nil {
		return kernel.Outcome{}, err
	}
	op := reduce.Sum[T]()
	if err := a.Fits(j.Device, op, reduce.Tile{}, j.Size); err != nil {
		return kernel.Outcome{}, err
	}
	if a.Scope == reduce.WarpScope && j.Size > j.Device.Lanes {
		return kernel.Outcome{}, fmt.Errorf("%s reduces one warp: %d items do not fit in %d lanes", a.Name, j.Size, j.Device.Lanes)
	}
	e, err := engine(j)
	if err != nil {
		return kernel.Outcome{}, err
	}
	data, result := items[T](j), *new(T)
	report, err := e.Run(ctx, warp.Launch{Blocks: warp.X(1), Threads: warp.X(j.Size)}, func(w *warp.Warp) {
		var s warp.Mem[T]
		if a.Storage != nil {
			s = a.Storage(w)
		}
		v := warp.Alloc[T](w)
		first := w.ID() * w.Width()
		for lane := range min(w.Width(), j.Size-first) {
			v.Lanes()[lane] = data[first+lane]
		}
		v.Define(w.Live())
		a.Run(v, op, reduce.Tile{}, s)
		if w.ID() == 0 {
			result = v.Lanes()[0]
		}
	})
	if err != nil {
		return kernel.Outcome{}, err
	}
	return kernel.From(report, fmt.Sprint(result))
}
