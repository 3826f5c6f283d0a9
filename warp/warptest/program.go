package warptest

import (
	"context"

	"example.com/warpsim/warp"
)

// A Program runs a kernel on an engine and returns its result: what must not
// depend on the schedule or the device. It makes its memory afresh in each call.
// Kernels of both fronts can be run so. The error is that of the run; the report
// must not be nil if the error is.
type Program func(ctx context.Context, e *warp.Engine) (result any, r *warp.Report, err error)

// Output makes a Program of a wide kernel that writes n elements of global
// memory, which are the result. They start as the zero T.
func Output[T any](l warp.Launch, n int, kernel func(out warp.Mem[T]) warp.Kernel) Program {
	return func(ctx context.Context, e *warp.Engine) (any, *warp.Report, error) {
		out, err := warp.Global(e, make([]T, n))
		if err != nil {
			return nil, nil, err
		}
		r, err := e.Run(ctx, l, kernel(out))
		return out.Data(), r, err
	}
}
