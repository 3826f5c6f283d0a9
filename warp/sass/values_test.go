package sass_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func f32(x float64) uint32 { return math.Float32bits(float32(x)) }

// Each listing leaves in R2 what arithmetic says of the thread's number n.
func TestValues(t *testing.T) {
	// A few values to work on: R3 = 0x80000001 * n, R4 = n + 0.5 as a float, P0 is n
	// >= 40.
	const setup = "MOV R6, 0x80000001\nIMAD R3, R0, R6, RZ\nI2FP.F32.U32 R4, R0\nFADD R4, R4, 0.5\nISETP.GE.U32.AND P0, PT, R0, 0x28, PT\n"
	for body, want := range map[string]func(n uint32) uint32{
		"MOV R2, R3": func(n uint32) uint32 { return 0x80000001 * n },
		"MOV R2, 0x7\nISETP.LT.U32.AND P1, PT, R0, RZ, PT\n@!PT MOV R2, 0x8": func(n uint32) uint32 { return 7 },
		"MOV R2, UR4":                   func(n uint32) uint32 { return 5 },
		"IMAD.MOV.U32 R2, RZ, RZ, -0x1": func(n uint32) uint32 { return math.MaxUint32 },
		"IMAD.U32 R2, RZ, RZ, UR4":      func(n uint32) uint32 { return 5 },
		"IMAD.IADD R2, R0, 0x1, R3":     func(n uint32) uint32 { return n + 0x80000001*n },
		"IMAD.SHL.U32 R2, R0, 0x4, RZ":  func(n uint32) uint32 { return n * 4 },
		"IMAD R2, R0, UR4, R0":          func(n uint32) uint32 { return n * 6 },
		"VIADD R2, R0, UR4":             func(n uint32) uint32 { return n + 5 },
		"VIADD R2, R0, 0xffffffff":      func(n uint32) uint32 { return n - 1 },
		"IADD3 R2, R0, R3, R0":          func(n uint32) uint32 { return 2*n + 0x80000001*n },
		"IADD3 R2, R0, 0x1f, -R3":       func(n uint32) uint32 { return n + 31 - 0x80000001*n },
		"IADD3 R5, P1, R3, R3, RZ\nIADD3.X R2, R0, R0, RZ, P1, !PT": func(n uint32) uint32 { return 2*n + n&1 },
		"IMAD.WIDE.U32 R8, R3, R3, RZ\nMOV R2, R9": func(n uint32) uint32 {
			x := uint64(0x80000001 * n)
			return uint32(x * x >> 32)
		},
		"MOV R8, R3\nMOV R9, R0\nIADD.64 R10, R8, R8\nMOV R2, R11":                                                            func(n uint32) uint32 { return 2*n + n&1 },
		"MOV R8, R3\nMOV R9, RZ\nIADD.64 R10, R8, -0x1\nMOV R2, R11":                                                          func(n uint32) uint32 { return pick(n == 0, math.MaxUint32, 0) },
		"MOV R8, R3\nMOV R9, RZ\nIADD.64 R10, R8, -R8\nIADD3 R2, R10, R11, R0":                                                func(n uint32) uint32 { return n },
		"UMOV UR10, 0xffffffff\nUMOV UR11, 0x7\nUIADD3.64 UR12, UPT, UPT, UR10, UR10, UR10\nMOV R2, UR13":                     func(n uint32) uint32 { return 23 },
		"MOV R8, R3\nMOV R9, 0xffffffff\nISETP.LT.S64.AND P1, PT, R8, RZ, PT\nSEL R2, R0, 0x3, P1":                            func(n uint32) uint32 { return n },
		"MOV R8, R3\nMOV R9, 0xffffffff\nMOV R10, R0\nMOV R11, RZ\nISETP.LT.U64.AND P1, PT, R8, R10, PT\nSEL R2, R0, 0x3, P1": func(n uint32) uint32 { return 3 },
		"MOV R8, R0\nMOV R9, RZ\nMOV R10, 0x5\nMOV R11, RZ\nISETP.GE.U64.AND P1, PT, R8, R10, PT\nSEL R2, R0, 0x3, P1":        func(n uint32) uint32 { return pick(n >= 5, n, 3) },
		"MOV R8, RZ\nMOV R9, R0\nMOV R10, R3\nMOV R11, 0x5\nISETP.GT.S64.AND P1, PT, R8, R10, PT\nSEL R2, R0, 0x3, P1":        func(n uint32) uint32 { return pick(n > 5, n, 3) },
		"VIMNMX.U32 R2, PT, PT, R0, 0x5, !PT":                                                                                 func(n uint32) uint32 { return max(n, 5) },
		"VIMNMX.S32 R2, R3, R0, PT":                                                                                           func(n uint32) uint32 { return uint32(min(int32(0x80000001*n), int32(n))) },
		"LEA R2, R0, R3, 0x2":                                                                                                 func(n uint32) uint32 { return n<<2 + 0x80000001*n },
		"LEA R2, R0, UR4, 0x2":                                                                                                func(n uint32) uint32 { return n<<2 + 5 },
		"LEA.HI R2, R3, R0, RZ, 0x1f":                                                                                         func(n uint32) uint32 { return 0x80000001*n>>1 + n },
		"ULEA UR9, UR4, UR4, 0x4\nMOV R2, UR9":                                                                                func(n uint32) uint32 { return 85 },
		"USHF.R.U32.HI UR9, URZ, 0x1, UR4\nMOV R2, UR9":                                                                       func(n uint32) uint32 { return 2 },
		"UIADD3 UR9, UR4, 0x1, URZ\nMOV R2, UR9":                                                                              func(n uint32) uint32 { return 6 },
		"LOP3.LUT R2, R0, UR4, RZ, 0xc0, !PT":                                                                                 func(n uint32) uint32 { return n & 5 },
		"LOP3.LUT R2, R0, 0x5, RZ, 0xfc, !PT":                                                                                 func(n uint32) uint32 { return n | 5 },
		"LOP3.LUT R2, R0, R3, RZ, 0x3c, !PT":                                                                                  func(n uint32) uint32 { return n ^ 0x80000001*n },
		"LOP3.LUT R2, R0, R3, RZ, 0x30, !PT":                                                                                  func(n uint32) uint32 { return n &^ (0x80000001 * n) },
		"LOP3.LUT R2, R0, 0x3, R3, 0xf8, !PT":                                                                                 func(n uint32) uint32 { return n | 3&(0x80000001*n) },
		"LOP3.LUT P1, RZ, R0, 0x4, RZ, 0xc0, !PT\nSEL R2, R0, RZ, P1":                                                         func(n uint32) uint32 { return n * (n >> 2 & 1) },
		"SHF.R.U32.HI R2, RZ, 0x3, R3":                                                                                        func(n uint32) uint32 { return 0x80000001 * n >> 3 },
		"SHF.R.S32.HI R2, RZ, 0x3, R3":                                                                                        func(n uint32) uint32 { return uint32(int32(0x80000001*n) >> 3) },
		"SHF.L.U32 R2, R3, UR4, RZ":                                                                                           func(n uint32) uint32 { return n << 5 },
		"IMAD.WIDE.U32 R8, R3, R3, RZ\nIMAD.HI.U32 R2, R3, R3, R8": func(n uint32) uint32 {
			x := uint64(0x80000001 * n)
			return uint32(2 * x * x >> 32)
		},
		// As compilers divide by a number that they do not know: here 100 + n by n + 3.
		"VIADD R12, R0, 0x3\nVIADD R13, R0, 0x64\nI2F.U32.RP R8, R12\nMUFU.RCP R8, R8\nVIADD R8, R8, 0xffffffe\nF2I.FTZ.U32.TRUNC.NTZ R9, R8\n" +
			"IMAD.MOV.U32 R8, RZ, RZ, RZ\nIMAD.MOV R10, RZ, RZ, -R9\nIMAD R11, R10, R12, RZ\nIMAD.HI.U32 R9, R9, R11, R8\nIMAD.HI.U32 R2, R9, R13, RZ\n" +
			"IMAD.MOV R10, RZ, RZ, -R2\nIMAD R11, R12, R10, R13\nISETP.GE.U32.AND P1, PT, R11, R12, PT\n@P1 IADD3 R11, R11, -R12, RZ\n@P1 VIADD R2, R2, 0x1\n" +
			"ISETP.GE.U32.AND P1, PT, R11, R12, PT\n@P1 VIADD R2, R2, 0x1": func(n uint32) uint32 { return (100 + n) / (n + 3) },
		"SHF.L.U32 R2, R6, R0, RZ": func(n uint32) uint32 {
			return uint32(uint64(0x80000001) << n) // 32 and more: nothing is left
		},
		"SHF.L.W.U32.HI R2, R3, UR4, R3": func(n uint32) uint32 { return bits.RotateLeft32(0x80000001*n, 5) },
		"PRMT R2, R3, 0x2103, R3":        func(n uint32) uint32 { return bits.RotateLeft32(0x80000001*n, 8) },
		"POPC R2, R3":                    func(n uint32) uint32 { return uint32(bits.OnesCount32(0x80000001 * n)) },
		"BREV R2, R0":                    func(n uint32) uint32 { return bits.Reverse32(n) },
		"FLO.U32 R2, R0":                 func(n uint32) uint32 { return uint32(bits.Len32(n)) - 1 },
		"SEL R2, R0, 0x7, !P0":           func(n uint32) uint32 { return pick(n < 40, n, 7) },
		"FSEL R2, R4, -R4, !P0":          func(n uint32) uint32 { return pick(n < 40, f32(float64(n)+0.5), f32(-float64(n)-0.5)) },
		"FSEL R2, R4, RZ, P0":            func(n uint32) uint32 { return pick(n >= 40, f32(float64(n)+0.5), 0) },
		"ISETP.NE.U32.AND P1, PT, R0, 0x5, PT\nISETP.EQ.OR P2, PT, RZ, UR4, !P1\nSEL R2, R0, RZ, P2":              func(n uint32) uint32 { return pick(n == 5, n, 0) },
		"ISETP.LT.AND P1, PT, R3, RZ, PT\nSEL R2, R0, RZ, P1":                                                     func(n uint32) uint32 { return n * (n & 1) },
		"ISETP.GT.AND P1, PT, RZ, UR4, PT\nSEL R2, R0, RZ, P1":                                                    func(n uint32) uint32 { return 0 },
		"FSETP.GT.AND P1, PT, R4, 7.5, PT\nSEL R2, R0, RZ, P1":                                                    func(n uint32) uint32 { return pick(n > 7, n, 0) },
		"UISETP.NE.U32.AND UP0, UPT, UR4, URZ, UPT\nPLOP3.LUT P1, PT, PT, PT, UP0, 0x80, 0x0\nSEL R2, R0, RZ, P1": func(n uint32) uint32 { return n },
		"PLOP3.LUT P1, PT, PT, PT, PT, 0x8, 0x0\nSEL R2, R0, 0x3, P1":                                             func(n uint32) uint32 { return 3 },
		"P2R R2, PR, RZ, 0x1":                                       func(n uint32) uint32 { return pick(n >= 40, 1, 0) },
		"R2P PR, R0, 0x6\nSEL R2, R0, RZ, P2":                       func(n uint32) uint32 { return n * (n >> 2 & 1) },
		"VOTE.ANY R2, PT, !P0":                                      func(n uint32) uint32 { return pick(n < 32, math.MaxUint32, 0xff) },
		"VOTE.ANY R2, PT, PT":                                       func(n uint32) uint32 { return math.MaxUint32 },
		"VOTE.ALL P1, P0\nSEL R2, R0, RZ, !P1":                      func(n uint32) uint32 { return n },
		"VOTE.ANY P1, !P0\nSEL R2, R0, RZ, P1":                      func(n uint32) uint32 { return n },
		"LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT\nMATCH.ANY R2, R5":     func(n uint32) uint32 { return 0x55555555 << (n & 1) },
		"MATCH.ALL PT, R2, R0":                                      func(n uint32) uint32 { return 0 },
		"ELECT P1, URZ, PT\nSEL R2, R0, 0x1, P1":                    func(n uint32) uint32 { return pick(n%32 == 0, n, 1) },
		"REDUX.SUM UR9, R0\nIMAD.U32 R2, RZ, RZ, UR9":               func(n uint32) uint32 { return 496 + n/32*1024 },
		"REDUX.MAX.S32 UR9, R3\nMOV R2, UR9":                        func(n uint32) uint32 { return 30 + n/32*32 },
		"REDUX.MIN UR9, R3\nMOV R2, UR9":                            func(n uint32) uint32 { return n / 32 * 32 },
		"SHFL.IDX PT, R2, R0, 0x7, 0x1f":                            func(n uint32) uint32 { return n/32*32 + 7 },
		"SHFL.UP P1, R5, R0, 0x1, RZ\nSEL R2, R5, RZ, P1":           func(n uint32) uint32 { return pick(n%32 > 0, n-1, 0) },
		"SHFL.DOWN PT, R2, R0, 0x8, 0x101f":                         func(n uint32) uint32 { return pick(n%16 < 8, n+8, n) },
		"MOV R8, 0x1\nMOV R9, 0x1c1f\nSHFL.BFLY P1, R2, R0, R8, R9": func(n uint32) uint32 { return n ^ 1 },
		"SHFL.IDX PT, R2, R0, R3, 0x1f":                             func(n uint32) uint32 { return n },
		"I2FP.F32.S32 R2, R3":                                       func(n uint32) uint32 { return f32(float64(int32(0x80000001 * n))) },
		"F2I.TRUNC.NTZ R2, R4":                                      func(n uint32) uint32 { return n },
		"FMUL R2, R4, 2":                                            func(n uint32) uint32 { return f32(2*float64(n) + 1) },
		"FFMA R2, R4, R4, R4":                                       func(n uint32) uint32 { x := float64(n) + 0.5; return f32(x*x + x) },
		"FADD R2, RZ, -R4":                                          func(n uint32) uint32 { return f32(-float64(n) - 0.5) },
		"FMNMX R2, R4, 9, !PT":                                      func(n uint32) uint32 { return f32(max(float64(n)+0.5, 9)) },
		"FMNMX R2, R4, 9, PT":                                       func(n uint32) uint32 { return f32(min(float64(n)+0.5, 9)) },
		"VIMNMX.U32 R2, R3, UR4, !PT":                               func(n uint32) uint32 { return max(0x80000001*n, 5) },
		"MUFU.EX2 R2, R4":                                           func(n uint32) uint32 { return f32(math.Exp2(float64(n) + 0.5)) },
		"MUFU.RCP R2, R4":                                           func(n uint32) uint32 { return f32(1 / (float64(n) + 0.5)) },
		"HFMA2.MMA R2, -RZ, RZ, 1.5, 5.9604644775390625e-08":        func(n uint32) uint32 { return 0x3e000001 },
		"MOV R8, 0x3c004000\nMOV R9, 0x42003800\nHFMA2 R2, R8, R9, R8": func(n uint32) uint32 {
			return 0x44004200 // 1 * 3 + 1, 2 * 0.5 + 2
		},
		"I2F.F64.U32 R8, R0\nDADD R8, R8, UR6\nDADD R8, R8, R8\nMOV R2, R9": double(func(x float64) float64 { return 2 * (x + 2) }),
		"I2F.F64.U32 R8, R0\nDFMA R8, R8, R8, R8\nSHFL.BFLY PT, R2, R9, 0x1, 0x1f": double(func(x float64) float64 {
			x = float64(int(x) ^ 1)
			return x*x + x
		}),
		"I2F.F64.U32 R8, R0\nDSETP.GT.AND P2, PT, R8, UR6, PT\nSEL R2, R0, RZ, P2": func(n uint32) uint32 { return pick(n > 2, n, 0) },
		"DSETP.NEU.AND P1, PT, RZ, UR6, PT\nSEL R2, R0, RZ, P1":                    func(n uint32) uint32 { return n },
		"S2R R2, SR_LANEID": func(n uint32) uint32 { return n % 32 },
		"S2R R2, SR_LTMASK": func(n uint32) uint32 { return 1<<(n%32) - 1 },
		"MOV R8, 0x3\nMOV R9, 0x4\nCS2R R8, SR_CLOCKLO\nMOV R2, R9": func(n uint32) uint32 { return 0 },
		"LDC R2, c[0x0][RZ]": func(n uint32) uint32 { return 64 },
		"IMAD R8, R0, 0x10, RZ\nIADD3 R8, R8, 0x400, RZ\nMOV R12, R0\nMOV R13, R3\nMOV R14, R4\nMOV R15, R0\nSTS.128 [R8], R12\n" +
			"UMOV UR9, 0x8\nLDS.64 R16, [R8+UR9]\nLDS R18, [R8+0x4]\nIADD3 R2, R16, R17, R18": func(n uint32) uint32 { return f32(float64(n)+0.5) + n + 0x80000001*n },
		"UMOV UR9, 0x400\nSTS [UR9], RZ\nBAR.SYNC 0x0\nMOV R5, 0x1\nATOMS.ADD R8, [UR9], R5\nBAR.SYNC 0x0\nLDS R2, [UR9]":                              func(n uint32) uint32 { return 64 },
		"MOV R8, 0x400\nMOV R5, 0x1\nMOV R10, RZ\nSTS [R8], R10\nBAR.SYNC 0x0\nATOMS.CAS R8, [R8], R10, R5\nBAR.SYNC 0x0\nMOV R9, 0x400\nLDS R2, [R9]": func(n uint32) uint32 { return 1 },
		"BAR.RED.POPC.DEFER_BLOCKING 0x0, P0\nB2R.RESULT R2":                                                                                           func(n uint32) uint32 { return 24 },
		"BAR.RED.OR.DEFER_BLOCKING 0x0, P0\nB2R.RESULT RZ, P1\nSEL R2, R0, RZ, P1":                                                                     func(n uint32) uint32 { return n },
		"BAR.RED.AND.DEFER_BLOCKING 0x0, P0\nB2R.RESULT RZ, P1\nSEL R2, R0, RZ, P1":                                                                    func(n uint32) uint32 { return 0 },
	} {
		got := computed(t, setup+body)
		for n := range uint32(64) {
			if !assert.Equal(t, want(n), got[n], "%s: thread %d", strings.ReplaceAll(body, "\n", "; "), n) {
				break
			}
		}
	}
}

func pick(c bool, yes, no uint32) uint32 {
	if c {
		return yes
	}
	return no
}

// double returns the high word of f of a thread's number.
func double(f func(x float64) float64) func(n uint32) uint32 {
	return func(n uint32) uint32 { return uint32(math.Float64bits(f(float64(n))) >> 32) }
}

// computed returns what a listing leaves in R2 of 64 threads, of which R0 has the
// number. %x in it stands for the address behind it. UR4 is 5, UR6 to UR7 the
// double 2.
func computed(t *testing.T, body string) []uint32 {
	t.Helper()
	got, err := tried(t, body, warp.Config{ValuesOnly: true})
	require.NoError(t, err, body)
	return got
}

func tried(t *testing.T, body string, c warp.Config) ([]uint32, error) {
	t.Helper()
	lines := append([]string{"S2R R0, SR_TID.X", "UMOV UR4, 0x5", "ULDC.64 UR6, c[0x0][0x218]"}, strings.Split(body, "\n")...)
	end := 16 * len(lines)
	lines = append(lines, "LDC.64 R200, c[0x0][0x210]", "IMAD.WIDE.U32 R200, R0, 0x4, R200", "STG.E desc[UR8][R200.64], R2", "EXIT")
	for i, l := range lines {
		if strings.Contains(l, "%x") {
			l = fmt.Sprintf(l, end)
		}
		lines[i] = fmt.Sprintf("%04x %s", 16*i, l)
	}
	l, err := sass.Parse(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return nil, err
	}
	p, err := l.Functions[0].Program()
	if err != nil {
		return nil, err
	}
	e := engine(t, c)
	out := make([]uint32, 64)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, err = sass.Run(ctx, e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(64), Shared: 4096,
		Args: []sass.Arg{sass.Buffer(global(t, e, out)), sass.Value(float64(2))}})
	return out, err
}

// What atomics on floats cost differs from integers: their records say so.
func TestFloatAtomicsAreCalledSo(t *testing.T) {
	for text, float := range map[string]bool{
		"RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5":       true,
		"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5":                  false,
		"ATOMG.E.ADD.F64.RN.STRONG.GPU PT, R6, desc[UR4][R2.64], R8": true,
		"ATOMG.E.ADD.64.STRONG.GPU PT, R6, desc[UR4][R2.64], R8":     false,
	} {
		l, err := sass.Parse(strings.NewReader(fmt.Sprintf("Function : k\n/*0000*/ LDC.64 R2, c[0x0][0x210] ;\n"+
			"/*0010*/ MOV R5, 0x1 ;\n/*0020*/ CS2R R8, SRZ ;\n/*0030*/ %s ;\n/*0040*/ EXIT ;\n", text)))
		require.NoError(t, err)
		p, err := l.Functions[0].Program()
		require.NoError(t, err)
		var seen []bool
		e := engine(t, warp.Config{Workers: 1, Observer: &warp.Observer{Instr: func(i warp.InstrEvent) {
			if op := i.Instr.Op; op == isa.ReduceGlobal || op == isa.AtomicGlobal {
				seen = append(seen, i.Instr.Aux&isa.AuxFloat != 0)
			}
		}}})
		_, err = sass.Run(context.Background(), e, p, sass.Launch{Blocks: warp.X(1), Threads: warp.X(32),
			Args: []sass.Arg{sass.Buffer(global(t, e, make([]uint64, 1)))}})
		require.NoError(t, err)
		assert.Equal(t, []bool{float}, seen, text)
	}
}
