package sass_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Mistakes are faults of the engine's kinds, with the address of the instruction.
func TestFaults(t *testing.T) {
	for body, want := range map[string]struct {
		kind   warp.FaultKind
		text   string
		config warp.Config
	}{
		"STG.E desc[UR8][R20.64], R0":                                   {warp.UndefinedUse, "listing:48: undefined value used: block 0 warp 0 lanes 0-31 (0xffffffff): undefined address", warp.Config{}},
		"MOV R8, 0x400\nSTS [R8], R9":                                   {warp.UndefinedUse, "undefined value stored to memory", warp.Config{}},
		"@P3 BRA 0x%x":                                                  {warp.UndefinedUse, "undefined predicate decides a branch", warp.Config{}},
		"MOV R8, 0x40000\nLDS R2, [R8]":                                 {warp.OutOfBounds, "load of 4 bytes at 0x40000, which is in shared memory beyond the", warp.Config{}},
		"MOV R8, 0x402\nLDS R2, [R8]":                                   {warp.OutOfBounds, "which is no multiple of that", warp.Config{}},
		"LDC.64 R8, c[0x0][0x210]\nLDG.E R2, desc[UR8][R8.64+0x100]":    {warp.OutOfBounds, "argument 1 has 256 bytes at 0x100000, and this is 0 beyond their end", warp.Config{}},
		"MOV R8, RZ\nMOV R9, RZ\nLDG.E R2, desc[UR8][R8.64]":            {warp.OutOfBounds, "a null pointer?", warp.Config{}},
		"ISETP.LT.U32.AND P1, PT, R0, 0x8, PT\n@P1 BAR.SYNC 0x0":        {warp.BarrierDivergent, "lanes 8-31 of the warp are elsewhere", warp.Config{}},
		"MOV R2, R0\nMOV R8, 0x400\nSTS [R8], R0":                       {warp.SharedRace, "store", warp.Config{Sanitize: true}},
		"MOV R8, 0x400\nLDS R2, [R8]":                                   {warp.UndefinedUse, "undefined value stored to memory", warp.Config{Sanitize: true}},
		"MOV R2, R0\nBPT.TRAP 0x1":                                      {warp.KernelPanic, "the kernel has come to a trap", warp.Config{}},
		"MOV R2, R0\nMOV R8, 0x99990\nMOV R9, RZ\nRET.REL.NODEC R8 0x0": {warp.OutOfBounds, "a branch to 0x99990, where no instruction is", warp.Config{}},
		// Lanes that wait for others which never come.
		"MOV R2, R0\nBSSY B0, 0x60\nISETP.LT.U32.AND P1, PT, R0, 0x8, PT\n@P1 BSYNC B0\nWARPSYNC.ALL": {warp.Deadlock, "wait for lanes", warp.Config{}},
	} {
		_, err := tried(t, body, want.config)
		assert.ErrorIs(t, err, want.kind, body)
		assert.ErrorContains(t, err, want.text, body)
	}
	_, err := tried(t, "ISETP.LT.U32.AND P1, PT, R0, 0x8, PT\n@P1 BRA 0x60\nMOV R2, R0\nSHFL.IDX PT, R2, R2, 0x3, 0x1f", warp.Config{})
	assert.ErrorIs(t, err, warp.UndefinedUse, "lanes 0 to 7 take no part")
}

// A register that holds packed predicates is defined where they are, whatever was
// in it before.
func TestUndefinedBits(t *testing.T) {
	got := computed(t, `LOP3.LUT R5, R5, 0xfffffeff, RZ, 0xc0, !PT
ISETP.LT.U32.AND P1, PT, R0, 0x8, PT
@P1 LOP3.LUT R5, R5, 0x100, RZ, 0xfc, !PT
LOP3.LUT P2, RZ, R5, 0x100, RZ, 0xc0, !PT
SEL R2, RZ, 0x1, !P2`)
	for i, v := range got {
		assert.Equal(t, pick(i < 8, 1, 0), v, i)
	}
	_, err := tried(t, "LOP3.LUT P2, RZ, R5, 0x100, RZ, 0xc0, !PT\nSEL R2, RZ, 0x1, !P2", warp.Config{})
	assert.ErrorIs(t, err, warp.UndefinedUse)
}

// Lanes part and meet.
func TestDivergence(t *testing.T) {
	// Half of the lanes go each way, and meet at BSYNC before they count who is there.
	got := computed(t, `BSSY B0, 0x80
LOP3.LUT P1, RZ, R0, 0x1, RZ, 0xc0, !PT
@P1 BRA 0x80
MOV R5, 0x64
BRA 0x90
MOV R5, 0xc8
BSYNC B0
VOTE.ANY R6, PT, PT
POPC R6, R6
IMAD.IADD R2, R5, 0x1, R6`)
	for i, v := range got {
		assert.Equal(t, pick(i%2 == 1, 200, 100)+32, v, i)
	}
	// A loop of as many turns as the lane's number, by itself.
	got = computed(t, `MOV R2, RZ
LOP3.LUT R5, R0, 0x1f, RZ, 0xc0, !PT
BSSY B0, 0xc0
ISETP.EQ.AND P1, PT, R5, RZ, PT
@P1 BREAK B0
@P1 BRA 0xc0
VIADD R5, R5, 0xffffffff
IMAD.IADD R2, R2, 0x1, R5
BRA 0x60
NOP`)
	for i, v := range got {
		n := uint32(i % 32)
		assert.Equal(t, n*(n-1)/2, v, i)
	}
	// A lock that one lane holds while the others spin: the holder gets its turn.
	got = computed(t, `MOV R8, 0x400
MOV R9, 0x1
MOV R2, RZ
BSSY B0, 0xc0
ATOMS.CAS R10, [R8], RZ, R9
ISETP.NE.AND P1, PT, R10, RZ, PT
@P1 BRA 0x70
VIADD R2, R2, 0x7
ATOMS.EXCH R11, [R8], RZ
BSYNC B0`)
	for i, v := range got {
		assert.EqualValues(t, 7, v, i)
	}
}

// The context ends a kernel that never does.
func TestEndlessListing(t *testing.T) {
	l, err := sass.Parse(strings.NewReader("0000 NOP\n0010 BRA 0x0"))
	require.NoError(t, err)
	p, err := l.Functions[0].Program()
	require.NoError(t, err)
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	for _, threads := range []int{32, 64} {
		_, err = sass.Run(ctx, engine(t, warp.Config{ValuesOnly: true}), p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(threads)})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

func TestBadLaunches(t *testing.T) {
	l := listing(t, "grids.sass.gz")
	e := engine(t, warp.Config{ValuesOnly: true})
	x := sass.Buffer(global(t, e, make([]float32, 64)))
	p := programOf(t, l, "copy_f32")
	for want, args := range map[string][]sass.Arg{
		"arguments = 3: too few: copy_f32 has 4 parameters (float const*, float*, int, Span*)": {x, x, sass.Value(int32(64))},
		"arguments = 5: too many":                                 {x, x, sass.Value(int32(64)), sass.Pointer(0), sass.Pointer(0)},
		"argument 3 = float 64: the parameter is of type int":     {x, x, sass.Value(float32(64)), sass.Pointer(0)},
		"argument 3 = null pointer: the parameter is of type int": {x, x, sass.Pointer(0), sass.Pointer(0)},
		"argument 1 = int 1: the parameter is a pointer":          {sass.Value(int32(1)), x, sass.Value(int32(64)), sass.Pointer(0)},
		"argument 3 = long long 64":                               {x, x, sass.Value(int64(64)), sass.Pointer(0)},
	} {
		_, err := sass.Run(context.Background(), e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(64), Args: args})
		var bad *sass.ArgumentError
		assert.ErrorAs(t, err, &bad, want)
		assert.ErrorContains(t, err, want)
	}
	plain, err := sass.Parse(strings.NewReader("0000 LDC.64 R2, c[0x0][0x220]\n0010 EXIT"))
	require.NoError(t, err)
	p, err = plain.Functions[0].Program()
	require.NoError(t, err)
	_, err = sass.Run(context.Background(), e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(32), Args: []sass.Arg{x}})
	assert.ErrorContains(t, err, "too few: listing reads 24 bytes")
	plain, err = sass.Parse(strings.NewReader("0000 LDC.64 R2, c[0x3][0x8]\n0010 EXIT"))
	require.NoError(t, err)
	p, err = plain.Functions[0].Program()
	require.NoError(t, err)
	_, err = sass.Run(context.Background(), e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(32)})
	assert.ErrorContains(t, err, "constant bank = 3: the kernel reads it")
	_, err = sass.Run(context.Background(), e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(32), Constants: map[int][]byte{3: make([]byte, 16)}})
	assert.NoError(t, err)
}

func FuzzParse(f *testing.F) {
	raw := text(f, "grids.sass.gz")
	f.Add(raw[:4000])
	f.Add(nvdisasm)
	f.Add("== a x2\n0000 SHFL.UP P0, R4, R5, 0x1, RZ\n0010 @!P0 STG.E.64 desc[UR6][R2.64+-0x10], R4\n0020 EXIT")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := sass.Parse(strings.NewReader(s))
		if err != nil {
			return
		}
		for _, fn := range l.Functions {
			for i := range fn.Code {
				_ = fn.Code[i].String()
			}
			if p, err := fn.Program(); err == nil {
				_, _ = fn.CheckSchedule()
				_ = p.Function()
			}
			_ = sass.Demangle(fn.Name)
		}
	})
}

// mutate swaps operands, names and lines of a listing at random.
func mutate(lines []string, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	out := append([]string(nil), lines...)
	for range 1 + r.IntN(4) {
		i := 1 + r.IntN(len(out)-1) // the first is a heading
		a, b := strings.Fields(out[i]), strings.Fields(out[r.IntN(len(out))])
		if len(a) < 2 || len(b) < 2 {
			continue
		}
		switch r.IntN(4) {
		case 0:
			a[len(a)-1] = b[len(b)-1]
		case 1:
			a[1] = b[1]
		case 2:
			a[1+r.IntN(len(a)-1)] = b[1+r.IntN(len(b)-1)]
		default:
			a = append(a[:1], b[1:]...)
		}
		out[i] = strings.Join(a, " ")
	}
	return strings.Join(out, "\n")
}

// Random changes of real listings give an error or a run that ends with the
// context, and never a panic.
func FuzzRun(f *testing.F) {
	for i := range uint64(12) {
		f.Add(i, uint8(17*i))
	}
	var functions []*sass.Function
	for _, file := range []string{"grids.sass.gz", "archs/grids.sm_75.sass.gz", "archs/grids.sm_120.sass.gz"} {
		functions = append(functions, listing(f, file).Functions...)
	}
	f.Fuzz(func(t *testing.T, seed uint64, which uint8) {
		fn := functions[int(which)%len(functions)]
		lines := []string{fmt.Sprintf("code for sm_%d", fn.Arch)}
		for i := range fn.Code {
			lines = append(lines, strings.TrimSpace(hex(fn.Code[i].Address)+" "+fn.Code[i].String()))
		}
		got, err := sass.Parse(strings.NewReader(mutate(lines, seed)))
		if err != nil {
			return
		}
		p, err := got.Functions[0].Program()
		if err != nil {
			return
		}
		e := engine(t, warp.Config{Sanitize: seed%2 == 0})
		x := global(t, e, make([]float32, 4096))
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		start := time.Now()
		_, err = sass.Run(ctx, e, p, sass.Launch{Blocks: warp.X(2), Threads: warp.X(64),
			Args: []sass.Arg{sass.Buffer(x), sass.Buffer(x), sass.Buffer(x), sass.Value(uint64(64)), sass.Pointer(0), sass.Pointer(0)}})
		if err != nil && strings.Contains(err.Error(), "runtime error") {
			t.Fatal(err)
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Fatalf("ran for %s", d)
		}
	})
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>12&15], digits[n>>8&15], digits[n>>4&15], digits[n&15]})
}
