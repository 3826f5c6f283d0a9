package flow

import "encoding/binary"

const readable = true

// spFromFP returns how far the stack pointer is from the frame pointer in a
// function with a frame of so many bytes.
func spFromFP(frame int) int { return -frame }

// What follows an opcode.
const (
	none   = 0
	modRM  = 1
	imm8   = 2
	imm16  = 4
	immV   = 8 // 32 bits, 16 with an operand size prefix
	test   = 16
	offset = 32 // an address
	bad    = 64
)

// oneByte has what follows each opcode of one byte, prefixes excepted.
var oneByte = func() (t [256]uint8) {
	set := func(from, to int, v uint8) {
		for i := from; i <= to; i++ {
			t[i] = v
		}
	}
	for i := 0; i < 0x40; i += 8 {
		set(i, i+3, modRM)
		t[i+4], t[i+5], t[i+6], t[i+7] = imm8, immV, bad, bad
	}
	set(0x60, 0x62, bad)
	t[0x63], t[0x68], t[0x69], t[0x6a], t[0x6b] = modRM, immV, modRM|immV, imm8, modRM|imm8
	set(0x70, 0x7f, imm8)
	set(0x80, 0x83, modRM|imm8)
	t[0x81] = modRM | immV
	set(0x84, 0x8f, modRM)
	t[0x9a] = bad
	set(0xa0, 0xa3, offset)
	t[0xa8], t[0xa9] = imm8, immV
	set(0xb0, 0xb7, imm8)
	set(0xb8, 0xbf, immV)
	t[0xc0], t[0xc1], t[0xc2], t[0xc6], t[0xc7] = modRM|imm8, modRM|imm8, imm16, modRM|imm8, modRM|immV
	t[0xc8], t[0xca], t[0xcd] = imm16|imm8, imm16, imm8
	set(0xd0, 0xd3, modRM)
	set(0xd8, 0xdf, modRM)
	set(0xe0, 0xe7, imm8)
	t[0xe8], t[0xe9], t[0xeb] = immV, immV, imm8
	t[0xf6], t[0xf7], t[0xfe], t[0xff] = modRM|imm8|test, modRM|immV|test, modRM, modRM
	return t
}()

// twoByte returns what follows an opcode after 0F.
func twoByte(op byte) uint8 {
	switch {
	case op >= 0x80 && op <= 0x8f:
		return immV
	case op == 0x05 || op == 0x06 || op == 0x08 || op == 0x09 || op == 0x0b || op >= 0x30 && op <= 0x37 || op == 0x77,
		op >= 0xa0 && op <= 0xa2 || op >= 0xa8 && op <= 0xaa || op >= 0xc8 && op <= 0xcf:
		return none
	case op >= 0x70 && op <= 0x73 || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 || op >= 0xc4 && op <= 0xc6:
		return modRM | imm8
	}
	return modRM
}

func isPrefix(b byte) bool {
	switch b {
	case 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65:
		return true
	}
	return false
}

// decode returns the instruction at the beginning of code, which lies at address
// at, and its length, 0 if it is not understood. Code must have 16 bytes at least.
func decode(code []byte, at uintptr) (in instr, n int) {
	in.at = at
	short, wide := false, false
	var scalar, rex byte // a prefix of vector instructions
	for n < 14 && isPrefix(code[n]) {
		short = short || code[n] == 0x66
		if code[n] == 0xf2 || code[n] == 0xf3 {
			scalar = code[n]
		}
		n++
	}
	word := short
	if code[n]&0xf0 == 0x40 {
		rex = code[n]
		wide = rex&8 != 0
		n++
	}
	op := code[n]
	n++
	var form uint8
	long := false // an opcode of several bytes
	vex := false
	switch {
	case op == 0x0f:
		long = true
		op = code[n]
		n++
		switch op {
		case 0x38:
			n++
			form, op = modRM, 0
		case 0x3a:
			n++
			form, op = modRM|imm8, 0
		default:
			form = twoByte(op)
			short = short && form != immV
		}
	case op == 0xc5 || op == 0xc4 || op == 0x62: // VEX and EVEX
		long, vex = true, true
		table := byte(1)
		switch op {
		case 0xc5:
			n++
		case 0xc4:
			table = code[n] & 31
			n += 2
		default:
			table = code[n] & 7
			n += 3
		}
		v := code[n]
		n++
		switch table {
		case 1:
			form = twoByte(v)
			if v >= 0x80 && v <= 0x8f || v >= 0xc8 && v <= 0xcf || v >= 0xa0 && v <= 0xaa || v >= 0x30 && v <= 0x37 {
				form = modRM // masks
			}
		case 3:
			form = modRM | imm8
		case 2, 5, 6:
			form = modRM
		default:
			return in, 0
		}
		op = 0
		if table == 1 {
			op = v
		}
	default:
		form = oneByte[op]
	}
	if form&bad != 0 || n > 15 {
		return in, 0
	}
	reg := byte(0)
	if form&modRM != 0 {
		m := code[n]
		n++
		mod, rm := m>>6, m&7
		reg = m >> 3 & 7
		if mod != 3 && rm == 4 {
			sib := code[n]
			if sib&7 == 5 && mod == 0 {
				n += 4
			}
			n++
			if sib&7 == 4 && rex&1 == 0 {
				var off int32
				switch mod {
				case 1:
					off = int32(int8(code[n]))
				case 2:
					off = int32(binary.LittleEndian.Uint32(code[n:]))
				}
				in.access = accessOf(op, reg, long, vex, word, wide, scalar)
				in.access.off = off
				if sib>>3&7 != 4 || rex&2 != 0 {
					in.access.what = address
				}
			}
		}
		switch {
		case mod == 0 && rm == 5 || mod == 2:
			n += 4
		case mod == 1:
			n++
		}
	}
	if form&test != 0 && reg > 1 {
		form = none
	}
	immediate := n
	if form&imm8 != 0 {
		n++
	}
	if form&imm16 != 0 {
		n += 2
	}
	switch {
	case form&immV == 0:
	case wide && !long && op >= 0xb8 && op <= 0xbf:
		n += 8
	case short && !(!long && (op == 0xe8 || op == 0xe9)):
		n += 2
	default:
		n += 4
	}
	if form&offset != 0 {
		n += 8
	}
	if n > 15 || n > len(code) {
		return in, 0
	}
	next := at + uintptr(n)
	rel8 := func() uintptr { return next + uintptr(int8(code[immediate])) }
	rel32 := func() uintptr { return next + uintptr(int32(binary.LittleEndian.Uint32(code[immediate:]))) }
	switch {
	case long && form == immV && !vex:
		in.kind, in.target = branch, rel32()
	case long && op == 0x0b && !vex:
		in.kind = trap
	case long:
	case op >= 0x70 && op <= 0x7f || op >= 0xe0 && op <= 0xe3:
		in.kind, in.target = branch, rel8()
	case op == 0xe8:
		in.kind, in.target = call, rel32()
	case op == 0xe9:
		in.kind, in.target = jump, rel32()
	case op == 0xeb:
		in.kind, in.target = jump, rel8()
	case op == 0xc2 || op == 0xc3:
		in.kind = ret
	case op == 0xcc || op == 0xf4:
		in.kind = trap
	case op == 0xff && (reg == 2 || reg == 3):
		in.kind = call
	case op == 0xff && (reg == 4 || reg == 5):
		in.kind = indirectJump
	case op == 0x83 && wide && code[n-2] == 0xec: // SUBQ $8 bits, SP
		in.grow = int(int8(code[n-1]))
	case op == 0x83 && wide && code[n-2] == 0xc4: // ADDQ
		in.grow = -int(int8(code[n-1]))
	case op == 0x81 && wide && code[n-5] == 0xec: // SUBQ $32 bits, SP
		in.grow = int(int32(binary.LittleEndian.Uint32(code[n-4:])))
	}
	return in, n
}

// accessOf returns what an instruction with an operand in memory does with that.
func accessOf(op, reg byte, long, vex, word, wide bool, scalar byte) access {
	a := access{what: load, slot: slot{size: 4}}
	switch {
	case wide:
		a.size = 8
	case word:
		a.size = 2
	}
	bytes := func() { // opcodes in pairs, the even one for bytes
		if op&1 == 0 {
			a.size = 1
		}
	}
	switch {
	case vex:
		a.size = 32
		if op == 0x11 || op == 0x29 || op == 0x7f || op == 0xd6 || op == 0x7e || op == 0x13 || op == 0x17 || op == 0 {
			a.what = store
		}
	case long:
		switch {
		case op == 0x11:
			a.what = store
			switch scalar {
			case 0xf3:
				a.size = 4
			case 0xf2:
				a.size = 8
			default:
				a.size = 16
			}
		case op == 0x29 || op == 0x7f || op == 0xe7 || op == 0x2b:
			a.what, a.size = store, 16
		case op == 0xd6 || op == 0x13 || op == 0x17:
			a.what, a.size = store, 8
		case op == 0x7e && scalar == 0:
			a.what = store
			if !wide {
				a.size = 4
			}
		case op >= 0x90 && op <= 0x9f:
			a.what, a.size = store, 1
		case op == 0xb0 || op == 0xb1 || op == 0xc0 || op == 0xc1 || op == 0xab || op == 0xb3 || op == 0xbb || op == 0xba && reg > 4 || op == 0xc7:
			a.what, a.size = store, 16
		}
	case op == 0x8d:
		a.what = address
	case op == 0x88 || op == 0x89 || op == 0xc6 || op == 0xc7 || op == 0x86 || op == 0x87,
		op < 0x38 && op&7 < 2,
		(op == 0xfe || op == 0xff) && reg < 2,
		(op == 0x80 || op == 0x81) && reg != 7,
		op >= 0xd0 && op <= 0xd3 && op&1 == 1,
		(op == 0xf6 || op == 0xf7) && (reg == 2 || reg == 3):
		a.what = store
		bytes()
	case op == 0x83 && reg != 7 || op == 0xc1 || op == 0xd1 || op == 0xd3:
		a.what = store
	case op == 0xc0 || op == 0xd0 || op == 0xd2:
		a.what, a.size = store, 1
	case op == 0x8f:
		a.what, a.size = store, 8
	}
	return a
}
