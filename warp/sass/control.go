package sass

import (
	"fmt"
	"strings"
)

// A Control is an instruction's control code: what the compiler's schedule says
// of it.
type Control struct {
	Stall uint8 // cycles until the same warp's next instruction, at least
	Yield bool  // the raw bit: false asks for another warp
	// WriteBarrier is the scoreboard that is released when the result is there,
	// ReadBarrier when the sources have been read; NoBarrier: none.
	WriteBarrier, ReadBarrier uint8
	Wait                      uint8 // scoreboards to wait for, by bit
	Reuse                     uint8 // operands kept, by slot
}

// NoBarrier is no scoreboard.
const NoBarrier = 7

// controlOf takes the control code out of the high word of an instruction.
func controlOf(high uint64) Control {
	return Control{
		Stall:        uint8(high >> 41 & 15),
		Yield:        high>>45&1 != 0,
		WriteBarrier: uint8(high >> 46 & 7),
		ReadBarrier:  uint8(high >> 49 & 7),
		Wait:         uint8(high >> 52 & 63),
		Reuse:        uint8(high >> 58 & 15),
	}
}

// String returns the code in the form wait:read:write:yield:stall.
func (c Control) String() string {
	var b strings.Builder
	b.WriteByte('B')
	for i := range 6 {
		if c.Wait>>i&1 != 0 {
			fmt.Fprint(&b, i)
		} else {
			b.WriteByte('-')
		}
	}
	bar := func(name byte, n uint8) {
		b.WriteByte(':')
		b.WriteByte(name)
		if n == NoBarrier {
			b.WriteByte('-')
		} else {
			fmt.Fprint(&b, n)
		}
	}
	bar('R', c.ReadBarrier)
	bar('W', c.WriteBarrier)
	y := "-"
	if !c.Yield {
		y = "Y"
	}
	fmt.Fprintf(&b, ":%s:S%02d", y, c.Stall)
	return b.String()
}
