package isa_test

import (
	"reflect"
	"testing"
	"unsafe"

	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
)

// Every op has a name of its own that reads back.
func TestOpNames(t *testing.T) {
	seen := map[string]bool{}
	for o := isa.Invalid; o < isa.NumOps; o++ {
		name := o.String()
		assert.NotEmpty(t, name, "op %d", uint8(o))
		assert.False(t, seen[name], "%s twice", name)
		seen[name] = true
		got, ok := isa.ParseOp(name)
		assert.Equal(t, o != isa.Invalid, ok, name)
		if ok {
			assert.Equal(t, o, got)
		}
	}
	assert.Equal(t, "op(255)", isa.Op(255).String())
	for _, name := range []string{"", "invalid", "FADD", "op(3)"} {
		_, ok := isa.ParseOp(name)
		assert.False(t, ok, name)
	}
}

// Registers of all kinds have indices of their own below NumRegs, and a pair
// that of its lower row.
func TestRegisters(t *testing.T) {
	seen := map[int]isa.Reg{0: isa.NoReg}
	note := func(r isa.Reg, predicate, uniform bool) {
		t.Helper()
		old, twice := seen[r.Index()]
		assert.False(t, twice, "%s and %s", r, old)
		seen[r.Index()] = r
		assert.Less(t, r.Index(), isa.NumRegs)
		assert.Equal(t, []bool{predicate, uniform, false}, []bool{r.IsPredicate(), r.IsUniform(), r.IsPair()}, "%s", r)
	}
	for i := range isa.MaxRows {
		note(isa.Row(i), false, false)
		p := isa.RowPair(i)
		assert.Equal(t, isa.Row(i).Index(), p.Index())
		assert.Equal(t, []bool{false, false, true}, []bool{p.IsPredicate(), p.IsUniform(), p.IsPair()})
	}
	for i := range isa.MaxPredicates {
		note(isa.Predicate(i), true, false)
	}
	for i := range isa.MaxUniform {
		note(isa.Uniform(i), false, true)
	}
	for r, want := range map[isa.Reg]string{
		isa.NoReg: "-", isa.Row(0): "R0", isa.Row(254): "R254", isa.RowPair(4): "R4:5", isa.Predicate(6): "P6", isa.Uniform(63): "U63",
	} {
		assert.Equal(t, want, r.String())
	}
}

func TestRecord(t *testing.T) {
	assert.EqualValues(t, 16, unsafe.Sizeof(isa.Instr{}))
	for _, bytes := range []int{1, 2, 4, 8, 16} {
		for _, level := range []int{isa.LevelL1, isa.LevelL2, isa.LevelDRAM} {
			in := isa.Instr{Aux: isa.MemAux(bytes, level)}
			assert.Equal(t, []int{bytes, level}, []int{in.MemBytes(), in.MemLevel()})
		}
	}
	for want, in := range map[string]isa.Instr{
		"nop":                   {Op: isa.Nop},
		"fadd R1, R2, R3":       {Op: isa.FAdd, Dst: isa.Row(1), A: isa.Row(2), B: isa.Row(3)},
		"@P2 lds R4:5, R0 x8":   {Op: isa.LoadShared, Guard: 3, Dst: isa.RowPair(4), A: isa.Row(0), Count: 8},
		"sts R0, R1":            {Op: isa.StoreShared, A: isa.Row(0), B: isa.Row(1)},
		"match.all U0, P1, R3":  {Op: isa.MatchAll, Dst: isa.Uniform(0), Dst2: isa.Predicate(1), A: isa.Row(3), Count: 1},
		"select R1, R2, R3, P0": {Op: isa.Select, Dst: isa.Row(1), A: isa.Row(2), B: isa.Row(3), C: isa.Predicate(0)},
	} {
		assert.Equal(t, want, in.String())
	}
}

// Streams are equal if every field of every record is, and so is their length.
func TestEqual(t *testing.T) {
	one := isa.Instr{Op: isa.FAdd, Active: 1, Guard: 2, Aux: 3, Dst: 4, Dst2: 5, A: 6, B: 7, C: 8, Count: 9}
	assert.True(t, isa.Equal(nil, []isa.Instr{}))
	assert.True(t, isa.Equal([]isa.Instr{one, one}, []isa.Instr{one, one}))
	assert.False(t, isa.Equal([]isa.Instr{one}, []isa.Instr{one, one}))
	fields := reflect.TypeFor[isa.Instr]().NumField()
	for i := range fields {
		other := one
		f := reflect.ValueOf(&other).Elem().Field(i)
		f.SetUint(f.Uint() + 1)
		assert.False(t, isa.Equal([]isa.Instr{one, one}, []isa.Instr{one, other}), "field %d", i)
	}
}
