#include "textflag.h"

// func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int, hash uint64)
//
// Every Go frame keeps its caller's frame pointer at (BP) and its return address
// at 8(BP).
TEXT ·framePath(SB), NOSPLIT|NOFRAME, $0-32
	MOVQ base+0(FP), BX
	MOVQ pcs+8(FP), DI
	MOVQ BP, SI
	XORQ AX, AX
	XORQ CX, CX
	MOVQ $0x9E3779B97F4A7C15, R8

next:
	TESTQ SI, SI
	JEQ   done
	MOVQ  8(SI), DX
	CMPQ  DX, BX
	JEQ   done
	MOVQ  DX, (DI)(CX*8)
	XORQ  DX, AX
	IMULQ R8, AX
	MOVQ  (SI), SI
	INCQ  CX
	CMPQ  CX, $32
	JNE   next

done:
	MOVQ CX, n+16(FP)
	MOVQ AX, hash+24(FP)
	RET
