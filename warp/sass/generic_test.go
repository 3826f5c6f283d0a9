package sass_test

import (
	"testing"

	"example.com/warpsim/warp"

	"github.com/stretchr/testify/assert"
)

// Lanes of one access with generic addresses go to the memory that each address is of.
func TestGenericAddresses(t *testing.T) {
	got := computed(t, `LDC.64 R20, c[0x0][0x18]
LDC.64 R24, c[0x0][0x20]
IMAD R20, R0, 0x4, R20
VIADD R20, R20, 0x400
QSPC.E.S P1, RZ, [R20.64]
QSPC.E.L P2, RZ, [R24.64]
QSPC.E.G P3, RZ, [R24.64]
IADD3 R5, R0, 0x64, RZ
ST.E [R20.64], R5
ST.E [R24.64+0x8], R0
LDS R6, [R20]
LDL R7, [R24+0x8]
LDC.64 R28, c[0x0][0x210]
IMAD.WIDE.U32 R28, R0, 0x4, R28
ST.E [R28.64], R6
LD.E R8, [R28.64]
LOP3.LUT P4, RZ, R0, 0x1, RZ, 0xc0, !PT
SEL R30, R20, R28, P4
SEL R31, R21, R29, P4
LD.E R9, [R30.64]
IMAD.IADD R2, R7, 0x1, R8
IMAD.IADD R2, R9, 0x1, R2
@!P1 IADD3 R2, R2, 0x3e8, RZ
@!P2 IADD3 R2, R2, 0x3e8, RZ
@P3 IADD3 R2, R2, 0x3e8, RZ
ATOM.E.ADD.STRONG.GPU PT, R10, [R20.64], R0
LDS R11, [R20]
IMAD.IADD R2, R11, 0x1, R2`)
	for i, v := range got {
		n := uint32(i)
		assert.Equal(t, n+3*(n+100)+n, v, i)
	}
	_, err := tried(t, "LDC.64 R24, c[0x0][0x20]\nMOV R2, R0\nATOM.E.ADD.STRONG.GPU PT, R10, [R24.64], R0", warp.Config{})
	assert.ErrorContains(t, err, "an atomic on local memory")
}

// A copy to shared memory brings what is in global memory, and zeros in lanes whose
// predicate does not hold.
func TestCopies(t *testing.T) {
	for _, c := range []warp.Config{{ValuesOnly: true}, {}, {Sanitize: true}} {
		got, err := tried(t, `LDC.64 R20, c[0x0][0x210]
IMAD.WIDE.U32 R20, R0, 0x4, R20
IADD3 R5, R0, 0x7, RZ
STG.E desc[UR8][R20.64], R5
SHL R10, R0, 0x2
VIADD R10, R10, 0x400
ISETP.LT.U32.AND P1, PT, R0, 0x28, PT
LDGSTS.E.BYPASS.LTC128B [R10], desc[UR8][R20.64], P1
LDGDEPBAR
DEPBAR.LE SB0, 0x0
LDS R2, [R10]`, c)
		assert.NoError(t, err)
		for i, v := range got {
			assert.Equal(t, pick(i < 40, uint32(i)+7, 0), v, i)
		}
	}
	_, err := tried(t, "MOV R2, R0\nLDGSTS.E.U8 [R0], desc[UR8][R20.64]", warp.Config{})
	assert.ErrorContains(t, err, "a copy is of 4, 8 or 16 bytes")
}

// Instructions of older tables are those of newer ones.
func TestOlderInstructions(t *testing.T) {
	for text, want := range map[string]func(i uint32) uint32{
		"IADD32I R2, R0, 0x12345":                      func(i uint32) uint32 { return i + 0x12345 },
		"IMUL R2, R0, 0x11":                            func(i uint32) uint32 { return i * 17 },
		"IMUL.HI.U32 R2, R0, 0xf0000000":               func(i uint32) uint32 { return uint32(uint64(i) * 0xf0000000 >> 32) },
		"ISCADD R2, R0, 0x7, 0x3":                      func(i uint32) uint32 { return i<<3 + 7 },
		"SHL R2, R0, 0x5":                              func(i uint32) uint32 { return i << 5 },
		"LOP32I.XOR R2, R0, 0xff":                      func(i uint32) uint32 { return i ^ 255 },
		"LOP.PASS_B R2, R0, 0x9":                       func(i uint32) uint32 { return 9 },
		"IADD3 R3, R0, -0x20, RZ\nSHR R2, R3, 0x1":     func(i uint32) uint32 { return uint32(int32(i-32) >> 1) },
		"IADD3 R3, R0, -0x20, RZ\nSHR.U32 R2, R3, 0x1": func(i uint32) uint32 { return (i - 32) >> 1 },
		"ISETP.LT.U32.AND P1, PT, R0, 0x8, PT\nLOP3.LUT P2, RZ, R0, 0x1, RZ, 0xc0, !PT\nPSETP.XOR.OR P3, P4, P1, P2, !PT\nSEL R2, RZ, 0x1, !P3": func(i uint32) uint32 {
			return uint32(pick((i < 8) != (i%2 == 1), 1, 0))
		},
	} {
		for i, v := range computed(t, text) {
			assert.Equal(t, want(uint32(i)), v, "%s: %d", text, i)
		}
	}
}

// BREAK takes the lanes out whose predicate holds.
func TestBreakWithPredicate(t *testing.T) {
	got := computed(t, `ISETP.LT.U32.AND P1, PT, R0, 0x8, PT
MOV R2, 0x1
BSSY B0, 0xa0
BREAK P1, B0
@P1 BRA 0xb0
MOV R2, 0x2
NOP
BSYNC B0
NOP`)
	for i, v := range got {
		assert.Equal(t, pick(i < 8, uint32(1), 2), v, i)
	}
}
