package flow

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every function of this program is understood: its instructions end where it
// ends, and its branches lead to the beginning of one.
func TestDecodeAll(t *testing.T) {
	if !readable {
		t.Skip("code is not read on this processor")
	}
	pc := reflect.ValueOf(TestDecodeAll).Pointer()
	for f := runtime.FuncForPC(pc); f != nil; f = runtime.FuncForPC(pc - 1) {
		pc = f.Entry()
	}
	functions, branches, last := 0, 0, ""
	for f := runtime.FuncForPC(pc); f != nil; f = runtime.FuncForPC(pc) {
		end, name := extent(pc), f.Name()
		if name == last && end > pc+1<<16 {
			break // the end of the program
		}
		last = name
		list, ok := instructions(pc, end)
		if strings.HasPrefix(name, "crypto/") || strings.Contains(name, "cgo") {
			ok = false // written by hand, with data in its code
		} else {
			require.True(t, ok, "%s at %x", name, pc)
		}
		if ok {
			functions++
			begins := map[uintptr]bool{}
			for _, in := range list {
				begins[in.at] = true
			}
			for _, in := range list {
				if (in.kind == branch || in.kind == jump) && in.target >= pc && in.target < end {
					require.True(t, begins[in.target], "%s: %x leads to %x", name, in.at, in.target)
					branches++
				}
			}
		}
		pc = end
	}
	t.Log(functions, branches)
	require.Greater(t, functions, 2000)
	require.Greater(t, branches, 20000)
}
