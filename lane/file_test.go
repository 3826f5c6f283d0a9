package lane_test

import (
	"testing"
	"unsafe"

	"example.com/warpsim/lane"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	pair    struct{ A, B float64 }
	odd     struct{ A, B, C uint16 }
	twelve  struct{ A, B, C int32 }
	cache64 [64]byte
)

func newFile(t testing.TB, lanes, rows int) *lane.File {
	t.Helper()
	f, err := lane.NewFile(lanes, rows)
	require.NoError(t, err)
	return f
}

func TestNewFileLimits(t *testing.T) {
	for _, c := range []struct {
		lanes, rows int
		ok          bool
	}{
		{1, 1, true}, {128, 1, true}, {3, 7, true}, {128, 1 << 16, true},
		{0, 1, false}, {-1, 1, false}, {129, 1, false}, {32, 0, false}, {32, -1, false}, {32, 1<<16 + 1, false},
	} {
		f, err := lane.NewFile(c.lanes, c.rows)
		if c.ok {
			require.NoError(t, err)
			assert.Equal(t, []int{c.lanes, c.rows, c.rows}, []int{f.Lanes(), f.Rows(), f.Free()})
			continue
		}
		var bad *lane.SizeError
		require.ErrorAs(t, err, &bad)
		assert.Equal(t, []int{c.lanes, c.rows}, []int{bad.Lanes, bad.Rows})
		assert.Contains(t, err.Error(), bad.Reason)
	}
}

// fill allocates a T, writes a pattern into every lane and returns a check that
// the pattern is still there.
func fill[T comparable](t *testing.T, f *lane.File, make func(l int) T) func() {
	row, err := lane.Alloc[T](f)
	require.NoError(t, err)
	vals := lane.Row[T](f, row)
	require.Len(t, vals, f.Lanes())
	var zero T
	if unsafe.Alignof(zero) == 8 || unsafe.Sizeof(zero) == 8 {
		assert.Zero(t, row%2, "64-bit values start at an even row")
	}
	assert.Zero(t, uintptr(unsafe.Pointer(&vals[0]))%unsafe.Alignof(zero), "alignment of %T", zero)
	assert.Equal(t, lane.FirstN(f.Lanes()), f.Undefined(row), "a new register is undefined")
	for l := range vals {
		vals[l] = make(l)
	}
	return func() {
		for l, v := range lane.Row[T](f, row) {
			if v != make(l) {
				t.Fatalf("%d lanes: lane %d of a %T at row %d holds %v, not %v", f.Lanes(), l, v, row, v, make(l))
			}
		}
	}
}

// Registers of all sizes beside each other keep their values on every number
// of lanes, so no two of them overlap.
func TestRegistersDoNotOverlap(t *testing.T) {
	for lanes := 1; lanes <= lane.MaxLanes; lanes++ {
		f := newFile(t, lanes, 64)
		var checks []func()
		for i := range 2 {
			checks = append(checks,
				fill(t, f, func(l int) uint8 { return uint8(l + 3*i) }),
				fill(t, f, func(l int) float64 { return float64(l) + 0.25 }),
				fill(t, f, func(l int) bool { return l%3 == i }),
				fill(t, f, func(l int) int64 { return -int64(l+i) << 33 }),
				fill(t, f, func(l int) odd { return odd{uint16(l), uint16(i), 7} }),
				fill(t, f, func(l int) twelve { return twelve{int32(l), -1, int32(i)} }),
				fill(t, f, func(l int) pair { return pair{float64(l), -float64(i)} }),
				fill(t, f, func(l int) int16 { return int16(-l) }))
		}
		checks = append(checks, fill(t, f, func(l int) cache64 { return cache64{0: byte(l), 63: byte(lanes)} }))
		for _, check := range checks {
			check()
		}
	}
}

func TestWords(t *testing.T) {
	for bytes, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 1, 4: 1, 5: 2, 8: 2, 12: 3, 13: 4, 16: 4} {
		require.Equal(t, want, lane.Words(bytes), "%d bytes", bytes)
	}
}

func TestMarkAndRelease(t *testing.T) {
	f := newFile(t, 32, 16)
	first, err := lane.Alloc[int32](f)
	require.NoError(t, err)
	f.SetUndefined(first, lane.Mask{})
	mark := f.Mark()
	second, err := lane.Alloc[int64](f)
	require.NoError(t, err)
	assert.Equal(t, 2, second, "row 1 is passed over")
	assert.Equal(t, 12, f.Free())
	f.SetUndefined(second, lane.Mask{})

	f.Release(mark + 100) // not reached: changes nothing
	f.Release(-1)
	assert.Equal(t, 12, f.Free())

	f.Release(mark)
	assert.Equal(t, 15, f.Free())
	assert.Empty(t, f.Undefined(first), "older registers keep what they have")
	again, err := lane.Alloc[int64](f)
	require.NoError(t, err)
	assert.Equal(t, second, again)
	assert.Equal(t, lane.FirstN(32), f.Undefined(again), "a released register is undefined when it is taken again")

	f.SetUndefined(first, lane.Mask{})
	lane.Row[int32](f, first)[5] = 99
	f.Reset()
	assert.Equal(t, 16, f.Free())
	assert.Equal(t, lane.FirstN(32), f.Undefined(first))
	assert.Equal(t, int32(99), lane.Row[int32](f, first)[5], "the bits stay")
}

func TestUndefinedRowsAliases(t *testing.T) {
	f := newFile(t, 8, 4)
	rows := f.UndefinedRows()
	require.Len(t, rows, 4)
	rows[2] = lane.Bit(3)
	assert.Equal(t, lane.Bit(3), f.Undefined(2))
	f.SetUndefined(1, lane.FirstN(2))
	assert.Equal(t, lane.FirstN(2), rows[1])
}

func TestFullError(t *testing.T) {
	f := newFile(t, 32, 3)
	_, err := lane.Alloc[int32](f)
	require.NoError(t, err)
	_, err = lane.Alloc[float64](f) // 2 rows and one for alignment
	var full *lane.FullError
	require.ErrorAs(t, err, &full)
	assert.Equal(t, lane.FullError{Type: "float64", Need: 3, Free: 2, Total: 3}, *full)
	assert.Equal(t, 2, f.Free(), "a refused allocation takes nothing")
	assert.Contains(t, err.Error(), "3 rows, 2 of 3 are free")

	for range 2 {
		_, err = lane.Alloc[uint8](f)
		require.NoError(t, err)
	}
	_, err = lane.Alloc[bool](f)
	require.ErrorAs(t, err, &full)
	assert.Equal(t, 1, full.Need)
}

func refused[T any](t *testing.T, reason string) {
	t.Helper()
	f := newFile(t, 32, 100)
	_, err := lane.Alloc[T](f)
	var bad *lane.TypeError
	if assert.ErrorAs(t, err, &bad) {
		assert.Contains(t, bad.Reason, reason)
		assert.Contains(t, err.Error(), bad.Type)
	}
	assert.ErrorAs(t, lane.CheckType[T](), &bad)
	assert.Equal(t, 100, f.Free())
}

func TestTypesThatCannotBeRegisters(t *testing.T) {
	refused[*int](t, "a ptr has no fixed bits")
	refused[string](t, "a string")
	refused[[]int](t, "a slice")
	refused[map[int]int](t, "a map")
	refused[func()](t, "a func")
	refused[chan int](t, "a chan")
	refused[any](t, "a interface")
	refused[error](t, "a interface")
	refused[uintptr](t, "a uintptr")
	refused[unsafe.Pointer](t, "a unsafe.Pointer")
	refused[complex64](t, "a complex64")
	refused[struct{}](t, "0 bytes")
	refused[[0]int32](t, "0 bytes")
	refused[[65]byte](t, "65 bytes")
	refused[[9]float64](t, "72 bytes")
	refused[struct{ A struct{ B *int } }](t, "field A: field B: a ptr")
	refused[[2]string](t, "a string")
	refused[[0]*int](t, "a ptr")
}

func accepted[T any](t *testing.T) {
	t.Helper()
	assert.NoError(t, lane.CheckType[T]())
	_, err := lane.Alloc[T](newFile(t, 1, 16))
	assert.NoError(t, err)
}

func TestTypesThatCanBeRegisters(t *testing.T) {
	type named int16
	accepted[bool](t)
	accepted[int](t)
	accepted[uint](t)
	accepted[named](t)
	accepted[float32](t)
	accepted[[64]byte](t)
	accepted[[8]float64](t)
	accepted[struct {
		A uint8
		B [3]named
		C bool
	}](t)
	accepted[lane.Mask](t)
}

// Marks and releases in any order leave the file as its own list of rows says.
func FuzzAlloc(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7}, uint8(32))
	f.Add([]byte{3, 3, 6, 3, 7, 1, 6, 2, 5}, uint8(1))
	f.Fuzz(func(t *testing.T, ops []byte, lanes uint8) {
		file, err := lane.NewFile(int(lanes)%lane.MaxLanes+1, 40)
		require.NoError(t, err)
		next := 0
		var marks []int
		take := func(rows int, even bool, alloc func(*lane.File) (int, error)) {
			start := next
			if even {
				start += start % 2
			}
			row, err := alloc(file)
			if start+rows > 40 {
				require.ErrorAs(t, err, new(*lane.FullError))
				return
			}
			require.NoError(t, err)
			require.Equal(t, start, row)
			next = start + rows
		}
		for _, op := range ops {
			switch op % 8 {
			case 0:
				take(1, false, lane.Alloc[int8])
			case 1:
				take(1, false, lane.Alloc[float32])
			case 2:
				take(2, true, lane.Alloc[uint64])
			case 3:
				take(3, false, lane.Alloc[twelve])
			case 4:
				take(4, unsafe.Alignof(pair{}) == 8, lane.Alloc[pair])
			case 5:
				marks = append(marks, file.Mark())
			case 6:
				if n := len(marks); n > 0 {
					file.Release(marks[n-1])
					next, marks = min(next, marks[n-1]), marks[:n-1]
				}
			case 7:
				file.Reset()
				next, marks = 0, nil
			}
			require.Equal(t, 40-next, file.Free())
			for row := next; row < 40; row++ {
				require.Equal(t, lane.FirstN(file.Lanes()), file.Undefined(row))
			}
		}
	})
}

func TestRowsThatAreNone(t *testing.T) {
	f, err := lane.NewFile(32, 4)
	require.NoError(t, err)
	require.Nil(t, lane.Row[int32](f, 4))
	require.Nil(t, lane.Row[int32](f, -1))
	require.Nil(t, lane.Row[int64](f, 3))
	require.Len(t, lane.Row[int64](f, 2), 32)
}
