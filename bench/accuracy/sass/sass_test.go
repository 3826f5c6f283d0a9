package sass

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ran runs a listing on the H200 and returns the records of each warp and what
// the listing stored.
func ran(t *testing.T, text string, threads int, args [2]uint32) (recs [][]isa.Instr, out []uint32, err error) {
	t.Helper()
	p, err := Parse(strings.NewReader(text))
	require.NoError(t, err)
	require.Len(t, p, 1)
	d, err := device.Lookup("h200")
	require.NoError(t, err)
	recs = make([][]isa.Instr, (threads+31)/32)
	e, err := warp.New(warp.Config{Device: d, ValuesOnly: true, Observer: &warp.Observer{
		Instr: func(ev warp.InstrEvent) { recs[ev.Warp.ID()] = append(recs[ev.Warp.ID()], ev.Instr) }}})
	require.NoError(t, err)
	out = make([]uint32, OutWords)
	mem, err := warp.Global(e, out)
	require.NoError(t, err)
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads), Shared: SharedBytes},
		p[0].Kernel(Env{Args: args, Out: mem}))
	return recs, out, err
}

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
0090 IMAD.WIDE.U32 R10, R1, 0x8, R6
00a0 BAR.RED.POPC.DEFER_BLOCKING 0x0, P0
00b0 B2R.RESULT R9
00c0 @!P0 FADD R5, R5, -R8
00d0 EXIT
`

func TestRecordsOfAListing(t *testing.T) {
	recs, _, err := ran(t, listing, 64, [2]uint32{})
	require.NoError(t, err)
	for _, r := range recs {
		require.Len(t, r, 13)
		assert.Equal(t, isa.Instr{Op: isa.ReadSpecial, Active: 32, Dst: isa.Row(0)}, r[0])
		assert.Equal(t, isa.Instr{Op: isa.ICmp, Active: 32, Dst: isa.Predicate(0), A: isa.Row(1)}, r[2])
		assert.Equal(t, isa.Instr{Op: isa.MatchAny, Active: 32, Dst: isa.Row(3), A: isa.Row(2), Count: 4}, r[4], "lane mod 4 has four values")
		assert.Equal(t, isa.Instr{Op: isa.LoadShared, Active: 8, Guard: 1, Aux: isa.MemAux(4, 0), Dst: isa.Row(5), A: isa.Row(4), Count: 1}, r[6], "eight lanes, eight banks")
		assert.Equal(t, uint16(2), r[7].Count, "256 bytes in order need two passes")
		assert.Equal(t, isa.Instr{Op: isa.ShflDown, Active: 32, Dst: isa.Row(8), A: isa.Row(1)}, r[8])
		assert.Equal(t, isa.Instr{Op: isa.IMul, Active: 32, Dst: isa.RowPair(10), A: isa.Row(1), B: isa.Row(6)}, r[9])
		assert.Equal(t, isa.Instr{Op: isa.BarRed, Active: 32, Dst: isa.Row(9), A: isa.Predicate(0)}, r[10])
		assert.Equal(t, isa.Instr{Op: isa.FAdd, Active: 8, Guard: 1, Dst: isa.Row(5), A: isa.Row(5), B: isa.Row(8)}, r[11])
		assert.Equal(t, isa.Exit, r[12].Op)
	}
}

func TestWhatCannotRun(t *testing.T) {
	for want, text := range map[string]string{
		"the lanes part":      "== a x1\n0000 S2R R0, SR_TID.X\n0010 ISETP.GE.AND P0, PT, R0, 0x8, PT\n0020 @P0 BRA 0x0\n",
		"unknown instruction": "== a x1\n0000 HCF R0\n",
		"no instruction at":   "== a x1\n0000 BRA 0x50\n",
		"does not end":        "== a x1\n0000 BRA 0x0\n",
		"past the end":        "== a x1\n0000 NOP\n",
		"no width":            "== a x1\n0000 SHFL.UP PT, R0, R0, 0x1, 0x1f\n",
		"no B2R":              "== a x1\n0000 ISETP.EQ.AND P0, PT, RZ, UR4, PT\n0010 BAR.RED.AND 0x0, P0\n0020 EXIT\n",
		"undefined value":     "== a x1\n0000 STS [R1+0x400], R1\n",
	} {
		_, _, err := ran(t, text, 32, [2]uint32{})
		assert.ErrorContains(t, err, want)
	}
	for _, text := range []string{"== a\n", "0000 NOP\n", "== a x1\nNOP\n"} {
		_, err := Parse(strings.NewReader(text))
		assert.Error(t, err, text)
	}
}

// Lanes may leave one by one, and warps take different ways.
func TestControl(t *testing.T) {
	out := computed(t, `ISETP.GE.AND P0, PT, R0, 0x30, PT
MOV R2, 0x7
@P0 EXIT
ISETP.GE.AND P1, PT, R0, 0x20, PT
@P1 BRA 0x%x
MOV R2, 0x9`)
	for l := range 64 {
		want := uint32(9)
		switch {
		case l >= 0x30:
			want = 0 // left
		case l >= 0x20:
			want = 7
		}
		assert.Equal(t, want, out[l], l)
	}
}

// computed returns what a listing leaves in R2 of 64 threads, of which R0 has the
// number. %x in it stands for the address behind it. UR4 is 5, UR6 to UR7 the
// double 2.
func computed(t *testing.T, body string) []uint32 {
	t.Helper()
	lines := append([]string{"S2R R0, SR_TID.X", "UMOV UR4, 0x5", "ULDC.64 UR6, c[0x0][0x228]"}, strings.Split(body, "\n")...)
	end := 16 * len(lines)
	lines = append(lines, "LDC.64 R200, c[0x0][0x220]", "IMAD.WIDE.U32 R200, R0, 0x4, R200", "STG.E desc[UR8][R200.64], R2", "EXIT")
	text := "== a x1\n"
	for i, l := range lines {
		if strings.Contains(l, "%x") {
			l = fmt.Sprintf(l, end)
		}
		text += fmt.Sprintf("%04x %s\n", 16*i, l)
	}
	_, out, err := ran(t, text, 64, [2]uint32{0, 0x40000000})
	require.NoError(t, err, body)
	got := make([]uint32, 64)
	for l := range got {
		got[l] = uint32(Result(out, l, false))
	}
	return got
}
