#include "textflag.h"

// func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int)
//
// Every Go frame keeps its caller's frame pointer at (BP) and its return address
// at 8(BP).
TEXT ·framePath(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ base+0(FP), BX
	MOVQ pcs+8(FP), DI
	MOVQ BP, SI
	XORQ CX, CX

next:
	TESTQ SI, SI
	JEQ   done
	MOVQ  8(SI), DX
	CMPQ  DX, BX
	JEQ   done
	MOVQ  DX, (DI)(CX*8)
	MOVQ  (SI), SI
	INCQ  CX
	CMPQ  CX, $32
	JNE   next

done:
	MOVQ CX, n+16(FP)
	RET

// func pathHash(base uintptr) (hash uint64)
TEXT ·pathHash(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ base+0(FP), BX
	MOVQ BP, SI
	XORQ AX, AX
	MOVQ $32, CX
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
