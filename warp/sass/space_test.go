package sass_test

import (
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/space"

	"github.com/stretchr/testify/assert"
)

// Loads, stores and atomics of a listing at addresses in no array go to the host's memory.
func TestListingsReachTheHostsMemory(t *testing.T) {
	const text = `IMAD R20, R0, 0x4, RZ
MOV R21, 0x40
IADD3 R5, R0, 0x64, RZ
STG.E desc[UR8][R20.64], R5
ATOMG.E.ADD.STRONG.GPU PT, R6, desc[UR8][R20.64], R0
LDG.E R7, desc[UR8][R20.64]
IMAD R22, R0, 0x8, 0x1000
MOV R23, R21
LDG.E.64 R8, desc[UR8][R22.64]
IMAD.IADD R2, R6, 0x1, R7
IMAD.IADD R2, R2, 0x1, R8
IMAD.IADD R2, R2, 0x1, R9`
	for _, c := range []warp.Config{{ValuesOnly: true}, {}, {Sanitize: true}} {
		var s space.Sparse
		assert.True(t, s.Store(0x40<<32+0x1000+8*3, []byte{1, 0, 0, 0, 2, 0, 0, 0}))
		c.Space = &s
		got, err := tried(t, text, c)
		assert.NoError(t, err)
		for i, v := range got {
			n := uint32(i)
			assert.Equal(t, (n+100)+(n+100+n)+pick(i == 3, 3, 0), v, i)
		}
		var word [4]byte
		assert.True(t, s.Load(0x40<<32+4*9, word[:]))
		assert.EqualValues(t, 9+100+9, word[0])
	}
	_, err := tried(t, text, warp.Config{})
	assert.ErrorIs(t, err, warp.OutOfBounds)
}
