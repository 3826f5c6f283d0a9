package timing

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestWarpsLieInLines: what an instruction needs of its warp is in five lines of the
// host's cache, and no line belongs to two warps.
func TestWarpsLieInLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("laid out for 64 bits")
	}
	var w warp
	require.Zero(t, unsafe.Sizeof(w)%64)
	require.LessOrEqual(t, unsafe.Offsetof(w.chain), uintptr(5*64))
	for _, at := range []uintptr{unsafe.Offsetof(w.regs), unsafe.Offsetof(w.gap), unsafe.Offsetof(w.cycles)} {
		require.Zero(t, at%64)
	}
}
