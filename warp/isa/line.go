package isa

// A Line is what one instruction wants of one line of global memory. Each record
// of a global access that touches anything has as many of them as it touches
// lines, in the order of its lanes; Last marks the last.
type Line uint64

// What a Line can hold: up to MaxSectors sectors of a line are told apart.
const (
	MaxSectors = 8

	lineLanes  = 8
	lineMost   = 16
	lineWord   = 24
	lineLast   = 29
	lineNumber = 30
)

// MakeLine packs a line number (address divided by the size of a line), the
// sectors touched, and for atomics how many lanes want the line, the most that
// want one word of it, and which word that is (of 4 bytes, counted from the
// start of the line, modulo 32).
func MakeLine(number uint64, sectors uint8, lanes, most, word int) Line {
	return Line(number<<lineNumber | uint64(sectors) | uint64(uint8(lanes))<<lineLanes | uint64(uint8(most))<<lineMost | uint64(word&31)<<lineWord)
}

// WithPartial returns the line of a store with how many of its sectors are written in
// part, WithPasses the first line of a load with how many words of one bank of the first
// level the load wants.
func (l Line) WithPartial(sectors int) Line { return l.withLanes(sectors) }

// WithPasses is described at WithPartial.
func (l Line) WithPasses(words int) Line { return l.withLanes(words) }

func (l Line) withLanes(n int) Line { return l&^(0xff<<lineLanes) | Line(uint8(n))<<lineLanes }

// Partial returns what WithPartial was given, 0 of lines without.
func (l Line) Partial() int { return l.Lanes() }

// Passes returns what WithPasses was given, 0 of lines without.
func (l Line) Passes() int { return l.Lanes() }

// Number returns the number of the line.
func (l Line) Number() uint64 { return uint64(l >> lineNumber) }

// Sectors returns a bit for each sector that is touched, the first of the line
// the lowest.
func (l Line) Sectors() uint8 { return uint8(l) }

// Lanes returns how many lanes of an atomic want the line.
func (l Line) Lanes() int { return int(uint8(l >> lineLanes)) }

// Most returns the most lanes of an atomic that want one word of the line, Word
// that word.
func (l Line) Most() int { return int(uint8(l >> lineMost)) }

// Word returns the word that Most lanes want.
func (l Line) Word() int { return int(l>>lineWord) & 31 }

// Last reports whether this is the last line of its instruction.
func (l Line) Last() bool { return l>>lineLast&1 != 0 }

// End returns l marked as the last line of its instruction.
func (l Line) End() Line { return l | 1<<lineLast }
