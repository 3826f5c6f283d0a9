package device

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachNumber calls f with every number of a profile, and with what sets it.
func eachNumber(path string, v reflect.Value, f func(path string, v reflect.Value, set func(x any))) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachNumber(path, v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachNumber(path+"."+v.Type().Field(i).Name, v.Field(i), f)
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			k := it.Key()
			one := reflect.New(it.Value().Type()).Elem()
			one.Set(it.Value())
			eachNumber(path+"."+k.String(), one, func(path string, n reflect.Value, set func(any)) {
				f(path, n, func(x any) {
					set(x)
					v.SetMapIndex(k, one)
				})
			})
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachNumber(fmt.Sprintf("%s[%d]", path, i), v.Index(i), f)
		}
	case reflect.Bool, reflect.String:
	default:
		f(path, v, func(x any) { v.Set(reflect.ValueOf(x).Convert(v.Type())) })
	}
}

// Every number of a profile has a largest sensible value: what is far beyond, below
// zero or no number is refused, whatever the field, and named.
func TestEveryNumberHasALargestValue(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-128"} {
		p, err := Lookup(name)
		require.NoError(t, err)
		paths, kinds := 0, map[string]bool{}
		eachNumber("", reflect.ValueOf(p), func(path string, v reflect.Value, set func(any)) {
			paths++
			kinds[strings.TrimLeft(path, ".")] = true
			old := v.Interface()
			bad := []any{math.MaxInt, math.MaxInt32, -1, math.MinInt}
			switch {
			case strings.HasPrefix(path, ".Limits.Grid"):
				bad = []any{math.MaxInt, -1, 0}
			case v.CanUint():
				bad = []any{uint8(255)}
			case v.CanFloat():
				bad = []any{math.MaxFloat64, 1e9, -0.5, math.NaN(), math.Inf(1), math.Inf(-1)}
			case math.MaxInt == math.MaxInt32:
				bad = []any{math.MaxInt, -1}
			}
			for _, x := range bad {
				if x == any(math.MaxInt) && v.CanInt() && math.MaxInt == math.MaxInt32 && strings.HasPrefix(path, ".Limits.Grid") {
					continue // the largest grid
				}
				set(x)
				var e *ProfileError
				require.ErrorAs(t, p.Validate(), &e, "%s: %s = %v", name, path, x)
				require.NotEmpty(t, e.Path)
			}
			set(old)
		})
		require.NoError(t, p.Validate(), "all numbers are back")
		require.Greater(t, paths, 100)
		if name == "h200" { // which has all parts of the costs
			for _, part := range []string{"Timing.Barrier.Shadow", "Timing.Branch.Taken", "Timing.Global.Second.Bytes", "Timing.Global.Atomics.DenseCycles", "Timing.Dispatch.RefillCycles", "Memory.L1Bytes"} {
				require.True(t, kinds[part], part)
			}
		}
	}
}
