#include "textflag.h"

// func pathHash(base uintptr) (hash uint64)
//
// Every Go frame keeps its caller's frame pointer at (BP) and its return address
// at 8(BP).
TEXT ·pathHash(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ base+0(FP), BX
	MOVQ BP, SI
	XORQ AX, AX
	MOVQ $128, CX
	MOVQ $0x9E3779B97F4A7C15, R8

step:
	TESTQ SI, SI
	JEQ   out
	MOVQ  8(SI), DX
	CMPQ  DX, BX
	JEQ   out
	XORQ  DX, AX
	IMULQ R8, AX
	MOVQ  (SI), SI
	DECQ  CX
	JNE   step

out:
	MOVQ AX, hash+8(FP)
	RET

// func stackWord(depth, off int) uint64
//
// Follows depth frame pointers from the caller's own.
TEXT ·stackWord(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ depth+0(FP), CX
	MOVQ off+8(FP), DX
	MOVQ BP, SI

up:
	TESTQ SI, SI
	JEQ   missing
	TESTQ CX, CX
	JEQ   there
	MOVQ  (SI), SI
	DECQ  CX
	JMP   up

there:
	MOVQ (SI)(DX*1), AX
	MOVQ AX, ret+16(FP)
	RET

missing:
	MOVQ $0, ret+16(FP)
	RET

// func stackHash(base uintptr) uint64
//
// What a function has in its frame lies between its callee's frame pointer, with
// the return address above, and its own.
TEXT ·stackHash(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ base+0(FP), BX
	MOVQ BP, SI
	XORQ AX, AX
	MOVQ $0x9E3779B97F4A7C15, R8

frame:
	TESTQ SI, SI
	JEQ   end
	CMPQ  8(SI), BX
	JEQ   end
	MOVQ  (SI), DI
	ADDQ  $16, SI

word:
	CMPQ  SI, DI
	JCC   above
	XORQ  (SI), AX
	IMULQ R8, AX
	ADDQ  $8, SI
	JMP   word

above:
	MOVQ DI, SI
	JMP  frame

end:
	MOVQ AX, hash+8(FP)
	RET
