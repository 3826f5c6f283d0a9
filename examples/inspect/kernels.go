package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
)

// A kernel is what -kernel names.
type kernel struct {
	name, doc string
	algorithm string // of package reduce or scan
	block     bool   // it is one for blocks
	racy      bool   // it shows races
}

// own are the kernels that are no collectives.
var own = []kernel{
	{name: "transpose", doc: "columns of a tile of shared memory are written and rows read: every store wants one bank"},
	{name: "transpose-padded", doc: "the same with a word more a row, so that columns lie in different banks"},
	{name: "one-word", doc: "every thread of a grid adds to one word of global memory"},
	{name: "race", doc: "warps read what others write to shared memory, without a barrier", racy: true},
}

// kernels returns all kernels.
func kernels() []kernel {
	var all []kernel
	for _, a := range reduce.Algorithms[float32]() {
		all = append(all, kernel{name: "reduce/" + a.Name, doc: a.Doc, algorithm: a.Name, block: a.Scope == reduce.BlockScope})
	}
	for _, a := range scan.Algorithms[float32]() {
		all = append(all, kernel{name: "scan/" + a.Name, doc: a.Doc, algorithm: a.Name, block: a.Scope == reduce.BlockScope})
	}
	return append(all, own...)
}

func lookup(name string) (kernel, error) {
	all := kernels()
	if i := slices.IndexFunc(all, func(k kernel) bool { return k.name == name }); i >= 0 {
		return all[i], nil
	}
	var close []string
	for _, k := range all {
		if _, last, _ := strings.Cut(k.name, "/"); last == name || strings.Contains(k.name, name) {
			close = append(close, k.name)
		}
	}
	if len(close) > 0 {
		return kernel{}, fmt.Errorf("-kernel %s: do you mean %s?", name, strings.Join(close, " or "))
	}
	return kernel{}, fmt.Errorf("-kernel %s: there is none of that name; -kernel list lists them", name)
}

func list(w io.Writer, asJSON bool) error {
	type row struct {
		Name string `json:"name"`
		Doc  string `json:"doc"`
	}
	var rows []row
	wide := 0
	for _, k := range kernels() {
		rows = append(rows, row{k.name, k.doc})
		wide = max(wide, len(k.name))
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "%-*s  %s\n", wide, r.Name, r.Doc); err != nil {
			return err
		}
	}
	return nil
}

// items is how many items a kernel takes if nobody says.
func (k kernel) items(p *device.Profile) int {
	switch {
	case k.name == "one-word":
		return 1 << 18
	case k.block || k.algorithm == "":
		return 256
	}
	return p.Lanes
}

// types are the names of -type, runners what runs a kernel on items of one.
var types = []string{"i32", "u32", "i64", "u64", "f32", "f64"}

var runners = map[string]func(context.Context, *warp.Engine, kernel, int) error{
	"i32": start[int32], "u32": start[uint32], "i64": start[int64], "u64": start[uint64], "f32": start[float32], "f64": start[float64],
}

// start runs a kernel on n items: 0, 1, 2 and so on up to 999, and again from 0.
func start[T warp.Number](ctx context.Context, e *warp.Engine, k kernel, n int) error {
	data := make([]T, n)
	for i := range data {
		data[i] = T(i % 1000)
	}
	sum := reduce.Sum[T]()
	switch {
	case strings.HasPrefix(k.name, "reduce/"):
		return reduced(ctx, e, k.algorithm, data, sum)
	case strings.HasPrefix(k.name, "scan/"):
		return scanned(ctx, e, k.algorithm, data, sum)
	}
	return ownKernel(ctx, e, k.name, data)
}

func reduced[T warp.Number](ctx context.Context, e *warp.Engine, name string, data []T, op reduce.Op[T]) error {
	a, err := reduce.Lookup[T](name)
	if err != nil {
		return err
	}
	p := e.Device()
	if len(data) > p.Limits.ThreadsPerBlock {
		_, _, err := reduce.Grid(ctx, e, data, op, a, reduce.Shape{})
		return err
	}
	tile := reduce.Tile{Valid: valid(a.Scope, p, len(data))}
	if err := a.Fits(p, op, tile, len(data)); err != nil {
		return err
	}
	return onBlock(ctx, e, data, a.Storage, func(v warp.Reg[T], s warp.Mem[T]) { a.Run(v, op, tile, s) })
}

func scanned[T warp.Number](ctx context.Context, e *warp.Engine, name string, data []T, op reduce.Op[T]) error {
	a, err := scan.Lookup[T](name)
	if err != nil {
		return err
	}
	p := e.Device()
	if len(data) > p.Limits.ThreadsPerBlock {
		_, _, err := scan.Grid(ctx, e, data, op, a, scan.Shape{})
		return err
	}
	spec := scan.Spec[T]{Valid: valid(a.Scope, p, len(data))}
	if err := a.Fits(p, op, spec, len(data)); err != nil {
		return err
	}
	return onBlock(ctx, e, data, a.Storage, func(v warp.Reg[T], s warp.Mem[T]) { a.Run(v, op, spec, s) })
}

// onBlock runs an algorithm on a block with a thread for each number.
func onBlock[T warp.Number](ctx context.Context, e *warp.Engine, data []T, storage func(w *warp.Warp) warp.Mem[T], run func(v warp.Reg[T], s warp.Mem[T])) error {
	in, err := warp.Global(e, data)
	if err != nil {
		return err
	}
	_, err = e.Run(ctx, oneBlock(len(data)), func(w *warp.Warp) {
		v := warp.Alloc[T](w)
		warp.Load(v, in, w.GlobalID())
		run(v, shared(w, storage))
	})
	return err
}

// shared declares what an algorithm needs, nothing for one that needs none.
func shared[T any](w *warp.Warp, storage func(w *warp.Warp) warp.Mem[T]) warp.Mem[T] {
	if storage == nil {
		return warp.Mem[T]{}
	}
	return storage(w)
}

func oneBlock(threads int) warp.Launch {
	return warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}
}

// valid says how many items the groups of an algorithm hold: all, if a single warp is
// not full the items that there are.
func valid(s reduce.Scope, p *device.Profile, n int) team.Count {
	if s == reduce.WarpScope && n < p.Lanes {
		return team.First(n)
	}
	return team.All()
}
