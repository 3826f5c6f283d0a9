package flow

import "encoding/binary"

const readable = true

// spFromFP returns how far the stack pointer is from the frame pointer.
func spFromFP(int) int { return 8 }

// decode returns the instruction at the beginning of code, which lies at address
// at, and its length.
func decode(code []byte, at uintptr) (in instr, n int) {
	w := binary.LittleEndian.Uint32(code)
	in.at = at
	// near returns the address that bits of w name, in words from here.
	near := func(low, bits uint) uintptr {
		v := int32(w<<(32-low-bits)) >> (32 - bits)
		return at + uintptr(int64(v)*4)
	}
	switch {
	case w>>26 == 0b000101: // B
		in.kind, in.target = jump, near(0, 26)
	case w>>26 == 0b100101: // BL
		in.kind, in.target = call, near(0, 26)
	case w>>24 == 0x54: // B.cond
		in.kind, in.target = branch, near(5, 19)
	case w&0x7e000000 == 0x34000000: // CBZ, CBNZ
		in.kind, in.target = branch, near(5, 19)
	case w&0x7e000000 == 0x36000000: // TBZ, TBNZ
		in.kind, in.target = branch, near(5, 14)
	case w&0xfffffc1f == 0xd61f0000: // BR
		in.kind = indirectJump
	case w&0xfffffc1f == 0xd63f0000: // BLR
		in.kind = call
	case w&0xfffffc1f == 0xd65f0000: // RET
		in.kind = ret
	case w&0xffe0001f == 0xd4200000, w>>16 == 0: // BRK, UDF and padding
		in.kind = trap
	case w>>5&31 == 31:
		in.access = accessOf(w)
	}
	return in, 4
}

// accessOf returns what an instruction whose base register is SP does with the
// frame.
func accessOf(w uint32) (a access) {
	vector := w>>26&1 == 1
	switch {
	case w>>24&0x3b == 0x39: // LDR, STR with an offset in elements
		scale := w >> 30
		if vector && w>>23&1 == 1 {
			scale = 4
		}
		a.size = 1 << scale
		a.off = int32(w>>10&0xfff) << scale
		a.what = store
		if w>>22&1 == 1 || !vector && w>>23&1 == 1 {
			a.what = load
		}
	case w>>24&0x3b == 0x38 && w>>21&1 == 0: // LDUR, STUR
		a.size = 1 << (w >> 30)
		if vector && w>>23&1 == 1 {
			a.size = 16
		}
		a.off = int32(w<<11) >> 23
		a.what = store
		if w>>22&1 == 1 || !vector && w>>23&1 == 1 {
			a.what = load
		}
	case w>>25&0x1d == 0x14: // LDP, STP
		scale := 2 + w>>31
		if vector {
			scale = 2 + w>>30
		}
		a.size = 2 << scale
		a.off = int32(w<<10) >> 25 << scale
		a.what = store
		if w>>22&1 == 1 {
			a.what = load
		}
	case w>>24 == 0x91 && w&31 != 31: // ADD from SP
		a.off = int32(w >> 10 & 0xfff)
		a.what = address
	}
	return a
}
