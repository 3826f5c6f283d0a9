package sass_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The words of each handed instruction are the instruction that the disassembler
// printed.
func TestWords(t *testing.T) {
	n := 0
	for _, name := range listings {
		for _, f := range listing(t, name).Functions {
			for i := range f.Code {
				want := &f.Code[i]
				got, err := sass.Decode(90, want.Address, want.Words)
				require.NoError(t, err, want.String())
				require.Equal(t, want.String(), got.String(), "%016x %016x", want.Words[0], want.Words[1])
				require.Equal(t, want.Control, got.Control)
				n++
			}
		}
	}
	assert.Equal(t, 24072, n)
}

func ExampleDecode() {
	in, err := sass.Decode(90, 0x90, [2]uint64{0x00000000003c9947, 0x000fea0003800000})
	fmt.Println(in.String(), in.Control, err)
	_, err = sass.Decode(90, 0x90, [2]uint64{})
	fmt.Println(err)
	// Output:
	// @!P1 BRA 0x190 B------:R-:W-:-:S05 <nil>
	// sass: 0x0090 "0x0000000000000000 0x0000000000000000": unknown encoding: operation 0x0
}

// Whatever words are decoded, what is printed is read again as the same.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"grids.sass.gz", "archs/grids.sm_75.sass.gz", "archs/grids.sm_86.sass.gz", "archs/grids.sm_120.sass.gz"} {
		for _, fn := range listing(f, file).Functions {
			for i := 0; i < len(fn.Code); i += 7 {
				f.Add(uint8(fn.Arch), fn.Code[i].Words[0], fn.Code[i].Words[1])
			}
		}
	}
	f.Fuzz(func(t *testing.T, arch uint8, low, high uint64) {
		in, err := sass.Decode(int(arch), 0x100, [2]uint64{low, high})
		if err != nil {
			return
		}
		text := in.String()
		again, err := sass.Parse(strings.NewReader(fmt.Sprintf("code for sm_%d\n0100 %s", arch, text)))
		require.NoError(t, err, text)
		require.Equal(t, text, again.Functions[0].Code[0].String())
		_, _ = again.Functions[0].Program()
	})
}
