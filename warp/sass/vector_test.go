//go:build amd64

package sass

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vectorLines are instructions of which each has a kernel of vector instructions; of
// each kernel there is one.
const vectorLines = `
MOV R2, R3
MOV R2, 0x1234
IADD3 R2, R3, R4, RZ
IADD3 R2, R2, R4, R2
IADD3 R2, -R3, R4, ~R5
IADD3 R2, P1, R3, -R4, RZ
IADD3 R2, P1, R3, R4, RZ
IADD3.X R2, P1, R3, ~R4, RZ, P2, !PT
IADD3.X R2, R3, R4, RZ, !P2, !PT
IMAD R2, R3, R4, R5
IMAD R2, R3, R2, -R5
IMAD.WIDE R2, R4, R5, R6
IMAD.WIDE R2, R3, R2, R2
IMAD.WIDE.U32 R2, R4, R5, R6
IMAD.HI R2, R4, R5, RZ
IMAD.HI.U32 R2, R4, R5, RZ
UIMAD.WIDE.U32 UR4, UR6, 0x7, UR8
LEA R2, R3, R4, 0x3
LEA R2, R3, -R4, 0x3
LEA R2, P1, R3, R4, 0x3
LEA R2, P1, R3, -R4, 0x3
LEA.HI R2, R3, R4, R5, 0x3
LEA.HI R2, R3, R4, R5, 0x0
LEA.HI.X R2, R3, R4, R5, 0x3, P2
LEA.HI.X.SX32 R2, R3, R4, 0x3, P2
LEA.HI.SX32 R2, R3, R4, 0x3
SHF.L.U32 R2, R3, R4, RZ
SHF.L.U32 R2, R3, 0x5, RZ
SHF.L.W.U32 R2, R3, R4, RZ
SHF.R.U32.HI R2, RZ, R4, R3
SHF.R.S32.HI R2, RZ, R4, R3
SHF.R.W.S32.HI R2, RZ, R4, R3
SHF.L.U64.HI R2, R3, R4, R5
SHF.L.U32.HI R2, R3, R4, R5
SHF.L.W.U32.HI R2, R3, R4, R5
SHF.L.W.U64.HI R2, R3, R4, R5
SHF.R.U64 R2, R3, R4, R5
SHF.R.U32 R2, R3, R4, R5
SHF.R.W.U32 R2, R3, R4, R5
LOP3.LUT R2, R3, R4, RZ, 0xc0, !PT
LOP3.LUT R2, R3, R4, RZ, 0xfc, !PT
LOP3.LUT R2, R3, R4, RZ, 0x3c, !PT
LOP3.LUT R2, R3, R4, R5, 0xe8, !PT
LOP3.LUT R2, R3, ~R4, ~R5, 0x2d, !PT
LOP3.LUT P1, R2, R3, R4, R5, 0x91, !PT
LOP3.LUT P1, RZ, R3, 0x4, RZ, 0xc0, P2
ISETP.LT.AND P1, P2, R3, R4, PT
ISETP.LE.U32.OR P1, P2, R3, R4, P3
ISETP.GT.XOR P1, PT, R3, R4, !P1
ISETP.GE.U32.AND P1, PT, R3, 0x20, PT
ISETP.EQ.AND P1, PT, R3, R4, PT
ISETP.NE.AND P1, PT, R3, RZ, PT
ISETP.NE.AND.EX P1, PT, R3, R4, PT, P2
ISETP.GE.U32.OR.EX P1, PT, R3, R4, P4, P2
FSETP.LT.AND P1, P2, R3, R4, PT
FSETP.GEU.OR P1, P2, |R3|, -R4, P3
FSETP.NAN.AND P1, PT, R3, R4, PT
FSETP.NEU.XOR P1, PT, R3, -|R4|, P5
FSETP.EQU.AND P1, PT, R3, R4, PT
FADD R2, R3, R4
FADD R2, -R3, |R2|
FADD R2, R3, -RZ
FMUL R2, R3, R4
FMUL R2, -R3, R4
FFMA R2, R3, R4, R5
FFMA R2, R2, -R4, R2
FFMA R2, -R3, R4, -R5
FMNMX R2, R3, R4, PT
FMNMX R2, R3, -R4, !PT
FMNMX R2, |R3|, R4, !PT
SEL R2, R3, R4, P1
SEL R2, R3, R4, !P2
FSEL R2, R3, 1.5, P1
VIMNMX R2, R3, R4, PT
IMNMX R2, R3, R4, !PT
IMNMX.U32 R2, R3, R4, PT
VIMNMX.U32 R2, R3, R4, !PT
IABS R2, R3
I2FP.F32.S32 R2, R3
MUFU.RCP R2, R3
MUFU.RCP R2, |R3|
MUFU.SQRT R2, R3
LDC.64 R2, c[0x0][0x210]
UIADD3 UR4, UR4, 0x1, URZ
SHFL.BFLY PT, R2, R3, 0x10, 0x1f
SHFL.UP P1, R2, R3, 0x3, RZ
SHFL.DOWN P1, R3, R3, 0x1, 0xf1f
SHFL.IDX PT, R2, R3, 0x7, 0x1f
`

// odd are words at which operations on numbers or floats do something particular.
var odd = []uint32{0, 1, 2, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x3f800000, 0xbf800000,
	0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0x33800000,
	0x3f800001, 0x4b800000, math.Float32bits(0.1), math.Float32bits(-3), 0x7e800000, 0x7f000000}

func anyWord() uint32 {
	switch rand.N(4) {
	case 0:
		return odd[rand.N(len(odd))]
	case 1:
		return math.Float32bits(float32(rand.NormFloat64()))
	}
	return rand.Uint32()
}

func anyLanes() uint32 {
	switch rand.N(3) {
	case 0:
		return everybody
	case 1:
		return 1 << rand.N(32)
	}
	return rand.Uint32()
}

// filled returns a machine of a program whose rows and predicates have any values.
func filled(p *Program) *machine {
	m := &machine{p: p, file: make([]row, firstConstant+len(p.constants)), active: anyLanes()}
	m.predUndef = (*[predSink + 1]uint32)(m.undef[firstConstant:])
	for i := range 8 {
		for l := range m.file[i] {
			m.file[i][l] = anyWord()
		}
	}
	for i := rowUniform; i < len(m.file); i++ {
		m.file[i] = repeated(anyWord()) // all lanes have the same
	}
	for i, c := range p.constants {
		if c.bank == immediateBank {
			m.file[firstConstant+i] = repeated(c.value)
		}
	}
	m.file[rowZero] = row{}
	for i := range m.pred {
		m.pred[i] = anyLanes()
	}
	m.pred[predTrue], m.pred[predUniform+7] = everybody, everybody
	return m
}

func repeated(v uint32) (r row) {
	for i := range r {
		r[i] = v
	}
	return r
}

// A vector kernel leaves in the registers, in the predicates, and in the notes on what is
// defined what the operation in plain Go leaves there; it lets alone what reads
// something undefined.
func TestVectorKernels(t *testing.T) {
	if !vectors {
		t.Skip("the processor has no vector instructions that are used")
	}
	seen := map[uint32]bool{}
	for line := range strings.Lines(vectorLines) {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		for _, guard := range []string{"", "@P0 ", "@!P6 "} {
			if guard != "" && strings.Contains(text, "UR4") {
				continue // the uniform datapath has predicates of its own
			}
			l, err := Parse(strings.NewReader("0000 " + guard + text + "\n0010 EXIT"))
			require.NoError(t, err, text)
			p, err := l.Functions[0].Program()
			require.NoError(t, err, text)
			o, s := &p.ops[0], &p.steps[0]
			require.NotZero(t, s.kernel, "%s: no kernel", text)
			seen[s.kernel] = true
			ran := 0
			for range 200 {
				a := filled(p)
				if rand.N(4) == 0 {
					a.undef[2+rand.N(5)] = anyLanes()
				}
				if rand.N(4) == 0 {
					a.predUndef[rand.N(7)] = anyLanes()
				}
				b := *a
				b.file = append([]row(nil), a.file...)
				b.predUndef = (*[predSink + 1]uint32)(b.undef[firstConstant:])
				undefined := uint32(0)
				for _, at := range o.minds {
					undefined |= a.undef[at]
				}
				a.exec = a.guarded(o)
				exec := a.exec
				if o.uniform && exec != 0 {
					undefined &= everybody
				} else {
					undefined &= exec
				}
				n := runSteps(&b, s, 1, &b.execs[0])
				if undefined != 0 {
					assert.Zero(t, n, "%s: undefined operands", text)
					continue
				}
				if whole := o.route != nil; whole && exec != 0 && exec != everybody {
					assert.Zero(t, n, "%s: lanes %#x", text, exec)
					continue
				} else if whole && exec != 0 {
					a.shuffleWhole(o)
				} else {
					a.compute(o)
				}
				ran++
				if !assert.Equal(t, 1, n, text) {
					break
				}
				assert.Equal(t, exec, b.execs[0], "%s: lanes", text)
				for _, r := range []*machine{a, &b} { // what is written in vain
					r.file[rowSink], r.pred[predSink] = row{}, 0
				}
				if !slices.Equal(a.file, b.file) || a.pred != b.pred || a.undef != b.undef {
					assert.Equal(t, a.pred, b.pred, "%s: predicates, lanes %#x", text, exec)
					assert.Equal(t, a.undef, b.undef, "%s: what is defined", text)
					for i := range a.file {
						require.Equal(t, a.file[i], b.file[i], "%s: row %d", text, i)
					}
				}
			}
			assert.Positive(t, ran, text)
		}
	}
	for k := kernelShuffle; k < kernels; k++ {
		assert.True(t, seen[k], "no instruction has kernel %d", k)
	}
}

// What is known of the addresses of a warp, and what lies there, is the same by vector
// instructions.
func TestVectorSurveys(t *testing.T) {
	if !vectors {
		t.Skip("the processor has no vector instructions that are used")
	}
	memory := make([]byte, 1<<16)
	for i := range memory {
		memory[i] = byte(rand.Uint32())
	}
	for range 500 {
		var a, off, want row
		first, n := rand.Uint32(), uint32(4)<<rand.N(3)
		kind := rand.N(4)
		for i := range a {
			switch kind {
			case 0:
				a[i] = first
			case 1:
				a[i] = first + uint32(i)*n
			case 2:
				a[i] = rand.Uint32()
			default:
				a[i] = first&^3 + uint32(rand.N(256))*4
			}
		}
		if rand.N(3) == 0 {
			a[rand.N(32)] ^= 4
		}
		add := rand.Uint32()
		l := lieOf(&a, add, n, &off)
		vectors = false
		plainly := lieOf(&a, add, n, &want)
		vectors = true
		assert.Equal(t, plainly.gaps == 0, l.gaps == 0)
		plainly.gaps, l.gaps = 0, 0
		assert.Equal(t, plainly, l)
		assert.Equal(t, want, off)

		for i := range off {
			off[i] = uint32(rand.N(len(memory) - 16))
		}
		words := 1 << rand.N(3)
		m, k := make([]row, words), make([]row, words)
		gather(m, memory, &off)
		vectors = false
		gather(k, memory, &off)
		vectors = true
		assert.Equal(t, k, m, "%d words", words)

		// The lanes of a mask.
		x, y := &machine{exec: anyLanes() | 1<<rand.N(32)}, &machine{}
		y.exec = x.exec
		d, e := off, off
		one := *x.among(&a, 0)
		x.blend(&d, &a)
		vectors = false
		assert.Equal(t, *y.among(&a, 0), one)
		y.blend(&e, &a)
		vectors = true
		assert.Equal(t, e, d)
	}
}
