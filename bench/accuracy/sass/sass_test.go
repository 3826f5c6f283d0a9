package sass

import (
	"strings"
	"testing"

	"example.com/warpsim/warp/isa"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const listing = `== demo x2
0000 S2R R0, SR_TID.X
0010 LOP3.LUT R1, R0, 0x1f, RZ, 0xc0, !PT
0020 ISETP.GE.U32.AND P0, PT, R1, 0x8, PT
0030 LOP3.LUT R2, R1, 0x3, RZ, 0xc0, !PT
0040 MATCH.ANY R3, R2
0050 SHF.L.U32 R4, R1, 0x3, RZ
0060 @!P0 LDS R5, [R4+0x400]
0070 LDS.64 R6, [R4]
0080 SHFL.DOWN PT, R8, R1, 0x10, 0x1f
0090 EXIT
`

func play(t *testing.T, text string, warp int) ([]isa.Instr, error) {
	p, err := Parse(strings.NewReader(text))
	require.NoError(t, err)
	require.Len(t, p, 1)
	var recs []isa.Instr
	err = p[0].Play(Env{Threads: 64}, warp, func(r isa.Instr, index int) { recs = append(recs, r) })
	return recs, err
}

func TestRecordsOfAListing(t *testing.T) {
	recs, err := play(t, listing, 1)
	require.NoError(t, err)
	require.Len(t, recs, 10)
	assert.Equal(t, isa.Instr{Op: isa.ICmp, Active: 32, Dst: isa.Predicate(0), A: isa.Row(1)}, recs[2])
	assert.Equal(t, isa.Instr{Op: isa.MatchAny, Active: 32, Dst: isa.Row(3), A: isa.Row(2), Count: 4}, recs[4], "lane mod 4 has four values")
	assert.Equal(t, isa.Instr{Op: isa.LoadShared, Active: 8, Guard: 1, Aux: isa.MemAux(4, 0), Dst: isa.Row(5), A: isa.Row(4), Count: 1}, recs[6], "eight lanes, eight banks")
	assert.Equal(t, uint16(2), recs[7].Count, "256 bytes in order need two passes")
	assert.Equal(t, isa.Instr{Op: isa.ShflDown, Active: 32, Dst: isa.Row(8), A: isa.Row(1), Count: 1}, recs[8])
	assert.Equal(t, isa.Exit, recs[9].Op)
}

func TestWhatCannotBePlayed(t *testing.T) {
	for want, text := range map[string]string{
		"the lanes part":      "== a x1\n0000 S2R R0, SR_TID.X\n0010 ISETP.GE.AND P0, PT, R0, 0x8, PT\n0020 @P0 BRA 0x0\n",
		"leave":               "== a x1\n0000 S2R R0, SR_TID.X\n0010 ISETP.GE.AND P0, PT, R0, 0x8, PT\n0020 @P0 EXIT\n",
		"unknown instruction": "== a x1\n0000 HCF R0\n",
		"no instruction at":   "== a x1\n0000 BRA 0x50\n",
		"does not end":        "== a x1\n0000 BRA 0x0\n",
		"past the end":        "== a x1\n0000 NOP\n",
	} {
		_, err := play(t, text, 0)
		assert.ErrorContains(t, err, want)
	}
	for _, text := range []string{"== a\n", "0000 NOP\n", "== a x1\nNOP\n"} {
		_, err := Parse(strings.NewReader(text))
		assert.Error(t, err, text)
	}
}

func TestLogicTables(t *testing.T) {
	for table, want := range map[string]string{
		"0xc0": "and", "0xfc": "or", "0x3c": "xor", "0x30": "and not",
	} {
		p, err := Parse(strings.NewReader("== a x1\n0000 LOP3.LUT R2, R0, R1, RZ, " + table + ", !PT\n"))
		require.NoError(t, err)
		m := &machine{p: p[0], emit: func(isa.Instr, int) {}}
		for l := range lanes {
			m.regs[0][l], m.regs[1][l] = 0b1100, uint32(l)
		}
		require.NoError(t, m.compute(&p[0].Code[0], ^uint32(0)))
		for l := range uint32(lanes) {
			x, y := uint32(0b1100), l
			got := m.regs[2][l]
			assert.Equal(t, map[string]uint32{"and": x & y, "or": x | y, "xor": x ^ y, "and not": x &^ y}[want], got, want)
		}
	}
}
