package lane_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkHex holds the hexadecimal text of a mask against math/big's, and reads
// it back.
func checkHex(t testing.TB, m lane.Mask) {
	t.Helper()
	for _, n := range []int{0, 1, 2, 4, 5, 8, 16, 32, 64, 65, 128} {
		text := m.Hex(n)
		want := number(m).Text(16)
		if digits := (max(n, 1) + 3) / 4; len(want) < digits {
			want = strings.Repeat("0", digits-len(want)) + want
		}
		if text != want {
			t.Errorf("Hex(%d) = %s, want %s", n, text, want)
		}
		for _, form := range []string{text, "0x" + text, "0X" + strings.ToUpper(text), "00" + text} {
			if got, err := lane.ParseMask(form, lane.MaxLanes); err != nil || got != m {
				t.Errorf("ParseMask(%q) = %s, %v, want %s", form, got, err, m)
			}
		}
	}
	if want := "0x" + number(m).Text(16); m.String() != want {
		t.Errorf("String() = %s, want %s", m, want)
	}
	if got := m.Ranges(); got != ranges(m) {
		t.Errorf("Ranges() = %s, want %s", got, ranges(m))
	}
}

// ranges writes lanes as Ranges does, from the sorted list.
func ranges(m lane.Mask) string {
	lanes := setOf(m).sorted()
	if len(lanes) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(lanes); {
		j := i
		for j+1 < len(lanes) && lanes[j+1] == lanes[j]+1 {
			j++
		}
		part := fmt.Sprint(lanes[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", lanes[i], lanes[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func TestMaskText(t *testing.T) {
	for _, m := range masks() {
		checkHex(t, m)
	}
	for _, c := range []struct {
		m      lane.Mask
		n      int
		hex    string
		ranges string
	}{
		{lane.FirstN(16), 32, "0000ffff", "0-15"},
		{lane.Mask{}, 64, "0000000000000000", "none"},
		{lane.Only(0, 2, 3, 127), 128, "8000000000000000000000000000000d", "0,2-3,127"},
		{lane.Range(60, 70), 32, "3ff000000000000000", "60-69"}, // wider than asked for: nothing is lost
		{lane.Bit(0), 1, "1", "0"},
		{lane.Bit(4), 2, "10", "4"},
	} {
		assert.Equal(t, c.hex, c.m.Hex(c.n))
		assert.Equal(t, c.ranges, c.m.Ranges())
	}
}

func TestParseMaskRefuses(t *testing.T) {
	for _, c := range []struct {
		text   string
		n      int
		reason string
	}{
		{"", 32, "no hexadecimal digit"},
		{"0x", 32, "no hexadecimal digit"},
		{"_", 32, "no hexadecimal digit"},
		{"0xg", 32, "not a hexadecimal number"},
		{"+1", 32, "not a hexadecimal number"},
		{"-1", 32, "not a hexadecimal number"},
		{" 1", 32, "not a hexadecimal number"},
		{"1.5", 32, "not a hexadecimal number"},
		{"0x0x1", 32, "not a hexadecimal number"},
		{"0x0X1", 32, "not a hexadecimal number"},
		{"0X0x1", 32, "not a hexadecimal number"},
		{strings.Repeat("z", 40), 128, "not a hexadecimal number"},
		{"ffffffffffffffff" + "000000000000000g", 128, "not a hexadecimal number"},
		{"g000000000000000" + "0000000000000000", 128, "not a hexadecimal number"},
		{"1" + strings.Repeat("0", 32), 128, "names lanes beyond 127"},
		{"100000000", 32, "names lane 32,"},
		{"3ffffffff", 32, "names lane 32-33,"},
		{"1", 0, "names lane 0,"},
		{"1", -5, "names lane 0,"},
	} {
		m, err := lane.ParseMask(c.text, c.n)
		var bad *lane.MaskError
		if assert.ErrorAs(t, err, &bad, "%q", c.text) {
			assert.Equal(t, c.text, bad.Text)
			assert.Equal(t, c.n, bad.Lanes)
			assert.Contains(t, bad.Reason, c.reason, "%q", c.text)
			assert.Contains(t, err.Error(), fmt.Sprintf("%q for %d lanes", c.text, c.n))
		}
		assert.Equal(t, lane.Mask{}, m)
	}
}

func TestParseMaskReads(t *testing.T) {
	for text, want := range map[string]lane.Mask{
		"0":            {},
		"0x0000":       {},
		"0xffff_ffff":  lane.FirstN(32),
		"FfFf":         lane.FirstN(16),
		"__1__":        lane.Bit(0),
		"0x_8000_0000": lane.Bit(31),
		"000000000000000000000000000000000000000000000000001": lane.Bit(0),
	} {
		m, err := lane.ParseMask(text, 32)
		require.NoError(t, err, text)
		assert.Equal(t, want, m, text)
	}
}

// No text makes ParseMask panic, and what it reads it writes the same.
func FuzzParseMask(f *testing.F) {
	for _, s := range []string{"", "0x", "0x0x", "ffff_ffff", "\xff\xfe", "0X1g", strings.Repeat("f", 33)} {
		f.Add(s, 32)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		m, err := lane.ParseMask(text, n)
		if err != nil {
			require.ErrorAs(t, err, new(*lane.MaskError))
			return
		}
		require.True(t, lane.FirstN(n).Contains(m))
		digits := strings.ToLower(strings.ReplaceAll(text, "_", ""))
		digits = strings.TrimPrefix(digits, "0x")
		require.Equal(t, number(m).Text(16), strings.TrimLeft(digits, "0")+map[bool]string{true: "0"}[m.Empty()])
	})
}
